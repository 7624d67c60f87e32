"""Effectiveness from the places of the judged documents: found once, then every cutoff is a few sums.

nDCG, RR, P, R, AP and Success as ir_measures has them, to the last digit: sums run down the ranks, one after another,
as trec_eval's do. Axis letters: S systems, Q queries, C cutoffs; N judged documents in lists, J judgements.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairviz.measures.rankings import Rankings

Array = np.ndarray
WHOLE = np.iinfo(np.int32).max  # the cutoff of whole lists, and of an ideal order of all that is judged
RANKS_AT_ONCE = 64  # ranks that are searched together, so that memory stays small


@dataclass(frozen=True, eq=False)
class JudgedPlaces:
    """Where the judged documents stand. lists, ranks and grades (N,): each one found in a list, by rising rank; its
    list as system * Q + query. queries and judged (J,): every judgement, the best of each query first."""

    shape: tuple[int, int]
    lists: Array
    ranks: Array
    grades: Array
    queries: Array
    judged: Array

    @property
    def nbytes(self) -> int:
        """Memory that the arrays take."""
        return sum(part.nbytes for part in (self.lists, self.ranks, self.grades, self.queries, self.judged))


Kernel = Callable[[JudgedPlaces, Any, Array], Array]


def judged_places(rankings: Rankings, judged: Mapping[str, Mapping[str, int]]) -> JudgedPlaces:
    """The places of the documents that are judged for the query whose list they stand in."""
    held = [judged.get(query, {}) for query in rankings.queries]
    queries = np.repeat(np.arange(len(held)), [len(grades) for grades in held])
    grades = np.array([grade for each in held for grade in each.values()], dtype=np.int32)
    lists, ranks, found = _found(
        rankings, queries, document_places(rankings, [name for each in held for name in each]), grades
    )
    order = np.lexsort((-grades.astype(np.int64), queries))
    shape = rankings.lengths.shape
    return JudgedPlaces(shape, lists, ranks, found, queries[order], grades[order])


def document_places(rankings: Rankings, names: Sequence[str]) -> Array:
    """The place in doc_ids of each document, -1 for one that no system retrieved."""
    import pandas as pd

    named = pd.Index(list(names), dtype="str")
    distinct = named.unique()
    held = distinct.get_indexer(rankings.doc_ids)  # (D,); this way round the table of names is the small one
    place = np.full(len(distinct), -1, dtype=np.int64)
    place[held[held >= 0]] = np.flatnonzero(held >= 0)
    return place[distinct.get_indexer(named)]


def _found(rankings: Rankings, queries: Array, codes: Array, grades: Array) -> tuple[Array, Array, Array]:
    """list, rank and grade of each judged document in a list, (N,) each, by rising rank."""
    documents = rankings.documents  # (K, S, Q)
    width = len(rankings.doc_ids)
    there = codes >= 0
    keys = queries[there] * width + codes[there]  # a query and a document as one number
    order = np.argsort(keys)
    keys, sorted_grades = keys[order], grades[there][order]
    any_query = np.zeros(width + 1, dtype=bool)  # the last is that of no document, -1
    any_query[codes[there]] = True
    parts = []
    for start in range(0, len(documents) if len(keys) else 0, RANKS_AT_ONCE):
        part = documents[start : start + RANKS_AT_ONCE].reshape(-1)
        hits = np.flatnonzero(np.take(any_query, part, mode="wrap"))
        rank, place = np.divmod(hits, rankings.lengths.size)
        key = place % rankings.lengths.shape[1] * width + part[hits]
        at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        own = keys[at] == key
        parts.append((place[own].astype(np.int32), (rank[own] + start + 1).astype(np.int32), sorted_grades[at[own]]))
    columns = zip(*parts, strict=True) if parts else ([np.zeros(0, dtype=np.int32)] for _ in range(3))
    lists, ranks, found = (np.concatenate(column) for column in columns)
    return lists, ranks, found


def judged_only(held: JudgedPlaces) -> JudgedPlaces:
    """The places in lists without their unjudged documents, the judged ones moved up. A negative grade is no judgement,
    as trec_eval has it."""
    kept = held.grades >= 0
    lists, grades = held.lists[kept], held.grades[kept]
    order = np.argsort(lists, kind="stable")  # by list, and in it by rank
    first = np.searchsorted(lists[order], lists[order])
    ranks = np.empty(len(lists), dtype=np.int32)
    ranks[order] = np.arange(len(lists)) - first + 1
    rising = np.argsort(ranks, kind="stable")
    return replace(held, lists=lists[rising], ranks=ranks[rising], grades=grades[rising])


def by_places(held: JudgedPlaces, measure: Any, cutoffs: Array | None) -> Array:
    """The measure of each ranking at each cutoff (C,), or of whole lists for None: (C, S, Q).

    A query without judgements is NaN; a judged query that a system lacks is 0.
    """
    if measure["judged_only"]:
        held = judged_only(held)
    cutoffs = np.array([WHOLE]) if cutoffs is None else cutoffs
    values = KERNELS[measure.NAME](held, measure, cutoffs).reshape(len(cutoffs), *held.shape)
    known = np.bincount(held.queries, minlength=held.shape[1]) > 0  # (Q,)
    return np.where(known, values, np.nan)


def ndcg(held: JudgedPlaces, measure: Any, cutoffs: Array) -> Array:
    """Gain over log2(1 + rank), summed, over that of the best order; in [0, 1], 0 without a relevant document.

    The gain is the grade, or what `gains` makes of it; with dcg `exp-log2` it is 2^grade - 1, as in gdeval. Negative
    grades gain nothing.

    >>> from ir_measures import nDCG
    >>> one_list = JudgedPlaces((1, 1), np.array([0, 0]), np.array([1, 2]), np.array([1, 2]),
    ...                         np.array([0, 0]), np.array([2, 1]))
    >>> ndcg(one_list, nDCG(dcg="exp-log2"), np.array([2])).round(4).tolist()  # (1 + 3 / log2 3) / (3 + 1 / log2 3)
    [[0.7967]]
    """
    gained, judged = _gained(held.grades, measure), _gained(held.judged, measure)
    top = np.zeros(held.shape[1])
    np.maximum.at(top, held.queries, judged)
    if measure["dcg"] == "exp-log2":  # over 2^top, which cancels: no grade is too high for it
        gained, judged = _doubled(gained, top[held.lists % held.shape[1]]), _doubled(judged, top[held.queries])
    order = np.lexsort((-judged, held.queries))  # a table of gains may turn the grades round
    queries = held.queries[order]
    places = np.arange(len(queries)) - np.searchsorted(queries, queries) + 1
    down = np.argsort(places, kind="stable")
    ideal = _running(_discounted(judged[order][down], places[down]), places[down], queries[down], cutoffs, len(top))
    summed = _running(_discounted(gained, held.ranks), held.ranks, held.lists, cutoffs, math.prod(held.shape))
    best = np.where(top > 0, ideal, 0)[:, None]  # (C, 1, Q)
    values = summed.reshape(len(cutoffs), *held.shape)
    return np.divide(values, best, out=np.zeros(values.shape), where=best > 0).reshape(len(cutoffs), -1)


def _doubled(gains: Array, top: Array) -> Array:
    return np.exp2(gains - top) - np.exp2(-top)


def _gained(grades: Array, measure: Any) -> Array:
    """The grades after the measure's own table of gains; negative ones gain nothing."""
    values = np.maximum(grades, 0).astype(np.float64)
    for grade, gain in (measure.params.get("gains") or {}).items():
        values = np.where(grades == grade, float(gain), values)
    return values


