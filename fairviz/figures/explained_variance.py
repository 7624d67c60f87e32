"""The variance of the defining pairs' differences explained by each principal component, a bar a component."""

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from fairviz.figures.frame import figure
from fairviz.figures.style import LIGHT, Theme, group_colour

TITLE = "How much of the pairs' variance gender explains"
MOST_SHARES = 10
NOTHING = "There is no gender direction."


@dataclass(frozen=True)
class Explained:
    """Data of the figure: shares of the variance, descending; the first is the gender direction's."""

    shares: tuple[float, ...]

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.shares:
            return f"{TITLE}: nothing to show."
        return f"{TITLE}: the first, gender, explains {self.shares[0]:.1%}."


def info(explained: Sequence[float]) -> Explained:
    """Return the first ten shares."""
    return Explained(tuple(float(share) for share in explained[:MOST_SHARES]))


@figure(TITLE, empty=lambda explained: "" if explained.shares else NOTHING, height=260)
def draw(figure: go.Figure, explained: Explained, theme: Theme = LIGHT) -> None:
    """Draw the bars, that of the gender direction filled, the others open."""
    places = list(range(1, len(explained.shares) + 1))
    colours = [group_colour("female", (), theme), *["rgba(0,0,0,0)"] * (len(places) - 1)]
    figure.add_trace(
        go.Bar(
            x=places,
            y=list(explained.shares),
            marker={"color": colours, "line": {"color": theme.muted, "width": 1}},
            text=[f"{share:.0%}" if share >= 0.005 else "" for share in explained.shares],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="direction %{x}: %{y:.1%}<extra></extra>",
        )
    )
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title_text="principal direction (1: gender)", tickvals=places, showgrid=False)
    top = min(1.08, explained.shares[0] + 0.1)
    figure.update_yaxes(title_text="share of variance", tickformat=".0%", range=[0, top])
