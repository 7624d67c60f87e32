"""Documents with the same score: the places they share, and the orders in which they could stand there.

A run does not order documents of equal score; the tie rule does. Only a tied group that reaches into the cutoff can
change a value. Axis letters: M tied places, in all lists; K ranks, S systems, Q queries.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from math import factorial

import numpy as np
import pandas as pd

from fairviz.measures.rankings import Array, Rankings
from fairviz.study.tables import Ties, ranked, score_groups

MOST_ORDERS = 24  # of a list: so many are all looked at
_LARGEST = 4  # 4! is 24


@dataclass(frozen=True, eq=False)
class Tied:
    """The places of tied groups that reach the cutoff, group by group and in each by rank.

    rank (M,): from 1. list (M,): system * Q + query. group (M,): 0, 1, … document (M,): a place in
    doc_ids. shape: S, Q.
    """

    rank: Array
    list: Array
    group: Array
    document: Array
    shape: tuple[int, int]

    @property
    def nbytes(self) -> int:
        """Memory that the arrays take."""
        return sum(part.nbytes for part in (self.rank, self.list, self.group, self.document))

    @property
    def lists(self) -> Array:
        """Whether each list has such a group, (S, Q)."""
        held = np.zeros(self.shape, dtype=bool)
        held.ravel()[self.list] = True
        return held


def tied_places(runs: pd.DataFrame, rankings: Rankings, rule: Ties, cutoff: int) -> Tied:
    """The tied groups that begin within the cutoff; rankings: of the same runs under the same rule."""
    ordered = ranked(runs, rule)
    group = score_groups(ordered, rule)  # (N,): rises with every change of list or score
    rank = ordered["rank"].to_numpy()
    sizes = np.bincount(group) if len(group) else np.zeros(0, dtype=np.int64)
    first = rank[np.flatnonzero(np.diff(group, prepend=-1))] if len(group) else rank
    rows = np.flatnonzero(((sizes > 1) & (first <= cutoff))[group])
    system, query = (
        pd.Index(names, dtype="str").get_indexer(pd.Index(ordered[column].iloc[rows].astype("str")))
        for column, names in (("system", rankings.systems), ("query_id", rankings.queries))
    )
    renumbered = np.unique(group[rows], return_inverse=True)[1]
    places = rank[rows].astype(np.int64)
    documents = rankings.documents[places - 1, system, query]
    return Tied(places, system * len(rankings.queries) + query, renumbered, documents, rankings.lengths.shape)


def arranger(rankings: Rankings, tied: Tied, weights: Array, depth: int) -> Callable[[Array], Rankings]:
    """What gives the rankings cut at `depth`, in each tied group the document of the largest key at the heaviest place.

    weights (depth,): how heavy each rank is, 0 below. It takes keys (M,): of the document at each tied place.
    """
    heavy = np.append(weights, 0.0)[np.minimum(tied.rank, depth + 1) - 1]
    taken = np.lexsort((tied.rank, -heavy, tied.group))
    rank, where = tied.rank[taken], tied.list[taken]
    inside = rank <= min(depth, len(rankings.documents))
    rank, where = rank[inside] - 1, where[inside]

    def arranged(key: Array) -> Rankings:
        given = np.lexsort((-key, tied.group))[inside]
        documents = rankings.documents[:depth].copy()
        documents.reshape(len(documents), -1)[rank, where] = tied.document[given]
        return replace(rankings, documents=documents)

    return arranged


def countable(tied: Tied) -> Array:
    """How many orders each list has, (S * Q,), 0 where these are more than MOST_ORDERS."""
    _, first, size = np.unique(tied.group, return_index=True, return_counts=True)
    orders = np.ones(np.prod(tied.shape, dtype=int))
    for members, where in zip(size.tolist(), tied.list[first].tolist(), strict=True):
        orders[where] *= factorial(members) if members <= _LARGEST else MOST_ORDERS + 1
    return np.where(orders <= MOST_ORDERS, orders, 0).astype(np.int64)


def every_order(tied: Tied) -> Iterator[Array]:
    """Keys (M,) that go through all orders of every list that has no more than MOST_ORDERS of them."""
    if not len(tied.group):
        return
    _, first, inside, size = np.unique(tied.group, return_index=True, return_inverse=True, return_counts=True)
    position = np.arange(len(tied.group)) - first[inside]
    small = np.minimum(size, _LARGEST)
    number = np.array([factorial(members) for members in small.tolist()])
    stride = _strides(tied.list[first], number)
    table = np.zeros((_LARGEST + 1, MOST_ORDERS, _LARGEST))
    for members in range(1, _LARGEST + 1):
        for place, order in enumerate(permutations(range(members))):
            table[members, place, :members] = order
    for turn in range(int(countable(tied).max(initial=0))):
        digit = turn // stride % number
        yield table[small[inside], digit[inside], np.minimum(position, _LARGEST - 1)]


def _strides(lists: Array, number: Array) -> Array:
    """For each group how many orders the groups of its list before it have together."""
    before: dict[int, int] = {}
    strides = []
    for where, orders in zip(lists.tolist(), number.tolist(), strict=True):
        strides.append(min(before.get(where, 1), 10**9))
        before[where] = strides[-1] * orders
    return np.array(strides, dtype=np.int64)
