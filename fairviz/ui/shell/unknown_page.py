"""Addresses of pages that do not exist: Overview is shown instead, with a warning."""

import difflib

import streamlit as st

from fairviz.ui.shell.arrival import paths
from fairviz.ui.state import streamlit_internals

WARNING = "unknown_page"  # the warning, and the page that shows it


def unknown_page() -> str:
    """Return the warning about a page in the address that does not exist; empty once another page was opened."""
    pages, state = streamlit_internals.pages(), st.session_state
    if pages is None:
        return ""
    current_page = pages.current_page_script_hash
    if not pages.intended_page_script_hash and pages.intended_page_name not in page_names():
        state[WARNING] = (warning_of(str(pages.intended_page_name)), current_page)
    line, page = state.get(WARNING, ("", ""))
    if page == current_page:
        return line
    state.pop(WARNING, None)
    return ""


def page_names() -> set[str | None]:
    """Return the names of pages that are valid in an address, None included."""
    return {None, *(path.strip("/") for path in paths())}


def warning_of(name: str) -> str:
    """Return the warning for this name, with the nearest existing one.

    >>> warning_of("tradeof")
    "There is no page 'tradeof'; Overview is shown. The nearest name is tradeoff."
    """
    names = sorted(filter(None, page_names()))
    nearest = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0)[0]
    return f"There is no page {name[:80]!r}; Overview is shown. The nearest name is {nearest}."
