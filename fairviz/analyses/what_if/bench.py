"""A measure and an effectiveness of many orders of one list's documents at once.

Axis letters: N documents of the list, X orders, K ranks within the cutoff. An order is a permutation of positions in
the original list, best first.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real

import numpy as np
import pandas as pd

from fairviz.analyses.what_if.experiment import Experiment, changed, restricted
from fairviz.comparison.atlas import fairness
from fairviz.errors import FairvizError, UsageError, expect
from fairviz.evaluation.choices import aligned, judgements, refuse_missing
from fairviz.evaluation.contributions import check_lists
from fairviz.evaluation.questions import ask, chosen_settings, wants_collection
from fairviz.evaluation.scores import bias_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Measure, Question
from fairviz.measures.effectiveness import Effectiveness, effectiveness
from fairviz.measures.judged import document_places
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.rankings import Rankings
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.candidates import LEAST, all_orders, climb
from fairviz.study.record import Study

Array = np.ndarray
MOST_EXACT = 8  # documents: 40,320 orders are looked at in a second or two
AT_A_TIME = 50_000
MOST_SEARCHED = 100  # ranks: every swap of a list of a thousand takes minutes to look at
LOSSES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 1.0)  # of the most effective order, for a greedy search


@dataclass(frozen=True, eq=False)
class Bench:
    """A list with the measure and the effectiveness that are computed for its orders.

    documents (N,): positions in doc_ids, best first. background: the documents of NFaiRR's ideal, which do not depend
    on the order. grades: the query's judgements, None without any.
    """

    rankings: AlignedRankings
    question: Question
    measure: Measure
    bias: PositionBias
    effect: Question
    documents: Array
    query: str
    background: Array | None
    grades: dict[str, int] | None

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def names(self) -> tuple[str, ...]:
        """Ids of the documents, best first."""
        return tuple(map(str, self.rankings.lists.doc_ids[self.documents]))

    @property
    def unmoved(self) -> Array:
        """The original order, (N,)."""
        return np.arange(len(self))

    @property
    def top(self) -> int:
        """Number of ranks within the measure's cutoff."""
        return min(self.question.cutoff or len(self), len(self))

    def values(self, orders: Array) -> Array:
        """Return the measure of each order, (X,) for (X, N); NaN if it is undefined."""
        cutoffs, chunks = np.array([self.question.cutoff]), [np.zeros(0)]
        background = [] if self.background is None else [self.background]
        for start in range(0, len(orders), AT_A_TIME):
            lists = self._rankings(orders[start : start + AT_A_TIME, : self.top])
            rankings = replace(self.rankings, lists=lists, made_of=())
            if background:
                rankings.remembered(("background", self.question.background), lambda: background)
            values = self.measure.compute(rankings, self.question.parameters, self.bias, cutoffs)
            chunks.append(values[0, :, 0].astype(np.float64))
        return np.concatenate(chunks)

    def fairness(self, orders: Array) -> Array:
        """Return the measure of each order, turned so that more is fairer; as it is if the measure only describes."""
        return fairness(self.question, self.values(orders))

    def effects(self, orders: Array) -> Array:
        """Return the effectiveness of each order, (X,); NaN for a query without judgements."""
        if self.grades is None:
            return np.full(len(orders), np.nan)
        entry: Effectiveness = self.effect.parameters["measure"]
        rankings = self._rankings(orders[:, : entry.depth or len(self)])
        return effectiveness(rankings, {self.query: self.grades}, [entry], codes=self._judged)[0, :, 0]

    @cached_property
    def _judged(self) -> Array:
        """Positions in doc_ids of the judged documents, (J,)."""
        return document_places(self.rankings.lists, list(self.grades or ()))

    def _rankings(self, orders: Array) -> Rankings:
        """Return the truncated orders as the lists of X systems."""
        documents = self.documents[orders].T[:, :, None]  # (K, X, 1)
        lengths = np.full((len(orders), 1), len(documents), dtype=np.int32)
        systems = tuple(map(str, range(len(orders))))
        return Rankings(systems, (self.query,), self.rankings.lists.doc_ids, documents.astype(np.int32), lengths)


