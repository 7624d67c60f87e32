"""The smallest and the largest value of a measure over all orders of documents with tied scores.

Every order that is tried is evaluated by the measure itself. Which orders hold the extremes: a measure that is a sum
over places, or a ratio of two such sums, is largest if in each tied group the documents that add most rank highest, and
all orders of a list with few are evaluated; there the ends are exact. What else is searched, with a seed, is marked so:
the range is at least this wide, and `RatioRanges` encloses it for some measures.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import expect
from fairviz.evaluation import validation
from fairviz.evaluation.choices import aligned, judgements
from fairviz.evaluation.questions import questions_of, wants_collection
from fairviz.evaluation.scores import bias_of, depth_of, effectiveness_of, values_at, values_of
from fairviz.evaluation.selection import Selection, selection_of
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.tied_orders import Keys, ends_by_record, keys_of
from fairviz.measures import Question
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.record import TiedEnds
from fairviz.measures.sums import AlignedRankings
from fairviz.measures.ties import Tied, arranger, countable, every_order, tied_places
from fairviz.statistics.bootstrap import mean_over_queries
from fairviz.study.record import Study

Array = np.ndarray
EXACT, SEARCHED = "exact", "searched"
REACHED = 1e-9  # an end found this near its bound is the true end
CACHED_PLACES = 1_000_000  # of all orders of the labels together; their sums take some ten times as much memory


@dataclass(frozen=True)
class Ends:
    """A value and its ends over all orders of tied documents, each (S, Q). tied: whether ties reach the cutoff.
    exact_low, exact_high: whether that end is one for certain. undefined: whether some order leaves no value.
    outer_low, outer_high: values that no order goes beyond, the end itself where it is exact, infinite where none is
    known."""

    value: Array
    low: Array
    high: Array
    exact_low: Array
    exact_high: Array
    tied: Array
    undefined: Array
    outer_low: Array
    outer_high: Array


@dataclass
class RatioRanges:
    """The smallest and the largest value of each ratio of a measure over the orders so far, (N, S, Q).

    A ratio of two sums over ranks, such as an exposure or its difference between two groups, has its extremes in the
    orders by label, all of which are tried; so the ratios enclose a measure with an extreme between such orders.
    """

    ends: TiedEnds
    parameters: Mapping[str, Any]
    low: Array | None = field(default=None, init=False)
    high: Array | None = field(default=None, init=False)

    def add(self, exposures: Array, protected: int) -> None:
        """Widen the ranges by one order's exposures (1 + G, S, Q)."""
        if self.ends.ratios is not None:
            values = self.ends.ratios(exposures, self.parameters, protected)
            self.low = values if self.low is None else np.fmin(self.low, values)
            self.high = values if self.high is None else np.fmax(self.high, values)

    def bounds(self, places: AlignedRankings) -> tuple[Array | float, Array | float]:
        """Return bounds of the measure in every order, (S, Q); infinite if unknown."""
        if self.low is None or self.high is None or self.ends.enclosure is None:
            return -np.inf, np.inf
        return self.ends.enclosure(self.low, self.high, places.targets, self.parameters)


def ties(
    study: Study,
    measures: str | Sequence[str],
    settings: Settings | None = None,
    *,
    places: AlignedRankings | None = None,
    per_query: bool = False,
    **choices: object,
) -> pd.DataFrame:
    """The smallest and the largest value of each measure over all orders of documents with equal scores.

    measures, places and choices: as for `fairviz.evaluate`. GSR, which has no value for one query, is left out. Returns
    system, measure, value, smallest, largest, smallest_is and largest_is (`exact`, or `searched`: the range is at least
    this wide), tied (queries whose ties reach the cutoff), undefined (those that some order leaves without a value; the
    ends are over the others), outer_smallest and outer_largest (no order goes beyond; NaN where unknown). per_query: a
    row a query instead, with query_id, and tied and undefined as true or false. A mean is smallest where every query
    is, as each is ordered for itself. Raises as `evaluate`.
    """
    settings = validation.chosen_settings(study, settings, choices)
    expect("per_query", per_query, bool, "Use True or False.")
    questions = [one for one in questions_of(validation.measures_of(measures), settings) if one.per_query]
    validation.refuse_missing(study, questions, settings)
    places = aligned(study, settings, places, collection=wants_collection(questions, settings))
    selection = selection_of(study, settings, places)
    parts = [
        _table(text, _taken(selection, ends), selection, per_query)
        for text, ends in ends_of(study, places, questions, settings).items()
    ]
    if parts:
        return pd.concat(parts, ignore_index=True)
    never = np.zeros(places.shape, dtype=bool)
    nothing = Ends(*[never * 1.0] * 3, *[never] * 4, *[never * 1.0] * 2)
    return _table("", nothing, selection, per_query).iloc[:0]


def _taken(selection: Selection, ends: "Ends") -> "Ends":
    """Return the ends of the systems and queries shown: the mean over draws is exact where that of each draw is."""
    tables = {
        name: ~selection.take(~table) if name.startswith("exact") else selection.take(table)
        for name, table in vars(ends).items()
    }
    return Ends(**tables)


