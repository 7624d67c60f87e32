"""The worst and the best value of each list of candidates, from the extremes of the measure.

Values are exact from sequences of labels, from sorted documents, or from all orders of a short list; elsewhere the
systems' own lists widen what is searched, and bounds enclose it.
"""

from dataclasses import replace

import numpy as np

from fairviz.evaluation.scores import bias_of, effectiveness_of, values_at
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, distance
from fairviz.measures.graded import KERNELS as GRADED
from fairviz.measures.judged import KERNELS as JUDGED
from fairviz.measures.record import Reach
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.extremes import REACHED, Ends, extremes
from fairviz.orders.label_sequences import sequence_extremes
from fairviz.orders.reorderings import CandidateLists
from fairviz.study.record import Study

Array = np.ndarray
SEARCHED, BOUND, EXACT = 0, 1, 2  # how sure an end is
MOST_TRIED = 2_000_000  # orders of small lists for one measure; some seconds
MOST_LOOPED = 720  # orders of a list for a measure without arrays, which takes a millisecond for each


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
