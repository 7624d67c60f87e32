"""Exposure of neutral, female and male documents: a point a system in a triangle, bars where it has other corners."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import (
    LIGHT,
    SystemStyle,
    Theme,
    empty_figure,
    group_colour,
    group_pattern,
    layout,
    safe,
    shortened,
)

TITLE = "Exposure by gender of the document"
MOST_POINTS = 500  # a triangle is always SVG
CELLS = (0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True)
class Share:
    """Exposure of each group, neutral first; `queries` of a system's queries stand behind the point."""

    system: str
    shares: tuple[float, ...]
    queries: int


@dataclass(frozen=True)
class Exposures:
    """What is drawn. `cell` is 0 for a point a system, else the width of the cells in which queries are gathered."""

    groups: tuple[str, ...]
    points: tuple[Share, ...]
    cell: float = 0.0

    @property
    def note(self) -> str:
        """How queries were gathered, or nothing."""
        if not self.cell:
            return ""
        return f"Queries gathered in cells of {self.cell:g}, larger where more."

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        systems = len({point.system for point in self.points})
        return f"Shares of exposure of {', '.join(self.groups)} for {systems} systems. {self.note}".strip()


def info(exposures: pd.DataFrame) -> Exposures:
    """Points from a table (system[, query_id], a column a group, neutral first); rows without a value are left out."""
    groups = [name for name in exposures.columns if name not in ("system", "query_id")]
    known = exposures.dropna(subset=groups)
    if "query_id" not in exposures.columns:
        rows = zip(known["system"], known[groups].to_numpy(dtype=float), strict=True)
        return Exposures(tuple(groups), tuple(Share(str(name), tuple(map(float, row)), 1) for name, row in rows))
    for cell in CELLS:
        points = _gathered(known, groups, cell)
        if len(points) <= MOST_POINTS:
            break
    return Exposures(tuple(groups), points[:MOST_POINTS], cell)


def draw(exposures: Exposures, styles: Mapping[str, SystemStyle], theme: Theme = LIGHT, height: int = 300) -> go.Figure:
    """The triangle for neutral and two genders; grouped bars for any other number of groups."""
    if not exposures.points:
        return empty_figure(TITLE, "No list holds a labelled document within the cutoff.", theme, height)
    if len(exposures.groups) != 3:
        return _bars(exposures, theme, height)
    figure = go.Figure(layout=layout(TITLE, theme, height))
    for system in dict.fromkeys(point.system for point in exposures.points):
        points = [point for point in exposures.points if point.system == system]
        figure.add_trace(_triangle_trace(points, exposures.groups, styles[system]))
    least = _least([point.shares for point in exposures.points])
    corners = {
        f"{name}axis": {
            "title": {"text": safe(group), "font": {"color": group_colour(group, exposures.groups[1:], theme)}},
            "min": low,
            "gridcolor": theme.grid,
            "linecolor": theme.muted,
            "tickfont": {"size": 11, "color": theme.muted},
            "nticks": 5,
        }
        for name, group, low in zip("abc", exposures.groups, least, strict=True)
    }
    domain = {"x": [0.04, 0.98], "y": [0.0, 0.9]}
    figure.update_layout(ternary={"bgcolor": "rgba(0,0,0,0)", "domain": domain, **corners}, margin={"t": 46, "b": 44})
    return figure


def _triangle_trace(points: Sequence[Share], groups: Sequence[str], style: SystemStyle) -> go.Scatterternary:
    neutral, first, second = zip(*(point.shares for point in points), strict=True)
    names = [safe(group) for group in groups]
    most = max(point.queries for point in points)
    return go.Scatterternary(
        a=neutral,
        b=first,
        c=second,
        mode="markers",
        name=shortened(points[0].system),
        text=[safe(point.system) for point in points],
        customdata=[[point.system, point.queries] for point in points],
        marker={
            "color": style.colour,
            "symbol": style.symbol,
            "size": [11.0 if most == 1 else 4 + 10 * float(np.sqrt(point.queries / most)) for point in points],
            "opacity": 1.0 if len(points) == 1 else 0.7,
            "line": {"width": 0},
        },
        hovertemplate="<b>%{text}</b><br>"
        f"{names[0]} %{{a:.3f}}<br>{names[1]} %{{b:.3f}}<br>{names[2]} %{{c:.3f}}"
        + ("<extra></extra>" if most == 1 else "<br>queries %{customdata[1]}<extra></extra>"),
    )


def _bars(exposures: Exposures, theme: Theme, height: int) -> go.Figure:
    figure = go.Figure(layout=layout(TITLE, theme, height))
    systems = list(dict.fromkeys(point.system for point in exposures.points))
    for place, group in enumerate(exposures.groups):
        means = [
            float(np.average([p.shares[place] for p in points], weights=[p.queries for p in points]))
            for points in ([p for p in exposures.points if p.system == system] for system in systems)
        ]
        figure.add_trace(
            go.Bar(
                x=[shortened(system) for system in systems],
                y=means,
                name=shortened(group),
                marker={
                    "color": group_colour(group, exposures.groups[1:], theme),
                    "pattern": {"shape": group_pattern(group, exposures.groups[1:])},
                    "line": {"width": 0},
                },
                hovertemplate="<b>%{x}</b><br>%{fullData.name} %{y:.3f}<extra></extra>",
            )
        )
    figure.update_layout(barmode="group")
    figure.update_yaxes(title_text="share of exposure", rangemode="tozero")
    return figure


def _gathered(known: pd.DataFrame, groups: list[str], cell: float) -> tuple[Share, ...]:
    """The queries of a system whose first shares fall in one cell, as one point at their mean."""
    keys = {f"cell {name}": (known[name] / cell).round().astype(int) for name in groups[:-1]}
    cells = known[["system", *groups]].assign(**keys).groupby(["system", *keys], sort=False, observed=True)[groups]
    means, sizes = cells.mean(), cells.size()
    rows = zip(means.index, means.to_numpy(), sizes, strict=True)
    return tuple(Share(str(key[0]), tuple(map(float, row)), int(size)) for key, row, size in rows)


def _least(shares: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Where each axis begins, so that the points fill the triangle: multiples of 0.05 a little below the smallest."""
    smallest = np.min(np.asarray(shares), axis=0)
    spread = 1 - smallest.sum()
    return tuple(float(low) for low in np.maximum(0, np.floor((smallest - 0.1 * spread - 0.02) / 0.05) * 0.05).round(2))
