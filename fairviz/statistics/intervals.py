"""Intervals of one mean, one ratio of means, one slope, or one share, over queries."""

import numpy as np

from fairviz.statistics.bootstrap import mean_over_queries

Array = np.ndarray


def mean_interval(values: Array, level: float = 0.95) -> tuple[Array, Array]:
    """Return both ends of Student's t interval of the mean over queries, (…, Q) to two arrays (…).

    mean ± t · standard deviation / sqrt(n), n − 1 degrees of freedom. NaN values are left out, and ends are NaN where
    fewer than two remain. benchmarks/README.md has its coverage beside that of two bootstraps.

    >>> low, high = mean_interval(np.array([0.2, 0.4, 0.6]))  # 0.4 ± 4.303 · 0.2 / sqrt(3)
    >>> round(float(low), 3), round(float(high), 3)
    (-0.097, 0.897)
    """
    from scipy.special import stdtrit

    count = (~np.isnan(values)).sum(axis=-1)
    mean = mean_over_queries(values)
    rest = np.nan_to_num(values - mean[..., None])
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt((rest**2).sum(axis=-1) / (count - 1) / count)
    half = np.where(count >= 2, stdtrit(np.maximum(count - 1, 1), (1 + level) / 2) * error, np.nan)
    return mean - half, mean + half


def ratio_values(above: Array, below: Array) -> Array:
    """Return the ratio of two means over queries to first order in each query, (Q,) each: its mean is the ratio.

    Queries where either is NaN are left out, as NaN; all is NaN where the mean below is 0.
    """
    both = ~(np.isnan(above) | np.isnan(below))
    above, below = np.where(both, above, np.nan), np.where(both, below, np.nan)
    base = mean_over_queries(below)
    if not abs(base) > 0:
        return np.full(above.shape, np.nan)
    ratio = mean_over_queries(above) / base
    return ratio + (above - ratio * below) / base


def ratio_interval(above: Array, below: Array, level: float = 0.95) -> tuple[float, float]:
    """Return both ends of the interval of a ratio of two means over queries, (Q,) each: Student's t on the logarithm,
    linearised per query. NaN where a mean is not above 0, or fewer than two queries have both."""
    values = ratio_values(above, below)
    ratio = float(mean_over_queries(values))
    if not ratio > 0:
        return np.nan, np.nan
    low, high = mean_interval(np.log(ratio) + (values - ratio) / ratio, level)
    return float(np.exp(low)), float(np.exp(high))


def share_interval(count: float, total: float, level: float = 0.95) -> tuple[float, float]:
    """Return both ends of the exact interval of a share (Clopper and Pearson 1934): the inversion of the binomial test,
    so that it excludes one half exactly where the two-sided sign test has p ≤ 1 − level. NaN for a share of nothing.
    Numbers need not be whole: an effective number of units is none.

    >>> [round(end, 3) for end in share_interval(9, 10)]
    [0.555, 0.997]
    """
    from scipy.special import betaincinv

    if not total:
        return np.nan, np.nan
    tail = (1 - level) / 2
    low = float(betaincinv(count, total - count + 1, tail)) if count else 0.0
    high = float(betaincinv(count + 1, total - count, 1 - tail)) if count < total else 1.0
    return low, high


def slope_interval(x: Array, y: Array, level: float = 0.95) -> tuple[float, float]:
    """Return both ends of the interval of the least-squares slope of y on x, (Q,) each, by Student's t with n − 2
    degrees of freedom. Queries where either is NaN are left out; NaN with fewer than three, or equal x."""
    from scipy.special import stdtrit
    from scipy.stats import linregress

    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if len(x) < 3 or np.ptp(x) <= 1e-12:
        return np.nan, np.nan
    line = linregress(x, y)
    half = float(stdtrit(len(x) - 2, (1 + level) / 2)) * float(line.stderr)
    return float(line.slope) - half, float(line.slope) + half
