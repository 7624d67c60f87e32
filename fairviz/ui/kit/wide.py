"""Cards that open to the full width of their page: by a button and its digit, closed by the same and by Escape."""

from collections.abc import Sequence
from functools import cache, partial
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices

# The card has its height once its figure or table is drawn: until then it is waited for, unless another is opened.
JAVASCRIPT = """
export default function ({ data, parentElement }) {
  const held = parentElement.querySelector("span").dataset
  const before = held.card
  held.card = data.card
  if (before === undefined || before === data.card) return
  const card = data.card || before
  const name = `.st-key-${data.page}_card_${card}${data.card ? "_wide" : ""}`
  let frames = 120
  const look = () => {
    const found = document.querySelector(name)
    if (held.card !== data.card || frames-- < 0) return
    if (found && found.querySelector(".main-svg, canvas, table")) found.scrollIntoView({ block: "nearest" })
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}
"""
HEIGHT = 480  # pixels of a figure in a card as wide as the page
OPEN, CLOSE = "Wide", "Narrow"
TABLE, BUTTON = 1.9, 2.0  # widths of the places at the right of a first row
Alignment = Literal["top", "center", "bottom"]


def opened(key: str, cards: Sequence[str]) -> str:
    """The card that is as wide as the page, under this key of the choices; empty for none."""
    return choices.among(key, ("", *cards))


def head(
    key: str, cards: Sequence[str], card: str, widths: Sequence[float], alignment: Alignment = "center"
) -> list[DeltaGenerator]:
    """The first row of a card: places of these widths; at the right the button that opens it to the page's width, whose
    digit is its place among the page's cards, and beside an open one's a button for Escape."""
    is_open = st.session_state[key] == card
    buttons = [BUTTON / 2, BUTTON / 2] if is_open else [BUTTON]  # an open card has twice the room
    *places, last = st.columns([*widths, *buttons], gap="small", vertical_alignment=alignment)
    switch = places.pop() if is_open else last
    switch.button(
        CLOSE if is_open else OPEN,
        key=f"{key}_{card}",
        shortcut=str(cards.index(card) + 1),
        help="Back to its place" if is_open else "As wide as the page",
        on_click=guarded(partial(_open, key, "" if is_open else card)),
    )
    if is_open:
        last.button("Close", key=f"{key}_close", shortcut="Escape", on_click=guarded(partial(_open, key, "")))
    return places


@cache
def _component():
    """Registered once in a server's life."""
    return st.components.v2.component("fairviz_wide", html="<span></span>", js=JAVASCRIPT)


def follow(key: str, page: str) -> None:
    """Brings a card into view that was opened or closed by its key while it was out of sight."""
    _component()(key=f"{page}_follow", data={"page": page, "card": st.session_state[key]}, width="content")


def place(key: str, page: str, card: str) -> DeltaGenerator:
    """The container of a card; the style sheet gives the width of the page to what ends in `_wide`."""
    ending = "_wide" if st.session_state[key] == card else ""
    return st.container(border=True, gap="xsmall", key=f"{page}_card_{card}{ending}")


def _open(key: str, card: str) -> None:
    st.session_state[key] = card
