"""Contrasts under random signs of queries, the draws of the wild bootstrap; and randomised Tukey HSD (Carterette 2012),
in which systems exchange their values within each query.

Axis letters: S systems, Q queries, K parts of a mixture, C contrasts, B draws, D draws of a block.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.statistics.contrasts import SLACK, Mask
from fairviz.statistics.signs import BLOCK, blocks, resampled_counts

Array = np.ndarray
TOGETHER = 32  # contrasts whose draws are made together
LEAST = (0.1, 5.0)  # standard deviation of n resampled queries, as a share of that observed: the first, or second / n


@dataclass(frozen=True, eq=False)
class _Group:
    """A few contrasts of one mask and family: their places among all, and in the mask; the systems that they compare,
    and how these add up to them (n, systems), of 1 or -1."""

    places: Array
    members: Array
    systems: Array
    signs: Array


def drawn_shares(masks: Sequence[Mask], signs: Array, families: Array) -> Iterator[tuple[Array, slice, Array]]:
    """Yield the places of a few contrasts of one family, some of the draws, and the root of the share of each
    contrast's sum of squares that is explained under random signs of its queries' centred values (wild bootstrap).

    signs: (B, Q). families: (C,). Roots are (contrasts, draws). Flat and undefined contrasts are left out. The sum of
    squares does not change with signs, so a mask takes one product for all its systems, and the share gives |t|
    (`t_squared`).
    """
    parts = [(mask, _signed(mask), _groups(mask, families)) for mask in masks]
    for draws, block in blocks(signs):
        cache: dict[bytes, Array] = {}
        for mask, signed, groups in parts:
            sums = _sums(mask, signed, block, cache) if groups else []
            for group in groups:
                yield group.places, draws, _roots(mask, group, sums)


def _sums(mask: Mask, signed: Sequence[Array], block: Array, cache: dict[bytes, Array]) -> list[Array]:
    """Return the sums over queries of signed values, (S, D) each. cache: sums of parts, by their queries."""
    if mask.mixture is None:
        return [values @ block.T for values in signed]
    key = mask.defined.tobytes()
    if key not in cache:
        cache[key] = signed[0] @ block.T
    return [mask.mixture.weights @ cache[key]]


def _signed(mask: Mask) -> list[Array]:
    """Return what is signed, (S, Q): what is left of each query, and for a slope its product with x; of a mixture what
    is left of its parts, (K, Q)."""
    if mask.mixture is not None:
        parts = np.nan_to_num(mask.mixture.parts[:, mask.defined])
        return [_spread(parts - parts.mean(axis=1, keepdims=True), mask.defined)]
    tables = [mask.residuals] if mask.x is None else [mask.residuals, mask.residuals * mask.x]
    return [_spread(values, mask.defined) for values in tables]


def _groups(mask: Mask, families: Array) -> list[_Group]:
    """Return the contrasts of a mask that can be tested, TOGETHER of one family at most."""
    if mask.residuals.shape[1] <= (1 if mask.x is None else 2):
        return []
    places = np.flatnonzero(~mask.flat & ~np.isnan(mask.squares) & ~np.isnan(mask.value))
    family_codes = families[mask.members[places]]
    places = places[np.argsort(family_codes, kind="stable")]
    ends: Array = np.cumsum(np.bincount(family_codes))[:-1]
    return [
        _group(mask, family[start : start + TOGETHER])
        for family in np.split(places, ends)
        for start in range(0, len(family), TOGETHER)
    ]


def _group(mask: Mask, members: Array) -> _Group:
    systems, at = np.unique(np.stack([mask.first[members], mask.second[members]]), return_inverse=True)
    first, second = at.reshape(2, -1)
    signs, rows = np.zeros((len(members), len(systems))), np.arange(len(members))
    signs[rows, first] = 1
    signs[rows, second] += mask.sign[members]
    return _Group(mask.members[members], members, systems, signs)


def _roots(mask: Mask, group: _Group, sums: Sequence[Array]) -> Array:
    """Return `drawn_shares` of a group's contrasts; sums: what `_signed` returns, under the signs."""
    n, squares = mask.residuals.shape[1], mask.squares[group.members][:, None]
    if mask.x is None:
        roots = (group.signs / np.sqrt(n * squares)) @ sums[0][group.systems]
        return np.abs(roots, out=roots)
    means, slopes = (group.signs @ table[group.systems] for table in sums)
    rest = np.maximum(squares - means * means / n, SLACK * squares)
    return np.abs(slopes) / np.sqrt(rest * float(mask.x @ mask.x))


def resampled_t(points: Array, draws: int, seed: int = 0) -> Array:
    """Return t of the mean of queries drawn with replacement, (C, B), each row ascending.

    points: what each query contributes less its mean, (C, n), not all 0. The standard deviation of a draw is at least
    that observed times one of LEAST, whichever is larger: a draw in which all values are nearly equal, as where nearly
    all queries changed alike, has no other error to divide by.
    """
    n = points.shape[1]
    standard = points / np.sqrt((points * points).mean(axis=1, keepdims=True))
    squared, least = standard * standard, max(LEAST[0], LEAST[1] / n) ** 2
    out = np.empty((len(points), draws))
    for rows, counts in blocks(resampled_counts(n, draws, seed)):
        means = standard @ counts.T / n
        out[:, rows] = means / np.sqrt(np.maximum(squared @ counts.T / n - means * means, least) / (n - 1))
    out.sort(axis=1)
    return out


def t_squared(shares: Array, freedom: Array | float) -> Array:
    """Return |t|² of estimates that explain these shares of their sums of squares: f·s / (1 − s)."""
    return freedom * shares / np.maximum(1 - shares, SLACK)


def share_of(squared: Array, freedom: Array) -> Array:
    """Return the share that gives |t|², the inverse of `t_squared`; NaN stays NaN."""
    with np.errstate(invalid="ignore"):
        return squared / (freedom + squared)


def _spread(values: Array, defined: Array) -> Array:
    """Return values (S, n) of the defined queries in their places, (S, Q), 0 elsewhere."""
    if defined.all():
        return values
    out = np.zeros((len(values), len(defined)))
    out[:, defined] = values
    return out


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
        permuted_values = np.take_along_axis(np.broadcast_to(values, shuffled.shape), order, axis=1)
        np.put_along_axis(shuffled, np.broadcast_to(places, shuffled.shape), permuted_values, axis=1)
        shuffled_means = np.where(defined, shuffled, 0.0).sum(axis=2) / means
        shuffled_means = np.where(counts > 0, shuffled_means, np.nan)
        out[start : start + count] = np.nanmax(shuffled_means, axis=1) - np.nanmin(shuffled_means, axis=1)
    return out
