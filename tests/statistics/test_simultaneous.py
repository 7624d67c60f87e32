"""Families of paired differences by single-step maxT and other methods: against a slow reference written from the
formulas, draw for draw, against scipy and statsmodels, and by hand."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import bootstrap
from statsmodels.stats.power import TTestPower

from benchmarks.error_rates import cell, intervals
from benchmarks.mean_intervals import bootstraps, coverage
from benchmarks.simulated import SHAPES
from fairviz.errors import UsageError
from fairviz.statistics import contrasts as contrast_module
from fairviz.statistics import families, references, simultaneous
from fairviz.statistics.contrasts import (
    Block,
    Estimates,
    Mixture,
    Pair,
    contrasts,
    differences,
    folded,
    folded_interval,
    is_equal,
    sign_of,
)
from fairviz.statistics.families import FORM, STATISTICS, STEPWISE, parse_tests
from fairviz.statistics.references import (
    BLOCK,
    MOST_ROWS,
    Drawn,
    Ranges,
    Reference,
    bend,
    blocks,
    largest_ranges,
    narrowed,
    signs,
    widened,
    within,
)
from fairviz.statistics.simultaneous import compare_blocks, detectable, power_of
from tests.conftest import simulated
from tests.slow_max_t import ALPHA, Contrast, slow_family

MAX_T = parse_tests("maxT")
DRAWS = 199
GENERATOR = np.random.default_rng(11)


def block(values: np.ndarray, *, folded: bool = False, logarithm: bool = False, x: np.ndarray | None = None) -> Block:
    pairs = tuple(itertools.combinations(range(len(values)), 2))
    return Block(Estimates(values, x, logarithm), pairs, folded)


def correlated(systems: int, queries: int, shift: float = 0.3) -> np.ndarray:
    common = GENERATOR.normal(size=queries)
    own = GENERATOR.normal(size=(systems, queries))
    return common + own + shift * np.arange(systems)[:, None]


def holed(values: np.ndarray) -> np.ndarray:
    """Values of which two systems lack some queries each, so that pairs rest on distinct masks."""
    values = values.copy()
    values[0, :3] = np.nan
    values[-1, 2:5] = np.nan
    return values


MEANS = correlated(4, 14)
RATIOS = np.exp(0.3 * correlated(3, 14, 0.5))
X = GENERATOR.normal(size=14)
CASES: dict[str, list[Block]] = {
    "means": [block(MEANS)],
    "one pair": [block(MEANS[:2])],
    "turned": [Block(Estimates(MEANS), ((1, 0), (0, 2), (3, 2)))],
    "masks": [block(holed(MEANS))],
    "folded": [block(MEANS - 0.5, folded=True)],
    "folded with masks": [block(holed(MEANS - 0.5), folded=True)],
    "ratios": [block(holed(RATIOS), folded=True, logarithm=True)],
    "slopes": [block(MEANS + X * np.arange(4)[:, None], x=X)],
    "slopes with masks": [block(holed(MEANS), x=np.where(np.arange(14) == 7, np.nan, X))],
    "enumerated": [block(MEANS[:, :7])],
    "slices": [block(np.where(np.arange(14) < 8, MEANS, np.nan)), block(np.where(np.arange(14) >= 6, MEANS, np.nan))],
    "measures": [block(MEANS), block(holed(RATIOS), folded=True, logarithm=True), block(MEANS[:3], x=X)],
}


@pytest.mark.parametrize("blocks", CASES.values(), ids=CASES)
@pytest.mark.parametrize("seed", [0, 5])
def test_a_family_is_that_of_the_slow_reference(blocks: list[Block], seed: int) -> None:
    """And a pair is equivalent exactly where its interval lies within the margin."""
    pairs = [
        [Contrast(*block.estimates.values[[a, b]], sign, block.estimates.x, block.estimates.logarithm)
         for sign in ((-1, 1) if block.folded else (-1,))]
        for block in blocks
        for a, b in block.pairs
    ]  # fmt: skip
    expected, found = slow_family(pairs, DRAWS, seed), compare_blocks(blocks, MAX_T, DRAWS, seed)
    rows = iter(expected.pairs)
    for tested in found:
        difference, p, p_corrected, low, high = np.array([next(rows) for _ in tested.block.pairs]).T
        np.testing.assert_allclose(tested.difference, difference, atol=1e-12)
        assert tested.p.tolist() == p.tolist()
        assert tested.p_corrected.tolist() == p_corrected.tolist()
        assert tested.reference.critical(ALPHA) == pytest.approx(expected.critical)
        np.testing.assert_allclose(tested.interval(1 - ALPHA), [low, high], rtol=1e-9, atol=1e-12)
        low, high = tested.interval(1 - 2 * ALPHA)
        inside, outside = (tested.equivalence(np.maximum(-low, high) * factor) for factor in (1.001, 0.999))
        assert (inside <= ALPHA).all()
        assert (outside > ALPHA).all()
        assert np.isnan(tested.equivalence(np.full(len(low), np.nan))).all()


def one(tested: list[simultaneous.Tested]) -> simultaneous.Tested:
    assert len(tested) == 1
    return tested[0]


def agree(tested: simultaneous.Tested, alpha: float) -> None:
    low, high = tested.interval(1 - alpha)
    with np.errstate(invalid="ignore"):
        excluded = (low > 1e-12) | (high < -1e-12)
    assert excluded.tolist() == (tested.p_corrected <= alpha * (1 + 1e-9)).tolist()


SMALL = st.integers(0, 2**32 - 1)


@given(SMALL, st.integers(2, 4), st.integers(3, 12), st.booleans(), st.sampled_from([0.01, 0.05, 0.1, 0.2]))
def test_p_is_at_most_alpha_exactly_where_the_interval_excludes_0(
    seed: int, systems: int, queries: int, folded: bool, alpha: float
) -> None:
    """Values in halves, so that draws are tied, systems alike and differences constant."""
    generator = np.random.default_rng(seed)
    values = np.round(2 * (generator.normal(size=(systems, queries)) + generator.normal(0, 2, (systems, 1)))) / 2
    values[generator.random(values.shape) < 0.05] = np.nan
    agree(one(compare_blocks([block(values, folded=folded)], MAX_T, 99)), alpha)


@given(SMALL, st.sampled_from(["maxT", "tukey", "bonferroni", "none"]), st.booleans())
def test_simultaneous_intervals_agree_with_p_by_every_method(seed: int, method: str, ratios: bool) -> None:
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(3, 15)) + generator.normal(0, 1, (3, 1))
    tested = one(
        compare_blocks([block(np.exp(values) if ratios else values, folded=ratios, logarithm=ratios)],
                       parse_tests(method), 99)
    )  # fmt: skip
    agree(tested, 0.05)


def test_differences_without_spread_without_a_mean_too_few_draws_and_no_family() -> None:
    values = np.stack([MEANS[0], MEANS[0], MEANS[0] + 2, MEANS[3]])
    tested = one(compare_blocks([block(values)], MAX_T, 999))
    of = dict(zip(tested.block.pairs, zip(tested.p, tested.p_corrected, strict=True), strict=True))
    assert of[0, 1] == (1, 1), "no difference"
    assert of[0, 2] == (2 / 2**14, 6 * 2 / 2**14), "a constant one has the exact p of equal signs"
    low, high = tested.interval(0.95)
    assert (low[0], high[0]) == (0, 0)
    assert (low[1], high[1]) == pytest.approx((-2, -2))
    assert np.isnan(tested.contrasts.t[:2]).all()
    constant = one(compare_blocks([block(np.array([[1.0, 2.0, 4.0], [3.0, 4.0, 6.0]]))], MAX_T))
    assert constant.p.tolist() == [0.25]
    assert np.isnan(constant.interval(0.95)).all(), "of few queries"
    assert constant.equivalence(np.array([3.0])).tolist() == [0.125]
    assert constant.equivalence(np.array([1.0])).tolist() == [1.0]
    assert np.isinf(one(compare_blocks([block(MEANS)], MAX_T, 99)).interval(0.999)).all(), "too few draws"
    assert [compare_blocks([], parse_tests(text)) for text in ("maxT", "tukey", "holm", "none")] == [[]] * 4
    values = np.vstack([RATIOS, np.zeros(14)])
    tested = one(compare_blocks([block(values, folded=True, logarithm=True)], MAX_T, DRAWS))
    alone = one(compare_blocks([block(RATIOS, folded=True, logarithm=True)], MAX_T, DRAWS))
    with_it = [3 in pair for pair in tested.block.pairs]
    assert np.isnan(tested.p_corrected).tolist() == with_it
    assert tested.p_corrected[~np.array(with_it)].tolist() == alone.p_corrected.tolist()


def one_pair(apart: np.ndarray, draws: int = 9999) -> simultaneous.Tested:
    return one(compare_blocks([Block(Estimates(np.stack([apart, np.zeros(len(apart))])), ((0, 1),))], MAX_T, draws))


def test_a_pair_alone_by_hand() -> None:
    """Three queries 3, 3, 6: mean 4, variance 2, and t = 4 is divided by 1 + 1.5 / 3. Of the 27 resamples of queries 8
    lack the 6: their mean is 3. As the least standard deviation is 5 / 3 of that observed, no draw has another, and t
    is -1 / √(2 · 25 / 9 / 2) = -0.6. With one, two or three 6 it is 0, 0.6 and 1.2, and none reaches 8 / 3."""
    tested = one_pair(np.array([3.0, 3.0, 6.0]))
    (drawn,) = tested.reference.resampled.values()
    values, counts = np.unique(np.round(drawn, 9), return_counts=True)
    assert values == pytest.approx([-0.6, 0, 0.6, 1.2], abs=1e-9)
    assert counts / len(drawn) == pytest.approx([8 / 27, 12 / 27, 6 / 27, 1 / 27], abs=0.02)
    assert (
        tested.p_corrected.tolist() == tested.p.tolist() == [0.4]
    )  # of the four patterns of signs that of t = 4 reaches it


@pytest.mark.parametrize("queries", [12, 15, 20, 40])
@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_more_queries_that_change_alike_take_no_verdict(queries: int, noise: float) -> None:
    spread = noise * np.random.default_rng(1).normal(size=queries)
    found = [one_pair((np.arange(queries) < changed) + spread).p_corrected[0] <= ALPHA
             for changed in range(1, queries + 1)]  # fmt: skip
    assert found == sorted(found)
    assert found.index(True) in (4, 5)


@pytest.mark.parametrize("systems", [2, 3, 5])
@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize("text", ["maxT", "bonferroni", "tukey", "none"])
def test_the_query_that_decides_a_verdict(systems: int, folded: bool, text: str) -> None:
    """Against each query left out by hand, the draws being the same."""
    generator = np.random.default_rng(systems)
    values = generator.normal(size=(systems, 16)) + 1.2 * np.arange(systems)[:, None] + 3 * folded
    values[-1, 5] += 4
    values[0, 2] = np.nan
    tested = one(compare_blocks([block(values, folded=folded and text != "tukey")], parse_tests(text), 999))
    found = tested.deciding(ALPHA)
    signs_of_pairs = (-1, 1) if tested.block.folded else (-1,)
    for place, (a, b) in enumerate(tested.block.pairs):
        without = []
        for query in range(16):
            left = np.delete(np.arange(16), query)
            parts = [contrasts(Estimates(values[:, left]), [Pair(a, b, sign)]) for sign in signs_of_pairs]
            rows = [place, place + len(tested.block.pairs)][: len(parts)]
            p = [tested.reference.at(np.array([row])).p_at(part, part.value)[0]
                 for row, part in zip(rows, parts, strict=True)]  # fmt: skip
            without.append(0.0 if np.isnan(values[[a, b], query]).any() else max(p))
        if tested.p_corrected[place] <= ALPHA < max(without):
            assert without[found[place]] == pytest.approx(max(without), abs=0.01)
        else:
            assert found[place] == -1


# --- several families and blocks at once


FAMILIES = ([(0, 1), (0, 2), (1, 2)], [(0, 3)], [(0, 1), (1, 2), (2, 3), (3, 0)], [(1, 2)])
SYSTEMS, QUERIES = 4, 24


def values_of(family: int) -> np.ndarray:
    """Values of one family's systems: two that are always as far apart, and one that lacks queries."""
    values = GENERATOR.gamma(3.0, size=(SYSTEMS, QUERIES)) + 0.3 * np.arange(SYSTEMS)[:, None]
    values[1] = values[0] + (family > 0)
    if family == 2:
        values[3, :5] = np.nan
    return values


