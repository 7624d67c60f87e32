"""Student's t intervals of means and slopes, against scipy."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

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
from tests.conftest import simulated

Array = np.ndarray
VALUES = np.random.default_rng(6).gamma(2, size=(2, 3, 25))
VALUES[0, 1, :4] = np.nan


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_the_interval_of_a_mean_is_scipys(level: float) -> None:
    low, high = mean_interval(VALUES, level)
    for place in np.ndindex(2, 3):
        row = VALUES[place][~np.isnan(VALUES[place])]
        assert (low[place], high[place]) == pytest.approx(stats.ttest_1samp(row, 0).confidence_interval(level))


@pytest.mark.filterwarnings("error")
def test_fewer_than_two_values_have_no_interval() -> None:
    low, high = mean_interval(np.array([[1.0, np.nan, np.nan], [np.nan] * 3, [1.0, np.nan, 3.0]]))
    assert np.isnan(low).tolist() == [True, True, False]
    assert np.isnan(high).tolist() == [True, True, False]
    assert np.isnan(mean_interval(np.empty((2, 0)))[0]).all()
    assert mean_interval(np.full(5, 0.25)) == pytest.approx((0.25, 0.25)), "equal values, no width"


def test_the_interval_of_a_slope_is_that_of_least_squares() -> None:
    x, y = np.random.default_rng(7).normal(size=(2, 20))
    x[2], y[5] = np.nan, np.nan
    both = ~np.isnan(x + y)
    line = stats.linregress(x[both], y[both])
    numbers = (line.slope, line.intercept, line.rvalue, line.pvalue, line.stderr, both.sum())
    assert fitted_line(x[both], y[both]) == pytest.approx(numbers, rel=1e-12)
    half = stats.t.ppf(0.95, both.sum() - 2) * line.stderr
    assert slope_interval(x, y, 0.9) == pytest.approx((line.slope - half, line.slope + half))
    assert np.isnan(slope_interval(np.ones(5), np.arange(5.0))).all()
    assert np.isnan(slope_interval(x[:2], y[:2])).all()
    assert np.array_equal(fitted_line(x[:2], np.ones(2)), (0.0, 1.0, np.nan, np.nan, np.nan, 2), equal_nan=True)


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
def test_the_interval_is_that_of_the_slow_reference(seed: int) -> None:
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


@pytest.mark.parametrize(("queries", "kept"), [(12, 1.0), (12, 0.5), (40, 0.5), (40, 0.1)])
@simulated(100, 600)
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
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_hypergeometric_ends_are_quantiles_of_all_orders(total: int, marked: int, drawn: int, level: float) -> None:
    kinds = [1] * marked + [0] * (total - marked)
    counts = np.array([sum(order[:drawn]) for order in permutations(kinds)])
    ends = hypergeometric_ends(*(np.array([number]) for number in (total, marked, drawn)), level)
    for end, share in zip(ends, ((1 - level) / 2, (1 + level) / 2), strict=True):
        assert end[0] == min(x for x in range(7) if (counts <= x).mean() >= share - 1e-12)


def test_band_of_draws_leaves_out_what_is_undefined() -> None:
    draws = np.array([[3.0, np.nan], [1.0, np.nan], [np.nan, np.nan], [2.0, np.nan]])
    band = band_of_draws(draws, 0.5)
    assert (band.low[0], band.high[0]) == (1.0, 3.0)
    assert np.isnan([band.low[1], band.high[1], band.error[1]]).all()
    band = band_of_draws(np.random.default_rng(1).normal(size=(1000, 400)))
    spread = max(band.low.std(), band.high.std())
    assert spread < band.error.mean() < 1.4 * spread, "the larger error of the two ends"


def test_quantiles_of_student_are_those_of_scipy() -> None:
    degrees = np.array([*range(1, 60), 99, 500, 501, 6979, 99_999])
    for probability in (0.5, 0.6, 0.95, 0.975, 0.9999):
        found = student_quantile(degrees, probability)
        np.testing.assert_allclose(found, stats.t.ppf(probability, degrees), rtol=1e-11, atol=1e-12)
    assert student_quantile(degrees.reshape(2, -1), 0.975).shape == (2, len(degrees) // 2)
