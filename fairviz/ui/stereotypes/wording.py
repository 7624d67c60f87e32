"""The one sentence of what to notice on the page Stereotypes: pure functions from slopes to spans of text."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from fairviz.evaluation.chances import chance, listed, naming
from fairviz.evaluation.compare import Comparison, family_text
from fairviz.evaluation.pair_rows import AHEAD, BEHIND, SAME, Row
from fairviz.evaluation.pairs import How, compare_pairs, why_untested
from fairviz.evaluation.points import is_contender, points_of
from fairviz.evaluation.slopes import PERFECT
from fairviz.measures import parse
from fairviz.ui.kit.html import Sentence, Span

FIVE = 5
GSR = parse("GSR@10")
NOTHING = "No system has a slope here: a slope needs queries of different genderedness whose lists have one too."


class Line(NamedTuple):
    """A system's slope and its 95 % interval, NaN where undefined."""

    slope: float
    low: float
    high: float


def finding(
    lines: pd.DataFrame,
    points: pd.DataFrame,
    curves: pd.DataFrame,
    shown: Sequence[str],
    left_out: int,
    how: How,
) -> Sentence:
    """Return which system has the highest slope, how much more than the relevant documents, how few queries carry that,
    and from which systems it is significantly different.

    lines: of `fairviz.evaluation.slopes.gsr`, of these points. curves: system, left_out, slope. how: how systems are
    compared.
    """
    columns = (lines[name].to_numpy(dtype=float) for name in ("slope", "ci_low", "ci_high"))
    table = {str(name): Line(*row) for name, *row in zip(lines["system"], *columns, strict=True)}
    known = [name for name in table if name in shown and not np.isnan(table[name].slope)]
    contenders = [name for name in known if how.is_tested(name)] or [name for name in known if is_contender(name)]
    ranked = {name: table[name] for name in contenders}
    if not ranked:
        return (Span(NOTHING),)
    first = max(ranked, key=lambda name: ranked[name].slope)
    against = _perfect(table)
    found = compared(points, shown, how)
    rows = [row for row in found.against(first).rows.get(GSR.text, ()) if row.system in ranked]
    most = bool(rows) and all(row.verdict == AHEAD for row in rows)
    spans = [Span("Slope of the line = GSR. "), Span(first, True), *_most(ranked[first], against, len(ranked), most)]
    spans += _fewer(curves, first, against, left_out)
    return (*spans, Span("."), *_caution(ranked[first], against), *_others(found, rows))


def _perfect(table: Mapping[str, Line]) -> float:
    """The slope that relevant documents alone have, NaN where it is unknown or not clearly above 0."""
    line = table.get(PERFECT)
    return line.slope if line is not None and line.low > 0 else float("nan")


def _most(line: Line, against: float, systems: int, most: bool) -> list[Span]:
    """` reinforces most: slope 0.31, 2.6 times that of the relevant documents themselves (perfect)`; most: every
    other system is significantly fairer."""
    verb = (" reinforces most" if most else " has the highest slope") if systems > 1 else " is the only system"
    if line.slope <= 0:
        verb = " has the highest slope, and does not reinforce" if systems > 1 else " does not reinforce"
    told = f"{verb}: {'' if verb.endswith('highest slope') else 'slope '}{number(line.slope)}"
    if np.isnan(against):
        return [Span(told)]
    return [Span(f"{told}, {line.slope / against:.1f} times that of the relevant documents themselves (dashed)")]


def _fewer(curves: pd.DataFrame, system: str, against: float, left_out: int) -> list[Span]:
    """`; without its five most gendered queries, 2.1 times`: or, where some are left out, what it is with all."""
    of_system = curves[curves["system"] == system].set_index("left_out")["slope"]
    other = 0 if left_out else min(FIVE, int(of_system.index.max()))
    if other == left_out or other not in of_system.index or np.isnan(of_system[other]):
        return []
    value = number(of_system[other]) if np.isnan(against) else _times(curves, system, other)
    if not value:
        return []
    if left_out:
        queries = "the most gendered query" if left_out == 1 else f"the {left_out} most gendered queries"
        return [Span(f" without {queries}; with all, {value}")]
    queries = "query" if other == 1 else f"{'five' if other == FIVE else other} queries"
    return [Span(f"; without the {queries} that {'is' if other == 1 else 'are'} most gendered, {value}")]


