"""The Pareto front of one query: effectiveness and fairness that an order of its candidates can reach.

Four ways, the first that applies. Every order, where they are few. For a measure of labels, every sequence of labels:
given the labels by rank, the best documents of each label come first. For two sums over ranks, optimal assignments of
documents to ranks at every weight that changes the optimum. Otherwise swaps from the most effective order towards
fairness; such a front is inside the achievable one.

Axis letters: N candidates, X orders, k ranks, L labels, V points of a front.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import product
from math import perm

import numpy as np

from fairviz.measures import Question
from fairviz.measures.effectiveness import effectiveness
from fairviz.measures.judged import document_places
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.candidates import LEAST, all_orders, climb, orders_of_query
from fairviz.statistics.fronts import upper_front

Array = np.ndarray
AT_A_TIME = 50_000  # orders
MOST_ORDERS = 50_000
MOST_PATTERNS = 200_000  # 3 labels at 10 ranks have 59,049
SUMS = ("nDCG", "P", "R")  # effectiveness that is a sum over ranks
FAIR_SUMS = ("NFaiRR", "FaiRR")
BEST_FIRST = (*SUMS, "RR", "AP", "Success")  # that never fall where a better document takes a higher rank
WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of fairness, for the search
MOST_SEARCHED = 60  # candidates


@dataclass(frozen=True, eq=False)
class CandidateOrders:
    """The candidates of one query, and both measures of their orders.

    documents (N,): as places in doc_ids. grades: the judgements of the query. background: the documents of the ideal
    of a measure that has one. sign: 1 if more of the fairness measure is fairer, -1 if less is. unit: the width of its
    range, in which fairness is counted. by_labels: fairness of sequences of labels, which queries share.
    """

    rankings: AlignedRankings
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
        rankings = orders_of_query(self.rankings.lists, self.query, documents.T)
        measures = [self.effect.parameters["measure"]]
        return effectiveness(rankings, {self.query: self.grades}, measures, codes=self._judged)[0, :, 0]

    @cached_property
    def _judged(self) -> Array:
        """Places in doc_ids of the judged documents, (J,)."""
        return document_places(self.rankings.lists, list(self.grades))

    def fair_values(self, documents: Array) -> Array:
        """Return the fairness of lists of documents in units of its range, the higher the fairer, (X,) for (X, k)."""
        measure = self.fairness.measure
        if measure is None:
            raise ValueError(f"{self.fairness.text} is a measure of effectiveness")
        orders = orders_of_query(self.rankings.lists, self.query, documents.T)
        rankings = replace(self.rankings, lists=orders, made_of=())
        if self.background is not None:
            lists = [self.background]
            rankings.remembered(("background", self.fairness.background), lambda: lists)
        values = measure.compute(rankings, self.fairness.parameters, self.bias, np.array([self.fairness.cutoff]))
        return self.sign * values[0, :, 0].astype(np.float64) / self.unit

    def alone(self, documents: Array) -> Array:
        """Return lists of each document (M,) alone at each rank, (k * M, k), rank by rank."""
        ranks, places = np.indices((self.top, len(documents)))
        lists = np.full((ranks.size, self.top), -1, dtype=np.int64)
        lists[np.arange(ranks.size), ranks.ravel()] = documents[places.ravel()]
        return lists


def query_front(orders: CandidateOrders, lists: Sequence[Array] = ()) -> tuple[Array, bool]:
    """Return the points that a weighted mean of both quantities can prefer, the most effective first, (V, 2), and
    whether they are exact.

    lists: documents of retrieved lists, from which a search also starts. Without a defined point, V is 0.
    """
    measure, entry = orders.fairness.measure, orders.effect.parameters["measure"].measure
    if perm(len(orders), orders.top) <= MOST_ORDERS:
        return upper_front(orders.points(all_orders(len(orders), orders.top))), True

    # Fairness that depends on the labels by rank alone, of few sequences, and effectiveness on grades.
    of_labels = measure is not None and measure.needs == ("labels",) and not (measure.beyond_list or measure.package)
    one_label_each = orders.rankings.labels.shares is None  # else there are as many labels as documents
    if of_labels and one_label_each and entry.NAME in BEST_FIRST and not entry["judged_only"]:
        labels = tuple(np.unique(orders.rankings.labels.codes[orders.documents]).tolist())
        if len(labels) ** orders.top <= MOST_PATTERNS:
            return upper_front(_pattern_points(orders, labels)), True

    # Both values are sums over ranks of a number of the document there.
    known = orders.rankings.labelled if orders.fairness.family == "labels" else orders.rankings.words.known
    has_evidence = known[orders.documents].all() or orders.rankings.unlabelled == "neutral"
    if entry.NAME in SUMS and not entry["judged_only"] and orders.fairness.name in FAIR_SUMS and has_evidence:
        points = _assigned_points(orders)
        if points is not None:
            return upper_front(points), True
    return upper_front(_searched_points(orders, lists)), False


def _pattern_points(orders: CandidateOrders, labels: tuple[int, ...]) -> Array:
    """Return both values of the most effective order of every sequence of these labels, (X, 2)."""
    patterns, before = _patterns(len(labels), orders.top)
    codes = orders.rankings.labels.codes[orders.documents]
    best = np.full((len(labels), orders.top), -1, dtype=np.int64)  # the best documents of each label, (L, k)
    ordered = np.argsort(-_gains(orders), kind="stable")
    for row, label in enumerate(labels):
        positions = ordered[codes[ordered] == label][: orders.top]
        best[row, : len(positions)] = orders.documents[positions]
    key = (labels, orders.top)
    if key not in orders.by_labels:
        orders.by_labels[key] = orders.fair_values(best[:, 0][patterns])
    enough = (before < (best >= 0).sum(axis=1)[patterns]).all(axis=1)
    fairness, patterns, before = orders.by_labels[key][enough], patterns[enough], before[enough]

    if orders.effect.parameters["measure"].measure.NAME in SUMS:
        alone = orders.effects(orders.alone(best.ravel())).reshape(orders.top, -1)  # (k, L * k)
        place = patterns.astype(np.int64) * orders.top + before
        effects = np.sum([alone[rank, place[:, rank]] for rank in range(orders.top)], axis=0)
    else:
        chunks = [slice(start, start + AT_A_TIME) for start in range(0, len(patterns), AT_A_TIME)]
        effects = np.concatenate([orders.effects(best[patterns[chunk], before[chunk]]) for chunk in chunks])
    return np.stack([effects, fairness], axis=1)


@lru_cache(maxsize=8)
def _patterns(labels: int, ranks: int) -> tuple[Array, Array]:
    """Return every sequence of labels by rank, and how many of the same label precede each rank, (X, k) each."""
    patterns = np.array(list(product(range(labels), repeat=ranks)), dtype=np.int8).reshape(-1, ranks)
    before = np.zeros_like(patterns)
    for label in range(labels):
        of_label = patterns == label
        before += np.where(of_label, np.cumsum(of_label, axis=1) - 1, 0).astype(np.int8)
    return patterns, before


def _gains(orders: CandidateOrders) -> Array:
    """Return the effectiveness of each candidate alone at the first rank, (N,); of equal ones the grade decides."""
    doc_ids = orders.rankings.lists.doc_ids
    grades = np.array([orders.grades.get(name, -1) for name in doc_ids[orders.documents]], dtype=np.float64)
    alone = np.full((len(orders), orders.top), -1, dtype=np.int64)
    alone[:, 0] = orders.documents
    order = np.lexsort((-grades, -orders.effects(alone)))
    gains = np.empty(len(orders))
    gains[order] = np.arange(len(orders), 0, -1)
    return gains


def _assigned_points(orders: CandidateOrders) -> Array | None:
    """Return the points of optimal assignments; None where the values are not the sums of their parts.

    The weight between two points of the front is that of their line's normal: an order beyond the line is a point
    between them (Cohon 1978, the method of non-inferior set estimation).
    """
    from scipy.optimize import linear_sum_assignment

    parts = _parts(orders)
    if np.isnan(parts).any() or not _add_up(orders, parts):
        return None
    ranks = np.arange(orders.top)

    def best(weights: Array) -> Array:
        """Return the point of the assignment that is optimal at these weights."""
        columns = linear_sum_assignment(np.tensordot(weights, parts, 1), maximize=True)[1]
        return parts[:, ranks, columns].sum(axis=1)

    points = [best(np.array(weights)) for weights in ((1.0, 0.0), (0.0, 1.0))]
    stack = [(points[0], points[1])]
    while stack:
        first, second = stack.pop()
        normal = np.array([second[1] - first[1], first[0] - second[0]])
        if (normal < -LEAST).any() or not normal.max() > LEAST:
            continue
        between = best(normal)
        if normal @ (between - first) > LEAST:
            points.append(between)
            stack += [(first, between), (between, second)]
    return np.array(points)


def _parts(orders: CandidateOrders) -> Array:
    """Return both values of each candidate alone at each rank, (2, k, N)."""
    return orders.points_of(orders.alone(orders.documents)).T.reshape(2, orders.top, len(orders))


def _add_up(orders: CandidateOrders, parts: Array) -> bool:
    """Return whether the parts of some orders sum to their values."""
    generator = np.random.default_rng(0)
    some = np.stack([generator.permutation(len(orders))[: orders.top] for _ in range(20)])  # (X, k)
    summed = parts[:, np.arange(orders.top), some].sum(axis=2).T  # (X, 2)
    return bool(np.allclose(summed, orders.points(some), rtol=0, atol=1e-9))


def _searched_points(orders: CandidateOrders, lists: Sequence[Array]) -> Array:
    """Return the points on greedy paths of swaps from the most effective order towards fairness and back, and of the
    lists, (X, 2)."""
    # What is ordered: candidates of a gain, those in the lists, and of the others as many as MOST_SEARCHED leaves.
    listed = np.concatenate([np.zeros(0, dtype=np.int64), *(one[: orders.top] for one in lists)])
    start = np.argsort(-_gains(orders), kind="stable")
    others = start[orders.top :]
    start[orders.top :] = others[np.argsort(~np.isin(orders.documents[others], listed), kind="stable")]
    start = start[: max(MOST_SEARCHED, orders.top)]

    paths = [start[None]]
    for weights in (WEIGHTS, WEIGHTS[::-1]):
        current = start
        for weight in weights:
            steps = climb(current, orders.top, partial(_progress, orders, weight))
            paths.append(np.stack(steps))
            current = steps[-1]
    ends = np.unique(np.concatenate([path[:, : orders.top] for path in paths]), axis=0)
    retrieved = [one[: orders.top] for one in lists if len(one) >= orders.top]
    return np.concatenate([orders.points(ends), *(orders.points_of(one[None]) for one in retrieved)])


def _progress(orders: CandidateOrders, weight: float, rows: Array) -> tuple[Array, Array]:
    """Return the weighted mean of fairness and effectiveness of orders, and their effectiveness, (X,) each."""
    points = orders.points(rows[:, : orders.top])
    mixed = (1 - weight) * points[:, 0] + weight * points[:, 1]
    return np.where(np.isnan(mixed), -np.inf, mixed), np.nan_to_num(points[:, 0], nan=-np.inf)
