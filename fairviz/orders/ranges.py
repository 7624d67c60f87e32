"""The range of a measure: the worst and the best value that a reordering of the candidates allows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import expect
from fairviz.evaluation import validation
from fairviz.evaluation.choices import Selection, aligned
from fairviz.evaluation.questions import questions_of
from fairviz.evaluation.scores import bias_of, depth_of, effectiveness_of, values_at, values_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, distance
from fairviz.measures.effectiveness import KERNELS as GRADED
from fairviz.measures.judged import KERNELS as JUDGED
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.rankings import LabelEvidence, Rankings, no_words
from fairviz.measures.record import Reach
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.candidates import (
    CandidateLists,
    CandidateSource,
    candidate_sets,
    lists_of,
    lists_requested,
    needs_collection,
)
from fairviz.orders.chance import beside, chance
from fairviz.orders.ties import REACHED, Ends, ends_by_record, extremes
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study

Array = np.ndarray
MOST_SEQUENCES = 5_000_000  # some seconds for a measure; ten ranks of four kinds have 1,048,576
_PLACES_AT_ONCE = 3_000_000  # few enough for sums in float64 (see EXACT_PLACES)
_CACHED_PLACES = 1_000_000
_CHECKED_AT_ONCE = 20_000_000
SEARCHED, BOUND, EXACT = 0, 1, 2  # how sure an end is
MOST_TRIED = 2_000_000  # orders of small lists for one measure; some seconds
MOST_LOOPED = 720  # orders of a list for a measure without arrays, which takes a millisecond for each
CERTAINTY = ("searched", "bound", "exact")  # by the numbers of `range_ends`
NARROW = 0.02  # half of the smallest difference that the papers discuss between systems, about 0.04 CWEx
COLUMNS = ("value", "worst", "best", "worst_is", "best_is", "place", "queries", "narrow")


@dataclass(frozen=True, eq=False)
class Composed:
    """The extremes by numbers of documents: counts (C, T); low, high and nearest (smallest distance) (C,)."""

    counts: Array
    low: Array
    high: Array
    nearest: Array

    def over(self, available: Array) -> Array:
        """Return low, high and nearest of lists with these numbers of candidates by kind, (L, T): (3, L)."""
        ends = np.full((3, len(available)), np.nan)
        step = max(1, _CHECKED_AT_ONCE // max(self.counts.size, 1))
        for start in range(0, len(available), step):
            lists = slice(start, start + step)
            possible = (self.counts[None] <= available[lists, None]).all(axis=2)  # (L, C)
            for row, (values, extreme) in enumerate(
                ((self.low, np.fmin), (self.high, np.fmax), (self.nearest, np.fmin))
            ):
                ends[row, lists] = extreme.reduce(np.where(possible, values, np.nan), axis=1, initial=np.nan)
        return ends


def sequence_extremes(
    places: AlignedRankings, question: Question, settings: Settings, available: Array, depths: Array
) -> tuple[Array, Array]:
    """Return low, high and nearest of each list, (3, L), and a mask of those that are computed, (L,).

    available (L, 1 + G + 1): the candidates by label, neutral first and those without one last. depths (L,): number of
    ranks. A list of more than MOST_SEQUENCES sequences is not computed, and none for a measure that depends on more
    than labels.
    """
    ends, computed = np.full((3, len(depths)), np.nan), np.zeros(len(depths), dtype=bool)
    if not ends_by_record(question).by_label:
        return ends, computed
    available, kinds = _kinds(places, available)
    cutoff = question.cutoff or settings.cutoff
    bias = bias_of(places, settings, cutoff)
    for depth in np.unique(depths[depths > 0]).tolist():
        lists = depths == depth
        present = available[lists].any(axis=0)
        blocks = _blocks(bias.weights(cutoff)[:depth])
        if not present.any() or _number(blocks, int(present.sum())) > MOST_SEQUENCES:
            computed[lists] |= not present.any()
            continue
        composed = _composed(places, question, settings, bias, kinds[present], blocks)
        ends[:, lists] = composed.over(np.minimum(available[lists][:, present], depth))
        computed |= lists
    return ends, computed


def _kinds(places: AlignedRankings, available: Array) -> tuple[Array, Array]:
    """Return the candidates by kind, (L, T), and each kind's label, (T,), under the policy for unlabelled documents."""
    codes = np.append(np.arange(1 + len(places.groups)), -1)
    if places.unlabelled == "skip":
        return available, codes
    labelled = available[:, :-1].copy()
    if places.unlabelled == "neutral":
        labelled[:, 0] += available[:, -1]
    return labelled, codes[:-1]