VALUES = [values_of(family) for family in range(len(FAMILIES))]


def alone(family: int, *, folded: bool = False, logarithm: bool = False, x: np.ndarray | None = None) -> Block:
    return Block(Estimates(VALUES[family], x, logarithm), FAMILIES[family], folded)


def together(*, folded: bool = False, logarithm: bool = False, x: np.ndarray | None = None) -> Block:
    numbers = np.repeat(np.arange(len(FAMILIES)), list(map(len, FAMILIES)))
    pairs = np.concatenate(FAMILIES) + SYSTEMS * numbers[:, None]
    return Block(Estimates(np.concatenate(VALUES), x, logarithm), pairs, folded, numbers)


def answers_of(tested: simultaneous.Tested) -> list[np.ndarray]:
    """What each pair has."""
    margin = np.full(len(tested.block.pairs), 0.8)
    return [tested.p, tested.p_corrected, tested.difference, *tested.interval(0.9), tested.equivalence(margin),
            tested.minimum_detectable(0.05, 0.8)]  # fmt: skip


@pytest.mark.parametrize("rows", [1, 8])
@pytest.mark.parametrize(
    "kind", [{}, {"folded": True}, {"folded": True, "logarithm": True}, {"x": GENERATOR.normal(size=QUERIES)}], ids=str
)
@pytest.mark.parametrize("text", ["maxT", "tukey", "holm", "bonferroni", "none", "bh(statistic='wilcoxon')"])
def test_families_together_are_what_they_are_alone(
    monkeypatch: pytest.MonkeyPatch, text: str, kind: dict, rows: int
) -> None:
    tests = parse_tests(text)
    expected = [compare_blocks([alone(family, **kind)], tests, 199, 3)[0] for family in range(len(FAMILIES))]
    monkeypatch.setattr(contrast_module, "ROWS", rows)
    monkeypatch.setattr(references, "TOGETHER", 2)
    (found,) = compare_blocks([together(**kind)], tests, 199, 3)
    for column, parts in zip(answers_of(found), zip(*map(answers_of, expected), strict=True), strict=True):
        np.testing.assert_allclose(column, np.concatenate(parts), rtol=1e-10, atol=1e-12)


