"""The smallest and the largest value of a measure over orders of documents: of tied ones, or of all candidates.

Every order that is tried is evaluated by the measure itself. Which orders hold the extremes: a measure that is a sum
over places, or a ratio of two such sums, is largest if in each tied group the documents that add most rank highest, and
all orders of a list with few are evaluated; there the ends are exact. What else is searched, with a seed, is marked so:
the range is at least this wide, and `RatioRanges` and `FractionRanges` enclose it for some measures.

A measure of labels depends on the ranks of labels, so that its extreme orders put one label above another in every tied
group: all orders of the labels are tried, `unlabelled` among them. A measure of words is tried in the order of what
each document adds to it. An effectiveness measure is best with the most relevant documents first.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, permutations
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import expect
from fairviz.evaluation.choices import Selection, aligned, judgements, refuse_missing, selection_of
from fairviz.evaluation.questions import chosen_settings, questions_of, wants_collection
from fairviz.evaluation.scores import bias_of, depth_of, effectiveness_of, values_at, values_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, distance
from fairviz.measures.judged import document_places
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.rankings import Rankings, Tied, arranger, countable, every_order, tied_places
from fairviz.measures.record import TiedEnds
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study

Array = np.ndarray
Judged = Mapping[str, Mapping[str, int]]
TRIED = 40  # orders by chance, of a measure whose end no order is sure to hold
MOST_KEYS = 20_000_000  # of all orders by chance together; at least FEWEST are tried, whatever the number of places
FEWEST = 8
SEED = 0
MOST_LABELS = 5  # neutral, three genders and `unlabelled`: 120 orders of them; beyond, some by chance
RELEVANT_FIRST = ("nDCG", "RR", "P", "R", "AP", "Success", "ERR", "RBP", "SDCG", "Judged")
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


def ties(
    study: Study,
    measures: str | Sequence[str],
    settings: Settings | None = None,
    *,
    rankings: AlignedRankings | None = None,
    per_query: bool = False,
    **choices: object,
) -> pd.DataFrame:
    """Return the smallest and the largest value of each measure over all orders of documents with equal scores.

    A mean is smallest where every query is, as each is ordered for itself. GSR, which has no value for one query, is
    left out.

    Parameters
    ----------
    study : Study
        Of S systems and Q queries.
    measures : str or sequence of str
        M measures, as for `fairviz.evaluate`; also settings, rankings and choices.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    rankings : AlignedRankings, optional
        Arrays from `fairviz.evaluation.choices.align`.
    per_query : bool
        Whether each query has its row, with query_id, and tied and undefined as true or false.
    **choices
        Fields of Settings to change.

    Returns
    -------
    DataFrame
        S · M rows: system, measure, value, smallest, largest, smallest_is and largest_is (`exact`, or `searched`: the
        range is at least this wide), tied (queries whose ties reach the cutoff), undefined (those that some order
        leaves without a value; the ends are over the others), outer_smallest and outer_largest (no order goes beyond;
        NaN if unknown).

    Raises
    ------
    FairvizError, UsageError
        As `fairviz.evaluate`.

    Examples
    --------
    >>> import fairviz
    >>> fairviz.ties(fairviz.open_study("football"), "CWEx@4")["tied"].tolist()
    [0, 0]
    """
    settings = chosen_settings(study, settings, choices)
    expect("per_query", per_query, bool, "Use True or False.")
    questions = [one for one in questions_of(measures, settings) if one.per_query]
    refuse_missing(study, questions, settings)
    rankings = aligned(study, settings, rankings, collection=wants_collection(questions, settings))
    selection = selection_of(study, settings, rankings)
    if not questions:
        return _table("", _no_ends(rankings.shape), selection, per_query).iloc[:0]
    tables = [
        _table(text, _shown(selection, ends), selection, per_query)
        for text, ends in _ends_by_question(study, rankings, questions, settings).items()
    ]
    return pd.concat(tables, ignore_index=True)


def _no_ends(shape: tuple[int, ...]) -> Ends:
    never = np.zeros(shape, dtype=bool)
    numbers = never * 1.0
    return Ends(numbers, numbers, numbers, never, never, never, never, numbers, numbers, numbers, never)


def _ends_by_question(
    study: Study, rankings: AlignedRankings, questions: Sequence[Question], settings: Settings
) -> dict[str, Ends]:
    """Return the ends of each question, by its text; questions that reach as deep share the orders that are tried."""
    rule: Any = settings.ties
    depths = {question.text: depth_of(question, rankings) for question in questions}
    ends: dict[str, Ends] = {}
    for question in sorted(questions, key=lambda question: depths[question.text]):
        depth = depths[question.text]
        make = partial(tied_places, study.runs, rankings.lists, rule, depth)
        tied = rankings.remembered(("tied", rule, depth), make)
        ends[question.text] = extremes(study, question, settings, Reordering(rankings, tied, depth))
    return {text: ends[text] for text in depths}


def _shown(selection: Selection, ends: Ends) -> Ends:
    """Return the ends of the systems and queries shown: the mean over draws is exact where that of each draw is."""
    tables = {
        name: ~selection.take(~table) if name.startswith("exact") else selection.take(table)
        for name, table in vars(ends).items()
    }
    return Ends(**tables)


def _table(text: str, ends: Ends, selection: Selection, per_query: bool) -> pd.DataFrame:
    """Return the ends of one measure: a row for each list, or for each system over its queries."""
    mean, count, least = reductions(per_query)
    return pd.DataFrame(
        {
            **named_rows(selection, text, per_query),
            "value": mean(ends.value),
            "smallest": mean(ends.low),
            "largest": mean(ends.high),
            "smallest_is": _certainty(least(ends.exact_low)),
            "largest_is": _certainty(least(ends.exact_high)),
            "tied": count(ends.tied),
            "undefined": count(ends.undefined),
            "outer_smallest": _finite(mean(ends.outer_low)),
            "outer_largest": _finite(mean(ends.outer_high)),
        }
    )


def _certainty(is_exact: Array) -> pd.Series:
    return pd.Series(np.where(is_exact, EXACT, SEARCHED), dtype="str")


def _finite(bound: Array) -> Array:
    return np.where(np.isinf(bound), np.nan, bound)


def named_rows(selection: Selection, text: str, per_query: bool) -> dict[str, pd.Series]:
    """Return the names of the rows of one measure: a row for each list, or for each system over its queries."""
    names = selection.columns if per_query else {"system": pd.Series(list(selection.systems), dtype="str")}
    return {**names, "measure": pd.Series([text] * len(names["system"]), dtype="str")}


def reductions(per_query: bool) -> list[Callable[..., Any]]:
    """Return the functions from (S, Q) to the values of rows: the mean over queries, the sum, and the least."""
    if per_query:
        return [np.ravel] * 3
    return [mean_over_queries, partial(np.sum, axis=1), partial(np.min, axis=1)]


@dataclass(frozen=True, eq=False)
class Reordering:
    """Documents that can be ordered otherwise: lists, their tied documents, the ranks that a measure reads, and how an
    order of the documents becomes rankings."""

    rankings: AlignedRankings
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


@dataclass(frozen=True)
class Keys:
    """keys: for each order that is tried a number for each tied place, (M,): larger ones rank higher. exact_low,
    exact_high: whether the smallest and the largest value are among them for certain, one truth or (S, Q).
    by_every_label: whether all orders of the labels are among them."""

    keys: list[Array]
    exact_low: bool | Array
    exact_high: bool | Array
    by_every_label: bool = False


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

    def bounds(self, rankings: AlignedRankings) -> tuple[Array | float, Array | float]:
        """Return bounds of the measure in every order, (S, Q); infinite if unknown."""
        if self.low is None or self.high is None or self.ends.enclosure is None:
            return -np.inf, np.inf
        return self.ends.enclosure(self.low, self.high, rankings.targets, self.parameters)


@dataclass
class FractionRanges:
    """The extremes of the ratios of sums over documents that a measure of words consists of.

    numerators and denominators (N, D); weights (K,): of each rank. The largest ratio of Σ p a and Σ p b is found by
    Dinkelbach's method (Management Science 13(7), 1967): with the documents ordered by a − λb, λ the ratio of the last
    order, it rises until no order has a larger one. low, high (N, S, Q): NaN if b is 0 in every order.
    """

    record: TiedEnds
    rankings: AlignedRankings
    parameters: Mapping[str, Any]
    tied: Tied
    weights: Array
    low: list[Array] = field(default_factory=list, init=False)
    high: list[Array] = field(default_factory=list, init=False)

    def orders(self, arrange: Arrange) -> Iterator[Rankings]:
        """Yield the orders on the way to each extreme, and note the extremes."""
        if self.record.fractions is None:
            return
        for numerator, denominator in zip(*self.record.fractions(self.rankings, self.parameters), strict=True):
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
        sums = np.zeros((2, *self.rankings.shape))
        for weight, documents in zip(self.weights, order.documents, strict=False):
            for row, values in enumerate((numerator, denominator)):
                sums[row] += weight * np.append(values, 0.0)[documents]
        return np.divide(sums[0], sums[1], out=np.full(self.rankings.shape, np.nan), where=sums[1] > 0)

    def bounds(self, rankings: AlignedRankings) -> tuple[Array | float, Array | float]:
        """Return bounds of the measure in every order, (S, Q); infinite if unknown."""
        if not self.low or self.record.enclosure is None:
            return -np.inf, np.inf
        return self.record.enclosure(np.stack(self.low), np.stack(self.high), rankings.targets, self.parameters)


def extremes(study: Study, question: Question, settings: Settings, reordering: Reordering) -> Ends:
    """Return the ends of a measure over the orders of the tied documents."""
    rankings, tied = reordering.rankings, reordering.tied
    value = values_of(study, rankings, question, settings)[0]
    nearest = distance(value, question)
    if not len(tied.rank):
        never = np.zeros(rankings.shape, dtype=bool)
        return Ends(value, value, value, ~never, ~never, never, never, value, value, nearest, ~never)
    keys = keys_of(rankings, question, tied, lambda: judgements(study))
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
) -> tuple[Array | float, Array | float]:
    """Evaluate the orders; return bounds of the measure in every order, (S, Q), infinite if unknown."""
    rankings, tied, depth = reordering.rankings, reordering.tied, reordering.depth
    record = ends_by_record(question)
    bias = bias_of(rankings, settings, max(depth, question.cutoff or 0))
    weights = _weights(rankings, question, settings, depth)
    arrange = reordering.arranger(rankings.lists, tied, weights, depth)
    ratios = RatioRanges(record, question.parameters) if keys.by_every_label and record.ratios is not None else None
    for reordered in _reordered(reordering, keys, (settings.ties, weights.tobytes()), arrange):
        if ratios:
            cutoff = np.array([question.cutoff or settings.cutoff])
            ratios.add(reordered.exposure(bias, cutoff)[:, 0], reordered.protected)
        tried.add(_values(study, reordered, question, settings, bias))
    if ratios:
        return ratios.bounds(rankings)
    if record.fractions is None or (np.all(keys.exact_low) and np.all(keys.exact_high)):
        return -np.inf, np.inf
    sums = weights if _uses_bias(question) else np.ones(depth)
    fractions = FractionRanges(record, rankings, question.parameters, tied, sums)
    for order in fractions.orders(arrange):
        tried.add(_values(study, rankings.with_orders(order), question, settings, bias))
    return fractions.bounds(rankings)


def _weights(rankings: AlignedRankings, question: Question, settings: Settings, depth: int) -> Array:
    """Return the weight of each rank by which documents are arranged, (depth,): attention, else falling by rank."""
    if _uses_bias(question):
        return bias_of(rankings, settings, depth).weights(question.cutoff or settings.cutoff)[:depth]
    return np.arange(depth, 0, -1, dtype=np.float64)


def _uses_bias(question: Question) -> bool:
    return question.measure is not None and question.measure.uses_bias


def _reordered(
    reordering: Reordering, keys: Keys, cached_as: tuple[str, bytes], arrange: Arrange
) -> Iterable[AlignedRankings]:
    """Yield the rankings under each order that is tried.

    Orders of the labels are the same for every measure of labels and every alpha. The last ones are cached with their
    sums, if they are small.
    """
    rankings, tied = reordering.rankings, reordering.tied
    orders = (rankings.with_orders(arrange(key)) for key in chain(keys.keys, every_order(tied)))
    number = len(keys.keys) + int(countable(tied).max(initial=0))
    if not keys.by_every_label or number * reordering.depth * tied.lists.size > CACHED_PLACES:
        return orders
    cache = rankings.remembered(("orders of tied labels",), dict)
    reordered = cache.get((*cached_as, number))
    if reordered is None:
        cache.clear()
        reordered = cache[*cached_as, number] = tuple(orders)
    return reordered


def _values(
    study: Study, reordered: AlignedRankings, question: Question, settings: Settings, bias: PositionBias
) -> Array:
    """Return the values (S, Q) of an order."""
    if question.measure is None:
        return effectiveness_of(study, reordered, [question])[0]
    return values_at(reordered, question, settings, np.array([question.cutoff or settings.cutoff]), bias)[0]


def keys_of(rankings: AlignedRankings, question: Question, tied: Tied, judged: Callable[[], Judged]) -> Keys:
    """The orders that are tried for this question."""
    if question.measure is None or question.family == "relevance":
        grades = _grades(rankings, tied, judged())
        certain = False
        if question.measure is None:
            entry = question.parameters["measure"].measure
            plain = not entry.params.get("judged_only") and "gains" not in entry.params
            certain = plain and entry.NAME in RELEVANT_FIRST
        return Keys([grades, -grades, *([] if certain else _by_chance(len(grades)))], certain, certain)
    keys = _by_label(rankings, question, tied) if question.family == "labels" else _by_words(rankings, question, tied)
    if np.all(keys.exact_low) and np.all(keys.exact_high):
        return keys
    return replace(keys, keys=[*keys.keys, *_by_chance(len(tied.rank))])


def _tries(count: int) -> int:
    """Return the number of orders by chance for this many places."""
    return min(TRIED, max(FEWEST, MOST_KEYS // max(count, 1)))


def _by_chance(count: int) -> Iterator[Array]:
    generator = np.random.default_rng(SEED)
    for _ in range(_tries(count)):
        yield generator.random(count)


def _by_label(rankings: AlignedRankings, question: Question, tied: Tied) -> Keys:
    if rankings.labels.shares is not None:  # as many labels as documents: `keys_of` adds orders by chance
        return Keys([*rankings.labels.memberships(tied.document, 1 + len(rankings.groups)).T], False, False)
    codes = rankings.labels.codes[tied.document].astype(np.int64) + 1  # 0 unlabelled, 1 neutral, …
    names = 2 + len(rankings.groups)
    record = ends_by_record(question)
    if names > MOST_LABELS:
        generator = np.random.default_rng(SEED)
        orders = [generator.permutation(names) for _ in range(TRIED)]
        return Keys([order[codes].astype(np.float64) for order in orders], False, False)
    labels = np.unique(codes)
    orders = [np.array(order, dtype=np.float64) for order in permutations(range(len(labels)))]
    keys = [order[np.searchsorted(labels, codes)] for order in orders]
    is_certain = np.ones(tied.shape, dtype=bool)
    if question.background:  # if a label is missing, the divisor depends on the order
        is_certain.ravel()[tied.list[codes == 0]] = False
    return Keys(keys, is_certain & record.smallest, is_certain & record.largest, by_every_label=True)


def _by_words(rankings: AlignedRankings, question: Question, tied: Tied) -> Keys:
    """Return the orders of a measure of words. If a text is missing, the divisor depends on the order, and no extreme
    is certain."""
    adds = _adds(rankings, question, _tries(len(tied.rank)))[:, tied.document]  # (N, M)
    signed = [sign * row for row in adds for sign in (1.0, -1.0)]
    keys = list(signed)
    if question.direction == "zero":
        keys += [-np.abs(row) for row in adds]  # the documents that add least, for the value nearest to 0
    has_text = rankings.words.known[tied.document]
    if not has_text.all():
        keys += [np.where(has_text, key, end) for key in signed for end in (-np.inf, np.inf)]
    is_certain = np.ones(tied.shape, dtype=bool)
    is_certain.ravel()[tied.list[~has_text]] = False
    record = ends_by_record(question)
    return Keys(keys, is_certain & record.smallest, is_certain & record.largest)


def _adds(rankings: AlignedRankings, question: Question, tries: int) -> Array:
    """Return the numbers by which documents are ordered, (N, D): the measure's own, or shares of words and this many
    mixtures of them."""
    if question.measure is not None and question.measure.weighted is not None:
        return question.measure.weighted.numbers(rankings, question.parameters)[None]
    counts = rankings.words.counts.astype(np.float64)  # (D, G)
    gendered = (counts.sum(axis=1) > 0).astype(np.float64)
    shares = np.column_stack([counts / np.maximum(rankings.words.tokens, 1)[:, None], gendered]).T  # (G + 1, D)
    spread = shares / np.maximum(shares.max(axis=1, initial=0), 1e-12)[:, None]
    mixtures = np.random.default_rng(SEED).normal(size=(tries, len(spread)))
    return np.concatenate([spread, mixtures @ spread])


def ends_by_record(question: Question) -> TiedEnds:
    """Return the ends of the measure's record; of effectiveness, the default."""
    return TiedEnds() if question.measure is None else question.measure.ties


def _grades(rankings: AlignedRankings, tied: Tied, judged: Judged) -> Array:
    """Return the grade of each tied document, (M,), at least 0; -1 for an unjudged one, which comes after these."""
    by_query = [judged.get(query, {}) for query in rankings.lists.queries]
    width = len(rankings.lists.doc_ids)
    codes = document_places(rankings.lists, [name for grades in by_query for name in grades])
    queries = np.repeat(np.arange(len(by_query)), [len(grades) for grades in by_query])
    values = np.array([grade for grades in by_query for grade in grades.values()], dtype=np.float64)
    retrieved = codes >= 0
    keys, values = (queries * width + codes)[retrieved], values[retrieved]
    if not len(keys):
        return np.full(len(tied.rank), -1.0)
    order = np.argsort(keys)
    wanted = tied.list % len(by_query) * width + tied.document
    judged_places = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    is_judged = keys[order][judged_places] == wanted
    return np.where(is_judged, np.maximum(values[order][judged_places], 0), -1.0)
