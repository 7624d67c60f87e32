"""Families of comparisons: p, corrected p and intervals that agree with them.

The default is single-step maxT (Westfall and Young 1993) of paired t statistics, with the wild bootstrap: each draw
gives the centred values of every query one random sign, the same for all systems. The dependence of systems is used,
and intervals follow from the same draws. Axis letters: P pairs, C contrasts, B draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from fairviz.statistics.contrasts import EQUAL, SLACK, Contrasts, differences, drawn_shares, share_of, t_squared
from fairviz.statistics.equivalence import detectable
from fairviz.statistics.families import Tests
from fairviz.statistics.folding import folded, folded_interval
from fairviz.statistics.paired import corrected, p_values
from fairviz.statistics.references import Drawn, Ranges, Reference, Student, narrowed, reaching, within
from fairviz.statistics.signs import DRAWS, signs
from fairviz.statistics.stacks import Block, Stack, by_block, filled, stacked
from fairviz.statistics.tukey import largest_ranges

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
    def skewed(self) -> float:
        """The mean of skewness² / √queries over the pairs; 0 for distances, whose tests keep their level.

        More than MOST_SKEWED is too much. One pair's skewness is too uncertain to judge the pair by: its longest tail
        may be missing from the queries.
        """
        known = self.contrasts.known
        if self.block.folded or not known.any():
            return 0.0
        return float((self.contrasts.skewness[known] ** 2 / np.sqrt(self.contrasts.queries[known])).mean())

    def interval(self, level: float) -> tuple[Array, Array]:
        """Return both ends of each difference's interval, (P,) each.

        A contrast that is the same on every query is its own interval where its corrected p is small enough, and has
        none elsewhere.
        """
        alpha, held = 1 - level, self.contrasts
        half = self.reference.half_width(held, alpha)
        certain = np.where(within(self.contrast_p, alpha) | (np.abs(held.value) <= EQUAL), 0.0, np.nan)
        half = np.where(held.flat, certain, half)
        low, high = held.value - half, held.value + half
        if not self.block.folded:
            return low, high
        count = len(self.block.pairs)
        return folded_interval((low[:count], high[:count]), (low[count:], high[count:]))

    def equivalence(self, margin: Array) -> Array:
        """Return the p of a difference that lies within ± margin, (P,); margin (P,), NaN for none.

        At most alpha where the interval at 1 − 2·alpha lies inside the margin (two one-sided tests, simultaneous as
        the family's intervals are).
        """
        held, count = self.contrasts, len(self.block.pairs)
        margins = np.concatenate([margin, margin]) if self.block.folded else margin
        room = margins - np.abs(held.value)
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.where(room > 0, self.reference.p_at(held, room) / 2, 1.0)
        p = np.where(held.flat, np.where(room > 0, 0.5 ** np.minimum(held.queries, 1000), 1.0), p)
        p = np.where(np.isnan(room) | np.isnan(self.contrast_p), np.nan, p)
        return np.minimum(p[:count], p[count:]) if self.block.folded else p

    def minimum_detectable(self, alpha: float, power: float) -> Array:
        """Return the smallest difference that these queries show in the family with this power, (P,).

        By Student's t at the level per test that the family's critical value amounts to, from the observed standard
        deviation.
        """
        place, held = self.governing, self.contrasts
        error, freedom = held.error[place], held.freedom[place]
        return detectable(error, freedom, self.reference.level_per_test(held, alpha)[place], power)

    def _folded(self, values: Array) -> Array:
        count = len(self.block.pairs)
        return folded(values[:count], values[count:]) if self.block.folded else values


def compare_blocks(blocks: Sequence[Block], tests: Tests, draws: int = DRAWS, seed: int = 0) -> list[Tested]:
    """Return the blocks' pairs tested as one family, a Tested for each block.

    blocks: their estimates have the same queries in the same order, (S, Q), NaN where a query takes no part. tests:
    method and statistic; `tukey` needs means of one measure, so that folded blocks and slopes are tested by maxT. The
    single tests of slopes are always Student's t.
    """
    return compare_families([blocks], tests, draws, seed)[0]


def compare_families(
    families: Sequence[Sequence[Block]], tests: Tests, draws: int = DRAWS, seed: int = 0
) -> list[list[Tested]]:
    """Return what `compare_blocks` returns for each family; together, many small ones take less time."""
    tested: list[list[Tested]] = []
    full = [family for family in families if family]
    for places in filled([sum(len(block.estimates.values) for block in family) for family in full]):
        tested += _compare([full[place] for place in places], tests, draws, seed)
    found = iter(tested)
    return [next(found) if family else [] for family in families]


def _compare(families: Sequence[Sequence[Block]], tests: Tests, draws: int, seed: int) -> list[list[Tested]]:
    if tests.method == "maxT":
        return _by_max_t(families, draws, seed)
    stacks = stacked([block for family in families for block in family])
    rows = iter(by_block(stacks, [stack.split() for stack in stacks]))
    tested = []
    for family in families:
        held = [observed for (observed,) in islice(rows, len(family))]
        if tests.method != "tukey":
            tested.append(_stepwise(family, held, tests, draws, seed))
        elif all(map(_ranked, family)):
            tested.append(_by_ranges(family, held, draws, seed))
        else:
            tested += _by_max_t([family], draws, seed)
    return tested


def _ranked(block: Block) -> bool:
    return not block.folded and block.estimates.x is None


def _by_max_t(families: Sequence[Sequence[Block]], draws: int, seed: int) -> list[list[Tested]]:
    """Test by single-step maxT.

    p = (1 + draws in which a contrast's own |t| reaches the observed one, `narrowed` for skewness) / (1 + draws),
    p_corrected the same with the largest |t| of the family. A contrast of 0 on every query has p 1; one that is the
    same on every query has the exact p of equal signs, 2 / 2^n, times the number of contrasts.
    """
    stacks = stacked([block for family in families for block in family])
    owner = np.repeat(np.arange(len(families)), [len(family) for family in families])
    # of each family the largest share of each draw, by degrees of freedom: |t| rises with it
    tops: list[dict[float, Array]] = [{} for _ in families]
    drawn = []
    for stack in stacks:
        owners = np.repeat(owner[list(stack.places)], stack.counts)
        drawn.append(stack.split(*_draw(stack, owners, tops, signs(stack.queries, draws, seed))))
    rows = iter(by_block(stacks, drawn))
    tested = []
    for family, top in zip(families, tops, strict=True):
        largest = [t_squared(shares, freedom) for freedom, shares in top.items()]
        if not largest:
            largest = [np.zeros(len(signs(family[0].estimates.values.shape[1], draws, seed)))]
        reference = Drawn(np.sort(np.max(largest, axis=0)))
        tested.append(_drawn_family(family, list(islice(rows, len(family))), reference))
    return tested


def _draw(stack: Stack, owners: Array, tops: list[dict[float, Array]], table: Array) -> tuple[Array, Array]:
    """Return `narrowed` |t|² of each contrast and its p alone, (C,) each, and raise the tops of its owner, a family, to
    its draws."""
    held = stack.contrasts
    squared = narrowed(held.t, held) ** 2
    shares = share_of(squared * (1 - SLACK), held.freedom)
    hits = np.zeros(len(shares))
    for place, drawn in drawn_shares(stack.masks, table):
        of, freedom = tops[owners[place]], float(held.freedom[place])
        if freedom in of:
            np.maximum(of[freedom], drawn, out=of[freedom])
        else:
            of[freedom] = drawn.copy()
        hits[place] = np.count_nonzero(drawn >= shares[place])
    return squared, np.where(np.isnan(squared), np.nan, (1 + hits) / (1 + len(table)))


def _drawn_family(family: Sequence[Block], rows: Sequence[tuple], reference: Drawn) -> list[Tested]:
    """Return one family's blocks. rows: of each the contrasts, `narrowed` |t|² and p alone."""
    size = sum(int(observed.known.sum()) for observed, _, _ in rows)
    tested = []
    for block, (observed, squared, alone) in zip(family, rows, strict=True):
        exact = flat_p(observed)
        together = np.where(exact < 1, np.minimum(exact * size, 1.0), exact)
        of_flat = ~np.isnan(exact)
        p = np.where(of_flat, exact, alone)
        corrected_p = np.where(of_flat, together, reaching(reference.ordered, squared))
        tested.append(_tested(block, observed, p, corrected_p, reference))
    return tested


def _by_ranges(blocks: Sequence[Block], held: Sequence[Contrasts], draws: int, seed: int) -> list[Tested]:
    """Test by randomised Tukey HSD: p = (1 + draws whose largest difference of two systems reaches the observed one) /
    (1 + draws), the largest in any of the blocks, which are slices of one measure; a pair alone is tested by Student's
    t."""
    tested, ranges = [], []
    for block in blocks:
        systems = sorted({system for pair in block.pairs for system in pair})
        ranges.append(largest_ranges(block.estimates.values[systems], draws, seed))
    reference = Ranges(np.sort(np.max(ranges, axis=0)))
    for block, observed in zip(blocks, held, strict=True):
        p = Student(1).p_at(observed, np.abs(observed.value))
        exact = flat_p(observed)
        corrected_p = reference.p_at(observed, np.abs(observed.value))
        tested.append(_tested(block, observed, np.where(np.isnan(exact), p, exact), corrected_p, reference))
    return tested


def _stepwise(blocks: Sequence[Block], held: Sequence[Contrasts], tests: Tests, draws: int, seed: int) -> list[Tested]:
    """Test every contrast by the statistic and correct the p of pairs over the family."""
    single = []
    for block, observed in zip(blocks, held, strict=True):
        if block.estimates.x is None and tests.statistic != "t":
            p = p_values(differences(block.estimates, block.rows), tests.statistic, draws, seed)
        else:
            p = Student(1).p_at(observed, np.abs(observed.value))
            exact = flat_p(observed)
            p = np.where(np.isnan(exact), p, exact)
        single.append(p)
    of_pairs = [_of_pairs(block, p) for block, p in zip(blocks, single, strict=True)]
    family = corrected(np.concatenate([np.zeros(0), *of_pairs]), tests.method)
    size = int((~np.isnan(family)).sum())
    reference = Student(size if tests.method == "bonferroni" else 1, 1 if tests.method == "none" else size)
    ends = np.cumsum([len(p) for p in of_pairs])[:-1]
    parts = np.split(family, ends)
    return [
        Tested(block, observed, p, part, np.concatenate([part, part]) if block.folded else part, reference)
        for block, observed, p, part in zip(blocks, held, of_pairs, parts, strict=True)
    ]


def _tested(block: Block, held: Contrasts, p: Array, corrected_p: Array, reference: Reference) -> Tested:
    return Tested(block, held, _of_pairs(block, p), _of_pairs(block, corrected_p), corrected_p, reference)


def _of_pairs(block: Block, p: Array) -> Array:
    """Return the p of pairs, (C,) to (P,): where distances are compared the larger one of difference and sum."""
    count = len(block.pairs)
    return np.maximum(p[:count], p[count:]) if block.folded else p


def flat_p(held: Contrasts) -> Array:
    """Return the p of contrasts that are the same on every query, (C,); NaN for all others.

    1 where there is no difference, else 2 / 2^n, the chance of n equal signs.
    """
    exact = np.where(np.abs(held.value) <= EQUAL, 1.0, 2.0 ** (1 - np.minimum(held.queries, 1000)))
    return np.where(held.flat & held.known, exact, np.nan)