def test_families_reach_over_blocks() -> None:
    """Two blocks of two families each: a family is what it is of both blocks' pairs."""
    numbers = np.array([0, 0, 1])
    pairs = np.array([(0, 1), (0, 2), (1, 2)])
    estimates = [Estimates(VALUES[family]) for family in (0, 3)]
    found = compare_blocks([Block(held, pairs, families=numbers) for held in estimates], parse_tests("maxT"), 199)
    for family in (0, 1):
        expected = compare_blocks(
            [Block(held, pairs[numbers == family]) for held in estimates], parse_tests("maxT"), 199
        )
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one.p_corrected[numbers == family], other.p_corrected)


@pytest.mark.parametrize("undefined", [False, True])
def test_draws_of_parts_are_those_of_their_mixtures(undefined: bool) -> None:
    parts = GENERATOR.normal(size=(2, SYSTEMS, QUERIES))
    if undefined:
        parts[:, 1, :4] = np.nan
    shares = np.array([0.0, 0.3, 1.0])
    values = np.concatenate([share * parts[0] - (1 - share) * parts[1] for share in shares])
    systems = np.eye(SYSTEMS)
    weights = np.concatenate([np.hstack([share * systems, -(1 - share) * systems]) for share in shares])
    numbers = np.repeat(np.arange(3), 3)
    pairs = np.array([(0, 1), (0, 2), (1, 3)] * 3) + SYSTEMS * numbers[:, None]
    found, expected = (
        compare_blocks([Block(Estimates(values, mixture=mixture), pairs, families=numbers)], parse_tests("maxT"), 199)[
            0
        ]
        for mixture in (Mixture(weights, np.concatenate(parts)), None)
    )
    for one, other in zip(answers_of(found), answers_of(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


# --- Tukey's ranges, by the most extreme of all permutations


RANGED = np.random.default_rng(4).normal(size=(3, 4)) + np.array([0, 0.5, 2.0])[:, None]
HOLED = RANGED.copy()
HOLED[0, 1] = HOLED[2, 3] = np.nan


def every_range(values: np.ndarray) -> list[float]:
    """The largest difference of two means under every permutation of each query's values among its systems."""
    columns = []
    for query in values.T:
        known = [system for system, value in enumerate(query) if not math.isnan(value)]
        orders = itertools.permutations(known)
        columns.append([{to: query[of] for to, of in zip(known, order, strict=True)} for order in orders])
    ranges = []
    for drawn in itertools.product(*columns):
        means = []
        for system in range(len(values)):
            held = [column[system] for column in drawn if system in column]
            means.append(sum(held) / len(held))
        ranges.append(max(means) - min(means))
    return ranges


@pytest.mark.parametrize("values", [RANGED, HOLED], ids=["whole", "undefined queries"])
def test_draws_have_the_distribution_of_all_permutations(values: np.ndarray) -> None:
    exact, drawn = np.sort(every_range(values)), largest_ranges(values, 20_000, seed=1)
    assert drawn.min() >= exact[0] - 1e-9
    assert drawn.max() <= exact[-1] + 1e-9
    for share in (0.1, 0.25, 0.5, 0.75, 0.9, 0.95):
        at = exact[int(share * len(exact))]
        reached, true = (drawn >= at - 1e-9).mean(), (exact >= at - 1e-9).mean()
        assert reached == pytest.approx(true, abs=5 * math.sqrt(0.25 / 20_000))


def test_draws_of_tukey_are_the_largest_range_of_any_slice_and_all_intervals_have_one_width() -> None:
    """One block, and slices of 12 and of 14 queries that share none."""
    values = np.random.default_rng(6).normal(size=(3, 26))
    first, second = values.copy(), values.copy()
    first[:, 12:], second[:, :12] = np.nan, np.nan
    pairs = tuple(itertools.combinations(range(3), 2))
    for parts in ([RANGED], [first, second]):
        tested = compare_blocks([Block(Estimates(part), pairs) for part in parts], parse_tests("tukey"), 999, 1)
        ranges = np.max([largest_ranges(part, 999, 1) for part in parts], axis=0)
        for part, found in zip(parts, tested, strict=True):
            means = np.nanmean(part, axis=1)
            expected = [(1 + (ranges >= abs(means[a] - means[b]) * (1 - 1e-9)).sum()) / 1000 for a, b in pairs]
            assert found.p_corrected.tolist() == pytest.approx(expected)
            low, high = found.interval(0.95)
            np.testing.assert_allclose(high - low, 2 * np.sort(ranges)[-50])
    assert (largest_ranges(RANGED, 999, 1) != largest_ranges(RANGED, 999, 2)).any()


@pytest.mark.parametrize("options", [{"folded": True}, {}], ids=["folded", "slope"])
def test_distances_and_slopes_are_tested_by_max_t(options: dict) -> None:
    values = np.random.default_rng(5).normal(size=(3, 12))
    estimates = Estimates(values, None if options else np.arange(12.0))
    found, known = (
        compare_blocks([Block(estimates, ((0, 1), (0, 2)), **options)], parse_tests(text), 99)[0]
        for text in ("tukey", "maxT")
    )
    assert found.p_corrected.tolist() == known.p_corrected.tolist()


# --- minimum detectable differences, against statsmodels and scipy


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 9])
def test_the_smallest_difference_is_that_of_statsmodels_and_has_the_power_that_is_asked(alpha: float) -> None:
    for queries in (5, 40, 117, 1765):
        found = detectable(np.array([0.3 / np.sqrt(queries)]), np.array([queries - 1.0]), alpha, 0.8)[0]
        expected = TTestPower().solve_power(nobs=queries, alpha=alpha, power=0.8)
        assert found / 0.3 == pytest.approx(expected, rel=1e-4)
    for power, freedom in itertools.product((0.06, 0.5, 0.8, 0.99, 0.999999), (1.0, 2.0, 10.0, 5000.0)):
        difference = detectable(np.array([1.0]), np.array([freedom]), alpha, power)[0]
        assert power_of(difference, 1.0, freedom, alpha) == pytest.approx(power, abs=1e-6)


