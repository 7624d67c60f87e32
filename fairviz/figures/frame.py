"""Shared parts of the drawings: the titled frame, panels, rows, matrices, intervals, bands and points of queries."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.gender_colour import faded
from fairviz.figures.style import (
    LIGHT,
    SystemStyle,
    Theme,
    axis,
    empty_figure,
    layout,
    legend_name,
    line,
    marker,
    marker_class,
    ring,
    safe,
    shortened,
)
from fairviz.words.sentences import decimal

BAND, CHOSEN_BAND = 0.10, 0.28  # opacity of the band of a line
QUERY_CHARACTERS = 60
MOST_TEXTS = 14  # names of a matrix up to which its cells have texts
SCALES = {
    False: [[0, "#d97f26"], [0.5, "#ffffff"], [1, "#1b6ca8"]],
    True: [[0, "#a8601a"], [0.5, "#1b212b"], [1, "#2f76b0"]],
}
D = TypeVar("D")
P = ParamSpec("P")
Add = Callable[Concatenate[go.Figure, D, P], None]
Draw = Callable[Concatenate[D, P], go.Figure]
Bars = float | Sequence[float] | np.ndarray
Values = Sequence[float] | np.ndarray


class Line(NamedTuple):
    """Means along an axis, each with its 95 % interval; NaN where undefined."""

    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def add_at_once(figure: go.Figure, shapes: Sequence[dict] = (), annotations: Sequence[dict] = ()) -> None:
    """Add shapes and annotations. Plotly checks all that a figure has again at each call that adds some."""
    if shapes:
        figure.layout.shapes = [*figure.layout.shapes, *shapes]
    if annotations:
        figure.layout.annotations = [*figure.layout.annotations, *annotations]


def figure(
    title: str | Callable[[Any], str], empty: Callable[[Any], str], height: int = 300
) -> Callable[[Add[D, P]], Draw[D, P]]:
    """Return a decorator for a function that adds traces and axes to a figure: it then returns the figure instead.

    The decorated function is called with a figure that has its title and the common layout, then with the data and its
    other arguments; of these, `theme` and `height` set the layout. It is not called if `empty` returns a reason: the
    figure then has its title and this reason. title: a text, or a function of the data. height: in pixels, for a
    function without a height, or with height 0.
    """

    def decorate(add: Add[D, P]) -> Draw[D, P]:
        signature = inspect.signature(add)

        @wraps(add)
        def draw(data: D, /, *args: P.args, **options: P.kwargs) -> go.Figure:
            call = signature.bind(None, data, *args, **options)
            call.apply_defaults()
            look = call.arguments.get("theme", LIGHT), call.arguments.get("height") or height
            title_text = title if isinstance(title, str) else title(data)
            reason = empty(data)
            if reason:
                return empty_figure(title_text, reason, *look)
            titled = go.Figure(layout=layout(title_text, *look))
            add(titled, data, *args, **options)
            return titled

        _, *parameters = signature.parameters.values()
        vars(draw)["__signature__"] = signature.replace(parameters=parameters, return_annotation=go.Figure)
        return draw

    return decorate


def axis_number(place: int) -> str:
    """Return Plotly's number of the axes of a panel, empty for the first."""
    return str(place + 1) if place else ""


def floats(table: pd.DataFrame, *columns: str) -> Any:
    """Return columns of a table as tuples of floats."""
    return [tuple(table[name].astype(float)) for name in columns]


def apart(place: int, count: int, step: float) -> float:
    """Return the distance of one of several marks of a row from its middle. step: between two of them."""
    return (place - (count - 1) / 2) * step


