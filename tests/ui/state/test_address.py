"""What the address holds; that Back and links of the navigation lead there is driven in tests/browser/test_links.py."""

from types import SimpleNamespace

import pytest

from fairviz.evaluation.settings import Settings
from fairviz.ui.state import address, choices, session
from tests.pages.conftest import ROOT, drawn_by, first_run, press


def test_what_cannot_be_honoured_stays_until_the_next_choice_and_a_link_of_the_navigation_drops_nothing() -> None:
    page = first_run("overview.py", study="football", cutoff="0", colour="red")
    assert dict(page.query_params) == {"study": "football", "cutoff": "0", "colour": "red"}
    page.run()
    assert dict(page.query_params) == {"study": "football", "cutoff": "0", "colour": "red"}
    page.slider(key="alpha").set_value(0.25).run()
    assert dict(page.query_params) == {"study": "football", "alpha": "0.25"}
    page.query_params.clear()  # Streamlit leaves the address out of the request for another page
    page.run()
    assert dict(page.query_params) == {"study": "football", "alpha": "0.25"}
    assert page.slider(key="alpha").value == 0.25


def test_reset_clears_an_address_that_sets_nothing() -> None:
    page = first_run("overview.py", study="football", colour="red")
    press(page, "Reset")
    assert dict(page.query_params) == {"study": "football"}


def test_the_source_puts_the_address_back_before_the_navigation_writes_its_page_and_stops_in_its_frame_alone() -> None:
    """Streamlit gives the new page an entry with the address as it then is, and another for each later change."""
    code = (ROOT / "app.py").read_text(encoding="utf-8")
    assert 0 < code.index("address.follow()") < code.index("st.navigation(MENUS")
    for path in [*(ROOT / "pages").glob("*.py"), *(ROOT / "fairviz" / "ui").rglob("*.py")]:
        assert "st.stop()" not in path.read_text(encoding="utf-8"), path


def test_the_document_that_opens_by_itself_is_not_in_the_address() -> None:
    page = first_run("read.py", study="football")
    first = page.session_state["document"]
    assert first
    assert dict(page.query_params) == {"study": "football"}
    page.button(key="inspect_next").click().run()
    assert dict(page.query_params) == {"study": "football", "document": page.session_state["document"]}
    page.button(key="inspect_previous").click().run()
    assert dict(page.query_params) == {"study": "football"}
    assert page.session_state["document"] == first


def test_a_page_that_stops_early_has_its_address_and_chips() -> None:
    def stopping() -> None:
        from fairviz.ui.shell import frame

        with frame.around():
            frame.stop()

    page = drawn_by(stopping, alpha="0.25")
    assert dict(page.query_params) == {"study": "newswire", "alpha": "0.25"}
    assert page.button(key="take_back_alpha").label == r"alpha 0\.25 ✕"  # Markdown


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch) -> dict:
    """The session's state in a run of a part of a page: alpha 0.5 and the first curve are on screen."""
    state: dict = {}
    for module in (address, choices, session):
        monkeypatch.setattr(module, "st", SimpleNamespace(session_state=state))
    monkeypatch.setattr(address, "is_fragment_run", lambda: True)
    session.seed(Settings())
    state["tradeoff_curve"] = "over α"
    state[address.SCREEN_SETTINGS], state[choices.LAST_VALUES] = Settings(), {"tradeoff_curve": "over α"}
    return state


@pytest.mark.parametrize(("key", "value"), [("alpha", 0.25), ("tradeoff_curve", "over k")])
def test_a_choice_that_came_with_a_part_of_the_page_stays_but_none_that_a_browser_sends_along_from_before_back(
    part: dict, key: str, value: object
) -> None:
    shown = part[key]
    assert not address.overlooked()
    part[key] = value
    assert address.overlooked()
    assert part[key] == value
    part[key] = shown
    part[address.VALUES_BEFORE_BACK] = {**vars(Settings()), "tradeoff_curve": "over α", key: value}
    assert not address.overlooked()
    part[key] = value
    assert address.overlooked()  # the page is drawn anew, as it was
    assert part[key] == shown
    part["cutoff"] = 7  # chosen since: then all of it is as the browser says
    part[key] = value
    assert address.overlooked()
    assert (part["cutoff"], part[key]) == (7, value)


def test_a_part_of_a_page_publishes_only_in_a_run_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run of a whole page publishes at its end: twice would be two entries in the history."""
    published: list[bool] = []
    monkeypatch.setattr(address, "publish", lambda: published.append(True))
    monkeypatch.setattr(address.st, "session_state", {address.STORED_QUERY: {}})
    for is_fragment_run, expected in ((False, 0), (True, 1)):
        monkeypatch.setattr(address, "is_fragment_run", lambda answer=is_fragment_run: answer)
        address.publish_alone()
        assert len(published) == expected
