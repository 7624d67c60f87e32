"""The coefficients against the packages, against arithmetic in sight, and against drawing documents one by one."""

import doctest
import math
import warnings

import krippendorff
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as fleiss_of_statsmodels

from fairviz.annotation.agreement import coefficients, overall
from fairviz.annotation.agreement.coefficients import (
    COEFFICIENTS,
    accuracy,
    cohen_kappa,
    resample_coefficients,
    resample_tables,
    tally,
)

TABLES = st.integers(2, 4).flatmap(
    lambda size: st.lists(st.lists(st.integers(0, 9), min_size=size, max_size=size), min_size=size, max_size=size)
)
COUNTS = st.integers(2, 4).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any), min_size=1, max_size=12
    )
)


def values(counts: np.ndarray) -> dict[str, float]:
    sums = tally(counts, np.ones((1, len(counts))))
    return {name: float(of(sums)[0]) for name, of in COEFFICIENTS.items()}


@given(TABLES)
def test_accuracy_and_kappa_are_those_of_scikit_learn_and_statsmodels(cells: list[list[int]]) -> None:
    table = np.array(cells)
    if not table.sum():
        assert math.isnan(accuracy(table))
        assert math.isnan(cohen_kappa(table))
        return
    rows, columns = np.indices(table.shape).reshape(2, -1)
    weights = table.ravel()
    assert accuracy(table) == pytest.approx(accuracy_score(rows, columns, sample_weight=weights))
    expected = (table.sum(axis=0) * table.sum(axis=1)).sum() / table.sum() ** 2
    if expected == 1:  # one label only: chance alone would agree always
        assert math.isnan(cohen_kappa(table))
        return
    assert cohen_kappa(table) == pytest.approx(cohen_kappa_score(rows, columns, sample_weight=weights))
    assert cohen_kappa(table) == pytest.approx(cohens_kappa(table, return_results=False))


@given(COUNTS)
def test_alpha_is_that_of_krippendorff_whatever_the_holes(cells: list[list[int]]) -> None:
    counts = np.array(cells)
    mine = values(counts)["Krippendorff's alpha"]
    pairable = counts[counts.sum(axis=1) >= 2]
    if not len(pairable) or (pairable.sum(axis=0) > 0).sum() < 2:
        assert math.isnan(mine)
    else:
        assert mine == pytest.approx(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"))


@given(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=12))
def test_fleiss_is_that_of_statsmodels_where_votes_are_equally_many(votes: list[list[int]]) -> None:
    counts = np.array([[row.count(label) for label in range(3)] for row in votes])
    mine = values(counts)["Fleiss' kappa"]
    with warnings.catch_warnings():  # statsmodels divides by zero where only one label was given
        warnings.simplefilter("ignore", RuntimeWarning)
        theirs = fleiss_of_statsmodels(counts)
    assert mine == pytest.approx(theirs, nan_ok=True)


@given(COUNTS)
def test_percent_agreement_counts_pairs_of_votes(cells: list[list[int]]) -> None:
    shares = []
    for row in cells:
        votes = [label for label, count in enumerate(row) for _ in range(count)]
        pairs = [(a, b) for place, a in enumerate(votes) for b in votes[place + 1 :]]
        if pairs:
            shares.append(sum(a == b for a, b in pairs) / len(pairs))
    mine = values(np.array(cells))["percent agreement"]
    assert mine == pytest.approx(np.mean(shares) if shares else math.nan, nan_ok=True)


