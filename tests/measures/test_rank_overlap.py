"""Rank-biased overlap by hand, and its bounds over ties by trying every order."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.measures.rank_overlap import overlap_over_ties, rank_biased_overlap
from tests.conftest import refused


def by_definition(first, second, p=0.9):
    """Equation 32, sum by sum."""
    short, long = sorted((first, second), key=len)
    s, l = len(short), len(long)  # noqa: E741 (the paper's letters)
    common = {d: len(set(first[:d]) & set(second[:d])) for d in range(1, l + 1)}
    total = sum(common[d] / d * p**d for d in range(1, l + 1))
    total += sum(common[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    return (1 - p) / p * total + ((common[l] - common[s]) / l + common[s] / s) * p**l


def test_identical_is_1_and_disjoint_is_0():
    for length in (1, 2, 10, 100):
        names = [f"d{place}" for place in range(length)]
        assert rank_biased_overlap(names, names) == pytest.approx(1, abs=1e-12)
        assert rank_biased_overlap(names, [name.upper() for name in names]) == 0
    assert np.isnan(rank_biased_overlap([], []))
    assert rank_biased_overlap([], ["a"]) == rank_biased_overlap(["a"], []) == 0


def test_by_hand():
    """a b c d e f g h i j against b a c x d y e z f w: X = 0 2 3 3 4 4 5 5 6 6."""
    common = [0, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    agreement = [0, 1, 1, 3 / 4, 4 / 5, 4 / 6, 5 / 7, 5 / 8, 6 / 9, 6 / 10]
    assert [x / d for d, x in enumerate(common, start=1)] == agreement
    # 0.1 · (0 + 0.9 + 0.81 + 0.75·0.729 + 0.8·0.6561 + …) + 0.6 · 0.9^10
    powers = [1, 0.9, 0.81, 0.729, 0.6561, 0.59049, 0.531441, 0.4782969, 0.43046721, 0.387420489]
    expected = 0.1 * sum(a * w for a, w in zip(agreement, powers, strict=True)) + 0.6 * 0.3486784401
    assert expected == pytest.approx(0.6465, abs=5e-5)
    assert rank_biased_overlap("abcdefghij", "bacxdyezfw") == pytest.approx(expected, abs=1e-12)
    # `ab` against `bca`, p 0.5: X = 0 1 2; 1 · (1/2 · 1/4 + 2/3 · 1/8 + 1·1/(2·3) · 1/8) + ((2-1)/3 + 1/2) · 1/8.
    expected = 1 / 8 + 1 / 12 + 1 / 48 + 5 / 48
    assert rank_biased_overlap("ab", "bca", 0.5) == pytest.approx(expected, abs=1e-12)
    assert rank_biased_overlap("bca", "ab", 0.5) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("p", [0, 1, -0.5, 2])
def test_a_persistence_that_cannot_be(p):
    with refused(f"p is {p:g}\nUse a number between 0 and 1, such as 0.9.", UsageError):
        rank_biased_overlap("ab", "ba", p)


LISTS = st.permutations("abcdef").flatmap(lambda names: st.integers(0, 6).map(lambda cut: list(names[:cut])))


@given(LISTS, LISTS, st.sampled_from([0.5, 0.9]))
def test_the_definition(first, second, p):
    found = rank_biased_overlap(first, second, p)
    if first and second:
        assert found == pytest.approx(by_definition(first, second, p), abs=1e-12)
    assert np.isnan(found) or 0 <= found <= 1


def tied_orders(names, scores):
    """Every order of the list that its ties allow."""
    groups = [
        [name for name, held in zip(names, scores, strict=True) if held == score] for score in dict.fromkeys(scores)
    ]
    for chosen in product(*(permutations(group) for group in groups)):
        yield [name for group in chosen for name in group]


SHORT = st.permutations("abcde").flatmap(
    lambda names: st.lists(st.integers(0, 2), min_size=0, max_size=4).map(
        lambda scores: (list(names[: len(scores)]), sorted(scores, reverse=True))
    )
)


@given(SHORT, SHORT)
def test_bounds_over_ties_are_those_of_all_orders(first, second):
    low, high = overlap_over_ties(first[0], second[0], np.array(first[1]), np.array(second[1]))
    every = [rank_biased_overlap(one, other, 0.9) for one in tied_orders(*first) for other in tied_orders(*second)]
    if first[0] or second[0]:
        assert low == pytest.approx(min(every), abs=1e-12)
        assert high == pytest.approx(max(every), abs=1e-12)
