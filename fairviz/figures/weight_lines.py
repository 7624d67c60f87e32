"""What the figures over a weight of senses share: each measure's lines, and how they are drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import Theme, axis, axis_title, layout, safe

OWN, PLACEBO, PAIRS, SEEDS = "gender senses", "placebo, mean", "each placebo", "other seeds"
REFERENCES = {"bm25": ("BM25", "diamond-open", "dot"), "bi_encoder": ("MiniLM", "x-open", "dashdot")}
COLOUR = {False: "#7b3fa0", True: "#b98be0"}
ABOVE, PANEL = 78, 178  # pixels: title with legend, and a row of panels


class Axis(NamedTuple):
    """A measure: its name, its canonical text in the table, and where its better end lies."""

    name: str
    text: str
    direction: str


class Line(NamedTuple):
    """A mean at each weight with its 95 % interval."""

    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class Lines:
    """One measure's lines over the weights: the gender senses', the mean placebo's (None without one), each placebo's,
    those of models of other seeds, and the references' values."""

    axis: Axis
    own: Line
    placebo: Line | None
    pairs: tuple[tuple[float, ...], ...]
    seeds: tuple[tuple[float, ...], ...]
    references: Mapping[str, float]


def lines_of(table: pd.DataFrame, measure: Axis) -> Lines:
    """The lines of a measure from the table of `fairviz.steer`."""
    rows = table[table["measure"] == measure.text]
    own = rows[rows["ranker"] == "backpack"]
    models = [str(name) for name in dict.fromkeys(own["model"])] or [""]
    placebo = rows[(rows["ranker"] == "placebo") & (rows["model"] == models[0])]
    mean = placebo[placebo["senses"] == "mean"]
    pairs = placebo[placebo["senses"] != "mean"]
    known = rows[rows["weight"].isna()]
    return Lines(
        measure,
        _line(own[own["model"] == models[0]]),
        _line(mean) if len(mean) else None,
        tuple(tuple(part["value"].astype(float)) for _, part in pairs.groupby("senses", sort=False)),
        tuple(tuple(own.loc[own["model"] == name, "value"].astype(float)) for name in models[1:]),
        {str(name): float(value) for name, value in zip(known["ranker"], known["value"], strict=True)},
    )


def _line(rows: pd.DataFrame) -> Line:
    return Line(*(tuple(rows[name].astype(float)) for name in ("value", "ci_low", "ci_high")))


def weights_of(table: pd.DataFrame) -> tuple[float, ...]:
    """The weights, ascending."""
    return tuple(sorted(set(table["weight"].dropna().astype(float))))


def has_values(lines: Sequence[Lines]) -> bool:
    """Whether anything can be drawn."""
    return any(np.isfinite(one.own.values).any() for one in lines)


def frame(title: str, theme: Theme, rows: int) -> go.Layout:
    """The frame of a figure of several panels, with its legend beneath the title."""
    made = layout(title, theme, ABOVE + 30 + rows * PANEL)
    made.update(
        margin={"l": 8, "r": 8, "t": ABOVE, "b": 8},
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom", "font": {"size": 11}},
    )
    made.legend.update(yref="container", y=1 - 34 / float(made.height), yanchor="top")
    return made


def panel_axes(figure: go.Figure, theme: Theme) -> None:
    """Axes of all panels as everywhere, in smaller print."""
    small = {
        "title": {"font": {"size": 11}, "standoff": 3},
        "tickfont": {"size": 10, "color": theme.muted},
        "nticks": 6,
    }
    figure.update_xaxes(axis(theme) | small | {"zeroline": False})
    figure.update_yaxes(axis(theme) | small | {"zeroline": False})


def panel_title(measure: Axis) -> str:
    """The measure with where to look."""
    return axis_title(measure.name, measure.direction, "better" if measure.name == "nDCG" else "fairer")


def told(name: str, value: float, low: float, high: float) -> str:
    """A value with its interval, for a hover."""
    within = f" ({low:.4f} to {high:.4f})" if np.isfinite(low) and np.isfinite(high) else ""
    return f"{safe(name)} {value:.4f}{within}" if np.isfinite(value) else f"{safe(name)} undefined"
