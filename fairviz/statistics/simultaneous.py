"""Families of comparisons: p, corrected p and intervals that agree with them.

The default is single-step maxT (Westfall and Young 1993) of paired t statistics, with the wild bootstrap: each draw
gives the centred values of every query one random sign, the same for all systems. The dependence of systems is used,
and intervals follow from the same draws. Axis letters: P pairs, C contrasts, B draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.statistics.blocks import Block
from fairviz.statistics.contrasts import EQUAL, SLACK, Contrasts, contrasts_of, differences, folded, folded_interval
from fairviz.statistics.draws import drawn_shares, largest_ranges, share_of, t_squared
from fairviz.statistics.equivalence import detectable
from fairviz.statistics.families import Tests
from fairviz.statistics.paired import corrected, p_values
from fairviz.statistics.references import Drawn, Ranges, Reference, Student, narrowed, reaching, within
from fairviz.statistics.signs import DRAWS, signs

Array = np.ndarray
MOST_SKEWED = 1 / 6  # skewness² / √queries of differences; beyond, tests miss their level (benchmarks/README.md)


@dataclass(frozen=True, eq=False)
class Tested:
    """The pairs of one block after their tests.

    p and p_corrected: (P,), of each pair alone and in its family; NaN where nothing can be tested. contrasts: what
    these rest on, and contrast_p the corrected p of each (C,). reference: the distribution behind p and intervals.
    """

    block: Block
    contrasts: Contrasts
    p: Array
    p_corrected: Array
    contrast_p: Array
    reference: Reference

    @property
    def difference(self) -> Array:
        """The estimate of the first system minus that of the second, (P,); of distances where the block is folded."""
        return self._folded(self.contrasts.value)

    @property
    def governing(self) -> Array:
        """The place of the contrast that decides each pair, (P,): of its difference and sum the less certain one."""
        count = len(self.block.pairs)
        if not self.block.folded:
            return np.arange(count)
        sizes = np.abs(self.contrasts.value)
        return np.where(sizes[:count] <= sizes[count:], np.arange(count), np.arange(count) + count)

    @property
    def skewed(self) -> Array:
        """The mean of skewness² / √queries over the pairs of each family, (F,); 0 for distances, whose tests keep their
        level.

        More than MOST_SKEWED is too much. One pair's skewness is too uncertain to judge the pair by: its longest tail
        may be missing from the queries. A pair that differs by the same on every query does not count.
        """
        contrasts, families = self.contrasts, self.block.family_of_contrasts
        is_counted = contrasts.known & ~contrasts.flat
        with np.errstate(invalid="ignore"):
            weights = np.where(is_counted, contrasts.skewness**2 / np.sqrt(contrasts.queries), 0.0)
        if self.block.folded:
            weights = np.zeros(len(weights))
        return np.bincount(families, weights) / np.maximum(np.bincount(families, is_counted), 1)

    def interval(self, level: float) -> tuple[Array, Array]:
        """Return both ends of each difference's interval, (P,) each.

        A contrast that is the same on every query is its own interval where its corrected p is small enough, and has
        none elsewhere.
        """
        alpha, contrasts = 1 - level, self.contrasts
        half = self.reference.half_width(contrasts, alpha)
        certain = np.where(within(self.contrast_p, alpha) | (np.abs(contrasts.value) <= EQUAL), 0.0, np.nan)
        half = np.where(contrasts.flat, certain, half)
        low, high = contrasts.value - half, contrasts.value + half
        if not self.block.folded:
            return low, high
        count = len(self.block.pairs)
        return folded_interval((low[:count], high[:count]), (low[count:], high[count:]))

    def equivalence(self, margin: Array) -> Array:
        """Return the p of a difference within ± margin, (P,); margin (P,), NaN for none.

        At most alpha where the interval at 1 − 2·alpha is inside the margin (two one-sided tests, simultaneous as the
        family's intervals are).
        """
        contrasts, count = self.contrasts, len(self.block.pairs)
        margins = np.concatenate([margin, margin]) if self.block.folded else margin
        room = margins - np.abs(contrasts.value)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.where(room > 0, self.reference.p_at(contrasts, room) / 2, 1.0)
        p = np.where(contrasts.flat, np.where(room > 0, 0.5 ** np.minimum(contrasts.queries, 1000), 1.0), p)
        p = np.where(np.isnan(room) | np.isnan(self.contrast_p), np.nan, p)
        return np.minimum(p[:count], p[count:]) if self.block.folded else p

    def minimum_detectable(self, alpha: float, power: float) -> Array:
        """Return the smallest difference that these queries show in the family with this power, (P,).

        By Student's t at the level per test that the family's critical value amounts to, from the observed standard
        deviation.
        """
        place, contrasts = self.governing, self.contrasts
        error, freedom = contrasts.error[place], contrasts.freedom[place]
        return detectable(error, freedom, self.reference.level_per_test(contrasts, alpha)[place], power)

    def _folded(self, values: Array) -> Array:
        count = len(self.block.pairs)
        return folded(values[:count], values[count:]) if self.block.folded else values


def compare_blocks(blocks: Sequence[Block], tests: Tests, draws: int = DRAWS, seed: int = 0) -> list[Tested]:
    """Return the blocks' pairs tested, a Tested for each block; pairs with the same number are one family.

    blocks: their estimates have the same queries in the same order, (S, Q), NaN where a query takes no part. tests:
    method and statistic; `tukey` needs means of one measure, so that folded blocks and slopes are tested by maxT. The
    single tests of slopes are always Student's t.
    """
    if not blocks:
        return []
    if tests.method == "maxT" or (tests.method == "tukey" and not all(map(_ranked, blocks))):
        return _by_max_t(blocks, draws, seed)
    if tests.method == "tukey":
        return _by_ranges(blocks, draws, seed)
    return _stepwise(blocks, tests, draws, seed)


def _ranked(block: Block) -> bool:
    return not block.folded and block.estimates.x is None


def _by_max_t(blocks: Sequence[Block], draws: int, seed: int) -> list[Tested]:
    """Test by single-step maxT.

    p = (1 + draws in which a contrast's own |t| reaches the observed one, `narrowed` for skewness) / (1 + draws),
    p_corrected the same with the largest |t| of the family. A contrast of 0 on every query has p 1; one that is the
    same on every query has the exact p of equal signs, 2 / 2^n, times the number of contrasts.
    """
    table = signs(blocks[0].estimates.values.shape[1], draws, seed)
    count = _families(blocks)
    tops: dict[tuple[int, float], Array] = {}
    rows = [_draw(block, table, tops) for block in blocks]
    ordered = np.zeros((count, len(table)))
    for (family, freedom), roots in tops.items():
        np.maximum(ordered[family], t_squared(roots * roots, freedom), out=ordered[family])
    ordered.sort(axis=1)
    sizes = np.sum([np.bincount(block.family_of_contrasts, held.known, count)
                    for block, (held, _, _) in zip(blocks, rows, strict=True)], axis=0)  # fmt: skip
    return [_drawn_block(block, *row, ordered, sizes) for block, row in zip(blocks, rows, strict=True)]


def _families(blocks: Sequence[Block]) -> int:
    return 1 + max(int(block.family_of_pairs.max(initial=0)) for block in blocks)


def _draw(block: Block, table: Array, tops: dict[tuple[int, float], Array]) -> tuple[Contrasts, Array, Array]:
    """Return the contrasts, `narrowed` |t|² of each and its p alone, (C,) each, and raise the tops to the draws.

    tops: by family and degrees of freedom the largest root of a share in each draw, (B,): |t| rises with it.
    """
    masks, families = block.masks(), block.family_of_contrasts
    contrasts = contrasts_of(masks, len(families))
    squared = narrowed(contrasts.t, contrasts) ** 2
    least = np.sqrt(share_of(squared * (1 - SLACK), contrasts.freedom))
    hits = np.zeros(len(least))
    for places, draws, roots in drawn_shares(masks, table, families):
        key = int(families[places[0]]), float(contrasts.freedom[places[0]])
        if key not in tops:
            tops[key] = np.zeros(len(table))
        np.maximum(tops[key][draws], roots.max(axis=0), out=tops[key][draws])
        hits[places] += [np.count_nonzero(row) for row in roots >= least[places, None]]
    return contrasts, squared, np.where(np.isnan(squared), np.nan, (1 + hits) / (1 + len(table)))


def _drawn_block(
    block: Block, contrasts: Contrasts, squared: Array, alone: Array, ordered: Array, sizes: Array
) -> Tested:
    """Return a block after its draws. squared: `narrowed` |t|², and alone its p, (C,). sizes: contrasts by family."""
    families = block.family_of_contrasts
    reference, exact = Drawn(ordered, families), flat_p(contrasts)
    together = np.where(exact < 1, np.minimum(exact * sizes[families], 1.0), exact)
    of_flat = ~np.isnan(exact)
    p = np.where(of_flat, exact, alone)
    return _tested(block, contrasts, p, np.where(of_flat, together, reaching(ordered, squared, families)), reference)


def _by_ranges(blocks: Sequence[Block], draws: int, seed: int) -> list[Tested]:
    """Test by randomised Tukey HSD: p = (1 + draws whose largest difference of two systems reaches the observed one) /
    (1 + draws), the largest in any of a family's blocks, which are slices of one measure; a pair alone is tested by
    Student's t."""
    ranges = np.zeros((_families(blocks), draws))
    for block in blocks:
        pairs = np.array(block.pairs, dtype=np.int64)
        for family in np.unique(block.family_of_pairs):
            values = block.estimates.values[np.unique(pairs[block.family_of_pairs == family])]
            np.maximum(ranges[family], largest_ranges(values, draws, seed), out=ranges[family])
    ranges.sort(axis=1)
    tested = []
    for block in blocks:
        contrasts, reference = block.contrasts(), Ranges(ranges, block.family_of_pairs)
        distance, exact = np.abs(contrasts.value), flat_p(contrasts)
        p = np.where(np.isnan(exact), Student(1).p_at(contrasts, distance), exact)
        tested.append(_tested(block, contrasts, p, reference.p_at(contrasts, distance), reference))
    return tested


def _stepwise(blocks: Sequence[Block], tests: Tests, draws: int, seed: int) -> list[Tested]:
    """Test every contrast by the statistic and correct the p of pairs over the family."""
    contrasts = [block.contrasts() for block in blocks]
    single = []
    for block, observed in zip(blocks, contrasts, strict=True):
        if block.estimates.x is None and tests.statistic != "t":
            p = p_values(differences(block.estimates, block.rows), tests.statistic, draws, seed)
        else:
            p = Student(1).p_at(observed, np.abs(observed.value))
            exact = flat_p(observed)
            p = np.where(np.isnan(exact), p, exact)
        single.append(p)
    of_pairs = [_of_pairs(block, p) for block, p in zip(blocks, single, strict=True)]
    families = np.concatenate([block.family_of_pairs for block in blocks])
    together = corrected_within(np.concatenate(of_pairs), families, tests.method)
    sizes = np.bincount(families, ~np.isnan(together), _families(blocks))
    parts = np.split(together, np.cumsum([len(p) for p in of_pairs])[:-1])
    return [
        Tested(block, observed, p, part, np.concatenate([part, part]) if block.folded else part,
               _student(tests.method, sizes[block.family_of_contrasts]))
        for block, observed, p, part in zip(blocks, contrasts, of_pairs, parts, strict=True)
    ]  # fmt: skip


def _student(method: str, sizes: Array) -> Student:
    """Return the reference of a stepwise method. sizes: of each contrast's family, (C,)."""
    return Student(sizes if method == "bonferroni" else 1, 1 if method == "none" else sizes)


def corrected_within(p: Array, families: Array, method: str) -> Array:
    """Return `corrected` of each family, (P,)."""
    if method == "none":
        return corrected(p, method)
    out = np.full(len(p), np.nan)
    for family in np.unique(families):
        of = families == family
        out[of] = corrected(p[of], method)
    return out


def _tested(block: Block, contrasts: Contrasts, p: Array, corrected_p: Array, reference: Reference) -> Tested:
    return Tested(block, contrasts, _of_pairs(block, p), _of_pairs(block, corrected_p), corrected_p, reference)


def _of_pairs(block: Block, p: Array) -> Array:
    """Return the p of pairs, (C,) to (P,): where distances are compared the larger one of difference and sum."""
    count = len(block.pairs)
    return np.maximum(p[:count], p[count:]) if block.folded else p


def flat_p(contrasts: Contrasts) -> Array:
    """Return the p of contrasts that are the same on every query, (C,); NaN for all others.

    1 where there is no difference, else 2 / 2^n, the chance of n equal signs.
    """
    exact = np.where(np.abs(contrasts.value) <= EQUAL, 1.0, 2.0 ** (1 - np.minimum(contrasts.queries, 1000)))
    return np.where(contrasts.flat & contrasts.known, exact, np.nan)
