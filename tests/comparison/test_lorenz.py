"""Lorenz curves and Gini coefficients by hand and against their definitions."""

from itertools import product

import numpy as np
import pytest

from fairviz.comparison.never_shown import gini, lorenz, thinned


def test_a_curve_by_hand() -> None:
    """1, 2 and 5 of 8."""
    documents, exposure = lorenz(np.array([5.0, 1.0, 2.0]))
    assert documents == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert exposure == pytest.approx([0, 1 / 8, 3 / 8, 1])
    assert gini(np.array([5.0, 1.0, 2.0])) == pytest.approx((-2 * 1 + 0 * 2 + 2 * 5) / (3 * 8))


@pytest.mark.parametrize(
    ("exposures", "coefficient"),
    [([1.0, 1.0, 1.0], 0.0), ([0.0, 0.0, 0.0, 4.0], 0.75), ([0.0, 2.0], 0.5), ([0.0, 0.0], np.nan), ([], np.nan)],
)
def test_extremes_of_gini(exposures: list[float], coefficient: float) -> None:
    assert gini(np.array(exposures)) == pytest.approx(coefficient, nan_ok=True)


@pytest.mark.parametrize("seed", range(5))
def test_gini_is_the_mean_difference_and_the_area(seed: int) -> None:
    values = np.random.default_rng(seed).exponential(size=17) * np.random.default_rng(seed).integers(0, 2, 17)
    apart = sum(abs(a - b) for a, b in product(values, values)) / (2 * len(values) ** 2 * values.mean())
    documents, exposure = lorenz(values)
    assert gini(values) == pytest.approx(apart)
    assert gini(values) == pytest.approx(1 - 2 * np.trapezoid(exposure, documents))


def test_no_exposure_and_no_document() -> None:
    documents, exposure = lorenz(np.zeros(2))
    assert documents.tolist() == [0, 0.5, 1]
    assert np.isnan(exposure).all()
    assert [len(part) for part in lorenz(np.array([]))] == [0, 0]


def test_a_thinned_curve_keeps_its_ends_and_the_end_of_the_flat_start() -> None:
    values = np.concatenate([np.zeros(437), np.ones(563)])
    curve = lorenz(values)
    documents, exposure = thinned(*curve, 50)
    assert 50 <= len(documents) <= 51
    assert (documents[0], documents[-1], exposure[-1]) == (0, 1, 1)
    assert documents[exposure == 0].max() == 0.437
    assert [len(part) for part in thinned(*lorenz(values[:20]), 50)] == [21, 21]
