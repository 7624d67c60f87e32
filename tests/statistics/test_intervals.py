"""Intervals of means, slopes, shares and ratios, paired tests, correlations of orders, and fronts of means: against
scipy, statsmodels and slow readings of the definitions, by hand, and simulated."""

from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import kendalltau
from statsmodels.stats.multitest import multipletests

from fairviz.errors import FairvizError
from fairviz.statistics import fronts
from fairviz.statistics.fronts import distance_values, point_along, query_fronts, reference_values, upper_front
from fairviz.statistics.intervals import (
    ClusteredShare,
    band_of_draws,
    clustered_mean,
    clustered_share,
    difference_of,
    fitted_line,
    hypergeometric_ends,
    mean_interval,
    mean_over_queries,
    permutation_moments,
    ratio_of,
    resampled_means,
    resampling_weights,
    share_interval,
    slope_interval,
    student_quantile,
)
from fairviz.statistics.orders import ap_correlation, kendall_tau, top_tau
from fairviz.statistics.paired import corrected, leaning, monte_carlo_error, p_values, randomisation, wilcoxon
from tests.conftest import simulated

Array = np.ndarray


# --- means and slopes


VALUES = np.random.default_rng(6).gamma(2, size=(2, 3, 25))
VALUES[0, 1, :4] = np.nan


@pytest.mark.filterwarnings("error")
def test_the_interval_of_a_mean_is_scipys_and_needs_two_values() -> None:
    for level, place in product((0.5, 0.9, 0.95), np.ndindex(2, 3)):
        low, high = mean_interval(VALUES, level)
        row = VALUES[place][~np.isnan(VALUES[place])]
        assert (low[place], high[place]) == pytest.approx(stats.ttest_1samp(row, 0).confidence_interval(level))
    low, high = mean_interval(np.array([[1.0, np.nan, np.nan], [np.nan] * 3, [1.0, np.nan, 3.0]]))
    assert np.isnan([low, high]).tolist() == [[True, True, False]] * 2
    assert np.isnan(mean_interval(np.empty((2, 0)))[0]).all()
    assert mean_interval(np.full(5, 0.25)) == pytest.approx((0.25, 0.25)), "equal values, no width"


def test_the_interval_of_a_slope_is_that_of_least_squares() -> None:
    x, y = np.random.default_rng(7).normal(size=(2, 20))
    x[2], y[5] = np.nan, np.nan
    both = ~np.isnan(x + y)
    known, line = stats.linregress(x[both], y[both]), fitted_line(x[both], y[both])
    numbers = (known.slope, known.intercept, known.rvalue, known.pvalue, known.stderr, 18)
    assert line == pytest.approx(numbers, rel=1e-12)
    half = stats.t.ppf(0.95, 16) * known.stderr
    assert slope_interval(x, y, 0.9) == line.interval(0.9) == pytest.approx((known.slope - half, known.slope + half))
    assert np.isnan([*slope_interval(np.ones(5), np.arange(5.0)), *slope_interval(x[:2], y[:2])]).all()
    two = fitted_line(x[:2], np.ones(2))
    assert np.array_equal(two, (0.0, 1.0, np.nan, np.nan, np.nan, 2), equal_nan=True)
    assert np.isnan(two.interval()).all()


def test_quantiles_of_student_are_those_of_scipy() -> None:
    degrees = np.array([*range(1, 60), 99, 500, 501, 6979])
    for probability in (0.5, 0.6, 0.95, 0.975, 0.9999):
        found = student_quantile(degrees, probability)
        np.testing.assert_allclose(found, stats.t.ppf(probability, degrees), rtol=1e-11, atol=1e-12)
    assert student_quantile(degrees[1:].reshape(2, -1), 0.975).shape == (2, 31)


def test_resamples_are_seeded_of_full_size_and_leave_out_what_has_no_value() -> None:
    weights = resampling_weights(7, 50, seed=3)
    assert (weights.sum(axis=1) == 7).all()
    assert (weights == resampling_weights.__wrapped__(7, 50, 3)).all()
    assert (weights != resampling_weights(7, 50, seed=4)).any()
    values = np.array([[1.0, np.nan, 3.0], [1.0, 2.0, 3.0], [np.nan] * 3, [np.nan, 5.0, np.nan]])
    np.testing.assert_equal(mean_over_queries(values), [2.0, 2.0, np.nan, 5.0])
    means = resampled_means(values, 200)
    assert means.shape == (200, 4)
    drawn = means[~np.isnan(means[:, 0]), 0]  # of 1 and 3, up to three times
    assert set(np.round(drawn, 6)) <= {1.0, 3.0, 2.0, round(5 / 3, 6), round(7 / 3, 6)}


