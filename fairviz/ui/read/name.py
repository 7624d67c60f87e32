"""The reader's name for decisions: requested once, stored for the session, and in the browser on request.

The browser stores it in a cookie of this app, which is sent on the next visit. A shared server never stores
a name for its users.
"""

import json
from collections.abc import Callable
from urllib.parse import quote, unquote

import streamlit as st

from fairviz.home.access import visitor
from fairviz.home.server_config import server_config
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.read.state import PREFIX

AUTHOR = PREFIX + "author"
LONGEST = 80
COOKIE = "fairviz_reader"
_ANSWERED, _KEPT, _COOKIE_READ = "inspect_name_asked", "inspect_name_kept", "inspect_name_seen"
_SWITCH, _NAME, _KEEP, _EMPTY = "inspect_remember", "inspect_who_name", "inspect_who_keep", "inspect_who_empty"
_YEAR = 365 * 24 * 3600


def begin() -> None:
    """Read the name from the cookie, once a session."""
    state = st.session_state
    if _COOKIE_READ in state or server_config() is not None:
        return
    state[_COOKIE_READ] = True
    cookie = dict(st.context.cookies.items()).get(COOKIE, "")
    name = unquote(cookie).strip()[:LONGEST]
    if name:
        state[AUTHOR], state[_KEPT] = name, True


def current() -> str:
    """Return the reader's name: on a server the login; empty without one."""
    person = visitor()
    return person.name if person is not None else str(st.session_state.get(AUTHOR) or "").strip()


def to_be_asked() -> bool:
    """Return whether the reader has neither entered nor declined a name."""
    return server_config() is None and not current() and not st.session_state.get(_ANSWERED)


def store_answer(name: str, keep: bool) -> None:
    """Store the name, or its refusal, for this session. keep: store it in this browser too."""
    st.session_state[_ANSWERED] = True
    st.session_state[AUTHOR] = name.strip()[:LONGEST]
    st.session_state[_KEPT] = keep and bool(name.strip())


def switch() -> None:
    """Draw the switch that stores the name in this browser or deletes it; nothing on a server, which has logins."""
    if server_config() is not None:
        return
    st.session_state[_SWITCH] = bool(st.session_state.get(_KEPT))
    st.toggle(
        "Remember my name in this browser",
        key=_SWITCH,
        disabled=not current(),
        on_change=guarded(_read_switch),
        help="A cookie of this app only. Off: the name is forgotten with this tab.",
    )


def _read_switch() -> None:
    st.session_state[_KEPT] = st.session_state[_SWITCH]


def store() -> None:
    """Set or delete the browser's cookie; nothing if the reader never chose to store a name."""
    if _KEPT not in st.session_state:
        st.html("<div></div>")
        return
    name = current() if st.session_state[_KEPT] else ""
    cookie = f"{COOKIE}={quote(name, safe='')}; path=/; max-age={_YEAR if name else 0}; SameSite=Strict"
    st.html(f"<script>document.cookie = {json.dumps(cookie)};</script>", unsafe_allow_javascript=True)


def field() -> None:
    """Draw the field of the name; on a server the name itself, the login."""
    if server_config() is not None:
        html.quiet(current())
        return
    st.text_input("Your name", key=AUTHOR, placeholder="your name", label_visibility="collapsed", max_chars=LONGEST)


def question(label: str, doc_id: str, on_answer: Callable[[bool], None]) -> None:
    """Draw a form for the name. on_answer(has_name) is called when a button is pressed; `read_form` then stores the
    name."""
    html.quiet(f"A name is stored with {label} for {doc_id}, so others see who decided. This question appears once.")
    with st.form("inspect_who", border=False):
        st.text_input("Your name", key=_NAME, max_chars=LONGEST)
        st.checkbox("Remember it in this browser, for later visits", key=_KEEP)
        name_column, nameless_column = st.columns(2)
        name_column.form_submit_button(
            "Store under this name", type="primary", width="stretch", on_click=guarded(on_answer), args=(True,)
        )
        nameless_column.form_submit_button(
            "Store without a name", width="stretch", on_click=guarded(on_answer), args=(False,)
        )
    if st.session_state.pop(_EMPTY, False):
        html.message("info", "No name was given.", "Write one, or choose “Store without a name”.")


def read_form(has_name: bool) -> bool:
    """Store the content of the form as the answer; return False for a missing name. For the form's callback."""
    name = str(st.session_state.get(_NAME) or "") if has_name else ""
    if has_name and not name.strip():
        st.session_state[_EMPTY] = True
        return False
    store_answer(name, bool(st.session_state.get(_KEEP)))
    return True
