"""Corrected means: by hand, against a slow reference that deletes queries one by one, and simulated."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.statistics.corrected import DOUBT, corrected_mean

Array = np.ndarray


def slow_weight(x: Array, y: Array) -> float:
    """λ of the other queries: the slope by least squares, shrunk by its t."""
    if len(x) < 3 or np.ptp(x) == 0:
        return 0.0
    slope = np.cov(x, y)[0, 1] / np.var(x, ddof=1)
    rest = y - y.mean() - slope * (x - x.mean())
    variance = (rest @ rest) / (len(x) - 2) / ((len(x) - 1) * np.var(x, ddof=1))
    return float(np.clip(slope * max(0.0, 1 - DOUBT * variance / slope**2), 0, 1)) if slope > 0 else 0.0


def slow(machine: Array, people: Array, is_drawn: Array) -> tuple[float, float]:
    """The estimate and its standard error, query by query."""
    drawn, total = np.flatnonzero(is_drawn), len(is_drawn)
    left = machine[~is_drawn].mean() if not is_drawn.all() else 0.0
    parts, without = [], []
    for query in drawn:
        others = drawn[drawn != query]
        weight = slow_weight(machine[others], people[others])
        parts.append(people[query] + (1 - len(drawn) / total) * weight * (left - machine[query]))
        without.append(people[others].mean() + weight * (machine.mean() - machine[others].mean()))
    count = len(drawn)
    spread = (count - 1) / count * ((np.array(without) - np.mean(without)) ** 2).sum()
    return float(np.mean(parts)), float(np.sqrt((1 - count / total) * spread))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(0, 8), st.floats(0, 2))
def test_the_estimate_is_that_of_the_slow_reference(seed: int, count: int, more: int, noise: float) -> None:
    chance = np.random.default_rng(seed)
    people = chance.normal(size=count + more)
    machine = people + noise * chance.normal(size=len(people))
    is_drawn = chance.permutation(np.arange(len(people)) < count)
    found = corrected_mean(machine, people, is_drawn)
    value, error = slow(machine, people, is_drawn)
    assert found.value == pytest.approx(value, abs=1e-9)
    assert found.labels == pytest.approx(error, abs=1e-9)
    assert 0 <= found.weight <= 1


def test_by_hand() -> None:
    """Five drawn of six, f = h: λ is 1, the sixth value is the machine's, and nothing is uncertain."""
    people = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 9.0])
    is_drawn = np.array([True] * 5 + [False])
    found = corrected_mean(people, np.where(is_drawn, people, np.nan), is_drawn)
    assert (found.value, found.weight) == pytest.approx((4.0, 1.0))
    assert found.labels == pytest.approx(0, abs=1e-9)
    alone = corrected_mean(np.zeros(6), people, is_drawn)
    assert alone.value == pytest.approx(3)
    assert alone.labels == pytest.approx(np.sqrt((1 - 5 / 6) * 2.5 / 5))
    whole = corrected_mean(np.arange(6.0), people, np.ones(6, dtype=bool))
    assert (whole.value, whole.labels) == pytest.approx((4.0, 0.0))


def test_undefined_queries_are_left_out_of_both_means() -> None:
    people = np.array([0.5, np.nan, 0.25, 0.75, 1.0, np.nan])
    found = corrected_mean(people, people, np.ones(6, dtype=bool))
    assert found.value == pytest.approx(np.nanmean(people))
    assert np.isnan(corrected_mean(people, people, np.arange(6) == 0).value)
    assert np.isnan(corrected_mean(people, np.full(6, np.nan), np.arange(6) < 3).value)


@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("noise", [0.0, 0.3, 50.0])
def test_it_has_no_bias_and_its_interval_covers(noise: float, others: bool) -> None:
    """Perfect, fair and useless machines, biased by 0.2; 20 of 40 queries; 1,000 draws."""
    chance = np.random.default_rng(1)
    people = np.tanh(chance.normal(-0.2, 0.6, 40))
    values, covered, target = [], [], float(people.mean())
    for _ in range(1000):
        if others:
            people, target = np.tanh(chance.normal(-0.2, 0.6, 40)), POPULATION
        machine = people + 0.2 + noise * chance.normal(size=40)
        found = corrected_mean(machine, people, chance.permutation(40) < 20, others_like_them=others)
        values.append(found.value - target)
        covered.append(found.low - 1e-9 <= target <= found.high + 1e-9)
    assert abs(np.mean(values)) <= 3.5 * np.std(values) / np.sqrt(1000) + 1e-9
    assert np.mean(covered) >= 0.925
    assert np.mean(covered) <= 0.975 or (noise == 0 and not others)


POPULATION = float(np.tanh(np.random.default_rng(0).normal(-0.2, 0.6, 4_000_000)).mean())


def test_a_perfect_machine_knows_which_queries_are_undefined() -> None:
    """Even if no drawn query is one of them."""
    people = np.append(np.random.default_rng(4).normal(size=39), np.nan)
    found = corrected_mean(people, people, np.arange(40) < 20)
    assert found.value == pytest.approx(np.nanmean(people))
    assert found.labels == pytest.approx(0, abs=1e-9)
