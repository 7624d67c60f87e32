"""One system against another by one measure: the row of a comparison, its verdict, and what warns of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairviz.comparison.how import How
from fairviz.comparison.pairs import FEWEST_QUERIES, LEAST_SHARE, Pairs, is_enough
from fairviz.comparison.points import Points
from fairviz.measures import Question, unfairness
from fairviz.measures.front_distance import DPFR
from fairviz.statistics.bootstrap import mean_over_queries
from fairviz.statistics.contrasts import EQUAL
from fairviz.statistics.references import within
from fairviz.study.record import is_reference
from fairviz.words.sentences import listed

Array = np.ndarray
AHEAD, BEHIND, SAME = "ahead", "behind", "not significantly different"
MIXED, UNTESTED, REFERENCE, OUTSIDE = "mean and test disagree", "too few queries", "reference", "not in the family"
WITHOUT = "without "  # begins a warning of a verdict that one query decides
LOST, UNEVEN = 0.1, 0.05  # shares of the queries: lost by the pair, and lost by one side more than by the other


class Row(NamedTuple):
    """One system against the baseline by one measure; no wins, ties and losses for a slope or a distance of means.

    value and baseline_value: over the common queries; value_all and baseline_value_all: over all that each has.
    queries: the common ones; queries_all: those of the study. warning: why the verdict rests on fewer queries, or
    that it rests on one, if it does.
    """

    measure: str
    system: str
    baseline: str
    value: float
    baseline_value: float
    difference: float
    ci_low: float
    ci_high: float
    p: float
    p_corrected: float
    effect_size: float
    wins: int | None
    ties: int | None
    losses: int | None
    queries: int
    queries_all: int
    value_all: float
    baseline_value_all: float
    verdict: str
    warning: str


def view(pairs: Pairs, how: How, baseline: str = "") -> list[Row]:
    """Return a row for every system against the baseline, or the best; nothing where there is no such system."""
    points, name = pairs.points, baseline or pairs.best
    if name not in points.systems:
        return []
    against = points.systems.index(name)
    others = [place for place in range(len(points.systems)) if place != against]
    system_values, against_values = _common(points, others, against)
    columns = {key: matrix[others, against] for key, matrix in pairs.columns.items()}
    values, baseline_values = (_means(points, table) for table in (system_values, against_values))
    means, total = points.means, len(points.queries)
    is_of_means = points.is_slope or pairs.question.name == DPFR.name
    counts = None if is_of_means else _counts(system_values, against_values, pairs.question)
    rows = []
    for row, place in enumerate(others):
        numbers = {key: float(column[row]) for key, column in columns.items()}
        verdict = _verdict(pairs, how, (points.systems[place], name), numbers)
        cells = (
            pairs.text, points.systems[place], name, float(values[row]), float(baseline_values[row]),
            *(numbers[key] for key in ("difference", "ci_low", "ci_high", "p", "p_corrected")),
            _effect(numbers, int(pairs.queries[place, against]), points.is_slope),
            *((None, None, None) if counts is None else counts[row]),
            int(pairs.queries[place, against]), total, float(means[place]), float(means[against]),
            verdict, _warning(pairs, place, against, verdict),
        )  # fmt: skip
        rows.append(Row._make(cells))
    return rows


def _effect(row: Mapping[str, float], queries: int, is_slope: bool) -> float:
    """Return the difference over the standard deviation of the differences; of a slope the correlation."""
    if not row["spread"] > EQUAL:
        return np.nan
    if not is_slope:
        return row["difference"] / row["spread"]
    t = row["difference"] / row["error"]
    return t / np.sqrt(t**2 + queries - 2)


def _verdict(pairs: Pairs, how: How, pair: tuple[str, str], row: Mapping[str, float]) -> str:
    """Return what the test of a system against a baseline shows."""
    if any(is_reference(name) and not how.is_tested(name) for name in pair):
        return REFERENCE
    if not all(map(how.is_tested, pair)) or (how.tests.baseline and how.tests.baseline not in pair):
        return OUTSIDE
    p, difference = row["p_corrected"], row["difference"]
    if np.isnan(p):
        return UNTESTED
    if not within(np.array(p), how.alpha):
        return SAME
    if row["leans"] * difference <= 0:
        return MIXED
    low = pairs.question.direction in ("lower", "zero", "one")  # the fairest value lies low
    return AHEAD if (difference < 0) == low else BEHIND


def _warning(pairs: Pairs, place: int, against: int, verdict: str) -> str:
    """Return why there is no verdict, or it rests on few of the queries, on other ones for each side, or on one query;
    empty where none is so."""
    reasons = [_lost(pairs, place, against)]
    if verdict == UNTESTED and is_enough(int(pairs.queries[place, against]), len(pairs.points.queries)):
        reasons.append(zero_means(pairs, (place, against)) or "the difference is undefined")
    if verdict in (AHEAD, BEHIND) and (place, against) in pairs.decisive:
        reasons.append(f"{WITHOUT}{pairs.decisive[place, against]} not significant")
    return "; ".join(filter(None, reasons))


def zero_means(pairs: Pairs, places: Sequence[int]) -> str:
    """Return which of these systems have a mean of 0 by a measure that is fairest at 1; empty for none."""
    if pairs.question.direction != "one":
        return ""
    means = mean_over_queries(pairs.points.values[list(places)])
    names = [pairs.points.systems[place] for place, mean in zip(places, means, strict=True) if abs(mean) <= EQUAL]
    return f"the mean of {listed(names)} is 0, which is infinitely far from 1" if names else ""


def _lost(pairs: Pairs, place: int, against: int) -> str:
    """Return how many queries a pair loses, and why, where these are many."""
    total, common = len(pairs.points.queries), int(pairs.queries[place, against])
    lost = [total - int(pairs.queries[each, each]) for each in (place, against)]
    if not total or (total - common <= LOST * total and abs(lost[0] - lost[1]) <= UNEVEN * total):
        return ""
    names = (pairs.points.systems[place], pairs.points.systems[against])
    parts = [f"{count} for {name}" for name, count in zip(names, lost, strict=True) if count]
    least = max(FEWEST_QUERIES, int(np.ceil(LEAST_SHARE * total)))
    why = "" if is_enough(common, total) else f"; a verdict needs {least}"
    return f"{common} of {total} queries in common (undefined: {', '.join(parts)}){why}"


def _common(points: Points, others: Sequence[int], against: int) -> tuple[Array, Array]:
    """Return the values of the systems and of the baseline, (N, Q) each, NaN where either has none."""
    values = points.values[others]
    against_values = np.broadcast_to(points.values[against], values.shape)
    undefined = np.isnan(values) | np.isnan(against_values)
    return np.where(undefined, np.nan, values), np.where(undefined, np.nan, against_values)


def _means(points: Points, values: Array) -> Array:
    """Return the means, or slopes, of values (N, Q) that replace the points' own."""
    return replace(points, values=values).means if points.is_slope else mean_over_queries(values)


def _counts(values: Array, baseline_values: Array, question: Question) -> list[tuple[int, int, int]]:
    """Return on how many queries each system is fairer than the baseline, as fair, and less fair."""
    with np.errstate(invalid="ignore"):
        if question.direction in ("higher", "none"):
            nearer = baseline_values - values
        else:
            nearer = unfairness(question, values) - unfairness(question, baseline_values)
    parts = ((nearer < -EQUAL), (np.abs(nearer) <= EQUAL), (nearer > EQUAL))
    return list(zip(*(part.sum(axis=1).tolist() for part in parts), strict=True))
