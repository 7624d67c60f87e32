"""Cards that open to the full width of their page by a button or its digit, and close by these or by Escape."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.components import component
from fairviz.ui.state import choices

SCRIPT = Path(__file__).with_suffix(".js")
HEIGHT = 480  # pixels of a figure in a card as wide as the page
OPEN, CLOSE = "Wide", "Narrow"
TABLE, BUTTON = 1.9, 2.0  # widths of the columns at the right of a first row
Alignment = Literal["top", "center", "bottom"]


def opened(key: str, cards: Sequence[str]) -> str:
    """Return the card that is as wide as the page, chosen under this key; empty for none."""
    return choices.among(key, ("", *cards))


def head(
    key: str, cards: Sequence[str], card: str, widths: Sequence[float], alignment: Alignment = "center"
) -> list[DeltaGenerator]:
    """Draw the first row of a card and return its columns of these widths. At its right is the button that opens the
    card to the page's width, with the card's number as its shortcut; an open card has a button for Escape too."""
    is_open = st.session_state[key] == card
    buttons = [BUTTON / 2, BUTTON / 2] if is_open else [BUTTON]  # an open card has twice the room
    *columns, last_column = st.columns([*widths, *buttons], gap="small", vertical_alignment=alignment)
    switch_column = columns.pop() if is_open else last_column
    switch_column.button(
        CLOSE if is_open else OPEN,
        key=f"{key}_{card}",
        shortcut=str(cards.index(card) + 1),
        help="Back to its place" if is_open else "As wide as the page",
        on_click=guarded(partial(_open, key, "" if is_open else card)),
    )
    if is_open:
        last_column.button("Close", key=f"{key}_close", shortcut="Escape", on_click=guarded(partial(_open, key, "")))
    return columns


def follow(key: str, page: str) -> None:
    """Scroll to a card that was opened or closed by its shortcut while out of view."""
    component("wide", SCRIPT)(key=f"{page}_follow", data={"page": page, "card": st.session_state[key]}, width="content")


def place(key: str, page: str, card: str) -> DeltaGenerator:
    """Return the container of a card; the style sheet sets the page's width for keys that end in `_wide`."""
    suffix = "_wide" if st.session_state[key] == card else ""
    return st.container(border=True, gap="xsmall", key=f"{page}_card_{card}{suffix}")


def bar(key: str, **layout: Any) -> DeltaGenerator:
    """Return the container of what is above the cards, which stays in sight beside an open one."""
    return st.container(key="page_bar_wide" if st.session_state.get(key) else "page_bar", **layout)


def _open(key: str, card: str) -> None:
    st.session_state[key] = card