def _discounted(gains: Array, ranks: Array) -> Array:
    """Gains (N,) over log2(1 + rank); the logarithm is C's, as trec_eval's is."""
    discounts = np.array([math.log2(rank + 1) for rank in range(1, int(ranks.max(initial=0)) + 1)])
    return gains / discounts[ranks - 1] if len(ranks) else gains


def _running(values: Array, ranks: Array, lists: Array, cutoffs: Array, count: int) -> Array:
    """Sums of values (N,) down to each cutoff in each list, one addition after another: (C, lists). ranks rise."""
    order = np.argsort(cutoffs, kind="stable")
    ends = np.searchsorted(ranks, cutoffs[order], side="right")
    running, out, start = np.zeros(count), np.empty((len(cutoffs), count)), 0
    for row, end in zip(order, ends, strict=True):
        np.add.at(running, lists[start:end], values[start:end])
        out[row], start = running, end
    return out


def _relevant(held: JudgedPlaces, measure: Any) -> tuple[JudgedPlaces, Array]:
    """Only the places of relevant documents, and how many documents are relevant to each query, (Q,)."""
    kept, relevant = held.grades >= measure["rel"], held.judged >= measure["rel"]
    counts = np.bincount(held.queries[relevant], minlength=held.shape[1])
    return replace(held, lists=held.lists[kept], ranks=held.ranks[kept], grades=held.grades[kept]), counts


