"""Random signs and resamples of queries, which all tests by the bootstrap share."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

Array = np.ndarray

DRAWS = 10_000
FEWEST_DRAWS, MOST_DRAWS = 99, 100_000  # the most take 180 MB for 1,765 queries
BLOCK = 2_000_000  # signs that are floats at a time; a table of no more is one of floats
FOR_EACH = 100  # draws at least for each contrast of a family
MOST_ROWS = 5_000  # draws at a time, so that what is computed of each stays in the processor's cache


def draws_for(contrasts: int, draws: int = DRAWS) -> int:
    """Return the number of draws for a family of so many contrasts, where `draws` are requested."""
    return max(draws, min(FOR_EACH * contrasts, MOST_DRAWS))


@lru_cache(maxsize=8)
def signs(queries: int, draws: int = DRAWS, seed: int = 0, requested: int = 0) -> Array:
    """Return Rademacher signs, (B, Q) of -1 and 1; B is `draws`, or the number of patterns where that is no more than
    `requested` (by default `draws`).

    A pattern and its opposite give the same |t|, so Q queries have 2^(Q-1) patterns, in which the last query has the
    sign 1. Drawn signs are seeded, and the same for every measure; more draws begin with those of fewer.
    """
    if queries <= 62 and 2 ** max(queries - 1, 0) <= (requested or draws):
        patterns = np.arange(2 ** max(queries - 1, 0), dtype=np.int64)
        bits: Array = (patterns[:, None] >> np.arange(queries)) & 1
    else:
        random_bytes = np.random.default_rng(seed).integers(0, 256, size=(draws, (queries + 7) // 8), dtype=np.uint8)
        bits = np.unpackbits(random_bytes, axis=1, count=queries)
    kind = np.float64 if bits.size <= BLOCK else np.int8
    table = 1 - 2 * bits.astype(kind)
    table.setflags(write=False)
    return table


@lru_cache(maxsize=4)
def resampled_counts(queries: int, draws: int = DRAWS, seed: int = 0) -> Array:
    """Return how often each query is drawn where as many are drawn with replacement, (B, Q). Draws are seeded."""
    generator, table = np.random.default_rng([seed, queries]), np.empty((draws, queries), dtype=np.uint16)
    size = max(BLOCK // max(queries, 1), 1)
    for start in range(0, draws, size):
        rows = table[start : start + size]
        places = generator.integers(queries, size=rows.shape) + queries * np.arange(len(rows))[:, None]
        rows[:] = np.bincount(places.ravel(), minlength=rows.size).reshape(rows.shape)
    table.setflags(write=False)
    return table


def blocks(table: Array) -> Iterator[tuple[slice, Array]]:
    """Yield the rows of a table of draws (B, Q) as floats, a block at a time, with their place."""
    size = min(max(BLOCK // max(table.shape[1], 1), 1), MOST_ROWS)
    for start in range(0, len(table), size):
        rows = slice(start, min(start + size, len(table)))
        yield rows, table[rows].astype(np.float64, copy=False)
