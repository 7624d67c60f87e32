"""Agreement of other word vectors (GSR paper, section 4.2.4, figure 11 and Table 2)."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.evaluation.choices import aligned
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study
from fairviz.words.genderedness import GenderDirection

Array = np.ndarray
_ORDERS = 9_999


@dataclass(frozen=True, eq=False)
class Reliability:
    """The same study measured by two sets of word vectors.

    queries: query_id, first, second (g of the query; NaN out of vocabulary). pearson, pearson_p: over the queries in
    both vocabularies; NaN with fewer than three of them or if one side is constant. interval: Pearson's 95 % interval,
    by Fisher's z; NaN with fewer than four. systems: system, first, second (GSR). spearman, spearman_p: over systems
    with a slope in both, likewise; p is two-sided, over all orders of up to seven systems, else (hits + 1)/(draws + 1)
    of 9,999 random ones: never 0, as few systems prove little.
    """

    queries: pd.DataFrame
    pearson: float
    pearson_p: float
    systems: pd.DataFrame
    spearman: float
    spearman_p: float
    interval: tuple[float, float]


def reliability(
    study: Study,
    settings: Settings,
    first: GenderDirection,
    second: GenderDirection,
    *,
    places: AlignedRankings | None = None,
) -> Reliability:
    """Return genderedness of queries and GSR of systems by both directions. Raises FairvizError: see `gsr_points`."""
    places = aligned(study, settings, places)
    return compared(*(gsr_points(study, settings, places=places, direction=each) for each in (first, second)))


def compared(first: pd.DataFrame, second: pd.DataFrame) -> Reliability:
    """Return the comparison of two tables of points from `gsr_points`."""
    points = [first, second]
    queries = _join_tables([each.drop_duplicates("query_id") for each in points], "query_id", "query")
    systems = _join_tables([gsr(each) for each in points], "system", "slope")
    pearson, spearman = _correlated(queries, "pearsonr"), _correlated(systems, "spearmanr")[0]
    orders, interval = _orders_p(systems, spearman), _interval(queries, pearson[0])
    return Reliability(queries, *pearson, systems, spearman, orders, interval)


def _orders_p(table: pd.DataFrame, spearman: float) -> float:
    """Return the permutation p of Spearman's ρ; scipy's asymptotic p is 0 for 5 systems in the same order."""
    from scipy.stats import permutation_test, rankdata

    if math.isnan(spearman):
        return math.nan
    complete = table.dropna(subset=["first", "second"])
    first, second = (rankdata(complete[name]) - (len(complete) + 1) / 2 for name in ("first", "second"))
    return float(
        permutation_test(
            (first,),
            lambda order, axis: (order * second).sum(axis=axis),
            permutation_type="pairings",
            vectorized=True,
            n_resamples=_ORDERS,
            rng=np.random.default_rng(0),
        ).pvalue
    )


def _interval(table: pd.DataFrame, r: float) -> tuple[float, float]:
    from scipy.stats import pearsonr

    complete = table.dropna(subset=["first", "second"])
    if math.isnan(r) or len(complete) < 4:
        return math.nan, math.nan
    interval = pearsonr(complete["first"], complete["second"]).confidence_interval()
    return float(interval.low), float(interval.high)


def _join_tables(tables: list[pd.DataFrame], key: str, value: str) -> pd.DataFrame:
    first, second = (table[[key, value]] for table in tables)
    joined = first.rename(columns={value: "first"}).merge(second.rename(columns={value: "second"}), on=key)
    return joined.reset_index(drop=True)


def _correlated(table: pd.DataFrame, test: str) -> tuple[float, float]:
    """Return scipy's correlation of the columns first and second over the rows that have both, and its p."""
    from scipy import stats

    complete = table.dropna(subset=["first", "second"])
    return correlated(complete["first"].to_numpy(), complete["second"].to_numpy(), getattr(stats, test))


def correlated(first: Array, second: Array, test) -> tuple[float, float]:
    """Return the correlation and its p; NaN with fewer than three values or if one side is constant."""
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return math.nan, math.nan
    result = test(first, second)
    return float(result.statistic), float(result.pvalue)
