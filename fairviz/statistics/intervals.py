"""Means over queries, resamples of queries, and intervals: of a mean, a ratio of means, a slope, a share, a share of
units in clusters, a mean whose values share names too; and bands of statistics of random orders.

Axis letters: Q queries, B resamples or draws, C clusters.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np

from fairviz.statistics.contrasts import EQUAL

Array = np.ndarray
RESAMPLES = 1000
SAME = 1e-12  # p (1 - p) of shares that are 0 or 1 but for rounding


@lru_cache(maxsize=8)
def resampling_weights(queries: int, resamples: int = RESAMPLES, seed: int = 0) -> Array:
    """Return the number of times that each query is drawn in each bootstrap resample, (B, Q) whole numbers as floats;
    rows sum to Q.

    Drawing queries with replacement is one multinomial draw of counts, and the mean of a resample is then a product.
    Every measure and system uses the same resamples, so that their differences are resampled in pairs.
    """
    generator = np.random.default_rng(seed)
    weights = generator.multinomial(queries, np.full(queries, 1 / queries), size=resamples).astype(np.float64)
    weights.setflags(write=False)
    return weights


def resampled_means(values: Array, resamples: int = RESAMPLES, seed: int = 0) -> Array:
    """Means over the last axis of each bootstrap resample: (…, Q) to (B, …). NaN values are left out of a mean."""
    flat = values.reshape(-1, values.shape[-1])  # (N, Q)
    weights = resampling_weights(flat.shape[1], resamples, seed)  # (B, Q)
    defined = ~np.isnan(flat)
    if defined.all():
        means = weights @ flat.T / flat.shape[1]  # (B, N)
    else:
        counted = weights @ defined.T.astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = weights @ np.where(defined, flat, 0).T / np.where(counted > 0, counted, np.nan)
    return means.reshape(resamples, *values.shape[:-1])


def mean_over_queries(values: Array) -> Array:
    """Mean over the last axis without NaN; NaN where nothing is defined."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=-1)
    total = np.where(defined, values, 0).sum(axis=-1)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def interval(means: Array, level: float = 0.95) -> tuple[Array, Array]:
    """The percentile interval of resampled means (B, …): lower and upper bounds, each (…)."""
    tail = (1 - level) / 2
    flat = means.reshape(len(means), -1)
    low, high = np.full(flat.shape[1], np.nan), np.full(flat.shape[1], np.nan)
    whole = ~np.isnan(flat).any(axis=0)
    if whole.any():
        low[whole], high[whole] = np.quantile(flat[:, whole], [tail, 1 - tail], axis=0)
    for column in np.flatnonzero(~whole):  # a resample that drew no defined query says nothing, and is left out
        values = flat[~np.isnan(flat[:, column]), column]
        if len(values):
            low[column], high[column] = np.quantile(values, [tail, 1 - tail])
    return low.reshape(means.shape[1:]), high.reshape(means.shape[1:])


def mean_interval(values: Array, level: float = 0.95) -> tuple[Array, Array]:
    """Return both ends of Student's t interval of the mean over queries, (…, Q) to two arrays (…).

    mean ± t · standard deviation / sqrt(n), n − 1 degrees of freedom. NaN values are left out, and ends are NaN where
    fewer than two remain. benchmarks/README.md has its coverage beside that of two bootstraps.

    >>> low, high = mean_interval(np.array([0.2, 0.4, 0.6]))  # 0.4 ± 4.303 · 0.2 / sqrt(3)
    >>> round(float(low), 3), round(float(high), 3)
    (-0.097, 0.897)
    """
    count = (~np.isnan(values)).sum(axis=-1)
    mean = mean_over_queries(values)
    rest = np.nan_to_num(values - mean[..., None])
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt((rest**2).sum(axis=-1) / (count - 1) / count)
    half = np.where(count >= 2, student_quantile(np.maximum(count - 1, 1), (1 + level) / 2) * error, np.nan)
    return mean - half, mean + half


