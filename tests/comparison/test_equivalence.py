"""Comparisons with a margin and with power."""

import math
from itertools import combinations

import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower
from statsmodels.stats.weightstats import ttost_paired

import fairviz
from fairviz.comparison.compare import EQUIVALENT, NO_MARGIN, NOT_SHOWN, comparison, read_margins
from fairviz.comparison.pairs import AHEAD, SAME, UNTESTED
from fairviz.errors import UsageError
from tests.comparison.test_compare import CWEX, MEASURES, made, vector
from tests.conftest import refused


@pytest.fixture(scope="module")
def scores(newswire) -> pd.DataFrame:
    return fairviz.evaluate(newswire, [*MEASURES, "GSR@10"])


def test_p_values_are_those_of_statsmodels_and_corrected_over_the_family(scores: pd.DataFrame) -> None:
    """Seven contenders are 21 pairs in each measure; the six with bm25 are shown."""
    for measure in MEASURES:
        plain = scores[scores["measure"] == measure]
        found = fairviz.compare(plain, "bm25", margin=0.05, tests="holm").set_index("system")
        names = [name for name in plain["system"].unique() if name not in ("perfect", "random")]
        pairs = list(combinations(names, 2))
        expected = [
            ttost_paired(vector(plain, a, measure), vector(plain, b, measure), -0.05, 0.05)[0] for a, b in pairs
        ]
        holm = multipletests(expected, method="holm")[1]
        for (a, b), p in zip(pairs, holm, strict=True):
            if "bm25" in (a, b):
                other = a if b == "bm25" else b
                assert found.loc[other, "p_equivalent"] == pytest.approx(p, rel=1e-8)
                assert found.loc[other, "equivalence"] == (EQUIVALENT if p <= 0.05 else NOT_SHOWN)
        assert set(found.loc[["perfect", "random"], "equivalence"]) == {"reference"}


@pytest.mark.parametrize("tests", ["maxT", "bonferroni", "none"])
def test_equivalent_means_that_the_90_percent_interval_lies_within_the_margin(scores: pd.DataFrame, tests: str) -> None:
    said = set()
    for margin in (0.02, 0.05, 0.2):
        found = fairviz.compare(scores, "bm25", margin=margin, tests=tests)
        wide = fairviz.compare(scores, "bm25", level=0.9, tests=tests)
        inside = (wide["ci_low"] > -margin) & (wide["ci_high"] < margin)
        contenders = ~found["system"].isin(["perfect", "random"])
        assert (found["equivalence"] == EQUIVALENT)[contenders].tolist() == inside[contenders].tolist()
        said |= set(found.loc[contenders, "equivalence"])
    assert said == {EQUIVALENT, NOT_SHOWN}


def test_verdict_and_equivalence_are_two_answers() -> None:
    found = fairviz.compare(made(a=[0.501, 0.502, 0.503] * 8, b=[0.5] * 24), "b", margin=0.01).iloc[0]
    assert (found["verdict"], found["equivalence"]) == (AHEAD, EQUIVALENT), "found, and it does not matter"
    found = fairviz.compare(made(a=[0.2, 0.8, 0.5] * 4, b=[0.5, 0.3, 0.6] * 4), "b", margin=0.01).iloc[0]
    assert (found["verdict"], found["equivalence"]) == (SAME, NOT_SHOWN)
    for queries, said in ((9, UNTESTED), (10, EQUIVALENT)):
        table = made(a=[0.5] * queries, b=[0.5] * queries)
        assert fairviz.compare(table, "b", margin=0.01)["equivalence"].tolist() == [said]


