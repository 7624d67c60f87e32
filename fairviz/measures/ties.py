"""Tied scores: the places of tied documents, and their possible orders.

The tie rule, not the run, orders documents of equal score. Only a tied group that reaches into the cutoff can change a
value. Axis letters: M tied places, in all lists; K ranks, S systems, Q queries.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from math import factorial

import numpy as np
import pandas as pd

from fairviz.measures.rankings import Array, Rankings
from fairviz.study.tables import Ties, ranked, score_groups

MOST_ORDERS = 24  # of a list: up to this number, all are evaluated
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
        """Size of the arrays in bytes."""
        return sum(part.nbytes for part in (self.rank, self.list, self.group, self.document))

    @property
    def lists(self) -> Array:
        """Mask of lists with a tied group, (S, Q)."""
        has_ties = np.zeros(self.shape, dtype=bool)
        has_ties.ravel()[self.list] = True
        return has_ties


def tied_places(runs: pd.DataFrame, rankings: Rankings, rule: Ties, cutoff: int) -> Tied:
    """Return the tied groups that begin within the cutoff; rankings: of the same runs under the same rule."""
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
    """Return a function of keys (M,), of the document at each tied place, to rankings cut at `depth`.

    In each tied group, the document of the largest key takes the heaviest place. weights (depth,): of each rank, 0
    below.
    """
    heavy = np.append(weights, 0.0)[np.minimum(tied.rank, depth + 1) - 1]
    place_order = np.lexsort((tied.rank, -heavy, tied.group))
    rank, list_codes = tied.rank[place_order], tied.list[place_order]
    within_cutoff = rank <= min(depth, len(rankings.documents))
    rank, list_codes = rank[within_cutoff] - 1, list_codes[within_cutoff]

    def arrange(key: Array) -> Rankings:
        document_order = np.lexsort((-key, tied.group))[within_cutoff]
        documents = rankings.documents[:depth].copy()
        documents.reshape(len(documents), -1)[rank, list_codes] = tied.document[document_order]
        return replace(rankings, documents=documents)

    return arrange


def countable(tied: Tied) -> Array:
    """Return the number of orders of each list, (S * Q,), 0 for more than MOST_ORDERS."""
    _, first, size = np.unique(tied.group, return_index=True, return_counts=True)
    orders = np.ones(np.prod(tied.shape, dtype=int))
    for members, list_code in zip(size.tolist(), tied.list[first].tolist(), strict=True):
        orders[list_code] *= factorial(members) if members <= _LARGEST else MOST_ORDERS + 1
    return np.where(orders <= MOST_ORDERS, orders, 0).astype(np.int64)


def every_order(tied: Tied) -> Iterator[Array]:
    """Yield keys (M,) for all orders of every list with at most MOST_ORDERS."""
    if not len(tied.group):
        return
    _, first, group_numbers, size = np.unique(tied.group, return_index=True, return_inverse=True, return_counts=True)
    position = np.arange(len(tied.group)) - first[group_numbers]
    small = np.minimum(size, _LARGEST)
    number = np.array([factorial(members) for members in small.tolist()])
    stride = _strides(tied.list[first], number)
    table = np.zeros((_LARGEST + 1, MOST_ORDERS, _LARGEST))
    for members in range(1, _LARGEST + 1):
        for place, order in enumerate(permutations(range(members))):
            table[members, place, :members] = order
    for turn in range(int(countable(tied).max(initial=0))):
        digit = turn // stride % number
        yield table[small[group_numbers], digit[group_numbers], np.minimum(position, _LARGEST - 1)]


def _strides(lists: Array, number: Array) -> Array:
    """Return, for each group, the number of joint orders of the earlier groups of its list."""
    stride_by_list: dict[int, int] = {}
    strides = []
    for list_code, orders in zip(lists.tolist(), number.tolist(), strict=True):
        strides.append(min(stride_by_list.get(list_code, 1), 10**9))
        stride_by_list[list_code] = strides[-1] * orders
    return np.array(strides, dtype=np.int64)