def test_band_of_draws_leaves_out_what_is_undefined() -> None:
    draws = np.array([[3.0, np.nan], [1.0, np.nan], [np.nan, np.nan], [2.0, np.nan]])
    band = band_of_draws(draws, 0.5)
    assert (band.low[0], band.high[0]) == (1.0, 3.0)
    assert np.isnan([band.low[1], band.high[1], band.error[1]]).all()
    band = band_of_draws(np.random.default_rng(1).normal(size=(1000, 400)))
    spread = max(band.low.std(), band.high.std())
    assert spread < band.error.mean() < 1.4 * spread, "the larger error of the two ends"


# --- shares of units in clusters, their differences and ratios


def slow_interval(counts: list[float], totals: list[float], level: float = 0.95) -> tuple[float, float]:
    """Korn and Graubard's interval, step by step, with the variance of a ratio of totals."""
    pairs = [(count, total) for count, total in zip(counts, totals, strict=True) if total > 0]
    clusters, units = len(pairs), sum(total for _, total in pairs)
    p = sum(count for count, _ in pairs) / units
    if p in (0, 1):
        size = clusters
    else:
        squares = sum((count - p * total) ** 2 for count, total in pairs)
        variance = clusters / (clusters - 1) * squares / units**2
        tail = (1 + level) / 2
        size = p * (1 - p) / variance * (stats.t.ppf(tail, units - 1) / stats.t.ppf(tail, clusters - 1)) ** 2
        size = min(size, units)
    tail = (1 - level) / 2
    low = stats.beta.ppf(tail, p * size, size - p * size + 1) if p > 0 else 0.0
    high = stats.beta.ppf(1 - tail, p * size + 1, size - p * size) if p < 1 else 1.0
    return low, high


@pytest.mark.parametrize("seed", range(8))
def test_the_interval_of_a_share_is_that_of_the_slow_reference(seed: int) -> None:
    generator = np.random.default_rng(seed)
    totals = generator.integers(0, 5, 15).astype(float)
    counts = generator.binomial(totals.astype(int), generator.uniform(0, 1, 15)).astype(float)
    share = clustered_share(counts, totals)
    assert share.value == pytest.approx(counts.sum() / totals.sum())
    assert share.clusters == (totals > 0).sum()
    assert share.interval() == pytest.approx(slow_interval(counts.tolist(), totals.tolist()), rel=1e-9)


def test_shares_of_nothing_none_and_all() -> None:
    nothing = clustered_share(np.zeros(3), np.zeros(3))
    assert np.isnan([nothing.value, *nothing.interval()]).all()
    assert np.isnan(difference_of(nothing, nothing)).all()
    none, every = (clustered_share(np.full(10, number), np.full(10, 2.0)) for number in (0.0, 2.0))
    assert none.interval() == share_interval(0, 10)
    assert every.interval() == share_interval(10, 10)
    assert np.isnan(clustered_share(np.array([1.0, 0.0]), np.array([2.0, 0.0])).interval()).all(), "a single cluster"
    assert ClusteredShare(np.array([0.25, np.nan, 0.75]), 4).errors.tolist() == [-0.125, 0.0, 0.125]


def test_a_difference_by_hand() -> None:
    share = clustered_share(np.array([0.0, 1.0, 2.0, 0.0]), np.full(4, 2.0))
    (share_low, share_high) = share.interval()
    skew = abs((share.value - share_low) - (share_high - share.value))  # correlation 1: √(a² + b² − 2 a b)
    assert difference_of(share, share) == pytest.approx((0, -skew, skew))
    first, second = (clustered_share(np.array(counts), np.full(4, 2.0)) for counts in ([0.0, 0, 2, 2], [0.0, 2, 0, 2]))
    (low, high), (other_low, other_high) = first.interval(), second.interval()  # without correlation squares are added
    assert difference_of(first, second) == pytest.approx(
        (0.0, -np.hypot(0.5 - low, other_high - 0.5), np.hypot(high - 0.5, 0.5 - other_low))
    )


