"""Families by single-step maxT, against a slow reference written from the formulas, draw for draw."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

from fairviz.statistics import simultaneous
from fairviz.statistics.contrasts import Block, Estimates, Pair, contrasts
from fairviz.statistics.families import parse_tests
from fairviz.statistics.references import largest_ranges
from fairviz.statistics.simultaneous import compare_blocks, detectable, power_of
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
    pairs = [
        [Contrast(*block.estimates.values[[a, b]], sign, block.estimates.x, block.estimates.logarithm)
         for sign in ((-1, 1) if block.folded else (-1,))]
        for block in blocks
        for a, b in block.pairs
    ]  # fmt: skip
    expected, found = slow_family(pairs, DRAWS, seed), compare_blocks(blocks, MAX_T, DRAWS, seed)
    rows = iter(expected.pairs)
    for tested in found:
        _, p, p_corrected, low, high = np.array([next(rows) for _ in tested.block.pairs]).T
        assert tested.p.tolist() == p.tolist()
        assert tested.p_corrected.tolist() == p_corrected.tolist()
        assert tested.reference.critical(ALPHA) == pytest.approx(expected.critical)
        np.testing.assert_allclose(tested.interval(1 - ALPHA), [low, high], rtol=1e-9, atol=1e-12)


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


@given(SMALL)
def test_neither_the_order_of_systems_nor_that_of_a_pair_matters(seed: int) -> None:
    generator = np.random.default_rng(seed)
    values = holed(generator.normal(size=(4, 12)) + generator.normal(0, 1, (4, 1)))
    order = generator.permutation(4)
    tested = one(compare_blocks([block(values)], MAX_T, 99))
    moved = one(compare_blocks([block(values[order])], MAX_T, 99))
    by_pair = {pair: place for place, pair in enumerate(tested.block.pairs)}
    for place, (a, b) in enumerate(moved.block.pairs):
        pair = (order[a], order[b])
        turned = pair not in by_pair
        there = by_pair[pair[::-1] if turned else pair]
        assert moved.p[place] == tested.p[there]
        assert moved.p_corrected[place] == tested.p_corrected[there]
        assert moved.difference[place] == pytest.approx((-1 if turned else 1) * tested.difference[there])
    # all signs of eight queries are counted, and ten pairs need no resamples: the order of queries does not matter
    few = generator.normal(size=(5, 8)) + generator.normal(0, 1, (5, 1))
    first, second = (one(compare_blocks([block(held)], MAX_T, 999)) for held in (few, few[:, generator.permutation(8)]))
    assert first.p_corrected.tolist() == second.p_corrected.tolist()


@given(SMALL, st.booleans())
def test_another_pair_does_not_change_the_p_of_a_pair_alone(seed: int, folded: bool) -> None:
    generator = np.random.default_rng(seed)
    values = holed(generator.normal(size=(4, 12)) + generator.normal(0, 1, (4, 1)))
    pairs = tuple(itertools.combinations(range(4), 2))
    few = one(compare_blocks([Block(Estimates(values), pairs[:3], folded)], MAX_T, 99))
    more = one(compare_blocks([Block(Estimates(values), pairs, folded)], MAX_T, 99))
    assert few.p.tolist() == more.p[:3].tolist()
    assert (more.p <= np.maximum(more.p_corrected, 1 / 100)).all()  # 99 draws show no p below 1 / 100


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


def test_equivalence_is_the_interval_within_the_margin_and_power_has_the_level_of_the_family() -> None:
    for blocks in CASES.values():
        for tested in compare_blocks(blocks, MAX_T, DRAWS):
            low, high = tested.interval(1 - 2 * ALPHA)
            widest = np.maximum(-low, high)
            inside, outside = (tested.equivalence(widest * factor) for factor in (1.001, 0.999))
            assert (inside <= ALPHA).all()
            assert (outside > ALPHA).all()
            assert np.isnan(tested.equivalence(np.full(len(low), np.nan))).all()
    alone, student, family = (
        one(compare_blocks([block(values)], parse_tests(text))).minimum_detectable(ALPHA, 0.8)[0]
        for values, text in ((MEANS[:2], "maxT"), (MEANS[:2], "none"), (MEANS, "maxT"))
    )
    assert student < alone < 1.2 * student, "of one pair it is a little more than that of Student's t"
    assert family > 1.1 * alone


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


VALUES = np.random.default_rng(4).normal(size=(3, 4)) + np.array([0, 0.5, 2.0])[:, None]
HOLED = VALUES.copy()
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


@pytest.mark.parametrize("values", [VALUES, HOLED], ids=["whole", "undefined queries"])
def test_draws_have_the_distribution_of_all_permutations(values: np.ndarray) -> None:
    exact, drawn = np.sort(every_range(values)), largest_ranges(values, 20_000, seed=1)
    assert drawn.min() >= exact[0] - 1e-9
    assert drawn.max() <= exact[-1] + 1e-9
    for share in (0.1, 0.25, 0.5, 0.75, 0.9, 0.95):
        at = exact[int(share * len(exact))]
        reached, true = (drawn >= at - 1e-9).mean(), (exact >= at - 1e-9).mean()
        assert reached == pytest.approx(true, abs=5 * math.sqrt(0.25 / 20_000))


def test_draws_of_tukey_have_the_width_of_one_interval_in_slices_too() -> None:
    pairs = tuple(itertools.combinations(range(3), 2))
    (tested,) = compare_blocks([Block(Estimates(VALUES), pairs)], parse_tests("tukey"), 999, seed=1)
    ranges = largest_ranges(VALUES, 999, 1)
    assert (ranges != largest_ranges(VALUES, 999, 2)).any()
    for (a, b), p in zip(pairs, tested.p_corrected, strict=True):
        apart = abs(VALUES[a].mean() - VALUES[b].mean())
        assert p == (1 + (ranges >= apart * (1 - 1e-9)).sum()) / 1000
    low, high = tested.interval(0.95)
    np.testing.assert_allclose(high - low, 2 * np.sort(ranges)[-50])
    # The largest difference in any slice: of 12 queries and of 14, that no slice shares.
    values = np.random.default_rng(6).normal(size=(3, 26))
    first, second = values.copy(), values.copy()
    first[:, 12:], second[:, :12] = np.nan, np.nan
    pairs = tuple(itertools.combinations(range(3), 2))
    tested = compare_blocks([Block(Estimates(part), pairs) for part in (first, second)], parse_tests("tukey"), 999, 1)
    ranges = np.maximum(largest_ranges(first, 999, 1), largest_ranges(second, 999, 1))
    for part, found in zip((first, second), tested, strict=True):
        means = np.nanmean(part, axis=1)
        expected = [(1 + (ranges >= abs(means[a] - means[b]) * (1 - 1e-9)).sum()) / 1000 for a, b in pairs]
        assert found.p_corrected.tolist() == pytest.approx(expected)
        low, high = found.interval(0.95)
        np.testing.assert_allclose(high - low, 2 * np.sort(ranges)[-50])


@pytest.mark.parametrize("options", [{"folded": True}, {}], ids=["folded", "slope"])
def test_distances_and_slopes_are_tested_by_max_t(options: dict) -> None:
    values = np.random.default_rng(5).normal(size=(3, 12))
    estimates = Estimates(values, None if options else np.arange(12.0))
    found, known = (
        compare_blocks([Block(estimates, ((0, 1), (0, 2)), **options)], parse_tests(text), 99)[0]
        for text in ("tukey", "maxT")
    )
    assert found.p_corrected.tolist() == known.p_corrected.tolist()


# --- minimum detectable differences and equivalence, against statsmodels


@pytest.mark.parametrize("queries", [5, 40, 117, 1765])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 9])
def test_the_smallest_difference_is_that_of_statsmodels(queries: int, alpha: float) -> None:
    found = detectable(np.array([0.3 / np.sqrt(queries)]), np.array([queries - 1.0]), alpha, 0.8)[0]
    assert found / 0.3 == pytest.approx(TTestPower().solve_power(nobs=queries, alpha=alpha, power=0.8), rel=1e-4)


@pytest.mark.parametrize("power", [0.06, 0.5, 0.8, 0.99, 0.999999])
@pytest.mark.parametrize("freedom", [1.0, 2.0, 10.0, 5000.0])
def test_power_is_met_whatever_is_asked(power: float, freedom: float) -> None:
    for alpha in (0.05, 0.05 / 500):
        difference = detectable(np.array([1.0]), np.array([freedom]), alpha, power)[0]
        assert power_of(difference, 1.0, freedom, alpha) == pytest.approx(power, abs=1e-6)


def test_power_at_levels_beyond_rounding_and_where_nothing_can_be_said() -> None:
    """One query alone that differs makes the differences so skewed that t is compared with 20 and more."""
    for alpha in (1e-14, 1e-16, 1e-20, 1e-50):
        difference = detectable(np.array([1.0]), np.array([39.0]), alpha, 0.8)[0]
        assert stats.nct.sf(stats.t.isf(alpha / 2, 39), 39, difference) == pytest.approx(0.8, abs=1e-6)
    assert np.isnan(detectable(np.array([1.0]), np.array([3.0]), np.array([1e-200]), 0.8)).all()
    no_spread_or_too_few = np.array([0.0, np.nan, 0.1]), np.array([5.0, 5.0, 0.0])
    assert np.isnan(detectable(*no_spread_or_too_few, 0.05, 0.8)).all()


@pytest.mark.parametrize("margin", [0.01, 0.05, 0.08])
def test_equivalence_of_single_pairs_is_the_two_one_sided_tests_of_statsmodels(margin: float) -> None:
    values = np.random.default_rng(3).normal(0.01, 0.2, (3, 60))
    pairs = ((0, 1), (0, 2), (1, 2))
    (tested,) = compare_blocks([Block(Estimates(values), pairs)], parse_tests("none"))
    expected = [ttost_paired(values[a], values[b], -margin, margin)[0] for a, b in pairs]
    found = tested.equivalence(np.full(3, margin))
    inside = np.abs(tested.difference) < margin
    assert found[inside] == pytest.approx(np.array(expected)[inside], rel=1e-9)
    assert (found[~inside] == 1).all()
