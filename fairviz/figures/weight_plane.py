"""Effectiveness against each fairness measure, a point a weight (figure 2 of the Backpack paper), beside a placebo."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from fairviz.figures.gender_colour import faded
from fairviz.figures.style import LIGHT, Theme, empty_figure
from fairviz.figures.weight_lines import (
    COLOUR,
    OWN,
    PAIRS,
    PLACEBO,
    REFERENCES,
    SEEDS,
    Axis,
    Lines,
    frame,
    has_values,
    interval_text,
    lines_of,
    panel_axes,
    panel_title,
    weights_of,
)

TITLE = "Effectiveness against fairness, a point a sense weight (figure 2 of the paper)"
ACROSS = 3
NAMED = (0.0, 1.0, 2.0)  # weights with a label beside their points


@dataclass(frozen=True)
class WeightPlane:
    """A panel a fairness measure, all against the same effectiveness, and the chosen weight, which has an interval."""

    up: Lines
    panels: tuple[Lines, ...]
    weights: tuple[float, ...]
    weight: float

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.weights:
            return f"{self.up.axis.name} at no weight."
        names = ", ".join(panel.axis.name for panel in self.panels)
        low, high = (f"{self.up.own.values[place]:.3f} at weight {self.weights[place]:g}" for place in (0, -1))
        return f"{self.up.axis.name} against {names}, a point a sense weight: {self.up.axis.name} is {low} and {high}."


def info(table: pd.DataFrame, up: Axis, measures: Sequence[Axis], weight: float) -> WeightPlane:
    """Return the panels of these measures against `up`, from the table of `fairviz.steer`."""
    return WeightPlane(lines_of(table, up), tuple(lines_of(table, one) for one in measures), weights_of(table), weight)


def draw(plane: WeightPlane, theme: Theme = LIGHT) -> go.Figure:
    """Draw paths over the weights, those of placebos in grey, and references as marks."""
    if not has_values([plane.up]) or not has_values(plane.panels):
        return empty_figure(TITLE, "No measure has a value.", theme)
    columns = min(ACROSS, len(plane.panels))
    rows = -(-len(plane.panels) // columns)
    figure = make_subplots(rows, columns, horizontal_spacing=0.07, vertical_spacing=0.16)
    figure.update_layout(frame(TITLE, theme, rows))
    panel_axes(figure, theme)
    legend_names: set[str] = set()
    for place, panel in enumerate(plane.panels):
        row, column = place // columns + 1, place % columns + 1
        for trace in _traces(plane, panel, theme):
            trace.update(showlegend=trace.showlegend is not False and trace.name not in legend_names)
            legend_names.add(str(trace.name))
            figure.add_trace(trace, row=row, col=column)
        figure.update_xaxes(title_text=panel_title(panel.axis), row=row, col=column)
        figure.update_yaxes(title_text=panel_title(plane.up.axis) if column == 1 else "", row=row, col=column)
    return figure


def _traces(plane: WeightPlane, panel: Lines, theme: Theme) -> list[go.Scatter]:
    up, colour, traces = plane.up, COLOUR[theme.dark], []
    for across, high in zip(panel.pairs, up.pairs, strict=True):
        traces.append(_path(across, high, PAIRS, {"color": faded(theme.muted, 0.35), "width": 1}))
    for across, high in zip(panel.seeds, up.seeds, strict=True):
        traces.append(_path(across, high, SEEDS, {"color": colour, "width": 1, "dash": "dot"}))
    if panel.placebo is not None and up.placebo is not None:
        look = {"color": theme.muted, "width": 2, "dash": "dash"}
        traces.append(_path(panel.placebo.values, up.placebo.values, PLACEBO, look))
    for name, value in panel.references.items():
        if np.isfinite(value) and np.isfinite(up.references.get(name, np.nan)):
            label, symbol, _ = REFERENCES[name]
            mark = {"symbol": symbol, "size": 10, "color": theme.text}
            traces.append(
                go.Scatter(x=[value], y=[up.references[name]], mode="markers", name=label, marker=mark,
                           hovertemplate=f"{label}<br>%{{x:.4f}}, %{{y:.4f}}<extra></extra>")
            )  # fmt: skip
    return [*traces, _own(plane, panel, colour, theme), _bounds(plane, panel, colour)]


def _path(across: Sequence[float], up: Sequence[float], name: str, line: dict) -> go.Scatter:
    return go.Scatter(x=across, y=up, mode="lines", name=name, line=line, hoverinfo="skip")


def _own(plane: WeightPlane, panel: Lines, colour: str, theme: Theme) -> go.Scatter:
    is_chosen = [weight == plane.weight for weight in plane.weights]
    has_label = [chosen or weight in NAMED for chosen, weight in zip(is_chosen, plane.weights, strict=True)]
    points = zip(plane.weights, zip(*panel.own, strict=True), zip(*plane.up.own, strict=True), strict=True)
    return go.Scatter(
        x=panel.own.values, y=plane.up.own.values, mode="lines+markers+text", name=OWN,
        line={"color": colour, "width": 2},
        marker={"color": colour, "size": [11 if chosen else 5 for chosen in is_chosen],
                "line": {"color": theme.text, "width": [2 if chosen else 0 for chosen in is_chosen]}},
        text=[f"{weight:g}" if labelled else "" for weight, labelled in zip(plane.weights, has_label, strict=True)],
        textposition="top center", textfont={"size": 10, "color": theme.text}, cliponaxis=False,
        customdata=[
            [f"{weight:g}", interval_text(panel.axis.name, *first), interval_text(plane.up.axis.name, *second)]
            for weight, first, second in points
        ],
        hovertemplate="<b>weight %{customdata[0]}</b><br>%{customdata[1]}<br>%{customdata[2]}<extra></extra>",
    )  # fmt: skip


def _bounds(plane: WeightPlane, panel: Lines, colour: str) -> go.Scatter:
    """Return the intervals of weight 1 and of the chosen weight."""
    places = [place for place, weight in enumerate(plane.weights) if weight in (1.0, plane.weight)]

    def error(lines: Lines) -> dict:
        value, low, high = (np.array(each)[places] for each in lines.own)
        ends = {"array": np.nan_to_num(high - value), "arrayminus": np.nan_to_num(value - low)}
        return {"type": "data", "symmetric": False, "thickness": 1.1, "width": 3, "color": faded(colour, 0.7), **ends}

    return go.Scatter(
        x=[panel.own.values[place] for place in places], y=[plane.up.own.values[place] for place in places],
        mode="markers", marker={"size": 1, "color": colour}, error_x=error(panel), error_y=error(plane.up),
        name="intervals", showlegend=False, hoverinfo="skip",
    )  # fmt: skip
