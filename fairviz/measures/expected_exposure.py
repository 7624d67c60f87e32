"""Expected exposure: the attention that each document receives on average over the draws of a stochastic ranker, beside
the attention that it would receive if documents of one grade of relevance shared theirs.

Axis letters: C cutoffs, R runs (systems, and draws of stochastic ones), Q queries, D draws, K ranks. e: the exposure of
every document in one draw, p(i) at rank i and 0 below the cutoff. ε: its mean over the draws. ε*: the target exposure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairviz.measures.judged import JudgedPlaces, judged_places
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.record import Measure
from fairviz.measures.sums import AlignedRankings
from fairviz.parameters import Parameter
from fairviz.study.tables import runs_by_system

Array = np.ndarray
PAPER = (
    "Diaz, Mitra, Ekstrand, Biega, Carterette: Evaluating Stochastic Rankings with Expected Exposure. CIKM 2020. "
    "doi:10.1145/3340531.3411962, arXiv:2004.13157"
)


def ee_d(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Return the disparity of expected exposure, ‖ε‖², (C, R, Q): the smaller, the more documents share the attention.

    The mean over the draws of a system is its value; between draws, a value varies to first order as the system's does
    with a draw (2 ε·e − ‖ε‖²). With `estimate` unbiased, of the mean product e·e' of two different draws, which expects
    the ‖ε‖² of infinitely many.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> half, k = position_bias("rbp(p=0.5)", 2), np.array([2])
    >>> ee_d(toy(labels=["neutral", "neutral"]), {"estimate": "plug-in"}, half, k).item()  # 1² + 0.5²
    1.25
    """
    products = _products(rankings, bias, cutoffs, parameters["estimate"])
    return _linearised(rankings, products)


