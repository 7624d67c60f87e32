"""Randomised Tukey HSD (Carterette 2012): systems exchange their values within each query.

Axis letters: S systems, Q queries, B draws.
"""

import numpy as np

from fairviz.statistics.signs import BLOCK

Array = np.ndarray


def largest_ranges(values: Array, draws: int, seed: int = 0) -> Array:
    """Return the largest difference of two systems' means in each draw, (B,); values (S, Q).

    A draw permutes the values of each query among the systems that have one; means are over the queries that a system
    has. Carterette, Multiple testing in statistical analysis of systems-based information retrieval experiments, TOIS
    30(1), 2012, algorithm 1.
    """
    systems, queries = values.shape
    generator, out = np.random.default_rng(seed), np.empty(draws)
    defined = ~np.isnan(values)
    counts = defined.sum(axis=1)
    means = np.where(counts > 0, counts, 1)
    places = np.argsort(~defined, axis=0, kind="stable")  # systems with a value first, by query
    size = max(BLOCK // max(values.size, 1), 1)
    for start in range(0, draws, size):
        count = min(size, draws - start)
        order = np.where(defined, generator.random((count, systems, queries)), np.inf).argsort(axis=1)
        shuffled = np.empty((count, systems, queries))
        held = np.take_along_axis(np.broadcast_to(values, shuffled.shape), order, axis=1)
        np.put_along_axis(shuffled, np.broadcast_to(places, shuffled.shape), held, axis=1)
        drawn = np.where(defined, shuffled, 0.0).sum(axis=2) / means
        drawn = np.where(counts > 0, drawn, np.nan)
        out[start : start + count] = np.nanmax(drawn, axis=1) - np.nanmin(drawn, axis=1)
    return out
