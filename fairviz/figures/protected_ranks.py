"""Where documents of the protected group stand in the lists of each ranker, by the attribute that its queries name."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import LIGHT, Theme, empty_figure, group_colour, layout, safe, shortened

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
MARKERS = ("circle", "square", "triangle-up", "diamond", "cross", "star")
NAME_CHARACTERS = 30
ROW, ABOVE = 30, 74  # pixels an attribute of a ranker, and above the first


@dataclass(frozen=True)
class Spread:
    """The ranks of one ranker under one attribute: how many, their mean, and the ranks below which SHARES of them
    lie."""

    system: str
    attribute: str
    count: int
    mean: float
    ranks: tuple[float, ...]


@dataclass(frozen=True)
class ProtectedRanks:
    """The spreads, rankers from the top; middle: the mean rank of all places, where an order drawn by lot puts any
    group."""

    title: str
    systems: tuple[str, ...]
    attributes: tuple[str, ...]
    spreads: tuple[Spread, ...]
    middle: float

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        if not self.spreads:
            return f"{self.title}: no list holds one."
        told = [f"{one.system}, {one.attribute} queries, mean {one.mean:.1f}" for one in self.spreads[:9]]
        more = " …" if len(self.spreads) > 9 else ""
        return f"{self.title}: {'; '.join(told)}{more}. The middle of the lists is {self.middle:.1f}."


def info(ranks: pd.DataFrame, protected: str, middle: float) -> ProtectedRanks:
    """From ranks (system, attribute, after), a row a document of the protected group."""
    spreads = []
    for (system, attribute), part in ranks.groupby(["system", "attribute"], sort=False):
        after = part["after"].to_numpy(dtype=np.float64)
        quantiles = tuple(float(value) for value in np.quantile(after, SHARES))
        spreads.append(Spread(str(system), str(attribute), len(after), float(after.mean()), quantiles))
    return ProtectedRanks(
        f"Where {protected} documents stand",
        tuple(dict.fromkeys(one.system for one in spreads)),
        tuple(dict.fromkeys(one.attribute for one in spreads)),
        tuple(spreads),
        middle,
    )


def draw(drawn: ProtectedRanks, theme: Theme = LIGHT) -> go.Figure:
    """The figure: half of the documents in the box, nine tenths between the whiskers, a mark at the mean."""
    if not drawn.spreads:
        return empty_figure(drawn.title, "No list holds a document of the protected group.", theme, 180)
    rows = len(drawn.systems) * len(drawn.attributes)
    figure = go.Figure(layout=layout(safe(drawn.title), theme, ABOVE + 60 + max(rows, 3) * ROW))
    for place, attribute in enumerate(drawn.attributes):
        held = [one for one in drawn.spreads if one.attribute == attribute]
        across = [_row(drawn, one.system, place) for one in held]
        colour = group_colour(attribute, drawn.attributes, theme)
        figure.add_trace(_boxes(held, across, colour))
        figure.add_trace(_means(held, across, colour, place, theme))
    figure.add_vline(drawn.middle, line={"dash": "dot", "width": 1.2, "color": theme.muted})
    figure.update_xaxes(
        title_text="rank (1 is first); dotted: the middle of the lists", zeroline=False, rangemode="tozero"
    )
    figure.update_yaxes(
        tickvals=list(range(len(drawn.systems))),
        ticktext=[shortened(name, NAME_CHARACTERS) for name in drawn.systems],
        range=[len(drawn.systems) - 0.5, -0.5],
        zeroline=False,
        showgrid=False,
    )
    figure.update_layout(
        margin={"t": ABOVE}, legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.01, "yanchor": "bottom"}
    )
    return figure


def _row(drawn: ProtectedRanks, system: str, place: int) -> float:
    """Where an attribute of a ranker stands: its attributes share its row."""
    return drawn.systems.index(system) + (place - (len(drawn.attributes) - 1) / 2) * 0.8 / len(drawn.attributes)


def _boxes(held: Sequence[Spread], across: Sequence[float], colour: str) -> go.Box:
    low, first, median, third, high = np.array([one.ranks for one in held]).T
    return go.Box(
        orientation="h",
        y=list(across),
        lowerfence=low,
        q1=first,
        median=median,
        q3=third,
        upperfence=high,
        width=0.16,
        line={"color": colour, "width": 1.6},
        showlegend=False,
        hoverinfo="skip",
    )


def _means(held: Sequence[Spread], across: Sequence[float], colour: str, place: int, theme: Theme) -> go.Scatter:
    return go.Scatter(
        x=[one.mean for one in held],
        y=list(across),
        mode="markers",
        name=f"{safe(held[0].attribute)} queries",
        marker={
            "symbol": MARKERS[place % len(MARKERS)], "size": 10, "color": colour,
            "line": {"width": 1.5, "color": theme.text},
        },
        customdata=[[safe(one.system), _told(one)] for one in held],
        hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}<extra></extra>",
    )  # fmt: skip


def _told(one: Spread) -> str:
    low, first, median, third, high = one.ranks
    return (
        f"{safe(one.attribute)} queries, {one.count:,} documents<br>mean rank {one.mean:.2f}, median {median:g}<br>"
        f"half from {first:g} to {third:g}, nine tenths from {low:g} to {high:g}"
    )
