"""The page Read: what a study lacks, the list and its orders, labels; and the page Never shown, which leads there."""

import math
import os
import re
from pathlib import Path

import pandas as pd
import pytest
from streamlit.proto.LabelVisibility_pb2 import LabelVisibility
from streamlit.testing.v1 import AppTest

from fairviz.analyses.reading.filters import PAIR_SIGN
from fairviz.analyses.running import analyse
from fairviz.cli.main import main
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.state import going
from tests.comparison.test_never_shown import lists
from tests.model_server import ModelServer
from tests.pages.conftest import PATIENCE, Seen, first_run, html_of, kept, press, table_with

RUNS = pd.DataFrame(
    [("s", "q", "a", 1, 9.0), ("s", "q", "b", 2, 8.0), ("t", "q", "b", 1, 9.0), ("t", "q", "a", 2, 8.0)],
    columns=["system", "query_id", "doc_id", "rank", "score"],
)
LABELS = pd.DataFrame([("a", "x", "female"), ("b", "x", "male")], columns=["doc_id", "annotator", "label"])
DOCUMENTS = pd.DataFrame({"doc_id": ["a", "b"], "text": ["her mother", "a tree"]})


def saved(**parts: object) -> None:
    kept(make_study("made", **parts))  # type: ignore[arg-type]


def shown(**query: str) -> tuple:
    page = first_run("read.py", study="made", **query)
    assert "fv-error" not in html_of(page)
    return page, html_of(page)


def listed(page) -> pd.DataFrame:
    return table_with(page, "document")


@pytest.mark.parametrize(
    ("parts", "told", "column", "cells"),
    [
        ({"runs": RUNS, "labels": LABELS},
         ["The study holds no text of this document.", "If <b>neutral</b>: CWEx of"], "x", [["female"], ["male"]]),
        ({"runs": RUNS, "documents": DOCUMENTS},
         ["The effect of a label on a measure cannot be shown for made: it has no gender labels.",
          'class="fv-w0" title="female">her</span>'], "word list", [["female"], ["neutral"]]),
        ({"documents": DOCUMENTS, "labels": LABELS},
         ["cannot be shown for made: it has no runs."], "x", [["female"], ["male"]]),
    ],
    ids=["text", "labels", "runs"],
)  # fmt: skip
def test_without_a_part_the_rest_works(parts: dict, told: list[str], column: str, cells: list[list[str]]) -> None:
    saved(**parts)
    page, text = shown()
    assert [sentence for sentence in told if sentence not in text] == []
    assert listed(page)[column].tolist() == cells
    assert ("query" in listed(page)) == ("runs" in parts)


def test_the_order_by_exposure_has_a_column_with_the_shares_of_attention() -> None:
    saved(runs=RUNS[RUNS["system"] == "s"], labels=LABELS, documents=DOCUMENTS[::-1])
    table = listed(shown(inspect_order="exposure")[0]).set_index("document")
    second = 1 / math.log2(3)  # rank 2 under log2; rank 1 has 1
    assert table["exposure"].to_dict() == pytest.approx({"a": 100 / (1 + second), "b": 100 * second / (1 + second)})
    assert list(table.index) == ["a", "b"]


def test_labels_that_are_no_genders() -> None:
    labels = LABELS.assign(label=["yes", ":red[no]"])
    saved(documents=DOCUMENTS, labels=labels, label_kind="other", notices=("The text offends.", "Ours."))
    page, text = shown()
    assert "its labels are not genders" in text
    assert '<div class="fv-box fv-warning" role="note">The text offends.</div>' in text
    assert "Ours." not in text
    assert {r"◆ \:red\[no\]", "★ yes"} == {button.label for button in page.button if button.label[:1] in "◆★"}


def test_a_link_opens_its_document_and_one_that_is_not_there_gives_way_to_the_first() -> None:
    saved(runs=RUNS, documents=pd.concat([DOCUMENTS, pd.DataFrame({"doc_id": ["c"], "text": ["a stone"]})]))
    guideline = Path(os.environ["FAIRVIZ_HOME"]) / "studies" / "made" / "GUIDELINE.md"
    guideline.write_text("")
    text = html_of(first_run("read.py", study="made", document="c"))
    assert "<bdi>c</bdi> · 3 of 3" in text
    assert "No run retrieves this document." in text
    assert f"the guideline {guideline} is empty" in text
    guideline.write_text("Read.")
    page, text = shown(document="<nobody>")
    assert "<bdi>a</bdi> · 1 of 3" in text
    assert "No run retrieves this document." not in text
    assert page.session_state["document"] == "a"
    for name, label in (("disagreement", "Which documents?"), ("query", "Query"), ("order", "Order")):
        box = page.selectbox(key=f"inspect_{name}")  # a label above each would push the list down
        assert box.label == label
        assert box.proto.label_visibility.value == LabelVisibility.COLLAPSED
    _, text = shown(inspect_search="zebra")
    assert "No document passes these filters." in text
    assert "Choose other filters, or Clear." in text
    assert "No document passes these filters." not in shown(inspect_search="tree")[1]


