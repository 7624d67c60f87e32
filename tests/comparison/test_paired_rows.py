"""Rows of paired differences as one family, against a slow loop over draws of signs."""

import numpy as np
import pytest
from scipy.stats import sem, ttest_1samp

from fairviz.comparison.family import How
from fairviz.comparison.pairs import compare_rows, no_verdict
from fairviz.statistics.families import Tests as Families
from fairviz.statistics.paired import corrected
from tests.slow_max_t import slow_rows

DRAWS = 199
Array = np.ndarray


def made(seed: int = 0) -> tuple[Array, Array]:
    generator = np.random.default_rng(seed)
    first = generator.normal([[0.3], [0.05], [0.0]], 0.4, (3, 30))
    second = generator.normal(0, 0.4, (3, 30))
    first[1, :4], second[2, 20:25] = np.nan, np.nan
    return first, second


def test_p_and_intervals_are_those_of_one_family() -> None:
    first, second = made()
    found = compare_rows(first, second, How(draws=DRAWS))
    p, below, above = slow_rows(list(first - second))
    assert found.p_corrected.tolist() == pytest.approx(p)
    assert found.queries.tolist() == [30, 26, 25]
    means = np.nanmean(first - second, axis=1)
    error = np.array([sem(row[~np.isnan(row)]) for row in first - second])
    assert found.difference == pytest.approx(means)
    assert found.high == pytest.approx(means + above * error)
    assert found.low == pytest.approx(means - below * error)
    assert found.caption == "3 differences, maxT"
    outside = (found.low > 0) | (found.high < 0)
    assert ((found.p_corrected <= 0.05) == outside).all()
    assert (found.side == np.where(outside, np.sign(means), 0)).all()


def test_distances_from_0_reject_difference_and_sum() -> None:
    first, second = made()
    found = compare_rows(first, second, How(draws=DRAWS), directions=["higher", "zero", "zero"])
    p, *_ = slow_rows([first[0] - second[0], *(first[1:] - second[1:]), *(first[1:] + second[1:])])
    assert found.p_corrected.tolist() == pytest.approx([p[0], max(p[1], p[3]), max(p[2], p[4])])
    both = ~np.isnan(first[1]) & ~np.isnan(second[1])
    apart = abs(first[1, both].mean()) - abs(second[1, both].mean())
    assert found.difference[1] == pytest.approx(apart)


def test_few_queries_are_in_no_family() -> None:
    first, second = made()
    first[0, 9:] = np.nan  # nine in common
    first[1, 12:] = np.nan  # 8 of 12 asked are half or more, but not ten
    first[2, 12:] = np.nan  # twelve of thirty asked
    found = compare_rows(first, second, counts=[9, 12, 30])
    assert np.isnan(found.p_corrected).all()
    assert (found.family, found.caption) == (0, "no difference could be tested")
    assert np.isnan(found.low[:2]).all()
    assert found.low[2] < found.difference[2] < found.high[2], "alone it has an interval, and no verdict"
    assert no_verdict(30) == "30 queries give no verdict: they are under half of all"
    assert compare_rows(first, second, counts=[9, 12, 24]).family == 1
    assert compare_rows(np.zeros((0, 30)), np.zeros((0, 30))).family == 0


@pytest.mark.parametrize("method", ["holm", "bonferroni", "bh", "none"])
def test_the_other_methods_correct_students_p(method: str) -> None:
    first, second = made()
    p = [ttest_1samp(row[~np.isnan(row)], 0).pvalue for row in first - second]
    found = compare_rows(first, second, How(Families(method)))
    assert found.p_corrected == pytest.approx(corrected(p, method))
    assert "paired t" in found.caption


def test_pairs_of_systems_alone_have_tukey_and_a_baseline_and_signed_ranks_a_side() -> None:
    first, second = made()
    found = compare_rows(first, second, How(Families("tukey", baseline="bm25"), draws=DRAWS))
    assert found.p_corrected.tolist() == compare_rows(first, second, How(draws=DRAWS)).p_corrected.tolist()
    assert found.caption == "3 differences, maxT"
    apart = np.array([0.02] * 19 + [-2.0])[None] + np.linspace(0, 0.001, 20)
    found = compare_rows(apart, np.zeros_like(apart), How(Families("holm", "wilcoxon")))
    assert found.p_corrected[0] <= 0.05
    assert found.difference[0] < 0
    assert found.side.tolist() == [0], "the ranks point the other way than the mean"
