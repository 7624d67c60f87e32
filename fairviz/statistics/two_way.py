"""Means over queries whose values share names too: errors clustered by query and by name at once."""

from dataclasses import dataclass

import numpy as np

from fairviz.statistics.contrasts import EQUAL

Array = np.ndarray


@dataclass(frozen=True)
class ClusteredMean:
    """A mean over queries of means within each query.

    error: its standard error, clustered by query and by name; NaN where either has one cluster alone. queries, names:
    the number of clusters of either kind.
    """

    value: float
    error: float
    queries: int
    names: int

    @property
    def freedom(self) -> int:
        """Degrees of freedom: one less than the clusters of the kind that has fewer."""
        return min(self.queries, self.names) - 1

    @property
    def is_flat(self) -> bool:
        """True where all values are equal, so that there is no error."""
        return self.error <= EQUAL * max(abs(self.value), 1.0)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return both ends of Student's t interval; NaN without an error."""
        from scipy.special import stdtrit

        if np.isnan(self.error):
            return np.nan, np.nan
        half = 0.0 if self.is_flat else float(stdtrit(self.freedom, (1 + level) / 2)) * self.error
        return self.value - half, self.value + half

    @property
    def p(self) -> float:
        """Two-sided p of the mean being 0; NaN without an error.

        Of equal values it is 1 for 0, else 2 / 2^n, the chance of n equal signs, n being clusters of the fewer kind.
        """
        from scipy.special import stdtr

        if np.isnan(self.error):
            return float("nan")
        if self.is_flat:
            return 1.0 if abs(self.value) <= EQUAL else 2.0 ** -min(self.freedom, 1000)
        return float(2 * stdtr(self.freedom, -abs(self.value) / self.error))


def clustered_mean(values: Array, queries: Array, names: Array) -> ClusteredMean:
    """Return the mean over queries of the means within them, with its error clustered by query and by name.

    values: (N,), without NaN values, which are left out. queries, names: codes of either cluster, (N,). The variance is
    that of clusters of queries plus that of clusters of names less that of their intersections (Cameron, Gelbach and
    Miller 2011, equation 2.4), each times G / (G - 1), and never below either of the first two. Without names in common
    it is the error of Student's t over queries.

    >>> mean = clustered_mean(np.array([1.0, 3.0, 5.0]), np.array([0, 0, 1]), np.array([0, 1, 2]))
    >>> mean.value, round(mean.error, 3)  # queries have the means 2 and 5
    (3.5, 1.5)
    """
    is_defined = ~np.isnan(values)
    values, queries, names = values[is_defined], _codes(queries[is_defined]), _codes(names[is_defined])
    if not len(values):
        return ClusteredMean(np.nan, np.nan, 0, 0)
    counts = np.bincount(queries)
    weights = 1 / (counts[queries] * len(counts))  # (N,), they sum to 1
    value = float(weights @ values)
    scores = weights * (values - value)
    intersections = _codes(queries * (int(names.max()) + 1) + names)
    by_query, by_name, by_both = (_variance(scores, codes) for codes in (queries, names, intersections))
    variance = max(by_query + by_name - by_both, by_query, by_name)
    return ClusteredMean(value, float(np.sqrt(variance)), len(counts), int(names.max()) + 1)


def _codes(values: Array) -> Array:
    return np.unique(values, return_inverse=True)[1]


def _variance(scores: Array, codes: Array) -> float:
    """Return the variance of the sum of scores (N,) whose clusters these are; NaN for a single one."""
    sums = np.bincount(codes, scores)
    return float(len(sums) / (len(sums) - 1) * (sums @ sums)) if len(sums) > 1 else float("nan")
