"""Intervals of a share of units that come in clusters, such as the documents of queries, and of a difference of two.

Axis letter: C clusters.
"""

from dataclasses import dataclass

import numpy as np

from fairviz.statistics.bootstrap import mean_over_queries
from fairviz.statistics.intervals import ratio_values, share_interval

Array = np.ndarray
SAME = 1e-12  # p (1 - p) of shares that are 0 or 1 but for rounding


@dataclass(frozen=True, eq=False)
class ClusteredShare:
    """A share of units. values (C,): the share per cluster to first order (`ratio_values`), their mean being the share;
    NaN for clusters without units. total: the number of units."""

    values: Array
    total: float

    @property
    def value(self) -> float:
        """The share, NaN without units."""
        return float(mean_over_queries(self.values))

    @property
    def clusters(self) -> int:
        """The number of clusters with units."""
        return int((~np.isnan(self.values)).sum())

    @property
    def errors(self) -> Array:
        """The parts of the clusters in the error of the share, (C,), which sum to 0; 0 for clusters without units."""
        return np.nan_to_num(self.values - self.value) / max(self.clusters, 1)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return both ends of the interval (Korn and Graubard, Survey Methodology 24, 1998): Clopper and Pearson's with
        the effective number of units.

        The effective number is n = p (1 − p) / v, scaled by the squared ratio of Student's t with total − 1 and
        clusters − 1 degrees of freedom, and at most the total; v is the variance of the mean of `values`. Where all
        units are alike (p = 0 or 1), it is the number of clusters. NaN with fewer than two clusters.

        >>> share = clustered_share(np.array([0.0, 2.0] * 10), np.full(20, 2.0))  # two alike in each of twenty clusters
        >>> low, high = share.interval()  # v = 0.25 / 19, so that n = 19 · (2.0227 / 2.0930)² = 17.74
        >>> round(low, 3), round(high, 3)
        (0.259, 0.741)
        """
        if self.clusters < 2:
            return np.nan, np.nan
        share = min(max(self.value, 0.0), 1.0)
        if share * (1 - share) < SAME:
            return share_interval(round(share) * self.clusters, self.clusters, level)
        size = self._effective(share, level)
        return share_interval(share * size, size, level)

    def _effective(self, share: float, level: float) -> float:
        """Return the effective number of units."""
        from scipy.special import stdtrit

        tail = (1 + level) / 2
        variance = float((self.errors**2).sum()) * self.clusters / (self.clusters - 1)
        scale = float(stdtrit(max(self.total - 1, 1), tail) / stdtrit(self.clusters - 1, tail)) ** 2
        return min(share * (1 - share) * scale / variance, self.total) if variance > 0 else self.total


def clustered_share(counts: Array, totals: Array) -> ClusteredShare:
    """Return the share of the counted units, from their number and that of all units by cluster, (C,) each.

    >>> clustered_share(np.array([1.0, 0.0, 0.0]), np.array([2.0, 2.0, 0.0])).value
    0.25
    """
    return ClusteredShare(ratio_values(counts, np.where(totals > 0, totals, np.nan)), float(totals.sum()))


def difference_of(first: ClusteredShare, second: ClusteredShare, level: float = 0.95) -> tuple[float, float, float]:
    """Return first − second over the same clusters, and both ends of its interval: from the intervals of the two shares
    and their correlation over clusters (Zou and Donner, Statistics in Medicine 27, 2008).

    low = d − √((p₁ − l₁)² + (u₂ − p₂)² − 2 r (p₁ − l₁)(u₂ − p₂)), and high likewise with u₁ and l₂. It keeps its
    level where few units count, unlike Student's t. NaN where a share has no interval. Below, p is 20 of 40 in clusters
    of two alike, and 8 of 40 spread evenly: 0.3 − √(0.241² + 0.156²).

    >>> flat = np.full(20, 2.0)
    >>> half, fifth = (clustered_share(counts, flat) for counts in (np.array([0.0, 2.0] * 10), np.full(20, 0.4)))
    >>> [round(number, 3) for number in difference_of(half, fifth)]
    [0.3, 0.012, 0.565]
    """
    (low_1, high_1), (low_2, high_2) = first.interval(level), second.interval(level)
    scale = np.sqrt((first.errors**2).sum() * (second.errors**2).sum())
    r = float((first.errors * second.errors).sum() / scale) if scale > 0 else 0.0
    down = _combined(first.value - low_1, high_2 - second.value, r)
    up = _combined(high_1 - first.value, second.value - low_2, r)
    difference = first.value - second.value
    return difference, difference - down, difference + up


def _combined(first: float, second: float, r: float) -> float:
    return float(np.sqrt(max(first**2 + second**2 - 2 * r * first * second, 0.0)))
