"""Single-step maxT by loops over pairs and draws, a reference that shares nothing with the engine but the signs and
the resampled queries."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from fairviz.statistics.references import draws_for, resampled_counts, signs


class Slow(NamedTuple):
    """One pair: the difference, p of the pair alone and in its family, and the simultaneous interval at 95 %."""

    difference: float
    p: float
    p_corrected: float
    low: float
    high: float


def slow_max_t(
    values: Mapping[str, np.ndarray], direction: str = "higher", *, baseline: str = "", draws: int = 999, seed: int = 0
) -> dict[tuple[str, str], Slow]:
    """Return the pairs that share ten queries and half of all, or those with the baseline, tested as one family.

    values: by system, (Q,) each, NaN where undefined. direction: `zero` compares |mean| and `one` |ln mean|, each by
    its difference and its sum; all others the mean.
    """
    queries = len(next(iter(values.values())))
    common = {(a, b): int((~np.isnan(values[a] + values[b])).sum()) for a, b in combinations(values, 2)}
    pairs = [pair for pair, count in common.items() if count >= max(10, queries / 2)]
    pairs = [pair for pair in pairs if not baseline or baseline in pair]
    folded = direction in ("zero", "one")
    points = {
        (first, second, sign): _points(values[first], values[second], sign, direction == "one")
        for first, second in pairs
        for sign in ((-1, 1) if folded else (-1,))
    }
    family_draws = draws_for(len(points), draws)
    rows = signs(queries, family_draws, seed, draws).astype(float)
    drawn = {key: drawn_t(known, rows) for key, known in points.items()}
    largest = np.max(list(drawn.values()), axis=0)
    typical = float(np.median([skewness(known) ** 2 for known in points.values()]))
    resampled = {
        key: resampled_t(known, family_draws, seed) if len(points) <= 6 else None for key, known in points.items()
    }
    found = {}
    for first, second in pairs:
        keys = [key for key in points if key[:2] == (first, second)]
        p = max(_share(drawn[key][:draws], narrow(abs(t_of(points[key])), points[key])) for key in keys)
        corrected = max(_family_p(points[key], largest, typical, resampled[key]) for key in keys)
        p = corrected if len(pairs) == 1 else p
        ends = [_interval(points[key], largest, typical, resampled[key]) for key in keys]
        means = [np.nanmean(points[key]) for key in keys]
        if folded:
            # |a| - |b| over a grid of the rectangle of both intervals: its ends and the axes are on the grid
            grid = [np.unique(np.clip([*np.linspace(*end, 41), 0.0], *end)) for end in ends]
            corners = [distance(u, v) for u in grid[0] for v in grid[1]]
            found[first, second] = Slow(distance(*means), p, corrected, min(corners), max(corners))
        else:
            found[first, second] = Slow(float(means[0]), p, corrected, *ends[0])
    return found


def slow_rows(rows: Sequence[np.ndarray], draws: int = 199) -> tuple[list[float], np.ndarray, np.ndarray]:
    """Return p of each row's mean in one family, and how many standard errors its interval at 95 % reaches below and
    above it."""
    family_draws = draws_for(len(rows), draws)
    table = signs(len(rows[0]), family_draws, 0, draws).astype(float)
    largest = np.max([drawn_t(row, table) for row in rows], axis=0)
    typical = float(np.median([skewness(row) ** 2 for row in rows]))
    resampled = [resampled_t(row, family_draws, 0) if len(rows) <= 6 else None for row in rows]
    p = [_family_p(row, largest, typical, other) for row, other in zip(rows, resampled, strict=True)]
    ends = [_reach(row, largest, typical, other) for row, other in zip(rows, resampled, strict=True)]
    below, above = np.array(ends).T
    return p, below, above


def distance(u: float, v: float) -> float:
    """Return |a| - |b| for u = a - b and v = a + b."""
    a, b = (u + v) / 2, (v - u) / 2
    return abs(a) - abs(b)


def t_of(points: np.ndarray) -> float:
    """Return Student's t of points, by hand."""
    points = points[~np.isnan(points)]
    n = len(points)
    mean = sum(points) / n
    variance = sum((point - mean) ** 2 for point in points) / (n - 1)
    return mean / math.sqrt(variance / n)