def test_power_has_the_level_of_the_family_also_beyond_rounding_and_where_nothing_can_be_said() -> None:
    """One query alone that differs makes the differences so skewed that t is compared with 20 and more."""
    alone, student, family = (
        one(compare_blocks([block(values)], parse_tests(text))).minimum_detectable(ALPHA, 0.8)[0]
        for values, text in ((MEANS[:2], "maxT"), (MEANS[:2], "none"), (MEANS, "maxT"))
    )
    assert student < alone < 1.2 * student, "of one pair it is a little more than that of Student's t"
    assert family > 1.1 * alone
    for alpha in (1e-14, 1e-16, 1e-20, 1e-50):
        difference = detectable(np.array([1.0]), np.array([39.0]), alpha, 0.8)[0]
        assert stats.nct.sf(stats.t.isf(alpha / 2, 39), 39, difference) == pytest.approx(0.8, abs=1e-6)
    assert np.isnan(detectable(np.array([1.0]), np.array([3.0]), np.array([1e-200]), 0.8)).all()
    no_spread_or_too_few = np.array([0.0, np.nan, 0.1]), np.array([5.0, 5.0, 0.0])
    assert np.isnan(detectable(*no_spread_or_too_few, 0.05, 0.8)).all()


# --- differences and sums of two systems, on the queries that both have


