"""The candidates of each list: the documents that a reordering may rank, and walks over their orders.

Axis letters: S systems, Q queries, K ranks, V lists of a query; N documents or random lists, X orders; M candidates.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import permutations
from math import perm
from typing import Literal

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.choices import Selection, aligned, judgements, positions, refuse_missing, selection_of
from fairviz.evaluation.questions import questions_of, wants_collection
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.rankings import Rankings, Tied, arranger, candidate_lists
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.ties import Arrange, Reordering
from fairviz.study.record import Study

Array = np.ndarray
CandidateSource = Literal["study", "run", "judged"]
SOURCES: tuple[CandidateSource, ...] = ("study", "run", "judged")
LEAST = 1e-12  # what counts as more: sums of different order differ by less than this
MOST_SWAPS = 100
BLOCK = 1_000  # orders of one stream of random numbers
MOST_ORDERS = 40_320  # of a list: 8!; up to this number, all can be evaluated
_WIDEST = 4  # times as many cells as candidates, up to which lists are laid out as rows of a table


def needs_collection(questions: Sequence[Question], settings: Settings, source: str) -> bool:
    """Return whether rankings must be aligned with the whole collection, for a background or judged candidates."""
    return wants_collection(questions, settings) or source == "judged"


def lists_requested(
    study: Study, measures: object, settings: Settings, source: str, rankings: AlignedRankings | None, reason: str
) -> tuple[list[Question], Selection]:
    """Return the questions of measures and the lists of the systems and queries shown, aligned for these candidates.

    rankings: to align from, if they exist already. reason: why a measure without a value for one list is refused, after
    its name. Raises FairvizError for such a measure, and for one whose inputs the study lacks.
    """
    questions = questions_of(measures, settings)
    for question in questions:
        if not question.per_query:
            raise FairvizError(f"{question.text} {reason}", "Leave it out.")
    refuse_missing(study, questions, settings)
    rankings = aligned(study, settings, rankings, collection=needs_collection(questions, settings, source))
    return questions, selection_of(study, settings, rankings)


def candidate_sets(study: Study, rankings: AlignedRankings, source: CandidateSource = "study") -> list[list[Array]]:
    """Return the candidates by system and query, as places in doc_ids: one row for all systems, or one a system.

    source: `study`, the documents that any system retrieved for the query (see `Rankings.candidates`); `run`, those of
    the system's own list; `judged`, those with a relevance judgement for the query, for which `rankings` must be
    aligned with the collection (judged documents without text or labels are left out). A query without candidates
    has none, (0,). Raises UsageError for another source, FairvizError for `judged` in a study without judgements.

    >>> import fairviz
    >>> from fairviz.evaluation.choices import align
    >>> football = fairviz.open_study("football")
    >>> sets = candidate_sets(football, align(football, fairviz.Settings()), "run")
    >>> len(sets) == len(football.systems)
    True
    """
    lists = rankings.lists
    if source == "study":
        return [lists.candidates]
    if source == "run":
        return [candidate_lists(lists, [system]) for system in range(len(lists.systems))]
    if source != "judged":
        raise UsageError(f"there is no source of candidates {source!r}", use_one_of(SOURCES, str(source)))
    if not len(study.qrels):
        raise FairvizError(
            f"{study.name} has no relevance judgements to take candidates from",
            "Use the candidates `study` or `run`, or add qrels.txt.",
        )
    judged = judgements(study)
    by_query = [
        lists.doc_ids.get_indexer(pd.Index(list(judged.get(query, ())), dtype="str")) for query in lists.queries
    ]
    return [[documents[documents >= 0] for documents in by_query]]


def swaps_within(order: Array, top: int) -> tuple[Array, Array]:
    """Return every order that results from a swap with one of the top ranks, (X, N), and both ranks, from 0, (X, 2).

    >>> swaps_within(np.array([0, 1, 2]), 1)[0].tolist()
    [[1, 0, 2], [2, 1, 0]]
    """
    first, second = np.nonzero(np.arange(len(order)) > np.arange(top)[:, None])
    orders = np.tile(order, (len(first), 1))
    rows = np.arange(len(first))
    orders[rows, first], orders[rows, second] = order[second], order[first]
    return orders, np.column_stack([first, second])


def climb(start: Array, top: int, progress: Callable[[Array], tuple[Array, Array]]) -> list[Array]:
    """Return the orders from the start on, each after the swap that gains most, until none gains.

    progress: from orders to what they gain and their effectiveness, which decides ties, (X,) each.
    """
    way, current = [start], float(progress(start[None])[0][0])
    for _ in range(MOST_SWAPS):
        if np.isposinf(current) or len(start) < 2:
            break
        orders, _ = swaps_within(way[-1], top)
        gains, effects = progress(orders)
        if not gains.max() > current + LEAST:
            break
        nearest = np.flatnonzero(gains >= gains.max() - LEAST)
        best = nearest[np.argmax(effects[nearest] >= effects[nearest].max() - LEAST)]
        way.append(orders[best])
        current = float(gains[best])
    return way


def all_orders(length: int, top: int | None = None) -> Array:
    """Return every order of a short list, (length!, length), the original one first; or of its first ranks, (X, top).

    >>> all_orders(3, 1).tolist()
    [[0], [1], [2]]
    """
    top = length if top is None else top
    return np.array(list(permutations(range(length), top)), dtype=np.int64).reshape(-1, top)


def orders_of_query(rankings: Rankings, query: str, documents: Array) -> Rankings:
    """Return orders of a query's documents, (K, X) as places in doc_ids, -1 for none, as the lists of X systems."""
    ranks, orders = documents.shape
    lengths = np.full((orders, 1), ranks, dtype=np.int32)
    by_rank = documents[:, :, None].astype(np.int32)
    return Rankings(("candidates",) * orders, (query,), rankings.doc_ids, by_rank, lengths)


