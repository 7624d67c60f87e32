"""The menus Share and Help: files that wait for a click, the Python of the panels, what a link lacks, and the tour; and
an address of a page that there is not, which is one line on Overview, until another page is opened."""

import hashlib
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from streamlit.commands import navigation
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.home import data_home
from fairviz.home.permissions import Visitor
from fairviz.study.record import Study
from fairviz.study.study import add_documents, add_runs, make_study
from fairviz.ui.shell import menus
from fairviz.ui.shell.frame import page_names, warning_of
from fairviz.ui.shell.menus import CARRIED, lacking
from fairviz.ui.state import going, streamlit_internals
from fairviz.ui.state.streamlit_internals import without_dialog
from tests.made import RUN_COLUMNS, runs_of
from tests.pages.conftest import drawn_by, first_run, html_of, keys_of


def files_of(test: AppTest) -> dict[str, str]:
    """The labels of the menu's files, by key."""
    protos = (button.proto for button in test.get("download_button"))
    return {proto.id.rpartition("-")[2]: proto.label for proto in protos if "share_" in proto.id}


FILES = {"share_report": "Report", "share_capsule": "Capsule"}


def test_share_has_a_plain_link_the_python_of_the_panels_and_files_that_are_not_made_yet(monkeypatch) -> None:
    for name in ("report", "capsule"):
        monkeypatch.setattr(menus, name, lambda *_: pytest.fail("nobody asked for it"))
    test = first_run("overview.py", study="football")
    assert files_of(test) == FILES
    assert "copy_link_save" not in keys_of(test.button)
    assert CARRIED in html_of(test).replace("&#x27;", "'")
    assert "Its reader needs" not in html_of(test)
    (program,) = [code.value for code in test.code if "# overview_numbers\n" in code.value]
    names: dict = {}
    exec(program, names)
    assert {"system", "measure", "value"} <= set(names["table"].columns)
    assert "overview_numbers" in test.session_state["panel_programs"]
    test.args = (test.args[0].replace("overview.py", "methods.py"),)
    test.run()
    assert "overview_numbers" not in test.session_state["panel_programs"]


def with_runs(*names: str) -> Study:
    study = fairviz.open_study("football")
    for name in names:
        rows = study.runs[study.runs["system"] == "left"].assign(system=name)
        study = add_runs(study, rows[RUN_COLUMNS].astype({"system": "str"}))
    return study


def test_what_the_link_lacks_is_named() -> None:
    documents = add_documents(with_runs("mine"), pd.DataFrame({"doc_id": ["new"], "text": ["she"]}))
    for study, lacks in (
        (with_runs("mine"), "the run mine"),
        (with_runs("mine", "<b>"), "the runs mine, <b>"),
        (documents, "the run mine and uploaded documents"),
        (replace(fairviz.open_study("football"), title="other"), "what was uploaded"),
    ):
        assert lacking(study) == f"A link to football lacks {lacks}: not saved yet."
    elsewhere = make_study("elsewhere", runs=runs_of({"s": "d"}))
    assert lacking(elsewhere) == "A link cannot open elsewhere: it was uploaded in this session and is not saved."


def test_an_upload_is_named_beside_the_link_which_leads_to_the_tab_that_saves(monkeypatch) -> None:
    test = first_run("overview.py", with_runs("<b>mine"))
    assert "A link to football lacks the run &lt;b&gt;mine: not saved yet." in html_of(test)
    test.button(key="copy_link_save").click()
    state: dict = {}
    with monkeypatch.context() as patch:
        patch.setattr(going.st, "session_state", state)
        going.to_saving()
    assert state[going.TO] == "pages/data.py"
    test = first_run("data.py", study="football", data_tab=state["data_tab"])
    assert "Save as study" in html_of(test)
    assert "is not offered here" not in html_of(test)


def test_a_stored_study_has_to_be_there_for_the_reader_and_one_without_runs_has_no_files() -> None:
    def menu(study):
        from fairviz.ui.shell.menus import copy_link

        copy_link(study)

    test = drawn_by(menu, replace(fairviz.open_study("football"), name="mine"))
    assert "Its reader needs the study mine too." in html_of(test)
    documents = pd.DataFrame({"doc_id": ["d"], "text": ["she"]})
    assert files_of(first_run("overview.py", make_study("mine", documents=documents))) == {}


ANN = hashlib.sha256(b"ann").hexdigest()[:16]


