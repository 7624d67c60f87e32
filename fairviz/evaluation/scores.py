"""A study, settings and measures in; the scores table, its summary and its curves out.

The app, the command line and Python all call these functions, so that one question has one answer. Axis letters:
M measures, S systems, Q queries.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from fairviz.declared import COMPARE
from fairviz.errors import FairvizError, UsageError, expect
from fairviz.evaluation.choices import Resolved, aligned, bias_to_depth, judgements, selection_of
from fairviz.evaluation.gsr import Summary, direction_of, list_genderedness, part_names, summarise_parts
from fairviz.evaluation.questions import as_asked, chosen_settings, questions_of, wants_collection
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES, Question
from fairviz.measures.cwex import mixed, neutral_and_gap
from fairviz.measures.effectiveness import effectiveness
from fairviz.measures.judged import KERNELS, JudgedPlaces, by_places, judged_places
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.rankings import Rankings, arrays_of
from fairviz.measures.sums import AlignedRankings
from fairviz.normal_form import normal_form
from fairviz.parameters import check_parameters
from fairviz.statistics.intervals import mean_interval, mean_over_queries
from fairviz.study.record import Study
from fairviz.study.tables import expanded, system_of_run

Array = np.ndarray
DRAW = "draw"  # the column of scores by draw
SCORES = ("system", "query_id", "measure", "value")
COLUMNS = ("draws", "ranker_se", "both_low", "both_high", "draw_low", "draw_high")
_KEYS = ["measure", "system", "query_id"]


def check_scores(scores: object, argument: str = "scores") -> None:
    """Raise UsageError, with the argument's name, for a value that is not a table of scores."""
    expect(argument, scores, pd.DataFrame, "Give the table that fairviz.evaluate returns.")
    lacking = [name for name in SCORES if isinstance(scores, pd.DataFrame) and name not in scores.columns]
    if lacking:
        raise UsageError(f"{argument} has no column {lacking[0]!r}", "Give the table that fairviz.evaluate returns.")
    names = [normal_form(str(name)) for name in scores["system"].unique()]  # type: ignore[index]
    if twice := next((name for place, name in enumerate(names) if name in names[:place]), None):
        raise UsageError(f"{argument} has two systems {twice!r}, in two Unicode forms", "Give each a name of its own.")


def check_level(level: object, seed: object = 0) -> None:
    """Raise UsageError for a level or a seed that cannot be."""
    check_parameters({"level": level, "seed": seed}, COMPARE, "level", "seed")


def refuse_alone(scores: pd.DataFrame) -> None:
    """Raise FairvizError for the scores of a single system, which has none to be compared with."""
    systems = scores["system"].unique()
    if len(systems) == 1:
        raise FairvizError(
            f"there is one system, {systems[0]}, and nothing to compare it with",
            "Add a second run: runs/NAME.run, or `fairviz rank STUDY --with bm25`.",
        )


def query_means(scores: pd.DataFrame, level: float) -> pd.DataFrame:
    """Return the rows of `fairviz.summarise` for measures with a value a query. level: of the intervals, 0 to 1."""
    codes = {name: pd.factorize(scores[name]) for name in ("measure", "system", "query_id")}
    measures, systems = codes["measure"][1], codes["system"][1]
    shape = (len(measures), len(systems), len(codes["query_id"][1]))
    codes_of_rows = tuple(code for code, _ in codes.values())

    def spread(column: str) -> Array:
        table = np.full(shape, np.nan)
        if column in scores:
            table[codes_of_rows] = scores[column].to_numpy(dtype=np.float64)
        return table

    values, has_row = spread("value"), np.zeros(shape, dtype=bool)
    has_row[codes_of_rows] = True
    low, high = mean_interval(values, level)
    labelled, places = (np.nansum(spread(column), axis=-1) for column in ("labelled", "places"))
    defined = (~np.isnan(values)).sum(axis=-1)
    columns = {
        "value": mean_over_queries(values),
        "ci_low": low,
        "ci_high": high,
        "queries": defined,
        "undefined": has_row.sum(axis=-1) - defined,
        "coverage": share(labelled, places),
    }
    summary = summary_table(list(map(str, systems)), list(map(str, measures)), columns)
    return summary[has_row.any(axis=-1).ravel()].reset_index(drop=True)


