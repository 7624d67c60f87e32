"""Mitigations in a plane of fairness against effectiveness, with an arrow from each system to its mitigation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.axes import TWO_GROUPS, Ends, Shares, possible, span
from fairviz.figures.frame import error_bars, figure, trace
from fairviz.figures.scatter import Point, goal, read_points
from fairviz.figures.style import LIGHT, SystemStyle, Theme, axis_title, hollow, safe, shortened
from fairviz.figures.style import system_styles as styles_of
from fairviz.measures import Question
from fairviz.words.sentences import decimal

NO_POINT = "No mitigation has a value on both axes."
MOST_NAMED = 6  # mitigations in the alt text
LEGEND = 34  # characters of a name, whose end differs between mitigations of one system


@dataclass(frozen=True)
class Plane:
    """Data of the figure: the systems without a mitigation first, then each mitigation. systems: all names, so that
    styles do not depend on the measures. absent: mitigations without a value on both axes. across, up: the ends of the
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
        """Alt text of the figure, in one sentence."""
        points_by_system = {point.system: point for point in self.points}
        pairs = [(points_by_system[point.base], point) for point in self.points if point.base in points_by_system]
        moves = [" to ".join(f"{end.system} ({decimal(end.x)}, {decimal(end.y)})" for end in pair) for pair in pairs]
        rest = f"; and {len(moves) - MOST_NAMED} more" if len(moves) > MOST_NAMED else ""
        moves_text = f"{'; '.join(moves[:MOST_NAMED])}{rest}." if moves else NO_POINT
        return f"{self.title}, {self.y_title} over {self.x_title}. {moves_text}"


def info(
    means: pd.DataFrame, pairs: Sequence[tuple[str, str]], x: Question, y: Question, targets: Shares = TWO_GROUPS
) -> Plane:
    """Return the points from means (system, measure, value, ci_low, ci_high). pairs: (base, mitigation)."""
    points_by_system = read_points(means, x, y)
    bases = dict.fromkeys(base for base, _ in pairs)
    systems_with_base = [(base, "") for base in bases] + [(system, base) for base, system in pairs]
    points = [
        replace(points_by_system[system], base=base) for system, base in systems_with_base if system in points_by_system
    ]
    return Plane(
        "Mitigations and their effects, 95 % intervals",
        axis_title(x.text, x.direction, goal(x)),
        axis_title(y.text, y.direction, goal(y)),
        tuple(name for name, _ in systems_with_base),
        tuple(points),
        tuple(system for _, system in pairs if system not in points_by_system),
        span((value for point in points for value in (point.x, *point.x_interval)), possible(x, targets)),
        span((value for point in points for value in (point.y, *point.y_interval)), possible(y, targets)),
    )


@figure(lambda data: data.title, lambda data: "" if data.points else NO_POINT, height=420)
def draw(figure: go.Figure, plane: Plane, theme: Theme = LIGHT) -> None:
    """Draw a trace a system, hollow without a mitigation; each mitigation has a symbol, a colour and an arrow to it."""
    styles = styles_of(plane.systems, theme)
    points_by_system = {point.system: point for point in plane.points}
    for point in plane.points:
        figure.add_trace(_trace(plane, point, styles[point.system], theme))
        if point.base in points_by_system:
            _draw_arrow(figure, points_by_system[point.base], point, styles[point.system].colour)
    figure.update_xaxes(title_text=plane.x_title, range=plane.across)
    figure.update_yaxes(title_text=plane.y_title, range=plane.up)


def _trace(plane: Plane, point: Point, style: SystemStyle, theme: Theme) -> go.Scatter:
    colour = style.colour if point.base else theme.text
    note = f", against {safe(point.base)}" if point.base else ", without a mitigation"
    bars = {
        f"error_{axis}": error_bars(value, *ends, colour, 1, 3)
        for axis, value, ends in (("x", point.x, point.x_interval), ("y", point.y, point.y_interval))
    }
    return trace(
        [point.x], [point.y], hover=f"<b>{safe(point.system)}</b>{note}<br>{point.hover(plane.x_title, plane.y_title)}",
        name=shortened(point.system, LEGEND), customdata=[point.system], size=12, colour=colour,
        symbol=style.symbol if point.base else hollow(style.symbol),
        outline={"width": 0 if point.base else 2, "color": colour}, **bars,
        cliponaxis=False,  # the best value of a measure can be at the edge
    )  # fmt: skip


def _draw_arrow(figure: go.Figure, base: Point, point: Point, colour: str) -> None:
    figure.add_annotation(
        x=point.x, y=point.y, ax=base.x, ay=base.y, xref="x", yref="y", axref="x", ayref="y", text="", showarrow=True,
        arrowhead=3, arrowsize=1.2, arrowwidth=1.5, arrowcolor=colour, standoff=7, startstandoff=7,
    )  # fmt: skip