def test_gwet_by_hand_with_holes() -> None:
    """Two say f, f; f, m, m; and one alone m. p_a = (1 + 1/3) / 2 = 2/3. Shares of f 1, 1/3, 0: π = (4/9, 5/9).

    p_e = 2 · (4/9 · 5/9) = 40/81 over L − 1 = 1. AC1 = (54/81 − 40/81) / (41/81) = 14/41. With a third label that
    nobody gave, L − 1 = 2: p_e = 20/81, AC1 = 34/61. Fleiss: p_e = 16/81 + 25/81 = 41/81, (54 − 41)/(81 − 41) = 13/40.
    """
    counts = np.array([[2, 0], [1, 2], [0, 1]])
    assert values(counts)["Gwet's AC1"] == pytest.approx(14 / 41)
    assert values(counts)["Fleiss' kappa"] == pytest.approx(13 / 40)
    assert values(np.c_[counts, [0, 0, 0]])["Gwet's AC1"] == pytest.approx(34 / 61)
    assert math.isnan(values(np.array([[2], [3]]))["Gwet's AC1"])


def test_gwet_stays_high_where_kappa_collapses() -> None:
    """Feinstein and Cicchetti's paradox: 118 of 125 documents alike, almost all of them yes."""
    counts = np.array([[2, 0]] * 118 + [[1, 1]] * 7)
    found = values(counts)
    assert found["percent agreement"] == pytest.approx(118 / 125)
    assert found["Fleiss' kappa"] < 0
    assert found["Gwet's AC1"] > 0.93


def test_a_resample_of_patterns_is_a_resample_of_documents() -> None:
    """Means and spreads of both ways agree; drawing document by document is the slow reference."""
    counts = np.array([[3, 0]] * 30 + [[2, 1]] * 12 + [[0, 3]] * 10 + [[1, 1]] * 5)
    patterns, multiplicity = np.unique(counts, axis=0, return_counts=True)
    fast = resample_coefficients(patterns, multiplicity, 3000, 1)
    generator = np.random.default_rng(2)
    slow = [values(counts[generator.integers(0, len(counts), len(counts))]) for _ in range(1500)]
    for name in COEFFICIENTS:
        drawn = np.array([one[name] for one in slow])
        assert fast[name].mean() == pytest.approx(drawn.mean(), abs=0.01)
        assert fast[name].std() == pytest.approx(drawn.std(), rel=0.1)


def test_resamples_are_the_same_however_many_are_held_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns, multiplicity = np.array([[3, 0], [2, 1], [0, 3]]), np.array([5, 6, 7])
    whole = resample_coefficients(patterns, multiplicity, 50, 0)
    monkeypatch.setattr(coefficients, "_CELLS", 21)
    for name, drawn in resample_coefficients(patterns, multiplicity, 50, 0).items():
        np.testing.assert_allclose(drawn, whole[name], rtol=1e-12, atol=1e-12)


def test_a_resample_of_a_table_keeps_its_documents() -> None:
    table = np.array([[20, 5], [10, 15]])
    drawn = resample_tables(table, 2000, 0)
    assert (drawn.sum(axis=(1, 2)) == 50).all()
    np.testing.assert_allclose(drawn.mean(axis=0), table, atol=0.3)
    assert resample_tables(np.zeros((2, 2), dtype=int)).sum() == 0


def test_an_interval_leaves_out_what_is_undefined() -> None:
    assert coefficients.interval(np.array([0.0, np.nan, 1.0])) == pytest.approx((0.025, 0.975))
    assert all(math.isnan(bound) for bound in coefficients.interval(np.array([np.nan])))


def test_the_examples_of_the_docstrings() -> None:
    result = doctest.testmod(coefficients)
    assert result.attempted >= 3
    assert result.failed == 0


@pytest.mark.parametrize("name", list(COEFFICIENTS))
def test_value_and_interval_are_of_one_function(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"d{place}", who, "fm"[place % 3 == 0]) for place in range(9) for who in "ab"]
    labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label"]).astype("str")
    monkeypatch.setitem(COEFFICIENTS, name, lambda sums: np.full(len(sums.agreement), 0.25))
    row = overall(labels).set_index("coefficient").loc[name]
    assert row[["value", "ci_low", "ci_high"]].tolist() == [0.25, 0.25, 0.25]
