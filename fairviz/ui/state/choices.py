"""Choices of the pages: axes, filters and tabs, each under a key of the session and in the address.

No result depends on them, so they are neither in Settings nor in the key of a cache. A page declares each in one line
of REGISTRY, and draws the widget of that key with `fairviz.ui.kit.pick`:

    curve = pick.segmented("tradeoff_curve", "Curve", curves)

Where a choice has no widget, or its widget is drawn elsewhere, the page calls `among`, `several` or `value_of`. The
widget takes no default: these functions have put it into the session.

A text with `url=`, the address of a model, must be typed on the page: the page's address neither sets nor contains it,
so that no link sends texts or a key to a server.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation.settings import few
from fairviz.normal_form import normal_form
from fairviz.ui.state.registry import CHOICES, FORMER, PageChoice, Value, keys_of

ON, OFF = "on", "off"
MOST_CHARACTERS = 10_000
MOST = 1_000_000  # the largest number that a field takes
MISSED = "choices_missed"  # by key, a choice that the last page did not offer, and what that page had in its place
DEFAULTS = "choices_usual"  # the last default of each key on its page
UNREAD_KEYS = "choices_unseen"  # keys that the address has set and no page has read yet
_SERVER = re.compile(r"url\s*=", re.IGNORECASE)  # as rankers and annotators are written: llm(model='m',url='…')
LAST_VALUES = "choices_kept"  # every choice at the end of the last run
PAGE_KEYS = "choices_drawn"  # keys that the page of this run has read


def with_present_names(query: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Return an address with the present names of choices that older links name otherwise."""
    return {FORMER.get(name, name): texts for name, texts in query.items() if FORMER.get(name) not in query}


def from_query(query: Mapping[str, list[str]]) -> tuple[dict[str, Value], list[str]]:
    """Return the choices in the address by key, and a line for each invalid one."""
    values: dict[str, Value] = {}
    ignored = []
    for name, texts in query.items():
        if name not in CHOICES:
            continue
        try:
            values[name] = _parsed(CHOICES[name], texts)
        except (ValueError, FairvizError) as error:
            reason = error.message if isinstance(error, FairvizError) else "not a number"
            ignored.append(f"The address sets {name} to {_quoted(texts)} ({reason}); the default was used.")
    return values, few(ignored)


def _parsed(choice: PageChoice, texts: list[str]) -> Value:
    if sum(map(len, texts)) > MOST_CHARACTERS:
        raise FairvizError(f"longer than {MOST_CHARACTERS:,} characters")
    if names_server(texts):
        raise FairvizError("no link names the address of a model; type it on the page")
    if isinstance(choice.default, list):
        return list(map(normal_form, texts))
    text = normal_form(texts[-1]) if texts else ""
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
    """Return whether the value of a choice contains the address of a model."""
    return any(_SERVER.search(str(text)) for text in (value if isinstance(value, list) else [value]))


def _quoted(texts: Sequence[str]) -> str:
    return repr(", ".join(texts[:80])[:80])


def to_query(page: str = "") -> dict[str, list[str]]:
    """Return the choices as the address of this page contains them: those that differ from their defaults, and stated
    ones that the page has read; none that names a server. Without a page those of all pages."""
    state, query, of_page = st.session_state, {}, keys_of(page)
    own_keys = [key for key in CHOICES if key in of_page]
    written_keys = {*changed(own_keys), *stated(state.get(PAGE_KEYS, ()))}
    for key in own_keys:
        if key not in written_keys or names_server(value := state[key]):
            continue
        parts = value if isinstance(value, list) else [value]
        query[key] = [({True: ON, False: OFF}[part] if isinstance(part, bool) else str(part)) for part in parts]
    return query


def stated(keys: Iterable[str]) -> set[str]:
    """Return those of these keys that the address contains at their defaults too."""
    return {key for key in keys if key in CHOICES and CHOICES[key].stated}


def changed(keys: Iterable[str]) -> list[str]:
    """Return the keys of the choices that differ from their defaults.

    Before its page has run, the default of a choice is unknown: a value from the address then counts as different.
    """
    state = st.session_state
    names, unread, defaults = set(state), state.get(UNREAD_KEYS, ()), state.get(DEFAULTS, {})
    changed_keys = []
    for key in keys:
        value, default = state[key] if key in names else None, _default(key, defaults)
        is_from_address = key in unread  # its page may set another default than the registry
        if value is not None and (is_from_address or (default is not None and value != default)):
            changed_keys.append(key)
    return changed_keys


def _default(key: str, defaults: Mapping[str, Value]) -> Value | None:
    return defaults.get(key, CHOICES[key].default)