@dataclass(frozen=True, eq=False)
class RandomLists:
    """Distinct random lists, (N,): two with the same candidates, query and length are one.

    candidates: of each list, places in doc_ids. query and length (N,). at (S, Q): the list of each system and query.
    A list has as many documents as the run's, or as there are candidates where those are fewer, and `depth` at most.
    """

    rankings: AlignedRankings
    candidates: Sequence[Array]
    query: Array
    length: Array
    at: Array

    @property
    def sizes(self) -> Array:
        """Number of candidates of each list, (N,)."""
        return np.array([len(documents) for documents in self.candidates], dtype=np.int64)

    def random_orders(self, numbers: Array, blocks: range, seed: int) -> AlignedRankings:
        """Return the rankings of these lists, with BLOCK orders a block as systems, and a query for each list.

        The first ranks of an order are the same for lists of any length, whichever other lists are drawn.
        """
        depth, orders = max(int(self.length[numbers].max(initial=0)), 1), BLOCK * len(blocks)
        documents = np.full((len(numbers), depth, orders), -1, dtype=np.int32)
        for row, number in enumerate(numbers.tolist()):
            length, name = int(self.length[number]), self.rankings.lists.queries[self.query[number]]
            for place, block in enumerate(blocks):
                generator = np.random.default_rng([seed, block, int.from_bytes(name.encode())])
                columns = slice(place * BLOCK, (place + 1) * BLOCK)
                documents[row, :length, columns] = first_ranks(self.candidates[number], length, BLOCK, generator)
        return self.with_orders(numbers, documents)

    def with_orders(self, numbers: Array, documents: Array) -> AlignedRankings:
        """Return the rankings of these lists (n,) in given orders of their candidates, (n, K, orders), -1 below an
        end."""
        names, orders = self.rankings.lists.queries, documents.shape[2]
        rankings = Rankings(
            tuple(map(str, range(orders))),
            tuple(names[query] for query in self.query[numbers].tolist()),
            self.rankings.lists.doc_ids,
            np.ascontiguousarray(documents.transpose(1, 2, 0)),
            np.tile(self.length[numbers].astype(np.int32), (orders, 1)),
        )
        return self.rankings.with_lists(rankings, self.query[numbers])


def random_lists(selection: Selection, source: CandidateSource, depth: int) -> RandomLists:
    """Return the random lists of the systems and queries shown. Raises: see `candidate_sets`."""
    rankings, lists = selection.rankings, selection.rankings.lists
    sets = candidate_sets(selection.study, rankings, source)
    systems, queries = positions(lists.systems, selection.systems), positions(lists.queries, selection.queries)
    row, query = np.broadcast_arrays((systems if len(sets) > 1 else systems * 0)[:, None], queries)
    sizes = np.array([[len(documents) for documents in by_query] for by_query in sets]).reshape(len(sets), -1)
    lengths = np.minimum(lists.lengths[systems][:, queries], depth)
    cases = np.stack([row, query, np.minimum(lengths, sizes[row, query])]).reshape(3, -1)
    distinct, at = np.unique(cases, axis=1, return_inverse=True)
    candidates = [sets[row][query] for row, query in distinct[:2].T.tolist()]
    return RandomLists(rankings, candidates, distinct[1], distinct[2], at.reshape(row.shape))


