"""One query in several systems: what stands at each rank, what moved, what was lost, and which query comes next."""

import numpy as np
import pandas as pd
import pytest

from fairviz.analyses.reading.side_by_side import order_of_queries, side_by_side
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import runs_of

CWEX, GAP = parse("CWEx@2"), parse("ExposureGap@2")
LISTS = {
    ("a", "q1"): ["f", "m", "n"],
    ("b", "q1"): ["n", "x", "f"],
    ("a", "q2"): ["m", "n", "f"],
    ("b", "q2"): ["n", "m", "f"],
    ("a", "q3"): ["n", "f", "m"],
}


@pytest.fixture(name="study")
def _study() -> Study:
    return make_study(
        "made",
        runs=runs_of(LISTS),
        labels=pd.DataFrame({"doc_id": ["f", "m", "n"], "label": ["female", "male", "neutral"]}),
        documents=pd.DataFrame({"doc_id": ["f", "m", "n"], "text": ["she and he and she", "he he", "a tree"]}),
        qrels=pd.DataFrame({"query_id": "q1", "doc_id": ["f", "n"], "relevance": [1, 0]}),
    )


def test_what_stands_where_and_where_it_stood_in_the_list_before_it(study: Study) -> None:
    f, m, n = ("f", "female", 1 - 1 / 3, 1), ("m", "male", 0.0, None), ("n", "neutral", 1.0, 0)
    for cutoff, systems, expected in (
        (2, "ab", [("a", 1, *f, None, 1), ("a", 2, *m, None, 2), ("b", 1, *n, 3, 1), ("b", 2, "x", "", np.nan, None,
                   None, 2), ("b", None, *f, 1, 3), ("b", None, *m, 2, None)]),
        (1, "aba", [("a", 1, *f, None, 1), ("b", 1, *n, 3, 1), ("b", None, *f, 1, 3), ("a", 1, *f, 3, 1),
                    ("a", None, *n, 1, 3)]),
    ):  # fmt: skip
        table = side_by_side(study, Settings(cutoff=cutoff, tau=0), "q1", tuple(systems))
        wanted = pd.DataFrame(expected, columns=table.columns).astype(table.dtypes.to_dict())
        pd.testing.assert_frame_equal(table, wanted)
    table = side_by_side(study, Settings(cutoff=2), "q3", ("a", "b"))
    assert table["system"].tolist() == ["a", "a", "b", "b"]
    assert table["rank"].isna().tolist() == [False, False, True, True], "b has no list, and has lost everything"
    assert side_by_side(study, Settings(), "q9", ("a", "b")).empty


def test_the_order_of_queries(study: Study) -> None:
    """CWEx under equal attention to two ranks: a: q1 f m 0, q2 m n 0, q3 n f 0; ExposureGap (male − female): 0, 1/2,
    −1/2. b: q1 n and one without a label: 0.5 · 1; q2 0; q3 none."""
    scores = evaluate(study, [CWEX.text, GAP.text], position_bias="uniform", cutoff=2)

    def ordered(by, question, systems=("a", "b"), other=None) -> list[tuple[str, float]]:
        found = order_of_queries(scores, by, question, systems, other)
        return list(zip(found["query_id"], found["by"].round(6), strict=True))

    assert [name for name, _ in ordered("study", GAP)] == ["q1", "q2", "q3"]
    assert ordered("value", GAP, ("a",)) == [("q2", 0.5), ("q3", -0.5), ("q1", 0.0)]
    differences = ordered("difference", CWEX)
    assert differences[:2] == [("q1", 0.5), ("q2", 0.0)]
    assert differences[2][0] == "q3"  # b does not answer it
    assert np.isnan(differences[2][1])
    parted = ordered("disagreement", CWEX, other=GAP)
    assert parted[0] == ("q1", 0.5)  # all alike by CWEx, in the middle; by the gap the fairest
    assert [value for _, value in parted[1:]] == [0.25, 0.25]