def test_what_each_query_contributes_has_the_mean_of_the_pair() -> None:
    values = np.exp(np.random.default_rng(5).normal(0.1, 0.5, (4, 30)))
    values[0, :4] = values[2, 10:13] = np.nan
    pairs = [Pair(0, 1), Pair(0, 1, 1), Pair(1, 2), Pair(2, 0), Pair(3, 1), Pair(1, 3)]
    for logarithm in (False, True):
        estimates = Estimates(values, logarithm=logarithm)
        found, held = differences(estimates, pairs), contrasts(estimates, pairs)
        assert np.nanmean(found, axis=1) == pytest.approx(held.value)
        assert np.isnan(found[0, :4]).all()
        assert (~np.isnan(found)).sum(axis=1).tolist() == held.queries.tolist() == [26, 26, 27, 23, 30, 30]
        assert held.value[5] == -held.value[4]


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


def test_equal_up_to_rounding_and_the_signs_of_the_rest() -> None:
    values = np.array([0.1 + 0.2 - 0.3, -1e-9, 1e-9, np.nan, np.inf])
    assert is_equal(values).tolist() == [True, False, False, False, False]
    assert is_equal(1 - 2e-16, 1)
    assert is_equal(np.inf, np.inf)
    np.testing.assert_array_equal(sign_of(values), [0, -1, 1, np.nan, 1])


