"""Effectiveness and fairness of many orders of one query's candidates at once.

Axis letters: N candidates, X orders, k ranks down to the deeper one of the two cutoffs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from fairviz.measures import Question
from fairviz.measures.effectiveness import effectiveness
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.rankings import Rankings
from fairviz.measures.sums import AlignedRankings

Array = np.ndarray
AT_A_TIME = 50_000  # orders


@dataclass(frozen=True, eq=False)
class CandidateOrders:
    """The candidates of one query, and both measures of their orders.

    documents (N,): as places in doc_ids. grades: the judgements of the query. background: the documents of the ideal
    of a measure that has one. sign: 1 if more of the fairness measure is fairer, -1 if less is. unit: the width of its
    range, in which fairness is counted. by_labels: fairness of sequences of labels, which queries share.
    """

    places: AlignedRankings
    effect: Question
    fairness: Question
    bias: PositionBias
    query: str
    documents: Array
    grades: Mapping[str, int]
    background: Array | None
    sign: int
    unit: float
    by_labels: dict[tuple, Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def top(self) -> int:
        """k, the number of ranks on which a value can depend."""
        return min(max(self.effect.cutoff or 0, self.fairness.cutoff or 0), len(self))

    def points(self, orders: Array) -> Array:
        """Return effectiveness and fairness of each order, (X, 2) for (X, k) positions in the candidates.

        Fairness is counted in units of its range, the higher the fairer; NaN where undefined.
        """
        return self.points_of(self.documents[orders])

    def points_of(self, documents: Array) -> Array:
        """Return `points` of lists of documents, (X, 2) for (X, k) places in doc_ids; -1 for no document."""
        chunks = [documents[start : start + AT_A_TIME] for start in range(0, len(documents), AT_A_TIME)]
        values = [np.stack([self.effects(chunk), self.fair_values(chunk)], axis=1) for chunk in chunks]
        return np.concatenate([*values, np.zeros((0, 2))])

    def effects(self, documents: Array) -> Array:
        """Return the effectiveness of lists of documents, (X,) for (X, k)."""
        rankings, entry = self._rankings(documents), self.effect.parameters["measure"]
        return effectiveness(rankings, {self.query: self.grades}, [entry])[0, :, 0]

    def fair_values(self, documents: Array) -> Array:
        """Return the fairness of lists of documents in units of its range, the higher the fairer, (X,) for (X, k)."""
        measure = self.fairness.measure
        if measure is None:
            raise ValueError(f"{self.fairness.text} is a measure of effectiveness")
        places = replace(self.places, rankings=self._rankings(documents), made_of=())
        if self.background is not None:
            lists = [self.background]
            places.remembered(("background", self.fairness.parameters["background"]), lambda: lists)
        values = measure.compute(places, self.fairness.parameters, self.bias, np.array([self.fairness.cutoff]))
        return self.sign * values[0, :, 0].astype(np.float64) / self.unit

    def effects_alone(self, documents: Array) -> Array:
        """Return the effectiveness of each document alone at each rank, (k, M) for (M,)."""
        ranks, places = np.indices((self.top, len(documents)))
        alone = np.full((ranks.size, self.top), -1, dtype=np.int64)
        alone[np.arange(ranks.size), ranks.ravel()] = documents[places.ravel()]
        return self.effects(alone).reshape(ranks.shape)

    def _rankings(self, documents: Array) -> Rankings:
        """Return the lists as those of X systems for the query."""
        lengths = np.full((len(documents), 1), documents.shape[1], dtype=np.int32)
        systems = tuple(map(str, range(len(documents))))
        by_rank = documents.T[:, :, None].astype(np.int32)  # (k, X, 1)
        return Rankings(systems, (self.query,), self.places.rankings.doc_ids, by_rank, lengths)