def test_a_ratio_by_hand_and_of_nothing() -> None:
    half, every, none = (
        clustered_share(np.array(counts * 10), np.full(20, 2.0)) for counts in ([0.0, 2.0], [2.0] * 2, [0.0] * 2)
    )
    (low, high), (least, most) = half.interval(), every.interval()
    product = 0.5 * 1.0  # every has no errors, so that the two are not correlated
    lower = product - np.sqrt(product**2 - low * most * (1 - low) * (2 - most))
    upper = product + np.sqrt(product**2 - high * least * (1 - high) * (2 - least))
    assert ratio_of(half, every) == pytest.approx((0.5, lower / (most * (2 - most)), upper / (least * (2 - least))))
    assert ratio_of(half, half) == pytest.approx((1.0, 1.0, 1.0)), (
        "no width: they err together, and half's ends are even"
    )
    assert ratio_of(none, half)[0] == 0
    assert np.isnan(ratio_of(half, none)).all()


def clustered(generator: np.random.Generator, queries: int, mean: float, spread: float) -> tuple[Array, Array, Array]:
    """Units by query, of these the counted, and of another group the counted, whose share is four fifths."""
    rates = generator.beta(mean * spread, (1 - mean) * spread, queries)
    totals = generator.poisson(2, queries)
    return totals, generator.binomial(totals, rates), generator.binomial(totals, 0.8 * rates)


def covers(ends: tuple[float, float], truth: float) -> bool:
    return ends[0] <= truth <= ends[1]


@pytest.mark.parametrize(("queries", "mean", "spread"), [(20, 0.05, 1), (20, 0.2, 5), (40, 0.2, 1), (120, 0.5, 5)])
@simulated(100, 600)
def test_intervals_cover_in_simulations(queries: int, mean: float, spread: float, draws: int) -> None:
    """The share by group, the difference of groups, and that of systems of which the second counts a tenth of the rest
    and no longer a fifth: at least .93 of 600 draws. Binomial intervals, blind to clusters, cover less."""
    generator = np.random.default_rng(7)
    covered = np.zeros(4)
    for _ in range(draws):
        totals, counts, others = clustered(generator, queries, mean, spread)
        changed = counts + generator.binomial(totals - counts, 0.1) - generator.binomial(counts, 0.2)
        share, other, after = (clustered_share(each * 1.0, totals * 1.0) for each in (counts, others, changed))
        covered += [
            covers(share.interval(), mean),
            covers(difference_of(share, other)[1:], 0.2 * mean),
            covers(difference_of(after, share)[1:], 0.1 * (1 - mean) - 0.2 * mean),
            covers(share_interval(int(counts.sum()), int(totals.sum())), mean),
        ]
    shares, groups, systems, blind = covered / draws
    assert min(shares, groups, systems) >= 0.95 - 2.25 * np.sqrt(0.95 * 0.05 / draws), covered / draws
    assert spread > 1 or blind < shares


@pytest.mark.parametrize(("queries", "kept"), [(12, 1.0), (12, 0.5), (40, 0.5), (40, 0.1)])
@simulated(50, 600)
def test_the_interval_of_a_ratio_covers(queries: int, kept: float, draws: int) -> None:
    """The share of citations over that of a random choice from each query's ten documents, of which women's are cited
    with this weight: at least .93 of 600 draws."""

    def ratio(generator: np.random.Generator, size: int) -> tuple[float, float, float]:
        cited, chance, totals = np.zeros((3, size))
        for query in range(size):
            is_woman = generator.random(10) < generator.choice([0.2, 0.5, 0.8])
            weights = np.where(is_woman, kept, 1.0)
            chosen = generator.choice(10, min(generator.poisson(3), 10), replace=False, p=weights / weights.sum())
            totals[query] = len(chosen)
            cited[query], chance[query] = is_woman[chosen].sum(), len(chosen) * is_woman.mean()
        return ratio_of(clustered_share(cited, totals), clustered_share(chance, totals))

    generator = np.random.default_rng(5)
    truth = ratio(generator, 40 * draws)[0]
    covered = np.mean([covers(ratio(generator, queries)[1:], truth) for _ in range(draws)])
    assert covered >= 0.95 - 2.25 * np.sqrt(0.95 * 0.05 / draws)


# --- a mean whose values share queries and names


