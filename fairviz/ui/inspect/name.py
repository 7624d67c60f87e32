"""Whose decisions these are: asked once, kept for the session, and in this browser only where the reader wants it.

The browser keeps it in a cookie of this app, which comes with the next visit. A server that several people share never
keeps a name for them.
"""

import json
from collections.abc import Callable
from urllib.parse import quote, unquote

import streamlit as st

from fairviz.ui.inspect.state import PREFIX
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded

AUTHOR = PREFIX + "author"
LONGEST = 80
COOKIE = "fairviz_reader"
_ASKED, _KEPT, _SEEN = "inspect_name_asked", "inspect_name_kept", "inspect_name_seen"
_SWITCH, _NAME, _KEEP, _EMPTY = "inspect_remember", "inspect_who_name", "inspect_who_keep", "inspect_who_empty"
_YEAR = 365 * 24 * 3600


def begin() -> None:
    """Takes the name that this browser has kept, once a session."""
    state = st.session_state
    if _SEEN in state:
        return
    state[_SEEN] = True
    held = dict(st.context.cookies.items()).get(COOKIE, "")
    kept = unquote(held).strip()[:LONGEST]
    if kept:
        state[AUTHOR], state[_KEPT] = kept, True


def current() -> str:
    """The reader's name; empty where none was given."""
    return str(st.session_state.get(AUTHOR) or "").strip()


def to_be_asked() -> bool:
    """Whether nobody has said yet who decides, or that no name shall stand there."""
    return not current() and not st.session_state.get(_ASKED)


def answer(name: str, keep: bool) -> None:
    """What the reader said, which is not asked again in this session; keep: in this browser too."""
    st.session_state[_ASKED] = True
    st.session_state[AUTHOR] = name.strip()[:LONGEST]
    st.session_state[_KEPT] = keep and bool(name.strip())


def switch() -> None:
    """A switch for keeping the name in this browser, and for forgetting it."""
    st.session_state[_SWITCH] = bool(st.session_state.get(_KEPT))
    st.toggle(
        "Remember my name in this browser",
        key=_SWITCH,
        disabled=not current(),
        on_change=guarded(_switched),
        help="A cookie of this app only. Off: the name is forgotten with this tab.",
    )


def _switched() -> None:
    st.session_state[_KEPT] = st.session_state[_SWITCH]


def store() -> None:
    """Has the browser keep the name, or forget it; nothing where it was never asked to keep one."""
    if _KEPT not in st.session_state:
        st.html("<div></div>")
        return
    name = current() if st.session_state[_KEPT] else ""
    cookie = f"{COOKIE}={quote(name, safe='')}; path=/; max-age={_YEAR if name else 0}; SameSite=Strict"
    st.html(f"<script>document.cookie = {json.dumps(cookie)};</script>", unsafe_allow_javascript=True)


def field() -> None:
    """The name, to be changed at any time."""
    st.text_input("Your name", key=AUTHOR, placeholder="your name", label_visibility="collapsed", max_chars=LONGEST)


def question(label: str, doc_id: str, answered: Callable[[bool], None]) -> None:
    """Asks for the name in a form. answered(named) is called back when a button is pressed; `given` has the name."""
    html.quiet(
        f"{label} for {doc_id} is stored with a name, so that others see whose decision it is. You are asked once."
    )
    with st.form("inspect_who", border=False):
        st.text_input("Your name", key=_NAME, max_chars=LONGEST)
        st.checkbox("Remember it in this browser, for later visits", key=_KEEP)
        yes, no = st.columns(2)
        yes.form_submit_button(
            "Store under this name", type="primary", width="stretch", on_click=guarded(answered), args=(True,)
        )
        no.form_submit_button("Store without a name", width="stretch", on_click=guarded(answered), args=(False,))
    if st.session_state.pop(_EMPTY, False):
        html.message("info", "No name was given.", "Write one, or choose “Store without a name”.")


def given(named: bool) -> bool:
    """Takes what the form holds as the answer; False where a name was to be in it and is not. For its callback."""
    name = str(st.session_state.get(_NAME) or "") if named else ""
    if named and not name.strip():
        st.session_state[_EMPTY] = True
        return False
    answer(name, bool(st.session_state.get(_KEEP)))
    return True
