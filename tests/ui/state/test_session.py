"""Settings to widgets and back, what a study does not hold, and what the address holds."""

from types import SimpleNamespace

import pandas as pd
import pytest
import streamlit
from hypothesis import given
from streamlit.testing.v1 import AppTest

from fairviz.evaluation import study_values
from fairviz.evaluation.settings import Settings, from_query, to_query
from fairviz.study.record import Study
from fairviz.study.tables import LABELS, QUERIES, RUNS, conform
from fairviz.ui.state import address, choices, library, session
from tests.fresh import settings_drawn
from tests.pages.conftest import ROOT, drawn_by, first_run, html_of, press


def state_of(settings: Settings) -> dict:
    """The state of the widgets, as seeding leaves it."""
    state = {name: getattr(settings, name) for name in session.NAMES}
    state = {name: list(value) if isinstance(value, tuple) else value for name, value in state.items()}
    state["position_bias"], state[session.PARAMETER] = session.split_bias(settings.position_bias)
    return state


DRAWN = settings_drawn(("glove", "google-news-subset"))


@given(DRAWN.filter(lambda drawn: drawn.position_bias != "custom" or drawn.custom_bias))
def test_settings_survive_address_and_widgets(settings):
    restored, ignored = from_query(to_query(settings))
    assert (restored, ignored) == (settings, [])
    assert session.read(state_of(settings)) == settings


def test_a_custom_bias_without_weights_falls_back_to_the_default():
    state = {**state_of(Settings()), "position_bias": "custom"}
    assert session.read(state).position_bias == "log2"
    state["custom_bias"] = [0.5, 0.25]
    assert session.read(state).position_bias == "custom"
    biases = [session.split_bias(text) for text in ("rbp(p=0.9)", "log2", "custom")]
    assert biases == [("rbp", 0.9), ("log2", 0.8), ("custom", 0.8)]


@pytest.fixture
def study():
    queries = pd.DataFrame({"query_id": ["1", "2"], "text": ["x", "y"], "topic": ["b", "a"], "note": ["p", "q"]})
    runs = pd.DataFrame({"system": ["s"], "query_id": ["1"], "doc_id": ["d"], "rank": [7], "score": [1.0]})
    labels = pd.DataFrame({"doc_id": ["d", "d"], "annotator": ["Ada", "Bob"], "label": ["female", "male"]})
    tables = {"queries": conform(queries, QUERIES), "runs": conform(runs, RUNS), "labels": conform(labels, LABELS)}
    return Study("tiny", **tables)


def test_widgets_offer_what_the_study_holds(study):
    assert study_values.annotators(study) == ("", "Ada", "Bob", "majority", "dawid-skene")
    assert study_values.backgrounds(study) == ("candidates", "collection", "run:s")
    assert study_values.filter_columns(study) == ("", "topic", "note", "query_id")
    assert study_values.filter_values(study, "topic") == ("a", "b")
    assert study_values.filter_values(study, "query_id") == ("1", "2")
    assert study_values.deepest_rank(study) == 1  # the one document of its list, at whatever rank of the file
    assert study_values.deepest_rank(Study("empty")) == 0
    assert study_values.filter_columns(Study("empty")) == ("",)


def settings_of(page: AppTest) -> Settings:
    return page.session_state["current"].settings


def test_a_choice_outlives_its_widget() -> None:
    """traits has no labels, so that what to do without them is not asked there; back at football it is as it was."""
    page = first_run("methods.py", study="football", unlabelled="strict", position_bias="rbp(p=0.7)")
    page.selectbox(key="study").select("traits").run()
    page.selectbox(key="position_bias").select("log2").run()  # which takes the slider of p away
    assert "unlabelled" not in {widget.key for widget in page.selectbox}
    assert "bias_parameter" not in {widget.key for widget in page.slider}
    page.run()
    page.selectbox(key="study").select("football").run()
    page.selectbox(key="position_bias").select("rbp").run()
    assert page.selectbox(key="unlabelled").value == "strict"
    assert page.slider(key="bias_parameter").value == 0.7
    assert settings_of(page) == Settings(study="football", unlabelled="strict", position_bias="rbp(p=0.7)")


