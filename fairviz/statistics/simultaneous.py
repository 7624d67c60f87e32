"""Families of comparisons: p, corrected p and intervals that agree with them.

The default is single-step maxT (Westfall and Young 1993) of paired t statistics, with the wild bootstrap: each draw
gives the centred values of every query one random sign, the same for all systems. The dependence of systems is used,
and intervals follow from the same draws. Axis letters: P pairs, C contrasts, B draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.statistics.contrasts import EQUAL, SLACK, Contrasts, Estimates, Pair, contrasts, differences, drawn_t
from fairviz.statistics.equivalence import detectable
from fairviz.statistics.families import Tests
from fairviz.statistics.folding import folded, folded_interval
from fairviz.statistics.paired import corrected, p_values
from fairviz.statistics.references import Drawn, Ranges, Reference, Student, within
from fairviz.statistics.signs import DRAWS, signs
from fairviz.statistics.tukey import largest_ranges

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Block:
    """One measure's pairs of systems in a family.

    pairs: places of two systems each. folded: whether the measure is fairest at 0 (or its logarithm is), so that
    distances are compared: the contrasts are then all differences, and after them all sums.
    """

    estimates: Estimates
    pairs: tuple[tuple[int, int], ...]
    folded: bool = False

    @property
    def contrasts(self) -> tuple[Pair, ...]:
        """What is tested, (C,)."""
        apart = tuple(Pair(first, second, -1) for first, second in self.pairs)
        return apart + tuple(Pair(first, second, 1) for first, second in self.pairs) if self.folded else apart


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
    if not blocks:
        return []
    held = [contrasts(block.estimates, block.contrasts) for block in blocks]
    if tests.method == "maxT" or (tests.method == "tukey" and not all(map(_ranked, blocks))):
        return _by_max_t(blocks, held, draws, seed)
    if tests.method == "tukey":
        return _by_ranges(blocks, held, draws, seed)
    return _stepwise(blocks, held, tests, draws, seed)


def _ranked(block: Block) -> bool:
    return not block.folded and block.estimates.x is None


def _by_max_t(blocks: Sequence[Block], held: Sequence[Contrasts], draws: int, seed: int) -> list[Tested]:
    """Test by single-step maxT.

    p = (1 + draws in which a contrast's own |t| reaches the observed one) / (1 + draws), p_corrected the same with the
    largest |t| of the family. A contrast of 0 on every query has p 1; one that is the same on every query has the exact
    p of equal signs, 2 / 2^n, times the number of contrasts.
    """
    table = signs(blocks[0].estimates.values.shape[1], draws, seed)
    largest, single = np.zeros(len(table)), []
    for block, observed in zip(blocks, held, strict=True):
        squares, hits = observed.t**2 * (1 - SLACK), np.zeros(len(observed.value))
        for place, drawn in drawn_t(block.estimates, block.contrasts, table):
            np.maximum(largest, drawn, out=largest)
            hits[place] = np.count_nonzero(drawn >= squares[place])
        single.append(np.where(np.isnan(observed.t), np.nan, (1 + hits) / (1 + len(table))))
    reference = Drawn(np.sort(largest))
    size = sum(int(observed.known.sum()) for observed in held)
    tested = []
    for block, observed, alone in zip(blocks, held, single, strict=True):
        exact = flat_p(observed)
        family = np.where(exact < 1, np.minimum(exact * size, 1.0), exact)
        p = np.where(np.isnan(exact), alone, exact)
        corrected_p = np.where(np.isnan(exact), reference.p_at(observed, np.abs(observed.value)), family)
        tested.append(_tested(block, observed, p, corrected_p, reference))
    return tested


def _by_ranges(blocks: Sequence[Block], held: Sequence[Contrasts], draws: int, seed: int) -> list[Tested]:
    """Test by randomised Tukey HSD: p = (1 + draws whose largest difference of two systems reaches the observed one) /
    (1 + draws), each block by itself; a pair alone is tested by Student's t."""
    tested = []
    for block, observed in zip(blocks, held, strict=True):
        systems = sorted({system for pair in block.pairs for system in pair})
        reference = Ranges(np.sort(largest_ranges(block.estimates.values[systems], draws, seed)))
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
            p = p_values(differences(block.estimates, block.contrasts), tests.statistic, draws, seed)
        else:
            p = Student(1).p_at(observed, np.abs(observed.value))
            p = np.where(np.isnan(flat_p(observed)), p, flat_p(observed))
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
