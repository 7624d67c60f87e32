"""The smallest and the largest value of a measure over all orders of documents with tied scores."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import expect
from fairviz.evaluation import validation
from fairviz.evaluation.choices import aligned
from fairviz.evaluation.questions import questions_of, wants_collection
from fairviz.evaluation.scores import depth_of
from fairviz.evaluation.selection import Selection, selection_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.sums import AlignedRankings
from fairviz.measures.ties import tied_places
from fairviz.orders.extremes import EXACT, SEARCHED, Ends, Reordering, extremes
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study

Array = np.ndarray


def ties(
    study: Study,
    measures: str | Sequence[str],
    settings: Settings | None = None,
    *,
    places: AlignedRankings | None = None,
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
        M measures, as for `fairviz.evaluate`; also settings, places and choices.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    places : AlignedRankings, optional
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
    numbers = never * 1.0
    nothing = Ends(numbers, numbers, numbers, never, never, never, never, numbers, numbers, numbers, never)
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
        ends[question.text] = extremes(study, question, settings, Reordering(places, tied, depth))
    return {text: ends[text] for text in depths}


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