@pytest.mark.parametrize(
    ("study", "count", "guideline"),
    [("newswire", 343, "<h4>How the newswire documents were labelled</h4>"),
     ("football", 10, "Please read each document and say")],
)  # fmt: skip
def test_the_list_shows_ten_and_counts_all_above_the_folded_guideline(
    study: str, count: int, guideline: str, seen: Seen
) -> None:
    page = seen("read.py", study=study)
    assert len(listed(page)) == 10
    assert f"<b>{count}</b> of {count} documents." in html_of(page), "only project votes"
    assert f"1 to 10 of {count}</div>" in html_of(page)
    assert not next(one for one in page.expander if one.label == "Guideline").proto.expanded
    assert guideline in html_of(page)
    assert ("Other machine" in html_of(page)) == (study == "newswire")


def test_a_study_of_this_session_that_is_not_saved_can_be_read() -> None:
    page = first_run("read.py", make_study("made", runs=RUNS, labels=LABELS, documents=DOCUMENTS))
    assert "fv-error" not in html_of(page)
    assert "Save the study first: on the Data page, under Add and save." in html_of(page)
    assert listed(page)["x"].tolist() == [["female"], ["male"]]

    next(button for button in page.button if button.label.endswith("male") and "female" not in button.label).click()
    page.run()
    assert "Not stored: made has no folder yet, so decisions cannot be stored" in html_of(page)


def test_a_chosen_query_lists_its_documents_in_a_system_s_order_with_their_ranks() -> None:
    runs = pd.concat([RUNS, pd.DataFrame([("s", "r", "c", 1, 9.0)], columns=list(RUNS))])
    qrels = pd.DataFrame([("q", "d", 1), ("z", "b", 1), ("z", "d", 0)], columns=["query_id", "doc_id", "relevance"])
    documents = pd.DataFrame({"doc_id": ["d", "c", "b", "a"], "text": ["x", "y", "z", "w"]})
    queries = pd.DataFrame({"query_id": ["q", "r", "z"], "text": ["one", "other", "nobody answers"]})
    saved(runs=runs, labels=LABELS, documents=documents, qrels=qrels, queries=queries)
    page, _ = shown()
    assert "query" in listed(page)
    assert "rank" not in listed(page)
    page.selectbox(key="inspect_query").set_value("q").run()
    table = listed(page)
    assert table["document"].tolist() == ["a", "b", "d"]  # the last was judged, and not retrieved
    assert table["rank"].tolist() == [1, 2, pd.NA]
    assert "query" not in table
    assert page.selectbox(key="inspect_order").options[0] == "order: rank in s"
    assert "1 to 3 of 3, in the order of s (More filters, Ranked by)" in html_of(page)
    page.selectbox(key="inspect_system").set_value("t").run()
    assert listed(page)["document"].tolist() == ["b", "a"]  # those of this system
    assert listed(page)["rank"].tolist() == [1, 2]
    assert page.selectbox(key="inspect_order").options[0] == "order: rank in t"
    page.selectbox(key="inspect_system").set_value("").run()
    page.selectbox(key="system").set_value("t").run()
    assert listed(page)["document"].tolist() == ["b", "a", "d"]  # the selected system's order
    for query, expected in (("z", ["d", "b"]), ("", ["d", "c", "b", "a"])):  # nobody answers z
        page.selectbox(key="inspect_query").set_value(query).run()
        assert page.selectbox(key="inspect_order").options[0] == "order: the study's"
        assert listed(page)["document"].tolist() == expected
        assert "rank" not in listed(page)


def test_each_order_of_the_list_has_the_column_that_it_goes_by() -> None:
    other = LABELS.assign(annotator="y", label=["female", "female"])
    saved(runs=RUNS, labels=pd.concat([LABELS, other]), documents=DOCUMENTS)
    page, _ = shown()
    columns = {"study": set(), "exposure": {"exposure"}, "disagreement": {"disagreement"}, "effect": {"effect"}}
    for order, own in columns.items():
        page.selectbox(key="inspect_order").select(order).run()
        table = listed(page)
        assert set(table) & set().union(*columns.values()) == own, order
        for name in own:
            assert table[name].abs().is_monotonic_decreasing, order


