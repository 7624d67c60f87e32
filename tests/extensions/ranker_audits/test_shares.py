"""Shares, ratio, consistency and position bias, worked by hand and against a slow reference."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.extensions.ranker_audits.shares import (
    Preferred,
    consistency,
    estimate,
    first_named,
    means_by_query,
    pair_shares,
    preference_columns,
    preferred,
    ratio,
    twice_first,
)

NAN = math.nan
# Three queries. In the first column the group's document was shown first, in the second the other.
# q0: the group's wins both, then the model names the first both times. q1: the other wins both. q2: one answer is lost.
WINS = np.array([[1, 1], [1, 0], [0, 0], [1, NAN]])
QUERIES = np.array([0, 0, 1, 2])


def test_worked_by_hand() -> None:
    own, other, tied = means_by_query(pair_shares(WINS), QUERIES)
    np.testing.assert_allclose(own, [0.75, 0.0, NAN])  # q0: (2 + 1) of 4 answers
    np.testing.assert_allclose(other, [0.25, 1.0, NAN])
    np.testing.assert_allclose(tied, [0.0, 0.0, NAN])
    assert ratio(own, other) == pytest.approx(0.375 / 0.625)  # means over two queries
    twice, other_twice = means_by_query(twice_first(WINS), QUERIES)
    np.testing.assert_allclose(twice, [0.5, 0.0, NAN])  # one of q0's two pairs in both orders
    np.testing.assert_allclose(other_twice, [0.0, 1.0, NAN])
    same = means_by_query(consistency(WINS)[None], QUERIES)[0]
    np.testing.assert_allclose(same, [0.5, 1.0, NAN])  # the second pair of q0 has two winners
    assert estimate(same).value == 0.75
    named = means_by_query(first_named(WINS)[None], QUERIES)[0]
    np.testing.assert_allclose(named, [0.75, 0.5, 1.0])  # q0: 1 of 2, then 2 of 2; q2: its one answer names the first


def test_ratios_without_end() -> None:
    assert ratio(np.array([1.0, 0.5]), np.array([0.0, 0.0])) == math.inf
    assert math.isnan(ratio(np.zeros(2), np.zeros(2)))
    assert math.isnan(ratio(np.zeros(0), np.zeros(0)))
    always = preferred(np.ones(12)).odds()
    assert (always.value, always.high) == (math.inf, math.inf)
    assert always.low == pytest.approx(1 / (2 ** (1 / 12) * 20 ** (1 / 12) - 1)), "share ≥ .025^(1/12)"
    even = preferred(np.full(12, 0.5))
    assert math.isnan(even.share().value)
    assert math.isnan(even.odds().low)


def test_intervals_of_shares_and_sign_tests_by_hand() -> None:
    found = estimate(np.array([1.0, 1.0, 0.0]), share=True)
    assert (found.low, found.high) == (0, 1)
    assert estimate(np.array([1.0, 1.0, 0.0])).high == pytest.approx(2 / 3 + 4.302653 / 3)
    found = preferred(np.array([1, 1, 1, 1, 0.5, NAN]))
    assert (found.above, found.below, found.queries, found.tested) == (4, 0, 5, False)
    assert found.p == 0.125  # 2 / 2^4
    assert preferred(np.array([0.5, 0.5])).p == 1
    assert math.isnan(preferred(np.array([NAN])).p)


@pytest.mark.parametrize("level", [0.95, 0.99])
def test_the_interval_of_the_ratio_agrees_with_the_sign_test(level: float) -> None:
    """It excludes 1 exactly where p ≤ 1 − level, for every count of 3 to 40 queries; p by a sum of binomials."""
    for total in range(3, 41):
        for above in range(total + 1):
            found = Preferred(above, total - above, total)
            tail = sum(math.comb(total, count) for count in range(max(above, total - above), total + 1)) / 2**total
            p = min(2 * tail, 1.0)
            assert found.p == pytest.approx(p)
            odds, share = found.odds(level), found.share(level)
            outside = odds.low > 1 or odds.high < 1
            assert outside == (share.low > 0.5 or share.high < 0.5) == (p <= 1 - level)
            assert odds.low <= odds.value <= odds.high


def test_a_family_of_sign_tests_has_intervals_at_its_level() -> None:
    """Three rows, of which one has too few queries: two are a family. 15 of 20 has p .041 alone."""
    found = preference_columns([Preferred(15, 5, 20), Preferred(18, 2, 25), Preferred(9, 0, 9)])
    assert [row["family"] for row in found] == [2, 2, 2]
    assert found[0]["p_shares"] == pytest.approx(0.0413895)
    assert found[0]["p_shares_corrected"] == pytest.approx(2 * 0.0413895)
    assert found[0]["ratio_low"] < 1 < found[0]["ratio_high"]
    assert found[1]["ratio_low"] > 1
    assert found[1]["preferred"] == 0.9
    assert math.isnan(found[2]["p_shares_corrected"])
    assert math.isnan(found[2]["ratio_low"])
    assert found[2]["ratio"] == math.inf


ANSWER = st.sampled_from([0.0, 0.5, 1.0, NAN])
PAIRS = st.lists(st.tuples(st.integers(0, 3), ANSWER, ANSWER), min_size=1, max_size=20)


@given(PAIRS)
def test_against_a_slow_reference(pairs: list[tuple[int, float, float]]) -> None:
    queries = sorted({query for query, _, _ in pairs})
    codes = np.array([queries.index(query) for query, _, _ in pairs])
    wins = np.array([[one, two] for _, one, two in pairs])
    per_pair = np.vstack([pair_shares(wins), consistency(wins), first_named(wins)])
    fast = means_by_query(per_pair, codes)
    for place, query in enumerate(queries):
        np.testing.assert_allclose(fast[:, place], slow_query([pair[1:] for pair in pairs if pair[0] == query]))
    own, other = (slow_mean(list(row)) for row in fast[:2])
    told = ratio(*fast[:2])
    if math.isnan(own) or (own == 0 and other == 0):
        assert math.isnan(told)
    else:
        assert told == pytest.approx(math.inf if other == 0 else own / other)


def slow_mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else NAN


def slow_query(answers: list[tuple[float, float]]) -> list[float]:
    """Shares of the group, the other and ties, consistency, and the share of answers that name what stood first."""
    firsts, others, ties, same, named = [], [], [], [], []
    for one, two in answers:
        shown_first = [value for value, tie in ((one, one == 0.5), (1 - two, two == 0.5)) if not tie]
        named.append(slow_mean(shown_first))
        if not (math.isnan(one) or math.isnan(two)):
            winners = ["group" if win == 1 else "other" if win == 0 else "nobody" for win in (one, two)]
            firsts.append(winners.count("group") / 2)
            others.append(winners.count("other") / 2)
            ties.append(winners.count("nobody") / 2)
            same.append(float(winners[0] == winners[1]))
    return [slow_mean(values) for values in (firsts, others, ties, same, named)]