def share(labelled: Array, places: Array) -> Array:
    """Labelled places over all places, any shape; NaN where there is no place."""
    return np.divide(labelled, places, out=np.full(np.shape(labelled), np.nan), where=places > 0)


def summary_table(systems: Sequence[str], measures: Sequence[str], columns: dict[str, Array]) -> pd.DataFrame:
    """The table of `summarise`, rows by measure and system, of columns (M, S) by name."""
    names = {
        "system": pd.array([system for _ in measures for system in systems], dtype="str"),
        "measure": pd.array([measure for measure in measures for _ in systems], dtype="str"),
    }
    return pd.DataFrame({**names, **{name: values.ravel() for name, values in columns.items()}})


def by_system(scores: pd.DataFrame) -> pd.DataFrame:
    """Return scores with a row for each run as scores by draw: system, and draw, empty for a run without draws."""
    runs = scores["system"].astype("str")
    names = {run: system_of_run(run) for run in runs.unique()}
    systems = runs.map(names)
    draws = runs.map({run: run[len(system) + 1 :] for run, system in names.items()})
    table = scores.assign(system=pd.Categorical(systems, systems.unique()))
    table.insert(1, DRAW, draws.astype("str"))
    return table


def with_ranker_noise(summary: pd.DataFrame, scores: pd.DataFrame, means: Summary, level: float) -> pd.DataFrame:
    """Return the summary of scores by draw with COLUMNS.

    draws: how many a system has, 1 for a run without any. ranker_se: the standard error of its mean that comes from the
    draws, the standard deviation of their means over √draws. NaN for fewer than two draws; no draw bounds for expected
    exposure, which is of all draws together. Three claims, each simulated in tests/evaluation/test_draws.py, for
    the mean over D draws and Q queries:
    ci_low, ci_high: the mean over queries like these. It covers the expectation of the ranker where draws are
    independent from query to query; where a draw moves all queries alike (a model trained again), that of the draws at
    hand alone.
    both_low, both_high: the expectation of the ranker over queries like these, however draws move.
    draw_low, draw_high: the mean that one more draw will have, over the queries at hand.
    """
    draws = scores[scores[DRAW] != ""]
    runs = draws["system"].astype("str") + "/" + draws[DRAW]
    by_run = summarise_parts(draws.assign(system=runs).drop(columns=DRAW), means, level) if len(draws) else summary[:0]
    systems = by_run["system"].astype("str").map(system_of_run)
    means_of_draws = {key: part.to_numpy() for key, part in by_run.groupby([systems, "measure"], sort=False)["value"]}
    rows = []
    for name, measure, value, high in summary[["system", "measure", "value", "ci_high"]].itertuples(index=False):
        record = MEASURES.get(measure.partition("@")[0].partition("(")[0])
        of_all_draws = record is not None and record.family == "relevance"
        draws_of_mean = means_of_draws.get((name, measure), np.zeros(1))
        rows.append(_noise(value, high, draws_of_mean, level, of_all_draws))
    columns = pd.DataFrame(rows, columns=list(COLUMNS), index=summary.index)
    return summary.join(columns)


def _noise(value: float, high: float, draws: Array, level: float, together: bool) -> tuple[float, ...]:
    """Return COLUMNS of one mean, of its upper bound over queries and the means of its draws, (D,)."""
    count = len(draws)
    low, _ = mean_interval(draws, level)
    from_draws = float(mean_over_queries(draws) - low)  # t · standard deviation / √D
    deviation = float(np.std(draws, ddof=1) / np.sqrt(count)) if count > 1 else np.nan
    both = float(np.hypot(high - value, from_draws))
    new = np.nan if together else from_draws * np.sqrt(count + 1)
    return count, deviation, value - both, value + both, value - new, value + new


