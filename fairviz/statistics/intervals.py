"""Intervals of one mean, or one slope, over queries."""

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
