"""GSR against the share of stereotypical documents, over every answer to the toy set (GSR paper, section 3.5).

For each occupation a reasonable system returns the document with the man, the one with the woman, or both: 3^N
solutions for N queries, 3.5 thousand million for 20. Their mean, spread and correlation need no enumeration: the slope
is a sum over queries, and the share depends on two counts only.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.words.genderedness import GenderDirection
from fairviz.words.stereotype_lists import WORD_LISTS

Array = np.ndarray
SAMPLE = 2_000
_JOBS = WORD_LISTS["jobs"]
_NO_SPREAD = 1e-15
_SECOND = 1 / math.log2(3)  # the discount of rank 2


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
    totals, shares = _counts(stereotypical), _shares(count)
    mean = (totals * shares).sum()
    share_spread = (totals * shares**2).sum() - mean**2
    slope_spread = (slopes**2 * lists.var(axis=1)).sum()
    if share_spread <= _NO_SPREAD or slope_spread <= _NO_SPREAD:
        return math.nan
    covariance = 0.0
    for query in range(count):
        other_counts = _counts(np.delete(stereotypical, query, axis=0))
        expected = [
            _expected(other_counts, shares, held, answer == 2) for answer, held in enumerate(stereotypical[query])
        ]
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


def _shares(count: int) -> Array:
    """Return the stereotypical documents over those retrieved, s / (N + b), (2N + 1, N + 1)."""
    stereotypical, pairs = np.indices((2 * count + 1, count + 1))
    return stereotypical / (count + pairs)


def _expected(others: Array, shares: Array, count: int, pair: bool) -> float:
    """Return the expected share if one query adds `count` stereotypical documents, as a pair or alone."""
    rows, columns = others.shape
    return float((others * shares[count : count + rows, int(pair) : int(pair) + columns]).sum())
