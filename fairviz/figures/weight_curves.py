"""Every measure over the weight of the gender senses, beside a placebo, other seeds and references."""

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
    Line,
    Lines,
    frame,
    has_values,
    interval_text,
    lines_of,
    panel_axes,
    panel_title,
    weights_of,
)

TITLE = "Each measure over the sense weight, 95 % intervals over queries"
ACROSS = 4  # panels in a row


@dataclass(frozen=True)
class WeightCurves:
    """A panel a measure, over the same weights, and the chosen weight."""

    panels: tuple[Lines, ...]
    weights: tuple[float, ...]
    weight: float

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.weights:
            return "Measures at no weight."
        current_place = self.weights.index(self.weight) if self.weight in self.weights else 0
        place_of_one = self.weights.index(1.0)
        panel_texts = [
            f"{panel.axis.name} {panel.own.values[place_of_one]:.3f} at weight 1 "
            f"and {panel.own.values[current_place]:.3f} at {self.weights[current_place]:g}"
            + (f" (placebo {panel.placebo.values[current_place]:.3f})" if panel.placebo is not None else "")
            for panel in self.panels
        ]
        weights = f"from {self.weights[0]:g} to {self.weights[-1]:g}"
        return f"Measures over the sense weight {weights}. {'; '.join(panel_texts)}."


def info(table: pd.DataFrame, measures: Sequence[Axis], weight: float) -> WeightCurves:
    """Return the panels of these measures from the table of `fairviz.steer`."""
    return WeightCurves(tuple(lines_of(table, one) for one in measures), weights_of(table), weight)


def draw(curves: WeightCurves, theme: Theme = LIGHT) -> go.Figure:
    """Draw bands for intervals and placebos, lines for means, and a dashed line at the chosen weight."""
    if not has_values(curves.panels):
        return empty_figure(TITLE, "No measure has a value.", theme)
    columns = min(ACROSS, len(curves.panels))
    rows = -(-len(curves.panels) // columns)
    figure = make_subplots(rows, columns, horizontal_spacing=0.07, vertical_spacing=0.16)
    figure.update_layout(frame(TITLE, theme, rows))
    panel_axes(figure, theme)
    legend_names: set[str] = set()
    for place, panel in enumerate(curves.panels):
        row, column = place // columns + 1, place % columns + 1
        for trace in _traces(curves, panel, theme):
            trace.update(showlegend=trace.showlegend is not False and trace.name not in legend_names)
            legend_names.add(str(trace.name))
            figure.add_trace(trace, row=row, col=column)
        figure.add_vline(curves.weight, line={"dash": "dash", "width": 1.3, "color": theme.muted}, row=row, col=column)
        figure.update_yaxes(title_text=panel_title(panel.axis), row=row, col=column)
        figure.update_xaxes(title_text="sense weight" if place >= len(curves.panels) - columns else "", row=row,
                            col=column)  # fmt: skip
    return figure


def _traces(curves: WeightCurves, panel: Lines, theme: Theme) -> list[go.Scatter]:
    weights, traces = curves.weights, []
    colour = COLOUR[theme.dark]
    traces.append(_band(weights, panel.own.low, panel.own.high, faded(colour, 0.14), "its interval"))
    if panel.pairs:
        low, high = np.min(panel.pairs, axis=0), np.max(panel.pairs, axis=0)
        traces.append(_band(weights, low, high, faded(theme.muted, 0.38), f"{PAIRS}, lowest to highest", legend=True))
    for name, value in panel.references.items():
        if np.isfinite(value):
            label, _, dash = REFERENCES[name]
            traces.append(
                go.Scatter(
                    x=[weights[0], weights[-1]], y=[value] * 2, mode="lines", name=label,
                    line={"color": theme.text, "dash": dash, "width": 1.1},
                    hovertemplate=f"{label} %{{y:.4f}}<extra></extra>",
                )
            )  # fmt: skip
    for values in panel.seeds:
        traces.append(
            go.Scatter(x=weights, y=values, mode="lines", name=SEEDS, line={"color": colour, "width": 1, "dash": "dot"},
                       hovertemplate="another seed %{y:.4f}<extra></extra>")
        )  # fmt: skip
    if panel.placebo is not None:
        traces.append(
            _own(weights, panel.placebo, PLACEBO, {"color": theme.muted, "dash": "dash", "width": 2}, "square", 4)
        )
    traces.append(_own(weights, panel.own, OWN, {"color": colour, "width": 2.6}, "circle", 5))
    return traces


def _band(
    weights: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    colour: str,
    name: str,
    *,
    legend: bool = False,
) -> go.Scatter:
    across, bottom, top = (np.asarray(each, dtype=float) for each in (weights, low, high))
    has_interval = np.isfinite(bottom) & np.isfinite(top)
    return go.Scatter(
        x=np.concatenate([across[has_interval], across[has_interval][::-1]]),
        y=np.concatenate([top[has_interval], bottom[has_interval][::-1]]),
        fill="toself", fillcolor=colour, mode="lines", line={"width": 0}, hoverinfo="skip", name=name,
        showlegend=legend and bool(has_interval.any()),
    )  # fmt: skip


def _own(weights: Sequence[float], means: Line, name: str, line: dict, symbol: str, size: int) -> go.Scatter:
    return go.Scatter(
        x=weights, y=means.values, mode="lines+markers", name=name, line=line,
        marker={"symbol": symbol, "size": size, "color": line["color"]},
        customdata=[interval_text(name, *each) for each in zip(*means, strict=True)],
        hovertemplate="weight %{x:g}<br>%{customdata}<extra></extra>",
    )  # fmt: skip