def seed(values: Mapping[str, Value], page: str = "") -> None:
    """Set every choice to its value in the address of the page, or to its default. A choice that this address cannot
    contain stays: it was never written there, so Back does not undo it."""
    state, own_keys = st.session_state, keys_of(page)
    state[UNREAD_KEYS] = set(values)
    state.pop(MISSED, None)
    for key in CHOICES:
        has_value = key in state or key in state.get(LAST_VALUES, {})
        if key in values:
            state[key] = values[key]
        elif key in own_keys and has_value and not names_server(state.get(key)):
            take_back(key)


def take_back(key: str) -> None:
    """Reset one choice to its default. For a button's on_click, which runs before the widgets."""
    default = _default(key, st.session_state.get(DEFAULTS, {}))
    st.session_state.get(MISSED, {}).pop(key, None)
    if default is None:
        st.session_state.pop(key, None)
        st.session_state.get(LAST_VALUES, {}).pop(key, None)
    else:
        st.session_state[key] = list(default) if isinstance(default, list) else default


def reset() -> None:
    """Reset every choice to its default."""
    for key in CHOICES:
        if names_server(st.session_state.get(key)):
            take_back(key)
    seed({})


def keep() -> None:
    """Restore the choices of pages that are not on screen, which Streamlit deletes. Once at the start of a run."""
    state = st.session_state
    state[PAGE_KEYS] = []
    for key, value in {**state.get(LAST_VALUES, {}), **current_values()}.items():
        state[key] = value


def remember() -> None:
    """Store the choices at the end of a run, those made in a fragment included."""
    st.session_state[LAST_VALUES] = current_values()


def current_values() -> dict[str, Any]:
    """Return the value of every choice that has one, by key."""
    state = st.session_state
    names = set(state)  # one question to Streamlit's state for each key costs more than all its names at once
    return {key: state[key] for key in CHOICES if key in names}


def among(key: str, options: Sequence[Any], default: Any = None) -> Any:
    """Return the choice, one of the options: the chosen one, else the default, else the first; None without options.

    Without a choice, a default that changes with the settings is followed. A choice that is not among the options is
    there again on the next page that offers it, unless another is chosen before. A value in the address that is not
    among the options is reported in one line.
    """
    state, is_from_address = st.session_state, _mark_read(key)
    defaults = state.setdefault(DEFAULTS, {})
    if not options:
        return None
    fallback = CHOICES[key].default if default is None else default
    fallback_option = fallback if fallback in options else options[0]
    value, missed = state.get(key), state.setdefault(MISSED, {})
    wanted, in_its_place = missed.pop(key, (None, None))
    if wanted is not None and value == in_its_place and not is_from_address:
        value = wanted
    if value is None or (not is_from_address and value == defaults.get(key)):
        value = fallback_option
    elif value not in options:
        if is_from_address:
            report_missing(key, [str(value)])
        else:
            missed[key] = (value, fallback_option)
        value = fallback_option
    defaults[key] = fallback_option
    if key not in state or state[key] != value:
        state[key] = value
    return value


def several(key: str, options: Sequence[str], default: Sequence[str] = (), *, follow: bool = True) -> list[str]:
    """Return the chosen options; the default if none is chosen. follow: whether a choice that was the default stays the
    default when this changes."""
    state, is_from_address = st.session_state, _mark_read(key)
    defaults = state.setdefault(DEFAULTS, {})
    values = state.get(key, [])
    missing = [value for value in values if value not in options]
    if missing and is_from_address:
        report_missing(key, missing)
    allowed = [value for value in values if value in options]
    if not allowed or (follow and not is_from_address and values == defaults.get(key)):
        allowed = list(default)
    defaults[key] = list(default)
    if key not in state or state[key] != allowed:
        state[key] = allowed
    return allowed


def value_of(key: str) -> Any:
    """Return the value of a switch, a number or a free text, whose default is that of the registry."""
    _mark_read(key)
    return st.session_state.setdefault(key, CHOICES[key].default)


def report_missing(key: str, missing: Sequence[str]) -> None:
    """Report on this page that the address contains values that the page does not have."""
    report(f"The address sets {key} to {_quoted(missing)}, which is not offered here; it was ignored.")


def report(*warnings: str) -> None:
    """Show warnings above the page, after those of this run so far."""
    st.session_state["ignored"] = [*st.session_state.get("ignored", []), *warnings]


def _mark_read(key: str) -> bool:
    """Mark the choice as read by this page; return whether the address has set it and no page had read it since."""
    state = st.session_state
    state.setdefault(PAGE_KEYS, []).append(key)
    is_from_address = key in state.get(UNREAD_KEYS, ())
    if is_from_address:
        state[UNREAD_KEYS].discard(key)
    return is_from_address
