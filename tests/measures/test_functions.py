"""The functions that measures rest on: rank-biased overlap, with its bounds over ties by trying every order, position
bias, and GSR's slope and weights. GSR's points are tested in tests/evaluation/test_gsr.py."""

import math
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.measures.gsr import list_weights, slope
from fairviz.measures.position_bias import parse_position_bias, position_bias
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


# --- position bias


@pytest.mark.parametrize(
    ("text", "definition"),
    [
        ("log2", lambda i, k: 1 / math.log2(1 + i)),
        ("reciprocal", lambda i, k: 1 / i),
        ("rbp(p=0.8)", lambda i, k: 0.8 ** (i - 1)),
        ("linear", lambda i, k: 1 - (i - 1) / k),
        ("uniform", lambda i, k: 1.0),
    ],
)
def test_weights_are_those_of_the_definition(text: str, definition) -> None:
    bias = position_bias(text, 20)
    for k in (1, 2, 7, 20):
        np.testing.assert_allclose(bias.weights(k), [definition(i, k) for i in range(1, k + 1)], rtol=1e-13)
    assert bias.falling


def test_custom_weights_end_with_their_table_and_may_rise() -> None:
    bias = position_bias("custom", 5, np.array([0.2, 0.9]))
    assert bias.weights(5).tolist() == [0.2, 0.9, 0, 0, 0]
    assert not bias.falling
    assert position_bias("custom", 1, np.array([0.5, 0.1])).weights(1).tolist() == [0.5]


def test_what_is_no_position_bias() -> None:
    for text, message in {
        "log10": "unknown position bias 'log10'",
        "": "unknown position bias ''",
        "log2(p=1)": "the position bias log2 takes no parameter, got 'log2(p=1)'",
        "rbp(p=1.5)": "the position bias 'rbp(p=1.5)' takes p from 0.01 to 0.99",
        "rbp(p=1e5.5)": "'1e5.5' is not a number in the position bias 'rbp(p=1e5.5)'",
    }.items():
        with pytest.raises(UsageError) as error:
            parse_position_bias(text)
        assert error.value.message == message
    for weights in (None, [], [0, 0], [1, -1], [1, math.nan], [math.inf]):
        with pytest.raises(UsageError):
            position_bias("custom", 3, None if weights is None else np.array(weights, dtype=float))


# --- GSR


NAN = float("nan")


def test_weights_count_how_often_a_query_stands_there() -> None:
    query, lists = np.array([0.1, 0.2, 0.4, 0.3]), np.array([0.3, 0.1, 0.2, 0.0])
    weights = np.array([[1, 1, 1, 1], [2, 0, 3, 1], [0, 4, 0, 0], [0, 0, 0, 0]])
    slopes = slope(query, lists, weights)
    drawn = [np.repeat(np.arange(4), row) for row in weights[:2]]
    assert slopes[:2] == pytest.approx([np.polyfit(query[rows], lists[rows], 1)[0] for rows in drawn])
    assert np.isnan(slopes[2:]).all(), "one query, however often, has no slope"


def test_undefined_and_equal_queries() -> None:
    query, lists = np.array([0.1, NAN, 0.3, 0.5]), np.array([0.1, 0.9, 0.2, NAN])
    assert slope(query, lists, np.ones(4)) == pytest.approx(0.5)
    assert np.isnan(slope(np.array([NAN, 0.1]), np.array([0.1, NAN]), np.ones((3, 2)))).all()
    assert np.isnan(slope(np.array([]), np.array([]), np.ones(0)))
    assert np.isnan(slope(np.array([0.1 + 0.2, 0.3, 0.3]), np.array([0.1, 0.2, 0.3]), np.ones(3)))


def test_weights_of_a_list() -> None:
    ranks = np.arange(1, 1001)
    assert list_weights(ranks, "equation") == pytest.approx([1 / math.log2(rank + 1) for rank in ranks])
    assert list_weights(ranks, "code") == pytest.approx([1 / max(1, math.log2(rank)) for rank in ranks])
