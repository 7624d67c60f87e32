"""Families by single-step maxT, against a slow reference written from the formulas, draw for draw."""

import itertools
import math
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.statistics import simultaneous
from fairviz.statistics.blocks import Block
from fairviz.statistics.contrasts import Estimates
from fairviz.statistics.families import parse_tests
from fairviz.statistics.signs import signs
from fairviz.statistics.simultaneous import compare_blocks

MAX_T = parse_tests("maxT")
DRAWS, ALPHA = 199, 0.05
GENERATOR = np.random.default_rng(11)


# ── the slow reference: lists of numbers, one query at a time ──


def slow_mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)


def slow_line(x: list[float], y: list[float]) -> tuple[float, float, list[float]]:
    """Slope, its standard error, and the residuals of least squares."""
    n, x_mean, y_mean = len(x), slow_mean(x), slow_mean(y)
    squares = sum((one - x_mean) ** 2 for one in x)
    slope = sum((one - x_mean) * (two - y_mean) for one, two in zip(x, y, strict=True)) / squares
    residuals = [two - y_mean - slope * (one - x_mean) for one, two in zip(x, y, strict=True)]
    return slope, math.sqrt(sum(one**2 for one in residuals) / (n - 2) / squares), residuals


def slow_t(numbers: list[float]) -> tuple[float, float]:
    """Mean and its standard error."""
    n, mean = len(numbers), slow_mean(numbers)
    return mean, math.sqrt(sum((one - mean) ** 2 for one in numbers) / (n - 1) / n)


class SlowContrast:
    """The estimate of one system minus (or plus) that of another, and the same under signs of queries."""

    def __init__(self, estimates: Estimates, first: int, second: int, sign: int) -> None:
        a, b = estimates.values[first].tolist(), estimates.values[second].tolist()
        x = [0.0] * len(a) if estimates.x is None else estimates.x.tolist()
        self.queries = [q for q in range(len(a)) if not any(map(math.isnan, (a[q], b[q], x[q])))]
        a, b, x = ([row[q] for q in self.queries] for row in (a, b, x))
        self.x = None if estimates.x is None else x
        if self.x is not None:
            self.value, self.error, self.residuals = slow_line(x, [u + sign * v for u, v in zip(a, b, strict=True)])
            return
        mean_a, mean_b = slow_mean(a), slow_mean(b)
        self.value = mean_a + sign * mean_b
        self.residuals = [u - mean_a + sign * (v - mean_b) for u, v in zip(a, b, strict=True)]
        if estimates.logarithm:
            self.value = math.log(mean_a) + sign * math.log(mean_b)
            pairs = zip(a, b, strict=True)
            self.residuals = [(u - mean_a) / mean_a + sign * (v - mean_b) / mean_b for u, v in pairs]
        self.error = slow_t(self.residuals)[1]

    @cached_property
    def t(self) -> float:
        """|t| without skewness: the one that `wide` makes into the observed |t|, by bisection."""
        observed = abs(self.value) / self.error
        low, high = 0.0, observed
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (low, middle) if self.wide(middle) > observed else (middle, high)
        return high

    def wide(self, c: float) -> float:
        """The critical |t| of these queries where that of queries without skewness is c."""
        n = len(self.queries)
        points = self.residuals
        if self.x is not None:
            middle = slow_mean(self.x)
            points = [(one - middle) * rest for one, rest in zip(self.x, points, strict=True)]
        mean = slow_mean(points)
        skewness = (
            slow_mean([(one - mean) ** 3 for one in points]) / slow_mean([(one - mean) ** 2 for one in points]) ** 1.5
        )
        return c * (1 + skewness**2 * max(c**4 + 2 * c**2 - 3, 0) / (18 * n))

    def drawn(self, row: list[int]) -> float:
        signed = [row[q] * rest for q, rest in zip(self.queries, self.residuals, strict=True)]
        value, error = slow_t(signed) if self.x is None else slow_line(self.x, signed)[:2]
        return abs(value) / error


def slow_folded(low_u: float, high_u: float, low_v: float, high_v: float) -> tuple[float, float]:
    """Smallest and largest |a| − |b| with a = (u + v) / 2 and b = (v − u) / 2."""
    u_axis = [low_u, high_u] + [0.0] * (low_u <= 0 <= high_u)
    v_axis = [low_v, high_v] + [0.0] * (low_v <= 0 <= high_v)
    values = [abs((u + v) / 2) - abs((v - u) / 2) for u in u_axis for v in v_axis]
    return min(values), max(values)


