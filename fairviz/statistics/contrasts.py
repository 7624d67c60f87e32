"""Differences and sums of two systems over the queries that both have a value for.

An estimate is a mean over queries, or the slope of a line over queries (GSR). Axis letters: S systems, Q queries,
C contrasts, B draws of signs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairviz.statistics.signs import signed_sums

Array = np.ndarray

EQUAL = 1e-12  # values this close are equal up to rounding
SLACK = 1e-9  # relative; a draw this close to the observed statistic counts as reaching it


@dataclass(frozen=True, eq=False)
class Estimates:
    """One measure's values by system and query.

    values: (S, Q), NaN where undefined. x: (Q,) the abscissa of a slope; None where the estimate is a mean. logarithm:
    whether the estimate is the logarithm of the mean, to first order in each query.
    """

    values: Array
    x: Array | None = None
    logarithm: bool = False


class Pair(NamedTuple):
    """One contrast: the estimate of `first` minus that of `second`, or their sum where `sign` is 1."""

    first: int
    second: int
    sign: int = -1


@dataclass(frozen=True, eq=False)
class Contrasts:
    """What a test needs of each contrast, (C,) each; NaN where it is undefined.

    value: the contrast. error: its standard error. freedom: degrees of freedom. queries: how many both systems have.
    first, second: the two estimates over these queries. flat: whether all queries contribute the same, so that there
    is no standard error to speak of. skewness: of what each query contributes, 0 where flat.
    """

    value: Array
    error: Array
    freedom: Array
    queries: Array
    first: Array
    second: Array
    flat: Array
    skewness: Array

    @property
    def known(self) -> Array:
        """Whether there is anything to test, (C,): a value, and a query beyond those that it takes."""
        return ~np.isnan(self.value) & (self.freedom >= 1)

    @property
    def t(self) -> Array:
        """|t| of each contrast, (C,); NaN where flat or undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.flat, np.nan, np.abs(self.value) / self.error)


@dataclass(frozen=True, eq=False)
class _Mask:
    """The contrasts that rest on the same queries. members: their places; defined: (Q,) these queries; systems: those
    that take part (S,); offsets: their estimates (S,); residuals: what is left of each query (S, n); x: the centred
    abscissa of a slope (n,)."""

    members: Array
    defined: Array
    systems: Array
    offsets: Array
    residuals: Array
    x: Array | None


def contrasts(estimates: Estimates, pairs: Sequence[Pair]) -> Contrasts:
    """Return value, error and degrees of freedom of each contrast, by Student's t or the least-squares line."""
    count = len(pairs)
    columns = {name: np.full(count, np.nan) for name in ("value", "error", "first", "second", "skewness")}
    queries, freedom, flat = np.zeros(count, dtype=np.int64), np.zeros(count), np.zeros(count, dtype=bool)
    for mask in _masks(estimates, pairs):
        n = int(mask.defined.sum())
        lost = 1 if mask.x is None else 2
        scale = n if mask.x is None else float(mask.x @ mask.x)
        first, second, sign = _rows(pairs, mask)
        residuals = mask.residuals[first] + sign[:, None] * mask.residuals[second]
        at = mask.members
        columns["first"][at], columns["second"][at] = mask.offsets[first], mask.offsets[second]
        columns["value"][at] = mask.offsets[first] + sign * mask.offsets[second]
        queries[at], freedom[at] = n, n - lost
        if n > lost and scale > 0:
            columns["error"][at] = np.sqrt((residuals**2).sum(axis=1) / (n - lost) / scale)
        largest = np.abs(residuals).max(axis=1, initial=0.0)
        flat[at] = largest <= EQUAL * np.maximum(np.abs(columns["value"][at]), 1)
        columns["skewness"][at] = np.where(
            flat[at], 0.0, _skewness(residuals if mask.x is None else residuals * mask.x)
        )
    return Contrasts(freedom=freedom, queries=queries, flat=flat, **columns)


def _skewness(rows: Array) -> Array:
    """Return the skewness of rows whose means are 0, (C, n) to (C,); 0 where all is 0."""
    spread = np.sqrt((rows * rows).mean(axis=1, keepdims=True))
    standard = rows / np.where(spread > 0, spread, 1.0)
    return (standard * standard * standard).mean(axis=1)


