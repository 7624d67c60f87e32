"""The lists that a reordering of candidates can make, as lists in which all candidates are tied.

Axis letters: S systems, Q queries, K ranks, V lists of a query; M candidates, in all lists.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import permutations
from math import perm

import numpy as np

from fairviz.measures.rankings import Rankings
from fairviz.measures.sums import AlignedRankings
from fairviz.measures.ties import Tied, arranger
from fairviz.orders.extremes import Arrange, Reordering

Array = np.ndarray
MOST_ORDERS = 40_320  # of a list: 8!; up to this number, all can be evaluated
_WIDEST = 4  # times as many cells as candidates, up to which lists are laid out as rows of a table


@dataclass(frozen=True, eq=False)
class CandidateLists:
    """The candidates of each list, and the number of ranks that they fill.

    sets: one row for all systems or one a system, with the candidates of each query, as places in doc_ids. row (S, Q):
    the list (V) of each system's ranking. reach (V, Q): ranks, the length of the ranking within the depth, and at most
    as many as there are candidates; 0 for no list. depth: the deepest rank that the measure reads.
    """

    places: AlignedRankings
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
        rankings = self.places.rankings
        lists = Rankings(
            ("candidates",) * len(self.reach),
            rankings.queries,
            rankings.doc_ids,
            documents.reshape(self.depth, *self.reach.shape),
            self.reach.astype(np.int32),
        )
        return Reordering(self.places.with_orders(lists), tied, self.depth, row_arranger)

    @cached_property
    def labels(self) -> Array:
        """Number of candidates by label, neutral first and those without one last, (V, Q, 1 + G + 1)."""
        kinds = 2 + len(self.places.groups)
        code = self.places.labels.codes[self.tied.document].astype(np.int64) % kinds  # -1 is the last
        counts = np.bincount(self.tied.list * kinds + code, minlength=self.reach.size * kinds)
        return counts.reshape(*self.reach.shape, kinds)

    @cached_property
    def contains(self) -> Array:
        """Mask of the systems' own rankings that are, down to the depth, orders of candidates: (S, Q)."""
        documents = self.places.rankings.documents[: self.depth]  # (K, S, Q)
        width, queries = len(self.places.rankings.doc_ids), self.reach.shape[1]
        list_codes = self.row * queries + np.arange(queries)  # (S, Q)
        ranked = np.arange(len(documents))[:, None, None] < self.by_system(self.reach)
        is_candidate = np.isin(list_codes * width + documents, self.tied.list * width + self.tied.document)
        as_long = self.by_system(self.reach) == np.minimum(self.places.rankings.lengths, self.depth)
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
        documents = candidates[_permutations(len(candidates), ranks)].astype(np.int32)  # (K, N)
        rankings = self.places.rankings
        lists = Rankings(
            ("candidates",) * documents.shape[1],
            (rankings.queries[query],),
            rankings.doc_ids,
            documents[:, :, None],
            np.full((documents.shape[1], 1), ranks, dtype=np.int32),
        )
        return replace(self.places, rankings=lists)


@lru_cache(maxsize=32)
def _permutations(size: int, ranks: int) -> Array:
    """Return all ways to fill the ranks from this many documents, (K, N)."""
    return np.array(list(permutations(range(size), ranks))).T


def lists_of(places: AlignedRankings, sets: Sequence[Sequence[Array]], depth: int) -> CandidateLists:
    """Return the lists of candidates for rankings as long as the systems' own, each different one once."""
    sizes = np.array([[len(candidates) for candidates in row] for row in sets]).reshape(len(sets), -1)  # (1 or S, Q)
    reach = np.minimum(np.minimum(places.rankings.lengths, sizes), depth)  # (S, Q)
    if len(sets) > 1:
        return CandidateLists(places, sets, np.broadcast_to(np.arange(len(reach))[:, None], reach.shape), reach, depth)
    order = np.argsort(reach, axis=0, kind="stable")
    number = np.cumsum(np.diff(np.take_along_axis(reach, order, axis=0), axis=0, prepend=-1) > 0, axis=0) - 1
    row = np.empty_like(number)
    np.put_along_axis(row, order, number, axis=0)
    distinct = np.zeros((int(row.max(initial=0)) + 1, reach.shape[1]), dtype=np.int64)
    np.put_along_axis(distinct, row, reach, axis=0)
    return CandidateLists(places, sets, row, distinct, depth)


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