def _retrieved(found: JudgedPlaces, cutoffs: Array) -> Array:
    """How many of the places found stand within each cutoff, (C, lists)."""
    return _running(np.ones(len(found.ranks)), found.ranks, found.lists, cutoffs, math.prod(found.shape))


def precision(held: JudgedPlaces, measure: Any, cutoffs: Array) -> Array:
    """Relevant documents within the cutoff over the cutoff."""
    return _retrieved(_relevant(held, measure)[0], cutoffs) / cutoffs[:, None]


def recall(held: JudgedPlaces, measure: Any, cutoffs: Array) -> Array:
    """Relevant documents within the cutoff over all that are relevant, 0 where none is."""
    found, counts = _relevant(held, measure)
    return _over(_retrieved(found, cutoffs), counts, held)


def success(held: JudgedPlaces, measure: Any, cutoffs: Array) -> Array:
    """1 where a relevant document stands within the cutoff, else 0."""
    return (_retrieved(_relevant(held, measure)[0], cutoffs) > 0).astype(np.float64)


def average_precision(held: JudgedPlaces, measure: Any, cutoffs: Array) -> Array:
    """The precision at the rank of each relevant document within the cutoff, summed, over all that are relevant."""
    found, counts = _relevant(held, measure)
    order = np.argsort(found.lists, kind="stable")
    lists = found.lists[order]
    above = np.empty(len(lists))
    above[order] = np.arange(len(lists)) - np.searchsorted(lists, lists) + 1  # relevant ones down to this rank
    summed = _running(above / found.ranks, found.ranks, found.lists, cutoffs, math.prod(held.shape))
    return _over(summed, counts, held)


def reciprocal_rank(held: JudgedPlaces, measure: Any, cutoffs: Array) -> Array:
    """1 over the rank of the first relevant document, 0 where there is none within the cutoff."""
    found, _ = _relevant(held, measure)
    first = np.full(math.prod(held.shape), np.inf)
    first[found.lists[::-1]] = found.ranks[::-1]  # the last that is written is the highest
    return np.where(first <= cutoffs[:, None], 1 / first, 0.0)


def _over(values: Array, counts: Array, held: JudgedPlaces) -> Array:
    """Values (C, lists) over a count of each query, 0 where that is 0."""
    whole = np.tile(counts, held.shape[0])  # (lists,)
    return np.divide(values, whole, out=np.zeros(values.shape), where=whole > 0)


KERNELS: dict[str, Kernel] = {
    "nDCG": ndcg,
    "RR": reciprocal_rank,
    "P": precision,
    "R": recall,
    "AP": average_precision,
    "Success": success,
}
