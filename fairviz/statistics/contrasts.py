"""Differences and sums of two systems over the queries that both have a value for.

An estimate is a mean over queries, or the slope of a line over queries (GSR). Axis letters: S systems, Q queries,
C contrasts, U units, B draws of signs.

Units are what is drawn: queries, or clusters of them. With G clusters of n queries, a cluster's value is the mean plus
G / n times the sum of its queries' deviations from it: the mean of these values is that of the queries, and the error
of Student's t over them is the cluster-robust one (Liang and Zeger 1986, with G / (G − 1)), with G − 1 degrees of
freedom. Random signs of clusters are the wild cluster bootstrap (Cameron, Gelbach and Miller 2008).

Distances from a fairest value are folded: a measure that is fairest at 0 orders systems by |a|, one that is fairest at
1 by |ln a|. With u = a − b and v = a + b, |a| − |b| = sign(uv)·min(|u|, |v|). It is 0 where either is 0, so a test
rejects both, and the larger p counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

Array = np.ndarray
EQUAL = 1e-12  # values this close are equal up to rounding
SLACK = 1e-9  # relative; a draw this close to the observed statistic counts as reaching it
ROWS = 64  # systems whose draws are made together


def is_equal(values: Array | float, others: Array | float = 0.0) -> Array:
    """Return whether computed values are equal up to rounding; False for NaN. The one tolerance of every count of ties,
    zeros and ones."""
    with np.errstate(invalid="ignore"):  # two infinite values
        return (np.abs(np.subtract(values, others)) <= EQUAL) | (np.asarray(values) == others)


def sign_of(values: Array | float) -> Array:
    """Return -1, 0 or 1 of computed values, 0 for what is zero up to rounding; NaN for NaN."""
    return np.where(is_equal(values), 0.0, np.sign(values))


class Mixture(NamedTuple):
    """Values of many systems as sums of a few parts: weights (S, K) times parts (K, Q)."""

    weights: Array
    parts: Array


@dataclass(frozen=True, eq=False)
class Estimates:
    """One measure's values by system and query.

    values: (S, Q), NaN where undefined. x: (Q,) the abscissa of a slope; None where the estimate is a mean. logarithm:
    whether the estimate is the logarithm of the mean, to first order in each query. mixture: of values whose means are
    compared, where parts that are fewer than the systems make them: draws are then made of the parts. clusters: the
    number of each query's cluster, (Q,) from 0; None where queries are the units.
    """

    values: Array
    x: Array | None = None
    logarithm: bool = False
    mixture: Mixture | None = None
    clusters: Array | None = None

    @property
    def units(self) -> int:
        """The number of units."""
        return self.values.shape[1] if self.clusters is None else 1 + int(self.clusters.max(initial=-1))


class Pair(NamedTuple):
    """One contrast: the estimate of `first` minus that of `second`, or their sum where `sign` is 1."""

    first: int
    second: int
    sign: int = -1


@dataclass(frozen=True, eq=False)
class Contrasts:
    """The statistics of each contrast that a test needs, (C,) each; NaN where undefined.

    value: the contrast. error: its standard error. freedom: degrees of freedom. queries: the number that both systems
    have, in so many units. first, second: the two estimates over these queries. flat: whether all units contribute the
    same, so that there is no standard error. skewness: of what each unit contributes, 0 where flat. spread: √queries
    times the standard error of single queries, which is the standard deviation of differences.
    """

    value: Array
    error: Array
    freedom: Array
    queries: Array
    first: Array
    second: Array
    flat: Array
    skewness: Array
    units: Array
    spread: Array

    @property
    def known(self) -> Array:
        """True where there is something to test, (C,): a value, and a query beyond those that it takes."""
        return ~np.isnan(self.value) & (self.freedom >= 1)

    @property
    def t(self) -> Array:
        """|t| of each contrast, (C,); NaN where flat or undefined."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.flat, np.nan, np.abs(self.value) / self.error)