def first_ranks(candidates: Array, length: int, orders: int, generator: np.random.Generator) -> Array:
    """Return the documents at ranks 1..length of random orders of the candidates, (length, orders): Fisher and Yates.

    >>> first_ranks(np.array([7]), 1, 3, np.random.default_rng(0)).tolist()
    [[7, 7, 7]]
    """
    uniform = generator.random((length, orders))
    pool = np.repeat(candidates.astype(np.int32), orders)  # the document of place p in order o is at p · orders + o
    order, top = np.arange(orders), np.empty((length, orders), dtype=np.int32)
    for rank in range(length):
        place = (rank + (uniform[rank] * (len(candidates) - rank)).astype(np.int64)) * orders + order
        top[rank] = pool[place]
        pool[place] = pool[rank * orders : (rank + 1) * orders]
    return top


@dataclass(frozen=True, eq=False)
class CandidateLists:
    """The candidates of each list, and the number of ranks that they fill.

    sets: one row for all systems or one a system, with the candidates of each query, as places in doc_ids. row (S, Q):
    the list (V) of each system's ranking. reach (V, Q): ranks, the length of the ranking within the depth, and at most
    as many as there are candidates; 0 for no list. depth: the deepest rank that the measure reads.
    """

    rankings: AlignedRankings
    sets: Sequence[Sequence[Array]]
    row: Array
    reach: Array
    depth: int

    def of(self, row: int, query: int) -> Array:
        """Return the candidates of a list."""
        return self.sets[row if len(self.sets) > 1 else 0][query]

    def by_system(self, values: Array) -> Array:
        """Return values (V, Q) as those of each system's ranking, (S, Q)."""
        return np.take_along_axis(values, self.row, axis=0)

    @cached_property
    def tied(self) -> Tied:
        """All candidates of each list as one tied group; those beyond its ranks have the rank below the depth."""
        rows, queries = np.nonzero(self.reach)
        documents = [self.of(row, query) for row, query in zip(rows.tolist(), queries.tolist(), strict=True)]
        sizes = np.array([len(candidates) for candidates in documents], dtype=np.int64)
        group = np.repeat(np.arange(len(sizes)), sizes)
        position = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rank = np.where(position < self.reach[rows, queries][group], position + 1, self.depth + 1)
        document = np.concatenate(documents) if documents else np.zeros(0, dtype=np.int64)
        return Tied(rank, (rows * self.reach.shape[1] + queries)[group], group, document, self.reach.shape)

    @cached_property
    def reordering(self) -> Reordering:
        """The lists, in the order of their candidates, for the search for extremes."""
        tied = self.tied
        documents = np.full((self.depth, self.reach.size), -1, dtype=np.int32)
        ranked = tied.rank <= self.depth
        documents[tied.rank[ranked] - 1, tied.list[ranked]] = tied.document[ranked]
        retrieved = self.rankings.lists
        lists = Rankings(
            ("candidates",) * len(self.reach),
            retrieved.queries,
            retrieved.doc_ids,
            documents.reshape(self.depth, *self.reach.shape),
            self.reach.astype(np.int32),
        )
        return Reordering(self.rankings.with_orders(lists), tied, self.depth, row_arranger)

    @cached_property
    def labels(self) -> Array:
        """Number of candidates by label, neutral first and those without one last, (V, Q, 1 + G + 1)."""
        kinds = 2 + len(self.rankings.groups)
        code = self.rankings.labels.codes[self.tied.document].astype(np.int64) % kinds  # -1 is the last
        counts = np.bincount(self.tied.list * kinds + code, minlength=self.reach.size * kinds)
        return counts.reshape(*self.reach.shape, kinds)

    @cached_property
    def contains(self) -> Array:
        """Mask of the systems' own rankings that are, down to the depth, orders of candidates: (S, Q)."""
        documents = self.rankings.lists.documents[: self.depth]  # (K, S, Q)
        width, queries = len(self.rankings.lists.doc_ids), self.reach.shape[1]
        list_codes = self.row * queries + np.arange(queries)  # (S, Q)
        ranked = np.arange(len(documents))[:, None, None] < self.by_system(self.reach)
        is_candidate = np.isin(list_codes * width + documents, self.tied.list * width + self.tied.document)
        as_long = self.by_system(self.reach) == np.minimum(self.rankings.lists.lengths, self.depth)
        return (is_candidate | ~ranked).all(axis=0) & as_long

    @cached_property
    def orders(self) -> Array:
        """Number of orders of each list, (V, Q), 0 for more than MOST_ORDERS."""
        counts = np.zeros(self.reach.shape, dtype=np.int64)
        for row, query in zip(*np.nonzero(self.reach), strict=True):
            size, ranks = len(self.of(row, query)), int(self.reach[row, query])
            count = perm(size, ranks) if size <= MOST_ORDERS else MOST_ORDERS + 1
            counts[row, query] = count if count <= MOST_ORDERS else 0
        return counts

    def every_order(self, row: int, query: int) -> AlignedRankings:
        """Return all orders of a list, as rankings of one query by a system each. Backgrounds are not carried over."""
        candidates, ranks = self.of(row, query), int(self.reach[row, query])
        orders = candidates[_ranked(len(candidates), ranks)]  # (K, X)
        lists = self.rankings.lists
        return replace(self.rankings, lists=orders_of_query(lists, lists.queries[query], orders))


