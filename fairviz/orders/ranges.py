"""The range of a measure: the worst and the best value that a reordering of the candidates allows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import expect
from fairviz.evaluation import validation
from fairviz.evaluation.scores import depth_of, values_of
from fairviz.evaluation.selection import Selection
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, distance
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.candidate_sets import CandidateSource, candidate_sets, lists_requested
from fairviz.orders.extremes import REACHED
from fairviz.orders.range_ends import EXACT, ends_of_lists, fair_ends, minus
from fairviz.orders.reorderings import CandidateLists, lists_of
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study

Array = np.ndarray
CERTAINTY = ("searched", "bound", "exact")  # by the numbers of `range_ends`
NARROW = 0.02  # half of the smallest difference that the papers discuss between systems, about 0.04 CWEx


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
