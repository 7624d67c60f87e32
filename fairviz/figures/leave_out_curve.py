"""GSR over the number of most gendered queries left out, with its 95 % interval."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.axes import Ends, note_beyond, setters, span
from fairviz.figures.gender_colour import faded
from fairviz.figures.style import (
    LIGHT,
    SystemStyle,
    Theme,
    empty_figure,
    layout,
    legend_name,
    line,
    mark,
    marker,
    references_last,
    safe,
)

TITLE = "GSR without the most gendered queries, 95 % bands"
NO_SLOPE = "No system has a slope."
X_TITLE = "most gendered queries left out"
Y_TITLE = "slope (GSR) ← less reinforcing"
BAND, CHOSEN_BAND = 0.10, 0.28  # opacity


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
    columns = {}
    for column in ("slope", "ci_low", "ci_high"):
        grid = curves.pivot(index="system", columns="left_out", values=column)
        columns[column] = {name: tuple(map(float, grid.loc[name, list(numbers)])) for name in systems}
    bounds = {name: (columns["ci_low"][name], columns["ci_high"][name]) for name in systems}
    setter_names = setters(systems)
    up = span(
        value
        for values_by_system in columns.values()
        for name in systems
        if name in setter_names
        for value in values_by_system[name]
    )
    return LeaveOutCurve(numbers, columns["slope"], bounds, current, up, selected)


def draw(curve: LeaveOutCurve, styles: Mapping[str, SystemStyle], theme: Theme = LIGHT, height: int = 260) -> go.Figure:
    """Draw a line a system with its band, and a mark at the current number."""
    if not curve.numbers or not np.isfinite([v for row in curve.slopes.values() for v in row]).any():
        return empty_figure(TITLE, NO_SLOPE, theme, height)
    figure = go.Figure(layout=layout(TITLE, theme, height))
    for system in curve.slopes:
        for trace in _traces(curve, system, styles[system], theme):
            figure.add_trace(trace)
    mark(figure, curve.current, f"{curve.current} left out", theme)
    figure.update_xaxes(title_text=X_TITLE, zeroline=False)
    figure.update_yaxes(title_text=Y_TITLE, range=curve.up)
    place = curve.numbers.index(curve.current) if curve.current in curve.numbers else 0
    note_beyond(figure, {name: slopes[place] for name, slopes in curve.slopes.items()}, curve.up, theme)
    return figure


def _traces(curve: LeaveOutCurve, system: str, style: SystemStyle, theme: Theme) -> list[go.Scatter]:
    """Return the traces of the band, if there is one, and of the line in front of it."""
    is_selected, slopes = system == curve.selected, curve.slopes[system]
    low, high = (np.array(interval_texts) for interval_texts in curve.bounds[system])
    has_interval = np.isfinite(low) & np.isfinite(high)
    traces = []
    if has_interval.any():
        across = np.array(curve.numbers)[has_interval].tolist()
        traces.append(
            go.Scatter(
                x=across + across[::-1],
                y=high[has_interval].tolist() + low[has_interval].tolist()[::-1],
                mode="lines",
                line={"width": 0},
                fill="toself",
                fillcolor=faded(style.colour, CHOSEN_BAND if is_selected else BAND),
                hoverinfo="skip",
                showlegend=False,
                legendgroup=system,
            )
        )
    interval_texts = [
        f" ({start:.3f} to {end:.3f})" if is_finite else ""
        for start, end, is_finite in zip(low, high, has_interval, strict=True)
    ]
    traces.append(
        go.Scatter(
            x=curve.numbers,
            y=slopes,
            mode="lines+markers",
            name=legend_name(system, curve.selected),
            legendgroup=system,
            line=line(style, chosen=is_selected),
            marker=marker(style, theme, 6, chosen=is_selected),
            customdata=[[system, interval] for interval in interval_texts],
            text=[safe(system)] * len(slopes),
            hovertemplate="<b>%{text}</b><br>%{x} left out: %{y:.3f}%{customdata[1]}<extra></extra>",
        )
    )
    return traces
