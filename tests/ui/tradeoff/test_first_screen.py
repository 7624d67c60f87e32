import pytest

import fairviz
from tests.pages.test_first_run import first_run, html_of


@pytest.mark.parametrize(
    ("name", "badge"),
    [("newswire", "labels: project (model with a reader)<"), ("football", "labels: ")],
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