def test_differences_of_distances_and_their_intervals_by_hand() -> None:
    for a, b, difference in ((0.1, -0.1, 0), (3, 1, 2), (-3, 1, 2), (1, -3, -2), (0, 2, -2), (0, 0, 0), (-2, -5, -3)):
        assert folded(np.array(a - b), np.array(a + b)) == pytest.approx(difference)
    for u, v, ends in (
        ((1, 2), (3, 4), (1, 2)),  # both positive: a is farther by u
        ((1, 5), (3, 4), (1, 4)),
        ((-2, -1), (3, 4), (-2, -1)),
        ((-2, -1), (-4, -3), (1, 2)),
        ((-1, 2), (3, 4), (-1, 2)),
        ((1, 2), (-3, 4), (-2, 2)),
        ((-1, 1), (-1, 1), (-1, 1)),
    ):
        found = folded_interval(tuple(map(np.array, u)), tuple(map(np.array, v)))
        assert tuple(map(float, found)) == ends


# --- the distributions behind p and intervals


SPREAD = np.random.default_rng(2).normal(size=(4, 20)) + np.array([0, 0.2, 0.4, 2.0])[:, None]
HELD = contrasts(Estimates(SPREAD), [Pair(0, 1), Pair(0, 2), Pair(3, 0), Pair(1, 1)])
ORDERED = np.sort(np.random.default_rng(3).chisquare(2, size=(1, 99)))


