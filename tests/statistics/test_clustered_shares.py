"""Intervals of shares of clustered units: by hand, against beta quantiles, and their coverage in simulations."""

import numpy as np
import pytest
from scipy import stats

from fairviz.statistics.intervals import ClusteredShare, clustered_share, difference_of, share_interval

Array = np.ndarray


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


def test_clusters_of_single_units_have_nearly_the_exact_interval() -> None:
    """Nine of thirty, each a cluster: n = 30 · 29 / 30, as a variance over clusters divides by one less."""
    share = clustered_share(np.array([1.0] * 9 + [0.0] * 21), np.ones(30))
    assert share.interval() == pytest.approx(share_interval(9 / 30 * 29, 29))


def test_a_difference_with_itself_is_nothing_and_nearly_without_width() -> None:
    share = clustered_share(np.array([0.0, 1.0, 2.0, 0.0]), np.full(4, 2.0))
    difference, low, high = difference_of(share, share)
    (share_low, share_high) = share.interval()
    skew = abs((share.value - share_low) - (share_high - share.value))  # correlation 1: √(a² + b² − 2 a b)
    assert difference == 0
    assert (low, high) == pytest.approx((-skew, skew))


def test_without_correlation_squares_are_added() -> None:
    first, second = (clustered_share(np.array(counts), np.full(4, 2.0)) for counts in ([0.0, 0, 2, 2], [0.0, 2, 0, 2]))
    (low, high), (other_low, other_high) = first.interval(), second.interval()
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
def test_intervals_cover_in_simulations(queries: int, mean: float, spread: float) -> None:
    """The share by group, the difference of groups, and that of systems of which the second counts a tenth of the rest
    and no longer a fifth: at least .93 of 600 draws. Binomial intervals, blind to clusters, cover less."""
    generator, draws = np.random.default_rng(7), 600
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
    assert min(shares, groups, systems) >= 0.93, covered / draws
    assert spread > 1 or blind < shares


def test_false_alarms_are_rare_at_the_limit() -> None:
    """The lower end lies above the true rise in at most .035 of 600 draws, as a gate fails by one end alone."""
    generator, alarms = np.random.default_rng(3), 0
    for _ in range(600):
        totals, counts, _ = clustered(generator, 40, 0.2, 2)
        after = counts + generator.binomial(totals - counts, 0.2)
        pair = [clustered_share(each * 1.0, totals * 1.0) for each in (after, counts)]
        alarms += difference_of(*pair)[1] > 0.2 * 0.8
    assert alarms <= 0.035 * 600


def test_the_errors_of_clusters_sum_to_nothing() -> None:
    share = ClusteredShare(np.array([0.25, np.nan, 0.75]), 4)
    assert share.errors.tolist() == [-0.125, 0.0, 0.125]
