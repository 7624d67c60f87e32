"""The address of the page: it contains the study, and every setting and every choice of this page that differs from its
default; Back undoes one choice. Choices of other pages are kept in the session.

Streamlit adds an entry to the browser's history whenever the address is written, except in a run for Back or Forward.
So it is written once a run, at its end, and only after a choice: values that a page fills in by itself are not in it. A
link of the navigation drops the address, which is restored before the new page has its entry, and in this entry
replaced by the page's own at the end of the run: another order would make two entries. An address without a stated
choice is completed in its entry. An invalid address stays until the next choice, so that each visit shows the warning.
"""

import json
from urllib.parse import urlencode

import streamlit as st

from fairviz.evaluation.settings import from_query, to_query
from fairviz.ui.state import choices, library, session
from fairviz.ui.state.streamlit_internals import (
    MOST_CHARACTERS,
    MOST_FIELDS,
    is_fragment_run,
    is_history_navigation,
    is_query_too_long,
    page_name,
)
from fairviz.words.vectors import offered

STORED_QUERY = "address_held"  # the address that this session last wrote or read
SCREEN_QUERY = "address_seen"  # the address of what is on screen; another than STORED_QUERY if that is invalid
SCREEN_SETTINGS = "address_shown"  # the settings of what is on screen
VALUES_BEFORE_BACK = "address_left"  # settings and choices before the last Back or Forward
HAS_MOVED = "address_moved"  # whether this run opened another page
REPLACED = "address_replaced"  # number of addresses replaced in this session
IS_FRESH = "address_fresh"  # whether this run has read the address
OPENED_DOCUMENT = "address_by_itself"
TOO_MUCH = (
    f"The address holds more than {MOST_FIELDS:,} settings or {MOST_CHARACTERS:,} characters; none of it was used."
)


def follow() -> None:
    """Read the address on the first run and after Back or Forward; otherwise restore it if a link of the navigation
    dropped it. Called before st.navigation, so that the page has one entry with the whole address."""
    state, query = st.session_state, _query_now()
    if STORED_QUERY not in state or (query != state[STORED_QUERY] and is_history_navigation()):
        _read_address(query)
    elif query != state[STORED_QUERY]:
        state[HAS_MOVED] = state[STORED_QUERY] == state.get(SCREEN_QUERY)  # else it is invalid, and stays
        st.query_params.from_dict(state[STORED_QUERY])


def _query_now() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _read_address(query: dict[str, list[str]]) -> None:
    """Set every choice to its value in the address."""
    state, named = st.session_state, choices.with_present_names(query)
    values, refused = choices.from_query(named)
    settings, ignored = from_query({name: named[name] for name in named if name not in choices.CHOICES}, offered())
    if not query and is_query_too_long():
        ignored = [TOO_MUCH]
    if "study" not in query:
        settings = settings.changed(study=library.startup_study() or settings.study)
    if SCREEN_SETTINGS in state:
        state[VALUES_BEFORE_BACK] = _current_values()
    session.seed(settings)
    choices.seed(values, page_name())
    state["ignored"], state[STORED_QUERY], state[IS_FRESH] = [*ignored, *refused], query, True
    state.pop(SCREEN_QUERY, None)
    state.pop(OPENED_DOCUMENT, None)


def reset() -> None:
    """Reset every choice to its default, and the address with them. For a button's on_click."""
    session.reset()
    st.session_state.pop(SCREEN_QUERY, None)


def fresh() -> bool:
    """Return whether this run has read the address, so that its invalid parts are to be reported."""
    return bool(st.session_state.get(IS_FRESH))


def record_opened(document: str) -> None:
    """Record the document that the page opens by itself, the first of its list: the address does not contain it."""
    st.session_state[OPENED_DOCUMENT] = document


def query_for_page() -> dict[str, list[str]]:
    """Return the address with which this run opens another page: that of the page on screen, as any other would be a
    second entry in the history. `publish` replaces it."""
    state = st.session_state
    state[STORED_QUERY] = state[SCREEN_QUERY] = _query_now()
    state[HAS_MOVED] = state[IS_FRESH] = True
    return state[STORED_QUERY]


def publish() -> None:
    """Write the address at the end of a run if a choice has changed."""
    state = st.session_state
    choices.remember()
    settings = state[SCREEN_SETTINGS] = session.read(state)
    if settings.document == state.get(OPENED_DOCUMENT):
        settings = settings.changed(document="")
    query = to_query(settings) | choices.to_query(page_name())
    has_moved, is_fresh = state.pop(HAS_MOVED, False), state.pop(IS_FRESH, False)
    has_arrived = is_fresh and "study" in state[STORED_QUERY]
    is_completed = has_arrived and choices.stated(query) - state[STORED_QUERY].keys() and not state["ignored"]
    if has_moved or is_completed:
        if query != state[STORED_QUERY]:  # else it stays in the order that the browser has
            state[STORED_QUERY] = query
            _replace(query)
        state[SCREEN_QUERY] = query
        return
    if has_arrived or (query == state.get(SCREEN_QUERY) and _query_now() == state[STORED_QUERY]):
        state[SCREEN_QUERY] = query
        return
    if query != state.get(SCREEN_QUERY):
        state[STORED_QUERY] = state[SCREEN_QUERY] = query
        state.pop(VALUES_BEFORE_BACK, None)
    st.query_params.from_dict(state[STORED_QUERY])


def _replace(query: dict[str, list[str]]) -> None:
    """Replace the address by that of the page that this run opened, in the page's entry of the history.

    The script has an effect once, and none where the browser has another address by then.
    """
    state = st.session_state
    state[REPLACED] = state.get(REPLACED, 0) + 1
    before, after = (json.dumps(urlencode(one, doseq=True)) for one in (_query_now(), query))
    script = (
        f"if (!(window.fairvizReplaced >= {state[REPLACED]})) {{ window.fairvizReplaced = {state[REPLACED]};"
        f" if (String(new URLSearchParams(location.search)) === String(new URLSearchParams({before})))"
        f" history.replaceState(history.state, '', location.pathname + '?' + {after}) }}"
    )
    st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)


def publish_alone() -> None:
    """Call `publish` in a run of a fragment alone; a run of the whole page calls it at its end."""
    if is_fragment_run() and STORED_QUERY in st.session_state:
        publish()


def overlooked() -> bool:
    """Return whether this run of a fragment has a choice that no run of the whole page has shown.

    The browser sends simultaneous events as one message. If a fragment requests its run at that moment too, the message
    runs the fragment alone: a choice made elsewhere would have no effect until the next message.
    """
    state = st.session_state
    if not is_fragment_run() or SCREEN_SETTINGS not in state:
        return False
    values_on_screen = vars(state[SCREEN_SETTINGS]) | state.get(choices.LAST_VALUES, {})
    changes = {name: value for name, value in _current_values().items() if values_on_screen.get(name) != value}
    if changes and _are_old_values(changes):
        session.seed(state[SCREEN_SETTINGS])
        for key in changes.keys() & choices.CHOICES.keys():
            state[key] = values_on_screen.get(key)
    return bool(changes)


def _current_values() -> dict[str, object]:
    """Return every field of the settings and every choice with its value in the session."""
    return vars(session.read(st.session_state)) | choices.current_values()


def _are_old_values(changes: dict[str, object]) -> bool:
    """Return whether all changes are values from before Back or Forward: a browser that has not redrawn the page yet
    sends these, though nobody has chosen them again."""
    values_left = st.session_state.get(VALUES_BEFORE_BACK, {})
    return all(name in values_left and values_left[name] == value for name, value in changes.items())
