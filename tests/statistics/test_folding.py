"""Differences of distances by way of the difference and the sum of two estimates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.statistics.contrasts import folded, folded_interval

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