CLUSTERS = st.lists(st.tuples(st.floats(-5, 5), st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12)


def slow_variance(values: list[float], clusters: list[object], weights: list[float], mean: float) -> float:
    """Every pair of values of one cluster, times G / (G - 1)."""
    total = 0.0
    for value, cluster, weight in zip(values, clusters, weights, strict=True):
        for other, again, beside in zip(values, clusters, weights, strict=True):
            total += weight * (value - mean) * beside * (other - mean) if cluster == again else 0.0
    return total * len(set(clusters)) / (len(set(clusters)) - 1)


@given(CLUSTERS)
def test_against_sums_over_pairs_of_values(rows: list[tuple[float, int, int]]) -> None:
    values, queries, names = (list(column) for column in zip(*rows, strict=True))
    weights = [1 / queries.count(query) / len(set(queries)) for query in queries]
    mean = sum(weight * value for weight, value in zip(weights, values, strict=True))
    found = clustered_mean(np.array(values), np.array(queries), np.array(names))
    assert found.value == pytest.approx(mean, abs=1e-12)
    if len(set(queries)) < 2 or len(set(names)) < 2:
        assert np.isnan(found.error)
        return
    both = list(zip(queries, names, strict=True))
    one, two, cells = (slow_variance(values, each, weights, mean) for each in (queries, names, both))
    assert found.error**2 == pytest.approx(max(one + two - cells, one, two), abs=1e-9)


def test_a_clustered_mean_where_nothing_varies_repeats_or_has_a_value() -> None:
    queries, names = np.arange(12), np.arange(12) % 4
    assert clustered_mean(np.zeros(12), queries, names).p == 1
    found = clustered_mean(np.ones(12), queries, names)
    assert found.p == 2 / 2**4
    assert found.interval() == (1, 1)
    values = np.random.default_rng(1).normal(size=(12, 3))
    found = clustered_mean(values.ravel(), np.repeat(np.arange(12), 3), np.arange(36))  # no name twice: Student's t
    assert found.interval() == pytest.approx([float(end) for end in mean_interval(values.mean(axis=1))])
    missing = np.array([1.0, np.nan, 3.0, 2.0])
    found = clustered_mean(missing, np.array([0, 0, 1, 2]), np.array([0, 9, 1, 0]))
    assert (found.value, found.queries, found.names) == (2, 3, 2)
    nothing = clustered_mean(np.full(3, np.nan), np.arange(3), np.arange(3))
    assert np.isnan([nothing.value, nothing.error, nothing.p, *nothing.interval()]).all()


@pytest.mark.parametrize("spreads", [(0.0, 0.0, 1.0), (0.5, 0.0, 1.0), (0.0, 0.5, 1.0), (0.5, 0.5, 1.0)])
@pytest.mark.parametrize(("count", "per_query", "sets"), [(10, 5, 10), (40, 10, 50), (40, 10, 10)])
@simulated(60, 400)
def test_intervals_cover_as_claimed(count: int, per_query: int, sets: int, spreads: tuple, draws: int) -> None:
    """Clustered by query and name, at most four standard errors below .95; by query alone, less where names repeat."""
    generator, queries = np.random.default_rng(count + sets), np.repeat(np.arange(count), per_query)
    covered = np.zeros(2)
    for _ in range(draws):
        names = generator.permutation(np.resize(np.arange(sets), len(queries)))
        by_query, by_name, rest = map(generator.normal, (0.0, 0.0, 0.0), spreads, (count, sets, len(queries)))
        values = by_query[queries] + by_name[names] + rest
        alone = mean_interval(values.reshape(count, per_query).mean(axis=1))
        covered += [covers(clustered_mean(values, queries, names).interval(), 0), covers(alone, 0)]
    both, by_query_alone = covered / draws
    assert both >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / draws)
    if sets == 10 and count == 40 and spreads[1] > spreads[0]:
        assert by_query_alone < 0.7, "names that repeat are no new evidence"


# --- statistics of random orders


NUMBERS = np.array([0.0, 1.0, 0.5, 0.0, 2.0])


