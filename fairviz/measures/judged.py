"""Effectiveness from the places of the judged documents: one search, then a few sums for every cutoff.

nDCG, RR, P, R, AP and Success equal ir_measures' to the last digit: sums run down the ranks one by one, as in
trec_eval. Axis letters: S systems, Q queries, C cutoffs; N judged documents in lists, J judgements.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from fairviz.measures.rankings import Rankings, SharedArrays, rows_of

Array = np.ndarray
WHOLE = np.iinfo(np.int32).max  # the cutoff of whole lists, and of an ideal order of all judged documents
RANKS_AT_ONCE = 64  # ranks that are searched together, to limit memory


@dataclass(frozen=True, eq=False)
class JudgedPlaces(SharedArrays):
    """Places of the judged documents. lists, ranks and grades (N,): each judged document in a list, by rising rank;
    its list as system * Q + query. queries and judged (J,): every judgement, the best of each query first."""

    shape: tuple[int, int]
    lists: Array
    ranks: Array
    grades: Array
    queries: Array
    judged: Array


Kernel = Callable[[JudgedPlaces, Any, Array], Array]


def judged_places(
    rankings: Rankings,
    judged: Mapping[str, Mapping[str, int]],
    depth: int | None = None,
    codes: Array | None = None,
) -> JudgedPlaces:
    """Return the places of the documents in lists of the queries for which they are judged, down to this depth.

    codes (J,): the place in doc_ids of each judged document, if it was looked up before (`document_places`).
    """
    judgements = [judged.get(query, {}) for query in rankings.queries]
    queries = np.repeat(np.arange(len(judgements)), [len(by_document) for by_document in judgements])
    grades = np.array([grade for by_document in judgements for grade in by_document.values()], dtype=np.int32)
    if codes is None:
        codes = document_places(rankings, [name for by_document in judgements for name in by_document])
    width, shape = len(rankings.doc_ids), rankings.lengths.shape
    retrieved = codes >= 0
    keys = queries[retrieved] * width + codes[retrieved]  # a query and a document as one number
    order = np.argsort(keys)
    keys, sorted_grades = keys[order], grades[retrieved][order]
    any_query = np.zeros(width + 1, dtype=bool)  # the last is for -1, no document
    any_query[codes[retrieved]] = True
    found = [np.zeros((3, 0), dtype=np.int32)]  # list, rank and grade of each judged document, by rising rank
    deepest = min(rankings.depth if depth is None else depth, rankings.depth) if len(keys) else 0
    for start in range(0, deepest, RANKS_AT_ONCE):
        part = rankings.documents[start : min(start + RANKS_AT_ONCE, deepest)].reshape(-1)
        candidates = np.flatnonzero(np.take(any_query, part, mode="wrap"))
        rank, place = np.divmod(candidates, rankings.lengths.size)
        key = place % shape[1] * width + part[candidates]
        key_places = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        is_judged = keys[key_places] == key
        columns = place[is_judged], rank[is_judged] + start + 1, sorted_grades[key_places[is_judged]]
        found.append(np.stack(columns).astype(np.int32))
    best_first = np.lexsort((-grades.astype(np.int64), queries))
    lists, ranks, found_grades = np.concatenate(found, axis=1)
    return JudgedPlaces(shape, lists, ranks, found_grades, queries[best_first], grades[best_first])


def document_places(rankings: Rankings, names: Sequence[str]) -> Array:
    """Return the place in doc_ids of each document, -1 for one that no system retrieved."""
    named_documents = pd.Index(list(names), dtype="str")
    distinct = named_documents.unique()
    rows = rows_of(distinct, rankings.doc_ids)
    place = np.full(len(distinct), -1, dtype=np.int64)
    place[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    return place[distinct.get_indexer(named_documents)]


def judged_only(places: JudgedPlaces) -> JudgedPlaces:
    """Return the places in lists without unjudged documents. A negative grade is not a judgement, as in trec_eval."""
    judged = places.grades >= 0
    lists, grades = places.lists[judged], places.grades[judged]
    order = np.argsort(lists, kind="stable")  # by list, and in it by rank
    first = np.searchsorted(lists[order], lists[order])
    ranks = np.empty(len(lists), dtype=np.int32)
    ranks[order] = np.arange(len(lists)) - first + 1
    rising = np.argsort(ranks, kind="stable")
    return replace(places, lists=lists[rising], ranks=ranks[rising], grades=grades[rising])


def by_places(places: JudgedPlaces, measure: Any, cutoffs: Array | None) -> Array:
    """Return the measure of each ranking at each cutoff (C,), or of whole lists for None: (C, S, Q).

    A query without judgements is NaN; a judged query that a system lacks is 0.
    """
    if measure["judged_only"]:
        places = judged_only(places)
    cutoffs = np.array([WHOLE]) if cutoffs is None else cutoffs
    values = KERNELS[measure.NAME](places, measure, cutoffs).reshape(len(cutoffs), *places.shape)
    is_judged = np.bincount(places.queries, minlength=places.shape[1]) > 0  # (Q,)
    return np.where(is_judged, values, np.nan)


def ndcg(places: JudgedPlaces, measure: Any, cutoffs: Array) -> Array:
    """Sum of gain over log2(1 + rank), over that of the best order; in [0, 1], 0 without a relevant document.

    The gain is the grade, or its gain in `gains`; with dcg `exp-log2` it is 2^grade - 1, as in gdeval. Negative grades
    gain nothing.

    >>> from ir_measures import nDCG
    >>> one_list = JudgedPlaces((1, 1), np.array([0, 0]), np.array([1, 2]), np.array([1, 2]),
    ...                         np.array([0, 0]), np.array([2, 1]))
    >>> ndcg(one_list, nDCG(dcg="exp-log2"), np.array([2])).round(4).tolist()  # (1 + 3 / log2 3) / (3 + 1 / log2 3)
    [[0.7967]]
    """
    gains, judged_gains = _gains(places.grades, measure), _gains(places.judged, measure)
    top = np.zeros(places.shape[1])
    np.maximum.at(top, places.queries, judged_gains)
    if measure["dcg"] == "exp-log2":  # over 2^top, which cancels: no grade overflows
        by_list, by_judgement = top[places.lists % places.shape[1]], top[places.queries]
        gains = np.exp2(gains - by_list) - np.exp2(-by_list)
        judged_gains = np.exp2(judged_gains - by_judgement) - np.exp2(-by_judgement)
    order = np.lexsort((-judged_gains, places.queries))  # a table of gains may reverse the grades
    queries = places.queries[order]
    rank_in_ideal = np.arange(len(queries)) - np.searchsorted(queries, queries) + 1
    by_rank = np.argsort(rank_in_ideal, kind="stable")
    ideal = _running_sums(
        _discounted(judged_gains[order][by_rank], rank_in_ideal[by_rank]),
        rank_in_ideal[by_rank],
        queries[by_rank],
        cutoffs,
        len(top),
    )
    summed = _running_sums(
        _discounted(gains, places.ranks), places.ranks, places.lists, cutoffs, math.prod(places.shape)
    )
    best = np.where(top > 0, ideal, 0)[:, None]  # (C, 1, Q)
    values = summed.reshape(len(cutoffs), *places.shape)
    return np.divide(values, best, out=np.zeros(values.shape), where=best > 0).reshape(len(cutoffs), -1)


def _gains(grades: Array, measure: Any) -> Array:
    """Return the gains of the grades by the measure's table; negative grades gain nothing."""
    values = np.maximum(grades, 0).astype(np.float64)
    for grade, gain in (measure.params.get("gains") or {}).items():
        values = np.where(grades == grade, float(gain), values)
    return values


