"""One measure against another, a point a system: fairness against effectiveness, or fairness against fairness."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import LIGHT, SystemStyle, Theme, axis_title, empty_figure, layout, marker_class, safe
from fairviz.figures.style import shortened as legend_name
from fairviz.measures import Question, unfairness


@dataclass(frozen=True)
class Point:
    """A system's two means with their 95 % intervals (NaN where there is none)."""

    system: str
    x: float
    y: float
    x_interval: tuple[float, float]
    y_interval: tuple[float, float]


@dataclass(frozen=True)
class Scatter:
    """What is drawn: the points, and the front of systems that no other beats on both axes, from left to right."""

    title: str
    x_title: str
    y_title: str
    points: tuple[Point, ...]
    front: tuple[str, ...]
    selected: str = ""

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        on_front = ", ".join(self.front) or "none"
        return f"{self.title}: {len(self.points)} systems; no other system beats {on_front} on both axes."


def goal(question: Question) -> str:
    """What the better end of an axis is called."""
    return "more effective" if question.family == "effectiveness" else "fairer"


def info(summary: pd.DataFrame, x: Question, y: Question, selected: str = "") -> Scatter:
    """Points and front from a summary (system, measure, value, ci_low, ci_high), without systems that lack a value."""
    across, up = (summary[summary["measure"] == question.text].set_index("system") for question in (x, y))
    across, up = across.dropna(subset="value"), up.dropna(subset="value")
    systems = [name for name in across.index if name in up.index]
    points = tuple(_point(name, across.loc[name], up.loc[name]) for name in systems)
    kind = "Fairness against effectiveness" if x.family == "effectiveness" else "One fairness measure against another"
    return Scatter(
        f"{kind}, 95 % intervals",
        axis_title(x.text, x.direction, goal(x)),
        axis_title(y.text, y.direction, goal(y)),
        points,
        _front(points, x, y),
        selected,
    )


def draw(scatter: Scatter, styles: Mapping[str, SystemStyle], theme: Theme = LIGHT, height: int = 300) -> go.Figure:
    """The figure of `scatter`, a trace a system, the front dashed beneath them."""
    if not scatter.points:
        return empty_figure(scatter.title, "No system has a value on both axes.", theme, height)
    figure = go.Figure(layout=layout(scatter.title, theme, height))
    front = [point for name in scatter.front for point in scatter.points if point.system == name]
    if len(front) > 1:
        figure.add_trace(front_trace([(point.x, point.y) for point in front], theme))
    for point in scatter.points:
        figure.add_trace(_trace(point, scatter, styles[point.system], theme))
    figure.update_xaxes(title_text=scatter.x_title)
    figure.update_yaxes(title_text=scatter.y_title)
    return figure


def front_trace(points: Sequence[tuple[float, float]], theme: Theme) -> go.Scatter:
    """The dashed line through the systems that no other beats on both axes."""
    return go.Scatter(
        x=[x for x, _ in points],
        y=[y for _, y in points],
        mode="lines",
        name="Pareto front",
        line={"dash": "dot", "color": theme.muted, "width": 1.5},
        hoverinfo="skip",
    )


def _trace(point: Point, scatter: Scatter, style: SystemStyle, theme: Theme) -> go.Scatter | go.Scattergl:
    chosen = point.system == scatter.selected
    return marker_class(len(scatter.points))(
        x=[point.x],
        y=[point.y],
        error_x=_error(point.x, point.x_interval, style.colour),
        error_y=_error(point.y, point.y_interval, style.colour),
        mode="markers",
        name=legend_name(point.system),
        text=[safe(point.system)],
        customdata=[point.system],
        marker={
            "color": style.colour,
            "symbol": style.symbol,
            "size": 15 if chosen else 11,
            "line": {"width": 2 if chosen else 0, "color": theme.text},
        },
        hovertemplate="<b>%{text}</b><br>"
        f"{scatter.x_title}: %{{x:.4f}} ({_interval(point.x_interval)})<br>"
        f"{scatter.y_title}: %{{y:.4f}} ({_interval(point.y_interval)})<extra></extra>",
    )


def _point(system: str, across: pd.Series, up: pd.Series) -> Point:
    return Point(
        system,
        float(across["value"]),
        float(up["value"]),
        (float(across["ci_low"]), float(across["ci_high"])),
        (float(up["ci_low"]), float(up["ci_high"])),
    )


def _front(points: Sequence[Point], x: Question, y: Question) -> tuple[str, ...]:
    """Systems that no other matches on both axes and beats on one, by x; empty where an axis has no better end."""
    if "none" in (x.direction, y.direction) or not points:
        return ()
    costs = np.column_stack(
        [unfairness(x, [point.x for point in points]), unfairness(y, [point.y for point in points])]
    )  # (S, 2)
    no_worse = np.all(costs[None] <= costs[:, None], axis=2)  # (S, S): whether the second is no worse than the first
    beaten = np.any(no_worse & np.any(costs[None] < costs[:, None], axis=2), axis=1)  # (S,)
    ordered = sorted(range(len(points)), key=lambda place: points[place].x)
    return tuple(points[place].system for place in ordered if not beaten[place])


def _error(value: float, interval: tuple[float, float], colour: str) -> dict:
    low, high = interval
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - value if np.isfinite(high) else 0],
        "arrayminus": [value - low if np.isfinite(low) else 0],
        "color": colour,
        "thickness": 1.2,
        "width": 4,
    }


def _interval(interval: tuple[float, float]) -> str:
    low, high = interval
    return f"{low:.4f} to {high:.4f}" if np.isfinite(low) and np.isfinite(high) else "no interval"