def drawn_shares(estimates: Estimates, pairs: Sequence[Pair], signs: Array) -> Iterator[tuple[int, Array]]:
    """Yield the place of each contrast and the share of its sum of squares that is explained under random signs of each
    query's centred values (wild bootstrap), (B,); flat and undefined contrasts are left out.

    signs: (B, Q). The sum of squares does not change with signs, so each draw takes one product for each distinct mask
    of queries, and the share gives |t| (`t_squared`). The array is overwritten by the next one.
    """
    explained = np.empty(len(signs))
    for mask in _masks(estimates, pairs):
        n = int(mask.defined.sum())
        if n <= (1 if mask.x is None else 2):
            continue
        first, second, sign = _rows(pairs, mask)
        residuals = mask.residuals[first] + sign[:, None] * mask.residuals[second]
        squares = (residuals**2).sum(axis=1)
        values = mask.offsets[first] + sign * mask.offsets[second]
        kept = np.flatnonzero(np.abs(residuals).max(axis=1) > EQUAL * np.maximum(np.abs(values), 1))
        if not len(kept):
            continue
        sums = signed_sums(signs, _spread(mask.residuals, mask.defined))
        slopes = None if mask.x is None else signed_sums(signs, _spread(mask.residuals * mask.x, mask.defined))
        for place in kept:
            a, b, joined = first[place], second[place], np.add if sign[place] > 0 else np.subtract
            joined(sums[a], sums[b], out=explained)
            np.multiply(explained, explained, out=explained)
            if slopes is None or mask.x is None:
                np.multiply(explained, 1 / (n * squares[place]), out=explained)
            else:
                rest = np.maximum(squares[place] - explained / n, SLACK * squares[place])
                np.divide(joined(slopes[a], slopes[b]) ** 2 / float(mask.x @ mask.x), rest, out=explained)
            yield int(mask.members[place]), explained


def t_squared(shares: Array, freedom: Array | float) -> Array:
    """Return |t|² of estimates that explain these shares of their sums of squares: f·s / (1 − s)."""
    return freedom * shares / np.maximum(1 - shares, SLACK)


def share_of(squared: Array, freedom: Array) -> Array:
    """Return the share that gives |t|², the inverse of `t_squared`; NaN stays NaN."""
    with np.errstate(invalid="ignore"):
        return squared / (freedom + squared)


def differences(estimates: Estimates, pairs: Sequence[Pair]) -> Array:
    """Return what each query contributes to a contrast of means, (C, Q): its mean over queries is the contrast.

    NaN where either system has no value.
    """
    out = np.full((len(pairs), estimates.values.shape[1]), np.nan)
    for mask in _masks(estimates, pairs):
        first, second, sign = _rows(pairs, mask)
        points = mask.residuals + mask.offsets[:, None]
        out[np.ix_(mask.members, np.flatnonzero(mask.defined))] = points[first] + sign[:, None] * points[second]
    return out


def _spread(values: Array, defined: Array) -> Array:
    """Return values (S, n) of the defined queries in their places, (S, Q), 0 elsewhere."""
    if defined.all():
        return values
    out = np.zeros((len(values), len(defined)))
    out[:, defined] = values
    return out


def _rows(pairs: Sequence[Pair], mask: _Mask) -> tuple[Array, Array, Array]:
    """Return the rows of both systems within the mask, and the sign, of each of its contrasts."""
    row = {int(system): place for place, system in enumerate(mask.systems)}
    held = [pairs[place] for place in mask.members]
    return (
        np.array([row[pair.first] for pair in held]),
        np.array([row[pair.second] for pair in held]),
        np.array([pair.sign for pair in held], dtype=np.float64),
    )


def _masks(estimates: Estimates, pairs: Sequence[Pair]) -> Iterator[_Mask]:
    """Yield the contrasts by the queries that both of their systems have."""
    defined = ~np.isnan(estimates.values)
    if estimates.x is not None:
        defined &= ~np.isnan(estimates.x)
    groups: dict[bytes, list[int]] = {}
    for place, pair in enumerate(pairs):
        groups.setdefault((defined[pair.first] & defined[pair.second]).tobytes(), []).append(place)
    for key, members in groups.items():
        both = np.frombuffer(key, dtype=bool)
        if both.any():
            systems = np.array(sorted({system for place in members for system in pairs[place][:2]}))
            yield _mask(estimates, np.array(members), both, systems)


def _mask(estimates: Estimates, members: Array, both: Array, systems: Array) -> _Mask:
    values = estimates.values[np.ix_(systems, np.flatnonzero(both))]
    means = values.mean(axis=1)
    residuals = values - means[:, None]
    if estimates.x is not None:
        return _line(members, both, systems, residuals, estimates.x[both])
    if estimates.logarithm:
        with np.errstate(divide="ignore", invalid="ignore"):
            residuals = np.where(means[:, None] > 0, residuals / means[:, None], np.nan)
            means = np.where(means > 0, np.log(means), np.nan)
    return _Mask(members, both, systems, means, residuals, None)


def _line(members: Array, both: Array, systems: Array, centred: Array, x: Array) -> _Mask:
    """Return the least-squares slopes on x, and what is left of each query."""
    x = x - x.mean()
    squares = float(x @ x)
    if squares <= EQUAL * max(len(x), 1):
        undefined = np.full(len(systems), np.nan)
        return _Mask(members, both, systems, undefined, np.full(centred.shape, np.nan), x)
    slopes = centred @ x / squares
    return _Mask(members, both, systems, slopes, centred - slopes[:, None] * x, x)
