"""Comparisons with a margin and with power."""

import math

import numpy as np
import pandas as pd
import pytest
from fairviz.evaluation.comparing import comparison
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

import fairviz
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.compare import AHEAD, SAME
from fairviz.evaluation.equivalence import EQUIVALENT, NO_MARGIN, NOT_SHOWN, read_margins, with_margin
from tests.evaluation.test_compare import CWEX, MEASURES, made, vector


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    return fairviz.evaluate(fairviz.open_study("newswire"), [*MEASURES, "GSR@10"])


def test_p_values_are_those_of_statsmodels_and_corrected_over_the_family(scores: pd.DataFrame) -> None:
    plain = scores[scores["measure"].isin(MEASURES)]
    found = fairviz.compare(plain, "bm25", margin=0.05)
    contenders = found[~found["system"].isin(["perfect", "random"])]
    expected = [
        ttost_paired(vector(plain, row.system, row.measure), vector(plain, "bm25", row.measure), -0.05, 0.05)[0]
        for row in contenders.itertuples()
    ]
    assert contenders["p_equivalent"].to_numpy() == pytest.approx(np.array(expected), rel=1e-8)
    assert contenders["p_equivalent_corrected"].to_numpy() == pytest.approx(multipletests(expected, method="holm")[1])
    assert set(contenders.loc[contenders["equivalence"] == EQUIVALENT, "system"]) <= {"tfidf", "qlm"}
    assert set(found.loc[found["system"].isin(["perfect", "random"]), "equivalence"]) == {"reference"}


def test_a_difference_can_be_found_and_not_matter() -> None:
    found = fairviz.compare(made(a=[0.501, 0.502, 0.503] * 8, b=[0.5] * 24), "b", margin=0.01).iloc[0]
    assert (found["verdict"], found["equivalence"]) == (AHEAD, EQUIVALENT)


def test_not_told_apart_is_not_equivalent() -> None:
    found = fairviz.compare(made(a=[0.2, 0.8, 0.5], b=[0.5, 0.3, 0.6]), "b", margin=0.01).iloc[0]
    assert (found["verdict"], found["equivalence"]) == (SAME, NOT_SHOWN)


def test_equal_systems_need_enough_queries_to_be_called_equivalent() -> None:
    for queries, said in ((4, NOT_SHOWN), (5, EQUIVALENT)):  # 1 / 2^4 is more than .05, 1 / 2^5 less
        table = made(a=[0.5] * queries, b=[0.5] * queries)
        assert fairviz.compare(table, "b", margin=0.01)["equivalence"].tolist() == [said]


def test_a_margin_for_each_measure(scores: pd.DataFrame) -> None:
    found = fairviz.compare(scores, "bm25", margin={"CWEx(alpha=0.50)": 0.02, "TExFAIR": 0.1, "": 0.3})
    assert dict(zip(found["measure"], found["margin"], strict=True)) == {
        CWEX: 0.02, "NFaiRR(tau=1)@10": 0.3, "TExFAIR@10": 0.1, "GSR@10": 0.3,
    }  # fmt: skip
    without = with_margin(comparison(scores, "bm25"), {"CWEx": 0.02}).table
    assert set(without.loc[without["measure"] != CWEX, "equivalence"]) == {NO_MARGIN, "reference"}


def test_gsr_goes_by_the_error_of_its_slope(scores: pd.DataFrame) -> None:
    found = fairviz.compare(scores, "bm25", margin=0.05, power=0.8).set_index(["measure", "system"])
    assert found.loc[("GSR@10", "qlm"), "equivalence"] == EQUIVALENT
    assert found.loc[("GSR@10", "w2v_add"), "equivalence"] == NOT_SHOWN
    assert 0 < found.loc[("GSR@10", "qlm"), "detectable"] < found.loc[("GSR@10", "w2v_add"), "detectable"]


def test_the_smallest_difference_grows_with_the_family(scores: pd.DataFrame) -> None:
    found = fairviz.compare(scores, "bm25", power=0.8)
    contenders = found[~found["system"].isin(["perfect", "random"])]
    assert (contenders["detectable_in_family"] > contenders["detectable"]).all()
    alone = fairviz.compare(scores, "bm25", power=0.8, correction="none")
    assert alone["detectable"].equals(found["detectable"])
    assert alone.loc[contenders.index, "detectable_in_family"].equals(contenders["detectable"])


def test_the_columns_stand_only_where_they_are_asked_for(scores: pd.DataFrame) -> None:
    assert "margin" not in fairviz.compare(scores, "bm25", power=0.8)
    assert "detectable" not in fairviz.compare(scores, "bm25", margin=0.1)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"margin": 0}, "margin is 0\nUse a number above 0, in units of the measure, such as 0.01."),
        ({"margin": math.inf}, "margin is inf\nUse a number above 0, in units of the measure, such as 0.01."),
        ({"margin": {"": -1}}, "margin is -1\nUse a number above 0, in units of the measure, such as 0.01."),
        ({"power": 0.04}, "power is 0.04\nUse a number between 0.05 and 1, such as 0.8."),
        ({"power": 1}, "power is 1\nUse a number between 0.05 and 1, such as 0.8."),
        ({"margin": {"RaB": 1}}, "there is a margin for 'RaB', and it is not compared\nUse one of CWEx(alpha=0.5)@2."),
        ({"draws": 9}, "draws is 9\nUse a whole number of 99 or more, such as 9999."),
    ],
)
def test_wrong_margins_and_powers(choice: dict, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        fairviz.compare(made("CWEx(alpha=0.5)@2", a=[0.1, 0.2], b=[0.2, 0.4]), "b", **choice)
    assert str(caught.value) == message


def test_margins_of_the_wrong_type() -> None:
    with pytest.raises(UsageError, match="margin is"):
        fairviz.compare(made(a=[0.1, 0.2], b=[0.2, 0.4]), "b", margin="a lot")


@pytest.mark.parametrize(
    ("texts", "margins"),
    [
        (["0.01"], {"": 0.01}),
        (["CWEx=0.01", "RaB=2"], {"CWEx": 0.01, "RaB": 2}),
        (["CWEx(alpha=0.3)@5=0.01", "1e-2"], {"CWEx(alpha=0.3)@5": 0.01, "": 0.01}),
    ],
)
def test_margins_as_they_are_written(texts: list[str], margins: dict[str, float]) -> None:
    assert read_margins(texts) == margins


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
    with pytest.raises(UsageError) as caught:
        read_margins(texts)
    assert str(caught.value) == message


def test_one_system_is_compared_with_nobody() -> None:
    with pytest.raises(FairvizError) as caught:
        fairviz.compare(made(a=[0.1, 0.2]))
    assert str(caught.value) == (
        "there is one system, a, and nothing to compare it with\n"
        "Add a second run: runs/NAME.run, or `fairviz rank STUDY --with bm25`."
    )
    assert comparison(made(a=[0.1, 0.2])).table.empty
