"""The notice of the page GSR: pure functions from slopes to spans of text."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from fairviz.comparison.compare import Comparison
from fairviz.comparison.family import How
from fairviz.comparison.pairs import AHEAD, BEHIND, SAME, Row, compare_pairs, why_untested
from fairviz.comparison.points import points_of
from fairviz.comparison.ranking_sentences import family_text
from fairviz.evaluation.gsr import PERFECT
from fairviz.measures import parse
from fairviz.study.record import is_contender
from fairviz.words.sentences import Sentence, Span, agreeing, counted, decimal, listed, naming, p_value

FIVE = 5
GSR = parse("GSR@10")
NOTHING = "No system has a slope: that needs queries and lists of different genderedness."


class Line(NamedTuple):
    """A system's slope and its 95 % interval, NaN where undefined."""

    slope: float
    low: float
    high: float


def finding(
    lines: pd.DataFrame,
    points: pd.DataFrame,
    curves: pd.DataFrame,
    systems: Sequence[str],
    left_out: int,
    how: How,
) -> Sentence:
    """Return the notice: the system with the highest slope, its ratio to the relevant documents, its slope without the
    most gendered queries, and the systems from which it is significantly different.

    lines: of `fairviz.evaluation.gsr.gsr`, of these points. curves: system, left_out, slope. how: the method of
    the comparison.
    """
    columns = (lines[name].to_numpy(dtype=float) for name in ("slope", "ci_low", "ci_high"))
    table = {str(name): Line(*row) for name, *row in zip(lines["system"], *columns, strict=True)}
    defined = [name for name in table if name in systems and not np.isnan(table[name].slope)]
    contenders = [name for name in defined if how.is_tested(name)] or [name for name in defined if is_contender(name)]
    contender_lines = {name: table[name] for name in contenders}
    if not contender_lines:
        return (Span(NOTHING),)
    first = max(contender_lines, key=lambda name: contender_lines[name].slope)
    line = table.get(PERFECT)
    perfect_slope = line.slope if line is not None and line.low > 0 else float("nan")  # NaN: not above 0, or unknown
    comparison = compare_slopes(points, systems, how)
    rows = [row for row in comparison.against(first).rows.get(GSR.text, ()) if row.system in contender_lines]
    is_ahead_of_all = bool(rows) and all(row.verdict == AHEAD for row in rows)
    spans = [
        Span("Slope of the line = GSR. "),
        Span(first, True),
        *_most(contender_lines[first], perfect_slope, len(contender_lines), is_ahead_of_all),
    ]
    spans += _fewer(curves, first, perfect_slope, left_out)
    return (*spans, Span("."), *_caution(contender_lines[first], perfect_slope), *_others(comparison, rows))


def _most(line: Line, perfect_slope: float, systems: int, is_ahead_of_all: bool) -> list[Span]:
    """Return ` reinforces most: slope 0.31, 2.6 times that of the relevant documents themselves (dashed)`.

    is_ahead_of_all: whether every other system is significantly fairer.
    """
    verb = (
        (" reinforces most" if is_ahead_of_all else " has the highest slope") if systems > 1 else " is the only system"
    )
    if line.slope <= 0:
        verb = " has the highest slope, and does not reinforce" if systems > 1 else " does not reinforce"
    text = f"{verb}: {'' if verb.endswith('highest slope') else 'slope '}{number(line.slope)}"
    if np.isnan(perfect_slope):
        return [Span(text)]
    return [Span(f"{text}, {line.slope / perfect_slope:.1f} times that of the relevant documents themselves (dashed)")]


def _fewer(curves: pd.DataFrame, system: str, perfect_slope: float, left_out: int) -> list[Span]:
    """Return `; without the five queries that are most gendered, 2.1 times`; with queries left out, the slope with
    all."""
    slopes = curves[curves["system"] == system].set_index("left_out")["slope"]
    other = 0 if left_out else min(FIVE, int(slopes.index.max()))
    if other == left_out or other not in slopes.index or np.isnan(slopes[other]):
        return []
    value = number(slopes[other]) if np.isnan(perfect_slope) else _times(curves, system, other)
    if not value:
        return []
    if left_out:
        queries = "the most gendered query" if left_out == 1 else f"the {left_out} most gendered queries"
        return [Span(f" without {queries}; with all, {value}")]
    queries = "query" if other == 1 else f"{'five' if other == FIVE else other} queries"
    return [Span(f"; without the {queries} that {agreeing(other, 'is', 'are')} most gendered, {value}")]


