"""Paired tests without a distribution: signed ranks, and random signs; and corrections of p for their number.

Rows are comparisons, columns queries; NaN where either system has no value.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Literal

import numpy as np

from fairviz.errors import FairvizError, use_one_of
from fairviz.statistics.contrasts import EQUAL

Array = np.ndarray

COUNTED = 13  # queries up to which the randomisation test counts every assignment of signs
DRAWS, BATCH = 9_999, 2_000  # of signs beyond, and how many at a time
RANKED = 50  # differences up to which Wilcoxon's test counts every assignment of signs
DECIMALS = 10  # that differences are rounded to before they are ranked


def randomisation(differences: Array, draws: int = DRAWS, seed: int = 0) -> Array:
    """Two-sided p of the paired randomisation test for each row: signs of differences are exchanged at random.

    Exact for up to 13 queries; beyond, (hits + 1) / (draws + 1) of so many seeded draws of signs, the same for every
    row. A hit has a sum as far from 0 as the row's own. NaN with fewer than two queries.
    """
    from scipy.stats import permutation_test

    def exact(row: Array) -> float:
        return float(permutation_test((row,), np.mean, permutation_type="samples", vectorized=True).pvalue)

    many = (~np.isnan(differences)).sum(axis=1) > COUNTED
    out = _by_row(np.where(many[:, None], np.nan, differences), exact)
    if many.any():
        out[many] = _drawn_p(np.nan_to_num(differences[many]), draws, seed)
    return out


def _drawn_p(differences: Array, draws: int, seed: int) -> Array:
    """p of each row (N, Q) by random signs; a query without a difference adds nothing, whatever its sign.

    A sign is one random bit: twice the sum of the differences whose bit is 1, less the sum of all, is the signed sum.
    """
    queries, total = differences.shape[1], differences.sum(axis=1)  # (N,)
    least = np.abs(total) - 1e-9 * np.maximum(np.abs(total), EQUAL)
    generator, hits = np.random.default_rng(seed), np.zeros(len(differences))
    for start in range(0, draws, BATCH):
        size = (min(BATCH, draws - start), (queries + 7) // 8)
        bits = np.unpackbits(generator.integers(0, 256, size=size, dtype=np.uint8), axis=1, count=queries)  # (D, Q)
        hits += (np.abs(2 * (bits.astype(np.float64) @ differences.T) - total) >= least).sum(axis=0)
    return (hits + 1) / (draws + 1)


def monte_carlo_error(p: Array, draws: int) -> Array:
    """Standard error of p-values that come from this many random draws: sqrt(p (1 - p) / draws)."""
    return np.sqrt(p * (1 - p) / draws)


def wilcoxon(differences: Array, *, less: bool = False) -> Array:
    """Two-sided p of Wilcoxon's signed-rank test for each row, (N, Q) to (N,); NaN with fewer than two queries.
    less: one-sided instead, small where differences are below 0.

    Differences are rounded to 1e-10 before they are ranked, so that ties are not broken by rounding; queries without
    a difference are left out. Up to 50 others, p is exact: the share of all assignments of signs whose sum of positive
    ranks is as extreme. Beyond, the normal approximation with its correction for ties. Wilcoxon (1945).
    """
    from scipy.stats import wilcoxon as signed_rank

    def p_of(row: Array) -> float:
        row = _rounded(row)
        if len(row) > RANKED:
            side: Literal["less", "two-sided"] = "less" if less else "two-sided"
            return float(signed_rank(row, method="asymptotic", alternative=side).pvalue)
        doubled = _doubled_ranks(row)
        below = doubled[row > 0].sum()
        if not less:
            below = min(below, doubled.sum() - below)
        p = float(_sums_of_ranks(tuple(np.sort(doubled).tolist()))[: below + 1].sum())
        return min(1.0, p if less else 2 * p)

    return _by_row(differences, p_of)


def _rounded(row: Array) -> Array:
    """The differences of a row (Q,) that are not 0 after rounding."""
    row = np.round(row, DECIMALS)
    return row[np.abs(row) > 0]  # NaN is in no comparison


def _doubled_ranks(row: Array) -> Array:
    """Twice the midrank of each difference's size, (Q,): whole numbers, whatever the ties."""
    from scipy.stats import rankdata

    return np.rint(2 * rankdata(np.abs(row))).astype(np.int64)


@lru_cache(maxsize=256)
def _sums_of_ranks(doubled: tuple[int, ...]) -> Array:
    """Probability of each sum, 0, 1, …, of a random half of these doubled ranks; without ties it is of their number."""
    chance = np.zeros(sum(doubled) + 1)
    chance[0] = 1.0
    for rank in doubled:
        chance[rank:] += chance[:-rank].copy()
        chance /= 2
    return chance