@dataclass(frozen=True, eq=False)
class Mask:
    """The contrasts that rest on the same queries, (C,) of them.

    members: their places; first, second: their systems' rows, and sign. defined: (U,) these units; offsets: the
    systems' estimates (S,); residuals: what is left of each unit (S, n); x: the centred abscissa of a slope (n,), None
    where units are clusters. value: the contrast. Of what is left of each unit of a contrast, squares: the sum of
    squares; flat: whether all is 0; skewness. mixture: of these systems, (S, K) and (K, Q). queries: their number;
    spread: as of `Contrasts`.
    """

    members: Array
    first: Array
    second: Array
    sign: Array
    defined: Array
    offsets: Array
    residuals: Array
    x: Array | None
    value: Array
    squares: Array
    flat: Array
    skewness: Array
    mixture: Mixture | None
    queries: int
    spread: Array

    def points(self, rows: Array) -> Array:
        """Return what each unit contributes to some contrasts of the mask, less the mean, (rows, n)."""
        apart = self.residuals[self.first[rows]] + self.sign[rows, None] * self.residuals[self.second[rows]]
        return apart if self.x is None else apart * self.x


def clustered(values: Array, clusters: Array | None) -> Array:
    """Return each system's values by unit, (S, Q) to (S, U), with the mean of its queries; NaN without a query.

    >>> clustered(np.array([[1.0, 3.0, 8.0]]), np.array([0, 0, 1])).tolist()  # 4 + 2 / 3 · (-3 - 1), and + 2 / 3 · 4
    [[1.3333333333333335, 6.666666666666666]]
    """
    if clusters is None:
        return values
    members = (clusters[:, None] == np.arange(1 + int(clusters.max(initial=-1)))).astype(np.float64)  # (Q, U)
    is_defined = ~np.isnan(values)
    count = is_defined.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(is_defined, values, 0.0).sum(axis=1, keepdims=True) / count
        sums = np.where(is_defined, values - mean, 0.0) @ members
        present = is_defined @ members > 0
        return np.where(present, mean + present.sum(axis=1, keepdims=True) / count * sums, np.nan)


def contrasts(estimates: Estimates, pairs: Sequence[Pair] | Array) -> Contrasts:
    """Return value, error and degrees of freedom of each contrast, by Student's t or the least-squares line."""
    return contrasts_of(masks_of(estimates, pairs), len(pairs))


def contrasts_of(masks: Sequence[Mask], count: int) -> Contrasts:
    """Return the contrasts of these masks, `count` of them."""
    columns = {name: np.full(count, np.nan) for name in ("value", "error", "first", "second", "skewness", "spread")}
    queries, units = np.zeros((2, count), dtype=np.int64)
    freedom, flat = np.zeros(count), np.zeros(count, dtype=bool)
    for mask in masks:
        n = mask.residuals.shape[1]
        lost = 1 if mask.x is None else 2
        scale = n if mask.x is None else float(mask.x @ mask.x)
        at = mask.members
        columns["first"][at], columns["second"][at] = mask.offsets[mask.first], mask.offsets[mask.second]
        columns["value"][at], columns["skewness"][at], flat[at] = mask.value, mask.skewness, mask.flat
        queries[at], units[at], freedom[at], columns["spread"][at] = mask.queries, n, n - lost, mask.spread
        if n > lost and scale > 0:
            columns["error"][at] = np.sqrt(mask.squares / (n - lost) / scale)
    return Contrasts(freedom=freedom, queries=queries, units=units, flat=flat, **columns)


def differences(estimates: Estimates, pairs: Sequence[Pair] | Array) -> Array:
    """Return what each unit contributes to a contrast of means, (C, U): its mean over units is the contrast.

    NaN where either system has no value.
    """
    out = np.full((len(pairs), estimates.units), np.nan)
    for mask in masks_of(estimates, pairs):
        points = mask.residuals + mask.offsets[:, None]
        apart = points[mask.first] + mask.sign[:, None] * points[mask.second]
        out[np.ix_(mask.members, np.flatnonzero(mask.defined))] = apart
    return out