def test_the_tour_is_offered_once_and_goes_through_what_is_on_the_page():
    page = first_run("overview.py", study="football")
    assert "tour_next" not in keys_of(page.button)
    page.button(key="tour_decline").click().run()
    assert "tour_take" not in keys_of(page.button)
    assert "fairviz_tour=answered; path=/" in html_of(page)
    assert not data_home().exists(), "the answer is kept in the browser"
    assert "fairviz_tour" not in html_of(page.run()), "stored once"
    page.button(key="help_tour").click().run()
    assert f"1 of {len(menus.STEPS) - 1}" in html_of(page), "no choice is changed"
    page = first_run("overview.py", study="football", alpha="0.25")
    page.button(key="tour_take").click().run()
    assert "fairviz_tour=answered; path=/" in html_of(page)
    last = len(menus.STEPS)
    for number, label in ((1, "tour_next"), (2, "tour_next"), (last, "tour_end")):
        if number == last:
            page.session_state[menus.STEP] = last - 1
            page.run()
        assert f"<b>{menus.STEPS[number - 1].title}</b>" in html_of(page)
        assert f"{number} of {last}" in html_of(page)
        assert ("tour_next" in keys_of(page.button)) is (number < last)
        page.button(key=label).click().run()
    assert not {"tour_next", "tour_end", "tour_take"} & keys_of(page.button)


def test_the_offer_is_made_once_to_each_login(monkeypatch):
    for cookie, login, answered in (
        ("", None, False), ("answered", None, True), ("answered", "ann", False), (ANN, "ann", True),
        (f"{ANN}.answered", "ann", True), (ANN, "bob", False), (ANN, None, False),
    ):  # fmt: skip
        context = SimpleNamespace(cookies={menus.COOKIE: cookie})
        monkeypatch.setattr(menus, "st", SimpleNamespace(session_state={}, context=context))
        monkeypatch.setattr(menus, "visitor", lambda login=login: login and Visitor(login))
        assert menus.is_answered() is answered, (cookie, login)


def test_the_offer_and_the_card_are_on_overview_only(monkeypatch):
    monkeypatch.setattr(menus, "page_name", lambda: "methods")
    page = first_run("methods.py", study="football", data_tab="Rank")
    assert {"help_tour", "help_methods"} <= keys_of(page.button)
    assert "tour_take" not in keys_of(page.button)
    page.session_state[menus.STEP] = 1
    page.run()
    assert menus.STEP not in page.session_state
    assert "tour_next" not in keys_of(page.button)


# --- an unknown page


def test_the_nearest_name_is_told_where_one_is_alike() -> None:
    for name, nearest in (("Tradeoff", "Trade-off"), ("agreements", "Agreement"), ("mesures", "Measures")):
        assert warning_of(name) == f"There is no page {name!r}; Overview is shown. The nearest name is {nearest}."
    assert warning_of("nosuchpage") == ("There is no page 'nosuchpage'; Overview is shown. The menus have every page.")
    assert warning_of("x" * 500).startswith(f"There is no page '{'x' * 80}'; Overview is shown. ")


def test_the_line_goes_with_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PagesManager, "intended_page_name", "tradeof<b>")
    monkeypatch.setattr(PagesManager, "intended_page_script_hash", None)
    monkeypatch.setattr(PagesManager, "current_page_script_hash", "overview")
    line = "There is no page &#x27;tradeof&lt;b&gt;&#x27;; Overview is shown. The nearest name is Trade-off."
    test = first_run("overview.py", study="football")
    assert line in html_of(test)
    monkeypatch.setattr(PagesManager, "intended_page_script_hash", "overview")
    assert line in html_of(test.run())
    monkeypatch.setattr(PagesManager, "current_page_script_hash", "compare")
    assert "There is no page" not in html_of(test.run())
    monkeypatch.setattr(PagesManager, "current_page_script_hash", "overview")
    assert "There is no page" not in html_of(test.run())


def test_a_page_that_the_menus_lack_is_unknown_and_streamlit_shows_no_dialog_of_its_own(monkeypatch) -> None:
    assert {None, "", "overview", "tradeoff"} <= page_names()
    menus = {"1": {"url_pathname": ""}, "2": {"url_pathname": "tradeoff"}}  # as on one's own machine, without Status
    monkeypatch.setattr(streamlit_internals, "pages", lambda: SimpleNamespace(get_pages=lambda: menus))
    assert page_names() == {None, "", "overview", "tradeoff"}
    monkeypatch.setattr(navigation, "send_page_not_found", lambda _: pytest.fail("a dialog"))
    without_dialog()
    navigation.send_page_not_found(None)