def bench_of(
    study: Study,
    settings: Settings,
    measure: str,
    system: str,
    query: str,
    effect: str = "nDCG",
    rankings: AlignedRankings | None = None,
) -> Bench:
    """Return the bench of a system's list for a query.

    Raises UsageError for a measure without a value for one list, an unknown effectiveness, system or query;
    FairvizError if the study lacks data for the measure.
    """
    question = ask(measure, settings)
    if question.measure is None or not question.measure.per_query:
        raise UsageError(
            f"{question.text} does not measure the fairness of one list", "Use a fairness measure such as NFaiRR@10."
        )
    effect_question = ask(effect, settings.changed(cutoff=question.cutoff or settings.cutoff))
    if effect_question.measure is not None:
        raise UsageError(
            f"{effect_question.text} is not a measure of effectiveness", "Use nDCG, RR, AP, P, R or Success."
        )
    refuse_missing(study, [question], settings)
    if system not in study.systems and system not in study.run_names:
        raise UsageError(
            f"the study {study.name!r} has no system {system!r}", f"Use one of {', '.join(study.run_names)}."
        )
    rankings = aligned(study, settings, rankings, collection=wants_collection([question], settings))
    check_lists(study, rankings, (system,), query)
    background = question.background
    return Bench(
        rankings,
        question,
        question.measure,
        bias_of(rankings, settings, question.cutoff or settings.cutoff),
        effect_question,
        rankings.lists.list_of(system, query),
        query,
        None if not background else rankings.background(background)[rankings.lists.queries.index(query)],
        judgements(study).get(query),
    )


def edited_bench(
    study: Study, settings: Settings, experiment: Experiment, measure: str, effect: str, rankings: AlignedRankings
) -> Bench:
    """Return the bench of the experiment's list with its order, labels and words, so that swaps and fronts start there.

    Long lists are truncated to the first ranks, at least to the measure's cutoff. Raises: see `bench_of`.
    """
    bench = bench_of(study, settings, measure, experiment.system, experiment.query, effect, rankings)
    background = bench.question.background
    column = np.array([rankings.lists.queries.index(experiment.query)])
    edited_places = changed(study, settings, restricted(rankings, column, bench.question.reads_collection), experiment)
    system = edited_places.lists.row_of(experiment.system)
    reach = max(MOST_SEARCHED, bench.question.cutoff or settings.cutoff)
    return replace(
        bench,
        rankings=edited_places,
        documents=edited_places.lists.documents[: min(len(experiment.order), reach), system, 0],
        background=None if not background else edited_places.background(background)[0],
    )


def swaps_between(orders: Array) -> Array:
    """Return the smallest number of swaps from the original list to each order, (X,): N less the number of its cycles.

    >>> swaps_between(np.array([[0, 1, 2], [1, 0, 2], [1, 2, 0]])).tolist()
    [0, 1, 2]
    """
    orders = np.atleast_2d(orders)
    walked, least = orders, np.minimum(orders, np.arange(orders.shape[1]))
    for _ in range(orders.shape[1]):
        walked = np.take_along_axis(orders, walked, axis=1)
        least = np.minimum(least, walked)
    return (least != np.arange(orders.shape[1])).sum(axis=1)


def decompose_order(order: Array) -> Iterator[tuple[int, int]]:
    """Yield the fewest swaps of two ranks, from 0, that result in the order.

    >>> list(decompose_order(np.array([1, 2, 0])))
    [(0, 1), (1, 2)]
    """
    positions = list(range(len(order)))
    for rank, position in enumerate(order.tolist()):
        if positions[rank] != position:
            other_rank = positions.index(position)
            positions[rank], positions[other_rank] = positions[other_rank], positions[rank]
            yield rank, other_rank


def check_judged(bench: Bench) -> None:
    """Raise FairvizError if effectiveness is not defined."""
    if bench.grades is None:
        raise FairvizError(
            f"the query {bench.query!r} has no relevance judgements, so a loss of {bench.effect.text} has no bound",
            "Choose a query that has some, or loss=None for no bound.",
        )


def undefined(bench: Bench) -> FairvizError:
    """Return the error for a list without a value of the measure."""
    return FairvizError(
        f"{bench.question.text} is undefined for the list of the query {bench.query!r}",
        "Choose another list or measure.",
    )


@dataclass(frozen=True, eq=False)
class Front:
    """Reorderings of a list that are not dominated, the fairest last.

    table: value (of the measure), effectiveness, swaps (the smallest number from the original list). orders: the
    documents of each row, best first. value and effect: of the original list. exact: whether every order was evaluated;
    else the search was greedy, and better orders may exist.
    """

    measure: str
    effectiveness: str
    table: pd.DataFrame
    orders: tuple[tuple[str, ...], ...]
    value: float
    effect: float
    exact: bool


