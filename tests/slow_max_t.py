"""Single-step maxT by loops over contrasts, written from the formulas: a reference that shares nothing with the engine
but the signs and the resampled queries."""

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from fairviz.statistics.references import draws_for, resampled_counts, signs

ALPHA = 0.05


class Slow(NamedTuple):
    """One pair: the difference, p of the pair alone and in its family, and the simultaneous interval at 95 %."""

    difference: float
    p: float
    p_corrected: float
    low: float
    high: float


class Contrast:
    """A system minus another, or plus it, on the queries that both have: a mean, or its logarithm, or a slope over x.

    A family sets `typical`, the median of the squared skewnesses, and, where it is small, `drawn_again`: t of resampled
    queries, ascending.
    """

    def __init__(
        self,
        first: np.ndarray,
        second: np.ndarray,
        sign: int = -1,
        x: np.ndarray | None = None,
        logarithm: bool = False,
    ) -> None:
        self.known = ~np.isnan(first + second if x is None else first + second + x)
        self.n = int(self.known.sum())
        first, second = first[self.known], second[self.known]
        self.x = None if x is None else x[self.known] - x[self.known].mean()
        if logarithm:
            first, second = (np.log(one.mean()) + one / one.mean() - 1 for one in (first, second))
        value, error, self.residuals = self.fitted(first + sign * second)
        self.value, self.error = float(value), float(error)
        points = self.residuals if self.x is None else self.x * self.residuals
        self.points = (points - points.mean()) / points.std()
        self.skewness = sum(point**3 for point in self.points) / self.n
        self.typical, self.drawn_again = 0.0, np.zeros(0)

    def fitted(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the mean or the slope of values (…, n), its standard error, and what is left of the values."""
        rest = y - y.mean(axis=-1, keepdims=True)
        if self.x is None:
            return y.mean(axis=-1), np.sqrt((rest**2).sum(axis=-1) / (self.n - 1) / self.n), rest
        squares = self.x @ self.x
        slope = y @ self.x / squares
        rest = rest - slope[..., None] * self.x
        return slope, np.sqrt((rest**2).sum(axis=-1) / (self.n - 2) / squares), rest

    def under(self, table: np.ndarray) -> np.ndarray:
        """Return |t| under each row of signs."""
        value, error, _ = self.fitted(table[:, self.known] * self.residuals)
        return abs(value) / error

    def resampled(self, draws: int, seed: int) -> np.ndarray:
        drawn = []
        for row in resampled_counts(self.n, draws, seed):
            mean, square = row @ self.points / self.n, row @ self.points**2 / self.n
            drawn.append(mean / math.sqrt(max(square - mean**2, 0.01, (5 / self.n) ** 2) / (self.n - 1)))
        return np.sort(drawn)

    def wide(self, critical: float, typical: float) -> float:
        """Return the critical |t| of these queries where that of queries without skewness is given."""
        counted = (1 + 15 / self.n) * max(self.skewness**2, typical)
        return critical * (1 + counted * max(critical**4 + 2 * critical**2 - 3, 0) / (18 * self.n))

    def share(self, drawn: np.ndarray, t: float, typical: float = 0.0) -> float:
        """Return the share of draws that reach |t| as it would be without skewness, which is found by bisection."""
        low, high = 0.0, abs(t)
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (low, middle) if self.wide(middle, typical) > abs(t) else (middle, high)
        return (1 + int((drawn >= high * (1 - 1e-9)).sum())) / (1 + len(drawn))

    @property
    def divisor(self) -> float:
        return 1 + 1.5 / self.n if len(self.drawn_again) else 1.0

    def family_p(self, largest: np.ndarray) -> float:
        t = self.value / self.error / self.divisor
        p, count = self.share(largest, t, self.typical), len(self.drawn_again)
        if not count:
            return p
        beyond = 1 + int((self.drawn_again >= t).sum() if t > 0 else (self.drawn_again <= t).sum())
        return max(p, (1 + min(2 * beyond, count)) / (1 + count))

    def reach(self, critical: float) -> tuple[float, float]:
        """Return how many standard errors the interval reaches below and above the value."""
        below = above = self.wide(critical, self.typical)
        if count := len(self.drawn_again):
            last = max(k for k in range(count) if (1 + 2 * k) / (1 + count) <= ALPHA + 1e-12)
            below, above = max(below, self.drawn_again[-last]), max(above, -self.drawn_again[last - 1])
        return self.divisor * below, self.divisor * above


class Family(NamedTuple):
    """Pairs that are tested together, the critical value of all of them, and the largest |t| of each draw."""

    pairs: list[Slow]
    critical: float
    largest: np.ndarray


def slow_family(pairs: Sequence[Sequence[Contrast]], draws: int, seed: int = 0) -> Family:
    """Return pairs that are tested together. pairs: the difference of each, or the difference and the sum."""
    every = [one for pair in pairs for one in pair]
    count = draws_for(len(every), draws)
    table = signs(len(every[0].known), count, seed, draws).astype(float)
    drawn = {one: one.under(table) for one in every}
    largest = np.max(list(drawn.values()), axis=0)
    critical = sorted(largest)[-int(ALPHA * (len(largest) + 1) + 1e-9)]
    for one in every:
        one.typical = float(np.median([other.skewness**2 for other in every]))
        one.drawn_again = one.resampled(count, seed) if len(every) <= 6 else np.zeros(0)
    rows = []
    for pair in pairs:
        corrected = max(one.family_p(largest) for one in pair)
        alone = max(one.share(drawn[one][:draws], one.value / one.error) for one in pair)
        ends = [(one.value - one.error * below, one.value + one.error * above)
                for one in pair for below, above in [one.reach(critical)]]  # fmt: skip
        value = pair[0].value if len(pair) == 1 else distance(*(one.value for one in pair))
        rows.append(Slow(value, corrected if len(pairs) == 1 else alone, corrected, *folded(ends)))
    return Family(rows, critical, largest)


def slow_max_t(values: Mapping[str, np.ndarray], direction: str, draws: int) -> dict[tuple[str, str], Slow]:
    """Return the pairs that share ten queries and half of all, tested as one family.

    values: by system, (Q,) each, NaN where undefined. direction: `zero` compares |mean| and `one` |ln mean|, each by
    its difference and its sum; all others the mean.
    """
    queries = len(next(iter(values.values())))
    common = {(a, b): int((~np.isnan(values[a] + values[b])).sum()) for a, b in combinations(values, 2)}
    pairs = [pair for pair, count in common.items() if count >= max(10, queries / 2)]
    both = (-1, 1) if direction in ("zero", "one") else (-1,)
    contrasts = [[Contrast(values[a], values[b], sign, None, direction == "one") for sign in both] for a, b in pairs]
    return dict(zip(pairs, slow_family(contrasts, draws).pairs, strict=True))


def slow_rows(rows: Sequence[np.ndarray], draws: int = 199) -> tuple[list[float], np.ndarray, np.ndarray]:
    """Return p of each row's mean in one family, and how many standard errors its interval at 95 % reaches below and
    above it."""
    contrasts = [Contrast(row, np.zeros(len(row))) for row in rows]
    family = slow_family([[one] for one in contrasts], draws)
    below, above = np.array([one.reach(family.critical) for one in contrasts]).T
    return [row.p_corrected for row in family.pairs], below, above


def distance(u: float, v: float) -> float:
    """Return |a| - |b| for u = a - b and v = a + b."""
    a, b = (u + v) / 2, (v - u) / 2
    return abs(a) - abs(b)


def folded(ends: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the interval of a difference, or that of |a| - |b|, whose ends are at a corner of the rectangle of both
    intervals or where it meets an axis."""
    if len(ends) == 1:
        return ends[0]
    u, v = ([*one, 0.0] if one[0] <= 0 <= one[1] else [*one] for one in ends)
    corners = [distance(one, other) for one in u for other in v]
    return min(corners), max(corners)


def of_scores(scores: pd.DataFrame, measure: str) -> dict[str, np.ndarray]:
    """Return the values of one measure's systems, queries in the order of their ids."""
    rows = scores[scores["measure"] == measure]
    wide = rows.pivot(index="system", columns="query_id", values="value").sort_index(axis=1)
    return {str(name): row.to_numpy(dtype=float) for name, row in wide.iterrows()}
