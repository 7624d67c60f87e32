"""Addresses of pages that do not exist: Overview is shown instead, with a warning."""

import difflib

import streamlit as st

from fairviz.ui.shell.arrival import paths
from fairviz.ui.state import streamlit_internals

TITLES = {"tradeoff": "Trade-off"}  # before the menus are known
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
    """Return the names of pages that are valid in an address, None included: those of the menus once these are known,
    as some pages are on servers only."""
    manager = streamlit_internals.pages()
    infos = manager.get_pages().values() if manager is not None else ()
    menus = {str(info.get("url_pathname") or "") for info in infos}
    names = {path.strip("/") for path in paths()}
    return {None, *(names & {*menus, "", "overview"} if len(menus) > 1 else names)}


def warning_of(name: str) -> str:
    """Return the warning for this name, with the page of the most similar name as the menus have it.

    >>> warning_of("tradeof")
    "There is no page 'tradeof'; Overview is shown. The nearest name is Trade-off."
    """
    titles = {path: title_of(path) for path in filter(None, page_names())}
    names = {title.lower(): title for title in titles.values()} | titles
    nearest = difflib.get_close_matches(name.lower(), sorted(names), n=1)
    remedy = f"The nearest name is {names[nearest[0]]}." if nearest else "The menus have every page."
    return f"There is no page {name[:80]!r}; Overview is shown. {remedy}"


def title_of(path: str) -> str:
    """Return the name of a page in the menus, by its path."""
    manager = streamlit_internals.pages()
    infos = manager.get_pages().values() if manager is not None else ()
    title = next((info["page_name"] for info in infos if info.get("url_pathname") == path), "")
    return title or TITLES.get(path, path.capitalize())
