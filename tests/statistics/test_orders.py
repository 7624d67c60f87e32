"""Orders of the same items: against scipy, slow readings of the definitions, and hand-made cases."""

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from fairviz.statistics.orders import ap_correlation, kendall_tau, top_tau

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
