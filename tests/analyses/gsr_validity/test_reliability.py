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


@pytest.fixture(scope="module")
def study(newswire):
    return newswire


def test_a_direction_agrees_with_itself_and_not_with_its_opposite(study):
    glove = load_embedding("glove")
    direction = gender_direction(glove)
    same = reliability(study, Settings(), direction, direction)
    assert (same.pearson, same.spearman) == (pytest.approx(1), pytest.approx(1))
    assert len(same.queries) == 40
    assert len(same.systems) == 9
    assert same.pearson_p < 1e-40


def test_against_scipy(study):
    glove = load_embedding("glove")
    first = gender_direction(glove)
    second = gender_direction(glove, [("king", "queen"), ("uncle", "aunt"), ("men", "women"), ("nurse", "engineer")])
    found = reliability(study, Settings(cutoff=5), first, second)
    points = [gsr_points(study, Settings(cutoff=5), direction=each) for each in (first, second)]
    bm25 = [each[each["system"] == "bm25"].set_index("query_id")["query"] for each in points]
    expected = stats.pearsonr(bm25[0], bm25[1][bm25[0].index])
    assert found.pearson == pytest.approx(expected.statistic)
    assert found.pearson_p == pytest.approx(expected.pvalue)
    slopes = [gsr(each).set_index("system")["slope"] for each in points]
    rank = stats.spearmanr(slopes[0], slopes[1][slopes[0].index])
    assert found.spearman == pytest.approx(rank.statistic)
    assert rank.pvalue < found.spearman_p < 0.05  # of 9,999 orders of nine systems
    low, high = found.interval
    z, width = math.atanh(found.pearson), 1.959964 / math.sqrt(40 - 3)
    assert (low, high) == (pytest.approx(math.tanh(z - width)), pytest.approx(math.tanh(z + width)))
    assert found.systems.set_index("system")["second"]["bm25"] == pytest.approx(slopes[1]["bm25"])


def test_two_systems_tell_nothing(study):
    direction = gender_direction(load_embedding("glove"))
    found = reliability(study, Settings(systems=("bm25", "w2v_add")), direction, direction)
    assert math.isnan(found.spearman)
    assert math.isnan(found.spearman_p)
    assert found.pearson == pytest.approx(1)


def points(slopes, queries=(0.1, -0.2, 0.3)):
    """Points of systems with these slopes."""
    rows = [(name, f"q{x}", x, slope * x) for name, slope in slopes.items() for x in queries]
    return pd.DataFrame(rows, columns=["system", "query_id", "query", "list"])


def test_few_systems_prove_little():
    names = "abcde"
    first = points(dict(zip(names, [0.1, 0.2, 0.3, 0.4, 0.5], strict=True)))
    same = compared(first, points(dict(zip(names, [0.2, 0.3, 0.5, 0.8, 0.9], strict=True))))
    assert same.spearman == pytest.approx(1)
    assert same.spearman_p == pytest.approx(2 / math.factorial(5))  # scipy's own: 1e-24
    swapped = compared(first, points(dict(zip(names, [0.1, 0.2, 0.3, 0.5, 0.4], strict=True))))
    assert swapped.spearman == pytest.approx(0.9)
    assert swapped.spearman_p == pytest.approx(2 * 5 / 120)  # the order itself and four neighbours swapped
    assert all(map(math.isnan, same.interval))  # three queries


def test_google_news_and_glove_agree(study, google_news):
    """The paper, Google News and fastText on Robust04: Pearson 0.78 over queries, Spearman 0.96 over systems."""
    directions = [gender_direction(each) for each in (google_news, load_embedding("glove"))]
    found = reliability(study, Settings(), *directions)
    assert round(found.pearson, 2) == 0.73
    assert round(found.spearman, 2) == 0.95
    assert np.isfinite(found.queries[["first", "second"]].to_numpy()).all()
