"""The tests of preferences: which group is preferred, by the sign test over queries, and whether the gap is 0.

The first decides; the second is secondary.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.analyses.audit.shares import Estimate, Preferred
from fairviz.comparison.pairs import PairedRows, compare_rows
from fairviz.statistics.paired import corrected

LEVEL = 0.95
PREFERRED, GAPS = "_preferred", "_gaps"  # columns of objects that `with_tests` takes away


def with_tests(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the columns of its tests in place of PREFERRED and GAPS.

    A family are all rows of one kind and relevance: systems, comparisons and values of a column.
    """
    rows = {
        place: tests
        for _, part in table.groupby(["kind", "judged"], sort=False)
        for place, tests in zip(part.index, _tests(part), strict=True)
    }
    tests = pd.DataFrame([rows[place] for place in table.index], index=table.index)
    untested = table.drop(columns=[PREFERRED, GAPS])
    return untested.assign(**{str(name): tests[name] for name in tests})


def _tests(part: pd.DataFrame) -> list[dict[str, float]]:
    """Return the columns of the tests of one family, a row each."""
    preferences = part[PREFERRED].tolist()
    signs = preference_columns(preferences)
    tested = compare_with_zero(part[GAPS].tolist())
    numbers = (tested.difference, tested.low, tested.high, tested.p, tested.p_corrected)
    names = ("gap", "gap_low", "gap_high", "p_gap", "p_gap_corrected")
    return [
        sign | {name: float(column[place]) for name, column in zip(names, numbers, strict=True)}
        for place, sign in enumerate(signs)
    ]


def compare_with_zero(values_by_query: Sequence[pd.Series]) -> PairedRows:
    """Return the tests of one family: whether the mean of each row's values is 0."""
    queries = sorted({query for each in values_by_query for query in each.index})
    values = np.stack([each.reindex(queries).to_numpy(dtype=np.float64) for each in values_by_query])
    return compare_rows(values, np.zeros_like(values), counts=[len(each) for each in values_by_query])


def preference_columns(preferences: list[Preferred]) -> list[dict[str, float]]:
    """Return the columns of the sign tests of one family: by Bonferroni, so that p and intervals agree."""
    p = np.array([one.p if one.tested else np.nan for one in preferences])
    family = int((~np.isnan(p)).sum())
    after = corrected(p, "bonferroni")
    return [
        {
            "queries_first": one.above,
            "queries_other": one.below,
            "p_shares": float(p[place]),
            "p_shares_corrected": float(after[place]),
            "family": family,
            **_with_interval(one, family).named("preferred"),
            **_with_interval(one, family, odds=True).named("ratio"),
        }
        for place, one in enumerate(preferences)
    ]


def _with_interval(preference: Preferred, family: int, *, odds: bool = False) -> Estimate:
    """Return the share of queries, or the odds, with its interval; the interval is NaN under too few queries."""
    level = 1 - (1 - LEVEL) / max(family, 1)
    estimate = preference.odds(level) if odds else preference.share(level)
    return estimate if preference.tested else Estimate(estimate.value, np.nan, np.nan)
