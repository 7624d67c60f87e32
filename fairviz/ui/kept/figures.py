"""Figures that are drawn once: building and checking a Plotly object takes longer than all that it shows."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from fairviz.figures.style import Theme, under_one_legend
from fairviz.ui.kit.charts import CLICKS


@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure to draw: `draw` and what it is given, and what `fairviz.ui.kit.charts.chart` would do to it."""

    draw: Callable[..., go.Figure]
    given: tuple
    theme: Theme
    hidden: int | None
    clicks: bool

    @property
    def key(self) -> tuple:
        """All that the figure depends on, by value."""
        name = (self.draw.__module__, self.draw.__qualname__)
        return (*name, pickle.dumps(self.given), self.theme, self.hidden, self.clicks)


def drawn(
    draw: Callable[..., go.Figure], *given: Any, theme: Theme, hidden: int | None = None, clicks: bool = False
) -> go.Figure:
    """The figure, finished as `charts.chart` would: it is shared between reruns and readers, and changed by none.

    draw is a pure function of what it is given. hidden: of a page with one legend, how many systems it hides. clicks:
    whether a click on a point is answered.
    """
    return _finished(Drawing(draw, given, theme, hidden, clicks))


@st.cache_resource(hash_funcs={Drawing: lambda drawing: drawing.key}, max_entries=100, show_spinner=False)
def _finished(drawing: Drawing) -> go.Figure:
    figure = drawing.draw(*drawing.given)
    if drawing.hidden is not None:
        under_one_legend(figure, drawing.theme, drawing.hidden)
    return figure.update_layout(clickmode=CLICKS) if drawing.clicks else figure
