"""Two systems on one query after another."""

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import by_query
from fairviz.errors import UsageError
from fairviz.study.record import Study
from tests.comparison.test_compare import made

CWEX, RAB = "CWEx(alpha=0.5)@10", "RaB@10"
NAN = np.nan


def scores(measure: str = CWEX, **systems: list[float]) -> pd.DataFrame:
    """Per system its values of one measure, for the queries q0, q1, …"""
    return made(measure, **systems)


def test_the_query_on_which_two_systems_differ_most_comes_first() -> None:
    table = by_query(scores(a=[0.1, -0.5, 0.2, NAN], b=[0.2, 0.1, 0.1, 0.4], c=[9.0] * 4), "a", "b")
    assert list(table["query_id"]) == ["q1", "q0", "q2"]  # q0 and q2 differ alike; q3 lacks a value
    assert table["difference"].tolist() == pytest.approx([-0.6, -0.1, 0.1])
    assert table.iloc[0].tolist() == pytest.approx([CWEX, "q1", "a", -0.5, "b", 0.1, -0.6])


def test_each_measure_has_rows_of_its_own_and_gsr_has_none() -> None:
    parts = [
        scores(a=[0.1, 0.5], b=[0.2, 0.1]),
        scores(RAB, a=[1, 2], b=[5, 2]),
        scores("GSR.query@10", a=[0.1, 0.2], b=[0.1, 0.2]),
        scores("GSR.list@10", a=[0.1, 0.2], b=[0.3, 0.2]),
    ]
    table = by_query(pd.concat(parts), "a", "b")
    assert list(zip(table["measure"], table["query_id"], strict=True)) == [
        (CWEX, "q1"), (CWEX, "q0"), (RAB, "q0"), (RAB, "q1"),
    ]  # fmt: skip


def test_a_system_without_a_common_query_has_no_row() -> None:
    assert by_query(scores(a=[0.1, NAN], b=[NAN, 0.1]), "a", "b").empty
    alone = pd.concat([scores(a=[0.1]), scores(RAB, a=[1], b=[2])])
    assert list(by_query(alone, "a", "b")["measure"]) == [RAB]


def test_a_system_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError) as caught:
        by_query(scores(a=[0.1], b=[0.2]), "a", "z")
    assert caught.value.message == "there is no system 'z' to compare"
    assert caught.value.remedy == "Use one of a, b."


def pair(measure: str, system: str = "", baseline: str = "", **systems: list[float]) -> tuple[str, ...]:
    """The two systems that are set side by side, the baseline first."""
    table = by_query(scores(measure, **systems), system, baseline)
    return tuple(table[["baseline", "system"]].iloc[0]) if len(table) else ()


def test_the_two_best_go_by_the_means_in_the_measure_s_own_direction() -> None:
    given = {"a": [1, -3], "b": [2, 1], "c": [NAN, -0.5], "none": [NAN, NAN], "perfect": [0, 0]}
    assert pair(CWEX, **given) == ("b", "c")
    assert pair(RAB, **given) == ("c", "a")
    assert pair(CWEX, a=[1, 2], perfect=[3, 3]) == ()
    assert pair("Exposure(group='male')@10", a=[1, 2], b=[2, 3]) == ()  # it only describes


def test_named_systems_take_the_place_of_the_best() -> None:
    given = {"a": [1, 2], "b": [2, 3], "c": [3, 4], "perfect": [5, 5]}
    assert pair(CWEX, **given) == ("c", "b")
    assert pair(CWEX, baseline="b", **given) == ("b", "c")
    assert pair(CWEX, baseline="perfect", **given) == ("perfect", "c")
    assert pair(CWEX, system="a", **given) == ("c", "a")
    assert pair(CWEX, system="c", **given) == ("c", "b")
    assert pair(CWEX, system="a", baseline="b", **given) == ("b", "a")
    assert pair("Exposure(group='male')@10", system="a", baseline="b", **given) == ("b", "a")


def test_on_newswire_they_are_the_first_of_compare(newswire: Study) -> None:
    values = fairviz.evaluate(newswire, [CWEX, "NFaiRR(tau=1)@10"])
    found = fairviz.compare(values)
    for text, apart in by_query(values).groupby("measure"):
        rows = found[found["measure"] == text].set_index("system")
        assert set(apart["baseline"]) == set(rows["baseline"])
        second = rows.drop(index=["perfect", "random"])["value"].idxmax()
        assert set(apart["system"]) == {second}
        assert apart["difference"].mean() == pytest.approx(rows.loc[second, "difference"])
