"""Minimum detectable differences, against statsmodels and a simulation."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

from fairviz.statistics.contrasts import Block, Estimates
from fairviz.statistics.families import parse_tests
from fairviz.statistics.simultaneous import compare_blocks, detectable, power_of


@pytest.mark.parametrize("queries", [5, 40, 117, 1765])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 9])
def test_the_smallest_difference_is_that_of_statsmodels(queries: int, alpha: float) -> None:
    found = detectable(np.array([0.3 / np.sqrt(queries)]), np.array([queries - 1.0]), alpha, 0.8)[0]
    assert found / 0.3 == pytest.approx(TTestPower().solve_power(nobs=queries, alpha=alpha, power=0.8), rel=1e-4)


@pytest.mark.parametrize("power", [0.06, 0.5, 0.8, 0.99, 0.999999])
@pytest.mark.parametrize("freedom", [1.0, 2.0, 10.0, 5000.0])
def test_power_is_met_whatever_is_asked(power: float, freedom: float) -> None:
    for alpha in (0.05, 0.05 / 500):
        difference = detectable(np.array([1.0]), np.array([freedom]), alpha, power)[0]
        assert power_of(difference, 1.0, freedom, alpha) == pytest.approx(power, abs=1e-6)


def test_power_at_levels_beyond_rounding_and_where_nothing_can_be_said() -> None:
    """One query alone that differs makes the differences so skewed that t is compared with 20 and more."""
    for alpha in (1e-14, 1e-16, 1e-20, 1e-50):
        difference = detectable(np.array([1.0]), np.array([39.0]), alpha, 0.8)[0]
        assert stats.nct.sf(stats.t.isf(alpha / 2, 39), 39, difference) == pytest.approx(0.8, abs=1e-6)
    assert np.isnan(detectable(np.array([1.0]), np.array([3.0]), np.array([1e-200]), 0.8)).all()
    no_spread_or_too_few = np.array([0.0, np.nan, 0.1]), np.array([5.0, 5.0, 0.0])
    assert np.isnan(detectable(*no_spread_or_too_few, 0.05, 0.8)).all()


@pytest.mark.parametrize("margin", [0.01, 0.05, 0.08])
def test_equivalence_of_single_pairs_is_the_two_one_sided_tests_of_statsmodels(margin: float) -> None:
    values = np.random.default_rng(3).normal(0.01, 0.2, (3, 60))
    pairs = ((0, 1), (0, 2), (1, 2))
    (tested,) = compare_blocks([Block(Estimates(values), pairs)], parse_tests("none"))
    expected = [ttost_paired(values[a], values[b], -margin, margin)[0] for a, b in pairs]
    found = tested.equivalence(np.full(3, margin))
    inside = np.abs(tested.difference) < margin
    assert found[inside] == pytest.approx(np.array(expected)[inside], rel=1e-9)
    assert (found[~inside] == 1).all()