def student_quantile(degrees: Array, probability: float) -> Array:
    """Return the quantile of Student's t, (…), at a probability from .5 to below 1. degrees (…): whole numbers from 1.

    scipy's is the same to 12 digits for any degrees of freedom; its import would take as long as evaluating a small
    study.

    >>> student_quantile(np.array([1, 2, 30]), 0.975).round(4).tolist()
    [12.7062, 4.3027, 2.0423]
    """
    distinct, places = np.unique(degrees, return_inverse=True)
    quantiles = np.array([_student_quantile(int(count), probability) for count in distinct.tolist()])
    return quantiles[places].reshape(np.shape(degrees))


@lru_cache(maxsize=1 << 12)
def _student_quantile(degrees: int, probability: float) -> float:
    """Return the quantile by halving, from the angle θ with tan θ = t/√ν: P(|T| ≤ t) is a finite sum of powers of
    cos θ for whole degrees of freedom (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4)."""
    wanted, is_odd = 2 * probability - 1, degrees % 2
    first = 2 + is_odd
    steps = np.arange(first, degrees - 1, 2)
    factors = np.cumprod((steps - 1) / steps)  # of cos² θ, cos⁴ θ, …; of cos³ θ, … for an odd number
    powers = np.arange(first, degrees - 1, 2)

    def between(angle: float) -> float:
        cosine = np.cos(angle)
        series = 1 + (factors * cosine**powers).sum() if not is_odd else 0.0
        if is_odd and degrees > 1:
            series = cosine + (factors * cosine**powers).sum()
        return (angle + np.sin(angle) * series) * 2 / np.pi if is_odd else np.sin(angle) * series

    low, high = 0.0, np.pi / 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if between(middle) < wanted else (low, middle)
    return float(np.tan(middle) * np.sqrt(degrees))


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


class Line(NamedTuple):
    """The least-squares line of y on x over a number of queries: Pearson's r, the two-sided p of a slope of 0, and the
    slope's standard error. r, p and the error are NaN with fewer than three queries, or equal y."""

    slope: float
    intercept: float
    r: float
    p: float
    error: float
    queries: int

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return both ends of the interval of the slope, by Student's t with n − 2 degrees of freedom; NaN without an
        error."""
        from scipy.special import stdtrit

        half = float(stdtrit(self.queries - 2, (1 + level) / 2)) * self.error if self.queries > 2 else np.nan
        return self.slope - half, self.slope + half


def fitted_line(x: Array, y: Array) -> Line:
    """Return the least-squares line of y on x, (Q,) each, without NaN and with x that differ. The numbers of
    `scipy.stats.linregress`, which takes ten times as long."""
    from scipy.special import stdtr

    free = len(x) - 2
    (squares_x, products), (_, squares_y) = np.cov(x, y, bias=True).tolist()
    slope = products / squares_x
    intercept = float(y.mean()) - slope * float(x.mean())
    if free < 1 or squares_y == 0:
        return Line(slope, intercept, np.nan, np.nan, np.nan, len(x))
    r = min(max(products / math.sqrt(squares_x * squares_y), -1.0), 1.0)
    t = r * math.sqrt(free / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
    error = math.sqrt((1 - r**2) * squares_y / squares_x / free)
    return Line(slope, intercept, r, float(2 * stdtr(free, -abs(t))), error, len(x))


def slope_interval(x: Array, y: Array, level: float = 0.95) -> tuple[float, float]:
    """Return both ends of the interval of the least-squares slope of y on x, (Q,) each. Queries where either is NaN are
    left out; NaN with fewer than three, or equal x."""
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if len(x) < 3 or np.ptp(x) <= 1e-12:
        return np.nan, np.nan
    return fitted_line(x, y).interval(level)


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
        size = self._effective_number(share, level)
        return share_interval(share * size, size, level)

    def _effective_number(self, share: float, level: float) -> float:
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


class Estimate(Protocol):
    """A number from clusters: its value, the parts of the clusters in its error (C,), and its interval."""

    @property
    def value(self) -> float: ...

    @property
    def errors(self) -> Array: ...

    def interval(self, level: float = 0.95) -> tuple[float, float]: ...


def _correlation(first: Estimate, second: Estimate) -> float:
    """Return the correlation of the errors of two estimates over the same clusters; 0 where one has none."""
    scale = np.sqrt((first.errors**2).sum() * (second.errors**2).sum())
    return float((first.errors * second.errors).sum() / scale) if scale > 0 else 0.0


def difference_of(first: Estimate, second: Estimate, level: float = 0.95) -> tuple[float, float, float]:
    """Return first − second over the same clusters, and both ends of its interval: from the intervals of the two and
    their correlation over clusters (Zou and Donner, Statistics in Medicine 27, 2008).

    low = d − √((p₁ − l₁)² + (u₂ − p₂)² − 2 r (p₁ − l₁)(u₂ − p₂)), and high likewise with u₁ and l₂. It keeps its
    level where few units count, unlike Student's t. NaN where one has no interval. Below, p is 20 of 40 in clusters of
    two alike, and 8 of 40 spread evenly: 0.3 − √(0.241² + 0.156²).

    >>> flat = np.full(20, 2.0)
    >>> half, fifth = (clustered_share(counts, flat) for counts in (np.array([0.0, 2.0] * 10), np.full(20, 0.4)))
    >>> [round(number, 3) for number in difference_of(half, fifth)]
    [0.3, 0.012, 0.565]
    """
    (low_1, high_1), (low_2, high_2) = first.interval(level), second.interval(level)
    r = _correlation(first, second)
    down = _joint_distance(first.value - low_1, high_2 - second.value, r)
    up = _joint_distance(high_1 - first.value, second.value - low_2, r)
    difference = first.value - second.value
    return difference, difference - down, difference + up


def _joint_distance(first: float, second: float, r: float) -> float:
    """Return the distance of an end from a difference, from those of the two estimates' ends and their correlation."""
    return float(np.sqrt(max(first**2 + second**2 - 2 * r * first * second, 0.0)))


