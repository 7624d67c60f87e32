"""Lists in an order drawn at random from their candidates, as many as a run's list has documents."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fairviz.measures.rankings import Rankings
from fairviz.measures.sums import AlignedRankings

Array = np.ndarray
BLOCK = 1_000  # orders of one stream of random numbers


@dataclass(frozen=True, eq=False)
class RandomLists:
    """Distinct random lists, (N,): two with the same candidates, query and length are one.

    candidates: of each list, places in doc_ids. query and length (N,). at (S, Q): the list of each system and query.
    A list has as many documents as the run's, or as there are candidates where those are fewer, and `depth` at most.
    """

    places: AlignedRankings
    candidates: Sequence[Array]
    query: Array
    length: Array
    at: Array

    @property
    def sizes(self) -> Array:
        """Number of candidates of each list, (N,)."""
        return np.array([len(documents) for documents in self.candidates], dtype=np.int64)

    def random_orders(self, numbers: Array, blocks: range, seed: int) -> AlignedRankings:
        """Return the places of these lists, with BLOCK orders a block as systems, and a query for each list.

        The first ranks of an order are the same for lists of any length, whichever other lists are drawn.
        """
        depth, orders = max(int(self.length[numbers].max(initial=0)), 1), BLOCK * len(blocks)
        documents = np.full((len(numbers), depth, orders), -1, dtype=np.int32)
        for row, number in enumerate(numbers.tolist()):
            length, name = int(self.length[number]), self.places.rankings.queries[self.query[number]]
            for place, block in enumerate(blocks):
                generator = np.random.default_rng([seed, block, int.from_bytes(name.encode())])
                columns = slice(place * BLOCK, (place + 1) * BLOCK)
                documents[row, :length, columns] = first_ranks(self.candidates[number], length, BLOCK, generator)
        return self.with_orders(numbers, documents)

    def with_orders(self, numbers: Array, documents: Array) -> AlignedRankings:
        """Return the places of these lists (n,) in given orders of their candidates, (n, K, orders), -1 below an
        end."""
        names, orders = self.places.rankings.queries, documents.shape[2]
        rankings = Rankings(
            tuple(map(str, range(orders))),
            tuple(names[query] for query in self.query[numbers].tolist()),
            self.places.rankings.doc_ids,
            np.ascontiguousarray(documents.transpose(1, 2, 0)),
            np.tile(self.length[numbers].astype(np.int32), (orders, 1)),
        )
        return self.places.with_lists(rankings, self.query[numbers])


def random_lists(
    places: AlignedRankings, sets: Sequence[Sequence[Array]], systems: Array, queries: Array, depth: int
) -> RandomLists:
    """Return the random lists of these systems (S,) and queries (Q,), places in those of `places`.

    sets: candidates by query, in one row for all systems or one a system: see `candidate_sets`.
    """
    row, query = np.broadcast_arrays((systems if len(sets) > 1 else systems * 0)[:, None], queries)
    sizes = np.array([[len(documents) for documents in by_query] for by_query in sets]).reshape(len(sets), -1)
    lengths = np.minimum(places.rankings.lengths[systems][:, queries], depth)
    cases = np.stack([row, query, np.minimum(lengths, sizes[row, query])]).reshape(3, -1)
    distinct, at = np.unique(cases, axis=1, return_inverse=True)
    candidates = [sets[row][query] for row, query in distinct[:2].T.tolist()]
    return RandomLists(places, candidates, distinct[1], distinct[2], at.reshape(row.shape))


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
