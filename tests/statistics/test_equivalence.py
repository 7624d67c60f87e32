"""Two one-sided tests and power, against statsmodels on the same vectors, and by hand."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

from fairviz.statistics.equivalence import detectable, equivalence_p, mean_error, power_of, slope_error
from fairviz.statistics.paired import paired_t

GENERATOR = np.random.default_rng(3)
APART = GENERATOR.normal(0.01, 0.2, (4, 60))


def tost(rows: np.ndarray, margin: float) -> np.ndarray:
    errors = np.array([mean_error(row) for row in rows])
    freedom = (~np.isnan(rows)).sum(axis=1) - 1.0
    return equivalence_p(np.nanmean(rows, axis=1), errors, freedom, np.full(len(rows), margin))


@pytest.mark.parametrize("margin", [0.01, 0.05, 0.08])
def test_tost_is_that_of_statsmodels(margin: float) -> None:
    expected = [ttost_paired(row, np.zeros(len(row)), -margin, margin)[0] for row in APART]
    assert tost(APART, margin) == pytest.approx(np.array(expected), rel=1e-9)


def test_tost_says_that_the_interval_at_one_less_two_alpha_lies_within_the_margin() -> None:
    for row in APART:
        low, high = stats.t.interval(0.9, len(row) - 1, row.mean(), mean_error(row))
        widest = max(-low, high)
        assert tost(row[None], widest * 1.001)[0] < 0.05 < tost(row[None], widest * 0.999)[0]


def test_tost_by_hand() -> None:
    # mean 2, error 1 / sqrt 3, margin 3: t = (2 - 3) * sqrt 3 = -1.7321 with two degrees of freedom
    assert tost(np.array([[1.0, 2.0, 3.0]]), 3)[0] == pytest.approx(0.1127017, abs=1e-7)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([0.0, 0.0, 0.0], 0.125),  # three signs the same: 1 / 2^3
        ([0.04, 0.04], 0.25),
        ([0.05, 0.05], 1.0),  # on the margin is not within it
        ([0.3, 0.3], 1.0),
        ([0.01], np.nan),
        ([0.01, np.nan], np.nan),
        ([], np.nan),
    ],
)
@pytest.mark.filterwarnings("ignore:Mean of empty slice")
def test_what_no_spread_can_show(differences: list[float], p: float) -> None:
    assert tost(np.array([differences]), 0.05)[0] == pytest.approx(p, nan_ok=True)


@pytest.mark.parametrize("queries", [5, 40, 117, 1765])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 9])
def test_the_smallest_difference_is_that_of_statsmodels(queries: int, alpha: float) -> None:
    found = detectable(np.array([0.3 / np.sqrt(queries)]), np.array([queries - 1.0]), alpha, 0.8)[0]
    assert found / 0.3 == pytest.approx(TTestPower().solve_power(nobs=queries, alpha=alpha, power=0.8), rel=1e-4)


def test_the_smallest_difference_is_found_as_often_as_it_says() -> None:
    """Ten thousand made-up studies of 20 queries with just that difference: eight in ten find it."""
    difference = detectable(np.array([1 / np.sqrt(20)]), np.array([19.0]), 0.05, 0.8)[0]
    found = paired_t(GENERATOR.normal(difference, 1, (10_000, 20))) < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.02)
    assert power_of(difference, 1 / np.sqrt(20), 19, 0.05) == pytest.approx(0.8)


@pytest.mark.parametrize("power", [0.06, 0.5, 0.8, 0.99, 0.999999])
@pytest.mark.parametrize("freedom", [1.0, 2.0, 10.0, 5000.0])
def test_power_is_met_whatever_is_asked(power: float, freedom: float) -> None:
    for alpha in (0.05, 0.05 / 500):
        difference = detectable(np.array([1.0]), np.array([freedom]), alpha, power)[0]
        assert power_of(difference, 1.0, freedom, alpha) == pytest.approx(power, abs=1e-6)


def test_nothing_is_said_where_queries_have_no_spread_or_are_too_few() -> None:
    assert np.isnan(detectable(np.array([0.0, np.nan, 0.1]), np.array([5.0, 5.0, 0.0]), 0.05, 0.8)).all()


def test_the_error_of_a_slope_is_that_of_least_squares() -> None:
    x, y = GENERATOR.normal(size=(2, 30))
    x[3], y[5] = np.nan, np.nan
    both = ~(np.isnan(x) | np.isnan(y))
    assert slope_error(x, y) == stats.linregress(x[both], y[both]).stderr
    assert slope_error(x, np.full(30, 0.2)) == 0
    assert np.isnan(slope_error(np.ones(30), y))
    assert np.isnan(slope_error(x[:2], y[:2]))
