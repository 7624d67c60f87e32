"""Comparisons apart for each value of a column of the queries."""

import numpy as np
import pandas as pd
import pytest
from fairviz.evaluation.comparing import comparison

import fairviz
from fairviz.errors import UsageError
from fairviz.evaluation.compare import UNTESTED
from fairviz.evaluation.slices import MOST_SLICES, sizes, slices_of
from fairviz.statistics.paired import corrected
from tests.evaluation.test_compare import MEASURES, made
from tests.study.test_study import made as made_study

SLICES = {"q0": "sport", "q1": "sport", "q2": "health", "q3": "sport", "q4": None}


def test_each_slice_is_the_comparison_of_its_queries_in_one_family() -> None:
    study = fairviz.open_study("newswire")
    scores = fairviz.evaluate(study, MEASURES)
    categories = slices_of(study, "category")
    found = comparison(scores, "bm25", slices=categories)
    parts = []
    for name in dict.fromkeys(study.queries["category"]):
        queries = study.queries.loc[study.queries["category"] == name, "query_id"]
        part = comparison(scores[scores["query_id"].isin(queries)], "bm25", correction="none").table
        parts.append(part.assign(slice=name))
    apart = pd.concat(parts, ignore_index=True)
    kept = ["slice", "measure", "system", "value", "difference", "ci_low", "ci_high", "p", "queries"]
    pd.testing.assert_frame_equal(found.table[kept], apart[kept], check_dtype=False)
    contenders = ~apart["system"].isin(["perfect", "random"])
    expected = corrected(np.where(contenders, apart["p"], np.nan))
    assert found.table["p_corrected"].to_numpy() == pytest.approx(expected, nan_ok=True)
    assert found.family == int(contenders.sum()) == 7 * 3 * 6


def test_slices_stand_in_their_order_and_queries_without_one_last() -> None:
    found = fairviz.compare(made(a=[0.1, 0.5, 0.3, 0.4, 0.2, 0.9], b=[0.2] * 6), "b", slices=SLICES)
    assert found["slice"].tolist() == ["sport", "health", "(none)"]
    assert found["queries"].tolist() == [3, 1, 2]  # q5 is in no slice, q4 in an empty one
    assert found["difference"].tolist() == pytest.approx([(0.1 + 0.5 + 0.4) / 3 - 0.2, 0.1, 0.35])
    assert found["verdict"].tolist()[1] == UNTESTED


def test_each_slice_has_a_best_system_of_its_own() -> None:
    found = fairviz.compare(made(a=[0.9, 0.9, 0.1], b=[0.2, 0.2, 0.2]), slices=SLICES)
    assert found["baseline"].tolist() == ["a", "b"]


def test_the_column_of_a_study() -> None:
    study = fairviz.open_study("newswire")
    found = slices_of(study, "category")
    assert (found["q01"], found.name, len(found)) == ("sport", "category", 40)
    scores = fairviz.evaluate(study, ["CWEx@10"])
    assert sum(sizes(scores, found).values()) == 40


@pytest.mark.parametrize("column", ["categroy", "query_id"])
def test_a_column_that_is_none(column: str) -> None:
    with pytest.raises(UsageError) as caught:
        slices_of(fairviz.open_study("newswire"), column)
    assert str(caught.value) == (
        f"the queries of 'newswire' have no column {column!r} to slice by\nUse one of category, bias_sensitive."
    )


def test_queries_without_any_column() -> None:
    with pytest.raises(UsageError) as caught:
        slices_of(fairviz.open_study("football"), "category")
    assert str(caught.value) == (
        "the queries of 'football' have no column 'category' to slice by\n"
        "Add a column to the file of queries, such as category."
    )


def test_a_column_that_says_something_else_of_every_query() -> None:
    queries = pd.DataFrame({"query_id": [f"q{n}" for n in range(MOST_SLICES + 1)], "text": "a"})
    study = made_study(queries=queries.assign(note=queries["query_id"]))
    with pytest.raises(UsageError) as caught:
        slices_of(study, "note")
    assert str(caught.value) == (
        f"the column 'note' of the queries of {study.name!r} cuts into 101 slices, more than 100\n"
        "Slice by a column of few values, such as category."
    )


def test_slices_of_the_wrong_type() -> None:
    with pytest.raises(UsageError, match=r"^slices is 'category'"):
        fairviz.compare(made(a=[0.1], b=[0.2]), "b", slices="category")
