"""GSR against the share of stereotypical documents, a point a solution of the toy set (figure 5 of the GSR paper)."""

import math
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import dotted_line, figure, trace
from fairviz.figures.gender_colour import faded
from fairviz.figures.style import LIGHT, Theme, system_styles

TITLE = "GSR and statistical parity, each point an answer to the toy set"
X_TITLE = "share of stereotypical documents (half: statistical parity)"
Y_TITLE = "slope (GSR) ← less reinforcing"
HALF = 0.5
NOTHING = "These vectors lack the words of the toy set."


@dataclass(frozen=True)
class ParityCloud:
    """Data of the figure: the share of stereotypical documents and GSR of each solution of a sample; r over all of
    them."""

    points: tuple[tuple[float, float], ...]
    r: float
    solutions: int

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        r_text = "undefined" if math.isnan(self.r) else f"{self.r:.2f}"
        return f"{TITLE}: {len(self.points):,} of {self.solutions:,}. Pearson's r over all of them: {r_text}."


def info(sample: pd.DataFrame, r: float, solutions: int) -> ParityCloud:
    """Return the points of a table (gsr, stereotypical)."""
    columns = zip(sample["stereotypical"], sample["gsr"], strict=True)
    return ParityCloud(tuple((float(share), float(slope)) for share, slope in columns), r, solutions)


@figure(TITLE, empty=lambda data: "" if data.points else NOTHING, height=340)
def draw(figure: go.Figure, cloud: ParityCloud, theme: Theme = LIGHT) -> None:
    """Draw a faint marker a solution, and a dotted line at equal shares; the axis has its own line at GSR 0."""
    look = {"colour": faded(system_styles(("",), theme)[""].colour, 0.35), "size": 5, "many": len(cloud.points)}
    shares, slopes = zip(*cloud.points, strict=True)
    figure.add_trace(trace(shares, slopes, hover="%{x:.0%} stereotypical, GSR %{y:.3f}", **look))
    figure.add_vline(HALF, line=dotted_line(theme))
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title_text=X_TITLE, tickformat=".0%", zeroline=False)
    figure.update_yaxes(title_text=Y_TITLE)
