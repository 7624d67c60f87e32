import pandas as pd
import pytest

import fairviz
from fairviz.ui.kept.inspect import label_counts
from tests.fresh import session
from tests.pages.test_first_run import first_run, html_of

RUNS = pd.DataFrame(
    [(system, f"q{query}", f"d{rank}", rank, 5.0 - rank) for system in "ab" for query in range(2) for rank in (1, 2)],
    columns=["system", "query_id", "doc_id", "rank", "score"],
)


def study_of(*labels):
    table = pd.DataFrame(labels, columns=["doc_id", "annotator", "label"])
    return fairviz.make_study("counted", runs=RUNS, labels=table)


def test_documents_with_two_labels_are_counted_once():
    study = study_of(
        ("d1", "x", "female"), ("d1", "y", "male"), ("d1", "z", "neutral"), ("d2", "x", "male"), ("d2", "y", "male")
    )  # fmt: skip
    with session():
        assert label_counts(study) == (2, 0, 1, True)


@pytest.mark.parametrize(
    ("name", "badge"),
    [("newswire", "labels: language model and reader, 0 by people"), ("football", "labels: ")],
)
def test_badges_say_what_the_labels_are(name, badge):
    text = html_of(first_run("overview.py", study=name))
    assert badge in text
    assert f"{len(fairviz.open_study(name).systems)} systems" in text


def test_a_door_opens_the_pair_and_the_query_with_the_largest_gap():
    page = first_run("overview.py", study="newswire")
    assert "w2v_add against bm25; largest gap: " in html_of(page)
    scores = fairviz.evaluate(fairviz.open_study("newswire"), "CWEx", systems=("w2v_add", "bm25"))
    wide = scores.pivot(index="query_id", columns="system", values="value")
    page.button(key="door_why").click().run()
    assert page.session_state["query"] == (wide["w2v_add"] - wide["bm25"]).abs().idxmax()
    assert page.session_state["system"] == "w2v_add"
    assert page.session_state["baseline"] == "bm25"
    page = first_run("overview.py", study="newswire")
    page.button(key="door_would").click().run()
    assert (page.session_state["system"], page.session_state["baseline"]) == ("w2v_add", "bm25")
