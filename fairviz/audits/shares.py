"""What preferences over pairs say, averaged within queries first: shares, ratio, consistency, position bias, magnitude.

Axis letters: P pairs, Q queries, N numbers a pair. Wins are (P, 2): in the first column the group's document was shown
first, in the second the other; 1 where the group's wins, 0 where the other's, 0.5 where they tie, NaN without answer.
"""

from dataclasses import dataclass

import numpy as np

from fairviz.statistics.bootstrap import bootstrap_interval, interval, mean_over_queries, resampled_means

Array = np.ndarray


def pair_shares(wins: Array) -> Array:
    """How often the group's document, the other's, and neither comes first, over both orders, (3, P); NaN where an
    order has no answer, since one order alone would count the position too.

    >>> pair_shares(np.array([[1.0, 0.0], [1.0, 1.0], [0.5, 0.5], [1.0, np.nan]])).tolist()
    [[0.5, 1.0, 0.0, nan], [0.5, 0.0, 0.0, nan], [0.0, 0.0, 1.0, nan]]
    """
    shares = np.stack([(wins == value).mean(axis=1) for value in (1, 0, 0.5)])  # (3, P)
    return np.where(np.isnan(wins).any(axis=1), np.nan, shares)


def twice_first(wins: Array) -> Array:
    """Whether the group's document, and whether the other's, comes first in both orders, (2, P); NaN where an order has
    no answer.

    Table 3 of Wang et al. 2024 seems to count so: its two shares add up to 0.25 to 0.67, where one of two always comes
    first.

    >>> twice_first(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, np.nan]])).tolist()
    [[0.0, 1.0, 0.0, nan], [0.0, 0.0, 1.0, nan]]
    """
    both = np.stack([(wins == value).all(axis=1) for value in (1, 0)]).astype(np.float64)
    return np.where(np.isnan(wins).any(axis=1), np.nan, both)


def consistency(wins: Array) -> Array:
    """1 where both orders have the same winner, 0 where not, (P,); NaN where an order has no answer.

    >>> consistency(np.array([[1.0, 0.0], [0.0, 0.0], [1.0, np.nan]])).tolist()
    [0.0, 1.0, nan]
    """
    return np.where(np.isnan(wins).any(axis=1), np.nan, (wins[:, 0] == wins[:, 1]).astype(np.float64))


def first_named(wins: Array) -> Array:
    """The share of a pair's answers that name what was shown first, (P,); ties and missing answers are none.

    >>> first_named(np.array([[1.0, 0.0], [0.0, 0.0], [1.0, np.nan]])).tolist()
    [1.0, 0.5, 1.0]
    """
    named = np.stack([wins[:, 0], 1 - wins[:, 1]], axis=1)  # 1 where the first one is named
    return mean_over_queries(np.where(named == 0.5, np.nan, named))


def means_by_query(values: Array, queries: Array) -> Array:
    """Means over the pairs of each query, (N, P) and codes (P,) to (N, Q); NaN values are left out.

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
    """A mean over queries with its 95 % bootstrap interval; NaN where it is not defined."""

    value: float
    low: float
    high: float

    def named(self, name: str) -> dict[str, float]:
        """The three as columns of a table: name, name_low, name_high."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}


def estimate(values: Array) -> Estimate:
    """The mean of a number a query, (Q,), and its interval."""
    low, high = bootstrap_interval(values)
    return Estimate(float(mean_over_queries(values)), float(low), float(high))


def ratio(own: Array, other: Array) -> Estimate:
    """The group's share ranked first over the other's, from the shares of each query, (Q,) each; infinite where the
    other's is 0, NaN where both are. The interval draws queries and takes the ratio of each draw's means; a draw where
    the other never comes first counts as infinite, so that a bound may be.

    >>> ratio(np.array([0.5, 1.0]), np.array([0.5, 0.0])).value
    3.0
    """
    both = np.stack([own, other])
    means = mean_over_queries(both)
    drawn = resampled_means(both) if both.shape[1] else np.full((1, 2), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = drawn[:, 0] / drawn[:, 1]
        value = float(means[0] / means[1])
    enough = (~np.isnan(own)).sum() >= 2
    low, high = _bounds(ratios) if enough else (np.nan, np.nan)
    return Estimate(value, low, high)


def _bounds(drawn: Array) -> tuple[float, float]:
    """The percentile interval of ratios, some of which may be infinite: that of their angles, which are finite."""
    low, high = interval(np.arctan(drawn)[:, None])
    largest = np.arctan(np.inf)
    return tuple(float("inf") if angle >= largest - 1e-12 else float(np.tan(angle)) for angle in (low[0], high[0]))  # type: ignore[return-value]


def sign_test(preferences: Array) -> float:
    """Two-sided p of the binomial test that preferences (N,) above one half are as frequent as those below; those at
    one half are left out. 1 where all are, NaN where none is defined."""
    from scipy.stats import binomtest

    known = preferences[~np.isnan(preferences)]
    above, below = int((known > 0.5).sum()), int((known < 0.5).sum())
    if not len(known):
        return float("nan")
    return float(binomtest(above, above + below).pvalue) if above + below else 1.0
