"""Differences and sums of two systems, against scipy on the queries that both have."""

import numpy as np
import pytest
from scipy import stats

from fairviz.statistics.contrasts import (
    Estimates,
    Pair,
    contrasts,
    differences,
    folded,
    folded_interval,
    is_equal,
    sign_of,
)

GENERATOR = np.random.default_rng(5)
VALUES = np.exp(GENERATOR.normal(0.1, 0.5, (4, 30)))
VALUES[0, :4] = np.nan
VALUES[2, 10:13] = np.nan
PAIRS = [Pair(0, 1), Pair(0, 1, 1), Pair(1, 2), Pair(2, 0), Pair(3, 1), Pair(1, 3)]


def both(first: int, second: int) -> tuple[np.ndarray, np.ndarray]:
    kept = ~np.isnan(VALUES[first] + VALUES[second])
    return VALUES[first, kept], VALUES[second, kept]


def test_means_are_scipys_paired_t_and_what_each_query_contributes() -> None:
    held = contrasts(Estimates(VALUES), PAIRS)
    for place, (first, second, sign) in enumerate(PAIRS):
        ours, theirs = both(first, second)
        known = stats.ttest_1samp(ours + sign * theirs, 0)
        assert held.t[place] == pytest.approx(abs(known.statistic))
        assert held.value[place] == pytest.approx((ours + sign * theirs).mean())
        assert (held.queries[place], held.freedom[place]) == (len(ours), known.df)
        assert (held.first[place], held.second[place]) == pytest.approx((ours.mean(), theirs.mean()))
    assert held.value[5] == -held.value[4]
    for logarithm in (False, True):
        estimates = Estimates(VALUES, logarithm=logarithm)
        found = differences(estimates, PAIRS)
        assert np.nanmean(found, axis=1) == pytest.approx(contrasts(estimates, PAIRS).value)
        assert np.isnan(found[0, :4]).all()
        assert (~np.isnan(found)).sum(axis=1).tolist() == [26, 26, 27, 23, 30, 30]


@pytest.mark.filterwarnings("error")
def test_what_cannot_be_tested() -> None:
    """Nothing in common, one query, no mean above 0 for a logarithm, one x for a slope, and the same everywhere."""
    values = np.array([[1.0, 2.0, np.nan, np.nan], [np.nan, np.nan, 1.0, 2.0], [np.nan, 1.0, np.nan, 1.0]])
    held = contrasts(Estimates(values), [Pair(0, 1), Pair(0, 2), Pair(1, 2)])
    assert held.queries.tolist() == [0, 1, 1]
    assert held.known.tolist() == [False, False, False]
    assert np.isnan(held.error).all()
    rows = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [2.0, 3.0, 4.0]])
    assert contrasts(Estimates(rows, logarithm=True), [Pair(0, 1), Pair(1, 2)]).known.tolist() == [False, True]
    assert contrasts(Estimates(rows, np.ones(3)), [Pair(0, 1)]).known.tolist() == [False]
    same = contrasts(Estimates(rows), [Pair(1, 2), Pair(1, 0), Pair(1, 1)])
    assert same.flat.tolist() == [True, False, True]
    assert np.isnan(same.t).tolist() == [True, False, True]


def test_equal_up_to_rounding_and_the_signs_of_the_rest() -> None:
    values = np.array([0.1 + 0.2 - 0.3, -1e-9, 1e-9, np.nan, np.inf])
    assert is_equal(values).tolist() == [True, False, False, False, False]
    assert is_equal(1 - 2e-16, 1)
    assert is_equal(np.inf, np.inf)
    np.testing.assert_array_equal(sign_of(values), [0, -1, 1, np.nan, 1])


def test_the_difference_of_distances_by_hand() -> None:
    for a, b, difference in ((0.1, -0.1, 0), (3, 1, 2), (-3, 1, 2), (1, -3, -2), (0, 2, -2), (0, 0, 0), (-2, -5, -3)):
        assert folded(np.array(a - b), np.array(a + b)) == pytest.approx(difference)


@pytest.mark.parametrize(
    ("u", "v", "low", "high"),
    [
        ((1, 2), (3, 4), 1, 2),  # both positive: a is farther by u
        ((1, 5), (3, 4), 1, 4),
        ((-2, -1), (3, 4), -2, -1),
        ((-2, -1), (-4, -3), 1, 2),
        ((-1, 2), (3, 4), -1, 2),
        ((1, 2), (-3, 4), -2, 2),
        ((-1, 1), (-1, 1), -1, 1),
    ],
)
def test_intervals_by_hand(u: tuple, v: tuple, low: float, high: float) -> None:
    found = folded_interval(tuple(map(np.array, u)), tuple(map(np.array, v)))
    assert tuple(map(float, found)) == (low, high)
