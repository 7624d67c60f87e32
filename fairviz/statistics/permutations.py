"""Moments and bands of statistics of random orders: in closed form, by exact distribution, or from draws."""

from typing import NamedTuple

import numpy as np

Array = np.ndarray


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
