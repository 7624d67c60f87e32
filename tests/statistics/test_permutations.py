"""Moments and bands of random orders, against every order."""

from itertools import permutations

import numpy as np
import pytest

from fairviz.statistics.intervals import band_of_draws, hypergeometric_ends, permutation_moments

NUMBERS = np.array([0.0, 1.0, 0.5, 0.0, 2.0])


@pytest.mark.parametrize("weights", [[1.0], [1.0, 0.5], [1.0, 0.63, 0.5, 0.43], [0.2, 1.0, 3.0, 0.0, 1.0]])
def test_moments_are_those_of_all_orders(weights: list[float]) -> None:
    w = np.array(weights)
    values = [w @ NUMBERS[list(order)] for order in permutations(range(5), len(w))]
    rest = NUMBERS - NUMBERS.mean()
    mean, variance = permutation_moments(w.sum(), w @ w, NUMBERS.mean(), rest @ rest, np.array(5))
    assert mean == pytest.approx(np.mean(values))
    assert variance == pytest.approx(np.var(values))


def test_one_candidate_has_no_variance() -> None:
    mean, variance = permutation_moments(np.array(1.0), np.array(1.0), np.array(0.3), np.array(0.0), np.array(1))
    assert (float(mean), float(variance)) == (0.3, 0.0)


@pytest.mark.parametrize(("total", "marked", "drawn"), [(6, 2, 3), (6, 6, 4), (6, 0, 2), (5, 3, 5), (6, 1, 1)])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_hypergeometric_ends_are_quantiles_of_all_orders(total: int, marked: int, drawn: int, level: float) -> None:
    kinds = [1] * marked + [0] * (total - marked)
    counts = np.array([sum(order[:drawn]) for order in permutations(kinds)])
    ends = hypergeometric_ends(*(np.array([number]) for number in (total, marked, drawn)), level)
    for end, share in zip(ends, ((1 - level) / 2, (1 + level) / 2), strict=True):
        assert end[0] == min(x for x in range(7) if (counts <= x).mean() >= share - 1e-12)


def test_band_of_draws_leaves_out_what_is_undefined() -> None:
    draws = np.array([[3.0, np.nan], [1.0, np.nan], [np.nan, np.nan], [2.0, np.nan]])
    band = band_of_draws(draws, 0.5)
    assert (band.low[0], band.high[0]) == (1.0, 3.0)
    assert np.isnan([band.low[1], band.high[1], band.error[1]]).all()


def test_the_error_of_an_end_is_that_of_repeated_draws() -> None:
    generator = np.random.default_rng(1)
    band = band_of_draws(generator.normal(size=(1000, 400)))
    spread = max(band.low.std(), band.high.std())
    assert spread < band.error.mean() < 1.4 * spread  # it is the larger of the two ends'
