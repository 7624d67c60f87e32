"""Every measure over the weight of the gender senses, beside a placebo, other seeds and references."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures import weight_lines as shared
from fairviz.figures.frame import area, figure, trace
from fairviz.figures.gender_colour import faded
from fairviz.figures.style import LIGHT, Theme
from fairviz.figures.weight_lines import Axis, Lines

TITLE = "Each measure over the sense weight, 95 % intervals over queries"
ACROSS = 4  # panels in a row
NOTHING = "No measure has a value."


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
    return WeightCurves(
        tuple(shared.lines_of(table, measure) for measure in measures), shared.weights_of(table), weight
    )


@figure(TITLE, empty=lambda data: "" if shared.has_values(data.panels) else NOTHING)
def draw(figure: go.Figure, curves: WeightCurves, theme: Theme = LIGHT) -> None:
    """Draw bands for intervals and placebos, lines for means, and a dashed line at the chosen weight."""
    positions = shared.add_panels(figure, curves.panels, ACROSS, theme, lambda panel: _traces(curves, panel, theme))
    chosen_line = {"dash": "dash", "width": 1.3, "color": theme.muted}
    for place, (panel, position) in enumerate(zip(curves.panels, positions, strict=True)):
        figure.add_vline(curves.weight, line=chosen_line, **position)
        figure.update_yaxes(title_text=shared.panel_title(panel.axis), **position)
        is_lowest = place >= len(curves.panels) - min(ACROSS, len(curves.panels))
        figure.update_xaxes(title_text="sense weight" if is_lowest else "", **position)


def _traces(curves: WeightCurves, panel: Lines, theme: Theme) -> list[go.Scatter]:
    weights, colour = curves.weights, shared.COLOUR[theme.dark]
    look = {"name": "its interval", "showlegend": False}
    traces = [area(weights, panel.own.low, panel.own.high, faded(colour, 0.14), **look)]
    if panel.pairs:
        low, high = np.min(panel.pairs, axis=0), np.max(panel.pairs, axis=0)
        is_finite = bool(np.isfinite([low, high]).all(axis=0).any())
        name = f"{shared.PAIRS}, lowest to highest"
        traces.append(area(weights, low, high, faded(theme.muted, 0.38), name=name, showlegend=is_finite))
    for name, value in panel.references.items():
        if np.isfinite(value):
            label, _, dash = shared.REFERENCES[name]
            line = {"colour": theme.text, "dash": dash, "width": 1.1, "name": label}
            traces.append(trace([weights[0], weights[-1]], [value] * 2, "lines", f"{label} %{{y:.4f}}", **line))
    for values in panel.seeds:
        line = {"colour": colour, "width": 1, "dash": "dot", "name": shared.SEEDS}
        traces.append(trace(weights, values, "lines", "another seed %{y:.4f}", **line))
    grey = {"colour": theme.muted, "dash": "dash", "width": 2, "symbol": "square", "size": 4}
    strong = {"colour": colour, "width": 2.6, "symbol": "circle", "size": 5}
    for means, name, line in ((panel.placebo, shared.PLACEBO, grey), (panel.own, shared.OWN, strong)):
        if means is not None:
            texts = [shared.hover_text(name, *numbers) for numbers in zip(*means, strict=True)]
            hover = "weight %{x:g}<br>%{customdata}"
            traces.append(trace(weights, means.values, "lines+markers", hover, name=name, customdata=texts, **line))
    return traces
