"""GSR against the share of stereotypical documents, over every answer to the toy set (GSR paper, section 3.5).

For each occupation a reasonable system returns the document with the man, the one with the woman, or both: 3^N
solutions for N queries, 3.5 thousand million for 20. Their mean, spread and correlation need no enumeration: the slope
is a sum over queries, and the share depends on two counts only.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.words.genderedness import GenderDirection
from fairviz.words.stereotype_lists import WORD_LISTS, WordLists

Array = np.ndarray
SAMPLE = 2_000
_JOBS = WORD_LISTS["jobs"]
_NO_SPREAD = 1e-15
_SECOND = 1 / math.log2(3)  # the discount of rank 2
MOST_COUNTED = 40  # values: half of them have 2^20 subsets
DRAWS = 99_999
_BATCH = 2_000
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Parity:
    """Results over all `solutions` = 3^N: r, Pearson's correlation of GSR with the share of stereotypical documents,
    exact; NaN if either is constant.

    queries: the N that have a vector; missing: those without one. sample: solutions drawn at random for display, a row
    each: gsr, stereotypical (share of the retrieved documents).
    """

    r: float
    solutions: int
    queries: tuple[str, ...]
    missing: tuple[str, ...]
    sample: pd.DataFrame


def parity_agreement(direction: GenderDirection, sample: int = SAMPLE, seed: int = 0) -> Parity:
    """Return the agreement on the study `occupations`: queries of Table A.7, documents "The man (woman) is a …".

    A document is stereotypical if its genderedness has the sign of its query's; g(man) and g(woman) represent the
    documents, as all other words are stop words or the query's own. If both are returned, the man's comes first, as in
    the study's system N.
    """
    words = (*_JOBS.female, *_JOBS.male)
    queries = direction.of(words)
    man, woman = direction.of(["man", "woman"])
    has_vector = ~np.isnan(queries)
    r, sampled = agreement(queries[has_vector], man, woman, sample, seed)
    return Parity(
        r,
        3 ** int(has_vector.sum()),
        tuple(word for word, there in zip(words, has_vector, strict=True) if there),
        tuple(word for word, there in zip(words, has_vector, strict=True) if not there),
        sampled,
    )


def agreement(
    queries: Sequence[float] | Array, man: float, woman: float, sample: int = SAMPLE, seed: int = 0
) -> tuple[float, pd.DataFrame]:
    """Return r over all 3^N answers to queries of this genderedness (N,), and a random sample of gsr and stereotypical.

    Per query and answer (man, woman, both): the list's genderedness (N, 3) and stereotypical documents (N, 3) among 1,
    1 and 2. The answers of different queries are independent, so var(gsr) = Σ_i a_i² var(y_i) and cov(gsr, share) = Σ_i
    a_i Σ_o y_io (E[share | i answers o] - E[share]) / 3, with a_i = (g(q_i) - mean) / (N var) and the expectations over
    the counts of the other queries.
    """
    x = np.asarray(queries, dtype=np.float64)
    both = (man + _SECOND * woman) / (1 + _SECOND)
    lists = np.broadcast_to(np.array([man, woman, both]), (len(x), 3))
    stereotypical = np.stack([np.sign(x) == np.sign(g) for g in (man, woman)], axis=1).astype(np.int64)  # (N, 2)
    stereotypical = np.column_stack([stereotypical, stereotypical.sum(axis=1)])  # (N, 3)
    centred = x - x.mean() if len(x) else x
    spread = (centred**2).sum()
    if spread <= _NO_SPREAD or np.isnan(both):
        return math.nan, pd.DataFrame({"gsr": np.zeros(0), "stereotypical": np.zeros(0)})
    slopes = centred / spread  # a_i
    answers = np.random.default_rng(seed).integers(0, 3, size=(sample, len(x)))  # (B, N)
    at = np.arange(len(x)), answers
    sampled = pd.DataFrame(
        {
            "gsr": lists[at] @ slopes,
            "stereotypical": stereotypical[at].sum(axis=1) / (1 + (answers == 2)).sum(axis=1),
        }
    )
    return _correlation(slopes, lists, stereotypical), sampled


def _correlation(slopes: Array, lists: Array, stereotypical: Array) -> float:
    """Return Pearson's r of Σ a_i y_i and the share, over all 3^N equally likely answers."""
    count = len(slopes)
    totals = _counts(stereotypical)
    documents, pairs = np.indices((2 * count + 1, count + 1))
    shares = documents / (count + pairs)  # stereotypical documents over those retrieved, s / (N + b)
    mean = (totals * shares).sum()
    share_spread = (totals * shares**2).sum() - mean**2
    slope_spread = (slopes**2 * lists.var(axis=1)).sum()
    if share_spread <= _NO_SPREAD or slope_spread <= _NO_SPREAD:
        return math.nan
    covariance = 0.0
    for query in range(count):
        others = _counts(np.delete(stereotypical, query, axis=0))
        rows, columns = others.shape
        expected = []  # the share if this query adds so many stereotypical documents, as a pair or alone
        for answer, held in enumerate(stereotypical[query]):
            pair = int(answer == 2)
            expected.append(float((others * shares[held : held + rows, pair : pair + columns]).sum()))
        covariance += slopes[query] * float(lists[query] @ (np.array(expected) - mean)) / 3
    return float(covariance / math.sqrt(share_spread * slope_spread))


