"""The range of a measure: the worst and the best value that a reordering of the candidates allows.

Values are exact from sequences of labels, from sorted documents, or from all orders of a short list; elsewhere the
systems' own lists widen what is searched, and bounds enclose it.

A measure of labels depends only on the label at each rank, so that all lists of a depth share one table: every sequence
of labels, evaluated by the measure itself, with the smallest and the largest value for each number of documents by
label. A list's extremes are over the numbers that its candidates allow. Ranks of equal attention are interchangeable.

Axis letters: T kinds of documents (labels, and without one), N sequences, C numbers of documents by kind, L lists.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import comb, prod

import numpy as np
import pandas as pd

from fairviz.errors import expect
from fairviz.evaluation.choices import Selection, aligned
from fairviz.evaluation.questions import chosen_settings, questions_of
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
from fairviz.orders.ties import REACHED, Ends, ends_by_record, extremes, named_rows, reductions
from fairviz.study.record import Study

Array = np.ndarray
MOST_SEQUENCES = 5_000_000  # some seconds for a measure; ten ranks of four kinds have 1,048,576
_PLACES_AT_ONCE = 3_000_000  # few enough for sums in float64 (see EXACT_PLACES)
_CACHED_PLACES = 1_000_000
_CHECKED_AT_ONCE = 20_000_000
SEARCHED, BOUND, EXACT = 0, 1, 2  # how sure an end is
MOST_TRIED = 2_000_000  # orders of small lists for one measure; some seconds
MOST_LOOPED = 720  # orders of a list for a measure without arrays, which takes a millisecond for each
CERTAINTY = ("searched", "bound", "exact")  # by SEARCHED, BOUND and EXACT
NARROW = 0.02  # half of the smallest difference that the papers discuss between systems, about 0.04 CWEx
COLUMNS = ("value", "worst", "best", "worst_is", "best_is", "place", "queries", "narrow")
EXTREMES = (np.fmin, np.fmax, np.fmin)  # of the smallest value, the largest, and the smallest distance
Part = tuple[AlignedRankings, Array, Array, Array]


@dataclass(frozen=True, eq=False)
class Range:
    """The range of each list, any shape. value: the measure's; worst, best: values or, for a measure whose fairest
    value is 0 or 1, distances from it. worst_sure, best_sure: EXACT, BOUND or SEARCHED."""

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
    rankings: AlignedRankings | None = None,
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
        M measures, as for `fairviz.evaluate`; also settings, rankings and choices.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    candidates : {'study', 'run', 'judged'}
        The documents that can be ranked: all that any system retrieved for the query, the system's own, or judged ones.
        A list is as long as the system's own.
    rankings : AlignedRankings, optional
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
    settings = chosen_settings(study, settings, choices)
    expect("per_query", per_query, bool, "Use True or False.")
    expect("candidates", candidates, str, "Use study, run or judged.")
    reason = "has no range: it is a slope over queries, without a value for one list"
    questions, selection = lists_requested(study, measures, settings, candidates, rankings, reason)
    sets = candidate_sets(study, selection.rankings, candidates)
    by_depth: dict[int, CandidateLists] = {}
    tables = []
    for question in questions:
        depth = depth_of(question, selection.rankings)
        if depth not in by_depth:
            by_depth[depth] = lists_of(selection.rankings, sets, depth)
        found = _range(study, question, settings, by_depth[depth])
        shown = Range(*map(selection.take, vars(found).values()))
        tables.append(_table(question.text, shown, selection, per_query))
    return pd.concat(tables, ignore_index=True)


def _table(text: str, lists: Range, selection: Selection, per_query: bool) -> pd.DataFrame:
    """Return the ranges of one measure: a row for each list, or for each system over its queries."""
    mean, count, least = reductions(per_query)
    has_value = ~np.isnan(lists.worst)
    numbers = {"queries": count(has_value), "fixed": count(has_value & (lists.width == 0))}
    certainty = np.array(CERTAINTY, dtype=object)
    return pd.DataFrame(
        {
            **named_rows(selection, text, per_query),
            "value": mean(lists.value),
            "worst": mean(lists.worst),
            "best": mean(lists.best),
            "worst_is": pd.Series(certainty[least(lists.worst_sure).astype(np.int64)], dtype="str"),
            "best_is": pd.Series(certainty[least(lists.best_sure).astype(np.int64)], dtype="str"),
            "place": mean(lists.place),
            "width": mean(lists.width),
            **({} if per_query else numbers),
            "narrow": count(lists.narrow),
        }
    )


def value_scales(
    study: Study,
    measures: str | Sequence[str],
    settings: Settings | None = None,
    *,
    candidates: CandidateSource = "study",
    rankings: AlignedRankings | None = None,
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
    settings = chosen_settings(study, settings, choices)
    questions = questions_of(measures, settings)
    rankings = aligned(study, settings, rankings, collection=needs_collection(questions, settings, candidates))
    texts = [question.text for question in questions]
    reach = ranges(study, texts, settings, candidates=candidates, rankings=rankings)
    bands = chance(study, texts, settings, candidates=candidates, rankings=rankings)
    return beside(reach[["system", "measure", *COLUMNS]], bands)


def _range(study: Study, question: Question, settings: Settings, lists: CandidateLists) -> Range:
    """Return the range of one measure in each system's list: (S, Q)."""
    value = values_of(study, lists.rankings, question, settings)[0]
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


