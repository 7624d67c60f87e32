"""Corrected means and sums: by hand, against slow references and ppi-python, and simulated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from fairviz.statistics.corrected import (
    DOUBT,
    SKEW,
    corrected_means,
    corrected_sum,
    draw_fixed,
    expected_error,
    probabilities,
)
from fairviz.statistics.intervals import mean_interval
from tests.conftest import simulated

Array = np.ndarray


def slow_weight(machine: Array, people: Array, every: Array) -> float:
    """λ of the others: covariance over variance, pooled over systems, shrunk by its t over queries."""
    count = machine.shape[1]
    x, y = (values - values.mean(axis=1, keepdims=True) for values in (machine, people))
    squares = max((x**2).sum(), sum(np.var(row, ddof=1) * count for row in every))
    slope = (x * y).sum() / squares if squares > 1e-12 else 0.0
    if count < 3 or slope <= 0:
        return 0.0
    by_query = (x * (y - slope * x)).sum(axis=0)
    variance = (by_query**2).sum() / squares**2 * count / (count - 2)
    return float(np.clip(slope * max(0.0, 1 - DOUBT * variance / slope**2), 0, 1))


def slow(machine: Array, people: Array, is_drawn: Array) -> list[float]:
    """The estimates, query by query, of values that are all defined."""
    drawn, total = np.flatnonzero(is_drawn), len(is_drawn)
    middle = people[:, drawn].mean(axis=1, keepdims=True)
    out = []
    for system in range(len(machine)):
        left = machine[system, ~is_drawn].mean() if not is_drawn.all() else 0.0
        parts = []
        for query in drawn:
            others = drawn[drawn != query]
            weight = slow_weight(machine[:, others] - middle, people[:, others] - middle, machine)
            parts.append(people[system, query] + (1 - len(drawn) / total) * weight * (left - machine[system, query]))
        out.append(float(np.mean(parts)))
    return out


@given(st.integers(0, 10_000), st.integers(2, 10), st.integers(0, 8), st.integers(1, 3), st.floats(0, 2))
def test_means_are_those_of_the_slow_reference(seed: int, count: int, more: int, systems: int, noise: float) -> None:
    chance = np.random.default_rng(seed)
    people = chance.normal(size=(systems, count + more))
    machine = people + noise * chance.normal(size=people.shape)
    is_drawn = chance.permutation(np.arange(people.shape[1]) < count)
    found = corrected_means(machine, people, is_drawn)
    np.testing.assert_allclose(found.values.mean(axis=1), slow(machine, people, is_drawn), atol=1e-9)
    assert 0 <= found.weight <= 1


@pytest.mark.parametrize("others", [False, True])
def test_the_interval_has_the_errors_of_both_parts(others: bool) -> None:
    """Student's t over the values is t with n − 1 degrees of freedom times both parts of the error."""
    chance = np.random.default_rng(5)
    people = chance.normal(size=(2, 30))
    machine = people + chance.normal(size=people.shape)
    found = corrected_means(machine, people, np.arange(30) < 12, others_like_them=others)
    signs = np.array([1.0, -1.0])
    labels, queries = found.errors(signs)
    value, low, high = found.interval(signs)
    gaps, own = found.gaps[0] - found.gaps[1], found.own[0] - found.own[1]
    assert value == pytest.approx(float((found.values[0] - found.values[1]).mean()))
    drawn_part, queries_part = (1 / 12 - 1 / 30) * gaps.var(ddof=1), own.var(ddof=1) / 30
    if others:
        assert (labels, queries) == pytest.approx((np.sqrt(drawn_part), np.sqrt(queries_part)))
        # both parts are estimated from the drawn queries, and the values from all of them
        assert (high - low) / 2 == pytest.approx(t.ppf(0.975, 11) * np.hypot(labels, queries), rel=0.25)
    else:  # twelve drawn queries have fewer than six errors to speak of
        alone = (1 / 12 - 1 / 30) * own.var(ddof=1)
        assert (labels, queries) == pytest.approx((np.sqrt(max(drawn_part, min(drawn_part + queries_part, alone))), 0))
        assert (high - low) / 2 == pytest.approx(t.ppf(0.975, 11) * (1 + SKEW / 12) * labels)


def test_many_errors_are_as_uncertain_as_their_spread() -> None:
    """Ten drawn queries with errors of one size give the error of the gaps, without a floor."""
    chance = np.random.default_rng(5)
    people = chance.normal(size=(1, 80))
    machine = people + 0.8 * np.where(np.arange(80) % 2, 1, -1)
    found = corrected_means(machine, people, np.arange(80) < 20, others_like_them=False)
    labels, _ = found.errors(np.ones(1))
    assert labels == pytest.approx(np.sqrt((1 / 20 - 1 / 80) * found.gaps[0].var(ddof=1)))
    assert labels < np.sqrt((1 / 20 - 1 / 80) * found.own[0].var(ddof=1))


