"""Do other word vectors say the same (GSR paper, section 4.2.4, figure 11 and Table 2)?"""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.evidence import align
from fairviz.genderedness import GenderDirection
from fairviz.gsr import gsr_points
from fairviz.places import Places
from fairviz.settings import Settings
from fairviz.slopes import gsr
from fairviz.study import Study

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Reliability:
    """The same study measured by two sets of word vectors.

    queries: query_id, first, second (g of the query; NaN out of vocabulary). pearson, pearson_p: over the queries
    that both know; NaN with fewer than three of them or where one side never varies. systems: system, first, second
    (GSR). spearman, spearman_p: over systems with a slope in both, likewise.
    """

    queries: pd.DataFrame
    pearson: float
    pearson_p: float
    systems: pd.DataFrame
    spearman: float
    spearman_p: float


def reliability(
    study: Study,
    settings: Settings,
    first: GenderDirection,
    second: GenderDirection,
    *,
    places: Places | None = None,
) -> Reliability:
    """Genderedness of queries and GSR of systems by both directions. Raises FairvizError as gsr_points does."""
    places = places or align(study, settings)
    points = [gsr_points(study, settings, places=places, direction=direction) for direction in (first, second)]
    queries = _side_by_side([each.drop_duplicates("query_id") for each in points], "query_id", "query")
    systems = _side_by_side([gsr(each) for each in points], "system", "slope")
    return Reliability(queries, *_correlated(queries, "pearsonr"), systems, *_correlated(systems, "spearmanr"))


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