@pytest.mark.parametrize("weights", [[1.0], [1.0, 0.5], [1.0, 0.63, 0.5, 0.43], [0.2, 1.0, 3.0, 0.0, 1.0]])
def test_moments_are_those_of_all_orders(weights: list[float]) -> None:
    w = np.array(weights)
    values = [w @ NUMBERS[list(order)] for order in permutations(range(5), len(w))]
    rest = NUMBERS - NUMBERS.mean()
    mean, variance = permutation_moments(w.sum(), w @ w, NUMBERS.mean(), rest @ rest, np.array(5))
    assert mean == pytest.approx(np.mean(values))
    assert variance == pytest.approx(np.var(values))
    alone = permutation_moments(np.array(1.0), np.array(1.0), np.array(0.3), np.array(0.0), np.array(1))
    assert tuple(map(float, alone)) == (0.3, 0.0), "one candidate has no variance"


@pytest.mark.parametrize(("total", "marked", "drawn"), [(6, 2, 3), (6, 6, 4), (6, 0, 2), (5, 3, 5), (6, 1, 1)])
def test_hypergeometric_ends_are_quantiles_of_all_orders(total: int, marked: int, drawn: int) -> None:
    kinds = [1] * marked + [0] * (total - marked)
    counts = np.array([sum(order[:drawn]) for order in permutations(kinds)])
    for level in (0.5, 0.9, 0.95):
        ends = hypergeometric_ends(*(np.array([number]) for number in (total, marked, drawn)), level)
        for end, share in zip(ends, ((1 - level) / 2, (1 + level) / 2), strict=True):
            assert end[0] == min(x for x in range(7) if (counts <= x).mean() >= share - 1e-12)


# --- correlations of orders of the same items


pairs_of_orders = st.integers(2, 5).flatmap(
    lambda size: st.tuples(*[st.lists(st.integers(0, 4), min_size=size, max_size=size)] * 2)
)


def slow_ap(order: list[int], truth: list[int]) -> float:
    """2 / (n - 1) Σ C(i) / (i - 1) - 1 of an order of items without ties; ties in the truth are half right."""
    total = 0.0
    for rank in range(1, len(order)):
        item, above = order[rank], order[:rank]
        total += sum(1.0 if truth[one] < truth[item] else 0.5 * (truth[one] == truth[item]) for one in above) / rank
    return 2 / (len(order) - 1) * total - 1


@given(pairs_of_orders)
def test_the_ap_correlation_is_the_mean_over_all_orders_of_ties(both: tuple[list[int], list[int]]) -> None:
    values, truth = both
    allowed = [
        list(order) for order in permutations(range(len(values)))
        if all(values[one] <= values[other] for one, other in pairwise(order))
    ]  # fmt: skip
    expected = np.mean([slow_ap(order, truth) for order in allowed])
    assert ap_correlation(np.array([values]), np.array([truth]))[0] == pytest.approx(expected)


def test_orders_that_are_equal_reversed_apart_and_whole() -> None:
    order = np.arange(6.0)[None]
    assert (ap_correlation(order, order)[0], ap_correlation(-order, order)[0]) == (1, -1)
    assert ap_correlation(np.zeros((1, 6)), order)[0] == pytest.approx(0)
    assert ap_correlation(order, np.zeros((1, 6)))[0] == pytest.approx(0)
    first, second = np.array([[1.0, 2, 3, 4]]), np.array([[3.0, 4, 1, 2]])
    assert top_tau(first, second, 2)[0] == pytest.approx(-2 / 3)  # 4 pairs across are reversed, 2 have no order
    assert top_tau(first, second, 4)[0] == pytest.approx(kendall_tau(first, second)[0])


@given(pairs_of_orders, st.integers(1, 5))
def test_top_tau_is_by_pairs_of_items_in_either_top(both: tuple[list[int], list[int]], top: int) -> None:
    tops = [{at: value for at, value in enumerate(one) if sum(other < value for other in one) < top} for one in both]
    score, count = 0, 0
    for one, other in combinations(sorted({*tops[0], *tops[1]}), 2):
        signs = [
            int(np.sign(top_of.get(one, 9) - top_of.get(other, 9))) for top_of in tops
        ]  # outside: behind all, and equal
        score, count = score + signs[0] * signs[1], count + 1
    expected = score / count if count else np.nan
    found = top_tau(np.array([both[0]], dtype=float), np.array([both[1]], dtype=float), top)[0]
    assert found == pytest.approx(expected, nan_ok=True)