def _sure(end: Array, bound: Array, exact: Array) -> tuple[Array, Array]:
    """Return the end where it is exact or no bound is known, else its bound; and EXACT, SEARCHED or BOUND."""
    bounded = ~exact & np.isfinite(bound)
    return np.where(bounded, bound, end), np.where(exact | np.isnan(end), EXACT, np.where(bounded, BOUND, SEARCHED))


def minus(one: Array, other: Array) -> Array:
    """Return the difference; NaN of two infinities."""
    with np.errstate(invalid="ignore"):
        return one - other


def ends_of_lists(study: Study, question: Question, settings: Settings, lists: CandidateLists, value: Array) -> Ends:
    """Return the ends of each list, (V, Q). value (S, Q): of the systems' own lists."""
    by_label = _ends_by_label(question, settings, lists)
    if by_label is not None:
        return by_label
    rankings = lists.rankings
    _share_background(question, rankings, lists.reordering.rankings)
    ends = extremes(study, question, settings, lists.reordering)

    # The systems' own lists are orders of the candidates.
    own = np.where(lists.contains, value, np.nan)
    low, high, nearest = ends.low.copy(), ends.high.copy(), ends.nearest.copy()
    at = lists.row, np.broadcast_to(np.arange(own.shape[1]), own.shape)
    for extreme, found, mine in zip(EXTREMES, (low, high, nearest), (own, own, distance(own, question)), strict=True):
        extreme.at(found, at, mine)
    ends = _settled(replace(ends, low=low, high=high, nearest=nearest))

    # The range of the measure's record is a bound, unless it is that of the documents of a background.
    if question.measure is not None and not question.background:
        cutoff = question.cutoff or settings.cutoff
        attention = float(bias_of(rankings, settings, cutoff).weights(cutoff).sum())
        least, most = question.measure.range(Reach(question.parameters, rankings.targets, attention))
        bounds = {"outer_low": np.fmax(ends.outer_low, least), "outer_high": np.fmin(ends.outer_high, most)}
        ends = _settled(replace(ends, **bounds))
    return _with_small_lists(ends, study, question, settings, lists)


def _with_small_lists(ends: Ends, study: Study, question: Question, settings: Settings, lists: CandidateLists) -> Ends:
    """Evaluate all orders of lists with few, where an end is not exact yet."""
    _, _, worst_sure, best_sure = fair_ends(ends, question)
    orders = lists.orders
    open_lists = ((worst_sure < EXACT) | (best_sure < EXACT)) & (orders > 0)
    is_quick = (  # many lists in one pass over arrays
        question.parameters["measure"].measure.NAME in {**JUDGED, **GRADED}
        if question.measure is None
        else bool(question.measure.needs)
    )
    if not is_quick:
        open_lists &= orders <= MOST_LOOPED
    rows, queries = np.nonzero(open_lists)
    by_number = np.argsort(orders[rows, queries], kind="stable")
    affordable = by_number[np.cumsum(orders[rows, queries][by_number]) <= MOST_TRIED]
    names = ("low", "high", "nearest", "exact_low", "exact_high", "complete")
    changed = {name: np.array(getattr(ends, name)) for name in names}
    for row, query in zip(rows[affordable].tolist(), queries[affordable].tolist(), strict=True):
        reordered = lists.every_order(row, query)
        if question.measure is None:
            values = effectiveness_of(study, reordered, [question])[0, :, 0]
        else:
            _share_background(question, lists.rankings, reordered, slice(query, query + 1))
            cutoff = question.cutoff or settings.cutoff
            bias = bias_of(lists.rankings, settings, cutoff)
            values = values_at(reordered, question, settings, np.array([cutoff]), bias)[0, :, 0]
        found = (values, values, distance(values, question))
        for name, extreme, one in zip(names[:3], EXTREMES, found, strict=True):
            changed[name][row, query] = extreme.reduce(one)
        for name in names[3:]:
            changed[name][row, query] = True
    return _settled(replace(ends, **changed))


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


def _share_background(
    question: Question, rankings: AlignedRankings, reordered: AlignedRankings, queries: slice = slice(None)
) -> None:
    """Give reordered lists the measure's background set, which is that of the study and not of the new lists."""
    if name := question.background:
        reordered.remembered(("background", name), lambda: rankings.background(name)[queries])


