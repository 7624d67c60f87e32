"""Do other word vectors say the same (GSR paper, section 4.2.4, figure 11 and Table 2)?"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.evaluation.choices import aligned
from fairviz.evaluation.gsr import gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slopes import gsr
from fairviz.measures.sums import Places
from fairviz.study.study import Study
from fairviz.words.genderedness import GenderDirection

Array = np.ndarray
_ORDERS = 9_999


@dataclass(frozen=True, eq=False)
class Reliability:
    """The same study measured by two sets of word vectors.

    queries: query_id, first, second (g of the query; NaN out of vocabulary). pearson, pearson_p: over the queries
    that both know; NaN with fewer than three of them or where one side never varies. interval: Pearson's 95 %
    interval, by Fisher's z; NaN with fewer than four. systems: system, first, second (GSR). spearman, spearman_p:
    over systems with a slope in both, likewise; p is two-sided, over all orders of up to seven systems, else
    (hits + 1)/(draws + 1) of 9,999 random ones: never 0, as few systems prove little.
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
    places: Places | None = None,
) -> Reliability:
    """Genderedness of queries and GSR of systems by both directions. Raises FairvizError as gsr_points does."""
    places = aligned(study, settings, places)
    return compared(*(gsr_points(study, settings, places=places, direction=each) for each in (first, second)))


def compared(first: pd.DataFrame, second: pd.DataFrame) -> Reliability:
    """The same of two tables of points that are there already, as gsr_points gives them."""
    points = [first, second]
    queries = _side_by_side([each.drop_duplicates("query_id") for each in points], "query_id", "query")
    systems = _side_by_side([gsr(each) for each in points], "system", "slope")
    pearson, spearman = _correlated(queries, "pearsonr"), _correlated(systems, "spearmanr")[0]
    orders, interval = _orders_p(systems, spearman), _interval(queries, pearson[0])
    return Reliability(queries, *pearson, systems, spearman, orders, interval)


def _orders_p(table: pd.DataFrame, spearman: float) -> float:
    """The p of Spearman's ρ by permutation; scipy's own assumes many values and calls 5 systems in order certain."""
    from scipy.stats import permutation_test, rankdata

    if math.isnan(spearman):
        return math.nan
    whole = table.dropna(subset=["first", "second"])
    first, second = (rankdata(whole[name]) - (len(whole) + 1) / 2 for name in ("first", "second"))
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

    whole = table.dropna(subset=["first", "second"])
    if math.isnan(r) or len(whole) < 4:
        return math.nan, math.nan
    found = pearsonr(whole["first"], whole["second"]).confidence_interval()
    return float(found.low), float(found.high)


def _side_by_side(tables: list[pd.DataFrame], key: str, value: str) -> pd.DataFrame:
    first, second = (table[[key, value]] for table in tables)
    both = first.rename(columns={value: "first"}).merge(second.rename(columns={value: "second"}), on=key)
    return both.reset_index(drop=True)


def _correlated(table: pd.DataFrame, test: str) -> tuple[float, float]:
    """scipy's correlation of the columns first and second over the rows that have both, and its p."""
    from scipy import stats

    whole = table.dropna(subset=["first", "second"])
    return correlated(whole["first"].to_numpy(), whole["second"].to_numpy(), getattr(stats, test))


def correlated(first: Array, second: Array, test) -> tuple[float, float]:
    """The correlation and its p; NaN with fewer than three values or where one side never varies."""
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return math.nan, math.nan
    found = test(first, second)
    return float(found.statistic), float(found.pvalue)
