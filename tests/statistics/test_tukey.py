"""Randomised Tukey HSD against a slow permutation of each query's values."""

import itertools
import math

import numpy as np
import pytest

from fairviz.statistics.contrasts import Block, Estimates
from fairviz.statistics.families import parse_tests
from fairviz.statistics.references import largest_ranges
from fairviz.statistics.simultaneous import compare_blocks

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


def test_draws_are_seeded() -> None:
    assert (largest_ranges(VALUES, 50, 1) == largest_ranges(VALUES, 50, 1)).all()
    assert (largest_ranges(VALUES, 50, 1) != largest_ranges(VALUES, 50, 2)).any()


def test_p_is_the_share_of_draws_that_reach_the_difference_and_intervals_are_of_one_width() -> None:
    pairs = tuple(itertools.combinations(range(3), 2))
    (tested,) = compare_blocks([Block(Estimates(VALUES), pairs)], parse_tests("tukey"), 999, seed=1)
    ranges = largest_ranges(VALUES, 999, 1)
    for (a, b), p in zip(pairs, tested.p_corrected, strict=True):
        apart = abs(VALUES[a].mean() - VALUES[b].mean())
        assert p == (1 + (ranges >= apart * (1 - 1e-9)).sum()) / 1000
    low, high = tested.interval(0.95)
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


def test_slices_of_a_measure_are_one_family() -> None:
    """The largest difference in any slice: of 12 queries and of 14, that no slice shares."""
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