def slow_family(blocks: list[Block], table: list[list[int]]) -> tuple[list[list[tuple]], float]:
    """For each pair of each block p, corrected p and the interval; and the critical value of the family."""
    contrasts = [
        [[SlowContrast(block.estimates, a, b, sign) for sign in ((-1, 1) if block.folded else (-1,))]
         for a, b in block.pairs]
        for block in blocks
    ]  # fmt: skip
    every = [one for block in contrasts for pair in block for one in pair]
    drawn = [[one.drawn(row) for one in every] for row in table]
    largest = [max(row) for row in drawn]
    reach = 1 - 1e-9
    critical = sorted(largest, reverse=True)[math.floor(ALPHA * (len(table) + 1) + 1e-9) - 1]

    def p_of(one: SlowContrast) -> tuple[float, float]:
        place = every.index(one)
        alone = sum(row[place] >= one.t * reach for row in drawn)
        family = sum(top >= one.t * reach for top in largest)
        return (1 + alone) / (1 + len(table)), (1 + family) / (1 + len(table))

    rows = []
    for block in contrasts:
        rows.append([])
        for pair in block:
            p = [p_of(one) for one in pair]
            ends = [one.value + side * one.wide(critical) * one.error for one in pair for side in (-1, 1)]
            interval = slow_folded(*ends) if len(pair) == 2 else tuple(ends)
            rows[-1].append((max(one[0] for one in p), max(one[1] for one in p), *interval))
    return rows, critical


# ── the cases ──


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
    table = signs(blocks[0].estimates.values.shape[1], DRAWS, seed).tolist()
    expected, critical = slow_family(blocks, table)
    found = compare_blocks(blocks, MAX_T, DRAWS, seed)
    for tested, rows in zip(found, expected, strict=True):
        p, p_corrected, low, high = np.array(rows).T
        assert tested.p.tolist() == p.tolist()
        assert tested.p_corrected.tolist() == p_corrected.tolist()
        assert tested.reference.critical(ALPHA) == pytest.approx(critical)
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


@settings(deadline=None, max_examples=60)
@given(SMALL, st.integers(2, 4), st.integers(3, 12), st.booleans(), st.sampled_from([0.01, 0.05, 0.1, 0.2]))
def test_p_is_at_most_alpha_exactly_where_the_interval_excludes_0(
    seed: int, systems: int, queries: int, folded: bool, alpha: float
) -> None:
    """Values in halves, so that draws are tied, systems alike and differences constant."""
    generator = np.random.default_rng(seed)
    values = np.round(2 * (generator.normal(size=(systems, queries)) + generator.normal(0, 2, (systems, 1)))) / 2
    values[generator.random(values.shape) < 0.05] = np.nan
    agree(one(compare_blocks([block(values, folded=folded)], MAX_T, 99)), alpha)


@settings(deadline=None, max_examples=30)
@given(SMALL, st.sampled_from(["maxT", "tukey", "bonferroni"]), st.booleans())
def test_simultaneous_intervals_agree_with_p_by_every_method(seed: int, method: str, ratios: bool) -> None:
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(3, 15)) + generator.normal(0, 1, (3, 1))
    tested = one(
        compare_blocks([block(np.exp(values) if ratios else values, folded=ratios, logarithm=ratios)],
                       parse_tests(method), 99)
    )  # fmt: skip
    agree(tested, 0.05)


@settings(deadline=None, max_examples=30)
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


@settings(deadline=None, max_examples=20)
@given(SMALL)
def test_the_order_of_queries_does_not_matter_where_all_signs_are_counted(seed: int) -> None:
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(3, 8)) + generator.normal(0, 1, (3, 1))
    first = one(compare_blocks([block(values)], MAX_T, 999))
    second = one(compare_blocks([block(values[:, generator.permutation(8)])], MAX_T, 999))
    assert first.p_corrected.tolist() == second.p_corrected.tolist()


@settings(deadline=None, max_examples=30)
@given(SMALL, st.booleans())
def test_another_pair_never_lowers_a_corrected_p(seed: int, folded: bool) -> None:
    generator = np.random.default_rng(seed)
    values = holed(generator.normal(size=(4, 12)) + generator.normal(0, 1, (4, 1)))
    pairs = tuple(itertools.combinations(range(4), 2))
    few = one(compare_blocks([Block(Estimates(values), pairs[:3], folded)], MAX_T, 99))
    more = one(compare_blocks([Block(Estimates(values), pairs, folded)], MAX_T, 99))
    assert few.p.tolist() == more.p[:3].tolist()
    assert (few.p_corrected <= more.p_corrected[:3]).all()


