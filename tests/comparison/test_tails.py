"""Quantiles over queries with paired intervals, and the worst tenth of the queries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fairviz
from fairviz.comparison.compare import by_query
from fairviz.comparison.tails import SHARES, worst_queries
from fairviz.statistics.quantiles import quantile_differences, quantiles
from fairviz.study.record import Study
from tests.comparison.test_measure_order import AWRF, CWEX, GAP
from tests.conftest import Call, simulated
from tests.made import scores_of
from tests.pages.conftest import first_run, html_of


@given(st.integers(0, 10_000), st.integers(2, 60))
def test_quantiles_are_scipys(seed, queries):
    values = np.random.default_rng(seed).normal(size=queries)
    assert quantiles(values, SHARES) == pytest.approx(np.asarray(stats.mstats.hdquantiles(values, SHARES)))


def test_equal_means_and_unlike_tails():
    """Half of the queries of b are at 0 and half at 1, those of a all at a half."""
    scores = scores_of(CWEX.text, {"a": [0.5] * 40, "b": [0.0, 1.0] * 20})
    table = fairviz.tails(scores, "a", "b").set_index("quantile")
    assert table.loc[0.1, "ci_low"] > 0.4
    assert table.loc[0.9, "ci_high"] < -0.4
    assert table.loc[0.5, "ci_low"] < 0 < table.loc[0.5, "ci_high"]
    shifted = fairviz.tails(scores_of(CWEX.text, {"a": np.arange(40) / 40 + 0.25, "b": np.arange(40) / 40}), "a", "b")
    assert shifted[["difference", "ci_low", "ci_high"]].to_numpy() == pytest.approx(np.full((3, 3), 0.25))
    few = fairviz.tails(scores_of(CWEX.text, {"a": [0.5] * 9, "b": [0.1] * 9}), "a", "b")
    assert few[["ci_low", "ci_high"]].isna().all(axis=None)
    assert few["queries"].tolist() == [9, 9, 9]


@simulated(80, 2000)
def test_paired_intervals_cover(draws):
    """Forty queries of correlated systems, of which one has wider tails."""
    generator, covered = np.random.default_rng(6), np.zeros(3)
    truth = 0.5 + (np.sqrt(1 + 1.5**2) - np.sqrt(1 + 0.5**2)) * stats.norm.ppf(SHARES)
    for draw in range(draws):
        common, first, second = generator.normal(size=(3, 40))
        _, low, high = quantile_differences(0.5 + common + 1.5 * first, common + 0.5 * second, SHARES, seed=draw)
        covered += (low <= truth) & (truth <= high)
    assert (covered / draws >= 0.93 - 3.5 * np.sqrt(0.93 * 0.07 / draws)).all()


@pytest.mark.parametrize(("question", "worst"), [(CWEX, ["q00", "q01"]), (AWRF, ["q19", "q18"]), (GAP, ["q00", "q01"])])
def test_the_worst_tenth_is_the_least_fair(question, worst):
    values = np.arange(20) / 20 - (0.95 if question is GAP else 0.0)
    table = by_query(scores_of(question.text, {"a": values, "b": -values}), "a", "b")
    assert worst_queries(table)["query_id"].tolist() == worst


def test_the_verb_and_the_page(newswire: Study, call: Call) -> None:
    said = call("compare newswire NFaiRR --tails w2v_add --baseline bm25 --format csv")
    wanted = fairviz.tails(fairviz.evaluate(newswire, "NFaiRR"), "w2v_add", "bm25")
    assert [float(row["ci_low"]) for row in said.rows] == pytest.approx(wanted["ci_low"].tolist())
    refused = call("compare newswire NFaiRR --tails --wide", status=2)
    assert "--tails and --wide ask for different tables" in refused.err
    options = {"system": "w2v_add", "baseline": "bm25", "measure": "NFaiRR", "compare_tab": "Tails"}
    page = first_run("compare.py", study="newswire", **options)
    assert "Tick a query to open its lists on Query." in html_of(page)
    tables = [frame.value for frame in page.dataframe]
    assert any("ci_low" in table and len(table) == 3 for table in tables)
    assert any("query" in table and len(table) == 4 for table in tables)  # a tenth of 40
