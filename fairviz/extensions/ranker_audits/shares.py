"""Statistics of preferences in pairs, averaged within queries first: shares, ratio, consistency, position bias,
magnitude.

Axis letters: P pairs, Q queries, N numbers a pair. Wins are (P, 2): in the first column the group's document was shown
first, in the second the other; 1 where the group's wins, 0 where the other's, 0.5 where they tie, NaN without answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.comparison.pairs import FEWEST_QUERIES, PairedRows, compare_rows
from fairviz.statistics.intervals import mean_interval, mean_over_queries, share_interval
from fairviz.statistics.paired import corrected

Array = np.ndarray
LEVEL = 0.95
PREFERRED, GAPS = "_preferred", "_gaps"  # columns of objects that `with_tests` takes away


def pair_shares(wins: Array) -> Array:
    """Return the shares in which the group's document, the other's, and neither comes first, over both orders, (3, P);
    NaN where an order has no answer, since one order alone would count the position too.

    >>> pair_shares(np.array([[1.0, 0.0], [1.0, 1.0], [0.5, 0.5], [1.0, np.nan]])).tolist()
    [[0.5, 1.0, 0.0, nan], [0.5, 0.0, 0.0, nan], [0.0, 0.0, 1.0, nan]]
    """
    shares = np.stack([(wins == value).mean(axis=1) for value in (1, 0, 0.5)])  # (3, P)
    return np.where(np.isnan(wins).any(axis=1), np.nan, shares)


def twice_first(wins: Array) -> Array:
    """Return 1 where the group's document, and where the other's, comes first in both orders, else 0, (2, P); NaN where
    an order has no answer.

    Table 3 of Wang et al. 2024 seems to count so: its two shares add up to 0.25 to 0.67, where one of two always comes
    first.

    >>> twice_first(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, np.nan]])).tolist()
    [[0.0, 1.0, 0.0, nan], [0.0, 0.0, 1.0, nan]]
    """
    both = np.stack([(wins == value).all(axis=1) for value in (1, 0)]).astype(np.float64)
    return np.where(np.isnan(wins).any(axis=1), np.nan, both)


def consistency(wins: Array) -> Array:
    """Return 1 where both orders have the same winner, 0 where not, (P,); NaN where an order has no answer.

    >>> consistency(np.array([[1.0, 0.0], [0.0, 0.0], [1.0, np.nan]])).tolist()
    [0.0, 1.0, nan]
    """
    return np.where(np.isnan(wins).any(axis=1), np.nan, (wins[:, 0] == wins[:, 1]).astype(np.float64))


def first_named(wins: Array) -> Array:
    """Return the share of a pair's answers that name what was shown first, (P,); ties and missing answers are none.

    >>> first_named(np.array([[1.0, 0.0], [0.0, 0.0], [1.0, np.nan]])).tolist()
    [1.0, 0.5, 1.0]
    """
    named = np.stack([wins[:, 0], 1 - wins[:, 1]], axis=1)  # 1 where the first one is named
    return mean_over_queries(np.where(named == 0.5, np.nan, named))


def means_by_query(values: Array, queries: Array) -> Array:
    """Return the means over the pairs of each query, (N, P) and codes (P,) to (N, Q); NaN values are left out.

    >>> means_by_query(np.array([[1.0, 0.0, 1.0, np.nan]]), np.array([0, 0, 1, 1])).tolist()
    [[0.5, 1.0]]
    """
    count = int(queries.max()) + 1 if len(queries) else 0
    member = np.eye(count)[queries]  # (P, Q)
    defined = ~np.isnan(values)
    totals = np.where(defined, values, 0.0) @ member
    counts = defined.astype(np.float64) @ member
    return np.divide(totals, counts, out=np.full(totals.shape, np.nan), where=counts > 0)


@dataclass(frozen=True)
class Estimate:
    """A number over queries with its interval; NaN where it is not defined."""

    value: float
    low: float
    high: float

    def named(self, name: str) -> dict[str, float]:
        """Return the three as columns of a table: name, name_low, name_high."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}


