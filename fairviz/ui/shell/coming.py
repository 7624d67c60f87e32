"""What a page shows until it is there: a skeleton of it, at once, in the place where it will stand."""

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
    """A skeleton below what of the page stands there already, until all of it does.

    On the first visit to each page of a session only: later runs find what they need, and change what stands there. The
    place is kept either way, so that nothing below it is taken for something new.
    """
    place = st.empty()
    seen = st.session_state.setdefault(SEEN, set())
    if page in seen:
        yield
        return
    place.html(SKELETON)
    try:
        yield
    finally:
        seen.add(page)
        place.empty()