def test_a_margin_for_each_measure(scores: pd.DataFrame) -> None:
    found = fairviz.compare(scores, "bm25", margin={"CWEx(alpha=0.50)": 0.02, "TExFAIR": 0.1, "": 0.3})
    assert dict(zip(found["measure"], found["margin"], strict=True)) == {
        CWEX: 0.02, "NFaiRR(tau=1)@10": 0.3, "TExFAIR@10": 0.1, "GSR@10": 0.3,
    }  # fmt: skip
    without = comparison(scores, "bm25", margin={"CWEx": 0.02}).table
    assert set(without.loc[without["measure"] != CWEX, "equivalence"]) == {NO_MARGIN, "reference"}
    assert read_margins(["CWEx(alpha=0.3)@5=0.01", "RaB=2", "1e-2"]) == {"CWEx(alpha=0.3)@5": 0.01, "RaB": 2, "": 0.01}
    assert "minimum_detectable" not in without


def test_gsr_goes_by_the_error_of_its_slope(scores: pd.DataFrame) -> None:
    found = fairviz.compare(scores, "bm25", margin=0.05, power=0.8).set_index(["measure", "system"])
    qlm, other = found.loc[("GSR@10", "qlm")], found.loc[("GSR@10", "w2v_add")]
    assert 0 < qlm["minimum_detectable"] < other["minimum_detectable"]
    assert other["equivalence"] == NOT_SHOWN


def test_the_minimum_detectable_difference_is_that_of_statsmodels(scores: pd.DataFrame) -> None:
    """Alone at .05, and by Bonferroni at .05 / 21."""
    plain = scores[scores["measure"] == CWEX]
    apart = vector(plain, "rrf", CWEX) - vector(plain, "bm25", CWEX)
    for tests, alpha in (("none", 0.05), ("bonferroni", 0.05 / 21)):
        found = fairviz.compare(plain, "bm25", power=0.8, tests=tests).set_index("system")
        effect = TTestPower().solve_power(nobs=40, alpha=alpha, power=0.8, alternative="two-sided")
        assert found.loc["rrf", "minimum_detectable"] == pytest.approx(effect * apart.std(ddof=1), rel=1e-6)
        assert "margin" not in found


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"margin": 0}, "margin is 0\nUse a number above 0, in units of the measure, such as 0.01."),
        ({"margin": math.inf}, "margin is inf\nUse a number above 0, in units of the measure, such as 0.01."),
        ({"margin": "a lot"}, "margin is 'a lot'\nUse a number above 0, in units of the measure, such as 0.01."),
        ({"margin": {"": -1}}, "margin is -1\nUse a number above 0, in units of the measure, such as 0.01."),
        ({"power": 0.04}, "power is 0.04\nUse a number between 0.05 and 1, such as 0.8."),
        ({"power": 1}, "power is 1\nUse a number between 0.05 and 1, such as 0.8."),
        ({"margin": {"RaB": 1}}, "there is a margin for 'RaB', and it is not compared\nUse one of CWEx(alpha=0.5)@2."),
    ],
)
def test_wrong_margins_and_powers(choice: dict, message: str) -> None:
    with refused(message, UsageError):
        fairviz.compare(made("CWEx(alpha=0.5)@2", a=[0.1, 0.2], b=[0.2, 0.4]), "b", **choice)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["wide"], "--margin is 'wide'\nWrite a number, as 0.01, or a measure's, as CWEx=0.01."),
        (["CWEx(alpha=0.5)"], "--margin is 'CWEx(alpha=0.5)'\nWrite a number, as 0.01, or a measure's, as CWEx=0.01."),
        (["CWEx="], "--margin is 'CWEx='\nWrite a number, as 0.01, or a measure's, as CWEx=0.01."),
        (["0.1", "0.2"], "--margin is given twice for all measures\nGive one margin for each."),
        (["CWEx=0.1", "CWEx=0.2"], "--margin is given twice for CWEx\nGive one margin for each."),
    ],
)
def test_margins_that_cannot_be_read(texts: list[str], message: str) -> None:
    with refused(message, UsageError):
        read_margins(texts)


def test_one_system_is_compared_with_nobody() -> None:
    with refused(
        "there is one system, a, and nothing to compare it with\n"
        "Add a second run: runs/NAME.run, or `fairviz rank STUDY --with bm25`."
    ):
        fairviz.compare(made(a=[0.1, 0.2]))
    assert comparison(made(a=[0.1, 0.2])).table.empty