def ends_of(
    study: Study, places: AlignedRankings, questions: Sequence[Question], settings: Settings
) -> dict[str, Ends]:
    """Return the ends of each question, by its text; questions that reach as deep share the orders that are tried."""
    rule: Any = settings.ties
    depths = {question.text: depth_of(question, places) for question in questions}
    ends: dict[str, Ends] = {}
    for question in sorted(questions, key=lambda question: depths[question.text]):
        depth = depths[question.text]
        make = partial(tied_places, study.runs, places.rankings, rule, depth)
        tied = places.remembered(("tied", rule, depth), make)
        ends[question.text] = _ends(study, places, question, settings, tied, depth)
    return {text: ends[text] for text in depths}


def _ends(
    study: Study, places: AlignedRankings, question: Question, settings: Settings, tied: Tied, depth: int
) -> Ends:
    value = values_of(study, places, question, settings)[0]
    if not len(tied.rank):
        never = np.zeros(places.shape, dtype=bool)
        return Ends(value, value, value, ~never, ~never, never, never, value, value)
    keys = keys_of(places, question, tied, lambda: judgements(study))
    record = ends_by_record(question)
    ratios = RatioRanges(record, question.parameters) if keys.by_every_label and record.ratios is not None else None
    low, high, lacking = value.copy(), value.copy(), np.isnan(value)
    bias = bias_of(places, settings, max(depth, question.cutoff or 0))
    for reordered in _reordered(places, question, settings, tied, depth, keys):
        values = _values(study, reordered, question, settings, bias, ratios)
        low, high, lacking = np.fmin(low, values), np.fmax(high, values), lacking | np.isnan(values)
    all_orders_tried = ~tied.lists | (countable(tied).reshape(tied.shape) > 0)
    exact_low, exact_high = all_orders_tried | keys.exact_low, all_orders_tried | keys.exact_high
    below, above = ratios.bounds(places) if ratios else (-np.inf, np.inf)
    exact_low, exact_high = exact_low | (low - below <= REACHED), exact_high | (above - high <= REACHED)
    undefined, nothing = lacking & ~np.isnan(low), np.isnan(low)
    outer_low, outer_high = np.where(exact_low | nothing, low, below), np.where(exact_high | nothing, high, above)
    return Ends(value, low, high, exact_low, exact_high, tied.lists, undefined, outer_low, outer_high)


def _reordered(
    places: AlignedRankings, question: Question, settings: Settings, tied: Tied, depth: int, tried: Keys
) -> Iterable[AlignedRankings]:
    """Yield the places under each order that is tried.

    Orders of the labels are the same for every measure of labels and every alpha. The last ones are cached with their
    sums, if they are small.
    """
    weights = np.arange(depth, 0, -1, dtype=np.float64)
    if question.measure is not None and question.measure.uses_bias:
        weights = bias_of(places, settings, depth).weights(question.cutoff or settings.cutoff)[:depth]
    arranged = arranger(places.rankings, tied, weights, depth)
    orders = (places.with_orders(arranged(key)) for key in chain(tried.keys, every_order(tied)))
    number = len(tried.keys) + int(countable(tied).max(initial=0))
    if not tried.by_every_label or number * depth * tied.lists.size > CACHED_PLACES:
        return orders
    cache = places.remembered(("orders of tied labels",), dict)
    key = settings.ties, weights.tobytes(), number
    reordered = cache.get(key)
    if reordered is None:
        cache.clear()
        reordered = cache[key] = tuple(orders)
    return reordered


def _values(
    study: Study,
    reordered: AlignedRankings,
    question: Question,
    settings: Settings,
    bias: PositionBias,
    ratios: RatioRanges | None,
) -> Array:
    """Return the values (S, Q) of an order; its exposures widen the ratios' ranges, where there are any."""
    if question.measure is None:
        return effectiveness_of(study, reordered, [question])[0]
    cutoff = np.array([question.cutoff or settings.cutoff])
    if ratios:
        ratios.add(reordered.exposure(bias, cutoff)[:, 0], reordered.protected)
    return values_at(reordered, question, settings, cutoff, bias)[0]


def _table(text: str, ends: Ends, selection: Selection, per_query: bool) -> pd.DataFrame:
    """Return the ends of one measure: a row for each list, or for each system over its queries."""
    names = selection.columns if per_query else {"system": pd.Series(list(selection.systems), dtype="str")}
    over_queries: list[Callable[..., Any]] = [mean_over_queries, partial(np.sum, axis=1), partial(np.all, axis=1)]
    mean, count, every = [np.ravel] * 3 if per_query else over_queries
    return pd.DataFrame(
        {
            **names,
            "measure": pd.Series([text] * len(names["system"]), dtype="str"),
            "value": mean(ends.value),
            "smallest": mean(ends.low),
            "largest": mean(ends.high),
            "smallest_is": _certainty(every(ends.exact_low)),
            "largest_is": _certainty(every(ends.exact_high)),
            "tied": count(ends.tied),
            "undefined": count(ends.undefined),
            "outer_smallest": _finite(mean(ends.outer_low)),
            "outer_largest": _finite(mean(ends.outer_high)),
        }
    )


def _finite(bound: Array) -> Array:
    return np.where(np.isinf(bound), np.nan, bound)


def _certainty(exact: Array) -> pd.Series:
    return pd.Series(np.where(exact, EXACT, SEARCHED), dtype="str")
