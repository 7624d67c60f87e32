"""Two systems by one measure under many combinations at once: differences over queries, intervals, tests, chances.

Axis letters: N combinations, Q queries, B resamples; the first of the two systems is A, the second B.
"""

from typing import Any

import numpy as np

from fairviz.evaluation.pairs import How, slope_pairs
from fairviz.measures import Question, distance
from fairviz.measures.gsr import slope
from fairviz.statistics.bootstrap import RESAMPLES, interval, mean_over_queries, resampled_means, resampling_weights
from fairviz.statistics.paired import EQUAL, distances, moments, paired_t

Array = np.ndarray
COLUMNS = ("value_a", "value_b", "difference", "ci_low", "ci_high", "effect_size", "spread", "p", "win", "queries")
LEVEL = 0.95


def paired(values: Array, question: Question) -> dict[str, Array]:
    """COLUMNS (N,) by name, of the values of both systems (N, 2, Q), on the queries that both have a value for.

    difference, interval, effect_size and p are those of `compare` with B as the baseline: for a measure that is
    fairest at 0 or 1 the difference of the two distances from there. spread: the standard deviation of the
    differences. win: the share of resamples in which A is fairer,
    a draw for half. queries: those in common. NaN where there are none, bounds and p with fewer than two.
    """
    values = np.where(np.isnan(values).any(axis=1, keepdims=True), np.nan, values)
    far = distances(values, question.direction)
    count, mean, spread = moments(far[:, 0] - far[:, 1])
    drawn = distance(resampled_means(values), question)  # (B, N, 2)
    apart = drawn[..., 0] - drawn[..., 1]
    low, high = interval(apart, LEVEL)
    value = mean_over_queries(values)
    return {
        "value_a": value[:, 0],
        "value_b": value[:, 1],
        "difference": np.where(count > 0, mean, np.nan),
        "ci_low": np.where(count >= 2, low, np.nan),
        "ci_high": np.where(count >= 2, high, np.nan),
        "effect_size": effect(mean, spread),
        "spread": spread,
        "p": paired_t(far[:, 0] - far[:, 1]),
        "win": np.where(count > 0, chance(apart, question), np.nan),
        "queries": count.astype(np.float64),
    }


def chance(apart: Array, question: Question) -> Array:
    """The share of resampled differences (B, N) in which A is fairer, (N,); those that are 0 count half."""
    ahead = apart * sign(question)
    drawn = ~np.isnan(ahead)
    with np.errstate(divide="ignore", invalid="ignore"):
        won = (ahead > EQUAL).sum(axis=0) + 0.5 * (np.abs(ahead) <= EQUAL).sum(axis=0)
        return won / np.where(drawn.any(axis=0), drawn.sum(axis=0), np.nan)


def effect(mean: Array, spread: Array) -> Array:
    """Mean over standard deviation of the differences, (N,): 0 where all are 0, NaN where they are equal or alone."""
    with np.errstate(divide="ignore", invalid="ignore"):
        standing = mean / np.where(spread > EQUAL, spread, np.nan)
    return np.where((np.abs(mean) <= EQUAL) & (spread <= EQUAL), 0.0, standing)


def sign(question: Question) -> float:
    """1 where a greater difference is fairer to A's credit, -1 where a smaller one is."""
    return 1.0 if question.direction == "higher" else -1.0


def slopes(query: Array, lists: Array) -> dict[str, Array]:
    """The same for GSR, one combination: x of the queries (Q,), y of both systems' lists (2, Q).

    effect_size: r / sqrt(1 - r²) of the lists' differences on their queries, which is t / sqrt(n - 2), as the others'
    are t / sqrt(n).
    """
    pair = np.where(np.isnan(lists).any(axis=0) | np.isnan(query), np.nan, lists)
    found = slope_pairs(("a", "b"), query, pair, How("b"))
    if found is None:
        return {name: np.full(1, np.nan) for name in COLUMNS}
    held: dict[str, Any] = found.columns
    weights = resampling_weights(len(query), RESAMPLES, 0)
    drawn = np.stack([np.abs(slope(query, row, weights)) for row in pair])
    apart = (drawn[0] - drawn[1])[:, None]
    won = chance(apart, _GSR)
    r = held["effect_size"]
    with np.errstate(divide="ignore", invalid="ignore"):
        size = r / np.sqrt(1 - r**2)
        spread = np.abs(held["difference"] / size)
    return {
        "value_a": held["value"], "value_b": held["baseline_value"], "difference": held["difference"],
        "ci_low": held["ci_low"], "ci_high": held["ci_high"], "effect_size": np.where(np.isfinite(size), size, np.nan),
        "spread": np.where(np.isfinite(spread) & (spread > 0), spread, np.nan),
        "p": held["p"], "win": np.where(np.isnan(held["difference"]), np.nan, won),
        "queries": held["queries"].astype(np.float64),
    }  # fmt: skip


def _gsr() -> Question:
    from fairviz.measures import parse

    return parse("GSR@10")


_GSR = _gsr()
