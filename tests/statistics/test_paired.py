"""Paired tests against scipy and statsmodels on the same vectors, and where these say nothing."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from fairviz.errors import FairvizError
from fairviz.statistics.paired import (
    corrected,
    leaning,
    monte_carlo_error,
    p_values,
    randomisation,
    wilcoxon,
)

GENERATOR = np.random.default_rng(7)
OURS, THEIRS = GENERATOR.normal(0.1, 1, (3, 40)), GENERATOR.normal(0, 1, (3, 40))
OURS[1, :5] = np.nan


def test_wilcoxon_is_scipys() -> None:
    apart = OURS - THEIRS
    expected = [stats.wilcoxon(row[~np.isnan(row)], method="exact").pvalue for row in apart]
    assert wilcoxon(apart) == pytest.approx(np.array(expected), rel=1e-12)
    below = [stats.wilcoxon(row[~np.isnan(row)], method="exact", alternative="less").pvalue for row in apart]
    assert wilcoxon(apart, less=True) == pytest.approx(np.array(below), rel=1e-12)
    assert wilcoxon(np.zeros((1, 4)))[0] == 1
    assert np.isnan(wilcoxon(np.array([[0.3, np.nan]]))[0])
    many = GENERATOR.normal(0.2, 1, 51)
    assert wilcoxon(many[None])[0] == stats.wilcoxon(many, method="asymptotic").pvalue
    assert wilcoxon(many[None, :50])[0] == pytest.approx(stats.wilcoxon(many[:50], method="exact").pvalue, rel=1e-12)


def every_sign(row: list[float]) -> float:
    """p by all assignments of signs: how many have a sum of positive ranks as far from the middle as the row's."""
    row = [round(value, 10) for value in row]
    sizes = [abs(value) for value in row if value]
    ranks = [sum(other < size for other in sizes) + (sum(other == size for other in sizes) + 1) / 2 for size in sizes]
    middle = sum(ranks) / 2
    own = sum(rank for rank, value in zip(ranks, [value for value in row if value], strict=True) if value > 0)
    sums = [sum(np.compress(signs, ranks)) for signs in product((0, 1), repeat=len(ranks))]
    return sum(abs(value - middle) >= abs(own - middle) - 1e-9 for value in sums) / len(sums)


@given(st.lists(st.sampled_from([-0.3, -0.2, -0.1, 0.0, 0.1, 0.3, 0.25, 0.7]), min_size=2, max_size=12))
def test_wilcoxon_counts_every_assignment_of_signs(row: list[float]) -> None:
    noisy = np.array(row) + 1e-13 * np.arange(len(row))
    assert wilcoxon(noisy[None])[0] == pytest.approx(every_sign(row), rel=1e-9)


def test_the_seed_reaches_the_randomisation_test_and_its_error_is_known() -> None:
    apart = (OURS - THEIRS)[:1]
    first, second = (p_values(apart, "randomisation", 999, seed)[0] for seed in (0, 1))
    assert first != second
    assert p_values(apart, "randomisation", 999, 1)[0] == second == randomisation(apart, 999, 1)[0]
    assert monte_carlo_error(np.array([0.5, 0.0, 0.1]), 900) == pytest.approx([0.5 / 30, 0.0, 0.01])


def test_randomisation_counts_every_assignment_of_signs() -> None:
    # means of ±1 ±2 ±4: only +++ and --- reach |7|
    for row in ([1.0, 2.0, 4.0], [1.0, np.nan, 2.0, 4.0]):
        assert randomisation(np.array([row]))[0] == 0.25
    assert randomisation(np.zeros((1, 5)))[0] == 1


def test_randomisation_of_many_rows_is_that_of_scipy() -> None:
    """Forty queries, one of them undefined in one row: both draw 9,999 signs, so that they agree within their error."""
    apart = OURS - THEIRS
    expected = [
        stats.permutation_test((row[~np.isnan(row)],), np.mean, permutation_type="samples", rng=1).pvalue
        for row in apart
    ]
    assert randomisation(apart) == pytest.approx(np.array(expected), abs=0.015)
    assert randomisation(apart[1:2])[0] == randomisation(apart)[1]


def test_corrections_are_statsmodels_and_leave_out_who_has_no_p() -> None:
    p = [0.001, 0.2, 0.03, 0.04, 0.03, 0.0, 1.0]
    for name, method in {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh", "by": "fdr_by"}.items():
        assert corrected(p, name) == pytest.approx(multipletests(p, method=method)[1]), name
    with pytest.raises(FairvizError, match="correction is 'fdr'"):
        corrected(p, "fdr")
    # sorted 0.01, 0.02, 0.04: times 3, 2, 1, never falling
    assert corrected([0.04, 0.01, np.nan, 0.02]) == pytest.approx([0.04, 0.03, np.nan, 0.04], nan_ok=True)
    assert corrected([0.04, np.nan], "none") == pytest.approx([0.04, np.nan], nan_ok=True)
    assert np.isnan(corrected([np.nan])).all()


def test_which_way_signed_ranks_point() -> None:
    """Three small wins and a great loss: the mean is below 0, the sum of the signed ranks above."""
    row = np.array([[0.1, 0.2, 0.3, -5.0], [np.nan, 0.0, 0.1, -0.1], [np.nan] * 4])
    assert leaning(row).tolist() == [1, 0, 0]  # ranks 1 + 2 + 3 against 4
    assert leaning(np.array([[0.3 - 0.2, -0.1, 1e-11]]))[0] == 0, "equal but for rounding"