def p_of_signed(differences: Array, table: Array, test: str, draws: int, seed: int) -> Array:
    """Return the p of each row (N, Q) once its values have the signs of each draw, (N, B).

    table: signs (B, Q). The sizes of a row, and so its ranks and the sums that chance gives, are the same in all draws.
    test, draws and seed: see `p_values`.
    """
    out = np.full((len(differences), len(table)), np.nan)
    for place, row in enumerate(differences):
        is_known = ~np.isnan(row)
        values, signs = row[is_known], table[:, is_known]
        if test == "randomisation":
            reached = np.abs(signs @ values)
            count = draws if len(values) > COUNTED else 2 ** len(values)
            chance = np.sort(np.abs(_random_signs(len(values), count, seed) @ values))
            least = reached - 1e-9 * np.maximum(reached, EQUAL)
            hits = count - np.searchsorted(chance, least, side="left")
            out[place] = (hits + 1) / (count + 1) if len(values) > COUNTED else hits / count
            continue
        values = np.round(values, DECIMALS)
        doubled = _doubled_ranks(values[values != 0])
        sums = signs[:, values != 0] @ (np.sign(values[values != 0]) * doubled)  # of positive ranks less negative ones
        if len(doubled) > RANKED:
            from scipy.special import ndtr

            out[place] = 2 * ndtr(-np.abs(sums) / np.sqrt((doubled.astype(np.float64) ** 2).sum()))
        else:
            chance = np.cumsum(_sums_of_ranks(tuple(np.sort(doubled).tolist())))
            smaller = np.rint((doubled.sum() - np.abs(sums)) / 2).astype(np.int64)
            out[place] = np.minimum(1.0, 2 * chance[smaller])
    return out


def _random_signs(queries: int, count: int, seed: int) -> Array:
    """Return all patterns of signs where these are `count`, else so many drawn ones, (count, queries)."""
    if count == 2**queries:
        bits = (np.arange(count)[:, None] >> np.arange(queries)) & 1
    else:
        bits = np.random.default_rng(seed).integers(0, 2, size=(count, queries))
    return 2.0 * bits - 1


def leaning(differences: Array) -> Array:
    """Return the direction of each row's signed ranks, (N, Q) to (N,): 1 up, -1 down, 0 neither or nothing defined.

    It can be the other way than the mean: many small wins and a few great losses.
    """
    directions = np.zeros(len(differences))
    for place, row in enumerate(differences):
        row = _rounded(row)
        directions[place] = np.sign((np.sign(row) * _doubled_ranks(row)).sum())
    return directions


def _by_row(differences: Array, p_of: Callable[[Array], float]) -> Array:
    out = np.full(len(differences), np.nan)
    for place, row in enumerate(differences):
        row = row[~np.isnan(row)]
        if len(row) >= 2:
            out[place] = 1.0 if np.abs(row).max() <= EQUAL else p_of(row)
    return out


def _holm(p: Array) -> Array:
    """The smallest times N, the next times N - 1 …, never falling. statsmodels' gives the same, after a pass of
    garbage collection that takes longer than all tests."""
    order = np.argsort(p)
    out = np.empty(len(p))
    out[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return out


def _false_discovery(p: Array, method: Literal["bh", "by"]) -> Array:
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p, method=method))


CORRECTIONS: dict[str, Callable[[Array], Array]] = {
    "holm": _holm, "bonferroni": lambda p: np.minimum(p * len(p), 1.0), "none": np.copy,
    "bh": partial(_false_discovery, method="bh"), "by": partial(_false_discovery, method="by"),
}  # fmt: skip


def p_values(differences: Array, test: Literal["wilcoxon", "randomisation"], draws: int, seed: int) -> Array:
    """Return the p of each row (N, Q); draws and seed are those of the randomisation test."""
    return randomisation(differences, draws, seed) if test == "randomisation" else wilcoxon(differences)


def corrected(p: Sequence[float] | Array, correction: str = "holm") -> Array:
    """The p-values adjusted for their number, (N,); NaN values are in no family and stay NaN.

    holm and bonferroni control the chance of any false claim, bh (Benjamini-Hochberg) the share of false claims, by
    (Benjamini-Yekutieli) too, whatever the dependence. Raises FairvizError for another correction.
    """
    values = np.asarray(p, dtype=np.float64)
    if correction not in CORRECTIONS:
        raise FairvizError(f"correction is {correction!r}", use_one_of(CORRECTIONS, correction))
    family = np.flatnonzero(~np.isnan(values))
    if not len(family):
        return values.copy()
    out = np.full(values.shape, np.nan)
    out[family] = CORRECTIONS[correction](values[family])
    return out
