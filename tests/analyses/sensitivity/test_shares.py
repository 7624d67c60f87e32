"""Shares of variance: worked by hand, against a brute force over the full grid, and their sum."""

from itertools import combinations, permutations, product
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.analyses.sensitivity.result import Part, shares_of

Array = np.ndarray


def part(values: Array, names: str) -> Part:
    """One measure's values as an array with an axis a choice."""
    codes = dict(zip(names, np.indices(values.shape).reshape(values.ndim, -1), strict=True))
    return Part(values.ravel().astype(float), codes)


def sizes(**found: int) -> dict[str, int]:
    return found


def test_two_by_two_by_two_by_hand() -> None:
    """y = 2a + b + ab·c's sign, with a, b, c of -1 or 1: variances 4 of a, 1 of b, and 1 of a, b and c together."""
    sign = np.array([-1.0, 1.0])
    a, b, c = np.meshgrid(sign, sign, sign, indexing="ij")
    found = shares_of([part(2 * a + b + a * b * c, "abc")], sizes(a=2, b=2, c=2))
    assert found.variance == pytest.approx(6, abs=1e-12)
    assert found.alone == pytest.approx({"a": 4 / 6, "b": 1 / 6, "c": 0}, abs=1e-12)
    assert found.together == pytest.approx(1 / 6, abs=1e-12)
    assert found.totals == pytest.approx({"a": 5 / 6, "b": 2 / 6, "c": 1 / 6}, abs=1e-12)
    assert found.full


def test_a_choice_that_one_of_two_measures_does_not_read_by_hand() -> None:
    """The first measure is 1 or 3 by t, the second 6 whatever t: over the grid 1, 3, 6, 6, mean 4, variance 4.5.
    The measures' means are 2 and 6: variance 4. t's means are 3.5 and 4.5: variance 0.25. 0.25 is left."""
    found = shares_of([part(np.array([1.0, 3.0]), "t"), Part(np.array([6.0]), {})], sizes(t=2))
    assert found.variance == pytest.approx(4.5, abs=1e-12)
    assert found.alone == pytest.approx({"measure": 4 / 4.5, "t": 0.25 / 4.5}, abs=1e-12)
    assert found.together == pytest.approx(0.25 / 4.5, abs=1e-12)
    assert found.totals == pytest.approx({"measure": 4.25 / 4.5, "t": 0.5 / 4.5}, abs=1e-12)


def brute(values: Array) -> tuple[list[float], list[float]]:
    """Sobol's first-order and total indices of a full grid, from conditional means."""
    whole = values.var()
    axes = range(values.ndim)
    first = [values.mean(axis=tuple(o for o in axes if o != one)).var() / whole for one in axes]
    return first, [values.var(axis=one).mean() / whole for one in axes]


@given(st.integers(0, 10_000), st.lists(st.integers(2, 4), min_size=1, max_size=4))
def test_a_full_grid_against_a_brute_force(seed: int, shape: list[int]) -> None:
    values = np.random.default_rng(seed).normal(size=shape)
    names = "abcd"[: len(shape)]
    found = shares_of([part(values, names)], dict(zip(names, shape, strict=True)))
    first, totals = brute(values)
    assert [*found.alone.values()] == pytest.approx(first, abs=1e-9)
    assert [*found.totals.values()] == pytest.approx(totals, abs=1e-9)
    assert sum(found.alone.values()) + found.together == pytest.approx(1, abs=1e-12)
    assert found.together > -1e-12


def test_several_measures_against_the_grid_with_every_choice_in_all_of_them() -> None:
    generator = np.random.default_rng(3)
    shapes = {"ab": (2, 3), "bc": (3, 4), "c": (4,)}
    parts = {names: generator.normal(size=shape) for names, shape in shapes.items()}
    full = np.empty((3, 2, 3, 4))
    full[0], full[1], full[2] = parts["ab"][:, :, None], parts["bc"][None], parts["c"]
    found = shares_of([part(values, names) for names, values in parts.items()], sizes(a=2, b=3, c=4))
    first, totals = brute(full)
    assert [*found.alone.items()] == [
        (name, pytest.approx(one)) for name, one in zip(("measure", *"abc"), first, strict=True)
    ]
    assert [*found.totals.values()] == pytest.approx(totals)
    assert sum(found.alone.values()) + found.together == pytest.approx(1, abs=1e-12)


def explained(codes: Array, values: Array, chosen: tuple[int, ...]) -> float:
    columns = [np.ones(len(values))] + [codes[one] == level for one in chosen for level in np.unique(codes[one])]
    design = np.stack(columns, axis=1).astype(float)
    fitted = design @ np.linalg.lstsq(design, values, rcond=None)[0]
    return 1 - ((values - fitted) ** 2).sum() / ((values - values.mean()) ** 2).sum()


def test_a_grid_with_holes_against_every_order_of_the_choices() -> None:
    values = np.random.default_rng(5).normal(size=(2, 3, 2)) + np.array([0.0, 4.0])
    values[0, 1, 1] = values[1, 2, 0] = values[0, 0, 0] = np.nan
    found = shares_of([part(values, "abc")], sizes(a=2, b=3, c=2))
    seen = ~np.isnan(values.ravel())
    codes, kept = np.indices(values.shape).reshape(3, -1)[:, seen], values.ravel()[seen]
    gains = np.zeros(3)
    for order in permutations(range(3)):
        for place, one in enumerate(order):
            gains[one] += explained(codes, kept, order[: place + 1]) - explained(codes, kept, order[:place])
    assert [*found.alone.values()] == pytest.approx(gains / factorial(3), abs=1e-9)
    assert found.together == pytest.approx(1 - explained(codes, kept, (0, 1, 2)), abs=1e-9)
    assert not found.full
    assert found.totals == {}


@given(st.integers(0, 10_000))
def test_shares_sum_to_one_and_are_not_negative_with_holes(seed: int) -> None:
    generator = np.random.default_rng(seed)
    one, other = generator.normal(size=(2, 3, 2)), generator.normal(size=(3, 2))
    for values in (one, other):
        values[generator.random(values.shape) < 0.3] = np.nan
    found = shares_of([part(one, "abc"), part(other, "bc")], sizes(a=2, b=3, c=2))
    if found.alone:
        assert sum(found.alone.values()) + found.together == pytest.approx(1, abs=1e-12)
        assert min(found.together, *found.alone.values()) > -1e-9


def test_nothing_varies_and_nothing_is_defined() -> None:
    for values in (np.full((2, 2), 0.25), np.full((2, 2), np.nan), np.array([[0.1 + 0.2, 0.3], [0.3, 0.3]])):
        found = shares_of([part(values, "ab")], sizes(a=2, b=2))
        assert (found.alone, found.together, found.variance) == ({}, 0.0, 0.0)


def test_there_are_as_many_orders_as_are_averaged() -> None:
    """The weights of Shapley's value over all subsets sum to 1 for each choice."""
    several = range(4)
    weights = [factorial(len(c)) * factorial(3 - len(c)) / factorial(4)
               for n in range(4) for c in combinations(several, n) if 0 not in c]  # fmt: skip
    assert sum(weights) == pytest.approx(1)
    assert len(list(product(*[range(2)] * 3))) == len(weights)