def evaluate(
    study: Study,
    measures: str | Question | Sequence[str | Question],
    settings: Settings | None = None,
    *,
    rankings: AlignedRankings | None = None,
    by_draw: bool = False,
    **choices: object,
) -> pd.DataFrame:
    """Return the value of every measure for every system and query; of a stochastic system, the mean over its draws.

    Parameters
    ----------
    study : Study
        Of S systems and Q queries.
    measures : str, Question or sequence of these
        M measures, as `CWEx(alpha=0.5)@10`. Text without @k takes the cutoff of the settings.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    rankings : AlignedRankings, optional
        Arrays from `fairviz.evaluation.choices.align`, to save making them again.
    by_draw : bool
        Whether each draw has its row, with the column draw, which `summarise` turns into the noise of the ranker.
    **choices
        Fields of Settings to change, as unlabelled="strict".

    Returns
    -------
    DataFrame
        M · S · Q rows: system, query_id, measure (canonical text), value, and for measures of labels `labelled` and
        `places`, the numbers of labelled ranks and of ranks in the top k. A value is NaN where it is undefined. A query
        that a system lacks is NaN for fairness and 0 for effectiveness. GSR has its parts GSR.query and GSR.list.

    Raises
    ------
    FairvizError
        If the study lacks what a measure needs, and for rankings of another study or other settings.
    UsageError
        For a measure that cannot be read.

    Examples
    --------
    >>> import fairviz
    >>> fairviz.evaluate(fairviz.open_study("football"), "CWEx@4")["value"].round(3).tolist()
    [-0.059, -0.5]
    """
    settings = chosen_settings(study, settings, choices)
    expect("by_draw", by_draw, bool, "Use True or False.")
    questions = questions_of(measures, settings)
    resolved = Resolved(study, settings)
    resolved.refuse_missing(questions)
    if not questions:
        return _scores({}, [], [])
    rankings = resolved.aligned(rankings, collection=wants_collection(questions, settings))
    selection = selection_of(study, settings, rankings)
    if by_draw:
        selection = replace(selection, systems=expanded(selection.systems, study.run_names))
    tables = {}
    for question in questions:
        for name, table in _tables(study, rankings, question, settings).items():
            tables[name] = selection.take(table)
    scores = _scores(tables, selection.systems, selection.queries)
    return by_system(scores) if by_draw else scores


def _tables(study: Study, rankings: AlignedRankings, question: Question, settings: Settings) -> dict[str, Array]:
    """Return the tables (3, S, Q) of `values_of` that a question fills in the scores, by measure: GSR has two parts."""
    if question.measure is None or question.measure.per_query:
        return {question.text: values_of(study, rankings, question, settings)}
    query, lists, _ = list_genderedness(study, rankings, as_asked(question, settings), direction_of(settings))
    of_queries, of_lists = np.full((2, 3, *rankings.shape), np.nan)
    of_queries[0] = query
    of_lists[0] = lists
    return dict(zip(part_names(question.text), (of_queries, of_lists), strict=True))


def values_at(
    rankings: AlignedRankings, question: Question, settings: Settings, cutoffs: Array, bias: PositionBias | None = None
) -> Array:
    """A fairness measure at each cutoff, (C, S, Q), in all systems and queries of the study.

    bias: the settings' position bias, where it is made already.
    """
    if question.measure is None:
        raise ValueError(f"{question.text} is a measure of effectiveness")
    if not question.measure.per_query:
        raise FairvizError(f"{question.text} has no value for one query: it is a slope over queries")
    bias = bias or bias_of(rankings, settings, int(np.max(cutoffs)))
    if len(rankings.lists.queries) == 0:
        return np.full((len(cutoffs), *rankings.shape), np.nan)
    values = question.measure.compute(rankings, question.parameters, bias, cutoffs)
    return np.where(rankings.lists.lengths == 0, np.nan, values)


