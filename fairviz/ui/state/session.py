"""Settings in the session: seeded from the address, read back from the widgets on every run.

Each field of Settings lives in `st.session_state` under its own name, which is the key of its widget in the sidebar.
Two fields have more than one widget: the position bias (its name, and the parameter of rbp) and the lexicon.
"""

from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from fairviz.annotation.consensus import CONSENSUSES
from fairviz.evaluation.choices import annotator_names, outsiders
from fairviz.evaluation.settings import Settings
from fairviz.measures.position_bias import ATTENTION, parse_position_bias
from fairviz.number_texts import shortest
from fairviz.statistics.families import parse_tests
from fairviz.study.study import Study
from fairviz.ui.state import choices
from fairviz.words.counting import parse_lexicon
from fairviz.words.vectors import offered

NAMES = tuple(field.name for field in fields(Settings))
PARAMETER = "bias_parameter"


def start() -> None:
    """Keeps every field and every choice alive, and applies what a page has chosen. Once at the start of a run."""
    state = st.session_state
    for name in (*NAMES, PARAMETER):
        state[name] = state[name]  # a widget that was not drawn on the last run would lose its value
    choices.keep()
    for name, value in state.pop("chosen", {}).items():
        state[name] = value
    _fit_vectors()


def keep_alone() -> None:
    """Keeps every field alive in a part of a page that runs by itself: at its end Streamlit forgets what no widget on
    the page holds. In a run of the whole page nothing, as widgets are drawn already; choices are kept by `choices`."""
    context = get_script_run_ctx()
    if context is None or not context.fragment_ids_this_run:
        return
    state = st.session_state
    for name in (*NAMES, PARAMETER):
        state[name] = state[name]


def _fit_vectors() -> None:
    """Back to GloVe where somebody has removed the vectors that this session uses."""
    used = st.session_state["embedding"]
    if used not in offered():
        st.session_state["embedding"] = Settings.embedding
        told = f"The word vectors {used!r} were removed; {Settings.embedding} is used."
        st.session_state["ignored"] = [*st.session_state["ignored"], told]


def choose(**chosen: object) -> None:
    """Sets fields from a page, where the widgets of this run are drawn already: they change on the next run."""
    st.session_state["chosen"] = {**st.session_state.get("chosen", {}), **chosen}


def choose_all(chosen: Mapping[str, object]) -> None:
    """The same for fields as Settings has them: a position bias with its parameter is two widgets, a list is a list."""
    fitted = {name: list(value) if isinstance(value, tuple) else value for name, value in chosen.items()}
    if "position_bias" in fitted:
        name, parameter = split_bias(str(fitted["position_bias"]))
        fitted |= {"position_bias": name, PARAMETER: parameter}
    choose(**fitted)


def reset() -> None:
    """Every choice back to its default; the study stays. For a button's on_click, which runs before the widgets."""
    seed(Settings(study=st.session_state["study"]))
    choices.reset()
    st.session_state["ignored"] = []


def take_back(*names: str) -> None:
    """These fields back to their defaults. For a button's on_click."""
    for name in names:
        value = getattr(Settings, name)
        st.session_state[name] = list(value) if isinstance(value, tuple) else value


def seed(settings: Settings) -> None:
    """Sets the state of every widget to what the settings say."""
    for name in NAMES:
        value = getattr(settings, name)
        st.session_state[name] = list(value) if isinstance(value, tuple) else value
    name, parameter = split_bias(settings.position_bias)
    st.session_state["position_bias"], st.session_state[PARAMETER] = name, parameter


def split_bias(text: str) -> tuple[str, float]:
    """`rbp(p=0.9)` as ("rbp", 0.9); rbp's own default stands beside the others."""
    if text == "custom":
        return "custom", ATTENTION["rbp"].default
    name, parameter = parse_position_bias(text)
    return name, parameter if ATTENTION[name].parameter else ATTENTION["rbp"].default


