"""A measure and an effectiveness of many orders of one list's documents at once.

Axis letters: N documents of the list, X orders, K ranks within the cutoff. An order is a permutation of positions in
the original list, best first.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fairviz.analyses.what_if.experiment import Experiment
from fairviz.analyses.what_if.outcome import changed, restricted
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import aligned, judgements
from fairviz.evaluation.contributions import check_lists
from fairviz.evaluation.questions import ask, wants_collection
from fairviz.evaluation.scores import bias_of
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.validation import refuse_missing
from fairviz.measures import Measure, Question, unfairness
from fairviz.measures.effectiveness import Effectiveness, effectiveness
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.rankings import Rankings
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study

Array = np.ndarray
MOST_EXACT = 8  # documents: 40,320 orders are looked at in a second or two
AT_A_TIME = 50_000
MOST_SEARCHED = 100  # ranks: every swap of a list of a thousand takes minutes to look at


@dataclass(frozen=True, eq=False)
class Bench:
    """A list with the measure and the effectiveness that are computed for its orders.

    documents (N,): positions in doc_ids, best first. background: the documents of NFaiRR's ideal, which do not depend
    on the order. grades: the query's judgements, None without any.
    """

    places: AlignedRankings
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
        return tuple(map(str, self.places.rankings.doc_ids[self.documents]))

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
        chunks = [self._values(orders[start : start + AT_A_TIME]) for start in range(0, len(orders), AT_A_TIME)]
        return np.concatenate([*chunks, np.zeros(0)])

    def fairness(self, orders: Array) -> Array:
        """Return the measure of each order, turned so that more is fairer; unchanged for a measure that only
        describes.
        """
        values = self.values(orders)
        return values if self.question.direction == "none" else -unfairness(self.question, values)

    def effects(self, orders: Array) -> Array:
        """Return the effectiveness of each order, (X,); NaN for a query without judgements."""
        if self.grades is None:
            return np.full(len(orders), np.nan)
        entry: Effectiveness = self.effect.parameters["measure"]
        rankings = self._rankings(orders[:, : entry.depth or len(self)])
        return effectiveness(rankings, {self.query: self.grades}, [entry])[0, :, 0]

    def _values(self, orders: Array) -> Array:
        places = replace(self.places, rankings=self._rankings(orders[:, : self.top]), made_of=())
        if self.background is not None:
            documents = self.background
            places.remembered(("background", self.question.parameters["background"]), lambda: [documents])
        cutoffs = np.array([self.question.cutoff])
        return self.measure.compute(places, self.question.parameters, self.bias, cutoffs)[0, :, 0].astype(np.float64)

    def _rankings(self, orders: Array) -> Rankings:
        """Return the truncated orders as the lists of X systems."""
        documents = self.documents[orders].T[:, :, None]  # (K, X, 1)
        lengths = np.full((len(orders), 1), len(documents), dtype=np.int32)
        systems = tuple(map(str, range(len(orders))))
        return Rankings(systems, (self.query,), self.places.rankings.doc_ids, documents.astype(np.int32), lengths)


def bench_of(
    study: Study,
    settings: Settings,
    measure: str,
    system: str,
    query: str,
    effect: str = "nDCG",
    places: AlignedRankings | None = None,
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
    places = aligned(study, settings, places, collection=wants_collection([question], settings))
    check_lists(study, places, (system,), query)
    background = question.parameters.get("background")
    return Bench(
        places,
        question,
        question.measure,
        bias_of(places, settings, question.cutoff or settings.cutoff),
        effect_question,
        places.rankings.list_of(system, query),
        query,
        None if background is None else places.background(background)[places.rankings.queries.index(query)],
        judgements(study).get(query),
    )


def edited_bench(
    study: Study, settings: Settings, experiment: Experiment, measure: str, effect: str, places: AlignedRankings
) -> Bench:
    """Return the bench of the experiment's list with its order, labels and words, so that swaps and fronts start there.

    Long lists are truncated to the first ranks, at least to the measure's cutoff. Raises: see `bench_of`.
    """
    bench = bench_of(study, settings, measure, experiment.system, experiment.query, effect, places)
    background = bench.question.parameters.get("background")
    column = np.array([places.rankings.queries.index(experiment.query)])
    edited_places = changed(study, settings, restricted(places, column, background == "collection"), experiment)
    system = edited_places.rankings.row_of(experiment.system)
    reach = max(MOST_SEARCHED, bench.question.cutoff or settings.cutoff)
    return replace(
        bench,
        places=edited_places,
        documents=edited_places.rankings.documents[: min(len(experiment.order), reach), system, 0],
        background=None if background is None else edited_places.background(background)[0],
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
