"""GSR as one scatter a system: genderedness of the ranked list over that of the query; the slope of the line is GSR."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.axes import Ends, setters, span
from fairviz.figures.frame import area, axis_number, dotted_line, query_points, trace
from fairviz.figures.gender_colour import MALE_TO_FEMALE, faded, gender_marks
from fairviz.figures.style import (
    LIGHT,
    Styles,
    SystemStyle,
    Theme,
    axis,
    empty_figure,
    layout,
    references_last,
    safe,
    shortened,
)
from fairviz.statistics.intervals import resampling_weights
from fairviz.words.sentences import decimal

TITLE = "Each point a query; the slope of the line is GSR, with its 95 % interval"
X_TITLE = f"genderedness of the query   {MALE_TO_FEMALE}"
Y_TITLE = "genderedness of the ranked list"
MOST_PANELS, MOST_COLUMNS = 12, 5
GAP = 0.44  # of a row's height, for the titles of the next
LEAST_HEIGHT, PANEL_HEIGHT = 300, 190
STEPS = 25
LEAST_REACH = 0.05
BASELINE = "perfect"
NOTHING = "No query of a system shown has both a genderedness and a list that has one."


@dataclass(frozen=True)
class Panel:
    """One system: a point a query, and its line (NaN without one) with the interval along it.

    x, y, queries (Q,); in_fit (Q,) is False for a query that is left out. band: (x, low, high).
    """

    system: str
    queries: tuple[str, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    in_fit: tuple[bool, ...]
    intercept: float
    slope: float
    interval: tuple[float, float]
    band: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True)
class GsrScatter:
    """Data of the figure: a panel a system, references last; the line of the perfect system in all of them; the ringed
    query and the system of the framed panel. up: the ends of the y axis, not set by references."""

    panels: tuple[Panel, ...]
    centre: float
    texts: Mapping[str, str] = field(default_factory=dict)
    baseline: tuple[float, float] | None = None
    selected: str = ""
    hidden: int = 0
    system: str = ""
    up: Ends = (0.0, 1.0)

    @property
    def reach(self) -> float:
        """Distance from the centre at which the colour is full: that of the most gendered query."""
        return max([LEAST_REACH, *(abs(x - self.centre) for panel in self.panels for x in panel.x)])

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        slopes = ", ".join(f"{panel.system} {decimal(panel.slope, 2)}" for panel in self.panels)
        return f"{Y_TITLE} over {X_TITLE}, a panel a system. Slopes: {slopes or 'none'}."


def info(
    points: pd.DataFrame,
    lines: pd.DataFrame,
    centre: float,
    *,
    queries: frozenset[str] | None = None,
    panel_systems: Sequence[str] = (),
    texts: Mapping[str, str] | None = None,
    selected: str = "",
    system: str = "",
) -> GsrScatter:
    """Return the panels from points (system, query_id, query, list) and lines (system, slope, intercept, ci_low,
    ci_high).

    centre: the genderedness without colour. queries: the queries of the fits, None for all. panel_systems: the systems
    with a panel, all if empty; the perfect system's line is always drawn.
    """
    defined = points.dropna(subset=["query", "list"])
    names, rows = lines["system"].astype(str), lines[["intercept", "slope", "ci_low", "ci_high"]].to_numpy(dtype=float)
    lines_by_system = dict(zip(names, rows, strict=True))
    systems = references_last(name for name in lines_by_system if not panel_systems or name in panel_systems)
    panels = tuple(_panel(name, defined, lines_by_system[name], queries) for name in systems[:MOST_PANELS])
    perfect = lines_by_system.get(BASELINE)
    baseline = (float(perfect[0]), float(perfect[1])) if perfect is not None and np.isfinite(perfect[1]) else None
    drawn_queries = {query for panel in panels for query in panel.queries}
    drawn_texts = {query: text for query, text in (texts or {}).items() if query in drawn_queries}
    hidden = max(0, len(systems) - MOST_PANELS)
    return GsrScatter(panels, centre, drawn_texts, baseline, selected, hidden, system, _up(panels))


def _panel(system: str, points: pd.DataFrame, line: np.ndarray, queries: frozenset[str] | None) -> Panel:
    """Return a system's panel. line: its intercept, slope, and the ends of the slope's interval."""
    intercept, slope, low, high = map(float, line)
    own = points[points["system"] == system]
    x, y, ids = own["query"].to_numpy(dtype=float), own["list"].to_numpy(dtype=float), own["query_id"]
    in_fit = ids.isin(ids if queries is None else queries).to_numpy(dtype=bool)
    along = band(x[in_fit], y[in_fit]) if np.isfinite(slope) else ()
    points_of_panel = tuple(map(str, ids)), tuple(x.tolist()), tuple(y.tolist()), tuple(in_fit.tolist())
    return Panel(system, *points_of_panel, intercept, slope, (low, high), along)


def _up(panels: Sequence[Panel]) -> Ends:
    """Return the ends of the y axis: the points and bands of all panels, those of references excepted."""
    setter_names = setters(panel.system for panel in panels)
    setter_panels = [panel for panel in panels if panel.system in setter_names]
    bands = [value for panel in setter_panels for _, *ends in panel.band for value in ends]
    return span([*bands, *(y for panel in setter_panels for y in panel.y)])


@dataclass(frozen=True)
class Grid:
    """Panels in rows from the top that fill the last row best, and the share of the figure that each covers."""

    panels: int

    @property
    def rows(self) -> int:
        return math.ceil(self.panels / MOST_COLUMNS)

    @property
    def columns(self) -> int:
        return math.ceil(self.panels / self.rows)

    def across(self, place: int) -> Ends:
        left = place % self.columns / self.columns
        return left + 0.006, left + 1 / self.columns - 0.006

    def up(self, place: int) -> Ends:
        height = 1 / (self.rows + (self.rows - 1) * GAP)
        top = 1 - place // self.columns * height * (1 + GAP)
        return max(0.0, top - height), top


def draw(scatter: GsrScatter, styles: Styles, theme: Theme = LIGHT) -> go.Figure:
    """Draw small multiples with linked axes, a panel a system."""
    if not any(panel.queries for panel in scatter.panels):
        return empty_figure(TITLE, NOTHING, theme, LEAST_HEIGHT)
    grid = Grid(len(scatter.panels))
    many = sum(len(panel.queries) for panel in scatter.panels)
    traces = [
        each.update(xaxis=f"x{axis_number(place)}", yaxis=f"y{axis_number(place)}")
        for place, panel in enumerate(scatter.panels)
        for each in _traces(panel, scatter, styles[panel.system], theme, many)
    ]
    whole = layout(TITLE, theme, max(LEAST_HEIGHT, grid.rows * PANEL_HEIGHT + 98))
    whole |= {"showlegend": False, "margin": {"l": 62, "r": 8, "t": 92, "b": 40}, "dragmode": "zoom"}
    whole |= {"annotations": _titles(grid, scatter.panels), "shapes": _lines_and_frame(scatter, theme)}
    return go.Figure(traces, {**whole, **_axes(grid, scatter.up, theme)})


def _traces(panel: Panel, scatter: GsrScatter, style: SystemStyle, theme: Theme, many: int) -> list:
    """Return the traces from back to front: interval, line of the perfect system, own line, and the points, those of
    the fit filled with the colour of their query, those left out open and faint."""
    ends = np.array([min(panel.x), max(panel.x)]) if panel.x else np.zeros(0)
    traces = []
    if panel.band:
        x, low_ends, high_ends = zip(*panel.band, strict=True)
        traces.append(area(x, low_ends, high_ends, faded(style.colour, 0.18)))
    if scatter.baseline and panel.system != BASELINE:
        intercept, slope = scatter.baseline
        traces.append(trace(ends, intercept + slope * ends, "lines", dash="dash", colour=theme.text, width=1.5))
    if np.isfinite(panel.slope):
        traces.append(trace(ends, panel.intercept + panel.slope * ends, "lines", colour=style.colour, width=2.5))
    for is_kept in (True, False):
        rows = [row for row, in_fit in enumerate(panel.in_fit) if in_fit == is_kept]
        if rows:
            traces.append(_points(panel, rows, scatter, style, theme, many))
    return traces


def _points(
    panel: Panel, rows: Sequence[int], scatter: GsrScatter, style: SystemStyle, theme: Theme, many: int
) -> go.Scatter:
    """Return the points of these rows, which are all in the fit or all left out; those of a reference beyond the y axis
    are at its edge."""
    low, high = scatter.up
    is_kept = panel.in_fit[rows[0]]
    sides = [int(panel.y[row] > high) - int(panel.y[row] < low) for row in rows]
    symbols = {0: style.symbol, 1: "triangle-up-open", -1: "triangle-down-open"}
    look = gender_marks([panel.x[row] for row in rows], scatter.centre, scatter.reach, theme)
    look |= {"opacity": 0.95} if is_kept else {"opacity": 0.7, "color": "rgba(0,0,0,0)"}
    look["symbol"] = [symbols[side] for side in sides] if any(sides) else style.symbol
    points = [(panel.x[row], min(max(panel.y[row], low), high), panel.queries[row]) for row in rows]
    hover = f"<b>%{{text}}</b><br>{safe(panel.system)}{'' if is_kept else ' (left out)'}<br>%{{hovertext}}"
    return query_points(
        points, scatter.texts, scatter.selected, theme, hover, marker=look, many=many, outline=1,
        customdata=[[panel.queries[row], panel.system] for row in rows],
        hovertext=[f"query {panel.x[row]:.3f}, list {panel.y[row]:.3f}" for row in rows],
    )  # fmt: skip


def _titles(grid: Grid, panels: Sequence[Panel]) -> list[dict]:
    """Return a title over each panel, and the titles of the axes."""
    note = {"xref": "paper", "yref": "paper", "showarrow": False, "xanchor": "center"}
    above = note | {"yanchor": "bottom", "font": {"size": 12}}
    titles = [
        above | {"text": _title(panel), "x": sum(grid.across(place)) / 2, "y": grid.up(place)[1]}
        for place, panel in enumerate(panels)
    ]
    x_title = note | {"text": X_TITLE, "x": 0.5, "y": 0, "yshift": -32, "yanchor": "middle"}
    y_title = note | {"text": Y_TITLE, "x": 0, "y": 0.5, "xshift": -52, "yanchor": "middle", "textangle": -90}
    return [*titles, x_title, y_title]


def _title(panel: Panel) -> str:
    """Return the title of a panel, on three lines, for narrow panels."""
    low, high = panel.interval
    interval = f"<br>{decimal(low, 2)} to {decimal(high, 2)}" if np.isfinite(low) and np.isfinite(high) else ""
    return f"<b>{shortened(panel.system, 26)}</b><br>slope {decimal(panel.slope, 2)}{interval}"


def _lines_and_frame(scatter: GsrScatter, theme: Theme) -> list[dict]:
    """Return a dotted line at the vocabulary's mean in each panel, and a frame around the panel of the system."""
    centre = {"type": "line", "x0": scatter.centre, "x1": scatter.centre, "line": dotted_line(theme)}
    frame = {"type": "rect", "x0": 0, "x1": 1, "line": {"color": theme.text, "width": 1.5}}
    lines, framed = [], []
    for place, panel in enumerate(scatter.panels):
        number = axis_number(place)
        within = {"y0": 0, "y1": 1, "yref": f"y{number} domain"}
        lines.append(within | centre | {"xref": f"x{number}"})
        if panel.system == scatter.system:
            framed.append(within | frame | {"xref": f"x{number} domain"})
    return [*lines, *framed]


