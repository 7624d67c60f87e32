"""The cache of drawn figures: building and checking a Plotly object takes longer than the computation of its data."""

import pickle
from collections.abc import Callable
from typing import Any

import plotly.graph_objects as go

from fairviz.figures.style import Theme, under_one_legend
from fairviz.ui.kept.entries import Entries, kept
from fairviz.ui.kit.charts import CLICKS


def _name(draw: Callable) -> tuple[str, str]:
    return draw.__module__, draw.__qualname__


@kept(Entries("figures", server=100), by={"draw": _name, "given": pickle.dumps})
def draw_cached(
    draw: Callable[..., go.Figure], *given: Any, theme: Theme, hidden: int | None = None, clicks: bool = False
) -> go.Figure:
    """The figure, finished as `fairviz.ui.kit.charts.chart` would: it is shared between reruns and readers.

    draw is a pure function of what it is given. hidden: of a page with one legend, how many systems it hides. clicks:
    whether a click on a point is answered.
    """
    figure = draw(*given)
    if hidden is not None:
        under_one_legend(figure, theme, hidden)
    return figure.update_layout(clickmode=CLICKS) if clicks else figure
