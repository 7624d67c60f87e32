"""The shape of a position bias: how much attention each rank receives, down to the cutoff."""

from dataclasses import dataclass

import plotly.graph_objects as go

from fairviz.figures.style import LIGHT, Theme, empty_figure, layout, safe
from fairviz.measures.position_bias import PositionBias

MOST_RANKS = 100


@dataclass(frozen=True)
class BiasCurve:
    """Weights of the ranks 1, 2, … down to the cutoff, divided by the first."""

    name: str
    weights: tuple[float, ...]

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        if not self.weights:
            return f"Position bias {self.name}: no rank."
        return f"Position bias {self.name}: rank {len(self.weights)} weighs {self.weights[-1]:.2f}."


def info(bias: PositionBias, cutoff: int) -> BiasCurve:
    """The weights down to the cutoff, at most a hundred ranks of them."""
    weights = bias.weights(cutoff)[:MOST_RANKS]
    return BiasCurve(bias.name, tuple(float(weight) for weight in weights))


def draw(curve: BiasCurve, theme: Theme = LIGHT, height: int = 84) -> go.Figure:
    """A small filled line with two ticks on each axis, for the sidebar."""
    if not curve.weights:
        return empty_figure(f"Position bias {safe(curve.name)}", "There is no rank.", theme, height)
    figure = go.Figure(layout=layout("", theme, height))
    ranks = list(range(1, len(curve.weights) + 1))
    colour = "#5aa9e6" if theme.dark else "#0067a5"
    figure.add_trace(
        go.Scatter(
            x=ranks,
            y=curve.weights,
            mode="lines+markers" if len(ranks) <= 20 else "lines",
            fill="tozeroy",
            line={"color": colour, "width": 2},
            marker={"color": colour, "size": 5},
            name=safe(curve.name),
            hovertemplate="rank %{x}: %{y:.3f}<extra></extra>",
        )
    )
    figure.update_layout(showlegend=False, margin={"l": 4, "r": 14, "t": 6, "b": 4})
    figure.update_xaxes(
        tickvals=[1, len(ranks)] if len(ranks) > 1 else [1], showgrid=False, ticksuffix="", title_text=""
    )
    figure.update_yaxes(tickvals=[0, 1] if max(curve.weights) <= 1 else None, nticks=3, rangemode="tozero")
    return figure