def test_a_pair_without_any_difference_has_p_1_and_a_constant_one_the_exact_p_of_equal_signs() -> None:
    values = np.stack([MEANS[0], MEANS[0], MEANS[0] + 2, MEANS[3]])
    tested = one(compare_blocks([block(values)], MAX_T, 999))
    of = dict(zip(tested.block.pairs, zip(tested.p, tested.p_corrected, strict=True), strict=True))
    assert of[0, 1] == (1, 1)
    assert of[0, 2] == (2 / 2**14, 6 * 2 / 2**14)
    low, high = tested.interval(0.95)
    assert (low[0], high[0]) == (0, 0)
    assert (low[1], high[1]) == pytest.approx((-2, -2))
    assert np.isnan(tested.contrasts.t[:2]).all()


def test_a_constant_difference_of_few_queries_has_no_interval() -> None:
    values = np.array([[1.0, 2.0, 4.0], [3.0, 4.0, 6.0]])
    tested = one(compare_blocks([block(values)], MAX_T))
    assert tested.p.tolist() == [0.25]
    assert np.isnan(tested.interval(0.95)).all()


def test_too_few_draws_give_no_finite_interval_at_a_small_alpha() -> None:
    low, high = one(compare_blocks([block(MEANS)], MAX_T, 99)).interval(0.999)
    assert np.isinf(low).all()
    assert np.isinf(high).all()


def test_a_system_without_a_mean_above_0_has_no_ratio_and_leaves_the_others() -> None:
    values = np.vstack([RATIOS, np.zeros(14)])
    tested = one(compare_blocks([block(values, folded=True, logarithm=True)], MAX_T, DRAWS))
    alone = one(compare_blocks([block(RATIOS, folded=True, logarithm=True)], MAX_T, DRAWS))
    with_it = [3 in pair for pair in tested.block.pairs]
    assert np.isnan(tested.p_corrected).tolist() == with_it
    assert tested.p_corrected[~np.array(with_it)].tolist() == alone.p_corrected.tolist()


def test_equally_fair_systems_on_both_sides_of_0_are_not_called_different() -> None:
    """The example of true means +0.1 and −0.1: a test of the sum of distances with fixed signs finds 40 %."""
    errors = 0
    for _ in range(300):
        common, own = GENERATOR.normal(size=40), GENERATOR.normal(size=(2, 40))
        values = np.sqrt(0.9) * common + np.sqrt(0.1) * own + np.array([[0.1], [-0.1]])
        errors += one(compare_blocks([block(values, folded=True)], MAX_T, 99)).p_corrected[0] <= ALPHA
    assert errors <= 300 * ALPHA + 3 * math.sqrt(300 * ALPHA * (1 - ALPHA))


def test_equivalence_is_the_interval_within_the_margin() -> None:
    for blocks in CASES.values():
        for tested in compare_blocks(blocks, MAX_T, DRAWS):
            low, high = tested.interval(1 - 2 * ALPHA)
            widest = np.maximum(-low, high)
            inside, outside = (tested.equivalence(widest * factor) for factor in (1.001, 0.999))
            assert (inside <= ALPHA).all()
            assert (outside > ALPHA).all()
            assert np.isnan(tested.equivalence(np.full(len(low), np.nan))).all()
    constant = one(compare_blocks([block(np.array([[1.0, 2.0, 4.0], [3.0, 4.0, 6.0]]))], MAX_T))
    assert constant.equivalence(np.array([3.0])).tolist() == [0.125]
    assert constant.equivalence(np.array([1.0])).tolist() == [1.0]


def test_the_smallest_detectable_difference_has_the_level_of_the_family() -> None:
    """For one pair it is nearly that of Student's t, and it grows with the family."""
    alone = one(compare_blocks([block(MEANS[:2])], MAX_T)).minimum_detectable(ALPHA, 0.8)[0]
    student = one(compare_blocks([block(MEANS[:2])], parse_tests("none"))).minimum_detectable(ALPHA, 0.8)[0]
    family = one(compare_blocks([block(MEANS)], MAX_T)).minimum_detectable(ALPHA, 0.8)[0]
    assert alone == pytest.approx(student, rel=0.1)
    assert family > 1.1 * alone


@pytest.mark.parametrize("text", ["maxT", "tukey", "holm", "none"])
def test_no_block_is_no_family(text: str) -> None:
    assert compare_blocks([], parse_tests(text)) == []
