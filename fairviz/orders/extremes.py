"""The extremes of a measure over orders of documents: of tied ones, or of all candidates of a list.

Every order that is tried is evaluated by the measure itself. Which orders hold the extremes: a measure that is a sum
over places, or a ratio of two such sums, is largest if in each tied group the documents that add most rank highest, and
all orders of a list with few are evaluated; there the ends are exact. What else is searched, with a seed, is marked so:
the range is at least this wide, and `RatioRanges` and `FractionRanges` enclose it for some measures.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from fairviz.evaluation.choices import judgements
from fairviz.evaluation.scores import bias_of, effectiveness_of, values_at, values_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, distance
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.rankings import Rankings
from fairviz.measures.record import TiedEnds
from fairviz.measures.sums import AlignedRankings
from fairviz.measures.ties import Tied, arranger, countable, every_order
from fairviz.orders.tied_orders import Keys, ends_by_record, keys_of
from fairviz.study.record import Study

Array = np.ndarray
Arrange = Callable[[Array], Rankings]
Arranger = Callable[[Rankings, Tied, Array, int], Arrange]
EXACT, SEARCHED = "exact", "searched"
REACHED = 1e-9  # an end found this near its bound is the true end
CACHED_PLACES = 1_000_000  # of all orders of the labels together; their sums take some ten times as much memory
MOST_STEPS = 40  # of the search for the extreme of a ratio, which takes about five


@dataclass(frozen=True)
class Ends:
    """A value and its ends over all orders of tied documents, each (S, Q). tied: whether ties reach the cutoff.
    exact_low, exact_high: whether that end is one for certain. undefined: whether some order leaves no value.
    outer_low, outer_high: values that no order goes beyond, the end itself where it is exact, infinite where none is
    known. nearest: the smallest `distance` of an order that was tried. complete: whether all orders were."""

    value: Array
    low: Array
    high: Array
    exact_low: Array
    exact_high: Array
    tied: Array
    undefined: Array
    outer_low: Array
    outer_high: Array
    nearest: Array
    complete: Array


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


@dataclass
class FractionRanges:
    """The extremes of the ratios of sums over documents that a measure of words consists of.

    numerators and denominators (N, D); weights (K,): of each rank. The largest ratio of Σ p a and Σ p b is found by
    Dinkelbach's method (Management Science 13(7), 1967): with the documents ordered by a − λb, λ the ratio of the last
    order, it rises until no order has a larger one. low, high (N, S, Q): NaN if b is 0 in every order.
    """

    record: TiedEnds
    places: AlignedRankings
    parameters: Mapping[str, Any]
    tied: Tied
    weights: Array
    low: list[Array] = field(default_factory=list, init=False)
    high: list[Array] = field(default_factory=list, init=False)

    def orders(self, arrange: Arrange) -> Iterator[Rankings]:
        """Yield the orders on the way to each extreme, and note the extremes."""
        if self.record.fractions is None:
            return
        for numerator, denominator in zip(*self.record.fractions(self.places, self.parameters), strict=True):
            high = yield from self._largest(numerator, denominator, arrange)
            low = yield from self._largest(-numerator, denominator, arrange)
            self.high.append(high)
            self.low.append(-low)

    def _largest(self, numerator: Array, denominator: Array, arrange: Arrange) -> Generator[Rankings, None, Array]:
        """Yield orders of rising ratio; return the largest ratio of each list, (S, Q), infinite if not reached."""
        above, below = numerator[self.tied.document], denominator[self.tied.document]
        order = arrange(below)
        ratio, settled = self._ratio(numerator, denominator, order), False
        yield order
        for _ in range(MOST_STEPS):
            order = arrange(above - np.nan_to_num(ratio).ravel()[self.tied.list] * below)
            yield order
            larger = np.fmax(ratio, self._ratio(numerator, denominator, order))
            settled = bool(np.all((larger - ratio <= REACHED / 1000) | np.isnan(ratio)))
            ratio = larger
            if settled:
                break
        return ratio if settled else np.where(np.isnan(ratio), np.nan, np.inf)

    def _ratio(self, numerator: Array, denominator: Array, order: Rankings) -> Array:
        sums = np.zeros((2, *self.places.shape))
        for weight, documents in zip(self.weights, order.documents, strict=False):
            for row, values in enumerate((numerator, denominator)):
                sums[row] += weight * np.append(values, 0.0)[documents]
        return np.divide(sums[0], sums[1], out=np.full(self.places.shape, np.nan), where=sums[1] > 0)

    def bounds(self, places: AlignedRankings) -> tuple[Array | float, Array | float]:
        """Return bounds of the measure in every order, (S, Q); infinite if unknown."""
        if not self.low or self.record.enclosure is None:
            return -np.inf, np.inf
        return self.record.enclosure(np.stack(self.low), np.stack(self.high), places.targets, self.parameters)


@dataclass(frozen=True, eq=False)
class Reordering:
    """Documents that can be ordered otherwise: lists, their tied documents, the ranks that a measure reads, and how an
    order of the documents becomes rankings."""

    places: AlignedRankings
    tied: Tied
    depth: int
    arranger: Arranger = arranger


@dataclass
class _Tried:
    """The extremes of the orders so far, (S, Q)."""

    question: Question
    low: Array
    high: Array
    nearest: Array
    lacking: Array

    def add(self, values: Array) -> None:
        self.low, self.high = np.fmin(self.low, values), np.fmax(self.high, values)
        self.nearest = np.fmin(self.nearest, distance(values, self.question))
        self.lacking = self.lacking | np.isnan(values)


def extremes(study: Study, question: Question, settings: Settings, reordering: Reordering) -> Ends:
    """Return the ends of a measure over the orders of the tied documents."""
    places, tied = reordering.places, reordering.tied
    value = values_of(study, places, question, settings)[0]
    nearest = distance(value, question)
    if not len(tied.rank):
        never = np.zeros(places.shape, dtype=bool)
        return Ends(value, value, value, ~never, ~never, never, never, value, value, nearest, ~never)
    keys = keys_of(places, question, tied, lambda: judgements(study))
    tried = _Tried(question, value.copy(), value.copy(), nearest, np.isnan(value))
    below, above = _try(study, question, settings, reordering, keys, tried)
    low, high = tried.low, tried.high
    complete = ~tied.lists | (countable(tied).reshape(tied.shape) > 0)
    exact_low = complete | keys.exact_low | (low - below <= REACHED)
    exact_high = complete | keys.exact_high | (above - high <= REACHED)
    undefined, nothing = tried.lacking & ~np.isnan(low), np.isnan(low)
    outer_low, outer_high = np.where(exact_low | nothing, low, below), np.where(exact_high | nothing, high, above)
    return Ends(
        value, low, high, exact_low, exact_high, tied.lists, undefined, outer_low, outer_high, tried.nearest, complete
    )


def _try(
    study: Study, question: Question, settings: Settings, reordering: Reordering, keys: Keys, tried: _Tried
) -> tuple[Array, Array]:
    """Evaluate the orders; return bounds of the measure in every order, (S, Q), infinite if unknown."""
    places, depth = reordering.places, reordering.depth
    record = ends_by_record(question)
    ratios = RatioRanges(record, question.parameters) if keys.by_every_label and record.ratios is not None else None
    bias = bias_of(places, settings, max(depth, question.cutoff or 0))
    for reordered in _reordered(reordering, question, settings, keys):
        tried.add(_values(study, reordered, question, settings, bias, ratios))
    if ratios or (np.all(keys.exact_low) and np.all(keys.exact_high)) or record.fractions is None:
        below, above = ratios.bounds(places) if ratios else (-np.inf, np.inf)
    else:
        weights = _weights(places, question, settings, depth)
        sums = weights if question.measure is not None and question.measure.uses_bias else np.ones(depth)
        fractions = FractionRanges(record, places, question.parameters, reordering.tied, sums)
        for order in fractions.orders(reordering.arranger(places.rankings, reordering.tied, weights, depth)):
            tried.add(_values(study, places.with_orders(order), question, settings, bias, None))
        below, above = fractions.bounds(places)
    return np.broadcast_to(below, places.shape), np.broadcast_to(above, places.shape)


def _weights(places: AlignedRankings, question: Question, settings: Settings, depth: int) -> Array:
    """Return the weight of each rank by which documents are arranged, (depth,): attention, else falling by rank."""
    if question.measure is not None and question.measure.uses_bias:
        return bias_of(places, settings, depth).weights(question.cutoff or settings.cutoff)[:depth]
    return np.arange(depth, 0, -1, dtype=np.float64)


def _reordered(
    reordering: Reordering, question: Question, settings: Settings, tried: Keys
) -> Iterable[AlignedRankings]:
    """Yield the places under each order that is tried.

    Orders of the labels are the same for every measure of labels and every alpha. The last ones are cached with their
    sums, if they are small.
    """
    places, tied, depth = reordering.places, reordering.tied, reordering.depth
    weights = _weights(places, question, settings, depth)
    arranged = reordering.arranger(places.rankings, tied, weights, depth)
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