@pytest.mark.parametrize("count", [10, 20, 30])
@pytest.mark.parametrize("wrong", [1, 2, 3])
@simulated(60, 500)
def test_intervals_cover_where_the_machine_is_rarely_wrong(count: int, wrong: int, draws: int) -> None:
    """A machine equal to people but for 1 to 3 of 40 queries; draws of a mean and of a difference.

    Without a floor, .53 to .75 of the intervals cover: most samples have no error of the machine in them.
    """
    chance = np.random.default_rng(8)
    people = np.tanh(chance.normal(-0.2, 0.6, (2, 40)))
    machine = people.copy()
    machine[:, :wrong] = -machine[:, :wrong] + 0.2
    covered, widths = [], []
    for _ in range(draws):
        is_drawn = chance.permutation(40) < count
        found, alone = (
            corrected_means(one, people, is_drawn, others_like_them=False) for one in (machine, np.zeros_like(people))
        )
        for signs in (np.array([1.0, 0.0]), np.array([1.0, -1.0])):
            _, low, high = found.interval(signs)
            covered.append(low - 1e-9 <= float(signs @ people.mean(axis=1)) <= high + 1e-9)
            widths.append([high - low, np.subtract(*alone.interval(signs)[:0:-1])])
    assert np.divide(*np.mean(widths, axis=0)) <= 1.05
    assert np.mean(np.reshape(covered, (-1, 2)), axis=0).min() >= 0.92 - 3 * np.sqrt(0.92 * 0.08 / draws)


def test_degrees_of_freedom_are_of_drawn_queries_with_a_value() -> None:
    """Half of the queries are undefined: t has the degrees of freedom of the others, and none gives no interval."""
    people = np.where(np.arange(40) % 2, np.nan, np.sin(np.arange(40.0)))[None]
    signs, is_drawn = np.ones(1), np.arange(40) < 12
    found = corrected_means(np.zeros((1, 40)), people, is_drawn, others_like_them=False)
    _, low, high = found.interval(signs)
    assert (high - low) / 2 == pytest.approx(t.ppf(0.975, 5) * (1 + SKEW / 6) * found.errors(signs)[0])
    similar = corrected_means(np.zeros((1, 40)), people, is_drawn)
    low, high = mean_interval(similar.values[0])
    gaps = np.concatenate([similar.gaps[0], np.zeros(28)])
    assert (high - low) / 2 == pytest.approx(t.ppf(0.975, 5) * np.sqrt((gaps**2).sum() / 11 / 12), rel=1e-6)
    is_drawn = np.isin(np.arange(40), [0, 1, 3, 5])
    assert np.isnan(corrected_means(people * 0, people, is_drawn).interval(signs)).all()
    assert np.isnan(corrected_means(people * 0, people, is_drawn, others_like_them=False).interval(signs)[1:]).all()


def test_by_hand() -> None:
    """People alone: the mean of the drawn, with the correction for a finite population."""
    people = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 9.0]])
    is_drawn = np.array([True] * 5 + [False])
    alone = corrected_means(np.zeros((1, 6)), people, is_drawn, others_like_them=False)
    assert alone.values.mean() == pytest.approx(3)
    assert alone.errors(np.ones(1)) == pytest.approx((np.sqrt((1 / 5 - 1 / 6) * 2.5), 0.0))
    whole = corrected_means(np.arange(6.0)[None], people, np.ones(6, dtype=bool), others_like_them=False)
    assert whole.values.mean() == pytest.approx(4.0)
    assert whole.errors(np.ones(1)) == pytest.approx((0, 0), abs=1e-9)
    lacking = np.array([[0.5, np.nan, 0.25, 0.75, 1.0, np.nan]])  # undefined queries are left out of both means
    assert corrected_means(lacking, lacking, np.ones(6, dtype=bool)).values.mean() == pytest.approx(0.625)
    assert np.isnan(corrected_means(lacking, lacking, np.arange(6) == 0).values).all()
    assert np.isnan(corrected_means(lacking, np.full((1, 6), np.nan), np.arange(6) < 3).values).all()


def test_values_in_another_unit_are_corrected_alike_where_some_are_undefined() -> None:
    generator = np.random.default_rng(5)
    machine = generator.random((2, 30))
    people = machine + generator.normal(0, 0.2, (2, 30))
    machine[:, ::5] = people[:, ::7] = np.nan
    one, ten = (corrected_means(unit * machine, unit * people, np.arange(30) % 2 == 0) for unit in (1, 10))
    np.testing.assert_allclose(ten.values, 10 * one.values, rtol=1e-9)
    assert 0 < one.weight < 1


