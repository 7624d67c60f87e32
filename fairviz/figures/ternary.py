"""Exposure of neutral, female and male documents: a point a system in a triangle; bars for other numbers of groups."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.axes import setters
from fairviz.figures.frame import figure
from fairviz.figures.style import (
    LIGHT,
    Styles,
    SystemStyle,
    Theme,
    group_colour,
    group_pattern,
    legend_name,
    marker,
    references_last,
    safe,
    shortened,
)
from fairviz.study.record import is_reference
from fairviz.words.sentences import decimal

TITLE = "Exposure by gender of the document"
NOTHING = "No list holds a labelled document within the cutoff."
MOST_POINTS = 500  # a triangle is always SVG
CELLS = (0.05, 0.1, 0.2, 0.5)


@dataclass(frozen=True)
class Share:
    """Exposure of each group, neutral first. queries: the number of queries in the point; query: the first of them,
    empty for a point of all queries."""

    system: str
    shares: tuple[float, ...]
    queries: int
    query: str = ""


@dataclass(frozen=True)
class Exposures:
    """Data of the figure, references last.

    cell: 0 for a point a system, else the width of the cells by which queries are grouped; ringed: then the points of
    the selected query.
    """

    groups: tuple[str, ...]
    points: tuple[Share, ...]
    cell: float = 0.0
    selected: str = ""
    ringed: tuple[Share, ...] = ()

    @property
    def note(self) -> str:
        """Note on the grouping of queries; empty without one."""
        if not self.cell:
            return ""
        text = f"Queries gathered in cells of {self.cell:g}, larger where more."
        return f"{text} Ringed: the selected query." if self.ringed else text

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        systems = len({point.system for point in self.points})
        return f"Shares of exposure of {', '.join(self.groups)} for {systems} systems. {self.note}".strip()


def info(exposures: pd.DataFrame, selected: str = "", query: str = "") -> Exposures:
    """Return the points from a table (system[, query_id], a column a group, neutral first), without undefined rows.

    selected, query: the selected system and query.
    """
    groups = [name for name in exposures.columns if name not in ("system", "query_id")]
    defined = exposures.dropna(subset=groups)
    defined = defined.sort_values("system", key=lambda names: names.map(is_reference).astype(bool), kind="stable")
    if "query_id" not in exposures.columns:
        return Exposures(tuple(groups), _shares(defined, groups), selected=selected)
    for cell in CELLS:
        points = _grouped_by_cell(defined, groups, cell)
        if len(points) <= MOST_POINTS:
            break
    ringed = _shares(defined[defined["query_id"] == query], groups) if query else ()
    return Exposures(tuple(groups), points[:MOST_POINTS], cell, selected, ringed)


def _shares(rows: pd.DataFrame, groups: list[str]) -> tuple[Share, ...]:
    """Return a point for each row."""
    queries = rows["query_id"] if "query_id" in rows else [""] * len(rows)
    columns = zip(rows["system"], rows[groups].to_numpy(dtype=float), queries, strict=True)
    return tuple(Share(str(name), tuple(map(float, row)), 1, str(query)) for name, row, query in columns)


def _grouped_by_cell(rows: pd.DataFrame, groups: list[str], cell: float) -> tuple[Share, ...]:
    """Return a point at the mean of the queries of each system whose first shares are in the same cell."""
    keys = {f"cell {name}": (rows[name] / cell).round().astype(int) for name in groups[:-1]}
    cells = rows.assign(**keys).groupby(["system", *keys], sort=False, observed=True)
    means, sizes, first = cells[groups].mean(), cells.size(), cells["query_id"].first()
    return tuple(
        Share(str(key[0]), tuple(map(float, row)), int(size), str(first_query))
        for key, row, size, first_query in zip(means.index, means.to_numpy(), sizes, first, strict=True)
    )


@figure(TITLE, empty=lambda data: "" if data.points else NOTHING)
def draw(figure: go.Figure, exposures: Exposures, styles: Styles, theme: Theme = LIGHT, height: int = 300) -> None:
    """Draw the triangle for neutral and two genders, or grouped bars for another number of groups."""
    systems = references_last(point.system for point in exposures.points)
    if len(exposures.groups) != 3:
        _bars(figure, exposures, systems, theme)
        return
    setter_names = setters(systems)
    starts = _axis_starts([point.shares for point in exposures.points if point.system in setter_names])
    for system in systems:
        points = [point for point in exposures.points if point.system == system]
        figure.add_trace(_triangle_trace(points, exposures, styles[system], theme, starts))
    if exposures.ringed:
        figure.add_trace(_ringed(exposures, styles, theme))
    domain = {"x": [0.14, 0.86], "y": [0.0, 1.0]}  # titles of the corners stay inside a figure of 320 pixels
    triangle = {"bgcolor": "rgba(0,0,0,0)", "domain": domain, **_corners(exposures.groups, starts, theme)}
    figure.update_layout(ternary=triangle, margin={"t": 62, "b": 34})
    figure.update_layout(legend={"x": 1.0, "xanchor": "right", "y": 1.0})  # in the free corner of the card


def _axis_starts(shares: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return the start of each axis: a multiple of 0.05 below the smallest share, so that the points fill the
    triangle."""
    smallest = np.min(np.asarray(shares), axis=0)
    starts = np.maximum(0, np.floor((smallest - 0.1 * (1 - smallest.sum()) - 0.02) / 0.05) * 0.05).round(2)
    return tuple(map(float, starts))


