"""The Inspect page on studies that lack a part: it says what is missing, and the rest works."""

import os
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from fairviz.study.study import make_study, save_study
from fairviz.ui.state.library import OWN
from tests.pages.test_first_run import PATIENCE, ROOT, first_run, framed, html_of

RUNS = pd.DataFrame(
    [("s", "q", "a", 1, 9.0), ("s", "q", "b", 2, 8.0), ("t", "q", "b", 1, 9.0), ("t", "q", "a", 2, 8.0)],
    columns=["system", "query_id", "doc_id", "rank", "score"],
)
LABELS = pd.DataFrame([("a", "x", "female"), ("b", "x", "male")], columns=["doc_id", "annotator", "label"])
DOCUMENTS = pd.DataFrame({"doc_id": ["a", "b"], "text": ["her mother", "a tree"]})


def saved(**parts: object) -> None:
    study = make_study("made", **parts)  # type: ignore[arg-type]
    save_study(study, Path(os.environ["FAIRVIZ_HOME"]) / "studies" / "made")


def shown(**query: str) -> tuple:
    page = first_run("inspect.py", study="made", **query)
    assert not page.exception
    assert "fv-error" not in html_of(page)
    return page, html_of(page)


def listed(page) -> pd.DataFrame:
    return next(element.value for element in page.dataframe if "document" in element.value)


def test_without_text() -> None:
    saved(runs=RUNS, labels=LABELS)
    page, text = shown()
    assert "The study holds no text of this document." in text
    assert listed(page)["x"].tolist() == [["female"], ["male"]]
    assert "If <b>neutral</b>: CWEx of" in text
    assert "is fairer by CWEx" in text or "No set of other labels was found" in text


def test_without_labels() -> None:
    saved(runs=RUNS, documents=DOCUMENTS)
    page, text = shown()
    assert "What a label does to a measure cannot be shown for made: it has no gender labels." in text
    assert 'class="fv-w0" title="female">her</span>' in text
    assert listed(page)["word list"].tolist() == [["female"], ["neutral"]]


def test_without_runs() -> None:
    saved(documents=DOCUMENTS, labels=LABELS)
    page, text = shown()
    assert "cannot be shown for made: it has no runs." in text
    assert "query" not in listed(page)


def test_labels_that_are_no_genders() -> None:
    labels = LABELS.assign(label=["yes", ":red[no]"])
    saved(documents=DOCUMENTS, labels=labels, label_kind="other", notices=("It offends.", "Cleaned: nothing."))
    page, text = shown()
    assert "its labels are not genders" in text
    assert '<div class="fv-box fv-warning" role="note">It offends.</div>' in text
    assert "Cleaned" not in text
    assert {r"◆ \:red\[no\]", "★ yes"} == {button.label for button in page.button if button.label[:1] in "◆★"}


def test_a_link_opens_its_document_and_one_that_is_not_there_gives_way_to_the_first() -> None:
    saved(documents=DOCUMENTS, labels=LABELS)
    assert "<bdi>b</bdi> · 2 of 2" in shown(document="b")[1]
    page, text = shown(document="<nobody>")
    assert "<bdi>a</bdi> · 1 of 2" in text
    assert page.session_state["document"] == "a"


@pytest.mark.parametrize(("study", "count"), [("newswire", 343), ("football", 10)])
def test_the_list_shows_ten_and_counts_all(study: str, count: int) -> None:
    page = first_run("inspect.py", study=study)
    assert len(listed(page)) == 10
    assert f"<b>{count}</b> of {count} documents; annotators disagree on <b>" in html_of(page)
    assert f"1 to 10 of {count} documents" in html_of(page)


def test_a_study_of_this_session_that_is_not_saved_can_be_read() -> None:
    page = AppTest.from_function(framed, args=(str(ROOT / "pages" / "inspect.py"),), default_timeout=PATIENCE)
    page.session_state[OWN] = {"made": make_study("made", runs=RUNS, labels=LABELS, documents=DOCUMENTS)}
    page.query_params["study"] = "made"
    page.run()
    assert not page.exception
    assert "fv-error" not in html_of(page)
    assert "Save the study first: on the Data page, under Add and save." in html_of(page)
    assert listed(page)["x"].tolist() == [["female"], ["male"]]
    assert "Changed together" not in html_of(page)  # the systems are tied, so that nothing reverses them

    next(button for button in page.button if button.label.endswith("male") and "female" not in button.label).click()
    page.run()
    assert "Not stored: made has no folder yet, so decisions have no place to be kept" in html_of(page)
