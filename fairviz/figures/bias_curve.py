"""The shape of a position bias: the attention of each rank down to the cutoff."""

from dataclasses import dataclass

import plotly.graph_objects as go

from fairviz.figures.axes import Ends
from fairviz.figures.frame import figure
from fairviz.figures.style import LIGHT, Theme, safe
from fairviz.measures.position_bias import PositionBias

MOST_RANKS, MOST_MARKED = 100, 20
BLUE, DARK_BLUE = "#0067a5", "#5aa9e6"
MARKER = 5


@dataclass(frozen=True)
class BiasCurve:
    """Weights of the ranks 1, 2, … down to the cutoff, divided by the first."""

    name: str
    weights: tuple[float, ...]

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.weights:
            return f"Position bias {self.name}: no rank."
        return f"Position bias {self.name}: rank {len(self.weights)} weighs {self.weights[-1]:.2f}."


def info(bias: PositionBias, cutoff: int) -> BiasCurve:
    """Return the weights down to the cutoff, of MOST_RANKS ranks at most."""
    return BiasCurve(bias.name, tuple(float(weight) for weight in bias.weights(cutoff)[:MOST_RANKS]))


@figure(
    lambda curve: "" if curve.weights else f"Position bias {safe(curve.name)}",
    empty=lambda curve: "" if curve.weights else "There is no rank.",
)
def draw(figure: go.Figure, curve: BiasCurve, theme: Theme = LIGHT, height: int = 84) -> None:
    """Draw a small filled line with two ticks on each axis, for the sidebar."""
    ranks = list(range(1, len(curve.weights) + 1))
    colour = DARK_BLUE if theme.dark else BLUE
    figure.add_trace(
        go.Scatter(
            x=ranks,
            y=curve.weights,
            mode="lines+markers" if len(ranks) <= MOST_MARKED else "lines",
            fill="tozeroy",
            line={"color": colour, "width": 2},
            marker={"color": colour, "size": MARKER},
            name=safe(curve.name),
            hovertemplate="rank %{x}: %{y:.3f}<extra></extra>",
        )
    )
    figure.update_layout(showlegend=False, margin={"l": 4, "r": 14, "t": 6, "b": 4})
    figure.update_xaxes(tickvals=[1, len(ranks)] if len(ranks) > 1 else [1], showgrid=False, range=x_axis(curve))
    figure.update_yaxes(tickvals=[0, 1] if max(curve.weights) <= 1 else None, nticks=3, range=up(curve))


def x_axis(curve: BiasCurve) -> Ends:
    """Return the ends of the axis of ranks, with room for the markers of a short list."""
    last = len(curve.weights)
    room = 0.03 * (last - 1) if last <= MOST_MARKED else 0.0
    return (1 - room, last + room) if last > 1 else (0.5, 1.5)


def up(curve: BiasCurve) -> Ends:
    """Return the ends of the axis of weights, from 0."""
    return 0.0, 1.06 * max(1.0, *curve.weights)