def test_the_critical_value_is_the_draw_above_which_p_is_small_enough_but_for_rounding() -> None:
    drawn = Drawn(np.arange(1.0, 20.0)[None] ** 2)  # 19 draws: p of 1 / 20 needs a statistic above all
    assert drawn.critical(0.05) == 19
    assert drawn.critical(0.1) == 18
    assert drawn.critical(0.0499) == np.inf
    assert Drawn(np.zeros((1, 0))).critical(0.05) == np.inf
    assert within(np.array([0.05, 0.05 + 1e-13, 0.0501, np.nan]), 0.05).tolist() == [True, True, False, False]


@pytest.mark.filterwarnings("error")
def test_narrowing_is_the_inverse_of_widening() -> None:
    skewed = bend(replace(HELD, skewness=np.array([4.0, -0.5, 1e-9, 0.0])))
    for critical in (0.0, 0.5, 1.0, 1.0001, 2.0, 3.5, 20.0, 1e6):
        assert narrowed(widened(critical, skewed), skewed) == pytest.approx([critical] * 4, rel=1e-12)
    assert np.isnan(narrowed(np.full(4, np.nan), skewed)).all()


@pytest.mark.parametrize("reference", [Drawn(ORDERED), Ranges(np.sqrt(ORDERED) / 3)], ids=["maxT", "tukey"])
def test_the_level_of_one_test_is_the_tail_of_t_at_the_half_width(reference: Reference) -> None:
    t = reference.widths(HELD, 0.05)[0][0] / HELD.error[0]
    assert reference.level_per_test(HELD, 0.05)[0] == pytest.approx(2 * stats.t.sf(t, 19))


def test_signs_are_all_patterns_or_drawn_seeded_and_even() -> None:
    shapes = [signs(queries, draws).shape for queries, draws in ((4, 8), (4, 7), (8, 10_000), (1, 99), (0, 99))]
    assert shapes == [(8, 4), (7, 4), (128, 8), (1, 1), (1, 0)], "all where they are no more than the draws"
    table = signs(6, 32)
    assert len(np.unique(np.concatenate([table, -table]), axis=0)) == 64, "none is the opposite of another"
    assert set(np.unique(table)) == {-1, 1}
    table = signs(30, 4000, seed=1)
    assert (table == signs.__wrapped__(30, 4000, 1)).all()
    assert (table != signs(30, 4000, seed=2)).any()
    assert np.abs(table.mean(axis=0)).max() < 5 / np.sqrt(4000)
    assert np.abs(np.corrcoef(table.T) - np.eye(30)).max() < 5 / np.sqrt(4000)
    with pytest.raises(ValueError, match="read-only"):
        table[0, 0] = 1


