"""Intervals over queries."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from fairviz.statistics.bootstrap import bootstrap_interval, mean_over_queries, resampled_means, resampling_weights


def test_the_interval_is_the_percentile_bootstraps_as_scipy_has_it() -> None:
    values = np.random.default_rng(1).gamma(2.0, size=80)
    low, high = bootstrap_interval(values, resamples=20_000)
    theirs = bootstrap((values,), np.mean, n_resamples=20_000, method="percentile", rng=2).confidence_interval
    assert low == pytest.approx(theirs.low, abs=0.01)
    assert high == pytest.approx(theirs.high, abs=0.01)


def test_resamples_are_seeded_shared_and_of_full_size() -> None:
    weights = resampling_weights(7, 50, seed=3)
    assert (weights.sum(axis=1) == 7).all()
    assert (weights == resampling_weights.__wrapped__(7, 50, 3)).all()
    assert (weights != resampling_weights(7, 50, seed=4)).any()


def test_queries_without_a_value_are_left_out() -> None:
    values = np.array([[1.0, np.nan, 3.0], [1.0, 2.0, 3.0], [np.nan] * 3, [np.nan, 5.0, np.nan]])
    np.testing.assert_equal(mean_over_queries(values), [2.0, 2.0, np.nan, 5.0])
    low, high = bootstrap_interval(values)
    assert np.isnan(low[2:]).all(), "nothing, or one query, has no spread"
    assert (low[:2] >= 1).all()
    assert (high[:2] <= 3).all()
    means = resampled_means(values, 200)
    assert means.shape == (200, 4)
    drawn = means[~np.isnan(means[:, 0]), 0]
    assert set(np.round(drawn, 6)) <= {1.0, 3.0, 2.0, round(4 / 3 + 1 / 3, 6), 5 / 3, round(7 / 3, 6), round(5 / 3, 6)}


def test_no_queries_at_all() -> None:
    low, high = bootstrap_interval(np.empty((2, 0)))
    assert np.isnan(low).all()
    assert np.isnan(high).all()
