"""One measure against another, a point a system: fairness against effectiveness, or fairness against fairness."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.axes import TWO_GROUPS, Ends, Shares, edge, possible, setters, span
from fairviz.figures.frame import error_bars, figure, interval_text, trace
from fairviz.figures.style import (
    FRONT,
    LIGHT,
    WEBGL_ABOVE,
    Styles,
    Theme,
    axis_title,
    legend_name,
    marker,
    references_last,
    safe,
)
from fairviz.measures import Question, unfairness
from fairviz.study.record import is_reference

NO_POINT = "No system has a value on both axes."


@dataclass(frozen=True)
class Point:
    """A system's two means with their 95 % intervals (NaN without one); base: the system that it mitigates, empty for
    none. note: another line of its tooltip."""

    system: str
    x: float
    y: float
    x_interval: tuple[float, float]
    y_interval: tuple[float, float]
    base: str = ""
    note: str = ""

    def hover(self, x_title: str, y_title: str) -> str:
        """Return the lines of the hover with both means and their intervals."""
        means = ((x_title, self.x, self.x_interval), (y_title, self.y, self.y_interval))
        lines = [
            f"{name}: {value:.4f}{interval_text(*ends, 4, missing=' (no interval)')}" for name, value, ends in means
        ]
        return "<br>".join([*lines, self.note] if self.note else lines)


@dataclass(frozen=True)
class Scatter:
    """Data of the figure: the points, references last, and the Pareto front from left to right. across, up: the ends of
    the axes, not set by references."""

    title: str
    x_title: str
    y_title: str
    points: tuple[Point, ...]
    front: tuple[str, ...]
    across: Ends
    up: Ends
    selected: str = ""

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        on_front = ", ".join(self.front) or "none"
        return f"{self.title}: {len(self.points)} systems; no other system beats {on_front} on both axes."


def goal(question: Question) -> str:
    """Return the name of an axis's better end."""
    return "more effective" if question.family == "effectiveness" else "fairer"


def info(
    summary: pd.DataFrame,
    x: Question,
    y: Question,
    selected: str = "",
    targets: Shares = TWO_GROUPS,
    outside: Collection[str] = (),
) -> Scatter:
    """Return points and front from a summary (system, measure, value, ci_low, ci_high), without systems that lack a
    value.

    targets: the target shares of the genders, on which the ranges of some measures depend. outside: systems that, like
    references, are drawn and neither on the front nor better than any other.
    """
    points_by_system = read_points(summary, x, y)
    points = tuple(points_by_system[name] for name in references_last(points_by_system))
    kind = "Fairness against effectiveness" if x.family == "effectiveness" else "One fairness measure against another"
    return Scatter(
        f"{kind}, 95 % intervals",
        axis_title(x.text, x.direction, goal(x)),
        axis_title(y.text, y.direction, goal(y)),
        points,
        _front([point for point in points if not is_reference(point.system) and point.system not in outside], x, y),
        _ends([(point.system, point.x, *point.x_interval) for point in points], possible(x, targets)),
        _ends([(point.system, point.y, *point.y_interval) for point in points], possible(y, targets)),
        selected,
    )


def read_points(summary: pd.DataFrame, x: Question, y: Question) -> dict[str, Point]:
    """Return the points of a summary by system, for systems with a value of both measures."""
    numbers: dict[str, dict[str, tuple[float, tuple[float, float]]]] = {x.text: {}, y.text: {}}
    columns = (summary[name].tolist() for name in ("measure", "system", "value", "ci_low", "ci_high"))
    for measure, name, value, low, high in zip(*columns, strict=True):
        if measure in numbers and not math.isnan(value):
            numbers[measure][str(name)] = float(value), (float(low), float(high))
    points = {}
    for name, (value, interval) in numbers[x.text].items():
        if name in numbers[y.text]:
            y_value, y_interval = numbers[y.text][name]
            points[name] = Point(name, value, y_value, interval, y_interval)
    return points


def _ends(rows: Sequence[tuple], limits: Ends) -> Ends:
    """Return the ends of an axis for the values and intervals of the systems that set it. rows: system, then
    numbers."""
    setter_names = setters(name for name, *_ in rows)
    return span((value for name, *values in rows if name in setter_names for value in values), limits)


@figure(lambda data: data.title, lambda data: "" if data.points else NO_POINT)
def draw(figure: go.Figure, scatter: Scatter, styles: Styles, theme: Theme = LIGHT, height: int = 300) -> None:
    """Draw a trace a system, with the front dashed beneath them."""
    front = [(point.x, point.y) for name in scatter.front for point in scatter.points if point.system == name]
    if len(front) > 1:
        x, y = map(list, zip(*front, strict=True))
        figure.add_trace(trace(x, y, "lines", name=FRONT, dash="dot", colour=theme.muted, width=1.5))
    for point in scatter.points:
        style, is_selected = styles[point.system], point.system == scatter.selected
        beyond = edge(point.system, point.x, point.y, scatter.across, scatter.up)
        look: dict[str, Any] = {
            "x": [point.x], "y": [point.y], "mode": "markers", "text": [safe(point.system)],
            "error_x": error_bars(point.x, *point.x_interval, style.colour, 1.2),
            "error_y": error_bars(point.y, *point.y_interval, style.colour, 1.2),
            "marker": marker(style, theme, chosen=is_selected),
        }  # fmt: skip
        if beyond:  # an arrow without intervals
            look |= {
                "x": [beyond.x], "y": [beyond.y], "mode": "markers+text", "text": [beyond.text],
                "textposition": beyond.position, "textfont": {"size": 11}, "error_x": None, "error_y": None,
                "marker": look["marker"] | {"symbol": beyond.symbol},
            }  # fmt: skip
        hover = f"<b>%{{text}}</b><br>{point.hover(scatter.x_title, scatter.y_title)}"
        look |= {"hover": hover, "name": legend_name(point.system, scatter.selected), "customdata": [point.system]}
        many = len(scatter.points)
        clip = {} if many > WEBGL_ABOVE else {"cliponaxis": bool(style.reference and not beyond)}
        figure.add_trace(trace(**look, **clip, many=many))
    figure.update_xaxes(title_text=scatter.x_title, range=scatter.across)
    figure.update_yaxes(title_text=scatter.y_title, range=scatter.up)


def _front(points: Sequence[Point], x: Question, y: Question) -> tuple[str, ...]:
    """Return the undominated systems ordered by x; empty if a measure has direction `none`."""
    if "none" in (x.direction, y.direction) or not points:
        return ()
    costs_of_both = unfairness(x, [point.x for point in points]), unfairness(y, [point.y for point in points])
    costs = np.column_stack(costs_of_both)  # (S, 2)
    no_worse = np.all(costs[None] <= costs[:, None], axis=2)  # (S, S): whether the second is no worse than the first
    is_dominated = np.any(no_worse & np.any(costs[None] < costs[:, None], axis=2), axis=1)  # (S,)
    places = sorted(range(len(points)), key=lambda place: points[place].x)
    return tuple(points[place].system for place in places if not is_dominated[place])