def _discounted(gains: Array, ranks: Array) -> Array:
    """Return gains (N,) over log2(1 + rank), with C's logarithm as in trec_eval."""
    discounts = np.array([math.log2(rank + 1) for rank in range(1, int(ranks.max(initial=0)) + 1)])
    return gains / discounts[ranks - 1] if len(ranks) else gains


def _running_sums(values: Array, ranks: Array, lists: Array, cutoffs: Array, count: int) -> Array:
    """Return sums of values (N,) down to each cutoff in each list, added one by one: (C, lists). ranks rise."""
    order = np.argsort(cutoffs, kind="stable")
    ends = np.searchsorted(ranks, cutoffs[order], side="right")
    running, sums, start = np.zeros(count), np.empty((len(cutoffs), count)), 0
    for row, end in zip(order, ends, strict=True):
        np.add.at(running, lists[start:end], values[start:end])
        sums[row], start = running, end
    return sums


def _relevant(places: JudgedPlaces, measure: Any) -> tuple[JudgedPlaces, Array]:
    """Return the places of relevant documents only, and the number of relevant documents of each query, (Q,)."""
    in_lists, in_judgements = places.grades >= measure["rel"], places.judged >= measure["rel"]
    counts = np.bincount(places.queries[in_judgements], minlength=places.shape[1])
    return replace(
        places, lists=places.lists[in_lists], ranks=places.ranks[in_lists], grades=places.grades[in_lists]
    ), counts


