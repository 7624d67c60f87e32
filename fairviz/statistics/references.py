"""Reference distributions of the statistics of a family: p of a distance, and widths of intervals.

Axis letters: C contrasts, B draws.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from fairviz.statistics.contrasts import SLACK, Contrasts

Array = np.ndarray
STEPS = 50  # of Newton's method at most; three to six are taken
SMALL = 15.0  # queries: skewness² counts 1 + SMALL / n times, as that of few queries is underestimated
FEW = 6  # contrasts of a small family at most, as of four systems
SMALL_FAMILY = 1.5  # queries: |t| in a small family is divided by 1 + SMALL_FAMILY / n


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
        divisor[places] += SMALL_FAMILY / contrasts.queries[places]
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
    n = np.maximum(contrasts.queries, 1)
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


def within(p: Array, alpha: float) -> Array:
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
