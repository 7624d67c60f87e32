"""Noise of stochastic rankers beside the noise of queries: scores of each draw become those of their system.

Three claims, each simulated in tests/evaluation/test_ranker_noise.py, for the mean over D draws and Q queries:
ci_low, ci_high: the mean over queries like these. It covers the expectation of the ranker where draws are independent
from query to query; where a draw moves all queries alike (a model trained again), that of the draws at hand alone.
both_low, both_high: the expectation of the ranker over queries like these, however draws move.
draw_low, draw_high: the mean that one more draw will have, over the queries at hand.
"""

import numpy as np
import pandas as pd

from fairviz.evaluation.slopes import Summary, summarise_parts
from fairviz.measures import MEASURES
from fairviz.statistics.intervals import mean_interval, mean_over_queries
from fairviz.study.draws import system_of_run

Array = np.ndarray
DRAW = "draw"  # the column of scores by draw
COLUMNS = ("draws", "ranker_se", "both_low", "both_high", "draw_low", "draw_high")
_KEYS = ["measure", "system", "query_id"]


def by_system(scores: pd.DataFrame) -> pd.DataFrame:
    """Return scores with a row for each run as scores by draw: system, and draw, empty for a run without draws."""
    runs = scores["system"].astype("str")
    names = {run: system_of_run(run) for run in runs.unique()}
    systems = runs.map(names)
    draws = runs.map({run: run[len(system) + 1 :] for run, system in names.items()})
    table = scores.assign(system=pd.Categorical(systems, systems.unique()))
    table.insert(1, DRAW, draws.astype("str"))
    return table


def over_draws(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of systems, the means over the draws of each query where the value is defined; of scores
    without draws themselves."""
    if DRAW not in scores:
        return scores
    numbers = [name for name in ("value", "labelled", "places") if name in scores]
    return scores.groupby(_KEYS, sort=False, observed=True)[numbers].mean().reset_index()


def with_ranker_noise(summary: pd.DataFrame, scores: pd.DataFrame, means: Summary, level: float) -> pd.DataFrame:
    """Return the summary of scores by draw with COLUMNS.

    draws: how many a system has, 1 for a run without any. ranker_se: the standard error of its mean that comes from the
    draws, the standard deviation of their means over √draws. Bounds: see the module. NaN for fewer than two draws; no
    draw bounds for expected exposure, which is of all draws together.
    """
    draws = scores[scores[DRAW] != ""]
    runs = draws["system"].astype("str") + "/" + draws[DRAW]
    by_run = summarise_parts(draws.assign(system=runs).drop(columns=DRAW), means, level) if len(draws) else summary[:0]
    systems = by_run["system"].astype("str").map(system_of_run)
    values = {key: part.to_numpy() for key, part in by_run.groupby([systems, "measure"], sort=False)["value"]}
    rows = [
        _noise(value, high, values.get((name, measure), np.zeros(1)), level, _is_of_draws(measure))
        for name, measure, value, high in summary[["system", "measure", "value", "ci_high"]].itertuples(index=False)
    ]
    columns = pd.DataFrame(rows, columns=list(COLUMNS), index=summary.index)
    return summary.join(columns)


def _is_of_draws(measure: str) -> bool:
    """Return whether the measure, in the text of scores, is one of all draws of a system together."""
    record = MEASURES.get(measure.partition("@")[0].partition("(")[0])
    return record is not None and record.family == "relevance"


def _noise(value: float, high: float, draws: Array, level: float, together: bool) -> tuple[float, ...]:
    """Return COLUMNS of one mean, of its upper bound over queries and the means of its draws, (D,)."""
    count = len(draws)
    low, _ = mean_interval(draws, level)
    from_draws = float(mean_over_queries(draws) - low)  # t · standard deviation / √D
    deviation = float(np.std(draws, ddof=1) / np.sqrt(count)) if count > 1 else np.nan
    both = float(np.hypot(high - value, from_draws))
    new = np.nan if together else from_draws * np.sqrt(count + 1)
    return count, deviation, value - both, value + both, value - new, value + new
