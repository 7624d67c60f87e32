"""GSR over how many of the most gendered queries are left out: how few points carry the slope."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import LIGHT, SystemStyle, Theme, empty_figure, layout, mark, shortened

TITLE = "GSR without the most gendered queries"
X_TITLE = "most gendered queries left out"
Y_TITLE = "slope (GSR) ← less reinforcing"


@dataclass(frozen=True)
class LeaveOutCurve:
    """What is drawn: each system's slope at each number of queries left out (NaN where undefined)."""

    numbers: tuple[int, ...]
    slopes: Mapping[str, tuple[float, ...]]
    current: int

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        return f"{TITLE}: the slope of {len(self.slopes)} systems over 0 to {max(self.numbers, default=0)} left out."


def info(curves: pd.DataFrame, current: int) -> LeaveOutCurve:
    """Lines of a table (system, left_out, slope)."""
    numbers = tuple(int(number) for number in np.unique(curves["left_out"]))
    grid = curves.pivot(index="system", columns="left_out", values="slope")
    systems = list(dict.fromkeys(curves["system"]))
    rows = {str(name): tuple(map(float, grid.loc[name, list(numbers)])) for name in systems}
    return LeaveOutCurve(numbers, rows, current)


def draw(curve: LeaveOutCurve, styles: Mapping[str, SystemStyle], theme: Theme = LIGHT, height: int = 260) -> go.Figure:
    """A line a system; the slider's number is marked."""
    if not curve.numbers or not np.isfinite([v for row in curve.slopes.values() for v in row]).any():
        return empty_figure(TITLE, "No system has a slope.", theme, height)
    figure = go.Figure(layout=layout(TITLE, theme, height))
    for system, slopes in curve.slopes.items():
        style = styles[system]
        figure.add_trace(
            go.Scatter(
                x=curve.numbers,
                y=slopes,
                mode="lines+markers",
                name=shortened(system),
                line={"color": style.colour, "dash": style.dash, "width": 2},
                marker={"symbol": style.symbol, "size": 6},
                customdata=[[system]] * len(slopes),
                hovertemplate="%{x} left out: %{y:.3f}",
            )
        )
    mark(figure, curve.current, f"{curve.current} left out", theme)
    figure.update_xaxes(title_text=X_TITLE, zeroline=False)
    figure.update_yaxes(title_text=Y_TITLE)
    return figure