def panels(figure: go.Figure, count: int, columns: int, theme: Theme, **spacing: Any) -> list[dict[str, int]]:
    """Divide the figure into this number of panels, row by row, and return the row and column of each."""
    figure.set_subplots(-(-count // columns), columns, **spacing)
    figure.update_xaxes(axis(theme))
    figure.update_yaxes(axis(theme))
    return [{"row": place // columns + 1, "col": place % columns + 1} for place in range(count)]


def add_panel(figure: go.Figure, traces: Sequence[Any], position: Mapping[str, int], legend_names: set[str]) -> None:
    """Add traces to a panel. legend_names: the names in the legend so far; each gets one entry for all panels."""
    for trace in traces:
        name = trace.legendgroup or trace.name
        trace.update(showlegend=trace.showlegend is not False and name not in legend_names)
        figure.add_trace(trace, **position)
        if trace.showlegend:
            legend_names.add(name)


def legend_above(figure: go.Figure, top: int, y: float = 1.02) -> None:
    """Place the legend in a row above the axes. top: the margin above them in pixels."""
    legend = {"orientation": "h", "x": 0, "xanchor": "left", "y": y, "yanchor": "bottom"}
    figure.update_layout(margin={"t": top}, legend=legend)


def dotted_line(theme: Theme) -> dict:
    """Return the options of a thin dotted line of orientation."""
    return {"dash": "dot", "width": 1.2, "color": theme.muted}


def name_rows(names: Sequence[str], above: float = 0.5, below: float = 0.5) -> dict:
    """Return the options of a y axis with a named row at 0, 1, …, the first at the top. above, below: room at its
    ends."""
    ends = [len(names) - 1 + below, -above]
    return {"tickvals": list(range(len(names))), "ticktext": list(names), "range": ends, "zeroline": False}


def error_bars(values: Bars, low: Bars, high: Bars, colour: str, thickness: float, width: float = 4) -> dict:
    """Return intervals for Plotly, of one value or several, without ends that are not finite. thickness and width in
    pixels."""
    value, bottom, top = (np.atleast_1d(np.asarray(numbers, dtype=float)) for numbers in (values, low, high))
    lengths = [np.where(np.isfinite(length), length, 0.0).tolist() for length in (top - value, value - bottom)]
    look = {"type": "data", "symmetric": False, "color": colour, "thickness": thickness, "width": width}
    return {"array": lengths[0], "arrayminus": lengths[1], **look}


def interval_text(low: float, high: float, decimals: int = 3, form: str = " ({})", missing: str = "") -> str:
    """Return the ends of an interval in this form, ` (0.650 to 0.774)`; `missing` if they are not finite."""
    ends = f"{decimal(low, decimals)} to {decimal(high, decimals)}"
    return form.format(ends) if np.isfinite(low) and np.isfinite(high) else missing


def value_text(value: float, *ends: float) -> str:
    """Return the value with three decimals, and the ends of its interval: `0.712 (0.650 to 0.774)`, `undefined (no
    interval)`."""
    text = decimal(value) if np.isfinite(value) else "undefined"
    if not ends:
        return text
    low, high = ends
    return text + interval_text(low, high, missing=" (no interval)")


def area(x: Values, low: Values, high: Values, colour: str, **options: Any) -> go.Scatter:
    """Return the area between the ends of intervals, without those that are not finite."""
    across, bottom, top = (np.asarray(numbers, dtype=float) for numbers in (x, low, high))
    is_finite = np.isfinite(bottom) & np.isfinite(top)
    across, bottom, top = across[is_finite], bottom[is_finite], top[is_finite]
    outline = np.concatenate([across, across[::-1]]), np.concatenate([top, bottom[::-1]])
    return trace(*outline, "lines", width=0, fill="toself", fillcolor=colour, **options)


def trace(
    x: Any, y: Any, mode: Any = "markers", hover: Any = "", *, many: Any = 0, colour: Any = None, symbol: Any = None,
    size: Any = None, outline: Any = None, dash: Any = None, width: Any = None, **options: Any,
) -> go.Scatter | go.Scattergl:  # fmt: skip
    """Return marks, a line or texts, with this template of the hover, or without one.

    many: the number of points of the whole figure, above WEBGL_ABOVE drawn in WebGL. colour: of marks and of the line;
    symbol, size and outline of the marks, dash and width of the line; Plotly's own by default.
    """
    marks = {"color": colour, "symbol": symbol, "size": size, "line": outline}
    line = {"color": colour, "dash": dash, "width": width}
    for name, part, look in (("marker", "markers", marks), ("line", "lines", line)):
        if part in mode:
            options.setdefault(name, {key: value for key, value in look.items() if value is not None})
    if not {"hovertemplate", "hoverinfo"} & options.keys():
        options |= {"hovertemplate": f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}
    return marker_class(many)(x=x, y=y, mode=mode, **options)


def diagonal(theme: Theme, **options: Any) -> go.Scatter:
    """Return the dotted line from (0, 0) to (1, 1)."""
    return trace([0, 1], [0, 1], "lines", line=dotted_line(theme), **options)


def system_line(
    system: str, x: Values, numbers: Sequence[Values], style: SystemStyle, theme: Theme, *, selected: str, mode: str,
    size: int, decimals: int, hover: str,
) -> list[go.Scatter]:  # fmt: skip
    """Return a system's band, if there is one, and its line in front. numbers: values, low and high ends of intervals;
    hover: the text before the interval, which has this number of decimals."""
    values, low, high = numbers
    is_selected = system == selected
    has_interval = np.isfinite(low) & np.isfinite(high)
    intervals = [interval_text(start, end, decimals) for start, end in zip(low, high, strict=True)]
    own = go.Scatter(
        x=x,
        y=values,
        mode=mode,
        name=legend_name(system, selected),
        legendgroup=system,
        text=[safe(system)] * len(values),
        customdata=[[system, interval] for interval in intervals],
        line=line(style, chosen=is_selected),
        marker=marker(style, theme, size, chosen=is_selected),
        hovertemplate=f"<b>%{{text}}</b><br>{hover}%{{customdata[1]}}<extra></extra>",
    )
    if not has_interval.any():
        return [own]
    colour = faded(style.colour, CHOSEN_BAND if is_selected else BAND)
    return [area(x, low, high, colour, showlegend=False, legendgroup=system), own]


def points_of(rows: pd.DataFrame, x: str, y: str) -> tuple[tuple[float, float, str], ...]:
    """Return two columns of a table with a row a query as points (x, y, query)."""
    columns = zip(rows[x].astype(float), rows[y].astype(float), rows["query_id"].astype("str"), strict=True)
    return tuple(columns)


def query_points(
    points: Sequence[tuple[float, float, str]], texts: Mapping[str, str], selected: str, theme: Theme, hover: str, *,
    marker: dict, many: int = 0, size: int = 8, outline: float = 0, **options: Any,
) -> go.Scatter | go.Scattergl:  # fmt: skip
    """Return a marker for each query of points (x, y, query), the selected one ringed, with its text in the hover.

    many: the number of points of the whole figure.
    """
    x, y, queries = zip(*points, strict=True)
    names = [shortened(texts.get(query, query), QUERY_CHARACTERS) for query in queries]
    look = {**marker, **ring(queries, selected, theme, size, outline)}
    return trace(x, y, hover=hover, many=many or len(points), text=names, marker=look, **options)


def without_nan(values: Iterable[Iterable[float]]) -> list[list[float | None]]:
    """Return rows of values, None for NaN, which Plotly draws as a gap."""
    return [[None if np.isnan(value) else value for value in row] for row in values]


def matrix(
    figure: go.Figure, names: Sequence[str], values: Sequence[Sequence[float]], label: str, theme: Theme,
    hover: Callable[[int, int], str],
) -> None:  # fmt: skip
    """Add a matrix of values from -1 to 1, NaN where undefined, with texts in its cells for up to MOST_TEXTS names.

    label: of the colours; hover: the text of a cell by row and column.
    """
    places = list(range(len(names)))
    figure.add_trace(
        go.Heatmap(
            z=without_nan(values),
            x=places,
            y=places,
            zmin=-1,
            zmax=1,
            colorscale=SCALES[theme.dark],
            texttemplate="%{z:.2f}" if len(names) <= MOST_TEXTS else "",
            customdata=[[hover(row, column) for column in places] for row in places],
            xgap=1,
            ygap=1,
            colorbar={"title": {"text": label, "side": "right"}, "thickness": 10},
            hovertemplate="%{customdata}<extra></extra>",
            hoverongaps=False,
        )
    )
    named = {"tickvals": places, "ticktext": list(names), "showgrid": False, "zeroline": False}
    figure.update_xaxes(named)
    figure.update_yaxes(named, autorange="reversed")


def matrix_extent(values: Sequence[Sequence[float]]) -> tuple[int, float, float]:
    """Return the number of defined values above the diagonal, the least and the greatest, NaN without one."""
    above = np.array(values)[np.triu_indices(len(values), k=1)] if values else np.array([])
    defined = above[~np.isnan(above)]
    return len(defined), min(defined, default=np.nan), max(defined, default=np.nan)
