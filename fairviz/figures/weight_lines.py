"""Shared parts of the figures over a sense weight: each measure's lines, and their layout."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import Line, add_panel, floats, interval_text, legend_above, panels
from fairviz.figures.style import Theme, axis_title, safe

OWN, PLACEBO, PAIRS, SEEDS = "gender senses", "placebo, mean", "each placebo", "other seeds"
REFERENCES = {"bm25": ("BM25", "diamond-open", "dot"), "bi_encoder": ("MiniLM", "x-open", "dashdot")}
COLOUR = {False: "#7b3fa0", True: "#b98be0"}
NUMBERS = ("value", "ci_low", "ci_high")
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
        Line(*floats(backpack_rows[backpack_rows["model"] == models[0]], *NUMBERS)),
        Line(*floats(mean_rows, *NUMBERS)) if len(mean_rows) else None,
        tuple(tuple(part["value"].astype(float)) for _, part in pair_rows.groupby("senses", sort=False)),
        tuple(tuple(backpack_rows.loc[backpack_rows["model"] == name, "value"].astype(float)) for name in models[1:]),
        dict(zip(reference_rows["ranker"].astype("str"), reference_rows["value"].astype(float), strict=True)),
    )


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
