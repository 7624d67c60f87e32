"""Settings in the session: set from the address, read from the widgets on every run.

Each field of Settings lives in `st.session_state` under its own name, which is the key of its widget in the sidebar.
Two fields have more than one widget: the position bias (its name, and the parameter of rbp) and the lexicon.
"""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from fairviz.evaluation import study_values
from fairviz.evaluation.settings import CHOICES, SHOWN_ONLY, Settings
from fairviz.measures.position_bias import ATTENTION, parse_position_bias
from fairviz.statistics.families import parse_tests
from fairviz.study.record import Study
from fairviz.ui.state import choices
from fairviz.ui.state.streamlit_internals import is_fragment_run
from fairviz.words.counting import parse_lexicon
from fairviz.words.sentences import shortest
from fairviz.words.vectors import offered

NAMES = tuple(CHOICES)
PARAMETER = "bias_parameter"
LOOKED, MOST_LOOKED = "looked", 1_000


def start() -> None:
    """Keep every field and every choice alive, and apply the choices made on a page. Once at the start of a run."""
    keep_fields()
    choices.keep()
    for name, value in st.session_state.pop("chosen", {}).items():
        st.session_state[name] = value
    # Select GloVe again if the vectors that this session uses were removed.
    embedding = st.session_state["embedding"]
    if embedding not in offered():
        st.session_state["embedding"] = Settings.embedding
        choices.report(f"The word vectors {embedding!r} were removed; {Settings.embedding} is used.")


def keep_fields() -> None:
    """Keep every field alive: a widget that was not drawn would lose its value."""
    for name in (*NAMES, PARAMETER):
        st.session_state[name] = st.session_state[name]


def keep_alone() -> None:
    """Keep every field alive in a run of a fragment alone: at its end Streamlit deletes state without a widget on the
    page. A run of the whole page needs no call, as its widgets are drawn; choices are kept by `choices`."""
    if is_fragment_run():
        keep_fields()


def choose(**values: object) -> None:
    """Set fields from a page, after the widgets of this run are drawn: they change on the next run."""
    st.session_state["chosen"] = {**st.session_state.get("chosen", {}), **values}


def choose_all(values: Mapping[str, object]) -> None:
    """Set fields as `choose` does, from values of Settings: a position bias becomes two widgets, a tuple a list."""
    fields_by_name = {name: _widget_value(value) for name, value in values.items()}
    if "position_bias" in fields_by_name:
        name, parameter = split_bias(str(fields_by_name["position_bias"]))
        fields_by_name |= {"position_bias": name, PARAMETER: parameter}
    choose(**fields_by_name)


def _widget_value(value: object) -> object:
    """Return the value of a field as its widget has it: a tuple becomes a list."""
    return list(value) if isinstance(value, tuple) else value


def reset() -> None:
    """Reset every choice to its default; the study stays. For a button's on_click, which runs before the widgets."""
    seed(Settings(study=st.session_state["study"]))
    choices.reset()
    st.session_state["ignored"] = []


def take_back(*names: str) -> None:
    """Reset these fields to their defaults. For a button's on_click."""
    for name in names:
        st.session_state[name] = _widget_value(getattr(Settings, name))


def seed(settings: Settings) -> None:
    """Set the state of every widget from the settings."""
    for name in NAMES:
        st.session_state[name] = _widget_value(getattr(settings, name))
    name, parameter = split_bias(settings.position_bias)
    st.session_state["position_bias"], st.session_state[PARAMETER] = name, parameter


def look(settings: Settings) -> None:
    """Record that these settings are on screen, for checks that count what a reader has tried."""
    settings = settings.reset(*SHOWN_ONLY)
    before = st.session_state.setdefault(LOOKED, [])
    if settings not in before and len(before) < MOST_LOOKED:
        before.append(settings)


def looked() -> tuple[Settings, ...]:
    """Return the settings that were on screen in this session with the present study, each once, the first first."""
    return tuple(one for one in st.session_state.get(LOOKED, ()) if one.study == st.session_state["study"])


def split_bias(text: str) -> tuple[str, float]:
    """Return the name and the parameter, ("rbp", 0.9) for `rbp(p=0.9)`; with other names, the default of rbp."""
    if text == "custom":
        return "custom", ATTENTION["rbp"].default
    name, parameter = parse_position_bias(text)
    return name, parameter if ATTENTION[name].parameter else ATTENTION["rbp"].default


def read(state: Mapping) -> Settings:
    """Return new Settings from the state of the widgets."""
    values = {name: state[name] for name in NAMES}
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    if values["position_bias"] == "rbp":
        values["position_bias"] = f"rbp(p={shortest(state[PARAMETER])})"
    elif values["position_bias"] == "custom" and not values["custom_bias"]:
        values["position_bias"] = Settings.position_bias  # nothing was uploaded yet
    return Settings(**values)


def fit(study: Study) -> list[str]:
    """Drop from the state the values that this study does not have, so that widgets can be drawn; return a line for
    each."""
    state, warnings = st.session_state, []
    for name, one in CHOICES.items():
        if one.values is None:
            continue
        value, allowed = state[name], one.values(study)
        if isinstance(value, list):
            missing = [part for part in value if part not in allowed]
            fitting = [part for part in value if part in allowed]
        else:
            missing = [] if value in allowed else [value]
            fitting = getattr(Settings, name) if missing else value
        if fitting != value:
            warnings.append(_warning_of(name, missing))
            state[name] = fitting
    allowed = study_values.filter_values(study, state["filter_column"])
    missing = [value for value in state["filter_values"] if value not in allowed]
    state["filter_values"] = [value for value in state["filter_values"] if value in allowed]
    if missing:
        warning = _warning_of("filter_values", missing)
        warnings.append(warning if state["filter_values"] else f"{warning} All queries are shown.")
    columns, state["columns"] = state["columns"], study_values.known_columns(study, state["columns"])
    if len(state["columns"]) < len(columns):
        warnings.append(_warning_of("columns", [text for text in columns if text not in state["columns"]]))
    tests = parse_tests(state["tests"])
    if tests.baseline not in ("", *study.systems):
        warnings.append(_warning_of("baseline of the tests", [tests.baseline]))
        state["tests"] = replace(tests, baseline="").text
    groups = () if state["lexicon"] in ("", "gsr") else parse_lexicon(state["lexicon"]).groups
    if foreign_groups := [group for group in groups if group not in study.groups]:
        warnings.append(_warning_of("lexicon", foreign_groups))
        state["lexicon"] = ""
    return warnings


def _warning_of(name: str, missing: list[str]) -> str:
    """Return the line about values of the address that the study does not have."""
    values_text = ", ".join(missing[:80])[:80]
    return f"The address sets {name} to {values_text!r}, not in this study; it was ignored."


def open_named(name: str) -> None:
    """Open the study of this name. For a button's on_click."""
    st.session_state["study"] = name
