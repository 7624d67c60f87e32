"""Tables of paired differences whose rows are one family: experiments and audits, whose rows are not pairs of a study's
systems.

Axis letters: R rows, Q queries.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairviz.comparison.how import How
from fairviz.comparison.pairs import FEWEST_QUERIES, is_enough, leaning_of
from fairviz.comparison.points import FOLDED
from fairviz.statistics.blocks import Block
from fairviz.statistics.contrasts import Estimates
from fairviz.statistics.families import Tests, method_text
from fairviz.statistics.references import within
from fairviz.statistics.simultaneous import Tested, compare_blocks
from fairviz.words.sentences import counted

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class PairedRows:
    """The rows of a table after their tests, (R,) each.

    difference: the first value less the second, of distances for a measure that is fairest at 0 or 1. low and high: its
    interval, NaN under FEWEST_QUERIES common queries. p and p_corrected: alone and in the family; the latter is NaN
    where there are too few queries for a verdict. side: 1 where the family shows that the first is larger, -1 for the
    second, 0 for neither. queries: in common.
    """

    difference: Array
    low: Array
    high: Array
    p: Array
    p_corrected: Array
    side: Array
    queries: Array
    how: How

    @property
    def family(self) -> int:
        """The number of rows tested."""
        return int((~np.isnan(self.p_corrected)).sum())

    @property
    def caption(self) -> str:
        """Return the family and the method: `12 differences, maxT`."""
        return rows_text(self.family, self.how.tests)


def rows_text(family: int, tests: Tests) -> str:
    """Return the family and the method of rows as captions show them.

    >>> rows_text(12, Tests())
    '12 differences, maxT'
    """
    if not family:
        return "no difference could be tested"
    return f"{counted(family, 'difference')}, {method_text(_of_rows(tests))}"


def no_verdict(queries: int) -> str:
    """Return why a row of this many queries has no verdict, as the end of a sentence.

    >>> no_verdict(9)
    '9 queries are too few for a verdict, which needs 10'
    >>> no_verdict(40)
    '40 queries give no verdict: they are under half of all'
    """
    if queries >= FEWEST_QUERIES:
        return f"{queries:,} queries give no verdict: they are under half of all"
    noun = counted(queries, "query is", "queries are")
    return f"{noun} too few for a verdict, which needs {FEWEST_QUERIES}"


def _of_rows(tests: Tests) -> Tests:
    """Return the tests without a baseline and without Tukey's ranges, which are for pairs of systems only."""
    return replace(tests, baseline="", method="maxT" if tests.method == "tukey" else tests.method)


def compare_rows(
    first: Array,
    second: Array,
    how: How | None = None,
    *,
    directions: Sequence[str] = (),
    counts: Sequence[int] | None = None,
    members: Sequence[bool] | None = None,
) -> PairedRows:
    """Return each row's difference, tested with all others as one family.

    first and second: (R, Q), NaN where a query takes no part; queries are the same in all rows. directions: of each
    row's measure, none for values that are compared as they are. counts: the number of queries of each row (all Q); a
    row with fewer than FEWEST_QUERIES common ones, or fewer than half of its own, is in no family. members: whether
    each row is in the family, by default all.
    """
    how = how or How()
    how = replace(how, tests=_of_rows(how.tests))
    count, queries = first.shape
    kinds = [direction if direction in FOLDED else "" for direction in list(directions) or [""] * count]
    common = (~np.isnan(first) & ~np.isnan(second)).sum(axis=1)
    totals = [queries] * count if counts is None else list(counts)
    enough = np.array([is_enough(*pair) for pair in zip(common.tolist(), totals, strict=True)], dtype=bool)
    enough &= np.ones(count, dtype=bool) if members is None else np.array(members, dtype=bool)
    columns = {name: np.full(count, np.nan) for name in ("difference", "low", "high", "p", "p_corrected", "lean")}
    for places, tests in ((np.flatnonzero(enough), how.tests), (np.flatnonzero(~enough), Tests("none"))):
        groups = [places[[kinds[place] == kind for place in places]] for kind in dict.fromkeys(kinds)]
        groups = [group for group in groups if len(group)]
        if not groups:
            continue
        blocks = [_block(first[group], second[group], kinds[group[0]]) for group in groups]
        tested = compare_blocks(blocks, tests, how.draws, how.seed)
        for group, block in zip(groups, tested, strict=True):
            _fill(columns, group, block, how)
    columns["p_corrected"][~enough] = np.nan
    for name in ("low", "high", "p"):
        columns[name][common < FEWEST_QUERIES] = np.nan
    lean = columns.pop("lean")
    is_significant = within(columns["p_corrected"], how.alpha) & (lean * columns["difference"] > 0)
    side = np.where(is_significant, np.sign(columns["difference"]), 0).astype(np.int64)
    return PairedRows(**columns, side=side, queries=common, how=how)


def _block(first: Array, second: Array, direction: str) -> Block:
    count = len(first)
    estimates = Estimates(np.concatenate([first, second]), None, direction == "one")
    return Block(estimates, tuple((row, count + row) for row in range(count)), direction in FOLDED)


def _fill(columns: dict[str, Array], places: Array, tested: Tested, how: How) -> None:
    columns["low"][places], columns["high"][places] = tested.interval(how.level)
    columns["difference"][places] = tested.difference
    columns["p"][places] = tested.p
    columns["p_corrected"][places] = tested.p_corrected
    columns["lean"][places] = leaning_of(tested, how)
