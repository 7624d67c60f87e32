"""Differences and sums of two systems, against scipy on the queries that both have."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairviz.statistics.contrasts import (
    Estimates,
    Pair,
    contrasts,
    differences,
    folded,
    folded_interval,
    is_equal,
    masks_of,
    sign_of,
)
from fairviz.statistics.references import drawn_shares, share_of, signs, t_squared

GENERATOR = np.random.default_rng(5)
VALUES = np.exp(GENERATOR.normal(0.1, 0.5, (4, 30)))
VALUES[0, :4] = np.nan
VALUES[2, 10:13] = np.nan
X = GENERATOR.normal(size=30)
X[20] = np.nan
PAIRS = [Pair(0, 1), Pair(0, 1, 1), Pair(1, 2), Pair(2, 0), Pair(3, 1), Pair(1, 3)]


def both(first: int, second: int) -> tuple[np.ndarray, np.ndarray]:
    kept = ~np.isnan(VALUES[first] + VALUES[second])
    return VALUES[first, kept], VALUES[second, kept]


def test_means_are_scipys_paired_t() -> None:
    held = contrasts(Estimates(VALUES), PAIRS)
    for place, (first, second, sign) in enumerate(PAIRS):
        ours, theirs = both(first, second)
        known = stats.ttest_1samp(ours + sign * theirs, 0)
        assert held.t[place] == pytest.approx(abs(known.statistic))
        assert held.value[place] == pytest.approx((ours + sign * theirs).mean())
        assert (held.queries[place], held.freedom[place]) == (len(ours), known.df)
        assert (held.first[place], held.second[place]) == pytest.approx((ours.mean(), theirs.mean()))
    assert held.value[5] == -held.value[4]


def test_logarithms_of_means_are_linear_in_each_query() -> None:
    held = contrasts(Estimates(VALUES, logarithm=True), PAIRS)
    for place, (first, second, sign) in enumerate(PAIRS):
        ours, theirs = both(first, second)
        linear = np.log(ours.mean()) + (ours - ours.mean()) / ours.mean()
        other = np.log(theirs.mean()) + (theirs - theirs.mean()) / theirs.mean()
        assert held.value[place] == pytest.approx(np.log(ours.mean()) + sign * np.log(theirs.mean()))
        assert held.error[place] == pytest.approx(stats.sem(linear + sign * other))


def test_slopes_are_scipys_least_squares() -> None:
    held = contrasts(Estimates(VALUES, X), PAIRS)
    for place, (first, second, sign) in enumerate(PAIRS):
        kept = ~np.isnan(VALUES[first] + VALUES[second] + X)
        line = stats.linregress(X[kept], VALUES[first, kept] + sign * VALUES[second, kept])
        assert (held.value[place], held.error[place]) == pytest.approx((line.slope, line.stderr))
        assert held.freedom[place] == kept.sum() - 2


def test_what_each_query_contributes_has_the_contrast_for_its_mean() -> None:
    for logarithm in (False, True):
        estimates = Estimates(VALUES, logarithm=logarithm)
        found = differences(estimates, PAIRS)
        assert np.nanmean(found, axis=1) == pytest.approx(contrasts(estimates, PAIRS).value)
        assert np.isnan(found[0, :4]).all()
        assert (~np.isnan(found)).sum(axis=1).tolist() == [26, 26, 27, 23, 30, 30]


@pytest.mark.filterwarnings("error")
def test_what_cannot_be_tested() -> None:
    """Nothing in common, one query, no mean above 0 for a logarithm, one x for a slope, and the same everywhere."""
    values = np.array([[1.0, 2.0, np.nan, np.nan], [np.nan, np.nan, 1.0, 2.0], [np.nan, 1.0, np.nan, 1.0]])
    held = contrasts(Estimates(values), [Pair(0, 1), Pair(0, 2), Pair(1, 2)])
    assert held.queries.tolist() == [0, 1, 1]
    assert held.known.tolist() == [False, False, False]
    assert np.isnan(held.error).all()
    rows = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [2.0, 3.0, 4.0]])
    assert contrasts(Estimates(rows, logarithm=True), [Pair(0, 1), Pair(1, 2)]).known.tolist() == [False, True]
    assert contrasts(Estimates(rows, np.ones(3)), [Pair(0, 1)]).known.tolist() == [False]
    same = contrasts(Estimates(rows), [Pair(1, 2), Pair(1, 0), Pair(1, 1)])
    assert same.flat.tolist() == [True, False, True]
    assert np.isnan(same.t).tolist() == [True, False, True]


def drawn(estimates: Estimates, pairs: list[Pair], table: np.ndarray) -> dict[int, np.ndarray]:
    """|t|² of each contrast under the signs."""
    freedom = contrasts(estimates, pairs).freedom
    parts = drawn_shares(masks_of(estimates, pairs), table, np.zeros(len(pairs), dtype=np.int64))
    found: dict[int, list[np.ndarray]] = {}
    for places, _, roots in parts:
        for place, row in zip(places.tolist(), roots, strict=True):
            found.setdefault(place, []).append(t_squared(row**2, freedom[place]))
    return {place: np.concatenate(rows) for place, rows in found.items()}


def test_a_share_and_its_t_are_inverse() -> None:
    shares, freedom = np.array([0.0, 0.2, 0.999, np.nan]), np.array([1.0, 8.0, 39.0, 5.0])
    np.testing.assert_allclose(share_of(t_squared(shares, freedom), freedom), shares, rtol=1e-12)


def test_draws_are_the_t_of_signed_centred_values() -> None:
    """As scipy computes it, for each pair on the queries that it has."""
    table = signs(30, 50, seed=3)
    found = drawn(Estimates(VALUES), PAIRS, table)
    assert sorted(found) == list(range(len(PAIRS)))
    for place, (first, second, sign) in enumerate(PAIRS):
        apart = VALUES[first] + sign * VALUES[second]
        kept = ~np.isnan(apart)
        centred = apart[kept] - apart[kept].mean()
        expected = stats.ttest_1samp(table[:, kept] * centred, 0, axis=1).statistic
        np.testing.assert_allclose(found[place], expected**2, rtol=1e-9, atol=1e-12)


def test_draws_of_slopes_are_the_t_of_signed_residuals() -> None:
    table = signs(30, 20, seed=3)
    found = drawn(Estimates(VALUES, X), PAIRS[:1], table)
    kept = ~np.isnan(VALUES[0] + VALUES[1] + X)
    apart = (VALUES[0] - VALUES[1])[kept]
    line = stats.linregress(X[kept], apart)
    residuals = apart - line.intercept - line.slope * X[kept]
    for squared, row in zip(found[0], table[:, kept], strict=True):
        again = stats.linregress(X[kept], row * residuals)
        assert squared == pytest.approx((again.slope / again.stderr) ** 2)


def test_equal_up_to_rounding_and_the_signs_of_the_rest() -> None:
    values = np.array([0.1 + 0.2 - 0.3, -1e-9, 1e-9, np.nan, np.inf])
    assert is_equal(values).tolist() == [True, False, False, False, False]
    assert is_equal(1 - 2e-16, 1)
    assert is_equal(np.inf, np.inf)
    np.testing.assert_array_equal(sign_of(values), [0, -1, 1, np.nan, 1])


NUMBER = st.floats(-5, 5).map(lambda number: round(number, 3))


@pytest.mark.parametrize(
    ("a", "b", "difference"),
    [(0.1, -0.1, 0.0), (3, 1, 2), (-3, 1, 2), (1, -3, -2), (0, 2, -2), (0, 0, 0), (-2, -5, -3)],
)
def test_the_difference_of_distances_by_hand(a: float, b: float, difference: float) -> None:
    assert folded(np.array(a - b), np.array(a + b)) == pytest.approx(difference)


@given(NUMBER, NUMBER)
def test_it_is_the_difference_of_absolute_values(a: float, b: float) -> None:
    assert folded(np.array(a - b), np.array(a + b)) == pytest.approx(abs(a) - abs(b), abs=1e-12)


@pytest.mark.parametrize(
    ("u", "v", "low", "high"),
    [
        ((1, 2), (3, 4), 1, 2),  # both positive: a is farther by u
        ((1, 5), (3, 4), 1, 4),
        ((-2, -1), (3, 4), -2, -1),
        ((-2, -1), (-4, -3), 1, 2),
        ((-1, 2), (3, 4), -1, 2),
        ((1, 2), (-3, 4), -2, 2),
        ((-1, 1), (-1, 1), -1, 1),
    ],
)
def test_intervals_by_hand(u: tuple, v: tuple, low: float, high: float) -> None:
    found = folded_interval(tuple(map(np.array, u)), tuple(map(np.array, v)))
    assert tuple(map(float, found)) == (low, high)


@given(NUMBER, NUMBER, st.floats(0, 3), st.floats(0, 3))
def test_an_interval_is_the_range_over_its_rectangle(u: float, v: float, width: float, height: float) -> None:
    """A grid of the rectangle, with the axes in it, finds the same ends."""
    across = np.unique(np.r_[np.linspace(u, u + width, 21), np.clip(0.0, u, u + width)])
    along = np.unique(np.r_[np.linspace(v, v + height, 21), np.clip(0.0, v, v + height)])
    inside = folded(*np.meshgrid(across, along))
    ends = (np.array([u]), np.array([u + width])), (np.array([v]), np.array([v + height]))
    low, high = folded_interval(*ends)
    assert (low[0], high[0]) == pytest.approx((inside.min(), inside.max()))
