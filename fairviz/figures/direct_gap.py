"""The gender over-represented in a system's lists against the relevant documents, over g(q) (figure 12, GSR paper)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import dotted_line, figure, legend_above, points_of, query_points
from fairviz.figures.style import LIGHT, Theme, group_colour, group_pattern

TITLE = "Male documents for each female one, less perfect's"
SHARES_TITLE = "Which gender is over-represented"
X_TITLE = "genderedness of the query, male ← → female"
Y_TITLE = "gap less that of perfect"
BINS_TITLE = "g(q) less the vocabulary's mean"
SHARES_AXIS = "share of the queries"
NOTHING = "No query has a genderedness and a gap."
SIDES = {"male": "male over", "neither": "neither", "female": "female over"}
GROUPS = {"male": "male", "neither": "neutral", "female": "female"}  # with the colour and pattern of each side
HEIGHT, ABOVE = 320, 70  # pixels: the figure; its title and the legend beneath it
SYMBOLS = {"male": "triangle-up", "neither": "circle", "female": "triangle-down"}


@dataclass(frozen=True)
class DirectGap:
    """Data of both figures for one system.

    points: for each over-represented gender (`male`, `neither`, `female`) its queries: g, difference of gaps, query.
    bins: a text for each bin of g(q) with its number of queries; shares: of each gender in each bin, NaN if empty.
    """

    system: str
    centre: float
    points: Mapping[str, tuple[tuple[float, float, str], ...]]
    bins: tuple[str, ...]
    shares: Mapping[str, tuple[float, ...]]

    @property
    def alt(self) -> str:
        """Alt text of the scatter, in one sentence."""
        counts = ", ".join(f"{SIDES[over]} {len(points)}" for over, points in self.points.items())
        return f"{TITLE}, over the query's genderedness, of {self.system}. Queries: {counts or 'none'}."

    @property
    def shares_alt(self) -> str:
        """Alt text of the bars, in one sentence."""
        return f"{SHARES_TITLE} by {self.system}, in {len(self.bins)} bins of the query's genderedness."


def info(gaps: pd.DataFrame, bins: pd.DataFrame, system: str, centre: float) -> DirectGap:
    """Return the system's points of `direct_stereotypes` and bins of `by_genderedness` (of g minus `centre`).

    Queries without g, or with an undefined or infinite gap, are left out.
    """
    gap_rows = gaps[(gaps["system"] == system) & gaps["query"].notna() & np.isfinite(gaps["delta"])]
    points = {}
    for over in SIDES:
        rows = gap_rows[gap_rows["over"] == over]
        if len(rows):
            points[over] = points_of(rows, "query", "delta")
    bin_rows = bins[bins["system"] == system]
    edges = zip(bin_rows["low"], bin_rows["high"], bin_rows["queries"], strict=True)
    texts = tuple(f"{_between(low, high)}<br>({number})" for low, high, number in edges)
    totals = bin_rows[list(SIDES)].sum(axis=1).to_numpy(dtype=float)
    counts = bin_rows[list(SIDES)].to_numpy(dtype=float).T
    shares = np.divide(counts, totals, out=np.full(counts.shape, np.nan), where=totals > 0)
    return DirectGap(system, centre, points, texts, dict(zip(SIDES, map(tuple, shares.tolist()), strict=True)))


@figure(TITLE, empty=lambda data: "" if data.points else NOTHING, height=HEIGHT)
def draw(
    figure: go.Figure, direct: DirectGap, texts: Mapping[str, str], theme: Theme = LIGHT, *, query: str = ""
) -> None:
    """Draw a marker a query, its shape and colour those of the over-represented gender; the selected one ringed."""
    many = sum(map(len, direct.points.values()))
    for over, points in direct.points.items():
        look = {"color": group_colour(GROUPS[over], (), theme), "symbol": SYMBOLS[over]}
        name, hover = f"{SIDES[over]}: {len(points)}", "<b>%{text}</b><br>g %{x:.3f}, difference %{y:.2f}"
        figure.add_trace(query_points(points, texts, query, theme, hover, marker=look, many=many, size=9, name=name))
    figure.add_vline(direct.centre, line=dotted_line(theme))
    legend_above(figure, ABOVE, 1.0)
    figure.update_xaxes(title_text=X_TITLE, zeroline=False)
    figure.update_yaxes(title_text=Y_TITLE)


@figure(SHARES_TITLE, lambda data: "" if np.isfinite(list(data.shares.values())).any() else NOTHING, height=HEIGHT)
def draw_shares(figure: go.Figure, direct: DirectGap, theme: Theme = LIGHT) -> None:
    """Draw stacked bars: the share of queries in each bin of g(q) with either gender over-represented."""
    for over, shares in direct.shares.items():
        pattern = {"shape": group_pattern(GROUPS[over], ()), "fillmode": "overlay", "solidity": 0.25}
        look = {"color": group_colour(GROUPS[over], (), theme), "pattern": pattern}
        hover = f"{SIDES[over]}: %{{y:.0%}}<extra></extra>"
        figure.add_trace(go.Bar(x=list(direct.bins), y=shares, name=SIDES[over], marker=look, hovertemplate=hover))
    legend_above(figure, ABOVE, 1.0)
    figure.update_layout(barmode="stack", legend={"traceorder": "normal"})
    figure.update_xaxes(title_text=f"{BINS_TITLE} (queries)", type="category", showgrid=False, tickangle=0)
    figure.update_yaxes(title_text=SHARES_AXIS, tickformat=".0%", range=[0, 1])


def _between(low: float, high: float) -> str:
    """Return the text of a bin: `≤ −0.1`, `−0.1 to −0.05`, `> 0.1`."""
    first, last = (f"{value:g}".replace("-", "−") for value in (low, high))
    if np.isinf(low):
        return f"≤ {last}"
    return f"> {first}" if np.isinf(high) else f"{first} to {last}"
