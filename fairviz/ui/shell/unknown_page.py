"""An address whose page is none of the app's: Overview is shown in its place, and says so."""

import difflib

import streamlit as st
from streamlit.commands import navigation
from streamlit.runtime.scriptrunner import get_script_run_ctx

from fairviz.ui.shell.arrival import paths

TOLD = "unknown_page"  # the line, and the page that shows it


def without_dialog() -> None:
    """Keep Streamlit from covering Overview with a dialog of its own. Called once, before the server starts."""
    navigation.send_page_not_found = lambda ctx: None


def unknown_page() -> str:
    """Return the line about a page that the address named in vain; empty once another page was opened."""
    context = get_script_run_ctx()
    if context is None:
        return ""
    pages, state = context.pages_manager, st.session_state
    shown = pages.current_page_script_hash
    if not pages.intended_page_script_hash and pages.intended_page_name not in known():
        state[TOLD] = (told(str(pages.intended_page_name)), shown)
    line, place = state.get(TOLD, ("", ""))
    if place == shown:
        return line
    state.pop(TOLD, None)
    return ""


def known() -> set[str | None]:
    """The names that an address may have for a page, none among them."""
    return {None, *(path.strip("/") for path in paths())}


def told(name: str) -> str:
    """Return the line for this name, with the nearest one that there is.

    >>> told("tradeof")
    "There is no page 'tradeof'; Overview is shown. The nearest name is tradeoff."
    """
    names = sorted(filter(None, known()))
    nearest = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0)[0]
    return f"There is no page {name[:80]!r}; Overview is shown. The nearest name is {nearest}."
