"""The simulations of benchmarks/error_rates.py: the same intervals as fairviz, and a short run of them."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import bootstrap

from benchmarks.error_rates import cell, intervals
from benchmarks.mean_intervals import bootstraps, coverage
from benchmarks.simulated import SHAPES
from fairviz.statistics.contrasts import Block, Estimates
from fairviz.statistics.families import parse_tests
from fairviz.statistics.simultaneous import compare_blocks
from tests.conftest import simulated


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("systems", [2, 3, 5])
def test_one_replication_is_one_comparison(name: str, systems: int) -> None:
    shape, draws = SHAPES[name], 1999
    values = shape.draw(np.random.default_rng(2), (3, systems, 20), 0.5)
    simulated = intervals(values, 4, shape, draws)
    for place, table in enumerate(values):
        block = Block(Estimates(table, None, shape.logarithm), tuple(combinations(range(systems), 2)), shape.folded)
        (tested,) = compare_blocks([block], parse_tests("maxT"), draws, 4)
        is_known = np.isfinite(tested.interval(0.95)[0])
        for ours, theirs in zip((simulated.low[place], simulated.high[place]), tested.interval(0.95), strict=True):
            np.testing.assert_allclose(ours[is_known], theirs[is_known], rtol=1e-4, atol=1e-5)
        assert is_known.mean() >= 0.5  # differences that are all equal may have none


@pytest.mark.parametrize("name", [name for name in SHAPES if name != "one lognormal"])
@pytest.mark.parametrize("systems", [2, 7])
@simulated(60, 400)
def test_families_keep_their_level_within_the_error_of_a_short_run(name: str, systems: int, draws: int) -> None:
    """Four standard errors above .06, and as much below .94."""
    found = cell(name, systems, 40, 0.95, draws)
    room = 4 * np.sqrt(0.06 * 0.94 / draws)
    assert found.error <= 0.06 + room
    assert found.coverage >= 0.94 - room


def test_bootstraps_are_scipys() -> None:
    values = np.random.default_rng(1).lognormal(size=25)
    weights = np.random.default_rng(2).multinomial(25, np.full(25, 1 / 25), size=20_000).astype(float)
    for (low, high), method in zip(bootstraps(values[None], weights), ("percentile", "BCa"), strict=True):
        known = bootstrap((values,), np.mean, n_resamples=20_000, method=method, rng=3).confidence_interval
        assert (low[0], high[0]) == pytest.approx((known.low, known.high), abs=0.02)


def test_student_covers_as_claimed_where_values_are_normal_and_the_percentile_bootstrap_does_not() -> None:
    t, percentile, bca = coverage("normal", 5, 1000)
    error = np.sqrt(0.95 * 0.05 / 1000)
    assert t == pytest.approx(0.95, abs=4 * error)
    assert max(percentile, bca) < 0.95 - 4 * error
