"""Reference distributions of the statistics of a family: p of a distance, and widths of intervals.

Axis letters: C contrasts, B draws.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fairviz.statistics.contrasts import SLACK, Contrasts

Array = np.ndarray
STEPS = 50  # of Newton's method at most; three to six are taken


class Reference(Protocol):
    """The distribution from which a family's p and intervals are taken; since both use it, they agree."""

    def half_width(self, contrasts: Contrasts, alpha: float) -> Array:
        """Return the half width of each contrast's interval at 1 − alpha, (C,)."""

    def p_at(self, contrasts: Contrasts, distance: Array) -> Array:
        """Return the p, in the family, of contrasts at this distance from a value, (C,)."""

    def level_per_test(self, contrasts: Contrasts, alpha: float) -> Array:
        """Return the two-sided level of Student's t at which each contrast is tested at alpha, (C,)."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """maxT. ordered: (F, B) of each family the largest |t|² of each draw, ascending. families: the number of each
    contrast's family, (C,); None where there is one.

    Random signs are symmetric and do not follow skewed differences, so an observed |t| is compared with them after
    `narrowed`, and intervals are `widened` by the same amount.
    """

    ordered: Array
    families: Array | None = None

    def critical(self, alpha: float) -> Array:
        """Return the c for which p ≤ alpha where |t| > c, (C,), or (1,) without `families`; infinite where
        there are too few draws for this alpha."""
        return _upper(self.ordered, alpha, self.families) ** 0.5

    def half_width(self, contrasts: Contrasts, alpha: float) -> Array:
        with np.errstate(invalid="ignore"):
            return widened(self.critical(alpha), contrasts) * contrasts.error

    def p_at(self, contrasts: Contrasts, distance: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(contrasts.flat, np.nan, distance / contrasts.error)
        return reaching(self.ordered, narrowed(np.where(t > 0, t, 0 * t), contrasts) ** 2, self.families)

    def level_per_test(self, contrasts: Contrasts, alpha: float) -> Array:
        return _tails(widened(self.critical(alpha), contrasts), contrasts.freedom)


@dataclass(frozen=True, eq=False)
class Ranges:
    """Randomised Tukey HSD. ordered: (F, B) the largest difference of two systems in each draw, ascending. families: as
    those of `Drawn`."""

    ordered: Array
    families: Array | None = None

    def half_width(self, contrasts: Contrasts, alpha: float) -> Array:
        return np.where(contrasts.known, _upper(self.ordered, alpha, self.families), np.nan)

    def p_at(self, contrasts: Contrasts, distance: Array) -> Array:
        return reaching(self.ordered, np.where(contrasts.known, np.maximum(distance, 0), np.nan), self.families)

    def level_per_test(self, contrasts: Contrasts, alpha: float) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            return _tails(_upper(self.ordered, alpha, self.families) / contrasts.error, contrasts.freedom)


@dataclass(frozen=True, eq=False)
class Student:
    """Student's t with n − 1 degrees of freedom (n − 2 for slopes).

    tests: how many p and intervals are corrected for by Bonferroni, 1 for none. strictest: how many the smallest p of
    a stepwise method is corrected for. One number each, or (C,).
    """

    tests: int | Array
    strictest: int | Array = 1

    def half_width(self, contrasts: Contrasts, alpha: float) -> Array:
        from scipy.special import stdtrit

        return stdtrit(np.maximum(contrasts.freedom, 1), 1 - alpha / (2 * np.maximum(self.tests, 1))) * contrasts.error

    def p_at(self, contrasts: Contrasts, distance: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(contrasts.flat, np.nan, distance / contrasts.error)
        return np.minimum(np.maximum(self.tests, 1) * _tails(t, contrasts.freedom), 1.0)

    def level_per_test(self, contrasts: Contrasts, alpha: float) -> Array:
        return np.full(len(contrasts.value), alpha / np.maximum(self.strictest, 1))


def widened(critical: float | Array, contrasts: Contrasts) -> Array:
    """Return the critical |t| of each contrast, (C,), given that of contrasts without skewness: one, or (C,).

    c · (1 + g²·(c⁴ + 2c² − 3) / 18n) with g the skewness of n queries, and c itself up to 1: the term of g² in the
    Edgeworth expansion of |t| (Hall, The bootstrap and Edgeworth expansion, 1992, section 2.6).
    """
    finite = np.where(np.isfinite(critical), critical, 0.0)
    wide = finite * (1 + _skew_term(contrasts) * np.maximum(finite**4 + 2 * finite**2 - 3, 0.0))
    return np.where(np.isfinite(critical), wide, critical)


def narrowed(t: Array, contrasts: Contrasts) -> Array:
    """Return the |t| without skewness that `widened` makes into t, (C,) to (C,): its inverse, by Newton's steps from
    above, where the function is convex."""
    term = _skew_term(contrasts)
    with np.errstate(divide="ignore", invalid="ignore"):
        term = np.where(t > 1, _skew_term(contrasts), 0.0)
        out = np.fmin(t, (t / term) ** 0.2)
    for _ in range(STEPS):
        square = out * out
        bent = 1 + term * (square * square + 2 * square - 3)
        step = (out * bent - t) / (bent + 4 * term * square * (square + 1))
        out = out - step
        if not (np.abs(step) > 1e-14 * out).any():
            break
    return out


def _skew_term(contrasts: Contrasts) -> Array:
    return np.nan_to_num(contrasts.skewness) ** 2 / (18 * np.maximum(contrasts.queries, 1))


def within(p: Array, alpha: float) -> Array:
    """Return whether each p is at most alpha, up to rounding."""
    return p <= alpha * (1 + SLACK)


def _upper(ordered: Array, alpha: float, families: Array | None) -> Array:
    """Return the draw above which p ≤ alpha, of each contrast's family (C,), or of the only one (1,)."""
    count = int(alpha * (ordered.shape[1] + 1) * (1 + SLACK))
    of_families = ordered[:, -count] if 0 < count <= ordered.shape[1] else np.full(len(ordered), np.inf)
    return of_families if families is None else of_families[families]


def reaching(ordered: Array, values: Array, families: Array | None = None) -> Array:
    """Return (1 + draws of its family that reach a value) / (1 + draws), (C,); NaN where the value is."""
    least, draws = np.nan_to_num(values) * (1 - SLACK), ordered.shape[1]
    below = np.zeros(len(values), dtype=np.int64)
    for family, row in enumerate(ordered):
        of = slice(None) if families is None else np.flatnonzero(families == family)
        below[of] = np.searchsorted(row, least[of], side="left")
    return np.where(np.isnan(values), np.nan, (1 + draws - below) / (1 + draws))


def _tails(t: Array, freedom: Array) -> Array:
    from scipy.special import stdtr

    return 2 * stdtr(np.maximum(freedom, 1), -np.abs(t))