def test_means_are_those_of_ppi_python() -> None:
    """Theirs trusts the machine for the queries not drawn, ours for all queries, of which the drawn are a part."""
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    chance = np.random.default_rng(2)
    people = chance.normal(size=(1, 400))
    machine = people + 0.3 * chance.normal(size=people.shape)
    found = corrected_means(machine, people, np.arange(400) < 100)
    parts, weight = (people[0, :100], machine[0, :100], machine[0, 100:]), found.weight * (1 - 100 / 400)
    assert found.values.mean() == pytest.approx(float(np.squeeze(ppi_mean_pointestimate(*parts, lam=weight))), abs=1e-3)
    low, high = mean_interval(found.values[0])
    their_low, their_high = (float(np.squeeze(end)) for end in ppi_mean_ci(*parts, alpha=0.05, lam=weight))
    assert high - low == pytest.approx(their_high - their_low, rel=0.05)


def room(draws: int) -> float:
    """How far the share of intervals that cover may be from .95."""
    return 3.5 * np.sqrt(0.95 * 0.05 / draws)


POPULATION = float(
    np.polynomial.hermite_e.hermegauss(80)[1]
    @ np.tanh(-0.2 + 0.6 * np.polynomial.hermite_e.hermegauss(80)[0])
    / np.sqrt(2 * np.pi)
)


@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("noise", [0.0, 0.3, 50.0])
@simulated(100, 1000)
def test_means_have_no_bias_and_their_intervals_cover(noise: float, others: bool, draws: int) -> None:
    """Perfect, fair and useless machines, biased by 0.2; 20 of 40 queries."""
    chance = np.random.default_rng(1)
    people = np.tanh(chance.normal(-0.2, 0.6, (1, 40)))
    values, covered, target = [], [], float(people.mean())
    for _ in range(draws):
        if others:
            people, target = np.tanh(chance.normal(-0.2, 0.6, (1, 40))), POPULATION
        machine = people + 0.2 + noise * chance.normal(size=(1, 40))
        found = corrected_means(machine, people, chance.permutation(40) < 20, others_like_them=others)
        value, low, high = found.interval(np.ones(1))
        values.append(value - target)
        covered.append(low - 1e-9 <= target <= high + 1e-9)
    assert abs(np.mean(values)) <= 3.5 * np.std(values) / np.sqrt(draws) + 1e-9
    assert np.mean(covered) >= 0.95 - room(draws)
    assert np.mean(covered) <= 0.96 + room(draws) or (noise < 1 and not others)


def test_a_machine_with_outliers_is_not_trusted_for_them() -> None:
    """Few drawn queries without the machine's outliers must not make it trusted: the variance over all counts."""
    chance = np.random.default_rng(3)
    people = chance.normal(0.1, 0.05, (1, 100))
    machine = people + 0.0
    machine[0, ::10] += 1.0
    widths = [
        [corrected_means(one, people, chance.permutation(100) < 10, others_like_them=False).errors(np.ones(1))[0]
         for _ in range(200)]
        for one in (machine, np.zeros((1, 100)))
    ]  # fmt: skip
    assert np.mean(widths[0]) <= 1.05 * np.mean(widths[1])


# --- sums over drawn documents -------------------------------------------------------------------------------------


def slow_sum(c: Array, f: Array, h: Array, chance: Array, is_drawn: Array) -> float:
    """The corrected sum, document by document."""
    value, drawn = 0.0, [d for d in np.flatnonzero(is_drawn) if chance[d] < 1]
    weights = {d: slow_ratio([other for other in drawn if other != d], c, f, h, chance) for d in drawn}
    for d in range(len(c)):
        if chance[d] >= 1:
            value += c[d] * h[d]
        elif d in weights:
            value += weights[d] * c[d] * f[d] + c[d] * (h[d] - weights[d] * f[d]) / chance[d]
        else:
            value += float(np.mean(list(weights.values()))) * c[d] * f[d]
    return value


def slow_ratio(places: list[int], c: Array, f: Array, h: Array, chance: Array) -> float:
    if len(places) < 3:
        return 0.0
    left = np.array([1 - chance[d] for d in places])
    x = np.array([c[d] * f[d] / chance[d] for d in places])
    y = np.array([c[d] * h[d] / chance[d] for d in places])
    x, y = x - np.average(x, weights=left), y - np.average(y, weights=left)
    xx, xy, yy = (left @ (one * other) for one, other in ((x, x), (x, y), (y, y)))
    if xx <= 1e-12 or xy <= 0:
        return 0.0
    slope = xy / xx
    rest = max(yy - slope * xy, 0) / (len(places) - 2)
    return float(np.clip(slope * max(0.0, 1 - DOUBT * rest / (slope * xy)), 0, 1))