def test_filter_and_tests_keep_what_the_study_holds_and_the_rest_is_told(newswire: Study) -> None:
    queries = newswire.queries["query_id"].tolist()
    filtered = {"filter_column": "query_id", "filter_values": [queries[2], queries[0], "no such query"]}
    tests = {"tests": "holm(statistic='wilcoxon',baseline='nobody')", "tested": ["nobody", "random"]}
    page = first_run("methods.py", study="newswire", **filtered, **tests)
    assert page.multiselect(key="filter_values").value == [queries[2], queries[0]]
    assert settings_of(page).tests == "holm(statistic='wilcoxon')"
    assert settings_of(page).tested == ("random",)
    for name, value in (("baseline of the tests", "nobody"), ("tested", "nobody"), ("filter_values", "no such query")):
        told = f"The address sets {name} to &#x27;{value}&#x27;, not in this study; it was ignored."
        assert told in html_of(page)
    page.slider(key="alpha").set_value(0.25).run()
    assert settings_of(page).filter_values == (queries[2], queries[0])


def test_reset_undoes_every_choice_but_the_study() -> None:
    chosen = {"alpha": "0.25", "cutoff": "3", "position_bias": "rbp(p=0.7)", "systems": ["right"], "system": "left"}
    page = first_run("methods.py", study="football", **chosen, lexicon="female:she;male:he", colour="red")
    assert "The address holds" in html_of(page)
    press(page, "Reset")
    assert settings_of(page) == Settings(study="football")
    assert page.selectbox(key="study").value == "football"
    assert page.slider(key="alpha").value == Settings.alpha
    assert "The address holds" not in html_of(page)
    assert dict(page.query_params) == {"study": "football"}


def test_all_that_is_chosen_in_one_run_holds_on_the_next() -> None:
    def choosing() -> None:
        import streamlit as st

        from fairviz.ui.state import address, session

        address.follow()
        session.start()
        if st.button("choose"):
            session.choose(system="left", document="d1")
            session.choose(query="q1")
            session.choose(document="d2")

    page = drawn_by(choosing)
    page.button[0].click().run()
    page.run()
    state = page.session_state
    assert (state["system"], state["query"], state["document"]) == ("left", "q1", "d2")


def test_outside_a_server_a_study_is_everybodys(newswire: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streamlit, "session_state", {})
    assert library.owner(newswire) == ""


# What the address holds; that Back and links of the navigation lead there is driven in tests/browser/test_links.py


def test_what_cannot_be_honoured_stays_until_the_next_choice_and_a_link_of_the_navigation_drops_nothing() -> None:
    page = first_run("methods.py", study="football", cutoff="0", colour="red")
    assert dict(page.query_params) == {"study": "football", "cutoff": "0", "colour": "red"}
    page.run()
    assert dict(page.query_params) == {"study": "football", "cutoff": "0", "colour": "red"}
    page.slider(key="alpha").set_value(0.25).run()
    assert dict(page.query_params) == {"study": "football", "alpha": "0.25"}
    page.query_params.clear()  # Streamlit leaves the address out of the request for another page
    page.run()
    assert dict(page.query_params) == {"study": "football", "alpha": "0.25"}
    assert page.slider(key="alpha").value == 0.25


def test_an_address_keeps_its_order_as_pages_are_left() -> None:
    """In another order it would be another entry of the browser's history."""
    page = first_run("methods.py", alpha="0.25", study="football")
    for _ in range(2):
        page.query_params.clear()
        page.run()
        assert list(page.query_params) == ["alpha", "study"]


def test_reset_clears_an_address_that_sets_nothing() -> None:
    page = first_run("methods.py", study="football", colour="red")
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
