"""Means over queries, and resamples of queries."""

from functools import lru_cache

import numpy as np

Array = np.ndarray

RESAMPLES = 1000


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
