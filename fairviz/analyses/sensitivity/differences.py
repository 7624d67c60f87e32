"""Two systems by one measure under many combinations at once: differences over queries, intervals, tests, chances.

Axis letters: N combinations, S systems, Q queries, B resamples; the first of the systems is A, the second B.
"""

from dataclasses import replace

import numpy as np

from fairviz.comparison.family import How
from fairviz.comparison.pairs import Pairs, compare_apart, compare_pairs
from fairviz.comparison.points import Points
from fairviz.measures import Question, distance
from fairviz.measures.gsr import slope
from fairviz.measures.rankings import Rankings
from fairviz.statistics.contrasts import EQUAL
from fairviz.statistics.intervals import resampled_means, resampling_weights

Array = np.ndarray
TESTED = ("difference", "ci_low", "ci_high", "spread", "p", "p_corrected")
COLUMNS = (*TESTED, "value_a", "value_b", "effect_size", "win", "queries")


def compared(
    values: Array, question: Question, rankings: Rankings, how: How, query: Array | None = None
) -> dict[str, Array]:
    """Return COLUMNS (N,) by name, of the values of systems that are tested together (N, S, Q).

    Each combination is a family of its own: difference, interval and both p are those of `compare` with B as the
    baseline under its settings. query: x of the queries (Q,) where the measure is a slope. spread: the standard
    deviation of the differences. win: the share of resamples in which A is fairer, a draw for half. queries: those
    that A and B have in common. NaN where there are none, interval and p where there are too few.
    """
    x_of_queries = np.zeros(0) if query is None else query
    points = [Points(rankings.systems, rankings.queries, table, x_of_queries) for table in values]
    if query is None:
        pairs = compare_apart([question] * len(points), points, how)
    else:
        pairs = [compare_pairs([("", question, held)], how)[0] for held in points]
    chances = _won(np.where(np.isnan(values[:, :2]).any(axis=1, keepdims=True), np.nan, values[:, :2]), question, query)
    rows = [_row(held, chance) for held, chance in zip(pairs, chances.tolist(), strict=True)]
    return {name: np.array([row[name] for row in rows], dtype=np.float64) for name in COLUMNS}


def _row(pairs: Pairs, won: float) -> dict[str, float]:
    """Return COLUMNS of one combination."""
    points = pairs.points
    both = np.where(np.isnan(points.values[:2]).any(axis=0), np.nan, points.values[:2])
    row = {name: float(pairs.columns[name][0, 1]) for name in TESTED}
    count = int(pairs.queries[0, 1])
    value_a, value_b = replace(points, values=both).means.tolist()
    size = effect(row["difference"], row["spread"])
    means = {"value_a": value_a, "value_b": value_b}
    return row | means | {"effect_size": size, "win": won if count else np.nan, "queries": count}


def _won(both: Array, question: Question, query: Array | None) -> Array:
    """Return `chance` of A and B on the queries that both have, (N, 2, Q) to (N,)."""
    if query is None:
        distances = distance(resampled_means(both), question)  # (B, N, 2)
    else:
        weights = resampling_weights(len(query))
        distances = np.stack([np.abs(slope(query, table, weights)) for table in both.reshape(-1, len(query))], axis=1)
        distances = distances.reshape(-1, *both.shape[:2])
    return chance(distances[..., 0] - distances[..., 1], question)


def chance(apart: Array, question: Question) -> Array:
    """Return the share of resampled differences (B, N) in which A is fairer, (N,); those that are 0 count half."""
    ahead = apart * sign(question)
    is_defined = ~np.isnan(ahead)
    with np.errstate(divide="ignore", invalid="ignore"):
        won = (ahead > EQUAL).sum(axis=0) + 0.5 * (np.abs(ahead) <= EQUAL).sum(axis=0)
        return won / np.where(is_defined.any(axis=0), is_defined.sum(axis=0), np.nan)


def effect(difference: float, spread: float) -> float:
    """Return the difference over the standard deviation of the differences: 0 where all are 0, NaN where all are the
    same or there is one."""
    if spread > EQUAL:
        return difference / spread
    return 0.0 if abs(difference) <= EQUAL else np.nan


def sign(question: Question) -> float:
    """Return 1 where a greater difference is in A's favour, -1 where a smaller one is."""
    return 1.0 if question.direction == "higher" else -1.0