def _counts(stereotypical: Array) -> Array:
    """Return the probability of s stereotypical documents and b lists of both, (2N + 1, N + 1), each answer 1/3
    likely.
    """
    count = len(stereotypical)
    chances = np.zeros((2 * count + 1, count + 1))
    chances[0, 0] = 1
    for increments in stereotypical:
        grown = np.zeros_like(chances)
        for answer, documents in enumerate(increments):
            pair = int(answer == 2)
            grown[documents:, pair:] += chances[: len(chances) - documents, : count + 1 - pair] / 3
        chances = grown
    return chances


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
    difference, size = float(high.mean() - low.mean()), len(high)
    values = np.concatenate([low, high])
    values = values - values.mean()  # keeps sums small; moves every division's sum alike
    reached = values[len(low) :].sum() - _ROUNDING * max(1.0, np.abs(values).sum())
    if len(values) <= MOST_COUNTED:
        divisions = math.comb(len(values), size)
        return PermutationTest(difference, _count_reaching(values, size, reached) / divisions, True, divisions)
    hits = _count_reaching_draws(values, size, reached, draws, seed)
    return PermutationTest(difference, (hits + 1) / (draws + 1), False, draws)


def _count_reaching(values: Array, size: int, least: float) -> int:
    """Return the exact number of subsets of this size with a sum of at least `least`."""
    first, second = _subset_sums(values[::2]), _subset_sums(values[1::2])
    count = 0
    for size_taken, sums in enumerate(first):
        if 0 <= size - size_taken < len(second):
            other_sums = second[size - size_taken]
            count += int((len(other_sums) - np.searchsorted(other_sums, least - sums, side="left")).sum())
    return count


def _count_reaching_draws(values: Array, size: int, least: float, draws: int, seed: int) -> int:
    """Return how many of `draws` random subsets of this size have a sum of at least `least`."""
    generator = np.random.default_rng(seed)
    count = 0
    for start in range(0, draws, _BATCH):
        rows = np.broadcast_to(values, (min(_BATCH, draws - start), len(values)))
        count += int((generator.permuted(rows, axis=1)[:, :size].sum(axis=1) >= least).sum())
    return count


def _subset_sums(values: Array) -> list[Array]:
    """Return the sums of all subsets of m values by the subsets' size 0..m, each sorted."""
    sums, sizes = np.zeros(1), np.zeros(1, dtype=np.int64)
    for value in values:
        sums, sizes = np.concatenate([sums, sums + value]), np.concatenate([sizes, sizes + 1])
    return [np.sort(sums[sizes == size]) for size in range(len(values) + 1)]


def word_list_test(direction: GenderDirection, lists: WordLists) -> WordListTest:
    """Return the lists' mean genderedness, NaN without vectors, and the test of whether the female list's mean is
    higher.
    """
    male, female = direction.of(lists.male), direction.of(lists.female)
    words, values = (*lists.male, *lists.female), np.concatenate([male, female])
    missing = tuple(word for word, g in zip(words, values, strict=True) if np.isnan(g))
    defined = [each[~np.isnan(each)] for each in (male, female)]
    male_mean, female_mean = (float(each.mean()) if len(each) else math.nan for each in defined)
    return WordListTest(lists, male_mean, female_mean, permutation_test(male, female), missing)


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
