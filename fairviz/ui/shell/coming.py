"""A skeleton of a page, shown in its place until the page is complete."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

SEEN = "coming_seen"
SKELETON = (
    '<div class="fv-coming" role="status" aria-label="The page is being made."><i class="fv-bone fv-bone-line"></i>'
    '<i class="fv-bone fv-bone-box"></i><i class="fv-bone fv-bone-card"></i><i class="fv-bone fv-bone-card"></i></div>'
)


@contextmanager
def coming(page: str) -> Iterator[None]:
    """Show a skeleton below the finished part of a page until the page is complete.

    Only on a session's first visit to each page: later runs are fast, and update the page. The container is kept either
    way, so that Streamlit does not redraw the elements below it.
    """
    container = st.empty()
    visited_pages = st.session_state.setdefault(SEEN, set())
    if page in visited_pages:
        yield
        return
    container.html(SKELETON)
    try:
        yield
    finally:
        visited_pages.add(page)
        container.empty()
