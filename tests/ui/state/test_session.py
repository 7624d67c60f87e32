"""Settings to widgets and back, and what a study does not hold."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.settings import EFFECTIVENESS, UNLABELLED, Settings, from_query, to_query
from fairviz.study.study import Study
from fairviz.study.tables import LABELS, QUERIES, RUNS, conform
from fairviz.ui.state import session

SETTINGS = st.builds(
    Settings,
    study=st.sampled_from(["football", "a b&c=d?"]),
    systems=st.lists(st.text(min_size=1, max_size=5), max_size=3).map(tuple),
    filter_values=st.lists(st.text(max_size=5), max_size=3).map(tuple),
    cutoff=st.integers(1, 100_000),
    alpha=st.integers(0, 100).map(lambda value: value / 100),
    position_bias=st.sampled_from(["log2", "linear", "rbp(p=0.8)", "rbp(p=0.35)"]),
    tau=st.integers(0, 9),
    background=st.sampled_from(["candidates", "collection", "run:a b"]),
    unlabelled=st.sampled_from(UNLABELLED),
    effectiveness=st.sampled_from(EFFECTIVENESS),
)


def state_of(settings: Settings) -> dict:
    """The state of the widgets, as seeding leaves it."""
    state = {name: getattr(settings, name) for name in session.NAMES}
    state = {name: list(value) if isinstance(value, tuple) else value for name, value in state.items()}
    state["position_bias"], state[session.PARAMETER] = session.split_bias(settings.position_bias)
    return state


@given(SETTINGS)
def test_settings_survive_address_and_widgets(settings):
    restored, ignored = from_query(to_query(settings))
    assert (restored, ignored) == (settings, [])
    assert session.read(state_of(settings)) == settings


def test_a_custom_bias_without_weights_falls_back_to_the_default():
    state = {**state_of(Settings()), "position_bias": "custom"}
    assert session.read(state).position_bias == "log2"
    state["custom_bias"] = [0.5, 0.25]
    assert session.read(state).position_bias == "custom"


def test_the_parameter_of_rbp_has_its_own_slider():
    assert session.split_bias("rbp(p=0.9)") == ("rbp", 0.9)
    assert session.split_bias("log2") == ("log2", 0.8)
    assert session.split_bias("custom") == ("custom", 0.8)


@pytest.fixture
def study():
    queries = pd.DataFrame({"query_id": ["1", "2"], "text": ["x", "y"], "topic": ["b", "a"], "note": ["p", "q"]})
    runs = pd.DataFrame({"system": ["s"], "query_id": ["1"], "doc_id": ["d"], "rank": [7], "score": [1.0]})
    labels = pd.DataFrame({"doc_id": ["d", "d"], "annotator": ["Ada", "Bob"], "label": ["female", "male"]})
    tables = {"queries": conform(queries, QUERIES), "runs": conform(runs, RUNS), "labels": conform(labels, LABELS)}
    return Study("tiny", **tables)


def test_widgets_offer_what_the_study_holds(study):
    assert session.annotators(study) == ("", "Ada", "Bob", "majority", "dawid-skene")
    assert session.backgrounds(study) == ("candidates", "collection", "run:s")
    assert session.filter_columns(study) == ("", "topic", "note", "query_id")
    assert session.filter_values(study, "topic") == ("a", "b")
    assert session.filter_values(study, "query_id") == ("1", "2")
    assert session.depth(study) == 7
    assert session.depth(Study("empty")) == 0
    assert session.filter_columns(Study("empty")) == ("",)
