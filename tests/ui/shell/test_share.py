"""The menu Share: every page has it, its files wait for a click, and its Python is that of the panels on screen."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from fairviz.output.recipes import joined
from fairviz.study.study import make_study
from fairviz.ui.shell import menus
from tests.pages.conftest import PAGES, first_run

FRAME = """import fairviz
from fairviz.evaluation.scores import exposures

study = fairviz.open_study('football')
settings = fairviz.Settings()
table = exposures(study, settings)
"""
SCORES = """import fairviz

study = fairviz.open_study('football')
settings = fairviz.Settings(
    alpha=0.25,
)
table = fairviz.evaluate(study, 'CWEx@2', settings)
"""


def files_of(test: AppTest) -> dict[str, str]:
    """The labels of the menu's files, by key."""
    protos = (button.proto for button in test.get("download_button"))
    return {proto.id.rpartition("-")[2]: proto.label for proto in protos if "share_" in proto.id}


@pytest.mark.parametrize("page", [page for page in PAGES if page != "label.py"])
def test_every_page_has_the_menu(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("report", "capsule"):
        monkeypatch.setattr(menus, name, lambda *_: pytest.fail("nobody asked for it"))
    test = first_run(page, study="football")
    assert files_of(test) == {"share_report": "Report", "share_capsule": "Capsule"}


def test_a_study_without_runs_has_a_link_and_no_files() -> None:
    documents = pd.DataFrame({"doc_id": ["d"], "text": ["she"]})
    assert files_of(first_run("overview.py", make_study("mine", documents=documents))) == {}


def test_the_python_of_a_page_is_that_of_its_panels() -> None:
    test = first_run("overview.py", study="football")
    (program,) = [code.value for code in test.code if "# overview_numbers\n" in code.value]
    names: dict = {}
    exec(program, names)
    assert {"system", "measure", "value"} <= set(names["table"].columns)


def test_no_panel_of_the_page_before_stays() -> None:
    test = first_run("overview.py", study="football")
    assert "overview_numbers" in test.session_state["panel_programs"]
    test.args = (test.args[0].replace("overview.py", "methods.py"),)
    test.run()
    assert "overview_numbers" not in test.session_state["panel_programs"]


def test_programs_are_joined_with_one_head_and_assign_what_differs() -> None:
    assert joined({}) == ""
    program = joined({"one": FRAME, "two": SCORES, "three": SCORES})
    assert (
        program
        == """import fairviz
from fairviz.evaluation.scores import exposures

# one
study = fairviz.open_study('football')
settings = fairviz.Settings()
table = exposures(study, settings)

# two
settings = fairviz.Settings(
    alpha=0.25,
)
table = fairviz.evaluate(study, 'CWEx@2', settings)

# three
table = fairviz.evaluate(study, 'CWEx@2', settings)
"""
    )
