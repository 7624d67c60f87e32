"""Labels that are uploaded on the page Data: what their annotators are is asked once, and decides whether they vote."""

import pandas as pd
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.study.record import Study
from tests.pages.test_first_run import first_run, html_of

NAMES = ("anna", "ben", "cleo")


def csv_of_three(documents: int = 60) -> bytes:
    """The first documents of newswire by three annotators, of whom one skips every tenth."""
    study = fairviz.open_study("newswire")
    labels = study.labels[study.labels["annotator"] == "project"].head(documents).reset_index(drop=True)
    others = {"neutral": "male", "male": "female", "female": "neutral"}
    tables = []
    for number, name in enumerate(NAMES):
        table = labels[["doc_id", "label"]].assign(annotator=name)
        wrong = table.index % (4 + number) == 0
        table.loc[wrong, "label"] = table.loc[wrong, "label"].map(others)
        tables.append(table[table.index % 10 != 3] if name == "cleo" else table)
    return pd.concat(tables).to_csv(index=False).encode()


def uploaded(kind: str = "person", study: str = "newswire") -> AppTest:
    """The page Data after the upload, its annotators declared to be of this kind."""
    page = first_run("data.py", study=study, data_tab="Add and save")
    page.file_uploader(key="upload_labels").upload("three.csv", csv_of_three(), "text/csv").run()
    if kind:
        page.button(key=f"upload_kind_{kind}").click().run()
    assert not page.exception
    return page


def study_of(page: AppTest) -> Study:
    return page.session_state["current"].study


def test_the_kind_of_uploaded_annotators_is_asked_once_before_they_join() -> None:
    page = uploaded("")
    assert "Who are anna, ben, cleo?" in html_of(page)
    assert "anna" not in study_of(page).annotators
    page.button(key="upload_kind_person").click().run()
    study = study_of(page)
    assert [study.annotators[name].kind for name in NAMES] == ["person"] * 3
    assert "Who are" not in html_of(page)
    more = b"doc_id,annotator,label\nd300,anna,neutral\n".replace(b"d300", study.documents["doc_id"].iloc[-1].encode())
    page.file_uploader(key="upload_labels").set_value(("more.csv", more, "text/csv")).run()
    assert len(study_of(page).labels) == len(study.labels) + 1, "a known annotator is not asked about again"


def test_a_kind_that_is_not_known_is_an_answer_and_no_person() -> None:
    page = uploaded("unknown")
    assert [study_of(page).annotators[name].kind for name in NAMES] == [""] * 3
    assert "Who are" not in html_of(page)


def test_two_answers_make_two_studies() -> None:
    assert study_of(uploaded("person")).fingerprint != study_of(uploaded("model")).fingerprint
