"""GSR over the number of most gendered queries left out, with its 95 % interval."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.axes import Ends, note_beyond, setters, span
from fairviz.figures.frame import figure, floats, system_line
from fairviz.figures.style import LIGHT, Styles, Theme, mark, references_last

TITLE = "GSR without the most gendered queries, 95 % bands"
NO_SLOPE = "No system has a slope."
X_TITLE = "most gendered queries left out"
Y_TITLE = "slope (GSR) ← less reinforcing"


@dataclass(frozen=True)
class LeaveOutCurve:
    """Data of the figure: each system's slope at each number of queries left out (NaN where undefined), references
    last.

    bounds: each system's lower and upper ends, at each number. up: the ends of the y axis, not set by references.
    """

    numbers: tuple[int, ...]
    slopes: Mapping[str, tuple[float, ...]]
    bounds: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]
    current: int
    up: Ends
    selected: str = ""

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        return f"{TITLE}: the slope of {len(self.slopes)} systems over 0 to {max(self.numbers, default=0)} left out."


def info(curves: pd.DataFrame, current: int, selected: str = "") -> LeaveOutCurve:
    """Return the lines and bands from a table (system, left_out, slope, ci_low, ci_high)."""
    numbers = tuple(int(number) for number in np.unique(curves["left_out"]))
    systems = references_last(str(name) for name in curves["system"])
    slopes, bounds = {}, {}
    for name in systems:
        rows = curves[curves["system"] == name].set_index("left_out").reindex(list(numbers))
        slopes[name], *ends = floats(rows, "slope", "ci_low", "ci_high")
        bounds[name] = tuple(ends)
    up = span(value for name in setters(systems) for values in (slopes[name], *bounds[name]) for value in values)
    return LeaveOutCurve(numbers, slopes, bounds, current, up, selected)


@figure(TITLE, empty=lambda data: "" if np.isfinite(list(data.slopes.values())).any() else NO_SLOPE)
def draw(figure: go.Figure, curve: LeaveOutCurve, styles: Styles, theme: Theme = LIGHT, height: int = 260) -> None:
    """Draw a line a system with its band, and a mark at the current number."""
    for system, slopes in curve.slopes.items():
        figure.add_traces(
            system_line(
                system, curve.numbers, (slopes, *curve.bounds[system]), styles[system], theme, selected=curve.selected,
                mode="lines+markers", size=6, decimals=3, hover="%{x} left out: %{y:.3f}",
            )
        )  # fmt: skip
    mark(figure, curve.current, f"{curve.current} left out", theme)
    figure.update_xaxes(title_text=X_TITLE, zeroline=False)
    figure.update_yaxes(title_text=Y_TITLE, range=curve.up)
    place = curve.numbers.index(curve.current) if curve.current in curve.numbers else 0
    note_beyond(figure, {name: slopes[place] for name, slopes in curve.slopes.items()}, curve.up, theme)
