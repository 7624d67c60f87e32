"""The ranks of documents of the protected group in the lists of each ranker, by the attribute in the queries."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import dotted_line, figure, legend_above, name_rows, trace
from fairviz.figures.style import LIGHT, Theme, first_texts, group_colour, safe, shortened

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
QUANTILES = "median {2:g}<br>half from {1:g} to {3:g}, nine tenths from {0:g} to {4:g}"  # of ranks at SHARES
MARKERS = ("circle", "square", "triangle-up", "diamond", "cross", "star")
NAME_CHARACTERS = 30
NOTHING = "No list holds a document of the protected group."
ROW, ABOVE = 30, 74  # pixels an attribute of a ranker, and above the first


@dataclass(frozen=True)
class Spread:
    """The ranks of one ranker under one attribute: their number, their mean, and their quantiles at SHARES."""

    system: str
    attribute: str
    count: int
    mean: float
    ranks: tuple[float, ...]


@dataclass(frozen=True)
class ProtectedRanks:
    """The spreads, rankers from the top; middle: the mean of all ranks, the expected rank of any group in random
    order."""

    title: str
    systems: tuple[str, ...]
    attributes: tuple[str, ...]
    spreads: tuple[Spread, ...]
    middle: float

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.spreads:
            return f"{self.title}: no list holds one."
        texts = [f"{each.system}, {each.attribute} queries, mean {each.mean:.1f}" for each in self.spreads]
        return f"{self.title}: {first_texts(texts, 9)}. The middle of the lists is {self.middle:.1f}."


def info(ranks: pd.DataFrame, protected: str, middle: float) -> ProtectedRanks:
    """Return the spreads from ranks (system, attribute, after), a row a document of the protected group."""
    spreads = []
    for (system, attribute), part in ranks.groupby(["system", "attribute"], sort=False):
        after = part["after"].to_numpy(dtype=np.float64)
        quantiles = tuple(float(value) for value in np.quantile(after, SHARES))
        spreads.append(Spread(str(system), str(attribute), len(after), float(after.mean()), quantiles))
    return ProtectedRanks(
        f"Ranks of {protected} documents",
        tuple(dict.fromkeys(spread.system for spread in spreads)),
        tuple(dict.fromkeys(spread.attribute for spread in spreads)),
        tuple(spreads),
        middle,
    )


@figure(lambda data: safe(data.title), lambda data: "" if data.spreads else NOTHING, height=180)
def draw(figure: go.Figure, ranks: ProtectedRanks, theme: Theme = LIGHT) -> None:
    """Draw half of the documents in the box, nine tenths between the whiskers, and a mark at the mean."""
    rows = len(ranks.systems) * len(ranks.attributes)
    figure.update_layout(height=ABOVE + 60 + max(rows, 3) * ROW)
    for place, attribute in enumerate(ranks.attributes):
        spreads = [spread for spread in ranks.spreads if spread.attribute == attribute]
        shift = (place - (len(ranks.attributes) - 1) / 2) * 0.8 / len(ranks.attributes)
        heights = [ranks.systems.index(spread.system) + shift for spread in spreads]
        colour = group_colour(attribute, ranks.attributes, theme)
        figure.add_trace(_boxes(spreads, heights, colour))
        figure.add_trace(_means(spreads, heights, colour, MARKERS[place % len(MARKERS)], theme))
    figure.add_vline(ranks.middle, line=dotted_line(theme))
    title = "rank (1 is first); dotted: the middle of the lists"
    figure.update_xaxes(title_text=title, zeroline=False, rangemode="tozero")
    figure.update_yaxes(name_rows([shortened(name, NAME_CHARACTERS) for name in ranks.systems]), showgrid=False)
    legend_above(figure, ABOVE, 1.01)


def _boxes(spreads: Sequence[Spread], heights: Sequence[float], colour: str) -> go.Box:
    low, first, median, third, high = np.array([spread.ranks for spread in spreads]).T
    return go.Box(
        orientation="h", y=heights, lowerfence=low, q1=first, median=median, q3=third, upperfence=high,
        width=0.16, line={"color": colour, "width": 1.6}, showlegend=False, hoverinfo="skip",
    )  # fmt: skip


def _means(spreads: Sequence[Spread], heights: Sequence[float], colour: str, symbol: str, theme: Theme) -> go.Scatter:
    return trace(
        [spread.mean for spread in spreads], heights, hover="<b>%{customdata[0]}</b><br>%{customdata[1]}",
        name=f"{safe(spreads[0].attribute)} queries", symbol=symbol, size=10, colour=colour,
        customdata=[[safe(spread.system), _hover(spread)] for spread in spreads],
        outline={"width": 1.5, "color": theme.text},
    )  # fmt: skip


def _hover(spread: Spread) -> str:
    return (
        f"{safe(spread.attribute)} queries, {spread.count:,} documents<br>mean rank {spread.mean:.2f}, "
        + QUANTILES.format(*spread.ranks)
    )
