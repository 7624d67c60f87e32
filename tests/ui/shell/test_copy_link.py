"""Copy link: what a link cannot carry is named before it is copied, with a way to save it."""

from dataclasses import replace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.study.record import Study
from fairviz.study.study import add_documents, add_runs, make_study
from fairviz.ui.shell.menus import CARRIED, NEEDED, lacking
from fairviz.ui.state import going
from tests.pages.conftest import PATIENCE, first_run, html_of

RUNS = ("system", "query_id", "doc_id", "rank", "score")


def with_runs(*names: str) -> Study:
    study = fairviz.open_study("football")
    for name in names:
        rows = study.runs[study.runs["system"] == "left"].assign(system=name)
        study = add_runs(study, rows[list(RUNS)].astype({"system": "str"}))
    return study


def keys_of(test: AppTest) -> set[str]:
    return {str(one.key) for one in test.button}


@pytest.mark.parametrize(
    ("study", "line"),
    [
        (lambda: with_runs("mine"), "A link to football lacks the run mine: not saved yet."),
        (lambda: with_runs("mine", "<b>"), "A link to football lacks the runs mine, <b>: not saved yet."),
        (
            lambda: add_documents(with_runs("mine"), pd.DataFrame({"doc_id": ["new"], "text": ["she"]})),
            "A link to football lacks the run mine and uploaded documents: not saved yet.",
        ),
        (
            lambda: replace(fairviz.open_study("football"), title="other"),
            "A link to football lacks what was uploaded: not saved yet.",
        ),
        (
            lambda: make_study("elsewhere", runs=pd.DataFrame([("s", "q", "d", 1, 1.0)], columns=list(RUNS))),
            "A link cannot open elsewhere: it was uploaded in this session and is not saved.",
        ),
    ],
    ids=["a run", "two runs", "documents too", "something else", "a whole study"],
)
def test_what_the_link_lacks_is_named(study, line: str) -> None:
    assert lacking(study()) == line


def test_an_upload_is_named_beside_the_link_with_a_way_to_save_it() -> None:
    test = first_run("overview.py", with_runs("<b>mine"))
    assert "A link to football lacks the run &lt;b&gt;mine: not saved yet." in html_of(test)
    test.button(key="copy_link_save").click()


def test_the_way_to_save_leads_to_the_tab_that_saves(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict = {}
    monkeypatch.setattr(going.st, "session_state", state)
    going.to_saving()
    assert state[going.TO] == "pages/data.py"
    monkeypatch.undo()
    test = first_run("data.py", study="football", data_tab=state["data_tab"])
    assert "Save as study" in html_of(test)
    assert "is not offered here" not in html_of(test)


def test_a_study_that_a_link_can_open_has_the_plain_button() -> None:
    test = first_run("overview.py", study="football")
    assert "copy_link_save" not in keys_of(test)
    assert CARRIED in html_of(test).replace("&#x27;", "'")
    assert "Its reader needs" not in html_of(test)


def test_a_stored_study_has_to_be_there_for_the_reader() -> None:
    study = replace(fairviz.open_study("football"), name="mine")
    assert NEEDED.format("mine") == "Its reader needs the study mine too."
    test = AppTest.from_function(_menu, args=(study,), default_timeout=PATIENCE).run()
    assert "Its reader needs the study mine too." in html_of(test)


def _menu(study):
    from fairviz.ui.shell.menus import copy_link

    copy_link(study)
