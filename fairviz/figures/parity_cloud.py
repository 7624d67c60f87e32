"""GSR against the share of stereotypical documents, a point a solution of the toy set (figure 5 of the GSR paper)."""

import math
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.gender_colour import faded
from fairviz.figures.style import LIGHT, Theme, empty_figure, layout, marker_class, system_styles

TITLE = "GSR and statistical parity, each point an answer to the toy set"
X_TITLE = "share of stereotypical documents (half: statistical parity)"
Y_TITLE = "slope (GSR) ← less reinforcing"
HALF = 0.5
NOTHING = "These vectors lack the words of the toy set."


@dataclass(frozen=True)
class ParityCloud:
    """What is drawn: the share of stereotypical documents and GSR of each solution of a sample; r over all of them."""

    points: tuple[tuple[float, float], ...]
    r: float
    solutions: int

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        told = "undefined" if math.isnan(self.r) else f"{self.r:.2f}"
        return f"{TITLE}: {len(self.points):,} of {self.solutions:,}. Pearson's r over all of them: {told}."


def info(sample: pd.DataFrame, r: float, solutions: int) -> ParityCloud:
    """Points of a table (gsr, stereotypical)."""
    columns = zip(sample["stereotypical"], sample["gsr"], strict=True)
    return ParityCloud(tuple((float(share), float(slope)) for share, slope in columns), r, solutions)


def draw(cloud: ParityCloud, theme: Theme = LIGHT, height: int = 340) -> go.Figure:
    """A faint marker a solution; a dotted line at equal shares, the axis' own line at GSR 0."""
    if not cloud.points:
        return empty_figure(TITLE, NOTHING, theme, height)
    figure = go.Figure(layout=layout(TITLE, theme, height))
    figure.add_trace(
        marker_class(len(cloud.points))(
            x=[share for share, _ in cloud.points],
            y=[slope for _, slope in cloud.points],
            mode="markers",
            marker={"color": faded(system_styles(("",), theme)[""].colour, 0.35), "size": 5},
            hovertemplate="%{x:.0%} stereotypical, GSR %{y:.3f}<extra></extra>",
        )
    )
    figure.add_vline(HALF, line={"dash": "dot", "width": 1.2, "color": theme.muted})
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title_text=X_TITLE, tickformat=".0%", zeroline=False)
    figure.update_yaxes(title_text=Y_TITLE)
    return figure
