"""Links from a point, row or query of any page to the page Query or Read with one click; Back returns.

A callback stores the target, which the start of the next run opens: a callback cannot change the page.
"""

from collections.abc import Mapping, Sequence
from typing import NoReturn

import streamlit as st

from fairviz.analyses.reading.filters import Filters
from fairviz.ui.state import address, choices, pair, session
from fairviz.ui.state.registry import PAGES

TO, TICKED = "going_to", "going_ticked"  # the page to open; the document that was ticked in a comparison of annotators
QUERY, INSPECT, DATA = "pages/query.py", "pages/read.py", "pages/data.py"
ANNOTATE = "pages/annotate.py"
SAVING = "Add and save"  # the tab of the page Data


def to_query(query: str = "", systems: Sequence[str] = (), measure: str = "", order: str = "") -> None:
    """Open the page Query with this query, the first two systems side by side, the measure of this name, and the
    queries in this order, of which the first is shown; empty arguments change nothing. For callbacks."""
    state = st.session_state
    if query or order:
        state["query"] = query
    if order:
        _set_choice("query_order", order)
    if systems:
        state[pair.SYSTEM] = systems[0]
    if len(systems) > 1:
        _set_choice(pair.BASELINE, systems[1])
    if measure:
        _set_choice(pair.MEASURE, measure)
    state[TO] = QUERY


def to_sensitivity(system: str, baseline: str) -> None:
    """Open the page Sensitivity with these two systems. For callbacks."""
    st.session_state[pair.SYSTEM] = system
    _set_choice(pair.BASELINE, baseline)
    to_page("pages/sensitivity.py")


def to_page(page: str) -> None:
    """Open a page, `pages/sensitivity.py`, as it is. For callbacks."""
    st.session_state[TO] = page


def to_place(page: str, values: Mapping[str, object]) -> None:
    """Open the page of this name, `sensitivity`, with these fields of the settings and choices of the page. For
    callbacks."""
    fields = {name: value for name, value in values.items() if name not in choices.CHOICES}
    session.seed(session.read(st.session_state).changed(**fields))
    for key, value in values.items():
        if key in choices.CHOICES:
            _set_choice(key, value)
    to_page(f"pages/{page}.py")


def to_document(name: str) -> None:
    """Open the page Read with this document. For callbacks."""
    st.session_state["document"] = name
    st.session_state[TO] = INSPECT


def to_compared(name: str) -> None:
    """Open the page Read with this document and the labels of every automatic annotator. For callbacks."""
    st.session_state[TICKED] = name
    to_document(name)


def to_disputed(
    name: str, disagreement: str = "any", merged: str = "", filled: str = "", decided: str = "",
    voters: Sequence[str] | None = None,
) -> None:  # fmt: skip
    """Open the page Read with this document, or the first, in the list of documents with this disagreement. The
    arguments are the page's filters; all others are taken back. voters: those who disagree, by default the present
    ones. For callbacks."""
    filters = Filters(disagreement, merged, filled, order="disagreement", decided=decided)
    for key, value in vars(filters).items():
        _set_choice(f"inspect_{key}", value)
    if voters is not None:
        st.session_state["voters"] = list(voters)
    to_document(name)


def to_saving() -> None:
    """Open the tab of the page Data that saves the study. For callbacks."""
    _set_choice("data_tab", SAVING)
    st.session_state[TO] = DATA


def open_page(name: str) -> NoReturn:
    """Open the page of this name at once. Not for callbacks."""
    page = PAGES[name]
    st.switch_page(st.Page(page.draw, title=page.title, url_path=name) if page.draw else f"pages/{name}.py")


def to_annotate() -> NoReturn:
    """Open the page Annotate at once. Not for callbacks."""
    st.switch_page(ANNOTATE)


def _set_choice(key: str, value: object) -> None:
    """Set a choice as the address does, before its page has run."""
    st.session_state[key] = value
    st.session_state.setdefault(choices.UNREAD_KEYS, set()).add(key)


def depart() -> None:
    """Open the page that a callback of the last run stored, if any. At the start of a run, once every choice is in the
    session."""
    if page := st.session_state.pop(TO, ""):
        st.switch_page(page, query_params=address.query_for_page())