def _count_retrieved(relevant: JudgedPlaces, cutoffs: Array) -> Array:
    """Return the number of places within each cutoff, (C, lists)."""
    return _running_sums(
        np.ones(len(relevant.ranks)), relevant.ranks, relevant.lists, cutoffs, math.prod(relevant.shape)
    )


def precision(places: JudgedPlaces, measure: Any, cutoffs: Array) -> Array:
    """Number of relevant documents within the cutoff over the cutoff."""
    return _count_retrieved(_relevant(places, measure)[0], cutoffs) / cutoffs[:, None]


def recall(places: JudgedPlaces, measure: Any, cutoffs: Array) -> Array:
    """Number of relevant documents within the cutoff over all relevant ones, 0 without any."""
    relevant, counts = _relevant(places, measure)
    return _divide_by_query(_count_retrieved(relevant, cutoffs), counts, places)


def success(places: JudgedPlaces, measure: Any, cutoffs: Array) -> Array:
    """1 for a list with a relevant document within the cutoff, else 0."""
    return (_count_retrieved(_relevant(places, measure)[0], cutoffs) > 0).astype(np.float64)


def average_precision(places: JudgedPlaces, measure: Any, cutoffs: Array) -> Array:
    """Sum of the precision at each relevant document's rank within the cutoff, over the number of relevant ones."""
    relevant, counts = _relevant(places, measure)
    order = np.argsort(relevant.lists, kind="stable")
    lists = relevant.lists[order]
    above = np.empty(len(lists))
    above[order] = np.arange(len(lists)) - np.searchsorted(lists, lists) + 1  # relevant documents down to this rank
    summed = _running_sums(above / relevant.ranks, relevant.ranks, relevant.lists, cutoffs, math.prod(places.shape))
    return _divide_by_query(summed, counts, places)


def reciprocal_rank(places: JudgedPlaces, measure: Any, cutoffs: Array) -> Array:
    """1 over the rank of the first relevant document, 0 without one within the cutoff."""
    relevant, _ = _relevant(places, measure)
    first = np.full(math.prod(places.shape), np.inf)
    first[relevant.lists[::-1]] = relevant.ranks[::-1]  # the last written rank is the highest
    return np.where(first <= cutoffs[:, None], 1 / first, 0.0)


def _divide_by_query(values: Array, counts: Array, places: JudgedPlaces) -> Array:
    """Return values (C, lists) over a count of each query, 0 for a count of 0."""
    list_counts = np.tile(counts, places.shape[0])  # (lists,)
    return np.divide(values, list_counts, out=np.zeros(values.shape), where=list_counts > 0)


KERNELS: dict[str, Kernel] = {
    "nDCG": ndcg,
    "RR": reciprocal_rank,
    "P": precision,
    "R": recall,
    "AP": average_precision,
    "Success": success,
}
