"""Every measure over the weight of the gender senses, beside a placebo, other seeds and references; and the lines of
measures for the other figures over this weight."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import Line, add_panel, area, figure, floats, interval_text, legend_above, panels, trace
from fairviz.figures.gender_colour import faded
from fairviz.figures.style import LIGHT, Theme, axis_title, safe

TITLE = "Each measure over the sense weight, 95 % intervals over queries"
ACROSS = 4  # panels in a row
NOTHING = "No measure has a value."
OWN, PLACEBO, PAIRS, SEEDS = "gender senses", "placebo, mean", "each placebo", "other seeds"
REFERENCES = {"bm25": ("BM25", "diamond-open", "dot"), "bi_encoder": ("MiniLM", "x-open", "dashdot")}
COLOUR = {False: "#7b3fa0", True: "#b98be0"}
ABOVE, PANEL = 78, 178  # pixels: title with legend, and a row of panels


class Axis(NamedTuple):
    """A measure: its name, its canonical text in the table, and its better direction."""

    name: str
    text: str
    direction: str


@dataclass(frozen=True)
class Lines:
    """One measure's lines over the weights: of the gender senses, the mean placebo (None without one), each placebo,
    and models of other seeds; and the values of the references."""

    axis: Axis
    own: Line
    placebo: Line | None
    pairs: tuple[tuple[float, ...], ...]
    seeds: tuple[tuple[float, ...], ...]
    references: Mapping[str, float]


def lines_of(table: pd.DataFrame, measure: Axis) -> Lines:
    """Return the lines of a measure from the table of `fairviz.steer`."""
    rows = table[table["measure"] == measure.text]
    backpack_rows = rows[rows["ranker"] == "backpack"]
    models = [str(name) for name in dict.fromkeys(backpack_rows["model"])] or [""]
    placebo_rows = rows[(rows["ranker"] == "placebo") & (rows["model"] == models[0])]
    mean_rows = placebo_rows[placebo_rows["senses"] == "mean"]
    pair_rows = placebo_rows[placebo_rows["senses"] != "mean"]
    reference_rows = rows[rows["weight"].isna()]
    return Lines(
        measure,
        _line(backpack_rows[backpack_rows["model"] == models[0]]),
        _line(mean_rows) if len(mean_rows) else None,
        tuple(tuple(part["value"].astype(float)) for _, part in pair_rows.groupby("senses", sort=False)),
        tuple(tuple(backpack_rows.loc[backpack_rows["model"] == name, "value"].astype(float)) for name in models[1:]),
        dict(zip(reference_rows["ranker"].astype("str"), reference_rows["value"].astype(float), strict=True)),
    )


def _line(rows: pd.DataFrame) -> Line:
    """Return the values of the rows with their intervals."""
    return Line(*floats(rows, "value", "ci_low", "ci_high"))


def weights_of(table: pd.DataFrame) -> tuple[float, ...]:
    """Return the weights, ascending."""
    return tuple(sorted(set(table["weight"].dropna().astype(float))))


def has_values(lines: Sequence[Lines]) -> bool:
    """Return whether any line has a finite value."""
    return any(np.isfinite(measure.own.values).any() for measure in lines)


def add_panels(
    figure: go.Figure, lines: Sequence[Lines], columns: int, theme: Theme, traces_of: Callable[[Lines], Sequence]
) -> list[dict[str, int]]:
    """Add a panel for each measure in at most this number of columns, with the legend below the title, and return their
    positions. traces_of: the traces of a measure."""
    spacing = {"horizontal_spacing": 0.07, "vertical_spacing": 0.16}
    positions = panels(figure, len(lines), min(columns, len(lines)), theme, **spacing)
    height = ABOVE + 30 + positions[-1]["row"] * PANEL
    legend_above(figure, ABOVE)
    figure.update_layout(height=height, legend={"yref": "container", "y": 1 - 34 / height, "yanchor": "top"})
    small = {
        "title": {"font": {"size": 11}, "standoff": 3},
        "tickfont": {"size": 10, "color": theme.muted},
        "nticks": 6,
        "zeroline": False,
    }
    figure.update_xaxes(small)
    figure.update_yaxes(small)
    legend_names: set[str] = set()
    for measure, position in zip(lines, positions, strict=True):
        add_panel(figure, traces_of(measure), position, legend_names)
    return positions


def panel_title(measure: Axis) -> str:
    """Return the measure with its better direction."""
    return axis_title(measure.name, measure.direction, "better" if measure.name == "nDCG" else "fairer")


def hover_text(name: str, value: float, low: float, high: float) -> str:
    """Return a value with its interval, for a hover."""
    text = f"{value:.4f}{interval_text(low, high, 4)}" if np.isfinite(value) else "undefined"
    return f"{safe(name)} {text}"


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
    return WeightCurves(tuple(lines_of(table, measure) for measure in measures), weights_of(table), weight)


@figure(TITLE, empty=lambda data: "" if has_values(data.panels) else NOTHING)
def draw(figure: go.Figure, curves: WeightCurves, theme: Theme = LIGHT) -> None:
    """Draw bands for intervals and placebos, lines for means, and a dashed line at the chosen weight."""
    positions = add_panels(figure, curves.panels, ACROSS, theme, lambda panel: _traces(curves, panel, theme))
    chosen_line = {"dash": "dash", "width": 1.3, "color": theme.muted}
    for place, (panel, position) in enumerate(zip(curves.panels, positions, strict=True)):
        figure.add_vline(curves.weight, line=chosen_line, **position)
        figure.update_yaxes(title_text=panel_title(panel.axis), **position)
        is_lowest = place >= len(curves.panels) - min(ACROSS, len(curves.panels))
        figure.update_xaxes(title_text="sense weight" if is_lowest else "", **position)


def _traces(curves: WeightCurves, panel: Lines, theme: Theme) -> list[go.Scatter]:
    weights, colour = curves.weights, COLOUR[theme.dark]
    look = {"name": "its interval", "showlegend": False}
    traces = [area(weights, panel.own.low, panel.own.high, faded(colour, 0.14), **look)]
    if panel.pairs:
        low, high = np.min(panel.pairs, axis=0), np.max(panel.pairs, axis=0)
        is_finite = bool(np.isfinite([low, high]).all(axis=0).any())
        name = f"{PAIRS}, lowest to highest"
        traces.append(area(weights, low, high, faded(theme.muted, 0.38), name=name, showlegend=is_finite))
    for name, value in panel.references.items():
        if np.isfinite(value):
            label, _, dash = REFERENCES[name]
            line = {"colour": theme.text, "dash": dash, "width": 1.1, "name": label}
            traces.append(trace([weights[0], weights[-1]], [value] * 2, "lines", f"{label} %{{y:.4f}}", **line))
    for values in panel.seeds:
        line = {"colour": colour, "width": 1, "dash": "dot", "name": SEEDS}
        traces.append(trace(weights, values, "lines", "another seed %{y:.4f}", **line))
    if panel.placebo is not None:
        grey = {"color": theme.muted, "dash": "dash", "width": 2}
        traces.append(_means(weights, panel.placebo, PLACEBO, grey, "square", 4))
    traces.append(_means(weights, panel.own, OWN, {"color": colour, "width": 2.6}, "circle", 5))
    return traces


def _means(weights: Sequence[float], means: Line, name: str, line: dict, symbol: str, size: int) -> go.Scatter:
    """Return a line with a marker at each weight, and the interval in the hover."""
    return go.Scatter(
        x=weights,
        y=means.values,
        mode="lines+markers",
        name=name,
        line=line,
        marker={"symbol": symbol, "size": size, "color": line["color"]},
        customdata=[hover_text(name, *numbers) for numbers in zip(*means, strict=True)],
        hovertemplate="weight %{x:g}<br>%{customdata}<extra></extra>",
    )
