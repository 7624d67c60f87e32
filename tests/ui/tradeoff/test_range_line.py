"""The sentence on queries where no order of the candidates changes a measure."""

import pandas as pd
import pytest

import fairviz
from fairviz.ui.tradeoff.overview import range_sentence as sentence


def table(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["system", "query_id", "measure", "worst", "best", "narrow"])


def test_the_measure_with_the_most_narrow_queries_is_named() -> None:
    rows = [("a", query, "CWEx(alpha=0.5)@10", 0.1, 0.11, query != "q3") for query in ("q1", "q2", "q3")]
    rows += [("a", query, "AWRF@10", 0.1, 0.11, True) for query in ("q1", "q2", "q3")]
    assert sentence(table(*rows)) == ("On 3 of 3 queries, no order of candidates moves AWRF by more than 0.02.")
    assert sentence(table(*rows[:3])).startswith("On 2 of 3 queries, no order of candidates moves CWEx")


def test_half_of_the_queries_are_not_most() -> None:
    rows = [("a", query, "AWRF@10", 0.1, 0.11, query == "q1") for query in ("q1", "q2")]
    assert sentence(table(*rows)) == ""
    assert sentence(table()) == ""


def test_a_query_counts_only_if_it_is_narrow_for_all_systems_with_a_range() -> None:
    rows = [("a", "q1", "AWRF@10", 0.1, 0.11, True), ("b", "q1", "AWRF@10", 0.1, 0.5, False)]
    assert sentence(table(*rows)) == ""
    without_value = ("b", "q1", "AWRF@10", float("nan"), float("nan"), False)
    assert sentence(table(rows[0], without_value)).startswith("On 1 of 1 query, no order")


@pytest.mark.parametrize(("labels", "number"), [(["male"] * 3, 1), (["male", "female", "neutral"], 0)])
def test_the_sentence_of_a_study(labels: list[str], number: int) -> None:
    names = ["d1", "d2", "d3"]
    study = fairviz.make_study(
        "alike",
        runs=pd.DataFrame({"system": "a", "query_id": "q", "doc_id": names, "rank": [1, 2, 3], "score": [3.0, 2, 1]}),
        labels=pd.DataFrame({"doc_id": names, "annotator": "ann", "label": labels}),
    )
    text = sentence(fairviz.ranges(study, ["CWEx", "AWRF"], per_query=True))
    assert bool(text) == bool(number)