def pareto_front(
    study: Study,
    measure: str,
    system: str,
    query: str,
    settings: Settings | None = None,
    *,
    effectiveness: str = "nDCG",
    rankings: AlignedRankings | None = None,
    **choices: object,
) -> Front:
    """Return the reorderings of one list that are not dominated in the measure and the effectiveness.

    Lists of up to 8 documents are searched exhaustively. Longer ones are searched greedily by swaps: from the original
    list and from its most effective order, towards fairness at each of nine losses of effectiveness. Of orders with
    equal values, the one with the fewest swaps is returned. For a measure that only describes, higher values are
    preferred. choices: fields of Settings. Raises: see `fewest_swaps`.
    """
    settings = chosen_settings(study, settings, choices)
    return front_of(bench_of(study, settings, measure, system, query, effectiveness, rankings))


def front_of(bench: Bench) -> Front:
    """Return the Pareto front of a bench. Raises: see `pareto_front`."""
    check_judged(bench)
    start = bench.unmoved[None]
    if np.isnan(bench.values(start)[0]):
        raise undefined(bench)
    exact = len(bench) <= MOST_EXACT
    orders = all_orders(len(bench)) if exact else _search_orders(bench)
    fair, effects = bench.fairness(orders), bench.effects(orders)
    rows = unbeaten(fair, effects, swaps_between(orders))
    table = pd.DataFrame(
        {
            "value": bench.values(orders[rows]),
            "effectiveness": effects[rows],
            "swaps": swaps_between(orders[rows]).astype(np.int64),
        }
    )
    names = bench.names
    return Front(
        bench.question.text,
        bench.effect.text,
        table,
        tuple(tuple(names[place] for place in order) for order in orders[rows].tolist()),
        float(bench.values(start)[0]),
        float(bench.effects(start)[0]),
        exact,
    )


def unbeaten(fairness: Array, effects: Array, swaps: Array) -> Array:
    """Return the rows that are not dominated, the fairest last; of equal ones that with the fewest swaps, (F,).

    Values are compared to twelve decimals; rows whose fairness is NaN are left out.

    >>> unbeaten(np.array([0.1, 0.5, 0.5, 0.9]), np.array([0.9, 0.5, 0.5, 0.4]), np.array([0, 2, 1, 3])).tolist()
    [0, 2, 3]
    """
    rows = np.flatnonzero(~np.isnan(fairness))
    fair, effect = fairness[rows].round(12), effects[rows].round(12)
    order = np.lexsort((swaps[rows], -effect, -fair))  # the fairest first, of these the most effective
    best = np.maximum.accumulate(np.concatenate([[-np.inf], effect[order][:-1]]))
    return rows[order[effect[order] > best]][::-1]


def _search_orders(bench: Bench) -> Array:
    """Return every order on the greedy paths to fairness, (X, N)."""
    best = _climb(bench, bench.unmoved, "effects", -np.inf)
    ways = [*best]
    highest = float(bench.effects(best[-1][None])[0])
    for loss in LOSSES:
        for start in (bench.unmoved, best[-1]):
            if bench.effects(start[None])[0] >= highest - loss - LEAST:
                ways += _climb(bench, start, "fairness", highest - loss)
    ways += _climb(bench, bench.unmoved, "fairness", float(bench.effects(bench.unmoved[None])[0]))
    return np.unique(np.stack(ways), axis=0)


def _climb(bench: Bench, start: Array, quantity: str, least: float) -> list[Array]:
    """Return the orders on a path of improving swaps whose effectiveness is at least `least`."""
    measure = bench.effects if quantity == "effects" else bench.fairness

    def progress(orders: Array) -> tuple[Array, Array]:
        effects = bench.effects(orders)
        return np.where(effects >= least - LEAST, np.nan_to_num(measure(orders), nan=-np.inf), -np.inf), effects

    return [start] if np.isnan(measure(start[None])[0]) else climb(start, bench.top, progress)


@dataclass(frozen=True)
class Swaps:
    """A sequence of swaps of two ranks, from 1, and its effect.

    doc_ids: the list after the swaps. before and after: the measure; effect_before and effect_after: the effectiveness,
    NaN for a query without judgements. reached: whether the measure reaches the target; if not, the swaps come nearest
    to it. exact: whether fewer swaps are impossible; else the search was greedy, and the number is an upper bound.
    """

    measure: str
    effectiveness: str
    target: float
    swaps: tuple[tuple[int, int], ...]
    doc_ids: tuple[str, ...]
    before: float
    after: float
    effect_before: float
    effect_after: float
    reached: bool
    exact: bool


