"""Student's t intervals of means and slopes, against scipy."""

import numpy as np
import pytest
from scipy import stats

from fairviz.statistics.intervals import mean_interval, slope_interval

VALUES = np.random.default_rng(6).gamma(2, size=(2, 3, 25))
VALUES[0, 1, :4] = np.nan


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_the_interval_of_a_mean_is_scipys(level: float) -> None:
    low, high = mean_interval(VALUES, level)
    for place in np.ndindex(2, 3):
        row = VALUES[place][~np.isnan(VALUES[place])]
        assert (low[place], high[place]) == pytest.approx(stats.ttest_1samp(row, 0).confidence_interval(level))


@pytest.mark.filterwarnings("error")
def test_fewer_than_two_values_have_no_interval() -> None:
    low, high = mean_interval(np.array([[1.0, np.nan, np.nan], [np.nan] * 3, [1.0, np.nan, 3.0]]))
    assert np.isnan(low).tolist() == [True, True, False]
    assert np.isnan(high).tolist() == [True, True, False]
    assert np.isnan(mean_interval(np.empty((2, 0)))[0]).all()


def test_equal_values_have_an_interval_without_width() -> None:
    low, high = mean_interval(np.full(5, 0.25))
    assert (low, high) == pytest.approx((0.25, 0.25))


def test_the_interval_of_a_slope_is_that_of_least_squares() -> None:
    x, y = np.random.default_rng(7).normal(size=(2, 20))
    x[2], y[5] = np.nan, np.nan
    both = ~np.isnan(x + y)
    line = stats.linregress(x[both], y[both])
    half = stats.t.ppf(0.95, both.sum() - 2) * line.stderr
    assert slope_interval(x, y, 0.9) == pytest.approx((line.slope - half, line.slope + half))
    assert np.isnan(slope_interval(np.ones(5), np.arange(5.0))).all()
    assert np.isnan(slope_interval(x[:2], y[:2])).all()
