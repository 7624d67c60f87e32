"""Widgets of the pages' choices, each drawn under its key of REGISTRY with the value that the session or the address
has for it.

    curve = pick.segmented("tradeoff_curve", "Curve", curves)
    measure = pick.select("inspect_source", "Labels", annotators, usual, place=column)

`place` is the column or container of the widget. `texts` names the options: a function, or a mapping in which an option
without an entry is its own name. Further keywords are those of the Streamlit widget. See `fairviz.ui.state.choices` for
defaults, and for values that are no longer offered.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices
from fairviz.ui.state import pair as pairs

PAIR = "pair_system"  # the widget of the selected system on a page
COLUMNS = "overview_columns"  # the widget; the settings have an empty list for the default columns
Texts = Mapping[Any, str] | Callable[[Any], str]


def select(
    key: str, label: str, options: Sequence[Any], default: Any = None, *, place: Any = st, texts: Texts = str,
    hide_label: bool = False, **widget: Any,
) -> Any:  # fmt: skip
    """Draw a select box and return the chosen option; None without options."""
    choices.among(key, options, default)
    look = {"format_func": _naming(texts), "label_visibility": _visibility(hide_label), **widget}
    return place.selectbox(label, options, key=key, **look)


def pair(
    systems: Sequence[str], chosen: tuple[str, str], labels: tuple[str, str], places: Sequence[Any], *,
    others: Sequence[str] = (), texts: tuple[Texts, Texts] = (str, str), hide_label: bool = False,
) -> None:  # fmt: skip
    """Draw two select boxes of the pair in view, which `fairviz.ui.state.pair.chosen` has returned."""
    system, st.session_state[PAIR] = chosen[0], chosen[0]
    options = (systems, (*(name for name in systems if name != system), *others))
    for place, label, names, key, named in zip(places, labels, options, (PAIR, pairs.BASELINE), texts, strict=True):
        place.selectbox(
            label, names, key=key, format_func=_naming(named), label_visibility=_visibility(hide_label),
            on_change=guarded(partial(_take_pair, system)),
        )  # fmt: skip


def _take_pair(system: str) -> None:
    """Choose both systems of the boxes; where the new system is the baseline, the two change places."""
    new, baseline = st.session_state[PAIR], st.session_state[pairs.BASELINE]
    pairs.put(new, system if new == baseline else baseline)


def segmented(
    key: str, label: str, options: Sequence[Any], default: Any = None, *, place: Any = st, texts: Texts = str,
    **widget: Any,
) -> Any:  # fmt: skip
    """Draw a row of buttons without its label, one of which is always chosen, and return the chosen option."""
    choices.among(key, options, default)
    look = {"format_func": _naming(texts), "label_visibility": _visibility(True), **widget}
    return place.segmented_control(label, options, key=key, required=True, **look)


def slider(key: str, label: str, options: Sequence[Any], default: Any = None, *, place: Any = st, **widget: Any) -> Any:
    """Draw a slider over the options and return the chosen one."""
    choices.among(key, options, default)
    return place.select_slider(label, options, key=key, **widget)


def several(
    key: str, label: str, options: Sequence[str], default: Sequence[str] = (), *, place: Any = st, texts: Texts = str,
    hide_label: bool = False, follow: bool = True, **widget: Any,
) -> list[str]:  # fmt: skip
    """Draw a list of any number of options and return the chosen ones; the default if none was chosen. follow: as in
    `choices.several`."""
    choices.several(key, options, default, follow=follow)
    look = {"format_func": _naming(texts), "label_visibility": _visibility(hide_label), **widget}
    return list(place.multiselect(label, options, key=key, **look))


def toggle(key: str, label: str, *, place: Any = st, **widget: Any) -> bool:
    """Draw a switch and return whether it is on."""
    choices.value_of(key)
    return bool(place.toggle(label, key=key, **widget))


def text(key: str, label: str, *, place: Any = st, **widget: Any) -> str:
    """Draw a field for text and return its content."""
    choices.value_of(key)
    return str(place.text_input(label, key=key, **widget))


def number(key: str, label: str, *, place: Any = st, **widget: Any) -> int:
    """Draw a field for a whole number and return it."""
    choices.value_of(key)
    return int(place.number_input(label, key=key, **widget))


def query(label: str, texts: Mapping[str, str], first_text: str, absent_text: str) -> None:
    """Draw a select box for the query of the settings.

    texts: the queries on offer with their texts. first_text: the text of no chosen query, for which the page takes the
    first one. absent_text: the text of a chosen query that is not on offer.
    """
    names = {"": first_text, **texts}
    names.setdefault(st.session_state.get("query", ""), absent_text)
    st.selectbox(label, list(names), key="query", format_func=_naming(names))


def columns(label: str, options: Sequence[str], default: Sequence[str]) -> None:
    """Draw a list of the columns of the settings, in which the default ones are chosen where the settings name none."""
    st.session_state[COLUMNS] = list(st.session_state["columns"] or default)
    st.multiselect(label, options, key=COLUMNS, on_change=guarded(partial(_set_columns, list(default))))


def _set_columns(default: list[str]) -> None:
    chosen = list(st.session_state[COLUMNS])
    st.session_state["columns"] = [] if chosen == default else chosen


def _naming(texts: Texts) -> Callable[[Any], str]:
    return texts if callable(texts) else lambda option: texts.get(option, str(option))


def _visibility(hide_label: bool) -> str:
    return "collapsed" if hide_label else "visible"