def skewness(points: np.ndarray) -> float:
    """Return the skewness of points, by hand."""
    known = points[~np.isnan(points)]
    n, mean = len(known), sum(known) / len(known)
    second, third = (sum((point - mean) ** power for point in known) / n for power in (2, 3))
    return third / second**1.5


def wide(critical: float, points: np.ndarray, typical: float = 0.0) -> float:
    """Return the critical |t| of these points where that of points without skewness is given."""
    n = int((~np.isnan(points)).sum())
    counted = (1 + 15 / n) * max(skewness(points) ** 2, typical)
    return critical * (1 + counted * max(critical**4 + 2 * critical**2 - 3, 0) / (18 * n))


def narrow(t: float, points: np.ndarray, typical: float = 0.0) -> float:
    """Return the |t| that `wide` makes into this one, by bisection."""
    low, high = 0.0, t
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if wide(middle, points, typical) > t else (middle, high)
    return high


def resampled_t(points: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Return t of the points' mean in resamples of the queries, (draws,) ascending."""
    known = points[~np.isnan(points)]
    n = len(known)
    standard, drawn = (known - known.mean()) / known.std(), []
    for row in resampled_counts(n, draws, seed):
        mean, square = np.average(standard, weights=row), np.average(standard**2, weights=row)
        drawn.append(mean / math.sqrt(max(square - mean**2, 0.01, (5 / n) ** 2) / (n - 1)))
    return np.sort(drawn)


def of_scores(scores: pd.DataFrame, measure: str) -> dict[str, np.ndarray]:
    """Return the values of one measure's systems, queries in the order of their ids."""
    rows = scores[scores["measure"] == measure]
    wide = rows.pivot(index="system", columns="query_id", values="value").sort_index(axis=1)
    return {str(name): row.to_numpy(dtype=float) for name, row in wide.iterrows()}


def _points(first: np.ndarray, second: np.ndarray, sign: int, logarithm: bool) -> np.ndarray:
    """Return what each common query contributes to the difference or the sum, NaN elsewhere."""
    both = ~np.isnan(first) & ~np.isnan(second)
    a, b = (np.where(both, one, np.nan) for one in (first, second))
    if logarithm:
        a, b = (np.log(np.nanmean(one)) + one / np.nanmean(one) - 1 for one in (a, b))
    return a + sign * b


def drawn_t(points: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return |t| of the centred points under each row of signs, (draws,)."""
    known = ~np.isnan(points)
    drawn = rows[:, known] * (points[known] - points[known].mean())
    return abs(drawn.mean(axis=1)) / (drawn.std(axis=1, ddof=1) / math.sqrt(known.sum()))


def _share(drawn: np.ndarray, observed: float) -> float:
    return (1 + int((drawn >= observed * (1 - 1e-9)).sum())) / (1 + len(drawn))


def _divisor(points: np.ndarray, resampled: np.ndarray | None) -> float:
    return 1.0 if resampled is None else 1 + 1.5 / int((~np.isnan(points)).sum())


def _family_p(points: np.ndarray, largest: np.ndarray, typical: float, resampled: np.ndarray | None) -> float:
    t = t_of(points) / _divisor(points, resampled)
    p = _share(largest, narrow(abs(t), points, typical))
    if resampled is None:
        return p
    beyond = 1 + int((resampled >= t).sum() if t > 0 else (resampled <= t).sum())
    return max(p, (1 + min(2 * beyond, len(resampled))) / (1 + len(resampled)))


def _interval(
    points: np.ndarray, largest: np.ndarray, typical: float, resampled: np.ndarray | None
) -> tuple[float, float]:
    known = points[~np.isnan(points)]
    below, above = _reach(points, largest, typical, resampled)
    error = known.std(ddof=1) / math.sqrt(len(known))
    return float(known.mean() - error * below), float(known.mean() + error * above)


def _reach(
    points: np.ndarray, largest: np.ndarray, typical: float, resampled: np.ndarray | None
) -> tuple[float, float]:
    """Return how many standard errors the interval reaches below and above the mean."""
    critical = sorted(largest)[-int(0.05 * (len(largest) + 1) + 1e-9)]
    below = above = wide(critical, points, typical)
    if resampled is not None:
        last = max(k for k in range(len(resampled)) if (1 + 2 * k) / (1 + len(resampled)) <= 0.05 + 1e-12)
        below, above = max(below, resampled[-last]), max(above, -resampled[last - 1])
    return _divisor(points, resampled) * below, _divisor(points, resampled) * above