def _times(curves: pd.DataFrame, system: str, left_out: int) -> str:
    """Return the ratio to the perfect system's slope without the same queries, `2.1 times`; empty if that is not above
    0."""
    slopes = curves[curves["left_out"] == left_out].set_index("system")["slope"]
    return f"{slopes[system] / slopes[PERFECT]:.1f} times" if slopes.get(PERFECT, 0) > 0 else ""


def _caution(line: Line, perfect_slope: float) -> list[Span]:
    """Return cautions: no slope of relevant documents, or an interval that contains 0."""
    notes = []
    if np.isnan(perfect_slope):
        notes.append(" There is no slope of relevant documents to set it against.")
    if line.low <= 0 <= line.high:
        notes.append(" Its interval holds 0.")
    return [Span("".join(notes))] if notes else []


def compare_slopes(points: pd.DataFrame, systems: Sequence[str], how: How) -> Comparison:
    """Return the shown systems compared by their slopes."""
    system_points = points[points["system"].isin(list(systems))]
    return Comparison(
        tuple(compare_pairs([("", GSR, points_of(system_points))], how)) if len(system_points) else (), how
    )


def _others(comparison: Comparison, rows: Sequence[Row]) -> list[Span]:
    """Return the systems from which the first is significantly different, or those from which it is not."""
    if not rows:
        return []
    tested = [row for row in rows if row.verdict in (AHEAD, BEHIND, SAME)]
    if not tested:
        reason = why_untested(comparison.pairs, comparison.how) if not comparison.family else "it is in no tested pair"
        return [Span(f" No difference of slopes is tested: {reason}.")]
    same = tuple(row.system for row in tested if row.verdict == SAME)
    if not same:
        p = p_value(max(row.p_corrected for row in tested), several=len(tested) > 1)
        others = "the other system" if len(rows) == 1 else f"the {len(tested)} other systems"
        others = others if len(tested) == len(rows) else listed([row.system for row in tested])
        return [Span(f" It is significantly different from {others} ({p}; {family_text(comparison)}).")]
    return [Span(f" It is {SAME} from "), *naming(same, ()), Span(f" ({family_text(comparison)}).")]


def number(value: float) -> str:
    """Return the number with two decimals and a true minus sign; `undefined` for NaN."""
    return decimal(value, 2)


def interval(low: float, high: float) -> str:
    """Return the interval as text: `0.09 to 0.31`; empty without one."""
    return f"{number(low)} to {number(high)}" if np.isfinite(low) and np.isfinite(high) else ""


def query_influence(influences: pd.DataFrame, system: str, query: str) -> str:
    """Return the sentence on the query's influence on the system's slope; empty without one."""
    rows = influences[(influences["system"] == system) & (influences["query_id"] == query)]
    if rows.empty or np.isnan(rows["change"].iloc[0]):
        return ""
    without, change = rows["without"].iloc[0], rows["change"].iloc[0]
    system_changes = influences[influences["system"] == system]["change"].abs()
    place = int((system_changes > abs(change)).sum()) + 1
    slope = f"{decimal(without)} instead of {decimal(without - change)}"
    queries = counted(len(system_changes), "query")
    return f"Without it the slope would be {slope} ({_ordinal(place)} of {queries} by influence)."


def most_influential(influences: pd.DataFrame, system: str) -> str:
    """Return the query with the largest influence on the system's slope; empty without one."""
    rows = influences[influences["system"] == system].dropna(subset=["change"])
    return str(rows["query_id"].iloc[int(rows["change"].abs().to_numpy().argmax())]) if len(rows) else ""


def _ordinal(place: int) -> str:
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th") if place % 100 not in (11, 12, 13) else "th"
    return f"{place}{suffix}"