def bias_of(rankings: AlignedRankings, settings: Settings, deepest: int) -> PositionBias:
    """The settings' position bias, as deep as the lists and the deepest cutoff."""
    return bias_to_depth(settings, max(rankings.lists.depth, deepest))


def depth_of(question: Question, rankings: AlignedRankings) -> int:
    """Return the number of ranks that the measure reads."""
    deepest = max(rankings.lists.depth, 1)
    if question.measure is None:
        return min(question.parameters["measure"].depth or deepest, deepest)
    return min(question.cutoff or deepest, deepest)


def values_of(study: Study, rankings: AlignedRankings, question: Question, settings: Settings) -> Array:
    """value, labelled places and places of one question: (3, S, Q)."""
    out = np.full((3, *rankings.shape), np.nan)
    if question.measure is None:
        out[0] = effectiveness_of(study, rankings, [question])[0]
        return out
    cutoff = question.cutoff or settings.cutoff
    out[0] = values_at(rankings, question, settings, np.array([cutoff]))[0]
    if question.family == "labels":
        out[1:] = np.concatenate(rankings.known_places("label", rankings.labelled, np.array([cutoff])))
    return out


def _judged_places(study: Study, lists: Rankings, depth: int) -> JudgedPlaces:
    """Return the places of judged documents down to this depth, from beside the rankings if these are in the cache."""
    make = partial(judged_places, lists, judgements(study), depth)
    arrays = lists.beside(("judged places", depth), lambda: arrays_of(make()), study.qrels)
    return JudgedPlaces(lists.lengths.shape, **arrays)


def effectiveness_of(study: Study, rankings: AlignedRankings, questions: Sequence[Question]) -> Array:
    """One measure of effectiveness at each of its cutoffs, in all systems and queries of the study: (C, S, Q)."""
    judged, entry = judgements(study), questions[0].parameters["measure"]
    depths = [question.parameters["measure"].depth for question in questions]
    depth = rankings.reach(max(depths)) if all(depths) else rankings.lists.depth
    judged_ranks = rankings.remembered(("judged", depth), lambda: _judged_places(study, rankings.lists, depth))
    if entry.measure.NAME in KERNELS and len(questions) > 1:
        return by_places(judged_ranks, entry.measure, np.array([question.cutoff for question in questions]))

    def value(question: Question) -> Array:
        make = partial(effectiveness, rankings.lists, judged, [question.parameters["measure"]], judged_ranks)
        return rankings.remembered(("effectiveness", question.text), make)[0]

    return np.stack([value(question) for question in questions])


def _scores(tables: dict[str, Array], systems: Sequence[str], queries: Sequence[str]) -> pd.DataFrame:
    """Rows by measure, system and query; `tables` holds (3, S, Q) for each measure."""
    measure, system, query = (axis.ravel() for axis in np.indices((len(tables), len(systems), len(queries))))
    stacked = np.stack([*tables.values()]) if tables else np.empty((0, 3, 0, 0))
    return pd.DataFrame(
        {
            "system": _named(system, systems),
            "query_id": _named(query, queries),
            "measure": _named(measure, list(tables)),
            "value": stacked[:, 0].ravel(),
            "labelled": stacked[:, 1].ravel(),
            "places": stacked[:, 2].ravel(),
        }
    )


def _named(codes: Array, names: Sequence[str]) -> pd.Series:
    return pd.Series(pd.Categorical.from_codes(codes, pd.Index(list(names), dtype="str")))


