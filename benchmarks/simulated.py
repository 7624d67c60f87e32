"""Made-up values of systems on queries, shaped like those of measures, for simulations of tests and intervals.

Axis letters: R replications, S systems, Q queries.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri, stdtrit

from fairviz.comparison.points import points_of
from fairviz.evaluation.gsr import split_parts
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.study.record import is_contender

Array = np.ndarray

OBSERVED = ("CWEx", "RaB", "AWRF", "GroupExposureRatio")  # measures whose values on newswire are drawn from


@dataclass(frozen=True)
class Shape:
    """How values are distributed.

    value: standard normal numbers (R, S, Q) to values with a different spread, skew or set of values for each system;
    the dependence of systems stays. means: the true mean of each system, (S,) of a number of systems. folded:
    whether the measure is fairest at 0, or at 1 where `logarithm` is set.
    """

    value: Callable[[Array], Array]
    means: Callable[[int], Array]
    folded: bool = False
    logarithm: bool = False

    def draw(self, generator: np.random.Generator, size: tuple[int, int, int], correlation: float) -> Array:
        """Return values (R, S, Q) of systems with this correlation of their normal scores."""
        replications, systems, queries = size
        common = generator.standard_normal((replications, 1, queries))
        own = generator.standard_normal((replications, systems, queries))
        return self.value(np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own)

    def under_null(self, values: Array) -> Array:
        """Return values moved so that no two systems differ: equal means, and where distances are compared equal
        distances on both sides of the fairest value in turn."""
        means = self.means(values.shape[1])
        turns = np.where(np.arange(len(means)) % 2, -1.0, 1.0)
        if self.logarithm:
            return values * (np.exp(turns * np.abs(np.log(means)).mean()) / means)[:, None]
        target = turns * np.abs(means).mean() if self.folded else np.zeros(len(means))
        return values + (target - means)[:, None]

    def estimates(self, systems: int) -> Array:
        """Return the true estimates, (S,): means, or their logarithms."""
        return np.log(self.means(systems)) if self.logarithm else self.means(systems)


def _spreads(systems: int, low: float, high: float) -> Array:
    """Return spreads of systems between two bounds, (S,), small and large ones in turn."""
    return np.where(np.arange(systems) % 2, high, low) + (high - low) / 4 * (np.arange(systems) // 2 % 3) / 2


def _normal(low: float, high: float) -> Shape:
    def value(scores: Array) -> Array:
        return scores * _spreads(scores.shape[1], low, high)[:, None]

    return Shape(value, lambda systems: np.zeros(systems))


def _scaled(of: Callable[[Array], Array], mean: float, low: float, high: float) -> Shape:
    """Return a function of normal scores times the spread of each system; mean: of the function."""

    def value(scores: Array) -> Array:
        return of(scores) * _spreads(scores.shape[1], low, high)[:, None]

    return Shape(value, lambda systems: mean * _spreads(systems, low, high))


def _t3(scores: Array) -> Array:
    return stdtrit(3, ndtr(scores))


def _exponential(scores: Array) -> Array:
    return -log_ndtr(-scores)


def _contaminated(scores: Array) -> Array:
    """Return a distribution function's values of which one in ten has five times the standard deviation."""
    grid = np.linspace(-25, 25, 5001)
    return np.interp(ndtr(scores), 0.9 * ndtr(grid) + 0.1 * ndtr(grid / 5), grid)


def _sparse(share: float) -> Callable[[Array], Array]:
    """Return values of 0, but for a share of the queries that are -1 or 1."""
    return lambda scores: (scores > ndtri(1 - share / 2)) * 1.0 - (scores < ndtri(share / 2))


def _one_skewed(scores: Array) -> Array:
    """Return normal scores of all systems but the second, which is lognormal."""
    out = scores.copy()
    out[:, 1] = np.exp(0.9 * scores[:, 1]) - np.exp(0.9**2 / 2)
    return out


def _lognormal(low: float, high: float, *, folded: bool = False, ratio: bool = False) -> Shape:
    """Return exp of normal scores with standard deviations between two bounds; as a ratio it is fairest at 1."""

    def value(scores: Array) -> Array:
        return np.exp(scores * _spreads(scores.shape[1], low, high)[:, None])

    return Shape(value, lambda systems: np.exp(_spreads(systems, low, high) ** 2 / 2), folded or ratio, ratio)


@lru_cache(maxsize=8)
def observed(measure: str) -> tuple[Array, ...]:
    """Return the values of each ranker by a measure on newswire, ascending, without undefined queries."""
    scores = evaluate(open_study("newswire"), [measure], Settings())
    ((_, rows),) = split_parts(scores)
    points = points_of(rows)
    kept = [row for name, row in zip(points.systems, points.values, strict=True) if is_contender(name)]
    return tuple(np.sort(row[~np.isnan(row)]) for row in kept)


def _shape_of(measure: str) -> Shape:
    """Return the shape whose systems draw from the observed values of newswire's rankers, each from its own."""

    def tables(systems: int) -> list[Array]:
        ours = observed(measure)
        order = [0, 3, 5, 1, 4, 6, 2]  # rankers that differ first
        return [ours[order[place % len(order)]] for place in range(systems)]

    def value(scores: Array) -> Array:
        share = ndtr(scores)
        parts = [
            table[np.minimum((share[:, place] * len(table)).astype(np.int64), len(table) - 1)]
            for place, table in enumerate(tables(scores.shape[1]))
        ]
        return np.stack(parts, axis=1)

    def means(systems: int) -> Array:
        return np.array([table.mean() for table in tables(systems)])

    ratio = measure == "GroupExposureRatio"
    return Shape(value, means, measure == "RaB" or ratio, ratio)


SHAPES: dict[str, Shape] = {
    "normal": _normal(1.0, 2.0),
    "t3 alike": _scaled(_t3, 0.0, 1.0, 1.0),
    "t3 unlike": _scaled(_t3, 0.0, 1.0, 2.0),
    "exponential alike": _scaled(_exponential, 1.0, 1.0, 1.0),
    "exponential unlike": _scaled(_exponential, 1.0, 1.0, 2.0),
    "lognormal alike": _lognormal(0.6, 0.6),
    "lognormal unlike": _lognormal(0.4, 0.8),
    "one lognormal": Shape(_one_skewed, np.zeros),
    "contaminated": _scaled(_contaminated, 0.0, 1.0, 1.0),
    "sparse .05": _scaled(_sparse(0.05), 0.0, 1.0, 1.0),
    "sparse .15": _scaled(_sparse(0.15), 0.0, 1.0, 1.0),
    "binary": _scaled(lambda scores: (scores < ndtri(0.3)) * 1.0, 0.3, 1.0, 1.0),
    "distance": _lognormal(0.4, 0.8, folded=True),
    "ratio": _lognormal(0.35, 0.55, ratio=True),
    **{measure: _shape_of(measure) for measure in OBSERVED},
}
