"""The chance band: the value of each measure if the candidates were in a random order.

A draw is a random order of a list's candidates, cut at the list's length, which the measure itself evaluates. Where a
measure is a weighted sum over ranks, mean and variance are those of all orders (`fairviz.statistics.intervals`), and
with equal weights and two kinds of documents the band is the hypergeometric distribution's.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, expect
from fairviz.evaluation import validation
from fairviz.evaluation.choices import aligned
from fairviz.evaluation.scores import depth_of, effectiveness_of, values_at
from fairviz.evaluation.selection import Selection, positions
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.candidate_sets import (
    SOURCES,
    CandidateSource,
    candidate_sets,
    lists_requested,
    needs_collection,
)
from fairviz.orders.chance_bands import Chance, Drawing, Wanted
from fairviz.orders.random_lists import RandomLists, random_lists
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study

Array = np.ndarray
EXACT, DRAWN = "exact", "permutations"
_BAND = ("chance", "deviation", "low", "high")
ROUNDING = {"float64": 1e-9, "float32": 1e-5}  # a value this near to an end of its band is in it, by dtype


def chance(
    study: Study,
    measures: str | Sequence[str],
    settings: Settings | None = None,
    *,
    candidates: CandidateSource = "study",
    level: float = 0.95,
    seed: int = 0,
    places: AlignedRankings | None = None,
    per_query: bool = False,
    **choices: object,
) -> pd.DataFrame:
    """Return the mean and the band of each measure under a random order of the candidates, beside its value.

    Orders without a value are left out; so are stochastic systems, whose values are means over draws.

    Parameters
    ----------
    study : Study
        Of S systems and Q queries.
    measures : str or sequence of str
        M measures, as for `fairviz.evaluate`; also settings, places and choices.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    candidates : {'study', 'run', 'judged'}
        The documents that any system retrieved for the query, those of the system's own list, or those with a relevance
        judgement. A random list is as long as the run's, or has all candidates if those are fewer.
    level : float
        Of the band, between 0 and 1.
    seed : int
        Of the draws, which no other measure, system or query on screen changes.
    places : AlignedRankings, optional
        Arrays from `fairviz.evaluation.choices.align`.
    per_query : bool
        Whether each query has its row, with query_id, and outside as true, false or missing.
    **choices
        Fields of Settings to change.

    Returns
    -------
    DataFrame
        S · M rows: system, measure, value, chance (the mean), deviation (the standard one), low and high (the band of
        the mean over queries with independent orders), queries (with a value), outside (of these, the number with a
        value outside their own band: by chance a share of up to 1 − level), bands (`exact` if every query's is, else
        `permutations`) and draws. NaN where no order has a value.

    Raises
    ------
    FairvizError
        For GSR, which has no value for one query, and as `fairviz.evaluate`.

    Examples
    --------
    >>> import fairviz
    >>> football = fairviz.open_study("football")
    >>> table = chance(football, "Exposure(group='female')@4", position_bias="uniform", per_query=True)
    >>> table["bands"].unique().tolist()
    ['exact']
    """
    settings = validation.chosen_settings(study, settings, choices)
    expect("candidates", candidates, str, f"Use one of {', '.join(SOURCES)}.")
    expect("per_query", per_query, bool, "Use True or False.")
    validation.check_level(level, seed)
    reason = "has no chance band: it is a slope over queries, with no value for one list"
    questions, selection = lists_requested(study, measures, settings, candidates, places, reason)
    return _table(selection, questions, settings, candidates, per_query, float(level), int(seed))


def chance_of_query(
    study: Study, questions: Sequence[Question], settings: Settings, system: str, query: str, *,
    candidates: CandidateSource = "study", places: AlignedRankings | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Return the row of `chance` for each question, of one list. Raises: see `chance`."""
    places = aligned(study, settings, places, collection=needs_collection(questions, settings, candidates))
    selection = Selection(study, places, (system,), (query,))
    return _table(selection, questions, settings, candidates, per_query=True)


def _table(
    selection: Selection, questions: Sequence[Question], settings: Settings, candidates: CandidateSource,
    per_query: bool, level: float = 0.95, seed: int = 0,
) -> pd.DataFrame:  # fmt: skip
    """Return the rows of the systems and queries shown, question by question."""
    study, places = selection.study, selection.places
    selection = _without_draws(selection)
    lists = lists_of(selection, candidates, max((depth_of(one, places) for one in questions), default=1))
    wanted = [
        Wanted(one, np.array([one.cutoff or settings.cutoff]), _values(selection, one, settings)) for one in questions
    ]
    chances = Drawing(study, settings, lists, level, seed).chances(wanted)
    make = partial(_list_rows if per_query else _system_rows, selection, lists)
    return pd.concat([make(one, result) for one, result in zip(wanted, chances, strict=True)], ignore_index=True)


