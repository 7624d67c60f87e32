"""Errors clustered by query and by name: by hand, against sums over pairs of values, and simulated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.statistics.intervals import clustered_mean, mean_interval

CLUSTERS = st.lists(st.tuples(st.floats(-5, 5), st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12)


def slow_variance(values: list[float], clusters: list[object], weights: list[float], mean: float) -> float:
    """Every pair of values of one cluster, times G / (G - 1)."""
    total = 0.0
    for value, cluster, weight in zip(values, clusters, weights, strict=True):
        for other, again, beside in zip(values, clusters, weights, strict=True):
            total += weight * (value - mean) * beside * (other - mean) if cluster == again else 0.0
    return total * len(set(clusters)) / (len(set(clusters)) - 1)


@given(CLUSTERS)
def test_against_sums_over_pairs_of_values(rows: list[tuple[float, int, int]]) -> None:
    values, queries, names = (list(column) for column in zip(*rows, strict=True))
    weights = [1 / queries.count(query) / len(set(queries)) for query in queries]
    mean = sum(weight * value for weight, value in zip(weights, values, strict=True))
    found = clustered_mean(np.array(values), np.array(queries), np.array(names))
    assert found.value == pytest.approx(mean, abs=1e-12)
    if len(set(queries)) < 2 or len(set(names)) < 2:
        assert np.isnan(found.error)
        return
    both = list(zip(queries, names, strict=True))
    one, two, cells = (slow_variance(values, each, weights, mean) for each in (queries, names, both))
    assert found.error**2 == pytest.approx(max(one + two - cells, one, two), abs=1e-9)


def test_names_that_do_not_repeat_leave_students_t_over_queries() -> None:
    values = np.random.default_rng(1).normal(size=(12, 3))
    found = clustered_mean(values.ravel(), np.repeat(np.arange(12), 3), np.arange(36))
    assert found.interval() == pytest.approx([float(end) for end in mean_interval(values.mean(axis=1))])


def test_values_that_are_all_equal() -> None:
    queries, names = np.arange(12), np.arange(12) % 4
    assert clustered_mean(np.zeros(12), queries, names).p == 1
    found = clustered_mean(np.ones(12), queries, names)
    assert found.p == 2 / 2**4
    assert found.interval() == (1, 1)


def test_missing_values_are_left_out_and_nothing_is_nan() -> None:
    values = np.array([1.0, np.nan, 3.0, 2.0])
    found = clustered_mean(values, np.array([0, 0, 1, 2]), np.array([0, 9, 1, 0]))
    assert (found.value, found.queries, found.names) == (2, 3, 2)
    nothing = clustered_mean(np.full(3, np.nan), np.arange(3), np.arange(3))
    assert np.isnan([nothing.value, nothing.error, nothing.p, *nothing.interval()]).all()


def coverage(
    count: int, per_query: int, sets: int, spreads: tuple[float, float, float], replications: int
) -> tuple[float, float]:
    """Return the shares of intervals that cover 0: clustered by both, and by query alone."""
    generator = np.random.default_rng(count + sets)
    covered = np.zeros(2)
    queries = np.repeat(np.arange(count), per_query)
    for _ in range(replications):
        names = generator.permutation(np.resize(np.arange(sets), len(queries)))
        sizes = (count, sets, len(queries))
        by_query, by_name, rest = map(generator.normal, (0.0, 0.0, 0.0), spreads, sizes)
        values = by_query[queries] + by_name[names] + rest
        low, high = clustered_mean(values, queries, names).interval()
        least, most = mean_interval(values.reshape(count, per_query).mean(axis=1))
        covered += [low <= 0 <= high, least <= 0 <= most]
    return tuple(covered / replications)


@pytest.mark.parametrize("spreads", [(0.0, 0.0, 1.0), (0.5, 0.0, 1.0), (0.0, 0.5, 1.0), (0.5, 0.5, 1.0)])
@pytest.mark.parametrize(("count", "per_query", "sets"), [(10, 5, 10), (40, 10, 50), (40, 10, 10)])
def test_intervals_cover_as_claimed(count: int, per_query: int, sets: int, spreads: tuple) -> None:
    """Four standard errors of 400 replications below .95, about .91."""
    both, by_query = coverage(count, per_query, sets, spreads, 400)
    assert both >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / 400)
    if sets == 10 and count == 40 and spreads[1] > spreads[0]:
        assert by_query < 0.7, "names that repeat are no new evidence"
