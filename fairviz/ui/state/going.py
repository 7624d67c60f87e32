"""From any point, row or query of a page to the page Query, or on to Inspect, with one click; Back returns.

A callback says where to, and the start of the run that follows it goes there: within a callback no page can be changed.
"""

from collections.abc import Sequence

import streamlit as st

from fairviz.ui.state import address, choices

TO, TICKED = "going_to", "going_ticked"  # where to; the document whose annotators were compared when it was ticked
QUERY, INSPECT, DATA = "pages/query.py", "pages/inspect.py", "pages/data.py"
SAVING = "Add and save"  # the tab of the page Data


def to_query(query: str = "", systems: Sequence[str] = (), measure: str = "", order: str = "") -> None:
    """The page Query with this query, the first system beside the second, this measure by its name, and the queries in
    this order, of which the first is shown; what is empty stays as it is chosen there. For callbacks."""
    state = st.session_state
    if query or order:
        state["query"] = query
    if order:
        _ask("query_order", order)
    if systems:
        state["system"] = systems[0]
    if len(systems) > 1:
        _ask("query_beside", systems[1])
    if measure:
        _ask("query_measure", measure)
    state[TO] = QUERY


def to_document(name: str) -> None:
    """The page Inspect with this document. For callbacks."""
    st.session_state["document"] = name
    st.session_state[TO] = INSPECT


def to_compared(name: str) -> None:
    """The page Inspect with this document, and what every machine says of it laid open. For callbacks."""
    st.session_state[TICKED] = name
    to_document(name)


def to_undecided(name: str) -> None:
    """The page Inspect with this document, in the list of those on which annotators part and nobody has decided. For
    callbacks."""
    for key, value in (("disagreement", "any"), ("order", "disagreement"), ("decided", "undecided")):
        _ask(f"inspect_{key}", value)
    to_document(name)


def to_saving() -> None:
    """The page Data where the study can be saved. For callbacks."""
    _ask("data_tab", SAVING)
    st.session_state[TO] = DATA


def _ask(key: str, value: str) -> None:
    """A choice as the address would ask for it: the page has not offered it yet."""
    st.session_state[key] = value
    st.session_state.setdefault(choices.UNSEEN, set()).add(key)


def depart() -> None:
    """Goes where a callback of the last run said, if it did. At the start of a run, once every choice is in the
    session."""
    page = st.session_state.pop(TO, "")
    if page:
        st.switch_page(page, query_params=address.taken_along())