def _blocks(weights: Array) -> list[Array]:
    """Return the ranks of equal weight, counted from 0."""
    numbers = np.unique(weights, return_inverse=True)[1]
    return [np.flatnonzero(numbers == number) for number in range(int(numbers.max()) + 1)]


def _number(blocks: list[Array], kinds: int) -> int:
    """Return the number of sequences; more than MOST_SEQUENCES if numbers of documents do not fit 64 bits."""
    if (sum(map(len, blocks)) + 1) ** kinds >= 2**62:
        return MOST_SEQUENCES + 1
    return prod(comb(len(ranks) + kinds - 1, len(ranks)) for ranks in blocks)


def _composed(
    places: AlignedRankings,
    question: Question,
    settings: Settings,
    bias: PositionBias,
    kinds: Array,
    blocks: list[Array],
) -> Composed:
    """Evaluate every sequence of labels of one depth."""
    cutoff = np.array([question.cutoff or settings.cutoff])
    parts = []
    for sequences, counts, number in _sequences(places, kinds, blocks, bias.weights(int(cutoff[0]))):
        values = values_at(sequences, question, settings, cutoff, bias)[0, :, 0]  # (N,)
        ordered = values[number.order]
        parts.append(
            Composed(
                counts,
                np.fmin.reduceat(ordered, number.first),
                np.fmax.reduceat(ordered, number.first),
                np.fmin.reduceat(distance(ordered, question), number.first),
            )
        )
    return reduce(_joined, parts)


def _joined(one: Composed, other: Composed) -> Composed:
    counts, place = np.unique(np.concatenate([one.counts, other.counts]), axis=0, return_inverse=True)
    order = np.argsort(place.ravel(), kind="stable")
    first = np.searchsorted(place.ravel()[order], np.arange(len(counts)))
    low, high, nearest = (
        extreme.reduceat(np.concatenate([getattr(one, name), getattr(other, name)])[order], first)
        for name, extreme in (("low", np.fmin), ("high", np.fmax), ("nearest", np.fmin))
    )
    return Composed(counts, low, high, nearest)


@dataclass(frozen=True, eq=False)
class _Numbering:
    """The sequences (N,) ordered by their numbers of documents, and the first place of each of these, (C,)."""

    order: Array
    first: Array


Part = tuple[AlignedRankings, Array, _Numbering]


def _sequences(places: AlignedRankings, kinds: Array, blocks: list[Array], weights: Array) -> Iterable[Part]:
    """Return all sequences in parts, each as lists with their numbers of documents (C, T); few are cached."""
    depth = sum(map(len, blocks))
    parts = (_part(places, kinds, documents) for documents in _documents(blocks, len(kinds)))
    if depth * _number(blocks, len(kinds)) > _CACHED_PLACES:
        return parts
    key = ("label sequences", depth, kinds.tobytes(), weights.tobytes())
    return places.remembered(key, lambda: list(parts))


