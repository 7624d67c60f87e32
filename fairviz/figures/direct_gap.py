"""Whom a system's lists mention more often than the relevant documents do, over g(q) (figure 12 of the GSR paper)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import (
    LIGHT,
    Theme,
    empty_figure,
    group_colour,
    group_pattern,
    layout,
    marker_class,
    ringed,
    shortened,
)

TITLE = "Male documents for each female one, less perfect's"
SHARES_TITLE = "Which gender is over-represented"
X_TITLE = "genderedness of the query, male ← → female"
Y_TITLE = "gap less that of perfect"
BINS_TITLE = "g(q) less the vocabulary's mean"
SHARES_AXIS = "share of the queries"
NOTHING = "No query has a genderedness and a gap."
SIDES = {"male": "male over", "neither": "neither", "female": "female over"}
LEGEND = {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0}
ABOVE = 70  # the title, and the legend beneath it
SYMBOLS = {"male": "triangle-up", "neither": "circle", "female": "triangle-down"}


@dataclass(frozen=True)
class DirectGap:
    """What is drawn of one system.

    points: of each over (`male`, `neither`, `female`) its queries: g, difference of gaps, query. bins: a text for each
    bin of g(q) with its number of queries; shares: of each over, its share in each bin, NaN for an empty one.
    """

    system: str
    centre: float
    points: Mapping[str, tuple[tuple[float, float, str], ...]]
    bins: tuple[str, ...]
    shares: Mapping[str, tuple[float, ...]]

    @property
    def alt(self) -> str:
        """The scatter in a sentence, for those who do not see it."""
        counts = ", ".join(f"{SIDES[over]} {len(points)}" for over, points in self.points.items())
        return f"{TITLE}, over the query's genderedness, of {self.system}. Queries: {counts or 'none'}."

    @property
    def shares_alt(self) -> str:
        """The bars in a sentence."""
        return f"{SHARES_TITLE} by {self.system}, in {len(self.bins)} bins of the query's genderedness."


def info(gaps: pd.DataFrame, bins: pd.DataFrame, system: str, centre: float) -> DirectGap:
    """Points of `direct_stereotypes` and bins of `by_genderedness` (with g less `centre`), the system's rows of both.

    Queries without g or with a gap that is not a number or infinite are no points.
    """
    own = gaps[(gaps["system"] == system) & gaps["query"].notna() & np.isfinite(gaps["delta"])]
    points = {}
    for over in SIDES:
        rows = own[own["over"] == over]
        columns = zip(rows["query"], rows["delta"], rows["query_id"], strict=True)
        if len(rows):
            points[over] = tuple((float(g), float(delta), str(query)) for g, delta, query in columns)
    held = bins[bins["system"] == system]
    edges = zip(held["low"], held["high"], held["queries"], strict=True)
    texts = tuple(f"{_between(low, high)}<br>({number})" for low, high, number in edges)
    known = held[list(SIDES)].sum(axis=1).to_numpy(dtype=float)
    shares = {
        over: tuple(
            np.divide(held[over].to_numpy(dtype=float), known, out=np.full(len(held), np.nan), where=known > 0).tolist()
        )
        for over in SIDES
    }
    return DirectGap(system, centre, points, texts, shares)


def draw(
    direct: DirectGap, texts: Mapping[str, str], theme: Theme = LIGHT, height: int = 320, *, query: str = ""
) -> go.Figure:
    """A marker a query, its shape and colour those of the gender that is over-represented; the selected one ringed."""
    if not direct.points:
        return empty_figure(TITLE, NOTHING, theme, height)
    figure = go.Figure(layout=layout(TITLE, theme, height))
    marks = marker_class(sum(map(len, direct.points.values())))
    for over, points in direct.points.items():
        figure.add_trace(
            marks(
                x=[g for g, _, _ in points],
                y=[delta for _, delta, _ in points],
                mode="markers",
                name=f"{SIDES[over]}: {len(points)}",
                text=[shortened(texts.get(query, query), 60) for _, _, query in points],
                marker={
                    "color": _colour(over, theme),
                    "symbol": SYMBOLS[over],
                    **ringed([each for _, _, each in points], query, theme, 9),
                },
                hovertemplate="<b>%{text}</b><br>g %{x:.3f}, difference %{y:.2f}<extra></extra>",
            )
        )
    figure.add_vline(direct.centre, line={"dash": "dot", "width": 1.2, "color": theme.muted})
    figure.update_layout(legend=LEGEND, margin={"t": ABOVE})
    figure.update_xaxes(title_text=X_TITLE, zeroline=False)
    figure.update_yaxes(title_text=Y_TITLE)
    return figure


def draw_shares(direct: DirectGap, theme: Theme = LIGHT, height: int = 320) -> go.Figure:
    """Stacked bars: of the queries in each bin of g(q), for how many either gender is over-represented."""
    if not np.isfinite([share for row in direct.shares.values() for share in row]).any():
        return empty_figure(SHARES_TITLE, NOTHING, theme, height)
    figure = go.Figure(layout=layout(SHARES_TITLE, theme, height))
    for over, shares in direct.shares.items():
        figure.add_trace(
            go.Bar(
                x=list(direct.bins),
                y=shares,
                name=SIDES[over],
                marker={
                    "color": _colour(over, theme),
                    "pattern": {"shape": group_pattern(_group(over), ()), "fillmode": "overlay", "solidity": 0.25},
                },
                hovertemplate=f"{SIDES[over]}: %{{y:.0%}}<extra></extra>",
            )
        )
    figure.update_layout(barmode="stack", legend=LEGEND | {"traceorder": "normal"}, margin={"t": ABOVE})
    figure.update_xaxes(title_text=f"{BINS_TITLE} (queries)", type="category", showgrid=False, tickangle=0)
    figure.update_yaxes(title_text=SHARES_AXIS, tickformat=".0%", range=[0, 1])
    return figure


def _group(over: str) -> str:
    return "neutral" if over == "neither" else over


def _colour(over: str, theme: Theme) -> str:
    return group_colour(_group(over), (), theme)


def _between(low: float, high: float) -> str:
    """`≤ −0.1`, `−0.1 to −0.05`, `> 0.1`."""
    first, last = (f"{value:g}".replace("-", "−") for value in (low, high))
    if np.isinf(low):
        return f"≤ {last}"
    return f"> {first}" if np.isinf(high) else f"{first} to {last}"
