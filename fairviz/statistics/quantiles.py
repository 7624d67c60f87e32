"""Quantiles of values over queries, and intervals of the difference of two systems' quantiles, query by query.

Axis letters: Q queries, T shares, B resamples.
"""

from collections.abc import Sequence

import numpy as np

from fairviz.statistics.references import blocks, resampled_counts

Array = np.ndarray
RESAMPLES = 2000


def quantile_weights(shares: Sequence[float], queries: int) -> Array:
    """Return the weights of sorted values in each quantile (Harrell and Davis, Biometrika 69, 1982), (T, Q).

    Weight i is I(i / n) − I((i − 1) / n), where I is the distribution function of Beta((n + 1) q, (n + 1) (1 − q)).

    >>> quantile_weights([0.5], 3).round(3).tolist()
    [[0.259, 0.481, 0.259]]
    """
    from scipy.special import betainc

    q = np.asarray(shares, dtype=np.float64)[:, None]
    steps = np.arange(queries + 1) / queries
    return np.diff(betainc((queries + 1) * q, (queries + 1) * (1 - q), steps), axis=1)


def quantiles(values: Array, shares: Sequence[float]) -> Array:
    """Return the quantiles of values (…, Q), none of which is NaN, as (…, T).

    >>> quantiles(np.array([4.0, 1.0, 2.0]), [0.5]).round(3).tolist()  # 0.259 · 1 + 0.481 · 2 + 0.259 · 4
    [2.259]
    """
    return np.sort(values, axis=-1) @ quantile_weights(shares, values.shape[-1]).T


def quantile_differences(
    first: Array, second: Array, shares: Sequence[float], level: float = 0.95, seed: int = 0
) -> tuple[Array, Array, Array]:
    """Return the differences of two systems' quantiles and both ends of their intervals, (T,) each.

    first, second: (Q,) of the same queries, without NaN. Percentile bootstrap of queries in pairs (Wilcox and
    Erceg-Hurn, Journal of Applied Statistics 39, 2012); each interval is of one quantile.
    """
    drawn = []
    for _, counts in blocks(resampled_counts(len(first), RESAMPLES, seed)):
        places = np.repeat(np.tile(np.arange(len(first)), len(counts)), counts.astype(np.int64).ravel())
        rows = places.reshape(len(counts), len(first))
        drawn.append(quantiles(first[rows], shares) - quantiles(second[rows], shares))
    tail = (1 - level) / 2
    low, high = np.quantile(np.concatenate(drawn), [tail, 1 - tail], axis=0)
    return quantiles(first, shares) - quantiles(second, shares), low, high