def estimate(values: Array, *, share: bool = False) -> Estimate:
    """Return the mean of a number a query, (Q,), and its 95 % t interval, within 0 and 1 for a share."""
    low, high = (float(end) for end in mean_interval(values))
    if share and not np.isnan(low):
        low, high = max(low, 0.0), min(high, 1.0)
    return Estimate(float(mean_over_queries(values)), low, high)


def ratio(own: Array, other: Array) -> float:
    """Return the group's share ranked first over the other's, from the shares of each query, (Q,) each; infinite where
    the other's is 0, NaN where both are. It describes: which group is preferred is tested by `Preferred`.

    >>> ratio(np.array([0.5, 1.0]), np.array([0.5, 0.0]))
    3.0
    """
    means = mean_over_queries(np.stack([own, other]))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(means[0] / means[1])


@dataclass(frozen=True)
class Preferred:
    """The one statistic that decides which group is preferred: queries whose pairs put the group's document first more
    often (above), the other's (below), and queries with an answer, those that are even among them."""

    above: int
    below: int
    queries: int

    @property
    def p(self) -> float:
        """Two-sided p of the exact sign test: above is as probable as below. 1 where all queries are even, NaN where
        there is none."""
        from scipy.stats import binomtest

        if not self.queries:
            return float("nan")
        decided = self.above + self.below
        return float(binomtest(self.above, decided).pvalue) if decided else 1.0

    @property
    def tested(self) -> bool:
        """Return True where there are enough queries for a verdict."""
        return self.queries >= FEWEST_QUERIES

    def share(self, level: float = 0.95) -> Estimate:
        """Return the share of queries above among those that are not even, with the interval that inverts the test: it
        excludes one half exactly where p ≤ 1 − level.

        >>> found = Preferred(9, 1, 12).share()
        >>> found.value, round(found.low, 3), round(found.high, 3)
        (0.9, 0.555, 0.997)
        """
        decided = self.above + self.below
        if not decided:
            return Estimate(np.nan, np.nan, np.nan)
        return Estimate(self.above / decided, *share_interval(self.above, decided, level))

    def odds(self, level: float = 0.95) -> Estimate:
        """Return queries above over queries below, with the interval of the share: it excludes 1 where that excludes
        one half.

        >>> Preferred(3, 1, 4).odds().value
        3.0
        """
        share = self.share(level)
        if np.isnan(share.value):
            return share
        low, high = (one / (1 - one) if one < 1 else np.inf for one in (share.low, share.high))
        return Estimate(self.above / self.below if self.below else np.inf, low, high)


def preferred(preferences: Array) -> Preferred:
    """Return the queries above and below one half, (Q,); NaN for those without an answer."""
    answers = preferences[~np.isnan(preferences)]
    return Preferred(int((answers > 0.5).sum()), int((answers < 0.5).sum()), len(answers))


def with_tests(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the columns of its tests in place of PREFERRED and GAPS.

    A family are all rows of one kind and relevance: systems, comparisons and values of a column.
    """
    rows = {
        index: tests
        for _, part in table.groupby(["kind", "judged"], sort=False)
        for index, tests in zip(part.index, _tests_of_family(part), strict=True)
    }
    tests = pd.DataFrame([rows[index] for index in table.index], index=table.index)
    untested = table.drop(columns=[PREFERRED, GAPS])
    return untested.assign(**{str(name): tests[name] for name in tests})


def _tests_of_family(part: pd.DataFrame) -> list[dict[str, float]]:
    """Return the columns of the tests of one family, a row each."""
    signs = preference_columns(part[PREFERRED].tolist())
    tested = compare_with_zero(part[GAPS].tolist())
    names = ("gap", "gap_low", "gap_high", "p_gap", "p_gap_corrected")
    numbers = (tested.difference, tested.low, tested.high, tested.p, tested.p_corrected)
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
