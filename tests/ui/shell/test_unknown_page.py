"""An address of a page that there is not: one line on Overview, until another page is opened."""

from types import SimpleNamespace

import pytest
from streamlit.commands import navigation
from streamlit.runtime.pages_manager import PagesManager

from fairviz.ui.shell.frame import page_names, warning_of
from fairviz.ui.state import streamlit_internals
from fairviz.ui.state.streamlit_internals import without_dialog
from tests.pages.conftest import first_run, html_of


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
