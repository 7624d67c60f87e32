"""Effectiveness against each fairness measure, a point a weight (figure 2 of the Backpack paper), beside a placebo."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.extensions.backpack.figures import weight_curves as shared
from fairviz.extensions.backpack.figures.weight_curves import Axis, Lines
from fairviz.figures.frame import error_bars, figure, trace
from fairviz.figures.gender_colour import faded
from fairviz.figures.style import LIGHT, Theme

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
    panels = tuple(shared.lines_of(table, measure) for measure in measures)
    return WeightPlane(shared.lines_of(table, up), panels, shared.weights_of(table), weight)


@figure(
    TITLE, empty=lambda data: "" if shared.has_values([data.up]) and shared.has_values(data.panels) else shared.NOTHING
)
def draw(figure: go.Figure, plane: WeightPlane, theme: Theme = LIGHT) -> None:
    """Draw paths over the weights, those of placebos in grey, and references as marks."""
    positions = shared.add_panels(figure, plane.panels, ACROSS, theme, lambda panel: _traces(plane, panel, theme))
    for panel, position in zip(plane.panels, positions, strict=True):
        figure.update_xaxes(title_text=shared.panel_title(panel.axis), **position)
        figure.update_yaxes(title_text=shared.panel_title(plane.up.axis) if position["col"] == 1 else "", **position)


def _traces(plane: WeightPlane, panel: Lines, theme: Theme) -> list[go.Scatter]:
    up, colour, traces = plane.up, shared.COLOUR[theme.dark], []
    for across, high in zip(panel.pairs, up.pairs, strict=True):
        traces.append(trace(across, high, "lines", name=shared.PAIRS, colour=faded(theme.muted, 0.35), width=1))
    for across, high in zip(panel.seeds, up.seeds, strict=True):
        traces.append(trace(across, high, "lines", name=shared.SEEDS, colour=colour, width=1, dash="dot"))
    if panel.placebo is not None and up.placebo is not None:
        look = {"colour": theme.muted, "width": 2, "dash": "dash"}
        traces.append(trace(panel.placebo.values, up.placebo.values, "lines", name=shared.PLACEBO, **look))
    for name, value in panel.references.items():
        if np.isfinite(value) and np.isfinite(up.references.get(name, np.nan)):
            label, symbol, _ = shared.REFERENCES[name]
            look = {"symbol": symbol, "size": 10, "colour": theme.text, "name": label}
            traces.append(trace([value], [up.references[name]], hover=f"{label}<br>%{{x:.4f}}, %{{y:.4f}}", **look))
    return [*traces, _own(plane, panel, colour, theme), _intervals(plane, panel, colour)]


def _own(plane: WeightPlane, panel: Lines, colour: str, theme: Theme) -> go.Scatter:
    """Return the line over all weights, with the chosen weight ringed."""
    is_chosen = [weight == plane.weight for weight in plane.weights]
    points = zip(plane.weights, zip(*panel.own, strict=True), zip(*plane.up.own, strict=True), strict=True)
    return trace(
        panel.own.values, plane.up.own.values, "lines+markers+text",
        "<b>weight %{customdata[0]}</b><br>%{customdata[1]}<br>%{customdata[2]}", name=shared.OWN, colour=colour,
        width=2, size=[11 if chosen else 5 for chosen in is_chosen],
        outline={"color": theme.text, "width": [2 if chosen else 0 for chosen in is_chosen]},
        text=[f"{weight:g}" if weight in (*NAMED, plane.weight) else "" for weight in plane.weights],
        textposition="top center", textfont={"size": 10, "color": theme.text}, cliponaxis=False,
        customdata=[
            [f"{weight:g}", shared.hover_text(panel.axis.name, *x), shared.hover_text(plane.up.axis.name, *y)]
            for weight, x, y in points
        ],
    )  # fmt: skip


def _intervals(plane: WeightPlane, panel: Lines, colour: str) -> go.Scatter:
    """Return the intervals of weight 1 and of the chosen weight."""
    places = [place for place, weight in enumerate(plane.weights) if weight in (1.0, plane.weight)]
    (x, x_low, x_high), (y, y_low, y_high) = (np.array(lines.own)[:, places] for lines in (panel, plane.up))
    bars = {"error_x": error_bars(x, x_low, x_high, faded(colour, 0.7), 1.1, 3)}
    bars["error_y"] = error_bars(y, y_low, y_high, faded(colour, 0.7), 1.1, 3)
    return trace(x.tolist(), y.tolist(), colour=colour, size=1, name="intervals", showlegend=False, **bars)