def _axes(grid: Grid, up: Ends, theme: Theme) -> dict:
    """Return the linked axes of all panels; numbers only at the left and below the last panel of a column."""
    plain = axis(theme) | {"zeroline": False, "automargin": False}
    axes = {}
    for place in range(grid.panels):
        number = axis_number(place)
        axes[f"xaxis{number}"] = plain | ({"matches": "x"} if place else {}) | {
            "domain": grid.across(place), "anchor": f"y{number}", "nticks": 4, "tickangle": 0,
            "showticklabels": place + grid.columns >= grid.panels,
        }  # fmt: skip
        axes[f"yaxis{number}"] = plain | ({"matches": "y"} if place else {}) | {
            "domain": grid.up(place), "anchor": f"x{number}", "range": up,
            "showticklabels": place % grid.columns == 0,
        }  # fmt: skip
    return axes


def band(x: np.ndarray, y: np.ndarray) -> tuple[tuple[float, float, float], ...]:
    """Return the 95 % interval of the least-squares line at 25 points, (x, low, high), by resampling the queries (Q,).

    Empty for fewer than three queries. Resamples with equal x have no slope and are left out.
    """
    if len(x) < 3:
        return ()
    weights = resampling_weights(len(x)) / len(x)  # (B, Q)
    mean_x, mean_y = weights @ x, weights @ y
    variance = weights @ (x * x) - mean_x**2
    usable = variance > 1e-12 * max(float(np.var(x)), 1e-300)
    slopes = (weights @ (x * y) - mean_x * mean_y)[usable] / variance[usable]
    positions = np.linspace(x.min(), x.max(), STEPS)
    lines = mean_y[usable, None] + slopes[:, None] * (positions[None, :] - mean_x[usable, None])  # (B, STEPS)
    low, high = np.quantile(lines, [0.025, 0.975], axis=0)
    return tuple(zip(positions.tolist(), low.tolist(), high.tolist(), strict=True))