@lru_cache(maxsize=32)
def _ranked(size: int, ranks: int) -> Array:
    """Return all ways to fill the ranks from this many documents, (K, X)."""
    return all_orders(size, ranks).T


def lists_of(rankings: AlignedRankings, sets: Sequence[Sequence[Array]], depth: int) -> CandidateLists:
    """Return the lists of candidates for rankings as long as the systems' own, each different one once."""
    sizes = np.array([[len(candidates) for candidates in row] for row in sets]).reshape(len(sets), -1)  # (1 or S, Q)
    reach = np.minimum(np.minimum(rankings.lists.lengths, sizes), depth)  # (S, Q)
    if len(sets) > 1:
        return CandidateLists(
            rankings, sets, np.broadcast_to(np.arange(len(reach))[:, None], reach.shape), reach, depth
        )
    order = np.argsort(reach, axis=0, kind="stable")
    number = np.cumsum(np.diff(np.take_along_axis(reach, order, axis=0), axis=0, prepend=-1) > 0, axis=0) - 1
    row = np.empty_like(number)
    np.put_along_axis(row, order, number, axis=0)
    distinct = np.zeros((int(row.max(initial=0)) + 1, reach.shape[1]), dtype=np.int64)
    np.put_along_axis(distinct, row, reach, axis=0)
    return CandidateLists(rankings, sets, row, distinct, depth)


def row_arranger(rankings: Rankings, tied: Tied, weights: Array, depth: int) -> Arrange:
    """Return the function of `arranger`, for lists of one tied group each: a tenth of the time for long lists.

    Lists are laid out as rows of a table, unless their lengths differ so much that it would be mostly empty.
    """
    _, first, sizes = np.unique(tied.group, return_index=True, return_counts=True)
    width = int(sizes.max(initial=0))
    if len(sizes) * width > _WIDEST * len(tied.rank):
        return arranger(rankings, tied, weights, depth)
    cell = tied.group * width + np.arange(len(tied.group)) - first[tied.group]
    reach = np.bincount(tied.group[tied.rank <= depth], minlength=len(sizes))
    top = min(depth, width)
    ranks = _heaviest(weights, depth)[reach][:, :top]  # (lists, top)
    filled = ranks >= 0
    list_codes = np.broadcast_to(tied.list[first][:, None], ranks.shape)[filled]

    def arrange(key: Array) -> Rankings:
        table = np.full((len(sizes), width), np.inf)
        table.ravel()[cell] = np.clip(-key, -1e300, 1e300)  # below the empty cells
        column = np.argpartition(table, top - 1, axis=1)[:, :top] if width > top else np.argsort(table, axis=1)
        column = np.take_along_axis(column, np.argsort(np.take_along_axis(table, column, axis=1), axis=1), axis=1)
        documents = rankings.documents[:depth].copy()
        chosen = tied.document[(first[:, None] + column)[filled]]
        documents.reshape(len(documents), -1)[ranks[filled], list_codes] = chosen
        return replace(rankings, documents=documents)

    return arrange


def _heaviest(weights: Array, depth: int) -> Array:
    """Return the ranks of a list by falling weight, from 0, padded by -1: a row for each length, (depth + 1, depth)."""
    ranks = np.full((depth + 1, depth), -1)
    for length in range(1, depth + 1):
        ranks[length, :length] = np.lexsort((np.arange(length), -weights[:length]))
    return ranks
