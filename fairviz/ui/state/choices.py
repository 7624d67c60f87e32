"""Choices of the pages: which axes, filters and tabs are seen, each under a key of the session and in the address.

No answer depends on them, so they are not in Settings and in no key of a cache. A page declares each in one line of
REGISTRY, and calls `among`, `several` or `given` with its key just before it draws the widget of that key:

    choices.among("tradeoff_curve", curves)
    st.segmented_control("Curve", curves, key="tradeoff_curve")

The widget itself takes no default: `among` has put one into the session.

A text with `url=`, the address of a model, comes from a person on the page alone: the address neither gives nor holds
it, so that no link sends texts or a key to a server.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation.settings import few
from fairviz.ui.state.registry import CHOICES, Choice, Value

ON, OFF = "on", "off"
MOST_CHARACTERS = 10_000
MOST = 1_000_000  # the largest number that a field takes
USUAL = "choices_usual"  # the default of each key, as its page last offered it
UNSEEN = "choices_unseen"  # keys that the address has set and no page has looked at yet
_SERVER = re.compile(r"url\s*=", re.IGNORECASE)  # as rankers and annotators are written: llm(model='m',url='…')
KEPT = "choices_kept"  # all of them, as the last run left them
DRAWN = "choices_drawn"  # keys of this run's page


def from_query(query: Mapping[str, list[str]]) -> tuple[dict[str, Value], list[str]]:
    """The choices that the address names, by key, and a line for each that cannot be."""
    values: dict[str, Value] = {}
    ignored = []
    for name, texts in query.items():
        if name not in CHOICES:
            continue
        try:
            values[name] = _parsed(CHOICES[name], texts)
        except (ValueError, FairvizError) as error:
            reason = error.message if isinstance(error, FairvizError) else "not a number"
            ignored.append(f"The address sets {name} to {_shown(texts)} ({reason}); the default was used.")
    return values, few(ignored)


def _parsed(choice: Choice, texts: list[str]) -> Value:
    if sum(map(len, texts)) > MOST_CHARACTERS:
        raise FairvizError(f"longer than {MOST_CHARACTERS:,} characters")
    if names_server(texts):
        raise FairvizError("no link names the address of a model; type it on the page")
    if isinstance(choice.default, list):
        return list(texts)
    text = texts[-1] if texts else ""
    if isinstance(choice.default, bool):
        if text not in (ON, OFF):
            raise FairvizError(f"neither {ON} nor {OFF}")
        return text == ON
    if isinstance(choice.default, int):
        number = int(text)
        if not choice.least <= number <= MOST:
            raise FairvizError(f"not from {choice.least} to {MOST:,}")
        return number
    if choice.allowed and text not in choice.allowed:
        raise FairvizError(f"not one of {', '.join(choice.allowed)}")
    return text


def names_server(value: object) -> bool:
    """Return whether the value of a choice holds the address of a model."""
    return any(_SERVER.search(str(text)) for text in (value if isinstance(value, list) else [value]))


def _shown(texts: Sequence[str]) -> str:
    return repr(", ".join(texts[:80])[:80])


def to_query() -> dict[str, list[str]]:
    """The choices that differ from their defaults, as the address holds them; none that names a server."""
    state, query = st.session_state, {}
    for key in changed(CHOICES):
        value = state[key]
        if names_server(value):
            continue
        parts = value if isinstance(value, list) else [value]
        query[key] = [({True: ON, False: OFF}[part] if isinstance(part, bool) else str(part)) for part in parts]
    return query


def changed(keys: Iterable[str]) -> list[str]:
    """Those of these choices that differ from their defaults.

    A default that no page has offered yet is unknown: what the address has set counts as chosen until then.
    """
    state = st.session_state
    found = []
    for key in keys:
        usual = _usual(key)
        asked = key in state.get(UNSEEN, ())  # its page may have another default than the registry's
        if state.get(key) is not None and (asked or (usual is not None and state[key] != usual)):
            found.append(key)
    return found


def _usual(key: str) -> Value | None:
    return st.session_state.get(USUAL, {}).get(key, CHOICES[key].default)


def seed(values: Mapping[str, Value]) -> None:
    """Sets every choice to what the address says, and those that it does not name to their defaults. A choice that the
    address cannot hold stays: Back undoes it no more than it was written."""
    state = st.session_state
    state[UNSEEN] = set(values)
    for key in CHOICES:
        if key in values:
            state[key] = values[key]
        elif (key in state or key in state.get(KEPT, {})) and not names_server(state.get(key)):
            take_back(key)


def take_back(key: str) -> None:
    """One choice back to its default. For a button's on_click, which runs before the widgets."""
    usual = _usual(key)
    if usual is None:
        st.session_state.pop(key, None)
        st.session_state.get(KEPT, {}).pop(key, None)
    else:
        st.session_state[key] = list(usual) if isinstance(usual, list) else usual