def _documents(blocks: list[Array], kinds: int) -> Iterator[Array]:
    """Yield the kind at each rank of sequences, (K, N), until all have been."""
    depth, number = sum(map(len, blocks)), _number(blocks, kinds)
    options = [np.array(list(combinations_with_replacement(range(kinds), len(ranks)))) for ranks in blocks]
    step = max(1, _PLACES_AT_ONCE // depth)
    for start in range(0, number, step):
        turn = np.arange(start, min(start + step, number))
        documents = np.empty((depth, len(turn)), dtype=np.int32)
        for ranks, choices in zip(blocks, options, strict=True):
            documents[ranks] = choices[turn % len(choices)].T
            turn = turn // len(choices)
        yield documents


def _part(places: AlignedRankings, kinds: Array, documents: Array) -> Part:
    depth, number = documents.shape
    names = pd.Index([f"kind {kind}" for kind in kinds], dtype="str")
    rankings = Rankings(
        ("sequence",) * number, ("any",), names, documents[:, :, None], np.full((number, 1), depth, dtype=np.int32)
    )
    sequences = replace(
        places, rankings=rankings, labels=LabelEvidence(kinds), words=no_words(names, places.groups), made_of=()
    )
    by_kind = np.stack([(documents == kind).sum(axis=0) for kind in range(len(kinds))], axis=1)  # (N, T)
    code = by_kind @ (depth + 1) ** np.arange(len(kinds), dtype=np.int64)
    order = np.argsort(code, kind="stable")
    first = np.flatnonzero(np.diff(code[order], prepend=-1))
    return sequences, by_kind[order][first], _Numbering(order, first)


def ends_of_lists(study: Study, question: Question, settings: Settings, lists: CandidateLists, value: Array) -> Ends:
    """Return the ends of each list, (V, Q). value (S, Q): of the systems' own lists."""
    ends = _label_ends(question, settings, lists)
    if ends is not None:
        return ends
    _share_background(question, lists.places, lists.reordering.places)
    own = np.where(lists.contains, value, np.nan)
    ends = _with_values(extremes(study, question, settings, lists.reordering), own, question, lists)
    ends = _with_record(ends, question, settings, lists.places)
    return _with_small_lists(ends, study, question, settings, lists)


def _label_ends(question: Question, settings: Settings, lists: CandidateLists) -> Ends | None:
    """Return the ends from sequences of labels, (V, Q); None unless they cover all lists, and for labels in shares."""
    if lists.places.labels.shares is not None:
        return None
    shape = lists.reach.shape
    counts = lists.labels.reshape(lists.reach.size, -1)
    ends, computed = sequence_extremes(lists.places, question, settings, counts, lists.reach.ravel())
    if not (computed | (lists.reach.ravel() == 0)).all():
        return None
    low, high, nearest = ends.reshape(3, *shape)
    every = np.ones(shape, dtype=bool)
    return Ends(low, low, high, every, every, every, ~every, low, high, nearest, every)


def _with_values(ends: Ends, own: Array, question: Question, lists: CandidateLists) -> Ends:
    """Widen the ends by the systems' own values, (S, Q): their lists are orders of the candidates."""
    low, high, nearest = ends.low.copy(), ends.high.copy(), ends.nearest.copy()
    columns = np.broadcast_to(np.arange(own.shape[1]), own.shape)
    for extreme, values, mine in (
        (np.fmin, low, own), (np.fmax, high, own), (np.fmin, nearest, distance(own, question))
    ):  # fmt: skip
        extreme.at(values, (lists.row, columns), mine)
    return _settled(replace(ends, low=low, high=high, nearest=nearest))


def _with_record(ends: Ends, question: Question, settings: Settings, places: AlignedRankings) -> Ends:
    """Tighten the bounds by the range of the measure's record, unless it is that of the documents of a background."""
    if question.measure is None or "background" in question.parameters:
        return ends
    cutoff = question.cutoff or settings.cutoff
    attention = float(bias_of(places, settings, cutoff).weights(cutoff).sum())
    low, high = question.measure.range(Reach(question.parameters, places.targets, attention))
    return _settled(replace(ends, outer_low=np.fmax(ends.outer_low, low), outer_high=np.fmin(ends.outer_high, high)))


def _settled(ends: Ends) -> Ends:
    """Mark the ends that reach their bounds as exact, and set the bounds of exact ends to them."""
    exact_low = ends.exact_low | (ends.low - ends.outer_low <= REACHED)
    exact_high = ends.exact_high | (ends.outer_high - ends.high <= REACHED)
    return replace(
        ends,
        exact_low=exact_low,
        exact_high=exact_high,
        outer_low=np.where(exact_low, ends.low, ends.outer_low),
        outer_high=np.where(exact_high, ends.high, ends.outer_high),
    )


def _with_small_lists(ends: Ends, study: Study, question: Question, settings: Settings, lists: CandidateLists) -> Ends:
    """Evaluate all orders of lists with few, where an end is not exact yet."""
    _, _, worst_sure, best_sure = fair_ends(ends, question)
    orders = lists.orders
    open_lists = ((worst_sure < EXACT) | (best_sure < EXACT)) & (orders > 0)
    if not _is_quick(question):
        open_lists &= orders <= MOST_LOOPED
    rows, queries = np.nonzero(open_lists)
    by_number = np.argsort(orders[rows, queries], kind="stable")
    affordable = by_number[np.cumsum(orders[rows, queries][by_number]) <= MOST_TRIED]
    names = ("low", "high", "nearest", "exact_low", "exact_high", "complete")
    changed = {name: np.array(getattr(ends, name)) for name in names}
    for place in zip(rows[affordable].tolist(), queries[affordable].tolist(), strict=True):
        values = _every_value(study, question, settings, lists, *place)
        changed["low"][place], changed["high"][place] = np.fmin.reduce(values), np.fmax.reduce(values)
        changed["nearest"][place] = np.fmin.reduce(distance(values, question))
        for name in ("exact_low", "exact_high", "complete"):
            changed[name][place] = True
    return _settled(replace(ends, **changed))


def _share_background(
    question: Question, places: AlignedRankings, reordered: AlignedRankings, queries: slice = slice(None)
) -> None:
    """Give reordered lists the measure's background set, which is that of the study and not of the new lists."""
    if "background" in question.parameters:
        name = question.parameters["background"] or "candidates"
        reordered.remembered(("background", name), lambda: places.background(name)[queries])


def _is_quick(question: Question) -> bool:
    """Return whether the measure takes many lists in one pass over arrays."""
    if question.measure is None:
        return question.parameters["measure"].measure.NAME in {**JUDGED, **GRADED}
    return bool(question.measure.needs)


def _every_value(
    study: Study, question: Question, settings: Settings, lists: CandidateLists, row: int, query: int
) -> Array:
    """Return the value of each order of a list, (N,)."""
    orders = lists.every_order(row, query)
    if question.measure is None:
        return effectiveness_of(study, orders, [question])[0, :, 0]
    _share_background(question, lists.places, orders, slice(query, query + 1))
    cutoff = question.cutoff or settings.cutoff
    bias = bias_of(lists.places, settings, cutoff)
    return values_at(orders, question, settings, np.array([cutoff]), bias)[0, :, 0]


def fair_ends(ends: Ends, question: Question) -> tuple[Array, Array, Array, Array]:
    """Return worst, best and how sure each is, (V, Q) each, in the direction of the measure."""
    low = _sure(ends.low, ends.outer_low, ends.exact_low)
    high = _sure(ends.high, ends.outer_high, ends.exact_high)
    if question.direction == "lower":
        low, high = high, low
    if question.direction not in ("zero", "one"):
        return low[0], high[0], low[1], high[1]
    fair = 0.0 if question.direction == "zero" else 1.0
    farthest = np.fmax(distance(ends.low, question), distance(ends.high, question))
    beyond = np.fmax(distance(ends.outer_low, question), distance(ends.outer_high, question))
    exact = (ends.exact_low & ends.exact_high) | (minus(beyond, farthest) <= REACHED)
    worst, worst_sure = _sure(farthest, beyond, exact)
    inside = (ends.outer_low <= fair) & (fair <= ends.outer_high)
    least = np.where(inside, 0.0, np.fmin(distance(ends.outer_low, question), distance(ends.outer_high, question)))
    best, best_sure = _sure(ends.nearest, least, ends.complete | (minus(ends.nearest, least) <= REACHED))
    return worst, best, worst_sure, best_sure


def minus(one: Array, other: Array) -> Array:
    """Return the difference; NaN of two infinities."""
    with np.errstate(invalid="ignore"):
        return one - other


def _sure(end: Array, bound: Array, exact: Array) -> tuple[Array, Array]:
    """Return the end where it is exact or no bound is known, else its bound; and EXACT, SEARCHED or BOUND."""
    bounded = ~exact & np.isfinite(bound)
    return np.where(bounded, bound, end), np.where(exact | np.isnan(end), EXACT, np.where(bounded, BOUND, SEARCHED))


@dataclass(frozen=True, eq=False)
class Range:
    """The range of each list, any shape. value: the measure's; worst, best: values or, for a measure whose fairest
    value is 0 or 1, distances from it. worst_sure, best_sure: EXACT, BOUND or SEARCHED of `range_ends`."""

    value: Array
    distance: Array
    worst: Array
    best: Array
    worst_sure: Array
    best_sure: Array

    @property
    def width(self) -> Array:
        """The distance of the ends; 0 for rounding errors."""
        width = np.abs(minus(self.worst, self.best))
        return np.where(width <= REACHED, 0.0, width)

    @property
    def place(self) -> Array:
        """The share of the way from worst to best; NaN where the ends are equal or infinitely far apart."""
        open_ranges = (self.width > 0) & np.isfinite(self.width)
        share = np.full(self.worst.shape, np.nan)
        np.divide(minus(self.worst, self.distance), minus(self.worst, self.best), out=share, where=open_ranges)
        share[(share < 0) & (share > -REACHED)] = 0  # rounding
        share[(share > 1) & (share < 1 + REACHED)] = 1
        return share

    @property
    def narrow(self) -> Array:
        """Mask of the ranges that are certain to have at most the width NARROW."""
        return (self.width <= NARROW) & (self.worst_sure > 0) & (self.best_sure > 0)


def ranges(
    study: Study,
    measures: str | Sequence[str],
    settings: Settings | None = None,
    *,
    candidates: CandidateSource = "study",
    places: AlignedRankings | None = None,
    per_query: bool = False,
    **choices: object,
) -> pd.DataFrame:
    """Return the worst and the best value of each measure over all orders of the candidates, and the value's place
    between.

    Parameters
    ----------
    study : Study
        Of S systems and Q queries.
    measures : str or sequence of str
        M measures, as for `fairviz.evaluate`; also settings, places and choices.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    candidates : {'study', 'run', 'judged'}
        The documents that can be ranked: all that any system retrieved for the query, the system's own, or judged ones.
        A list is as long as the system's own.
    places : AlignedRankings, optional
        Arrays from `fairviz.evaluation.choices.align`.
    per_query : bool
        Whether each query has its row, with query_id, and narrow as true or false.
    **choices
        Fields of Settings to change.

    Returns
    -------
    DataFrame
        S · M rows: system, measure, value, worst and best (means over queries; for a measure whose fairest value is 0
        or 1 of |value| and |ln value|; for one that only describes, the smallest and the largest value), worst_is and
        best_is (`exact`; `bound`: no order goes beyond, and none may reach it; `searched`: some order may go beyond),
        place (0 at the worst, 1 at the best), width (distance of the ends), queries (with a value), fixed (those with
        equal ends, left out of place) and narrow (those that no order moves by more than 0.02). Orders without a value
        are left out.

    Raises
    ------
    FairvizError
        For GSR, which has no value for one query, and as `fairviz.evaluate`.

    Examples
    --------
    >>> import fairviz
    >>> fairviz.ranges(fairviz.open_study("football"), "CWEx@4")[["system", "best_is"]].values.tolist()
    [['left', 'exact'], ['right', 'exact']]
    """
    settings = validation.chosen_settings(study, settings, choices)
    expect("per_query", per_query, bool, "Use True or False.")
    expect("candidates", candidates, str, "Use study, run or judged.")
    reason = "has no range: it is a slope over queries, without a value for one list"
    questions, selection = lists_requested(study, measures, settings, candidates, places, reason)
    computed = ranges_of(study, selection.places, questions, settings, candidates)
    parts = [_table(text, _selected(lists, selection), selection, per_query) for text, lists in computed.items()]
    return pd.concat(parts, ignore_index=True)


def ranges_of(
    study: Study,
    places: AlignedRankings,
    questions: Sequence[Question],
    settings: Settings,
    candidates: CandidateSource = "study",
) -> dict[str, Range]:
    """Return the range of each question by its text, (S, Q) over the whole study."""
    sets = candidate_sets(study, places, candidates)
    by_depth: dict[int, CandidateLists] = {}
    ranges_by_text = {}
    for question in questions:
        depth = depth_of(question, places)
        if depth not in by_depth:
            by_depth[depth] = lists_of(places, sets, depth)
        ranges_by_text[question.text] = _range(study, question, settings, by_depth[depth])
    return ranges_by_text


def _range(study: Study, question: Question, settings: Settings, lists: CandidateLists) -> Range:
    """Return the range of one measure in each system's list: (S, Q)."""
    value = values_of(study, lists.places, question, settings)[0]
    ends = ends_of_lists(study, question, settings, lists, value)
    worst, best, worst_sure, best_sure = map(lists.by_system, fair_ends(ends, question))
    nothing = np.isnan(value)
    return Range(
        value,
        distance(value, question),
        np.where(nothing, np.nan, worst),
        np.where(nothing, np.nan, best),
        np.where(nothing, EXACT, worst_sure),
        np.where(nothing, EXACT, best_sure),
    )


def _selected(lists: Range, selection: Selection) -> Range:
    return Range(*map(selection.take, vars(lists).values()))


def _table(text: str, lists: Range, selection: Selection, per_query: bool) -> pd.DataFrame:
    """Return the ranges of one measure: a row for each list, or for each system over its queries."""
    names = selection.columns if per_query else {"system": pd.Series(list(selection.systems), dtype="str")}
    over_queries: list[Callable[..., Any]] = [mean_over_queries, partial(np.sum, axis=1), partial(np.min, axis=1)]
    mean, count, least = [np.ravel] * 3 if per_query else over_queries
    has_value = ~np.isnan(lists.worst)
    numbers = {"queries": count(has_value), "fixed": count(has_value & (lists.width == 0))}
    return pd.DataFrame(
        {
            **names,
            "measure": pd.Series([text] * len(names["system"]), dtype="str"),
            "value": mean(lists.value),
            "worst": mean(lists.worst),
            "best": mean(lists.best),
            "worst_is": _certainty(least(lists.worst_sure)),
            "best_is": _certainty(least(lists.best_sure)),
            "place": mean(lists.place),
            "width": mean(lists.width),
            **({} if per_query else numbers),
            "narrow": count(lists.narrow),
        }
    )


def _certainty(sure: Array) -> pd.Series:
    return pd.Series(np.array(CERTAINTY, dtype=object)[sure.astype(np.int64)], dtype="str")


def value_scales(
    study: Study,
    measures: str | Sequence[str],
    settings: Settings | None = None,
    *,
    candidates: CandidateSource = "study",
    places: AlignedRankings | None = None,
    **choices: object,
) -> pd.DataFrame:
    """Return each system's mean with its chance band and its range, over the same candidates.

    Returns system, measure, value, worst, best, worst_is, best_is, place, queries and narrow of `fairviz.ranges`, and
    chance, chance_low, chance_high (the band of the mean) and outside (queries whose value is outside their own band)
    of `fairviz.chance`. A stochastic system has a range and no band: NaN. Raises: see `fairviz.chance`.

    >>> import fairviz
    >>> football = fairviz.open_study("football")
    >>> table = value_scales(football, "CWEx@4", candidates="run").set_index("system")
    >>> bool((table["worst"] <= table["chance"]).all() and (table["chance"] <= table["best"]).all())
    True
    """
    settings = validation.chosen_settings(study, settings, choices)
    questions = questions_of(validation.measures_of(measures), settings)
    places = aligned(study, settings, places, collection=needs_collection(questions, settings, candidates))
    texts = [question.text for question in questions]
    reach = ranges(study, texts, settings, candidates=candidates, places=places)
    bands = chance(study, texts, settings, candidates=candidates, places=places)
    return beside(reach[["system", "measure", *COLUMNS]], bands)
