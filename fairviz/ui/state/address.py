"""The address of the page: it holds the study and every choice that differs from its default, and Back undoes one.

Streamlit adds an entry to the browser's history whenever the address is written, save while it runs for Back or
Forward. So it is written once a run, at its end, and only where somebody has chosen something: what a page fills in by
itself is not in it. A link of the navigation drops the address, which is put back before the new page has its entry.
An address that cannot be honoured stays until the next choice, so that each visit says so.
"""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.query_params import (
    CLIENT_STATE_QUERY_STRING_MAX_FIELDS,
    CLIENT_STATE_QUERY_STRING_MAX_LENGTH,
    sanitize_query_string,
)

from fairviz.evaluation.settings import from_query, to_query
from fairviz.ui.state import choices, library, session
from fairviz.words.vectors import offered

HELD = "address_held"  # what this session last wrote to the address, or took over from it
SEEN = "address_seen"  # the address of what is on screen: the same, save where the one held cannot be honoured
SHOWN = "address_shown"  # the settings of what is on screen
LEFT = "address_left"  # settings and choices that somebody went Back or Forward from
FRESH = "address_fresh"  # whether this run has taken the address over
BY_ITSELF = "address_by_itself"
TOO_MUCH = (
    f"The address holds more than {CLIENT_STATE_QUERY_STRING_MAX_FIELDS:,} settings or "
    f"{CLIENT_STATE_QUERY_STRING_MAX_LENGTH:,} characters; none of it was used."
)


def follow() -> None:
    """Takes the address over on the first run, and where somebody went Back or Forward; otherwise puts it back where a
    link of the navigation dropped it. Called before st.navigation, whose page then has one entry with all of it."""
    state, asked = st.session_state, _asked()
    if HELD not in state or (asked != state[HELD] and _went_back()):
        _take_over(asked)
    elif asked != state[HELD]:
        st.query_params.from_dict(state[HELD])


def _asked() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _went_back() -> bool:
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def _take_over(asked: dict[str, list[str]]) -> None:
    """Every choice as the address says."""
    state = st.session_state
    values, refused = choices.from_query(asked)
    settings, ignored = from_query({name: asked[name] for name in asked if name not in choices.CHOICES}, offered())
    if not asked and _asked_too_much():
        ignored = [TOO_MUCH]
    if "study" not in asked:
        settings = settings.changed(study=library.given() or settings.study)
    if SHOWN in state:
        state[LEFT] = _chosen()
    session.seed(settings)
    choices.seed(values)
    state["ignored"], state[HELD], state[FRESH] = [*ignored, *refused], asked, True
    state.pop(SEEN, None)
    state.pop(BY_ITSELF, None)


def _asked_too_much() -> bool:
    """Whether Streamlit left the whole address unread, as it does without a word where it is too long for it."""
    context = get_script_run_ctx()
    text = context.query_string if context is not None else ""
    return bool(text) and not sanitize_query_string(text)


def reset() -> None:
    """Every choice back to its default, and an address that holds only these. For a button's on_click."""
    session.reset()
    st.session_state.pop(SEEN, None)


def fresh() -> bool:
    """Whether this run shows what the address asked for, so that what it asks in vain is to be told."""
    return bool(st.session_state.get(FRESH))


def opened(document: str) -> None:
    """Says which document the page opens by itself, the first of its list: the address does not hold that one."""
    st.session_state[BY_ITSELF] = document


def wanted() -> dict[str, list[str]]:
    """The address of what is on screen."""
    settings = session.read(st.session_state)
    if settings.document == st.session_state.get(BY_ITSELF):
        settings = settings.changed(document="")
    return to_query(settings) | choices.to_query()


def taken_along() -> dict[str, list[str]]:
    """The address of another page that this run goes to: its one entry in the history has all that was chosen."""
    state = st.session_state
    state[HELD], state[FRESH] = wanted(), True
    state.pop(SEEN, None)
    return state[HELD]


def publish() -> None:
    """Writes the address where somebody has chosen something, at the end of a run."""
    choices.remember()
    state, seen = st.session_state, wanted()
    state[SHOWN] = session.read(state)
    arrived = state.pop(FRESH, False) and "study" in state[HELD]
    if arrived or (seen == state.get(SEEN) and _asked() == state[HELD]):
        state[SEEN] = seen
        return
    if seen != state.get(SEEN):
        state[HELD] = state[SEEN] = seen
        state.pop(LEFT, None)
    st.query_params.from_dict(state[HELD])


def publish_alone() -> None:
    """The same for a part of a page that runs by itself; in a run of the whole page nothing, as its end follows."""
    context = get_script_run_ctx()
    if context is not None and context.fragment_ids_this_run and HELD in st.session_state:
        publish()


def overlooked() -> bool:
    """Whether this run of a part of the page holds a choice that no run of the whole page has shown.

    The browser sends what happens at one moment as one message, and that message runs the part alone where the part
    has asked at that moment too: a choice made beside it would wait unseen for the next one.
    """
    context, state = get_script_run_ctx(), st.session_state
    if context is None or not context.fragment_ids_this_run or SHOWN not in state:
        return False
    shown = vars(state[SHOWN]) | state.get(choices.KEPT, {})
    moved = {name: value for name, value in _chosen().items() if shown.get(name) != value}
    if moved and _is_left_behind(moved):
        session.seed(state[SHOWN])
        for key in moved.keys() & choices.CHOICES.keys():
            state[key] = shown.get(key)
    return bool(moved)


def _chosen() -> dict[str, object]:
    """Every field of the settings and every choice, as the session has them now."""
    return vars(session.read(st.session_state)) | choices.held()


def _is_left_behind(moved: dict[str, object]) -> bool:
    """Whether all of it is as it was before Back or Forward: a browser that has not drawn the page anew sends the old
    values along, which nobody has chosen again."""
    left = st.session_state.get(LEFT, {})
    return all(name in left and left[name] == value for name, value in moved.items())
