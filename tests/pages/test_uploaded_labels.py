"""Labels that are uploaded on the page Data: what their annotators are is asked once, and decides whether they vote."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.annotation.voters import votes_of
from fairviz.evaluation.study_facts import disagreement_text
from fairviz.study.record import Study
from fairviz.ui.state.library import OWN
from tests.pages.test_first_run import PATIENCE, ROOT, first_run, framed, html_of

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


def after(page: AppTest, file: str, *choices: str) -> AppTest:
    """The page in this file, in a session with the same upload and, of the choices, these."""
    state = page.session_state
    test = AppTest.from_function(framed, args=(str(ROOT / "pages" / file),), default_timeout=PATIENCE)
    test.session_state[OWN] = state[OWN]
    for name in ("study", *choices):
        if state[name]:
            test.query_params[name] = state[name]
    return test.run()


def test_uploaded_people_count_at_once_and_every_page_names_them() -> None:
    page = uploaded()
    study = study_of(page)
    told = disagreement_text(votes_of(study, NAMES))
    assert f"{told}.<br>" in html_of(page) or f"{told}.</div>" in html_of(page)
    assert "labels: majority of anna, ben and cleo (people)." in html_of(page)
    assert page.session_state["annotator"] == "majority"
    overview = after(page, "overview.py", "annotator", "voters")
    text = html_of(overview)
    assert f"{told}; Krippendorff&#x27;s alpha 0." in text
    assert "labels: majority of anna, ben and cleo (people)<" in text
    scores = fairviz.summarise(fairviz.evaluate(study, "CWEx", annotator="majority"))
    shown = next(table.value for table in overview.dataframe if "CWEx ↑" in table.value).set_index("system")
    expected = scores.set_index("system")["value"].drop(["perfect", "random"])
    assert shown["CWEx ↑"].reindex(expected.index).tolist() == pytest.approx(expected.tolist())


def test_labels_that_do_not_count_are_told_and_used_with_one_click_and_back() -> None:
    page = first_run("data.py", study="newswire", data_tab="Add and save")
    page.file_uploader(key="upload_labels").upload("three.csv", csv_of_three(), "text/csv").run()
    page.checkbox(key="upload_at_once").uncheck()
    page.button(key="upload_kind_person").click().run()
    count = int(study_of(page).labels["annotator"].isin(NAMES).sum())
    told = f"labels: project (model with a reader); {count} labels by people are not used"
    assert f"{told}. Use them" in page.button(key="use_people").label.replace("\\", "")
    overview = after(page, "overview.py", "annotator", "voters")
    assert f"{told}<" in html_of(overview)
    overview.button(key="use_people").click().run()
    assert "labels: majority of anna, ben and cleo (people)<" in html_of(overview)
    assert not [button for button in overview.button if button.key == "use_people"]
    overview.button(key="take_back_annotator").click().run()
    assert f"{told}<" in html_of(overview)


def test_data_and_annotate_have_the_numbers_of_peoples_labels() -> None:
    page = uploaded()
    text = html_of(first_run("data.py", study="newswire"))
    assert "anna" not in text
    study = study_of(page)
    text = html_of(after(page, "data.py"))
    count = int(study.labels["annotator"].isin(NAMES).sum())
    row = next(line for line in text.split("<tr>") if "anna, ben, cleo" in line)
    assert f">{count}</td>" in row
    told = f"{count} labels by people (anna, ben, cleo). {disagreement_text(votes_of(study, NAMES))}; Krippendorff"
    assert told in html_of(after(page, "annotate.py"))