def ratio_of(first: Estimate, second: Estimate, level: float = 0.95) -> tuple[float, float, float]:
    """Return first / second over the same clusters, both 0 or more, and both ends of its interval (Donner and Zou,
    Statistical Methods in Medical Research 21, 2012).

    With m = p₁ p₂ − r (p₁ − l₁)(u₂ − p₂), low is (m − √(m² − l₁ u₂ (2 p₁ − l₁)(2 p₂ − u₂))) / (u₂ (2 p₂ − u₂)), and
    high likewise with u₁, l₂ and +. NaN where one has no interval, or the second is not surely above 0. Below, half of
    the units against all of as many.

    >>> flat, half = np.full(20, 2.0), clustered_share(np.array([0.0, 2.0] * 10), np.full(20, 2.0))
    >>> [round(number, 3) for number in ratio_of(half, clustered_share(flat, flat))]
    [0.5, 0.259, 0.774]
    """
    p_1, p_2 = first.value, second.value
    if not p_2 > 0:
        return np.nan, np.nan, np.nan
    (low_1, high_1), (low_2, high_2) = first.interval(level), second.interval(level)
    if not low_2 > 0:
        return p_1 / p_2, np.nan, np.nan
    r = _correlation(first, second)
    ends = []
    for end_1, end_2, sign in ((low_1, high_2, -1), (high_1, low_2, 1)):
        m = p_1 * p_2 - r * (p_1 - end_1) * (end_2 - p_2)
        root = np.sqrt(max(m**2 - end_1 * end_2 * (2 * p_1 - end_1) * (2 * p_2 - end_2), 0.0))
        below = end_2 * (2 * p_2 - end_2)
        ends.append((m + sign * root) / below if below > 0 else np.nan)
    return p_1 / p_2, float(ends[0]), float(ends[1])


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
    values = values[is_defined]
    if not len(values):
        return ClusteredMean(np.nan, np.nan, 0, 0)
    queries, names = _codes(queries[is_defined]), _codes(names[is_defined])
    counts = np.bincount(queries)
    weights = 1 / (counts[queries] * len(counts))  # (N,), they sum to 1
    value = float(weights @ values)
    scores = weights * (values - value)
    by_query, by_name = _clustered_variance(scores, queries), _clustered_variance(scores, names)
    by_both = _clustered_variance(scores, _codes(queries * (int(names.max()) + 1) + names))
    variance = max(by_query + by_name - by_both, by_query, by_name)
    return ClusteredMean(value, float(np.sqrt(variance)), len(counts), int(names.max()) + 1)


