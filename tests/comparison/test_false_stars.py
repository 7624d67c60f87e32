"""The chance of a false star somewhere, against a slow reference that goes through all signs."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

from fairviz.comparison.family import How
from fairviz.comparison.pairs import Part, compare_pairs, false_stars
from fairviz.comparison.points import Points
from fairviz.measures import parse
from fairviz.statistics.families import parse_tests
from fairviz.statistics.paired import corrected, wilcoxon

QUERIES = tuple(f"q{place:02}" for place in range(11))
PATTERNS = np.array([(*signs, 1) for signs in itertools.product((1, -1), repeat=len(QUERIES) - 1)])
SIGNS = len(PATTERNS)  # patterns of signs, up to all opposite


def part(text: str, values: np.ndarray) -> Part:
    return "", parse(text), Points(("a", "b", "c", "d", "e")[: len(values)], QUERIES, values, np.zeros(0))


def setting(seed: int, systems: int) -> list[Part]:
    """A measure that is fairest where it is high, without a value of one query, and one of distances from 0."""
    generator = np.random.default_rng(seed)
    high, zero = generator.normal(size=(2, systems, len(QUERIES)))
    high[0, 4] = np.nan
    return [part("NFaiRR@10", high), part("ExposureGap@10", 100 + zero**2)]


def signed(apart: np.ndarray) -> np.ndarray:
    """The differences of a pair less their mean, with the signs of every pattern, (SIGNS, queries of both)."""
    is_there = ~np.isnan(apart)
    return PATTERNS[:, is_there] * (apart[is_there] - apart[is_there].mean())


def slow_chance(settings: list[list[Part]], how: How) -> float:
    """The share of all patterns of signs in which |t| of the differences of some pair, less their mean and with these
    signs, is above the half width of its interval in standard errors."""
    is_starred = np.zeros(SIGNS, dtype=bool)
    for pairs in [pairs for parts in settings for pairs in compare_pairs(parts, how)]:
        columns = pairs.columns
        for a, b in itertools.combinations(range(len(pairs.points.systems)), 2):
            if math.isnan(columns["p_corrected"][a, b]):  # not a pair of the family
                continue
            values = signed(pairs.points.values[a] - pairs.points.values[b])
            t = values.mean(axis=1) / values.std(axis=1, ddof=1) * math.sqrt(values.shape[1])
            low, high, middle = (float(columns[name][a, b]) for name in ("ci_low", "ci_high", "difference"))
            width = max(high - middle, middle - low) / float(columns["error"][a, b])
            is_starred |= np.abs(t) > width * (1 + 1e-9)
    return is_starred.mean()


@pytest.mark.parametrize("tests", ["maxT", "bonferroni", "none", "maxT(family='measures')", "maxT(baseline='a')"])
def test_the_chance_is_that_of_all_signs(tests: str) -> None:
    how, settings = How(parse_tests(tests), draws=SIGNS), [setting(seed, 4) for seed in (1, 2)]
    found = false_stars([(parts, how) for parts in settings], draws=100)
    assert [len(of_families) for of_families in found] == [1 if "measures" in tests else 2] * 2
    assert np.concatenate(found).any(axis=0).mean() == slow_chance(settings, how)


@cache
def p_of_patterns(apart: tuple[float, ...], statistic: str) -> np.ndarray:
    """The p of a pair under every pattern of signs, (SIGNS,)."""
    values = signed(np.array(apart))
    if statistic == "t":
        return stats.ttest_1samp(values, 0, axis=1).pvalue
    if statistic == "wilcoxon":
        return wilcoxon(values)
    reached = np.abs(values.sum(axis=1))
    return (reached >= reached[:, None] - 1e-9).mean(axis=1)


def slow_chance_of_tests(settings: list[list[Part]], how: How) -> float:
    """The share of all patterns of signs in which some pair is called different: the centred differences of each are
    tested with the signs of every pattern, and the p of a pattern are corrected within each measure."""
    is_starred = np.zeros(SIGNS, dtype=bool)
    for pairs in [pairs for parts in settings for pairs in compare_pairs(parts, how)]:
        tested = [pair for pair in itertools.combinations(range(len(pairs.points.systems)), 2)
                  if not math.isnan(pairs.columns["p_corrected"][pair])]  # fmt: skip
        values = pairs.points.values
        found = np.column_stack(
            [p_of_patterns(tuple((values[a] - values[b]).tolist()), how.tests.statistic) for a, b in tested]
        )
        for pattern in np.flatnonzero(found.min(axis=1) <= how.alpha * (1 + 1e-9)):  # no correction lowers a p
            is_starred[pattern] |= (corrected(found[pattern], how.tests.method) <= how.alpha * (1 + 1e-9)).any()
    return is_starred.mean()


@pytest.mark.parametrize(
    "tests",
    [
        *("bh", "holm", "none(statistic='wilcoxon')", "bh(statistic='wilcoxon')"),
        *("bonferroni(statistic='randomisation')", "bh(statistic='randomisation')"),
    ],
)
def test_the_chance_is_that_of_the_chosen_statistic_and_correction(tests: str) -> None:
    how, settings = How(parse_tests(tests), draws=SIGNS), [setting(seed, 3) for seed in (1, 2)]
    found = false_stars([(parts, how) for parts in settings], draws=100)
    chance = slow_chance_of_tests(settings, how)
    assert np.concatenate(found).any(axis=0).mean() == chance
    assert 0 < chance < 1


def test_more_queries_than_are_counted_give_nearly_the_same_chance() -> None:
    """Sixty queries: normal signed ranks, and drawn signs. A pair alone is called different in 5 % of cases."""
    queries = tuple(f"q{place:02}" for place in range(60))
    values = np.random.default_rng(5).normal(size=(2, 60))
    parts: list[Part] = [("", parse("NFaiRR@10"), Points(("a", "b"), queries, values, np.zeros(0)))]
    for tests in ("bh(statistic='wilcoxon')", "holm(statistic='randomisation')", "bh"):
        (found,) = false_stars([(parts, How(parse_tests(tests)))], draws=4000)
        assert found.mean() == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / 4000))


def test_the_same_setting_twice_is_no_further_chance_and_one_without_tests_no_family() -> None:
    parts, how = setting(3, 5), How()
    once, twice = (false_stars([(parts, how)] * times, draws=200) for times in (1, 2))
    assert np.concatenate(twice).any(axis=0).tolist() == np.concatenate(once).any(axis=0).tolist()
    few = [part("NFaiRR@10", np.where(np.arange(len(QUERIES)) < 5, 1.0, np.nan) * np.ones((2, 1)))]
    assert [len(found) for found in false_stars([(few, How())], draws=200)] == [0]