def reset() -> None:
    """Every choice back to its default."""
    for key in CHOICES:
        if names_server(st.session_state.get(key)):
            take_back(key)
    seed({})


def keep() -> None:
    """Keeps the choices of pages that are not on screen, which Streamlit would forget. Once at the start of a run."""
    state = st.session_state
    state[DRAWN] = []
    for key, value in {**state.get(KEPT, {}), **held()}.items():
        state[key] = value


def remember() -> None:
    """Notes the choices at the end of a run: those made in a part that ran by itself go with their page."""
    st.session_state[KEPT] = held()


def held() -> dict[str, Any]:
    """Every choice that has a value, by key."""
    return {key: st.session_state[key] for key in CHOICES if key in st.session_state}


def among(key: str, options: Sequence[Any], default: Any = None) -> Any:
    """The choice, which is one of the options: what was chosen, else the default, else the first.

    Who has not chosen follows a default that changes with the settings. What the address asks for and the page does
    not offer is told in one line. None where there are no options.
    """
    state, usual, asked = st.session_state, _remembered(), _first_look(key)
    if not options:
        return None
    fallback = CHOICES[key].default if default is None else default
    standing = fallback if fallback in options else options[0]
    held = state.get(key)
    if held is None or (not asked and held == usual.get(key)):
        held = standing
    elif held not in options:
        if asked:
            tell(key, [str(held)])
        held = standing
    usual[key] = standing
    if key not in state or state[key] != held:
        state[key] = held
    return held


def several(key: str, options: Sequence[str], default: Sequence[str] = ()) -> list[str]:
    """The chosen ones, which are some of the options; none chosen stands for the default."""
    state, usual, asked = st.session_state, _remembered(), _first_look(key)
    held = state.get(key, [])
    gone = [value for value in held if value not in options]
    if gone and asked:
        tell(key, gone)
    kept = [value for value in held if value in options]
    if not kept or (not asked and held == usual.get(key)):
        kept = list(default)
    usual[key] = list(default)
    if key not in state or state[key] != kept:
        state[key] = kept
    return kept


def given(key: str) -> Any:
    """A switch, a number or a free text, whose default is that of the registry."""
    _first_look(key)
    return st.session_state.setdefault(key, CHOICES[key].default)


def tell(key: str, gone: Sequence[str]) -> None:
    """Says on this page that the address asks for what it does not offer."""
    told = f"The address sets {key} to {_shown(gone)}, which is not offered here; it was ignored."
    st.session_state["ignored"] = [*st.session_state.get("ignored", []), told]


def _remembered() -> dict[str, Any]:
    return st.session_state.setdefault(USUAL, {})


def _first_look(key: str) -> bool:
    """Whether the address has set it and no page has looked at it since."""
    state = st.session_state
    state.setdefault(DRAWN, []).append(key)
    asked = key in state.get(UNSEEN, ())
    if asked:
        state[UNSEEN].discard(key)
    return asked