@given(pairs_of_orders)
def test_kendalls_tau_is_that_of_scipy(both: tuple[list[int], list[int]]) -> None:
    first, second = (np.array([one], dtype=float) for one in both)
    expected = kendalltau(first[0], second[0]).statistic
    assert kendall_tau(first, second)[0] == pytest.approx(expected, nan_ok=True)
    holed = [np.insert(one, [0, 1], values, axis=1) for one, values in ((first, [np.nan, 9]), (second, [9, np.nan]))]
    assert kendall_tau(*holed)[0] == pytest.approx(expected, nan_ok=True)


# --- paired tests of every query's difference


GENERATOR = np.random.default_rng(7)
OURS, THEIRS = GENERATOR.normal(0.1, 1, (3, 40)), GENERATOR.normal(0, 1, (3, 40))
OURS[1, :5] = np.nan
APART = OURS - THEIRS


def test_wilcoxon_is_scipys() -> None:
    rows = [row[~np.isnan(row)] for row in APART]
    for less, alternative in ((False, "two-sided"), (True, "less")):
        expected = [stats.wilcoxon(row, method="exact", alternative=alternative).pvalue for row in rows]
        assert wilcoxon(APART, less=less) == pytest.approx(np.array(expected), rel=1e-12)
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


@given(st.lists(st.sampled_from([-0.3, -0.2, -0.1, 0.0, 0.1, 0.3, 0.25, 0.7]), min_size=2, max_size=10))
def test_wilcoxon_counts_every_assignment_of_signs(row: list[float]) -> None:
    noisy = np.array(row) + 1e-13 * np.arange(len(row))
    assert wilcoxon(noisy[None])[0] == pytest.approx(every_sign(row), rel=1e-9)


def test_randomisation_counts_every_assignment_of_signs_and_draws_many() -> None:
    """Means of ±1 ±2 ±4: only +++ and --- reach |7|. Of forty queries scipy and fairviz draw 9,999 signs each."""
    for row in ([1.0, 2.0, 4.0], [1.0, np.nan, 2.0, 4.0]):
        assert randomisation(np.array([row]))[0] == 0.25
    assert randomisation(np.zeros((1, 5)))[0] == 1
    rows = [row[~np.isnan(row)] for row in APART]
    known = [stats.permutation_test((row,), np.mean, permutation_type="samples", rng=1).pvalue for row in rows]
    assert randomisation(APART) == pytest.approx(np.array(known), abs=0.015)
    assert randomisation(APART[1:2])[0] == randomisation(APART)[1]
    first, second = (p_values(APART[:1], "randomisation", 999, seed)[0] for seed in (0, 1))
    assert first != second == randomisation(APART[:1], 999, 1)[0]
    assert monte_carlo_error(np.array([0.5, 0.0, 0.1]), 900) == pytest.approx([0.5 / 30, 0.0, 0.01])


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


# --- fronts of means and the distance from them, and the rule of the paper's public code


def made_fronts(generator: np.random.Generator, queries: int, points: int = 12) -> list[Array]:
    return [upper_front(generator.random((points, 2)).round(2)) for _ in range(queries)]


def nearest_of_the_paper(points: Array, weight: float) -> Array:
    """The reference point of the public code: with the most effective point first and cumulative distances between
    neighbours, the end of the segment whose cumulative distance is nearest to the weight times the whole."""
    steps = [float(np.hypot(*(second - first))) for first, second in pairwise(points)]
    reached, ends = 0.0, []
    for step in steps:
        reached += step
        ends.append(reached)
    apart = [abs(end - weight * reached) for end in ends]
    return points[1 + apart.index(min(apart))]


def test_fronts_by_hand() -> None:
    # (0.6, 0.5) is below the line from (1, 0.2) to (0.4, 1); (0.4, 0.9) and (0.3, 1) are dominated
    points = np.array([[0.4, 1], [1, 0.2], [0.6, 0.5], [0.4, 0.9], [0.3, 1], [np.nan, 2], [1, 0.1]])
    assert upper_front(points).tolist() == [[1, 0.2], [0.4, 1]]
    assert upper_front(points[:1]).tolist() == [[0.4, 1]]
    assert upper_front(np.zeros((0, 2))).shape == (0, 2)
    # length 1: half of it is at (0.7, 0.4)
    line = np.array([[1.0, 0.0], [0.4, 0.8]])
    np.testing.assert_allclose([point_along(line, share)[0] for share in (0, 0.5, 1)], [[1, 0], [0.7, 0.4], [0.4, 0.8]])
    np.testing.assert_allclose(distance_values(query_fronts([line]), np.array([[0.7, 0.1]]), 0.5), 0.3)
    # fronts of one point each are their own reference
    found = query_fronts([np.array([[0.5, 0.5]]), np.array([[0.7, 0.1]])])
    np.testing.assert_allclose(reference_values(found, 0.5).mean(axis=0), [0.6, 0.3])
    assert distance_values(found, np.array([[0.6, 0.3], [0.6, 0.3]]), 0.5).tolist() == [0, 0]


