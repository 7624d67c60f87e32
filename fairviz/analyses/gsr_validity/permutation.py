"""One-tailed permutation tests on the genderedness of two lists of words (GSR paper, section 3.2.1)."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.words.genderedness import GenderDirection
from fairviz.words.stereotype_lists import WORD_LISTS, WordLists

Array = np.ndarray
MOST_COUNTED = 40  # values: half of them have 2^20 subsets
DRAWS = 99_999
_BATCH = 2_000
_ROUNDING = 1e-12


@dataclass(frozen=True)
class PermutationTest:
    """The share of random divisions of the values whose lists are at least as far apart.

    difference: mean of the higher list - mean of the lower one. p: exact, the share of all `divisions` that reach it;
    else (hits + 1)/(draws + 1) of random `divisions`. Never 0: the observed division counts. NaN if a list is empty.
    """

    difference: float
    p: float
    exact: bool
    divisions: int


@dataclass(frozen=True)
class WordListTest:
    """The test of one pair of lists. missing: words without a vector, which are left out."""

    lists: WordLists
    male_mean: float
    female_mean: float
    test: PermutationTest
    missing: tuple[str, ...]


def permutation_test(
    lower: Sequence[float] | Array, higher: Sequence[float] | Array, draws: int = DRAWS, seed: int = 0
) -> PermutationTest:
    """Test whether the mean of `higher` is above that of `lower`, one-tailed. NaN values are left out.

    Up to 40 values in all, every division is counted: they are too many to list (17 million for Table A.4), but each is
    a subset of one half of the values joined with a subset of the other half, and in two sorted lists of sums the pairs
    that reach a total can be counted. Beyond 40 values, `draws` seeded random divisions.
    """
    low, high = (np.asarray(values, dtype=np.float64) for values in (lower, higher))
    low, high = low[~np.isnan(low)], high[~np.isnan(high)]
    if not len(low) or not len(high):
        return PermutationTest(math.nan, math.nan, True, 0)
    difference = float(high.mean() - low.mean())
    values = np.concatenate([low, high])
    values = values - values.mean()  # keeps sums small; moves every division's sum alike
    reached = values[len(low) :].sum() - _ROUNDING * max(1.0, np.abs(values).sum())
    if len(values) <= MOST_COUNTED:
        divisions = math.comb(len(values), len(high))
        return PermutationTest(difference, _reaching(values, len(high), reached) / divisions, True, divisions)
    hits = _count_draws(values, len(high), reached, draws, seed)
    return PermutationTest(difference, (hits + 1) / (draws + 1), False, draws)


def _reaching(values: Array, size: int, least: float) -> int:
    """Return the exact number of subsets of this size with a sum of at least `least`."""
    first, second = _subset_sums(values[::2]), _subset_sums(values[1::2])
    count = 0
    for size_taken, sums in enumerate(first):
        if 0 <= size - size_taken < len(second):
            other_sums = second[size - size_taken]
            count += int((len(other_sums) - np.searchsorted(other_sums, least - sums, side="left")).sum())
    return count


def _subset_sums(values: Array) -> list[Array]:
    """Return the sums of all subsets of m values by the subsets' size 0..m, each sorted."""
    sums, sizes = np.zeros(1), np.zeros(1, dtype=np.int64)
    for value in values:
        sums, sizes = np.concatenate([sums, sums + value]), np.concatenate([sizes, sizes + 1])
    return [np.sort(sums[sizes == size]) for size in range(len(values) + 1)]


def _count_draws(values: Array, size: int, least: float, draws: int, seed: int) -> int:
    """Return how many of `draws` random subsets of this size have a sum of at least `least`."""
    generator = np.random.default_rng(seed)
    hits = 0
    for start in range(0, draws, _BATCH):
        rows = np.broadcast_to(values, (min(_BATCH, draws - start), len(values)))
        hits += int((generator.permuted(rows, axis=1)[:, :size].sum(axis=1) >= least).sum())
    return hits


def word_list_test(direction: GenderDirection, lists: WordLists) -> WordListTest:
    """Return the lists' mean genderedness, NaN without vectors, and the test of whether the female list's mean is
    higher.
    """
    male, female = direction.of(lists.male), direction.of(lists.female)
    words, values = (*lists.male, *lists.female), np.concatenate([male, female])
    missing = tuple(word for word, g in zip(words, values, strict=True) if np.isnan(g))
    return WordListTest(lists, _mean(male), _mean(female), permutation_test(male, female), missing)


def word_list_tests(direction: GenderDirection, lists: Iterable[WordLists] | None = None) -> pd.DataFrame:
    """Return the tests of the paper's tables (or other lists), a row each.

    Columns: table, edition, male, female (the lists' names), male_mean, female_mean, difference, p, exact, divisions,
    words (with a vector), missing (words without, in one text), printed_p (the paper's).
    """
    rows = [word_list_test(direction, each) for each in (WORD_LISTS.values() if lists is None else lists)]
    return pd.DataFrame(
        {
            "table": [row.lists.table for row in rows],
            "edition": [row.lists.edition for row in rows],
            "male": [row.lists.male_name for row in rows],
            "female": [row.lists.female_name for row in rows],
            "male_mean": [row.male_mean for row in rows],
            "female_mean": [row.female_mean for row in rows],
            "difference": [row.test.difference for row in rows],
            "p": [row.test.p for row in rows],
            "exact": [row.test.exact for row in rows],
            "divisions": [row.test.divisions for row in rows],
            "words": [len(row.lists.male) + len(row.lists.female) - len(row.missing) for row in rows],
            "missing": [", ".join(row.missing) for row in rows],
            "printed_p": [row.lists.printed_p for row in rows],
        }
    )


def _mean(values: Array) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan
