"""Means from a machine's labels, corrected by people's labels of a drawn sample.

Prediction-powered inference (Angelopoulos and others 2023, arXiv:2301.09633; with the weight λ 2023, arXiv:2311.01453)
and design-based supervised learning (Egami and others 2023, arXiv:2306.04746). λ is how far the machine is trusted; 0
is people alone. For each drawn query it is estimated from the others, and so independent of the query's own error.
"""

from dataclasses import dataclass

import numpy as np

Array = np.ndarray
FEWEST = 2  # drawn queries for an interval
DOUBT = 2.0  # of λ: a weak machine is not trusted, and λ from few queries costs less than it may gain
TINY = 1e-12


@dataclass(frozen=True)
class Estimate:
    """A corrected mean.

    value: the estimate. labels: its standard error from having people's labels of a sample alone. queries: that from
    having this study's queries and not others like them, 0 where these queries are the target. low, high: both ends of
    the interval. weight: the mean λ, from 0 to 1. drawn: queries that people labelled. NaN for fewer than two.
    """

    value: float
    labels: float
    queries: float
    low: float
    high: float
    weight: float
    drawn: int

    @property
    def error(self) -> float:
        """The standard error of both parts together."""
        return float(np.hypot(self.labels, self.queries))


def corrected_mean(
    machine: Array, people: Array, is_drawn: Array, *, others_like_them: bool = False, level: float = 0.95
) -> Estimate:
    """Return the mean over queries of a measure under people's labels, from the machine's for all Q and people's for n.

    machine, people: (Q,), the measure under either set of labels; NaN where it is undefined. people is read where
    is_drawn (Q,), a simple random sample without replacement. others_like_them: the target is the mean over queries
    like these, else over these Q alone.

        mean over drawn of h + (1 − n/Q) · mean over drawn of λ · (mean over the others of f − f)

    for people's h and the machine's f, which is λ · (mean of f over all) + mean over drawn of (h − λ f) for one λ. λ of
    a query is cov(h, f) / var(f) over the other drawn ones, less where that is uncertain, from 0 to 1. Where queries
    are undefined, the sum of values and the number of defined queries are corrected separately, by one λ. The variance
    is the jackknife's over drawn queries, and the interval Student's t with n − 1 degrees of freedom.

    >>> f, h = np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.1, 0.9, np.nan, np.nan])
    >>> round(corrected_mean(f, h, np.array([True, True, False, False])).value, 3)
    0.5
    """
    from scipy.special import stdtrit

    is_drawn = np.asarray(is_drawn, dtype=bool)
    drawn, total = int(is_drawn.sum()), len(is_drawn)
    if drawn < FEWEST:
        return Estimate(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, drawn)
    values, own_values = np.nan_to_num(machine), np.nan_to_num(people[is_drawn])
    weight = _weights_of_the_others(values[is_drawn], own_values)
    sums = _corrected(values, own_values, is_drawn, weight)
    sizes = _corrected(~np.isnan(machine) * 1.0, ~np.isnan(people[is_drawn]) * 1.0, is_drawn, weight)
    if not sizes.mean > 0 or not (sizes.without > 0).all():
        return Estimate(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, drawn)
    value = sums.mean / sizes.mean
    labels = np.sqrt((1 - drawn / total) * (drawn - 1) * (sums.without / sizes.without).var())
    own = (own_values - value * ~np.isnan(people[is_drawn])) / sizes.mean
    queries = np.sqrt(own.var(ddof=1) / total) if others_like_them else 0.0
    half = float(stdtrit(drawn - 1, (1 + level) / 2) * np.hypot(labels, queries))
    return Estimate(
        float(value), float(labels), float(queries), value - half, value + half, float(weight.mean()), drawn
    )


@dataclass(frozen=True)
class _Corrected:
    """mean: the corrected mean. without (n,): the same without each drawn query."""

    mean: float
    without: Array


def _corrected(machine: Array, people: Array, is_drawn: Array, weight: Array) -> _Corrected:
    own, left = machine[is_drawn], machine[~is_drawn]
    count = len(own)
    gap = (left.mean() if len(left) else 0.0) - own
    mean = people.mean() + (1 - count / len(machine)) * (weight * gap).mean()
    without = ((people.sum() - people) - weight * (own.sum() - own)) / (count - 1) + weight * machine.mean()
    return _Corrected(float(mean), without)


def _weights_of_the_others(x: Array, y: Array) -> Array:
    """Return λ of each of n queries by the others (n,): the slope of y over x times max(0, 1 − DOUBT / t²).

    t: the slope over its standard error. From 0 to 1; 0 where x does not vary, and for fewer than three others.
    """
    count = len(x) - 1
    if count < 3:
        return np.zeros(len(x))
    mean_x, mean_y = (x.sum() - x) / count, (y.sum() - y) / count
    products = (x @ y - x * y) - count * mean_x * mean_y
    squares_x, squares_y = ((v @ v - v * v) - count * mean**2 for v, mean in ((x, mean_x), (y, mean_y)))
    varies = squares_x > TINY * max(float(x @ x), TINY)
    slope = np.divide(products, squares_x, out=np.zeros(len(x)), where=varies)
    left = np.maximum(squares_y - slope * products, 0) / (count - 2)  # the variance of what the slope leaves
    explained = slope * products
    keep = np.divide(explained - DOUBT * left, explained, out=np.zeros(len(x)), where=explained > 0)
    return np.clip(slope * np.maximum(keep, 0), 0, 1)