def test_blocks_are_all_rows_of_a_table_in_order() -> None:
    for table in (signs(300, BLOCK // 300 + 500), signs(20, MOST_ROWS + 1)):
        rows = [block for place, block in blocks(table) if (table[place] == block).all()]
        assert len(rows) > 1
        assert max(map(len, rows)) <= min(MOST_ROWS, BLOCK // table.shape[1])
        np.testing.assert_array_equal(np.concatenate(rows), table)


# --- the text of the setting `tests`


def test_every_text_reads_back_and_others_are_read_alike() -> None:
    names = ("", "bm25", "a, b", "it's", 'say "hi"', "f(x)='y'", "\\", "日本")
    kinds = [
        *itertools.product(STEPWISE, STATISTICS, families.FAMILIES),
        *(("maxT", "t", of) for of in families.FAMILIES),
    ]
    for kind, name in itertools.product([*kinds, ("tukey", "t", "pairs")], names):
        tests = families.Tests(*kind, name)
        assert parse_tests(tests.text) == tests
    for text, tests in (
        ("maxT", families.Tests()),
        (" maxT ", families.Tests()),
        ("maxT()", families.Tests()),
        ("holm(statistic='wilcoxon')", families.Tests("holm", "wilcoxon")),
        ('maxT(family="measures", baseline="bm25")', families.Tests("maxT", "t", "measures", "bm25")),
    ):
        assert parse_tests(text) == tests
    texts = ("maxT", "tukey", "bonferroni", "bonferroni(statistic='wilcoxon')", "holm", "bh", "none")
    assert [parse_tests(text).simultaneous for text in texts] == [True] * 3 + [False] * 4


@pytest.mark.parametrize(
    ("text", "what", "remedy"),
    [
        ("", "cannot read the tests ''", FORM),
        ("maxT(", "cannot read the tests 'maxT('", FORM),
        ("maxT('bm25')", "cannot read the tests \"maxT('bm25')\"", FORM),
        ("a.b", "cannot read the tests 'a.b'", FORM),
        ("maxT(baseline=3)", "cannot read the tests 'maxT(baseline=3)'", FORM),
        ("maxT(baseline=a b)", "cannot read the tests 'maxT(baseline=a b)'", FORM),
        ("maxT(level='5')", "the tests \"maxT(level='5')\" have no 'level'", "Use baseline, family, statistic."),
        ("tukey(family='measures')", "tukey compares means on one scale, and measures have several",
         "Use maxT(family='measures')."),
        ("sidak", "method of the tests is 'sidak'", "Use one of maxT, holm, bonferroni, bh, tukey, none."),
        ("holm(statistic='sign')", "statistic of the tests is 'sign'", "Use one of t, wilcoxon, randomisation."),
        ("maxT(family='all')", "family of the tests is 'all'", "Use one of pairs, measures."),
        ("maxT(statistic='wilcoxon')", "maxT has a statistic of its own, not 'wilcoxon'",
         "Use holm, bonferroni, bh, none with statistic='wilcoxon'."),
    ],
)  # fmt: skip
def test_texts_that_cannot_be(text: str, what: str, remedy: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_tests(text)
    assert (error.value.message, error.value.remedy) == (what, remedy)


# --- simulations of benchmarks/error_rates.py: the same intervals as fairviz, and a short run of them


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("systems", [2, 3, 5])
def test_one_replication_is_one_comparison(name: str, systems: int) -> None:
    shape, draws = SHAPES[name], 1999
    values = shape.draw(np.random.default_rng(2), (3, systems, 20), 0.5)
    found = intervals(values, 4, shape, draws)
    for place, table in enumerate(values):
        ends = one(compare_blocks([block(table, folded=shape.folded, logarithm=shape.logarithm)], MAX_T, draws, 4))
        low, high = ends.interval(0.95)
        is_known = np.isfinite(low)
        np.testing.assert_allclose(found.low[place][is_known], low[is_known], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found.high[place][is_known], high[is_known], rtol=1e-4, atol=1e-5)
        assert is_known.mean() >= 0.5  # differences that are all equal may have none


@pytest.mark.parametrize("name", [name for name in SHAPES if name != "one lognormal"])
@pytest.mark.parametrize("systems", [2, 7])
@simulated(60, 400)
def test_families_keep_their_level_within_the_error_of_a_short_run(name: str, systems: int, draws: int) -> None:
    """Four standard errors above .06, and as much below .94."""
    found = cell(name, systems, 40, 0.95, draws)
    room = 4 * np.sqrt(0.06 * 0.94 / draws)
    assert found.error <= 0.06 + room
    assert found.coverage >= 0.94 - room


def test_bootstraps_are_scipys() -> None:
    values = np.random.default_rng(1).lognormal(size=25)
    weights = np.random.default_rng(2).multinomial(25, np.full(25, 1 / 25), size=20_000).astype(float)
    for (low, high), method in zip(bootstraps(values[None], weights), ("percentile", "BCa"), strict=True):
        known = bootstrap((values,), np.mean, n_resamples=20_000, method=method, rng=3).confidence_interval
        assert (low[0], high[0]) == pytest.approx((known.low, known.high), abs=0.02)


def test_student_covers_as_claimed_where_values_are_normal_and_the_percentile_bootstrap_does_not() -> None:
    t, percentile, bca = coverage("normal", 5, 1000)
    error = np.sqrt(0.95 * 0.05 / 1000)
    assert t == pytest.approx(0.95, abs=4 * error)
    assert max(percentile, bca) < 0.95 - 4 * error