def _without_draws(selection: Selection) -> Selection:
    """Return the selection without stochastic systems. Raises FairvizError if no other is selected."""
    runs = set(selection.places.rankings.systems)
    systems = tuple(name for name in selection.systems if name in runs)
    if selection.systems and not systems:
        raise FairvizError(
            f"{selection.systems[0]} has no chance band: its values are means over draws, and a band is of one list",
            "Choose one of its draws, or another system.",
        )
    return replace(selection, systems=systems)


def beside(table: pd.DataFrame, bands: pd.DataFrame) -> pd.DataFrame:
    """Return a table of scores or means with the columns chance, chance_low, chance_high and outside of `chance`.

    A table without the column system, or query_id, is of the only one of the bands.
    """
    keys = [name for name in ("system", "query_id", "measure") if name in bands and name in table]
    columns = {"chance": "chance", "low": "chance_low", "high": "chance_high", "outside": "outside"}
    texts = table.astype(dict.fromkeys(keys, "str"))
    return texts.merge(bands[[*keys, *columns]].rename(columns=columns), on=keys, how="left", validate="one_to_one")


def lists_of(selection: Selection, candidates: CandidateSource, depth: int) -> RandomLists:
    """Return the random lists of the systems and queries shown. Raises: see `candidate_sets`."""
    study, places, rankings = selection.study, selection.places, selection.places.rankings
    systems, queries = positions(rankings.systems, selection.systems), positions(rankings.queries, selection.queries)
    return random_lists(places, candidate_sets(study, places, candidates), systems, queries, depth)


def _values(selection: Selection, question: Question, settings: Settings) -> Array:
    """Return the values of the systems and queries shown, (1, S, Q)."""
    if question.measure is None:
        return selection.take(effectiveness_of(selection.study, selection.places, [question]))
    cutoffs = np.array([question.cutoff or settings.cutoff])
    return selection.take(values_at(selection.places, question, settings, cutoffs))


def _list_rows(selection: Selection, lists: RandomLists, wanted: Wanted, result: Chance) -> pd.DataFrame:
    """Return a row for each list."""
    outside, draws = _outside(lists, wanted, result).ravel(), result.draws[lists.at].ravel()
    bands = (result.mean, result.deviation, result.low, result.high)
    return pd.DataFrame(
        {
            **selection.columns,
            "measure": pd.Series([wanted.question.text] * len(draws), dtype="str"),
            "value": wanted.values[0].ravel(),
            **{name: band[0, lists.at].ravel() for name, band in zip(_BAND, bands, strict=True)},
            "outside": pd.Series(outside).astype("boolean"),
            "bands": pd.Series(np.where(draws == 0, EXACT, DRAWN), dtype="str"),
            "draws": draws,
        }
    )


def _system_rows(selection: Selection, lists: RandomLists, wanted: Wanted, result: Chance) -> pd.DataFrame:
    """Return a row for each system."""
    values, exact = wanted.values[0], (result.draws[lists.at] == 0).all(axis=1)
    bands = (result.means, result.mean_deviations, result.mean_low, result.mean_high)
    return pd.DataFrame(
        {
            "system": pd.Series(list(selection.systems), dtype="str"),
            "measure": pd.Series([wanted.question.text] * len(values), dtype="str"),
            "value": mean_over_queries(values),
            **{name: band[0] for name, band in zip(_BAND, bands, strict=True)},
            "queries": (~np.isnan(values)).sum(axis=1),
            "outside": np.nansum(_outside(lists, wanted, result), axis=1).astype(np.int64),
            "bands": pd.Series(np.where(exact, EXACT, DRAWN), dtype="str"),
            "draws": result.mean_draws,
        }
    )


def _outside(lists: RandomLists, wanted: Wanted, result: Chance) -> Array:
    """Return 1 for a value outside its band, 0 inside and NaN without a value or a band, (S, Q)."""
    value, low, high = wanted.values[0], result.low[0, lists.at], result.high[0, lists.at]
    rounding = ROUNDING[np.dtype(lists.places.dtype).name]
    outside = (value < low - rounding) | (value > high + rounding)
    return np.where(np.isnan(value) | np.isnan(low), np.nan, outside)