def read(state: Mapping) -> Settings:
    """A fresh Settings from the state of the widgets."""
    values = {name: state[name] for name in NAMES}
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    if values["position_bias"] == "rbp":
        values["position_bias"] = f"rbp(p={shortest(state[PARAMETER])})"
    elif values["position_bias"] == "custom" and not values["custom_bias"]:
        values["position_bias"] = Settings.position_bias  # nothing was uploaded yet
    return Settings(**values)


def fit(study: Study) -> list[str]:
    """Drops from the state what this study does not hold, so that every widget can be drawn; a line for each."""
    state, dropped = st.session_state, []
    for name, allowed in _allowed(study).items():
        held = state[name]
        kept = [value for value in held if value in allowed] if isinstance(held, list) else held
        if not isinstance(held, list) and held not in allowed:
            kept = getattr(Settings, name)
        if kept != held:
            gone = [value for value in (held if isinstance(held, list) else [held]) if value not in allowed]
            dropped.append(_not_here(name, gone))
            state[name] = kept
    held, values = state["filter_values"], filter_values(study, state["filter_column"])
    state["filter_values"] = [value for value in held if value in values]
    if len(state["filter_values"]) < len(held):
        told = _not_here("filter_values", [value for value in held if value not in values])
        dropped.append(told if state["filter_values"] else f"{told} All queries are shown.")
    named = parse_tests(state["tests"])
    if named.baseline not in ("", *study.systems):
        dropped.append(_not_here("baseline of the tests", [named.baseline]))
        state["tests"] = replace(named, baseline="").text
    foreign = [group for group in _lexicon_groups(state["lexicon"]) if group not in study.groups]
    if foreign:
        dropped.append(_not_here("lexicon", foreign))
        state["lexicon"] = ""
    return dropped


def _not_here(name: str, gone: list[str]) -> str:
    return f"The address sets {name} to {', '.join(gone[:80])[:80]!r}, not in this study; it was ignored."


def _lexicon_groups(text: str) -> tuple[str, ...]:
    return () if text in ("", "gsr") else parse_lexicon(text).groups


def _allowed(study: Study) -> dict[str, tuple[str, ...]]:
    systems = study.systems
    return {
        "systems": systems,
        "system": ("", *systems),
        "tested": outsiders(study),
        "query": ("", *query_ids(study)),
        "background": backgrounds(study),
        "annotator": annotators(study),
        "filter_column": filter_columns(study),
    }


def query_ids(study: Study) -> tuple[str, ...]:
    """The queries of the study: those with text, else those of its runs."""
    if study.has("queries"):
        return tuple(study.queries["query_id"])
    return tuple(study.runs["query_id"].cat.categories)


def backgrounds(study: Study) -> tuple[str, ...]:
    """What NFaiRR's ideal may be drawn from."""
    return ("candidates", "collection", *(f"run:{name}" for name in study.systems))


def annotators(study: Study) -> tuple[str, ...]:
    """The default, each annotator, and the consensuses where there are several."""
    names = annotator_names(study)
    return ("", *names, *(CONSENSUSES if len(names) > 1 else ()))


def filter_columns(study: Study) -> tuple[str, ...]:
    """No filter, the query itself, or a column of the queries with at most fifty values."""
    columns = [name for name in study.queries.columns if name not in ("query_id", "text")]
    few = [str(name) for name in columns if study.queries[name].nunique(dropna=True) <= 50]
    return ("", *few, "query_id") if len(query_ids(study)) else ("",)


def filter_values(study: Study, column: str) -> tuple[str, ...]:
    """The values of a filter's column, in order."""
    if not column:
        return ()
    if column == "query_id":
        return query_ids(study)
    return tuple(sorted(study.queries[column].dropna().astype("str").unique()))


def depth(study: Study) -> int:
    """The length of the longest list; 0 without runs."""
    return int(np.max(study.runs["rank"])) if study.has("runs") else 0


def open_named(name: str) -> None:
    """Shows the study of this name. For a button's on_click."""
    st.session_state["study"] = name
