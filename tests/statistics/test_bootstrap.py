"""Means over queries, and resamples of queries."""

import numpy as np

from fairviz.statistics.intervals import mean_over_queries, resampled_means, resampling_weights


def test_resamples_are_seeded_shared_and_of_full_size() -> None:
    weights = resampling_weights(7, 50, seed=3)
    assert (weights.sum(axis=1) == 7).all()
    assert (weights == resampling_weights.__wrapped__(7, 50, 3)).all()
    assert (weights != resampling_weights(7, 50, seed=4)).any()


def test_queries_without_a_value_are_left_out() -> None:
    values = np.array([[1.0, np.nan, 3.0], [1.0, 2.0, 3.0], [np.nan] * 3, [np.nan, 5.0, np.nan]])
    np.testing.assert_equal(mean_over_queries(values), [2.0, 2.0, np.nan, 5.0])
    means = resampled_means(values, 200)
    assert means.shape == (200, 4)
    drawn = means[~np.isnan(means[:, 0]), 0]
    assert set(np.round(drawn, 6)) <= {1.0, 3.0, 2.0, round(4 / 3 + 1 / 3, 6), 5 / 3, round(7 / 3, 6), round(5 / 3, 6)}