def _codes(values: Array) -> Array:
    """Return the values as codes 0, 1, …, equal ones for equal values."""
    return np.unique(values, return_inverse=True)[1]


def _clustered_variance(scores: Array, codes: Array) -> float:
    """Return the variance of the sum of scores (N,) in the clusters of these codes (N,); NaN for a single cluster."""
    sums = np.bincount(codes, scores)
    return float(len(sums) / (len(sums) - 1) * (sums @ sums)) if len(sums) > 1 else float("nan")


class Band(NamedTuple):
    """The ends of a band, and the larger of their Monte Carlo standard errors; arrays of one shape."""

    low: Array
    high: Array
    error: Array


def permutation_moments(
    weight_sum: Array, weight_squares: Array, mean: Array, squares: Array, count: Array
) -> tuple[Array, Array]:
    """Return mean and variance of Σ w(i) v(d_i) for documents d_1, d_2, … in an order drawn at random.

    weight_sum, weight_squares: Σ w and Σ w² over the ranks; mean: of v over all `count` candidates; squares: their sum
    of squared deviations from it. Mean = v̄ Σw; variance = squares / (count − 1) · (Σw² − (Σw)² / count), 0 for one
    candidate. The first two moments of Hoeffding, A Combinatorial Central Limit Theorem, 1951, theorem 2.

    >>> mean, variance = permutation_moments(np.array(1.5), np.array(1.25), np.array(0.5), np.array(0.5), np.array(2))
    >>> float(mean), float(variance)  # numbers 0 and 1 under weights 1 and 1/2: 1/2 or 1
    (0.75, 0.0625)
    """
    spread = np.divide(squares, count - 1, out=np.zeros(np.shape(squares)), where=np.asarray(count) > 1)
    return mean * weight_sum, spread * np.maximum(weight_squares - weight_sum**2 / np.maximum(count, 1), 0)


def hypergeometric_ends(total: Array, marked: Array, sampled: Array, level: float = 0.95) -> tuple[Array, Array]:
    """Return the ends of the band of the number of marked documents among `sampled` of a total: whole
    numbers.

    Each is a quantile, the smallest number with at least this probability at or below it; so the probability beyond
    either end is at most (1 − level) / 2.

    >>> low, high = hypergeometric_ends(np.array([4]), np.array([2]), np.array([2]), 0.5)  # 1/6, 4/6, 1/6
    >>> low.tolist(), high.tolist()
    ([1.0], [1.0])
    """
    from scipy.stats import hypergeom

    cases, place = np.unique(np.stack([total, marked, sampled]), axis=1, return_inverse=True)
    tail = (1 - level) / 2
    low, high = (hypergeom.ppf(share, *cases) for share in (tail, 1 - tail))
    return low[place.ravel()], high[place.ravel()]


def band_of_draws(draws: Array, level: float = 0.95) -> Band:
    """Return the band of draws along the first axis, (B, …); NaN draws are left out, and the band of none is NaN.

    Ends are quantiles as in `hypergeometric_ends`. Their standard errors are half the distance between the order
    statistics a standard deviation of the binomial count below and above.

    >>> band = band_of_draws(np.arange(1.0, 101.0))
    >>> float(band.low), float(band.high)
    (3.0, 98.0)
    """
    ordered = np.sort(draws, axis=0)  # NaN last
    count = (~np.isnan(ordered)).sum(axis=0)
    tail = (1 - level) / 2
    step = np.ceil(np.sqrt(count * tail * (1 - tail)))

    def at(rank: Array) -> Array:
        place = np.clip(rank, 0, np.maximum(count - 1, 0)).astype(np.int64)
        return np.take_along_axis(ordered, place[None], axis=0)[0]

    ranks = [np.ceil(np.round(share * count, 9)) - 1 for share in (tail, 1 - tail)]
    low, high = map(at, ranks)
    error = np.maximum(*((at(rank + step) - at(rank - step)) / 2 for rank in ranks))
    return Band(low, high, error)