@given(st.integers(0, 10_000), st.integers(8, 30), st.integers(2, 8))
def test_sums_are_those_of_the_slow_reference(seed: int, size: int, count: int) -> None:
    generator = np.random.default_rng(seed)
    c = generator.random(size) * generator.choice([-1, 1], size)
    h, f = generator.integers(-1, 2, size).astype(float), generator.integers(-1, 2, size).astype(float)
    chance = probabilities(c, np.ones(size), count)
    is_drawn = draw_fixed(chance, seed)
    found = corrected_sum(c, f, np.where(is_drawn, h, np.nan), chance, is_drawn)
    if np.isfinite(found.value):
        assert found.value == pytest.approx(slow_sum(c, f, h, chance, is_drawn), abs=1e-9)
        assert found.low <= found.high


def test_a_sum_by_hand() -> None:
    """Two certain documents and none left: their sum, with nothing uncertain. λ is 0 for two drawn."""
    ones = np.ones(2)
    whole = corrected_sum(np.array([0.25, 0.75]), ones, np.array([0.0, 1.0]), ones, np.array([True, True]))
    assert (whole.value, whole.low, whole.high) == (0.75, 0.75, 0.75)
    people = np.array([1.0, 0, np.nan, np.nan])
    half = corrected_sum(np.full(4, 0.25), np.ones(4), people, np.full(4, 0.5), np.arange(4) < 2)
    assert (half.value, half.weight) == pytest.approx((0.5, 0))


def test_an_interval_of_a_sum_stays_open_where_the_machine_was_never_wrong() -> None:
    """A hundred of a thousand documents without an error leave room for errors in the others."""
    f = np.tile([0.0, 1.0], 500)
    is_drawn = draw_fixed(np.full(1000, 0.1), 1)
    found = corrected_sum(np.full(1000, 1e-3), f, f, np.full(1000, 0.1), is_drawn)
    assert found.value == pytest.approx(0.5)
    assert found.error == pytest.approx(0, abs=1e-9)
    assert 0.005 < found.high - found.low < 0.08


@pytest.mark.parametrize("kind", ["fair", "noise", "rare"])
@simulated(100, 1000)
def test_sums_have_no_bias_and_their_intervals_cover(kind: str, draws: int) -> None:
    """100 of 300 documents in proportion to a skewed attention."""
    chance = np.random.default_rng(4)
    c = chance.exponential(size=300) / 300
    h = (chance.random(300) < (0.06 if kind == "rare" else 0.6)).astype(float)
    f = np.where(chance.random(300) < 0.15, 1 - h, h) if kind != "noise" else chance.permutation(h)
    likely = probabilities(c, np.ones(300), 100)
    truth = float(c @ h)
    found = [corrected_sum(c, f, h, likely, draw_fixed(likely, seed)) for seed in range(draws)]
    values = np.array([one.value for one in found])
    assert abs(values.mean() - truth) <= 3.5 * values.std() / np.sqrt(draws)
    covered = np.mean([one.low <= truth <= one.high for one in found])
    assert 0.95 - room(draws) <= covered <= 0.96 + room(draws)


# --- designs -------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(1, 70))
def test_probabilities_sum_to_the_budget_and_favour_weight(seed: int, size: int, budget: int) -> None:
    generator = np.random.default_rng(seed)
    weights, doubt = generator.exponential(size=size) ** 3, generator.random(size)
    found = probabilities(weights, doubt, budget)
    assert found.sum() == pytest.approx(min(budget, size))
    assert ((found > 0) & (found <= 1)).all()
    order = np.argsort(weights * doubt)
    assert (np.diff(found[order]) >= -1e-12).all()


@simulated(500, 4000)
def test_a_draw_has_its_size_and_its_probabilities(draws: int) -> None:
    chance = probabilities(np.arange(1.0, 21), np.ones(20), 7)
    found = np.array([draw_fixed(chance, seed) for seed in range(draws)])
    assert (found.sum(axis=1) == 7).all()
    error = np.sqrt(np.maximum(chance * (1 - chance), 1e-12) / draws)
    assert (np.abs(found.mean(axis=0) - chance) <= 4.5 * error).all()
    assert (draw_fixed(chance, 3) == draw_fixed(chance, 3)).all()


@simulated(500, 3000)
def test_the_expected_error_is_that_of_draws(draws: int) -> None:
    generator = np.random.default_rng(6)
    values = generator.normal(size=200)
    chance = probabilities(generator.exponential(size=200), np.ones(200), 60)
    sums = [(values / chance)[draw_fixed(chance, seed)].sum() for seed in range(draws)]
    assert expected_error(values, chance) == pytest.approx(np.std(sums), rel=0.1)
    assert expected_error(values, np.ones(200)) == 0
