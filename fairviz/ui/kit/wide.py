"""Cards that open to the full width of their page: by a button and its digit, closed by the same and by Escape."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices

HEIGHT = 520  # pixels of a figure in a card as wide as the page
OPEN, CLOSE = "⤢", "⤡"


def opened(key: str, cards: Sequence[str]) -> str:
    """The card that is as wide as the page, under this key of the choices; empty for none."""
    return choices.among(key, ("", *cards))


def switch(key: str, cards: Sequence[str], card: str) -> None:
    """The button of a card, whose digit is its place among the page's cards; an open one has one for Escape too."""
    is_open = st.session_state[key] == card
    st.button(
        CLOSE if is_open else OPEN,
        key=f"{key}_{card}",
        shortcut=str(cards.index(card) + 1),
        help="Back to its place" if is_open else "As wide as the page",
        on_click=guarded(partial(_open, key, "" if is_open else card)),
    )
    if is_open:
        st.button("Close", key=f"{key}_close", shortcut="Escape", on_click=guarded(partial(_open, key, "")))


def _open(key: str, card: str) -> None:
    st.session_state[key] = card