def _ends_by_label(question: Question, settings: Settings, lists: CandidateLists) -> Ends | None:
    """Return the ends from sequences of labels, (V, Q); None unless they cover all lists, and for labels in shares.

    A list of more than MOST_SEQUENCES sequences is not covered, and none is for a measure of more than labels.
    """
    rankings, depths = lists.rankings, lists.reach.ravel()  # (L,)
    of_labels = ends_by_record(question).by_label and rankings.labels.shares is None
    if not of_labels and (depths.any() or rankings.labels.shares is not None):
        return None

    # The candidates by kind, (L, T), and each kind's label, under the policy for unlabelled documents.
    available, kinds = lists.labels.reshape(len(depths), -1), np.append(np.arange(1 + len(rankings.groups)), -1)
    if rankings.unlabelled != "skip":
        unlabelled, available, kinds = available[:, -1], available[:, :-1].copy(), kinds[:-1]
        if rankings.unlabelled == "neutral":
            available[:, 0] += unlabelled

    cutoff = question.cutoff or settings.cutoff
    bias = bias_of(rankings, settings, cutoff)
    ends = np.full((3, len(depths)), np.nan)
    for depth in np.unique(depths[depths > 0]).tolist():
        rows = np.flatnonzero(depths == depth)
        present = available[rows].any(axis=0)
        if not present.any():
            continue
        numbers = np.unique(bias.weights(cutoff)[:depth], return_inverse=True)[1]
        blocks = [np.flatnonzero(numbers == number) for number in range(int(numbers.max()) + 1)]  # of equal weight
        if _number(blocks, int(present.sum())) > MOST_SEQUENCES:
            return None
        counts, found = _by_counts(rankings, question, settings, bias, kinds[present], blocks)
        most = np.minimum(available[rows][:, present], depth)
        step = max(1, _CHECKED_AT_ONCE // max(counts.size, 1))
        for start in range(0, len(rows), step):
            possible = (counts[None] <= most[start : start + step, None]).all(axis=2)  # (L, C)
            for row, extreme in enumerate(EXTREMES):
                values = np.where(possible, found[row], np.nan)
                ends[row, rows[start : start + step]] = extreme.reduce(values, axis=1, initial=np.nan)
    low, high, nearest = ends.reshape(3, *lists.reach.shape)
    every = np.ones(lists.reach.shape, dtype=bool)
    return Ends(low, low, high, every, every, every, ~every, low, high, nearest, every)


def _number(blocks: list[Array], kinds: int) -> int:
    """Return the number of sequences; more than MOST_SEQUENCES if numbers of documents do not fit 64 bits."""
    if (sum(map(len, blocks)) + 1) ** kinds >= 2**62:
        return MOST_SEQUENCES + 1
    return prod(comb(len(ranks) + kinds - 1, len(ranks)) for ranks in blocks)


def _by_counts(
    rankings: AlignedRankings, question: Question, settings: Settings, bias: PositionBias, kinds: Array,
    blocks: list[Array],
) -> tuple[Array, Array]:  # fmt: skip
    """Return the extremes of all sequences of one depth by their numbers of documents: these numbers (C, T), and the
    smallest value, the largest and the smallest distance (3, C)."""
    cutoff = np.array([question.cutoff or settings.cutoff])
    depth = sum(map(len, blocks))
    parts: Iterable[Part] = (_part(rankings, kinds, documents) for documents in _sequences(blocks, len(kinds)))
    if depth * _number(blocks, len(kinds)) <= _CACHED_PLACES:
        weights, made = bias.weights(int(cutoff[0])), parts
        key = ("label sequences", depth, kinds.tobytes(), weights.tobytes())
        parts = rankings.remembered(key, lambda: list(made))
    all_counts, all_ends = [], []  # by part
    for sequences, counts, order, first in parts:
        values = values_at(sequences, question, settings, cutoff, bias)[0, order, 0]  # (N,)
        found = (values, values, distance(values, question))
        all_counts.append(counts)
        all_ends.append([extreme.reduceat(one, first) for extreme, one in zip(EXTREMES, found, strict=True)])
    if len(all_counts) == 1:
        return all_counts[0], np.stack(all_ends[0])
    counts, at = np.unique(np.concatenate(all_counts), axis=0, return_inverse=True)
    order = np.argsort(at.ravel(), kind="stable")
    first = np.searchsorted(at.ravel()[order], np.arange(len(counts)))
    joined: Array = np.concatenate(all_ends, axis=1)[:, order]
    return counts, np.stack([extreme.reduceat(one, first) for extreme, one in zip(EXTREMES, joined, strict=True)])


def _sequences(blocks: list[Array], kinds: int) -> Iterator[Array]:
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


def _part(rankings: AlignedRankings, kinds: Array, documents: Array) -> Part:
    """Return sequences (K, N) as lists of systems, their different numbers of documents (C, T), the order of the
    sequences by these, and the first place of each, (C,)."""
    depth, number = documents.shape
    names = pd.Index([f"kind {kind}" for kind in kinds], dtype="str")
    lengths = np.full((number, 1), depth, dtype=np.int32)
    lists = Rankings(("sequence",) * number, ("any",), names, documents[:, :, None], lengths)
    sequences = replace(
        rankings, lists=lists, labels=LabelEvidence(kinds), words=no_words(names, rankings.groups), made_of=()
    )
    by_kind = np.stack([(documents == kind).sum(axis=0) for kind in range(len(kinds))], axis=1)  # (N, T)
    code = by_kind @ (depth + 1) ** np.arange(len(kinds), dtype=np.int64)
    order = np.argsort(code, kind="stable")
    first = np.flatnonzero(np.diff(code[order], prepend=-1))
    return sequences, by_kind[order][first], order, first
