"""Clusters of queries in tests and intervals: by hand, against a slow reference, and simulated."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.comparison.pairs import UNTESTED, why_no_verdict
from fairviz.comparison.points import points_of
from fairviz.errors import UsageError
from fairviz.statistics.contrasts import Block, Estimates, Pair, contrasts
from fairviz.statistics.families import parse_tests
from fairviz.statistics.simultaneous import compare_blocks
from fairviz.study.record import Study
from tests.comparison.test_measure_order import CWEX
from tests.conftest import Call, refused, simulated
from tests.made import scores_of
from tests.pages.conftest import first_run, html_of

ALPHA = 0.05


def clustered_values(generator, sizes, systems, share, skewed=False):
    """Values of systems that are equal in the mean: a share of the variance is common to the queries of a cluster."""
    draw = (
        (lambda shape: generator.exponential(size=shape) - 1)
        if skewed
        else (lambda shape: generator.normal(size=shape))
    )
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return math.sqrt(share) * draw((systems, len(sizes)))[:, codes] + math.sqrt(1 - share) * draw(
        (systems, len(codes))
    ), codes


def test_a_clustered_error_by_hand():
    """Differences 1, 3 | 2 | 6: the mean is 3, the sums of deviations -2, -1 and 3, and the error
    √(3 / 2 · (4 + 1 + 9)) / 4."""
    found = contrasts(
        Estimates(np.array([[1.0, 3, 2, 6], [0, 0, 0, 0]]), clusters=np.array([0, 0, 1, 2])), [Pair(0, 1)]
    )
    assert (found.value[0], found.freedom[0], found.queries[0], found.units[0]) == (3, 2, 4, 3)
    assert found.error[0] == pytest.approx(math.sqrt(1.5 * 14) / 4)
    assert found.spread[0] == pytest.approx(np.std([1, 3, 2, 6], ddof=1))


def test_clusters_of_one_query_are_as_none():
    values = np.random.default_rng(2).normal(size=(4, 14)) + np.arange(4)[:, None] / 2
    pairs = tuple(itertools.combinations(range(4), 2))
    for folded, text in itertools.product((False, True), ("maxT", "holm(statistic='wilcoxon')", "bonferroni", "tukey")):
        plain, single = (
            compare_blocks([Block(Estimates(values, clusters=codes), pairs, folded)], parse_tests(text), 299)[0]
            for codes in (None, np.arange(14))
        )
        assert single.p_corrected == pytest.approx(plain.p_corrected)
        np.testing.assert_allclose(single.interval(0.95), plain.interval(0.95))


@given(st.integers(0, 10_000), st.booleans())
def test_errors_are_the_sandwich_of_a_regression(seed, slope):
    """Against (X'X)⁻¹ Σ X'g eg eg'Xg (X'X)⁻¹ · G / (G − 1), with queries that one system lacks."""
    generator = np.random.default_rng(seed)
    values, codes = clustered_values(generator, [3, 1, 4, 2, 5], 2, 0.5)
    values[0, generator.integers(15)] = np.nan
    x = generator.normal(size=15) if slope else None
    found = contrasts(Estimates(values, x, clusters=codes), [Pair(0, 1)])
    known = ~np.isnan(values[0])
    y, group = (values[0] - values[1])[known], codes[known]
    design = np.ones((len(y), 1)) if x is None else np.stack([np.ones(len(y)), x[known]], axis=1)
    bread = np.linalg.inv(design.T @ design)
    fit = bread @ design.T @ y
    scores = [design[group == one].T @ (y - design @ fit)[group == one] for one in np.unique(group)]
    meat = sum(np.outer(score, score) for score in scores) * len(scores) / (len(scores) - 1)
    assert found.value[0] == pytest.approx(fit[-1])
    assert found.error[0] == pytest.approx(math.sqrt((bread @ meat @ bread)[-1, -1]))


@given(st.integers(0, 1000))
def test_signs_are_of_clusters(seed):
    """The p of a pair alone among many, by all 2¹¹ patterns of signs of twelve clusters, before skewness."""
    generator = np.random.default_rng(seed)
    values, codes = clustered_values(generator, [1, 2, 3] * 4, 2, 0.5)
    values[0] += 0.5
    tested = compare_blocks(
        [Block(Estimates(values, clusters=codes), ((0, 1),))], parse_tests("none(statistic='randomisation')"), 5000
    )[0]
    apart = values[0] - values[1]
    sums = np.bincount(codes, apart - apart.mean()) * 12 / 24 + apart.mean()
    table = np.array(list(itertools.product((1, -1), repeat=12)))
    means = np.abs(table @ sums)
    assert tested.p[0] == pytest.approx(np.mean(means >= abs(sums.sum()) * (1 - 1e-9)), abs=1e-9)


CELLS = [  # clusters' sizes, share of the variance within clusters that is common, skewed
    ([4] * 12, 0.3, False), ([4] * 12, 0.7, False), ([1, 2, 3, 10] * 5, 0.7, False), ([4] * 12, 0.7, True),
    ([7] * 7, 0.7, False), ([2, 3, 5, 8, 9, 10, 12], 0.3, True),
]  # fmt: skip


def error_rates(sizes, share, skewed, draws):
    """The share of families of four equal systems with a significant pair, by clusters and by queries; and of
    intervals of one mean that cover it."""
    generator, pairs = np.random.default_rng(9), tuple(itertools.combinations(range(4), 2))
    false, covered = np.zeros((2, draws), dtype=bool), 0
    for draw in range(draws):
        values, codes = clustered_values(generator, sizes, 4, share, skewed)
        for row, clusters in enumerate((codes, None)):
            tested = compare_blocks([Block(Estimates(values, clusters=clusters), pairs)], parse_tests("maxT"), 499)[0]
            false[row, draw] = tested.p_corrected.min() <= ALPHA
        low, high = points_of(scores_of(CWEX.text, {"a": values[0].tolist()})).interval("a", 0.95, codes)
        covered += low <= 0 <= high
    return false.mean(axis=1), covered / draws


@pytest.mark.parametrize(("sizes", "share", "skewed"), CELLS)
@simulated(60, 2000)
def test_families_keep_their_level_with_clusters_and_not_without(sizes, share, skewed, draws):
    (clustered, singly), covered = error_rates(sizes, share, skewed, draws)
    room = 3.5 * math.sqrt(0.06 * 0.94 / draws)
    assert clustered <= 0.06 + room
    assert singly > (0.06 + room if draws > 1000 else clustered)
    assert covered >= (0.88 if skewed or len(set(sizes)) > 1 else 0.94) - room  # of few skewed clusters, t covers less


def test_the_same_clusters_in_python_in_a_verb_and_in_the_gate(newswire: Study, call: Call) -> None:
    scores = fairviz.evaluate(newswire, ["CWEx", "GSR"])
    clusters = newswire.queries.set_index("query_id")["category"]
    wanted = fairviz.compare(scores, "bm25", clusters=clusters)
    said = call("compare newswire CWEx GSR --baseline bm25 --cluster category --format csv")
    assert said.frame["p_corrected"].to_numpy() == pytest.approx(wanted["p_corrected"].to_numpy(), nan_ok=True)
    assert "tests: all 21 pairs, Bonferroni, 7 clusters by category (fewer than 10: rough);" in said.err
    plain = fairviz.compare(scores, "bm25")
    for name in ("difference", "effect_size", "wins", "queries"):  # are of queries
        assert wanted[name].to_numpy(float) == pytest.approx(plain[name].to_numpy(float), nan_ok=True)

    gate = "gate newswire --baseline bm25 --candidate w2v_add --fail-if 'CWEx rises by 5' --fail-if 'GSR above 9'"
    alone = fairviz.compare(scores[scores["system"].isin(["bm25", "w2v_add"])], "bm25", clusters=clusters)
    by_cluster = call(f"{gate} --cluster category --format csv")
    difference, value = by_cluster.rows
    assert float(difference["ci_low"]) == pytest.approx(alone["ci_low"][0])
    assert "7 clusters by category (fewer than 10: rough): intervals" in by_cluster.err
    assert float(value["ci_low"]) != pytest.approx(float(call(f"{gate} --format csv").rows[1]["ci_low"]))


def test_a_column_that_cannot_cluster(newswire: Study, call: Call) -> None:
    said = call("compare newswire CWEx --cluster topic", status=2)
    assert "the queries of 'newswire' have no column 'topic' of clusters" in said.err
    scores = scores_of(CWEX.text, {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.2, 0.1]})
    with refused(
        "all queries are in one cluster by cluster, so that nothing can be tested\nUse a column with several values, "
        "best ten or more.", UsageError,
    ):  # fmt: skip
        fairviz.compare(scores, clusters=dict.fromkeys(scores["query_id"], "x"))


def test_a_query_without_a_cluster_and_queries_in_one_alone() -> None:
    values = np.random.default_rng(4).normal(size=(2, 12)).tolist()
    scores = scores_of(CWEX.text, dict(zip("ab", values, strict=True)))
    queries = scores["query_id"].unique()
    partly = fairviz.compare(scores, clusters={queries[0]: "x", queries[1]: "x", queries[2]: ""})
    whole = dict(zip(queries, ["x", "x", *queries[2:]], strict=True))
    pd.testing.assert_frame_equal(partly, fairviz.compare(scores, clusters=whole))
    # The common queries of a and b are all of the first cluster; those of a and c of both.
    names = [f"q{place:02}" for place in range(20)]
    values = np.random.default_rng(1).uniform(size=(3, 20))
    values[1, 10:] = np.nan
    rows = [("CWEx@10", system, name, value) for system, row in zip("abc", values, strict=True)
            for name, value in zip(names, row, strict=True)]  # fmt: skip
    scores = pd.DataFrame(rows, columns=["measure", "system", "query_id", "value"])
    found = comparison(scores, "a", clusters={name: "left" if name < "q10" else "right" for name in names})
    told = found.table.set_index("system")
    assert told.loc["b", "verdict"] == UNTESTED
    assert told.loc["b", "warning"].endswith("; all queries in common are in one cluster by cluster")
    assert told.loc["c", "verdict"] != UNTESTED
    assert why_no_verdict(found.pairs[0], found.how) == "one cluster"


def test_the_sidebar_has_the_columns_and_the_caption_the_clusters() -> None:
    page = first_run("overview.py", study="newswire", cluster="category")
    assert list(page.selectbox(key="cluster").options)[1:] == ["by category", "by bias_sensitive"]
    assert "all 21 pairs, Bonferroni, 7 clusters by category (fewer than 10: rough)" in html_of(page)
