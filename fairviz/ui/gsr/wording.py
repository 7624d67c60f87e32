"""The notice of the page GSR: pure functions from slopes to spans of text."""

from collections.abc import Sequence

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
    table = {str(name): tuple(map(float, row)) for name, *row in zip(lines["system"], *columns, strict=True)}
    defined = [name for name in table if name in systems and not np.isnan(table[name][0])]
    contenders = [name for name in defined if how.is_tested(name)] or [name for name in defined if is_contender(name)]
    if not contenders:
        return (Span(NOTHING),)
    first = max(contenders, key=lambda name: table[name][0])
    slope, low, high = table[first]
    perfect, perfect_low, _ = table.get(PERFECT, (np.nan, np.nan, np.nan))
    perfect = perfect if perfect_low > 0 else np.nan
    comparison = compare_slopes(points, systems, how)
    rows = [row for row in comparison.against(first).rows.get(GSR.text, ()) if row.system in contenders]

    several, is_ahead = len(contenders) > 1, bool(rows) and all(row.verdict == AHEAD for row in rows)
    if slope <= 0:
        verb = " has the highest slope, and does not reinforce" if several else " does not reinforce"
    elif several:
        verb = " reinforces most" if is_ahead else " has the highest slope"
    else:
        verb = " is the only system"
    text = f"{verb}: {'' if verb.endswith('highest slope') else 'slope '}{number(slope)}"
    if not np.isnan(perfect):
        text += f", {slope / perfect:.1f} times that of the relevant documents themselves (dashed)"
    spans = [Span("Slope of the line = GSR. "), Span(first, True), Span(text)]
    if fewer := _fewer(curves, first, left_out, relative=not np.isnan(perfect)):
        spans.append(Span(fewer))
    spans.append(Span("."))
    cautions = " There is no slope of relevant documents to set it against." if np.isnan(perfect) else ""
    cautions += " Its interval holds 0." if low <= 0 <= high else ""
    if cautions:
        spans.append(Span(cautions))
    return (*spans, *_others(comparison, rows))


def _fewer(curves: pd.DataFrame, system: str, left_out: int, *, relative: bool) -> str:
    """Return `; without the five queries that are most gendered, 2.1 times`; with queries left out, the slope with
    all. relative: as a ratio to the perfect system's slope without the same queries, where that is above 0."""
    numbers = zip(curves["system"], curves["left_out"], curves["slope"], strict=True)
    slopes = {(str(name), int(count)): float(slope) for name, count, slope in numbers}
    other = 0 if left_out else min(FIVE, max(count for name, count in slopes if name == system))
    slope, perfect = slopes.get((system, other), np.nan), slopes.get((PERFECT, other), 0.0)
    if other == left_out or np.isnan(slope) or (relative and not perfect > 0):
        return ""
    value = f"{slope / perfect:.1f} times" if relative else number(slope)
    if left_out:
        queries = "the most gendered query" if left_out == 1 else f"the {left_out} most gendered queries"
        return f" without {queries}; with all, {value}"
    queries = "query" if other == 1 else f"{'five' if other == FIVE else other} queries"
    return f"; without the {queries} that {agreeing(other, 'is', 'are')} most gendered, {value}"


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