def least_without_one(points: Array) -> Array:
    """Return a |t| that a contrast of means has at least without any one query, (C,). points: as of `without_each`."""
    n = (~np.isnan(points)).sum(axis=1)
    mean = np.nanmean(points, axis=1)
    apart = points - mean[:, None]
    towards = np.nanmax(apart * np.sign(mean)[:, None], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return (np.abs(mean) - towards / (n - 1)) / np.sqrt(np.nansum(apart**2, axis=1) / (n - 2) / (n - 1))


def without_each(points: Array) -> Contrasts:
    """Return contrasts of means with each query left out in turn, (C · Q,): those of one contrast side by side, NaN
    where it lacks the query. points: what each query contributes, (C, Q), as of `differences`.

    >>> without_each(np.array([[1.0, 2.0, 6.0]])).value.tolist()
    [4.0, 3.5, 1.5]
    """
    n = (~np.isnan(points)).sum(axis=1, keepdims=True)
    left, mean = n - 1, np.nanmean(points, axis=1, keepdims=True)
    apart = points - mean
    squares, cubes = (np.nansum(apart**power, axis=1, keepdims=True) for power in (2, 3))
    shift = -apart / left  # of the mean
    rest = squares - apart**2 - left * shift**2
    third = cubes - apart**3 - 3 * shift * (squares - apart**2) - 3 * shift**2 * apart - left * shift**3
    value = mean + shift
    is_flat = rest <= left * (EQUAL * np.maximum(np.abs(value), 1)) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness = np.where(is_flat, 0.0, third / left / (rest / left) ** 1.5)
        error = np.sqrt(np.maximum(rest, 0.0) / (left - 1) / left)
    counts, unknown = np.broadcast_to(left, points.shape).ravel(), np.full(points.size, np.nan)
    return Contrasts(
        value.ravel(), error.ravel(), counts - 1.0, counts, unknown, unknown, is_flat.ravel(), skewness.ravel(),
        counts, unknown,
    )  # fmt: skip


def masks_of(estimates: Estimates, pairs: Sequence[Pair] | Array, parts: Array | None = None) -> list[Mask]:
    """Return the contrasts by the queries that both of their systems have.

    pairs: or (C, 3), a row for each Pair. parts: contrasts with different numbers (C,) are kept apart.
    """
    defined = ~np.isnan(estimates.values)
    if estimates.x is not None:
        defined &= ~np.isnan(estimates.x)
    table = np.array(pairs, dtype=np.int64).reshape(-1, 3)
    part = np.zeros(len(table), dtype=np.int64) if parts is None else parts
    if defined.all():
        every = np.ones(defined.shape[1], dtype=bool).tobytes()
        groups = {(number, every): np.flatnonzero(part == number) for number in np.unique(part).tolist()}
    else:
        places_by_mask: dict[tuple[int, bytes], list[int]] = {}
        for place, has_both in enumerate(defined[table[:, 0]] & defined[table[:, 1]]):
            places_by_mask.setdefault((int(part[place]), has_both.tobytes()), []).append(place)
        groups = {key: np.array(members) for key, members in places_by_mask.items()}
    masks = []
    for (_, key), members in groups.items():
        both = np.frombuffer(key, dtype=bool)
        if not len(members) or not both.any():
            continue
        systems = np.unique(table[members, :2])
        first, second = np.searchsorted(systems, table[members, :2].T)
        sign = table[members, 2].astype(np.float64)

        # The systems' estimates over these queries, and what is left of each query.
        values = estimates.values[np.ix_(systems, np.flatnonzero(both))]
        offsets, x = values.mean(axis=1), None
        residuals = values - offsets[:, None]
        if estimates.x is not None:  # least-squares slopes on x
            x = estimates.x[both] - estimates.x[both].mean()
            squares_of_x = float(x @ x)
            if squares_of_x <= EQUAL * max(len(x), 1):
                offsets, residuals = np.full(len(values), np.nan), np.full(values.shape, np.nan)
            else:
                offsets = residuals @ x / squares_of_x
                residuals = residuals - offsets[:, None] * x
        elif estimates.logarithm:
            with np.errstate(divide="ignore", invalid="ignore"):
                residuals = np.where(offsets[:, None] > 0, residuals / offsets[:, None], np.nan)
                offsets = np.where(offsets > 0, np.log(offsets), np.nan)

        value = offsets[first] + sign * offsets[second]
        apart = residuals[first] + sign[:, None] * residuals[second]
        count, lost = apart.shape[1], 1 if x is None else 2
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = 1.0 if x is None else count / (x @ x)
            spread = np.sqrt((apart * apart).sum(axis=1) / np.float64(count - lost) * scale)

        if estimates.clusters is not None:
            if x is not None:  # what each query adds to a slope
                with np.errstate(divide="ignore", invalid="ignore"):
                    residuals, x = residuals * x * count / (x @ x), None
            codes, at = np.unique(estimates.clusters[both], return_inverse=True)
            residuals = residuals @ (at[:, None] == np.arange(len(codes))) * (len(codes) / count)
            apart = residuals[first] + sign[:, None] * residuals[second]
            both = np.isin(np.arange(estimates.units), codes)
        flat = np.abs(apart).max(axis=1, initial=0.0) <= EQUAL * np.maximum(np.abs(value), 1)
        squares = (apart * apart).sum(axis=1)
        points = apart if x is None else apart * x  # their means are 0
        deviation = np.sqrt((points * points).mean(axis=1, keepdims=True))
        standard = points / np.where(deviation > 0, deviation, 1.0)
        skewness = np.where(flat, 0.0, (standard * standard * standard).mean(axis=1))
        is_mixed = estimates.mixture is not None and estimates.clusters is None
        mixed = estimates.mixture and Mixture(estimates.mixture.weights[systems], estimates.mixture.parts)
        masks.append(
            Mask(members, first, second, sign, both, offsets, residuals, x, value, squares, flat, skewness,
                 mixed if is_mixed else None, count, spread)
        )  # fmt: skip
    return masks


def folded(u: Array, v: Array) -> Array:
    """Return |a| − |b|, of any shape.

    >>> float(folded(np.array(0.1 - -0.1), np.array(0.1 + -0.1)))  # equally far from 0
    0.0
    >>> float(folded(np.array(3.0 - 1.0), np.array(3.0 + 1.0)))
    2.0
    """
    return np.sign(u) * np.sign(v) * np.minimum(np.abs(u), np.abs(v))


def folded_interval(u: tuple[Array, Array], v: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the range of |a| − |b| for u and v within their intervals, (P,) each.

    In each quadrant the difference is monotone in u and in v, so its ends are at corners of the rectangle. Where an
    axis cuts the rectangle, corners lie on either side of 0.
    """
    corners = np.stack([folded(x, y) for x in u for y in v])
    return corners.min(axis=0), corners.max(axis=0)


@dataclass(frozen=True, eq=False)
class Block:
    """One measure's pairs of systems.

    pairs: places of two systems each, or (P, 2). folded: whether the measure is fairest at 0 (or its logarithm is), so
    that distances are compared: the contrasts are then all differences, and after them all sums. families: the number
    of each pair's family, (P,); None where all are in the first.
    """

    estimates: Estimates
    pairs: Sequence[tuple[int, int]] | Array
    folded: bool = False
    families: Array | None = None

    @property
    def rows(self) -> Array:
        """The contrasts, (C, 3): the places of two systems and the sign of the second."""
        pairs = np.array(self.pairs, dtype=np.int64).reshape(-1, 2)
        out = np.full((1 + self.folded, len(pairs), 3), -1)
        out[:, :, :2] = pairs
        out[1:, :, 2] = 1
        return out.reshape(-1, 3)

    @property
    def family_of_pairs(self) -> Array:
        """The number of each pair's family, (P,)."""
        return np.zeros(len(self.pairs), dtype=np.int64) if self.families is None else self.families

    @property
    def family_of_contrasts(self) -> Array:
        """The number of each contrast's family, (C,)."""
        return np.tile(self.family_of_pairs, 1 + self.folded)

    def masks(self) -> list[Mask]:
        """Return the contrasts by the queries that they rest on, of a few families at a time."""
        families = self.family_of_contrasts
        together = max(ROWS * (1 + int(families.max(initial=0))) // max(len(self.estimates.values), 1), 1)
        return masks_of(self.estimates, self.rows, families // together)

    def contrasts(self) -> Contrasts:
        """Return what a test needs of each contrast, (C,)."""
        return contrasts_of(self.masks(), len(self.family_of_contrasts))