def ee_r(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Return the relevance of expected exposure, ε·ε*, (C, R, Q): the larger, the more reaches relevant documents.

    NaN for a query without a relevant document.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> half, k = position_bias("rbp(p=0.5)", 2), np.array([2])
    >>> rankings = toy(labels=["neutral"] * 2, grades={"d1": 1, "d2": 1})
    >>> ee_r(rankings, {}, half, k).item()  # ε* = (0.75, 0.75): 0.75 · 1 + 0.75 · 0.5
    1.125
    """
    return _relevance(rankings, bias, cutoffs)[0]


def ee_l(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Return the loss of expected exposure, ‖ε − ε*‖² = EE_D − 2 EE_R + ‖ε*‖², (C, R, Q): 0 where every document
    receives its target.

    Draws and `estimate`: see `ee_d`; unbiased, it may be below 0. NaN for a query without a relevant document.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> half, k = position_bias("rbp(p=0.5)", 2), np.array([2])
    >>> rankings = toy(labels=["neutral"] * 2, grades={"d1": 1, "d2": 1})
    >>> ee_l(rankings, {"estimate": "plug-in"}, half, k).item()  # (1 − 0.75)² + (0.5 − 0.75)²
    0.125
    """
    products = _products(rankings, bias, cutoffs, parameters["estimate"])
    relevance, target = _relevance(rankings, bias, cutoffs)
    return _linearised(rankings, products) - 2 * relevance + target[:, None]


def _linearised(rankings: AlignedRankings, products: Array) -> Array:
    """Return 2x − the mean of x over the draws of its system, (C, R, Q): its mean over the draws is that of x."""
    values = products.copy()
    for rows in _rows_of_systems(rankings):
        if len(rows) > 1:
            answered = (rankings.lists.lengths[rows] > 0).sum(axis=0)
            mean = products[:, rows].sum(axis=1, keepdims=True) / np.maximum(answered, 1)
            values[:, rows] = 2 * products[:, rows] - mean
    return values


def _rows_of_systems(rankings: AlignedRankings) -> list[Array]:
    """Return the places of each system's runs."""
    row = {run: place for place, run in enumerate(rankings.lists.systems)}
    return [np.array([row[run] for run in runs]) for runs in runs_by_system(row).values()]


def _products(rankings: AlignedRankings, bias: PositionBias, cutoffs: Array, estimate: str) -> Array:
    """Return ε·e of each draw, (C, R, Q); unbiased, the mean of e·e' over the other draws e'. 0 without a list."""
    lengths = rankings.lists.lengths
    values = np.zeros((len(cutoffs), *lengths.shape))
    weights = [bias.weights(int(cutoff)) for cutoff in cutoffs]
    for place, weight in enumerate(weights):
        squares = np.concatenate([[0.0], np.cumsum(weight**2)])
        values[place] = squares[np.minimum(lengths, len(weight))]
    for rows in _rows_of_systems(rankings):
        if len(rows) == 1:
            continue
        draws = _Draws.of(rankings, rows, max(map(len, weights)))
        own = values[:, rows]
        shared = np.stack([draws.products(weight) for weight in weights])
        values[:, rows] = draws.without_own(shared, own) if estimate == "unbiased" else shared
    return values


@dataclass(frozen=True, eq=False)
class _Draws:
    """The places of the lists of one system's draws.

    rank, draw and query (N,): of each place, from 0. document (N,): a number for each document of a query.
    answered (Q,): draws with a list for the query. shape: D, Q.
    """

    rank: Array
    draw: Array
    query: Array
    document: Array
    answered: Array
    shape: tuple[int, int]

    @classmethod
    def of(cls, rankings: AlignedRankings, rows: Array, depth: int) -> "_Draws":
        """Return the places of these runs down to a depth."""
        documents = rankings.lists.documents[:depth][:, rows]  # (K, D, Q)
        rank, draw, query = np.nonzero(documents >= 0)
        keys = query.astype(np.int64) * len(rankings.lists.doc_ids) + documents[rank, draw, query]
        document = np.unique(keys, return_inverse=True)[1]
        lengths = rankings.lists.lengths[rows]  # (D, Q)
        return cls(rank, draw, query, document, (lengths > 0).sum(axis=0), lengths.shape)

    def products(self, weight: Array) -> Array:
        """Return ε·e of each draw under these weights of ranks, 0 below them, (D, Q)."""
        beyond = max(int(self.rank.max(initial=0)) + 1 - len(weight), 0)
        exposure = np.append(weight, np.zeros(beyond))[self.rank]
        expected = np.bincount(self.document, exposure / self.answered[self.query])
        draws, queries = self.shape
        lists = self.draw * queries + self.query
        return np.bincount(lists, exposure * expected[self.document], draws * queries).reshape(self.shape)

    def without_own(self, shared: Array, own: Array) -> Array:
        """Return the mean of e·e' over the other draws, (C, D, Q), from ε·e and e·e; ε·e where there is one draw."""
        others = (self.answered * shared - own) / np.maximum(self.answered - 1, 1)
        return np.where(self.answered > 1, others, shared)


def _relevance(rankings: AlignedRankings, bias: PositionBias, cutoffs: Array) -> tuple[Array, Array]:
    """Return ε*·e of each run, (C, R, Q), and ‖ε*‖², (C, Q); NaN for a query without a relevant document."""
    orders = rankings.lists
    judged: JudgedPlaces = rankings.remembered(
        ("judged", orders.depth), lambda: judged_places(orders, rankings.judgements.by_query)
    )
    queries = len(orders.queries)
    levels = _Levels.of(judged)
    has_relevant = np.bincount(levels.query, minlength=queries) > 0
    retrieved = judged.grades > 0
    lists, ranks = judged.lists[retrieved].astype(np.int64), judged.ranks[retrieved]
    level = levels.find(lists % max(queries, 1), judged.grades[retrieved])
    relevance, target = np.zeros((len(cutoffs), orders.lengths.size)), np.zeros((len(cutoffs), queries))
    for place, cutoff in enumerate(cutoffs.tolist()):
        weight = bias.weights(cutoff)
        share = target_exposure(weight, levels.better, levels.size)
        received = np.append(weight, 0.0)[np.minimum(ranks - 1, len(weight))]
        relevance[place] = np.bincount(lists, received * share[level], orders.lengths.size)
        target[place] = np.bincount(levels.query, levels.size * share**2, queries)
    values = relevance.reshape(len(cutoffs), *orders.lengths.shape)
    return np.where(has_relevant, values, np.nan), np.where(has_relevant, target, np.nan)


@dataclass(frozen=True, eq=False)
class _Levels:
    """The positive grades of each query, the best grade first, (L,) each.

    size: documents of the grade. better: documents of higher grades. keys: numbers in the order of the levels.
    """

    query: Array
    size: Array
    better: Array
    keys: Array
    highest: int  # of all grades

    @classmethod
    def of(cls, judged: JudgedPlaces) -> "_Levels":
        """Return the levels of the judgements."""
        relevant = judged.judged > 0
        highest = int(judged.judged[relevant].max(initial=0))
        keys, size = np.unique(
            cls._keys(judged.queries[relevant], judged.judged[relevant], highest), return_counts=True
        )
        query = keys // (highest + 1)
        before = np.cumsum(size) - size
        better = before - before[np.searchsorted(query, query)]
        return cls(query, size, better, keys, highest)

    def find(self, queries: Array, grades: Array) -> Array:
        """Return the place of the level of each of these grades, (N,)."""
        return np.searchsorted(self.keys, self._keys(queries, grades, self.highest))

    @staticmethod
    def _keys(queries: Array, grades: Array, highest: int) -> Array:
        """Return numbers that rise with the query and, within one, with falling grades."""
        return queries.astype(np.int64) * (highest + 1) + (highest - grades.astype(np.int64))


def target_exposure(weight: Array, better: Array, size: Array) -> Array:
    """Return the target exposure of a document of each grade, (L,): documents of the grade share the ranks that they
    have in the best list, in which `better` documents of higher grades come first. size (L,): documents of the grade.

    >>> target_exposure(np.array([1.0, 0.5, 0.25]), np.array([0, 1]), np.array([1, 2])).tolist()
    [1.0, 0.375]
    """
    attention = np.concatenate([[0.0], np.cumsum(weight)])
    end = np.minimum(better + size, len(weight))
    return (attention[end] - attention[np.minimum(better, len(weight))]) / np.maximum(size, 1)


_ESTIMATE = Parameter(
    "estimate",
    "plug-in",
    "of few draws: their mean exposure itself, or without bias",
    choices=("plug-in", "unbiased"),
)
_SHARED: dict[str, Any] = {
    "needs": ("qrels",),
    "paper": PAPER,
    "undefined": "no document is relevant to the query, or the system lacks it",
}
_DECIDED = (
    "p is the position bias of the settings, down to the cutoff; the paper's is rbp. Documents that are not relevant "
    "have the target 0, as in a collection without end. A run without draws is a system of one draw."
)

EE_L = Measure(
    name="EE_L",
    summary="squared distance of expected exposure from what relevance deserves",
    compute=ee_l,
    parameters=(_ESTIMATE,),
    direction="lower",
    bounds=(-np.inf, np.inf),
    formula=r"EE\text{-}L=\lVert\epsilon-\epsilon^*\rVert_2^2,\qquad \epsilon_d=\tfrac1D\sum_{\pi}p(\pi(d)),\quad "
    r"\epsilon^*_d=\tfrac1{m_g}\sum_{i=b_g+1}^{b_g+m_g}p(i)",
    equation="the loss of section 4, in the form of the authors' code",
    decided=f"{_DECIDED} The mean of few draws is more uneven than the expectation: `estimate` unbiased corrects it.",
    example="Two relevant documents, p = 1, 0.5: one order alone 2 · 0.25² = 0.125; both orders, 0.",
    **_SHARED,
)
EE_D = Measure(
    name="EE_D",
    summary="how unevenly expected exposure is spread over documents",
    compute=ee_d,
    parameters=(_ESTIMATE,),
    direction="lower",
    bounds=(-np.inf, np.inf),
    formula=r"EE\text{-}D=\lVert\epsilon\rVert_2^2",
    equation="the first term of the loss",
    decided=_DECIDED,
    example="p = 1, 0.5: one order alone 1 + 0.25 = 1.25; both orders of two documents 2 · 0.75² = 1.125.",
    **_SHARED,
)
EE_R = Measure(
    name="EE_R",
    summary="how much expected exposure reaches relevant documents",
    compute=ee_r,
    parameters=(),
    direction="higher",
    bounds=(0.0, np.inf),
    formula=r"EE\text{-}R=\epsilon\cdot\epsilon^*",
    equation="the second term of the loss, which subtracts it twice",
    decided=f"{_DECIDED} As the code of the authors and of TREC Fair prints it, without the factor 2 of the loss.",
    example="Two relevant documents, p = 1, 0.5: 0.75 · 1 + 0.75 · 0.5 = 1.125 in either order.",
    **_SHARED,
)
