"""A bar that is drawn while a value is computed that Streamlit caches.

Streamlit draws what a cached function drew again whenever the value is taken from the cache; this bar is not.
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.ui.state.streamlit_internals import unrecorded


class Progress:
    """A bar of how many of several things are done. text: with {done}, {total} and {name}."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._bar: DeltaGenerator | None = None

    def __call__(self, done: int, total: int, name: str) -> None:
        """Draw the bar."""
        text = self._text.format(done=done, total=total, name=name)

        def draw() -> None:
            self._bar = self._bar or st.container(key="fv_progress").empty()
            self._bar.progress(done / total, text=text)

        unrecorded(draw)

    def end(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            unrecorded(self._bar.empty)