def _times(curves: pd.DataFrame, system: str, left_out: int) -> str:
    """`2.1 times`: of the perfect system's slope without the same queries; empty where that is not above 0."""
    slopes = curves[curves["left_out"] == left_out].set_index("system")["slope"]
    return f"{slopes[system] / slopes[PERFECT]:.1f} times" if slopes.get(PERFECT, 0) > 0 else ""


def _caution(line: Line, against: float) -> list[Span]:
    """What the slope alone does not allow to say."""
    notes = []
    if np.isnan(against):
        notes.append(" There is no slope of relevant documents to set it against.")
    if line.low <= 0 <= line.high:
        notes.append(" Its interval holds 0.")
    return [Span("".join(notes))] if notes else []


def compared(points: pd.DataFrame, shown: Sequence[str], how: How) -> Comparison:
    """Return the shown systems compared by their slopes."""
    held = points[points["system"].isin(list(shown))]
    return Comparison(tuple(compare_pairs([("", GSR, points_of(held))], how)) if len(held) else (), how)


def _others(found: Comparison, rows: Sequence[Row]) -> list[Span]:
    """Return from which systems the first is significantly different, and from which it is not."""
    if not rows:
        return []
    tested = [row for row in rows if row.verdict in (AHEAD, BEHIND, SAME)]
    if not tested:
        why = why_untested(found.pairs, found.how) if not found.family else "it is in no tested pair"
        return [Span(f" No difference of slopes is tested: {why}.")]
    same = tuple(row.system for row in tested if row.verdict == SAME)
    if not same:
        p = chance(max(row.p_corrected for row in tested), several=len(tested) > 1)
        others = "the other system" if len(rows) == 1 else f"the {len(tested)} other systems"
        others = others if len(tested) == len(rows) else listed([row.system for row in tested])
        return [Span(f" It is significantly different from {others} ({p}; {family_text(found)}).")]
    return [Span(f" It is {SAME} from "), *naming(same, ()), Span(f" ({family_text(found)}).")]


def number(value: float) -> str:
    """Two digits behind the point, a true minus sign; `undefined` for NaN."""
    return "undefined" if np.isnan(value) else f"{value:.2f}".replace("-", "−")


def interval(low: float, high: float) -> str:
    """`0.09 to 0.31`; empty where there is none."""
    return f"{number(low)} to {number(high)}" if np.isfinite(low) and np.isfinite(high) else ""


def signed(value: float) -> str:
    """`+0.12`, `−0.12` or `0.00`; `no vector` for NaN."""
    if np.isnan(value):
        return "no vector"
    text = f"{value:+.2f}".replace("-", "−")
    return text if float(f"{value:.2f}") else text[1:]


def query_influence(influences: pd.DataFrame, system: str, query: str) -> str:
    """What the query does to the system's slope; empty where it has no part in it."""
    rows = influences[(influences["system"] == system) & (influences["query_id"] == query)]
    if rows.empty or np.isnan(rows["change"].iloc[0]):
        return ""
    without, change = rows["without"].iloc[0], rows["change"].iloc[0]
    mine = influences[influences["system"] == system]["change"].abs()
    place = int((mine > abs(change)).sum()) + 1
    slope = f"{without:.3f} instead of {without - change:.3f}".replace("-", "−")
    return f"Without it the slope would be {slope} ({_ordinal(place)} of {len(mine)} queries by influence)."


def most_influential(influences: pd.DataFrame, system: str) -> str:
    """The query whose loss would move the system's slope most; empty where there is none."""
    rows = influences[influences["system"] == system].dropna(subset=["change"])
    return str(rows["query_id"].iloc[int(rows["change"].abs().to_numpy().argmax())]) if len(rows) else ""


def _ordinal(place: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th") if place % 100 not in (11, 12, 13) else "th"
    return f"{place}{ending}"