def _corners(groups: Sequence[str], axis_starts: Sequence[float], theme: Theme) -> dict[str, dict]:
    """Return the axes, each with its group at its corner, and the group's share there where the triangle is cropped."""
    corners: dict[str, dict] = {}
    for name, group, low in zip("abc", groups, axis_starts, strict=True):
        at_corner = 1 - sum(axis_starts) + low
        text = safe(group) if at_corner > 1 - 1e-9 else f"{safe(group)} {100 * at_corner:.0f} %"
        font = {"color": group_colour(group, groups[1:], theme), "size": 13}
        corners[f"{name}axis"] = {
            "title": {"text": text, "font": font}, "min": low, "nticks": 4, "gridcolor": theme.grid,
            "linecolor": theme.muted, "tickfont": {"size": 11, "color": theme.muted},
        }  # fmt: skip
    return corners


def _ringed(exposures: Exposures, styles: Styles, theme: Theme) -> go.Scatterternary:
    """Return the selected query in each system's list, on top of the grouped points."""
    neutral, first, second = zip(*(point.shares for point in exposures.ringed), strict=True)
    looks = [styles[point.system] for point in exposures.ringed]
    return go.Scatterternary(
        a=neutral,
        b=first,
        c=second,
        mode="markers",
        name="selected query",
        marker={
            "color": [look.colour for look in looks],
            "symbol": [look.symbol for look in looks],
            "size": 15,
            "line": {"width": 2.5, "color": theme.text},
        },
        customdata=[[point.system, point.query] for point in exposures.ringed],
        hovertext=[_hover(point, exposures.groups) for point in exposures.ringed],
        hovertemplate="%{hovertext}<extra>selected query</extra>",
    )


def _triangle_trace(
    points: Sequence[Share], exposures: Exposures, style: SystemStyle, theme: Theme, axis_starts: Sequence[float]
) -> go.Scatterternary:
    """Return a system's points; those of a reference beyond the axes as triangles at their edge, with their shares."""
    system, most_queries = points[0].system, max(point.queries for point in points)
    positions, outsides = zip(*(_within(point.shares, axis_starts) for point in points), strict=True)
    is_outside = list(outsides)
    neutral, first, second = zip(*positions, strict=True)
    sizes = [11.0 if most_queries == 1 else 4 + 10 * float(np.sqrt(point.queries / most_queries)) for point in points]
    look = marker(style, theme, chosen=system == exposures.selected)
    if any(is_outside):
        look["symbol"] = ["triangle-down-open" if outside else style.symbol for outside in is_outside]
    look |= {"size": [size + look["size"] - 11 for size in sizes], "opacity": 1.0 if len(points) == 1 else 0.7}
    edge_texts = [""] * len(points)
    if is_outside == [True]:
        edge_texts = [f"{shortened(system)} {' / '.join(decimal(share, 2) for share in points[0].shares)}"]
    return go.Scatterternary(
        a=neutral,
        b=first,
        c=second,
        mode="markers+text" if any(edge_texts) else "markers",
        name=legend_name(system, exposures.selected),
        marker=look,
        text=edge_texts,
        textposition="top center",
        textfont={"size": 11, "color": theme.muted},
        customdata=[[point.system, point.query] for point in points],
        cliponaxis=False,
        hovertext=[_hover(point, exposures.groups) for point in points],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _hover(point: Share, groups: Sequence[str]) -> str:
    shares = "<br>".join(f"{safe(group)} {share:.3f}" for group, share in zip(groups, point.shares, strict=True))
    queries = f"<br>queries {point.queries}" if point.queries > 1 else ""
    return f"<b>{safe(point.system)}</b><br>{shares}{queries}"


def _within(shares: Sequence[float], axis_starts: Sequence[float]) -> tuple[tuple[float, ...], bool]:
    """Return the shares, or a nearby point of the edge if they are outside the triangle that begins at `axis_starts`;
    and whether they are."""
    excess = np.maximum(np.subtract(shares, axis_starts), 0)
    if (np.subtract(shares, axis_starts) >= 0).all():
        return tuple(map(float, shares)), False
    parts = excess / excess.sum() if excess.any() else np.full(len(excess), 1 / len(excess))
    inside = np.asarray(axis_starts) + (1 - sum(axis_starts)) * parts
    return tuple(map(float, inside)), bool(np.abs(inside - shares).max() > 1e-9)


def _bars(figure: go.Figure, exposures: Exposures, systems: Sequence[str], theme: Theme) -> None:
    """Draw a group of bars for each system, a bar a group."""
    names = [legend_name(system, exposures.selected) for system in systems]
    for place, group in enumerate(exposures.groups):
        figure.add_trace(
            go.Bar(
                x=names,
                y=[_mean_share(exposures.points, system, place) for system in systems],
                name=shortened(group),
                offsetgroup=group,
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


def _mean_share(points: Sequence[Share], system: str, place: int) -> float | None:
    """Return a system's mean share of the group at this place over its queries; None without a point."""
    own = [point for point in points if point.system == system]
    if not own:
        return None
    return float(np.average([point.shares[place] for point in own], weights=[point.queries for point in own]))
