"""Reliability across word vectors: scipy on columns put side by side here."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from fairviz.analyses.gsr_validity.direct import compared, reliability
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.words.genderedness import gender_direction
from fairviz.words.vectors import load_embedding


def test_against_scipy(newswire):
    first = gender_direction(load_embedding("glove"))
    same = reliability(newswire, Settings(), first, first)
    assert (same.pearson, same.spearman) == (pytest.approx(1), pytest.approx(1))
    assert (len(same.queries), len(same.systems)) == (40, 9)
    assert same.pearson_p < 1e-40
    few = reliability(newswire, Settings(systems=("bm25", "w2v_add")), first, first)
    assert math.isnan(few.spearman), "two systems tell nothing"
    assert math.isnan(few.spearman_p)
    assert few.pearson == pytest.approx(1)
    pairs = [("king", "queen"), ("uncle", "aunt"), ("men", "women"), ("nurse", "engineer")]
    second = gender_direction(load_embedding("glove"), pairs)
    found = reliability(newswire, Settings(cutoff=5), first, second)
    points = [gsr_points(newswire, Settings(cutoff=5), direction=each) for each in (first, second)]
    bm25 = [each[each["system"] == "bm25"].set_index("query_id")["query"] for each in points]
    expected = stats.pearsonr(bm25[0], bm25[1][bm25[0].index])
    assert (found.pearson, found.pearson_p) == pytest.approx((expected.statistic, expected.pvalue))
    slopes = [gsr(each).set_index("system")["slope"] for each in points]
    rank = stats.spearmanr(slopes[0], slopes[1][slopes[0].index])
    assert found.spearman == pytest.approx(rank.statistic)
    assert rank.pvalue < found.spearman_p < 0.05  # of 9,999 orders of nine systems
    z, width = math.atanh(found.pearson), 1.959964 / math.sqrt(40 - 3)
    assert found.interval == pytest.approx((math.tanh(z - width), math.tanh(z + width)))
    assert found.systems.set_index("system")["second"]["bm25"] == pytest.approx(slopes[1]["bm25"])


def test_few_systems_prove_little():
    def points(*slopes):
        rows = [(name, f"q{x}", x, slope * x) for name, slope in zip("abcde", slopes, strict=True)
                for x in (0.1, -0.2, 0.3)]  # fmt: skip
        return pd.DataFrame(rows, columns=["system", "query_id", "query", "list"])

    first = points(0.1, 0.2, 0.3, 0.4, 0.5)
    same = compared(first, points(0.2, 0.3, 0.5, 0.8, 0.9))
    assert same.spearman == pytest.approx(1)
    assert same.spearman_p == pytest.approx(2 / math.factorial(5))  # scipy's own: 1e-24
    swapped = compared(first, points(0.1, 0.2, 0.3, 0.5, 0.4))
    assert swapped.spearman == pytest.approx(0.9)
    assert swapped.spearman_p == pytest.approx(2 * 5 / 120)  # the order itself and four neighbours swapped
    assert all(map(math.isnan, same.interval))  # three queries


def test_google_news_and_glove_agree(newswire, google_news):
    """The paper, Google News and fastText on Robust04: Pearson 0.78 over queries, Spearman 0.96 over systems."""
    directions = [gender_direction(each) for each in (google_news, load_embedding("glove"))]
    found = reliability(newswire, Settings(), *directions)
    assert round(found.pearson, 2) == 0.73
    assert round(found.spearman, 2) == 0.95
    assert np.isfinite(found.queries[["first", "second"]].to_numpy()).all()