def fewest_swaps(
    study: Study,
    measure: str,
    system: str,
    query: str,
    target: float,
    settings: Settings | None = None,
    *,
    loss: float | None = 0.05,
    effectiveness: str = "nDCG",
    exact: bool | None = None,
    rankings: AlignedRankings | None = None,
    **choices: object,
) -> Swaps:
    """Return the fewest swaps of two documents of one list after which the measure reaches or passes the target.

    loss: largest allowed loss of effectiveness, as a difference (0.05: from 0.8 to 0.75); None for no bound.
    effectiveness: at the measure's cutoff unless it names another. exact: True tries every order, of 8 documents at
    most, and returns the most effective one with the fewest swaps; False is greedy: each swap is the one that comes
    nearest, and the bound applies after each; None is exact if possible. choices: fields of Settings. Raises UsageError
    for invalid arguments, FairvizError if the measure or a loss is undefined.
    """
    settings = chosen_settings(study, settings, choices)
    bench = bench_of(study, settings, measure, system, query, effectiveness, rankings)
    return swaps_of(bench, target, loss, exact)


def swaps_of(bench: Bench, target: float, loss: float | None = 0.05, exact: bool | None = None) -> Swaps:
    """Return the fewest swaps for a bench. Raises: see `fewest_swaps`."""
    expect("target", target, Real, "Give the value to reach, such as 0.5.")
    if loss is not None:
        expect("loss", loss, Real, "Use a number of 0 or more, or None for no bound.")
        if not loss >= 0:
            raise UsageError(f"loss is {loss}", "Use a number of 0 or more, or None for no bound.")
    if exact and len(bench) > MOST_EXACT:
        raise UsageError(
            f"the list has {len(bench):,} documents, too many for an exact search",
            f"Leave exact out: lists of up to {MOST_EXACT} are searched exactly, longer ones greedily.",
        )
    if loss is not None:
        check_judged(bench)
    goal = _Goal(bench, float(target), None if loss is None else float(loss))
    is_exact = len(bench) <= MOST_EXACT if exact is None else bool(exact)
    order = _search_exactly(bench, goal) if is_exact else climb(bench.unmoved, bench.top, goal.progress_of)[-1]
    return _swaps_to(order, bench, goal, exact=is_exact)


class _Goal:
    """The target and the bound of a search. Raises FairvizError if the measure of the original list is undefined."""

    def __init__(self, bench: Bench, target: float, loss: float | None) -> None:
        self.bench = bench
        start = bench.unmoved[None]
        self.before = float(bench.values(start)[0])
        if np.isnan(self.before):
            raise undefined(bench)
        if np.isnan(target):
            raise FairvizError("the target is not a number", "Give the value to reach.")
        self.sign = 1.0 if target >= self.before else -1.0
        self.wanted = self.sign * target - LEAST
        self.least = -np.inf if loss is None else float(bench.effects(start)[0]) - loss - LEAST

    def progress_of(self, orders: Array) -> tuple[Array, Array]:
        """Return each order's progress, capped at the target, and its effectiveness (0 if unknown); -inf outside the
        bound.
        """
        effects = np.nan_to_num(self.bench.effects(orders), nan=0.0)
        along = np.nan_to_num(self.sign * self.bench.values(orders), nan=-np.inf)
        along = np.where(along >= self.wanted, np.inf, along)
        return np.where(effects >= self.least, along, -np.inf), effects


def _search_exactly(bench: Bench, goal: _Goal) -> Array:
    """Return the order that comes nearest with the fewest swaps and then the highest effectiveness; the first of
    ties."""
    orders = all_orders(len(bench))
    along, effects = goal.progress_of(orders)
    nearest = np.flatnonzero(along >= along.max() - LEAST)
    swaps = swaps_between(orders[nearest])
    candidates = nearest[swaps == swaps.min()]
    return orders[candidates[np.argmax(effects[candidates] >= effects[candidates].max() - LEAST)]]


def _swaps_to(order: Array, bench: Bench, goal: _Goal, *, exact: bool) -> Swaps:
    """Return the swaps that lead to an order, with the values before and after them."""
    ends = np.stack([bench.unmoved, order])
    (before, after), (effect_before, effect_after) = bench.values(ends).tolist(), bench.effects(ends).tolist()
    return Swaps(
        bench.question.text,
        bench.effect.text,
        float(goal.sign * (goal.wanted + LEAST)),
        tuple((first + 1, second + 1) for first, second in decompose_order(order)),
        tuple(bench.names[place] for place in order),
        before,
        after,
        effect_before,
        effect_after,
        bool(goal.sign * after >= goal.wanted),
        exact,
    )
