"""Random signs and resamples of queries, statistics under them, and the reference distributions of a family: p of a
distance, and widths of intervals.

The draws are those of the wild bootstrap, in which queries get random signs, and of randomised Tukey HSD (Carterette
2012), in which systems exchange their values within each query. Axis letters: S systems, Q queries, K parts of a
mixture, C contrasts, B draws, D draws of a block.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

import numpy as np

from fairviz.declared import COMPARE
from fairviz.statistics.contrasts import SLACK, Contrasts, Mask

Array = np.ndarray
DRAWS, MOST_DRAWS = COMPARE["draws"].default, int(COMPARE["draws"].high)
BLOCK = 2_000_000  # signs that are floats at a time; a table of no more is one of floats
FOR_EACH = 100  # draws at least for each contrast of a family
MOST_ROWS = 5_000  # draws at a time, so that what is computed of each stays in the processor's cache
TOGETHER = 32  # contrasts whose draws are made together
LEAST = (0.1, 5.0)  # standard deviation of n resampled queries, as a share of that observed: the first, or second / n
STEPS = 50  # of Newton's method at most; three to six are taken
SMALL = 15.0  # queries: skewness² counts 1 + SMALL / n times, as that of few queries is underestimated
FEW = 6  # contrasts of a small family at most, as of four systems
SMALL_FAMILY = 1.5  # queries: |t| in a small family is divided by 1 + SMALL_FAMILY / n


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
    prepared = []
    for mask in masks:
        if groups := _groups(mask, families):
            # What is signed, (S, Q): what is left of each query, and for a slope its product with x; of a mixture what
            # is left of its parts, (K, Q).
            if mask.mixture is not None:
                parts = np.nan_to_num(mask.mixture.parts[:, mask.defined])
                tables = [parts - parts.mean(axis=1, keepdims=True)]
            else:
                tables = [mask.residuals] if mask.x is None else [mask.residuals, mask.residuals * mask.x]
            prepared.append((mask, [_spread(values, mask.defined) for values in tables], groups))

    for draws, block in blocks(signs):
        sums_of_parts: dict[bytes, Array] = {}  # by the queries
        for mask, signed, groups in prepared:
            if mask.mixture is None:
                sums = [values @ block.T for values in signed]
            else:
                key = mask.defined.tobytes()
                if key not in sums_of_parts:
                    sums_of_parts[key] = signed[0] @ block.T
                sums = [mask.mixture.weights @ sums_of_parts[key]]
            n = mask.residuals.shape[1]
            for group in groups:
                squares = mask.squares[group.members][:, None]
                if mask.x is None:
                    roots = (group.signs / np.sqrt(n * squares)) @ sums[0][group.systems]
                    roots = np.abs(roots, out=roots)
                else:
                    means, slopes = (group.signs @ table[group.systems] for table in sums)
                    rest = np.maximum(squares - means * means / n, SLACK * squares)
                    roots = np.abs(slopes) / np.sqrt(rest * float(mask.x @ mask.x))
                yield group.places, draws, roots


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


class Reference(Protocol):
    """The distribution from which a family's p and intervals are taken; since both use it, they agree."""

    def widths(self, contrasts: Contrasts, alpha: float) -> tuple[Array, Array]:
        """Return how far each contrast's interval at 1 − alpha reaches below and above it, (C,) each."""

    def p_at(self, contrasts: Contrasts, distance: Array) -> Array:
        """Return the p, in the family, of contrasts that are this far above a value, or below where negative, (C,)."""

    def level_per_test(self, contrasts: Contrasts, alpha: float) -> Array:
        """Return the two-sided level of Student's t at which each contrast is tested at alpha, (C,)."""

    def at(self, places: Array) -> "Reference":
        """Return the distribution of the contrasts at these places, (N,), in their order; a place may recur."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """maxT. ordered: of each of F families the largest |t|² of each draw, (B,) ascending. families: the number of each
    contrast's family, (C,); None where there is one. typical: the median of skewness² in each contrast's family, (C,),
    or 0. resampled: by the place of each contrast in a family of at most FEW, its t in draws of queries with
    replacement, (B,), ascending.

    Random signs are symmetric and do not follow skewed differences, so an observed |t| is compared with them after
    `narrowed`, and intervals are `widened` by the same amount. A contrast alone, or among few, has no others that show
    how skewed it is: |t| is divided by 1 + SMALL_FAMILY / n, and the larger of two p counts, of signs in the family and
    of its own resampled queries with equal tails, with the union of both intervals.
    """

    ordered: Sequence[Array]
    families: Array | None = None
    typical: Array | float = 0.0
    resampled: Mapping[int, Array] = field(default_factory=dict)

    def critical(self, alpha: float) -> Array:
        """Return the c for which p ≤ alpha where |t| > c, (C,), or (1,) without `families`; infinite where
        there are too few draws for this alpha."""
        return _upper(self.ordered, alpha, self.families) ** 0.5

    def widths(self, contrasts: Contrasts, alpha: float) -> tuple[Array, Array]:
        scale = self._divisor(contrasts) * contrasts.error
        with np.errstate(invalid="ignore"):
            half = widened(self.critical(alpha), bend(contrasts, self.typical)) * scale
        below, above = half, half.copy()
        for place, drawn in self.resampled.items():
            tail = (int(alpha * (len(drawn) + 1) * (1 + SLACK)) - 1) // 2  # the largest K with (1 + 2K) / (1 + B) ≤ α
            low, high = (drawn[tail - 1], drawn[-tail]) if tail > 0 else (-np.inf, np.inf)
            below[place] = np.maximum(below[place], scale[place] * high)
            above[place] = np.maximum(above[place], scale[place] * -low)
        return below, above

    def p_at(self, contrasts: Contrasts, distance: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(contrasts.flat, np.nan, distance / contrasts.error) / self._divisor(contrasts)
        p = reaching(self.ordered, narrowed(np.abs(t), bend(contrasts, self.typical)) ** 2, self.families)
        for place, drawn in self.resampled.items():
            least = t[place] * (1 - SLACK)
            beyond = 1 + int(np.count_nonzero(drawn >= least if least > 0 else drawn <= least))
            tails = (1 + min(2 * beyond, len(drawn))) / (1 + len(drawn))  # the tail on its own side counts twice
            p[place] = np.maximum(p[place], tails)  # NaN stays NaN
        return p

    def level_per_test(self, contrasts: Contrasts, alpha: float) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return _tails(np.maximum(*self.widths(contrasts, alpha)) / contrasts.error, contrasts.freedom)

    def at(self, places: Array) -> "Drawn":
        resampled = {row: self.resampled[place] for row, place in enumerate(places.tolist()) if place in self.resampled}
        typical = self.typical if isinstance(self.typical, float) else self.typical[places]
        return Drawn(self.ordered, _of(self.families, places), typical, resampled)

    def _divisor(self, contrasts: Contrasts) -> Array:
        divisor, places = np.ones(len(contrasts.value)), list(self.resampled)
        divisor[places] += SMALL_FAMILY / contrasts.units[places]
        return divisor


@dataclass(frozen=True, eq=False)
class Ranges:
    """Randomised Tukey HSD. ordered: of each of F families the largest difference of two systems in each draw, (B,)
    ascending. families: as those of `Drawn`."""

    ordered: Sequence[Array]
    families: Array | None = None

    def widths(self, contrasts: Contrasts, alpha: float) -> tuple[Array, Array]:
        half = np.where(contrasts.known, _upper(self.ordered, alpha, self.families), np.nan)
        return half, half

    def p_at(self, contrasts: Contrasts, distance: Array) -> Array:
        return reaching(self.ordered, np.where(contrasts.known, np.abs(distance), np.nan), self.families)

    def level_per_test(self, contrasts: Contrasts, alpha: float) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return _tails(_upper(self.ordered, alpha, self.families) / contrasts.error, contrasts.freedom)

    def at(self, places: Array) -> "Ranges":
        return Ranges(self.ordered, _of(self.families, places))


def _of(families: Array | None, places: Array) -> Array | None:
    return None if families is None else families[places]


@dataclass(frozen=True, eq=False)
class Student:
    """Student's t with n − 1 degrees of freedom (n − 2 for slopes).

    tests: how many p and intervals are corrected for by Bonferroni, 1 for none. strictest: how many the smallest p of
    a stepwise method is corrected for. One number each, or (C,).
    """

    tests: int | Array
    strictest: int | Array = 1

    def widths(self, contrasts: Contrasts, alpha: float) -> tuple[Array, Array]:
        from scipy.special import stdtrit

        critical = stdtrit(np.maximum(contrasts.freedom, 1), 1 - alpha / (2 * np.maximum(self.tests, 1)))
        half = critical * contrasts.error
        return half, half

    def p_at(self, contrasts: Contrasts, distance: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(contrasts.flat, np.nan, distance / contrasts.error)
        return np.minimum(np.maximum(self.tests, 1) * _tails(t, contrasts.freedom), 1.0)

    def level_per_test(self, contrasts: Contrasts, alpha: float) -> Array:
        return np.full(len(contrasts.value), alpha / np.maximum(self.strictest, 1))

    def at(self, places: Array) -> "Student":
        tests, strictest = (size if isinstance(size, int) else size[places] for size in (self.tests, self.strictest))
        return Student(tests, strictest)


def bend(contrasts: Contrasts, typical: Array | float = 0.0) -> Array:
    """Return how much skewness widens critical values, (C,): G / 18n, for `widened` and `narrowed`.

    G is 1 + SMALL / n times the larger of a contrast's own squared skewness and the typical one of its family, as the
    longest tail of one contrast may be missing from its n queries.
    """
    n = np.maximum(contrasts.units, 1)
    return (1 + SMALL / n) * np.maximum(np.nan_to_num(contrasts.skewness) ** 2, typical) / (18 * n)


def widened(critical: float | Array, bend: Array) -> Array:
    """Return the critical |t| of each contrast, (C,), given that of contrasts without skewness: one, or (C,).

    c · (1 + G·(c⁴ + 2c² − 3) / 18n), and c itself up to 1: the term of the squared skewness in the Edgeworth expansion
    of |t| (Hall, The bootstrap and Edgeworth expansion, 1992, section 2.6).
    """
    finite = np.where(np.isfinite(critical), critical, 0.0)
    wide = finite * (1 + bend * np.maximum(finite**4 + 2 * finite**2 - 3, 0.0))
    return np.where(np.isfinite(critical), wide, critical)


def narrowed(t: Array, bend: Array) -> Array:
    """Return the |t| without skewness that `widened` makes into t, (C,) to (C,): its inverse, by Newton's steps from
    above, where the function is convex."""
    with np.errstate(divide="ignore", invalid="ignore"):
        term = np.where(t > 1, bend, 0.0)
        out = np.fmin(t, (t / term) ** 0.2)
    for _ in range(STEPS):
        square = out * out
        bent = 1 + term * (square * square + 2 * square - 3)
        step = (out * bent - t) / (bent + 4 * term * square * (square + 1))
        out = out - step
        if not (np.abs(step) > 1e-14 * out).any():
            break
    return out


def within(p: Array, alpha: float | Array) -> Array:
    """Return whether each p is at most alpha, up to rounding."""
    return p <= alpha * (1 + SLACK)


def _upper(ordered: Sequence[Array], alpha: float, families: Array | None) -> Array:
    """Return the draw above which p ≤ alpha, of each contrast's family (C,), or of the only one (1,)."""
    counts = [int(alpha * (len(row) + 1) * (1 + SLACK)) for row in ordered]
    rows = zip(ordered, counts, strict=True)
    of_families = np.array([row[-count] if 0 < count <= len(row) else np.inf for row, count in rows])
    return of_families if families is None else of_families[families]


def reaching(ordered: Sequence[Array], values: Array, families: Array | None = None) -> Array:
    """Return (1 + draws of its family that reach a value) / (1 + draws), (C,); NaN where the value is."""
    least, shares = np.nan_to_num(values) * (1 - SLACK), np.full(len(values), np.nan)
    for family, row in enumerate(ordered):
        of = slice(None) if families is None else np.flatnonzero(families == family)
        shares[of] = (1 + len(row) - np.searchsorted(row, least[of], side="left")) / (1 + len(row))
    return np.where(np.isnan(values), np.nan, shares)


def _tails(t: Array, freedom: Array) -> Array:
    from scipy.special import stdtr

    return 2 * stdtr(np.maximum(freedom, 1), -np.abs(t))
