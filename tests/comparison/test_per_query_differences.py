"""Two systems on one query after another."""

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import by_query
from fairviz.errors import UsageError
from fairviz.study.record import Study
from tests.comparison.test_compare import made
from tests.conftest import refused

CWEX, RAB = "CWEx(alpha=0.5)@10", "RaB@10"
NAN = np.nan


def test_the_query_on_which_two_systems_differ_most_comes_first() -> None:
    scores = made(CWEX, a=[0.3, -0.5, 0.1, NAN], b=[0.2, 0.1, 0.2, 0.4], c=[9.0] * 4)
    table = by_query(scores, "a", "b")
    assert list(table["query_id"]) == ["q1", "q0", "q2"]  # q0 and q2 differ alike but for rounding; q3 lacks a value
    assert table["difference"].tolist() == pytest.approx([-0.6, 0.1, -0.1])
    assert table.iloc[0].tolist() == pytest.approx([CWEX, "q1", "a", -0.5, "b", 0.1, -0.6])
    with refused("there is no system 'z' to compare\nUse one of a, b, c.", UsageError):
        by_query(scores, "a", "z")


def test_each_measure_has_rows_of_its_own_and_gsr_has_none() -> None:
    parts = [
        made(CWEX, a=[0.1, 0.5], b=[0.2, 0.1]),
        made(RAB, a=[1, 2], b=[5, 2]),
        made("GSR.query@10", a=[0.1, 0.2], b=[0.1, 0.2]),
        made("GSR.list@10", a=[0.1, 0.2], b=[0.3, 0.2]),
    ]
    table = by_query(pd.concat(parts), "a", "b")
    assert list(zip(table["measure"], table["query_id"], strict=True)) == [
        (CWEX, "q1"), (CWEX, "q0"), (RAB, "q0"), (RAB, "q1"),
    ]  # fmt: skip
    assert by_query(made(CWEX, a=[0.1, NAN], b=[NAN, 0.1]), "a", "b").empty, "no query in common"
    alone = pd.concat([made(CWEX, a=[0.1]), made(RAB, a=[1], b=[2])])
    assert list(by_query(alone, "a", "b")["measure"]) == [RAB]


def test_the_two_best_go_by_the_means_and_named_systems_take_their_place() -> None:
    def pair(table: pd.DataFrame, system: str = "", baseline: str = "") -> tuple[str, ...]:
        found = by_query(table, system, baseline)
        return tuple(found[["baseline", "system"]].iloc[0]) if len(found) else ()

    given = {"a": [1, -3], "b": [2, 1], "c": [NAN, -0.5], "none": [NAN, NAN], "perfect": [0, 0]}
    assert pair(made(CWEX, **given)) == ("b", "c")
    assert pair(made(RAB, **given)) == ("c", "a")  # fairest at 0
    assert pair(made(CWEX, a=[1, 2], perfect=[3, 3])) == ()
    described = made("Exposure(group='male')@10", a=[1, 2], b=[2, 3])  # none is better
    assert pair(described) == ()
    assert pair(described, system="a", baseline="b") == ("b", "a")
    given = made(CWEX, a=[1, 2], b=[2, 3], c=[3, 4], perfect=[5, 5])
    assert pair(given) == ("c", "b")
    assert pair(given, baseline="b") == ("b", "c")
    assert pair(given, baseline="perfect") == ("perfect", "c")
    assert pair(given, system="a") == ("c", "a")
    assert pair(given, system="c") == ("c", "b")
    assert pair(given, system="a", baseline="b") == ("b", "a")


def test_on_newswire_they_are_the_first_of_compare(newswire: Study) -> None:
    values = fairviz.evaluate(newswire, [CWEX, "NFaiRR(tau=1)@10"])
    found = fairviz.compare(values)
    for text, apart in by_query(values).groupby("measure"):
        rows = found[found["measure"] == text].set_index("system")
        assert set(apart["baseline"]) == set(rows["baseline"])
        second = rows.drop(index=["perfect", "random"])["value"].idxmax()
        assert set(apart["system"]) == {second}
        assert apart["difference"].mean() == pytest.approx(rows.loc[second, "difference"])
