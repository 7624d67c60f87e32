"""Settings to widgets and back, and what a study does not hold."""

import pandas as pd
import pytest
import streamlit
from hypothesis import given
from streamlit.testing.v1 import AppTest

from fairviz.evaluation import study_values
from fairviz.evaluation.settings import Settings, from_query, to_query
from fairviz.study.record import Study
from fairviz.study.tables import LABELS, QUERIES, RUNS, conform
from fairviz.ui.state import library, session
from tests.fresh import settings_drawn
from tests.pages.conftest import drawn_by, first_run, html_of, press, table_with


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
    page = first_run("overview.py", study="football", unlabelled="strict", position_bias="rbp(p=0.7)")
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
    page = first_run("overview.py", study="newswire", **filtered, **tests)
    assert page.multiselect(key="filter_values").value == [queries[2], queries[0]]
    assert settings_of(page).tests == "holm(statistic='wilcoxon')"
    assert settings_of(page).tested == ("random",)
    for name, value in (("baseline of the tests", "nobody"), ("tested", "nobody"), ("filter_values", "no such query")):
        told = f"The address sets {name} to &#x27;{value}&#x27;, not in this study; it was ignored."
        assert told in html_of(page)
    page.slider(key="alpha").set_value(0.25).run()
    assert settings_of(page).filter_values == (queries[2], queries[0])
    assert table_with(page, "ci_low")["queries"].max() == 2


def test_reset_undoes_every_choice_but_the_study() -> None:
    page = first_run(
        "overview.py",
        study="football",
        alpha="0.25",
        cutoff="3",
        position_bias="rbp(p=0.7)",
        systems=["right"],
        system="left",
        lexicon="female:she;male:he",
        colour="red",
    )
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
