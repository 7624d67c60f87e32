"""The parts of a card of the page Trade-off: its head, its table and its figure."""

from collections.abc import Callable, Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.output.recipes import Recipe
from fairviz.ui.kit import charts, wide
from fairviz.ui.tradeoff.deck import CARDS, WIDE, Deck


def card_head(card: str, widths: Sequence[float]) -> list[DeltaGenerator]:
    """Return the columns of a card's head, the one for the table last."""
    return wide.head(WIDE, CARDS, card, [*widths, wide.TABLE])


def card_columns(widths: Sequence[float]) -> list[DeltaGenerator]:
    """Return the columns of a tab's first row, the one for the table last."""
    return st.columns([*widths, wide.TABLE], gap="small", vertical_alignment="center")


def card_table(deck: Deck, place: DeltaGenerator, card: str, table: pd.DataFrame, alt: str, code: Recipe) -> None:
    """Draw the button of a card's table, with its Python code."""
    with place:
        charts.table(table, deck.alt_text(alt), card, code)


def card_chart(
    deck: Deck, figure: go.Figure, alt: str, key: str, on_point: Callable[[str], None] = charts.select_system
) -> None:
    """Draw a figure under the page's legend. on_point: called with the system of a click; by default selects it."""
    charts.chart(figure, deck.alt_text(alt), key, on_point, hidden=deck.hidden)