def test_labels_of_machines_beside_the_study_are_shown_as_what_they_are() -> None:
    """Laid open for whom a tick brought here; what counts, and how many disagree, stays as it is without them."""
    text = html_of(first_run("read.py", study="newswire", document="lee-005"))
    own, _, beside = text.partition("Other machine labels (unused):")
    assert "<bdi>project</bdi>" in own
    assert "<bdi>classifier</bdi>" not in own
    assert own.endswith('<details class="fv-beside"><summary><span class="fv-quiet">')
    counts = re.findall(r"(neutral|female|male)</span>&nbsp;×(\d)", beside)
    assert counts == [("neutral", "4"), ("female", "1"), ("male", "2")]
    line = beside.partition("<bdi>logprob-model=smollm2</bdi>")[2].partition("</span></span>")[0]
    assert line.endswith('<span class="fv-quiet">language model')


def test_what_a_model_answered_that_was_no_label_stands_there(server: ModelServer) -> None:
    saved(documents=DOCUMENTS, labels=LABELS)
    server.answer = lambda prompt: "Female" if "her mother" in prompt else "<b>neither</b>"
    assert main(["annotate", "made", "--with", f"llm(model='m',url='{server.address}')"]) == 0
    _, text = shown(document="b")
    told = text.partition("<bdi>llm-model=m</bdi> no label")[2].partition("</span></span>")[0]
    assert told.endswith("language model · unparsed: &lt;b&gt;neither&lt;/b&gt;")
    assert "no label" not in shown(document="a")[1].partition("llm-model=m")[2]
    assert len(server.bodies) == 2, "nobody was asked again"


def test_two_of_many_annotators_are_compared_by_their_names():
    names = [f"annotator {place}" for place in range(7)]
    rows = [(doc, name, "female" if name != names[3] else "male") for name in names for doc in ("a", "b")]
    saved(runs=RUNS, documents=DOCUMENTS, labels=pd.DataFrame(rows, columns=["doc_id", "annotator", "label"]))
    page, _ = shown()
    page.selectbox(key="inspect_pair_second").select(names[3]).run()
    press(page, "Show")
    chosen = page.selectbox(key="inspect_disagreement")
    assert chosen.value == PAIR_SIGN.join((names[0], names[3]))
    assert chosen.options[:2] == ["all documents", "7 annotators disagree"]
    assert len(listed(page)) == 2
    given = html_of(page).partition('class="fv-labels')[2]
    for name, label in ((names[0], "female"), (names[3], "male")):
        chip = re.search(rf"<bdi[^>]*>{name}</bdi>.*?fv-chip[^>]*>(.*?)</span>", given, re.S)[1]
        assert re.search(rf"\b{label}$", re.sub("<[^>]+>", "", chip))


# The page Never shown, and the way of a ticked document to Read


def test_never_shown_shows_findings_figures_and_documents(newswire: Study) -> None:
    page = first_run("never-shown.py", **{"study": "newswire", "cutoff": "5", "never-shown_documents": "candidates"})
    answer = analyse(newswire, "never-shown", Settings(cutoff=5), documents="candidates")
    assert answer.sentences[0] in html_of(page)
    grids = [frame.value for frame in page.dataframe if "best_rank" in frame.value]
    assert grids[-1]["doc_id"].tolist() == answer.table("documents")["doc_id"].tolist()
    charts = " ".join(str(chart.proto) for chart in page.get("plotly_chart"))
    assert "Never shown within 5" in charts
    assert "Lorenz curves of exposure within the cutoff" in charts
    assert "Tick a row to read the document." in html_of(page)


def test_never_shown_names_the_other_pools_to_a_study_without_judgements() -> None:
    kept(lists(12, 3, judged=False), "unjudged")
    page = first_run("never-shown.py", study="unjudged")
    assert "unjudged has no relevance judgements" in html_of(page)
    assert "use the documents `candidates` or `all`" in html_of(page)


def test_a_ticked_document_opens_on_the_page_read() -> None:
    def ticked() -> None:
        import streamlit as st

        from fairviz.ui.kit.views import _open_document

        st.session_state["grid"] = {"selection": {"rows": st.session_state["ticked"]}}
        _open_document("grid", ("d1", "<b>d2"))

    page = AppTest.from_function(ticked, default_timeout=PATIENCE)
    page.session_state["ticked"] = []
    page.run()
    assert going.TO not in page.session_state
    page.session_state["ticked"] = [1]
    page.run()
    assert (page.session_state["document"], page.session_state[going.TO]) == ("<b>d2", going.INSPECT)
