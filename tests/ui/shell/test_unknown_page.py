"""An address of a page that there is not: one line on Overview, until another page is opened."""

from types import SimpleNamespace

import pytest
from streamlit.commands import navigation
from streamlit.runtime.pages_manager import PagesManager

from fairviz.ui.shell.frame import page_names, warning_of
from fairviz.ui.state import streamlit_internals
from fairviz.ui.state.streamlit_internals import without_dialog
from tests.pages.conftest import first_run, html_of


@pytest.mark.parametrize(
    ("name", "nearest"), [("Tradeoff", "Trade-off"), ("agreements", "Agreement"), ("mesures", "Measures")]
)
def test_the_nearest_name_is_told(name: str, nearest: str) -> None:
    assert warning_of(name) == f"There is no page {name!r}; Overview is shown. The nearest name is {nearest}."


def test_a_name_unlike_any_page_gets_no_guess() -> None:
    assert warning_of("nosuchpage") == ("There is no page 'nosuchpage'; Overview is shown. The menus have every page.")


def test_a_long_name_is_cut() -> None:
    assert warning_of("x" * 500).startswith(f"There is no page '{'x' * 80}'; Overview is shown. ")


def test_pages_that_there_are_and_none_are_known() -> None:
    assert {None, "", "overview", "tradeoff"} <= page_names()


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


def test_a_page_that_the_menus_lack_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    menus = {"1": {"url_pathname": ""}, "2": {"url_pathname": "tradeoff"}}  # as on one's own machine, without Status
    monkeypatch.setattr(streamlit_internals, "pages", lambda: SimpleNamespace(get_pages=lambda: menus))
    assert page_names() == {None, "", "overview", "tradeoff"}


def test_streamlit_shows_no_dialog_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(navigation, "send_page_not_found", lambda _: pytest.fail("a dialog"))
    without_dialog()
    navigation.send_page_not_found(None)
