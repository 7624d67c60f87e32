"""What mitigations do on one plane: fairness against effectiveness, an arrow from each system to its mitigation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.axes import TWO_GROUPS, Ends, Shares, possible, span
from fairviz.figures.scatter import error_bar, goal
from fairviz.figures.style import LIGHT, SystemStyle, Theme, axis_title, empty_figure, layout, safe, shortened
from fairviz.figures.style import system_styles as styles_of
from fairviz.measures import Question

NO_POINT = "No mitigation has a value on both axes."
MOST_TOLD = 6  # mitigations that the alternative text names
LEGEND = 34  # characters of a name: what sets mitigations of one system apart stands at its end
Interval = tuple[float, float]


@dataclass(frozen=True)
class Point:
    """A system's two means with their 95 % intervals, NaN where there is none; base: of what it is a mitigation, empty
    where it is none."""

    system: str
    base: str
    x: float
    y: float
    x_interval: Interval
    y_interval: Interval


@dataclass(frozen=True)
class Plane:
    """What is drawn: the systems without a mitigation first, then each mitigation. systems: all of them by name, so
    that each looks the same on all axes. absent: mitigations that have no value on both. across, up: the ends of the
    axes."""

    title: str
    x_title: str
    y_title: str
    systems: tuple[str, ...]
    points: tuple[Point, ...]
    absent: tuple[str, ...]
    across: Ends
    up: Ends

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        held = {point.system: point for point in self.points}
        moves = [_move(held[point.base], point) for point in self.points if point.base in held]
        more = f"; and {len(moves) - MOST_TOLD} more" if len(moves) > MOST_TOLD else ""
        told = f"{'; '.join(moves[:MOST_TOLD])}{more}." if moves else NO_POINT
        return f"{self.title}, {self.y_title} over {self.x_title}. {told}"


def _move(base: Point, point: Point) -> str:
    return f"{base.system} ({_told(base.x)}, {_told(base.y)}) to {point.system} ({_told(point.x)}, {_told(point.y)})"


def _told(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def info(
    means: pd.DataFrame, pairs: Sequence[tuple[str, str]], x: Question, y: Question, targets: Shares = TWO_GROUPS
) -> Plane:
    """Points from means (system, measure, value, ci_low, ci_high); pairs: (base, mitigation) each."""
    across, up = (_known(means, question.text) for question in (x, y))
    bases = dict.fromkeys(base for base, _ in pairs)
    named = [(base, "") for base in bases] + [(system, base) for base, system in pairs]
    points = [
        Point(system, base, across[system][0], up[system][0], across[system][1:], up[system][1:])
        for system, base in named
        if system in across and system in up
    ]
    there = {point.system for point in points}
    return Plane(
        "Mitigations and what they mend, 95 % intervals",
        axis_title(x.text, x.direction, goal(x)),
        axis_title(y.text, y.direction, goal(y)),
        tuple(name for name, _ in named),
        tuple(points),
        tuple(system for _, system in pairs if system not in there),
        span((value for point in points for value in (point.x, *point.x_interval)), possible(x, targets)),
        span((value for point in points for value in (point.y, *point.y_interval)), possible(y, targets)),
    )


def _known(means: pd.DataFrame, text: str) -> dict[str, tuple[float, float, float]]:
    rows = means[means["measure"] == text]
    columns = (rows[name].tolist() for name in ("system", "value", "ci_low", "ci_high"))
    return {str(name): (value, low, high) for name, value, low, high in zip(*columns, strict=True) if value == value}


def draw(plane: Plane, theme: Theme = LIGHT, height: int = 420) -> go.Figure:
    """A trace a system: those without a mitigation hollow, each mitigation with a symbol and a colour of its own, and
    an arrow to it."""
    if not plane.points:
        return empty_figure(plane.title, NO_POINT, theme, height)
    figure = go.Figure(layout=layout(plane.title, theme, height))
    styles = styles_of(plane.systems, theme)
    held = {point.system: point for point in plane.points}
    for point in plane.points:
        figure.add_trace(_trace(plane, point, styles[point.system], theme))
        if point.base in held:
            figure.add_annotation(_arrow(held[point.base], point, styles[point.system]))
    figure.update_xaxes(title_text=plane.x_title, range=plane.across)
    figure.update_yaxes(title_text=plane.y_title, range=plane.up)
    return figure


def _trace(plane: Plane, point: Point, style: SystemStyle, theme: Theme) -> go.Scatter:
    colour = style.colour if point.base else theme.text
    against = f", against {safe(point.base)}" if point.base else ", without a mitigation"
    return go.Scatter(
        x=[point.x],
        y=[point.y],
        error_x=error_bar(point.x, point.x_interval, colour, 1, 3),
        error_y=error_bar(point.y, point.y_interval, colour, 1, 3),
        mode="markers",
        cliponaxis=False,  # a measure's best value is the edge of the plane
        name=shortened(point.system, LEGEND),
        customdata=[point.system],
        marker={
            "symbol": style.symbol if point.base else f"{style.symbol.removesuffix('-open')}-open",
            "color": colour,
            "size": 12,
            "line": {"width": 0 if point.base else 2, "color": colour},
        },
        hovertemplate=f"<b>{safe(point.system)}</b>{against}<br>"
        f"{plane.x_title}: {point.x:.4f} ({_between(point.x_interval)})<br>"
        f"{plane.y_title}: {point.y:.4f} ({_between(point.y_interval)})<extra></extra>",
    )


def _arrow(base: Point, point: Point, style: SystemStyle) -> go.layout.Annotation:
    return go.layout.Annotation(
        x=point.x, y=point.y, ax=base.x, ay=base.y, xref="x", yref="y", axref="x", ayref="y", text="", showarrow=True,
        arrowhead=3, arrowsize=1.2, arrowwidth=1.5, arrowcolor=style.colour, standoff=7, startstandoff=7,
    )  # fmt: skip


def _between(interval: Interval) -> str:
    low, high = interval
    return f"{low:.4f} to {high:.4f}" if np.isfinite([low, high]).all() else "no interval"