def summarise(scores: pd.DataFrame, *, level: float = 0.95) -> pd.DataFrame:
    """Return means over queries with intervals by Student's t.

    Parameters
    ----------
    scores : DataFrame
        The table of `evaluate`.
    level : float
        Of the intervals, between 0 and 1.

    Returns
    -------
    DataFrame
        A row a system and measure: system, measure, value, ci_low, ci_high, queries (averaged), undefined (left out as
        NaN) and coverage (labelled ranks over ranks in the top k; NaN for measures without labels). Ends are NaN for
        fewer than two queries. GSR is a row: the slope over queries. Scores by draw add draws, ranker_se (the standard
        error from the draws), both_low and both_high (over queries and draws), draw_low and draw_high (the range of the
        mean of one more draw over these queries).

    Raises
    ------
    FairvizError
        For another table, and a level that is not between 0 and 1.

    Examples
    --------
    >>> import fairviz
    >>> scores = fairviz.evaluate(fairviz.open_study("newswire"), "CWEx", systems=["bm25"])
    >>> fairviz.summarise(scores)[["value", "ci_low", "ci_high"]].round(3).values.tolist()
    [[-0.209, -0.279, -0.138]]
    """
    check_scores(scores)
    check_level(level)
    if DRAW not in scores:
        return summarise_parts(scores, query_means, level)
    # The means over the draws of each query where the value is defined.
    numbers = [name for name in ("value", "labelled", "places") if name in scores]
    of_systems = scores.groupby(_KEYS, sort=False, observed=True)[numbers].mean().reset_index()
    return with_ranker_noise(summarise_parts(of_systems, query_means, level), scores, query_means, level)


def values_or_means(scores: pd.DataFrame, per_query: bool) -> pd.DataFrame:
    """Return the values of scores for each query without their coverage, or their summary."""
    return scores[list(SCORES)] if per_query else summarise(scores)


def over_alpha(
    study: Study, settings: Settings, alphas: Array | None = None, *, rankings: AlignedRankings | None = None
) -> pd.DataFrame:
    """CWEx at the settings' cutoff for each alpha (default 0, 0.01, … 1): system, alpha, value, ci_low, ci_high.

    The value of each query mixes two parts, so nothing is computed again for an alpha.
    """
    alphas = np.linspace(0, 1, 101) if alphas is None else np.asarray(alphas, dtype=np.float64)
    rankings = aligned(study, settings, rankings)
    selection, bias = selection_of(study, settings, rankings), bias_of(rankings, settings, settings.cutoff)
    parts = selection.take(np.stack(neutral_and_gap(rankings, bias, np.array([settings.cutoff])))[:, 0])
    low, high = np.stack([mean_interval(mixed(alpha, *parts)) for alpha in alphas], axis=1)  # (A, S) each
    return pd.DataFrame(
        {
            "system": list(selection.systems) * len(alphas),
            "alpha": np.repeat(alphas, len(selection.systems)),
            "value": mixed(alphas[:, None], *mean_over_queries(parts)[:, None]).ravel(),
            "ci_low": low.ravel(),
            "ci_high": high.ravel(),
        }
    )


def exposures(
    study: Study, settings: Settings, *, per_query: bool = False, rankings: AlignedRankings | None = None
) -> pd.DataFrame:
    """Exposure of neutral and of each gender group at the settings' cutoff: system[, query_id], one column a group."""
    rankings = aligned(study, settings, rankings)
    selection, bias = selection_of(study, settings, rankings), bias_of(rankings, settings, settings.cutoff)
    shares = selection.take(rankings.exposure(bias, np.array([settings.cutoff]))[:, 0])  # (1 + G, S, Q)
    names = (rankings.neutral, *rankings.groups)
    if not per_query:
        means = mean_over_queries(shares)  # (1 + G, S)
        return pd.DataFrame({"system": list(selection.systems), **dict(zip(names, means, strict=True))})
    columns = {name: share.ravel() for name, share in zip(names, shares, strict=True)}
    return pd.DataFrame({**selection.columns, **columns})