def test_no_point_is_lost_among_many() -> None:
    weights = np.linspace(0.01, 0.99, 99)
    for decimals in (1, 6):
        points = np.random.default_rng(2).normal(size=(3 * fronts.FEW, 2)).round(decimals)
        found = upper_front(points)
        assert {tuple(point) for point in found.tolist()} <= {tuple(point) for point in points.tolist()}
        for weight in weights:
            assert (found @ (1 - weight, weight)).max() == pytest.approx((points @ (1 - weight, weight)).max())


def test_the_front_of_means_is_that_of_every_combination() -> None:
    generator = np.random.default_rng(3)
    for _ in range(20):
        each = made_fronts(generator, 3)
        means = np.array([np.mean(choice, axis=0) for choice in product(*each)])
        wanted, found = upper_front(means), query_fronts(each).points
        np.testing.assert_allclose(upper_front(found), wanted, atol=1e-12)
        np.testing.assert_allclose(found[[0, -1]], wanted[[0, -1]], atol=1e-12)
    some = np.array([True, False, True])
    part, alone = query_fronts(each).of(some), query_fronts([each[0], each[2]])
    np.testing.assert_allclose(part.points, alone.points)
    assert part.query.tolist() == alone.query.tolist()


def test_the_reference_is_that_of_the_public_code_up_to_half_a_segment() -> None:
    generator = np.random.default_rng(4)
    for weight in (0.1, 0.3, 0.5, 0.9):
        points = query_fronts(made_fronts(generator, 60)).points
        longest = np.linalg.norm(np.diff(points, axis=0), axis=1).max()
        apart = point_along(points, weight)[0] - nearest_of_the_paper(points, weight)
        assert np.linalg.norm(apart) <= longest / 2 + 1e-12
    # on a line whose middle is a computed point both are the same
    line = np.array([[1.0, 0.0], [0.7, 0.4], [0.4, 0.8]])
    np.testing.assert_allclose(point_along(line, 0.5)[0], nearest_of_the_paper(line, 0.5))


def weighted_reference(each: list[Array], weights: Array, share: float) -> Array:
    """The reference point with queries weighted, (Q,) summing to 1, written without the merged edges' record."""
    steps = sorted(
        ((float(np.arctan2(edge[1], -edge[0])), weight, edge)
         for front, weight in zip(each, weights, strict=True) for edge in np.diff(front, axis=0)),
        key=lambda step: -step[0],
    )  # fmt: skip
    point = sum(weight * front[0] for front, weight in zip(each, weights, strict=True))
    left = share * sum(weight * np.hypot(*edge) for _, weight, edge in steps)
    for _, weight, edge in steps:
        length = weight * np.hypot(*edge)
        part = min(left / length, 1.0) if length > 0 else 0.0
        point, left = point + part * weight * edge, left - part * length
    return point


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_contributions_are_derivatives_by_the_weight_of_a_query(share: float) -> None:
    generator = np.random.default_rng(5)
    each = made_fronts(generator, 30)
    found, values = query_fronts(each), generator.random((30, 2)) * 0.5
    equal = np.full(30, 1 / 30)
    point = weighted_reference(each, equal, share)
    np.testing.assert_allclose(reference_values(found, share).mean(axis=0), point)
    contributions = distance_values(found, values, share)
    distance = np.linalg.norm(values.mean(axis=0) - point)
    np.testing.assert_allclose(contributions.mean(), distance)
    for query in range(30):
        moved = []
        for step in (1e-6, -1e-6):
            weights = (1 - step) * equal
            weights[query] += step
            moved.append(np.linalg.norm(weights @ values - weighted_reference(each, weights, share)))
        np.testing.assert_allclose((moved[0] - moved[1]) / 2e-6, contributions[query] - distance, atol=1e-5)
