"""How far axes reach: never beyond what a measure can be, never as far as a reference that stands far from all others.

A reference that lies beyond the axes is drawn as an arrow at their edge, with its value.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.evaluation.points import is_reference
from fairviz.figures.style import Theme, shortened
from fairviz.measures import Question
from fairviz.measures.record import Reach

Ends = tuple[float, float]
Shares = Sequence[float] | np.ndarray  # one for each gender
FREE: Ends = (-math.inf, math.inf)
EFFECTIVENESS: Ends = (0.0, 1.0)
TWO_GROUPS = (0.5, 0.5)
ROOM, LEAST_ROOM = 0.06, 0.01  # beside the outermost value: a share of the span, and never less than this
_SYMBOLS = {
    (1, 0): "triangle-right", (-1, 0): "triangle-left", (0, 1): "triangle-up", (0, -1): "triangle-down",
    (1, 1): "triangle-ne", (1, -1): "triangle-se", (-1, 1): "triangle-nw", (-1, -1): "triangle-sw",
}  # fmt: skip
_ACROSS = {1: "left", 0: "center", -1: "right"}
_UP = {1: "bottom", 0: "top", -1: "top"}


@dataclass(frozen=True)
class Edge:
    """Where the arrow of a point beyond the axes stands, what it looks like, and what is written beside it."""

    x: float
    y: float
    symbol: str
    position: str
    text: str


def possible(question: Question, targets: Shares = TWO_GROUPS) -> Ends:
    """The smallest and the largest value that the measure can have; targets: the wished shares of the genders."""
    if question.measure is None:
        return EFFECTIVENESS
    return question.measure.range(Reach(question.parameters, np.asarray(targets, dtype=np.float64)))


def span(values: Iterable[float], limits: Ends = FREE) -> Ends:
    """The ends of an axis that holds all these values with a little room, within the limits; 0 to 1 without a value.

    A value is never cut off: where one lies beyond the limits, the axis goes as far as it.
    """
    known = [float(value) for value in values if math.isfinite(value)]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    room = max(ROOM * (high - low), LEAST_ROOM)
    return max(low - room, min(limits[0], low)), min(high + room, max(limits[1], high))


def setters(systems: Iterable[str]) -> set[str]:
    """The systems that set the axes: all but the references, and these where there is no other."""
    names = set(systems)
    return {name for name in names if not is_reference(name)} or names


def edge(name: str, x: float, y: float, across: Ends, up: Ends) -> Edge | None:
    """The arrow of a point that lies beyond these axes; None for one that lies within."""
    sides = _side(x, across), _side(y, up)
    if sides == (0, 0):
        return None
    beyond = ", ".join(number(value) for value, side in zip((x, y), sides, strict=True) if side)
    place = float(np.clip(x, *across)), float(np.clip(y, *up))
    position = f"{_UP[sides[1]]} {_ACROSS[sides[0]]}"
    return Edge(*place, f"{_SYMBOLS[sides]}-open", position, f"{shortened(name)} {beyond}")


def note_beyond(figure: go.Figure, here: Mapping[str, float], ends: Ends, theme: Theme, axis: str = "") -> None:
    """Writes at the right edge of a panel which lines, by their value where the reader stands, lie above and below."""
    for told, y, anchor in zip(beyond(here, ends), (1, 0), ("top", "bottom"), strict=True):
        if told:
            figure.add_annotation(
                text="<br>".join(told), x=1, y=y, xref=f"x{axis} domain", yref=f"y{axis} domain", xanchor="right",
                yanchor=anchor, align="right", showarrow=False, font={"size": 11, "color": theme.muted},
            )  # fmt: skip


def beyond(here: Mapping[str, float], ends: Ends) -> tuple[list[str], list[str]]:
    """A line for each value above these ends of an axis, and for each below."""
    above, below = (
        [f"{sign} {shortened(name)} {number(value)}" for name, value in here.items() if _side(value, ends) == side]
        for side, sign in ((1, "▲"), (-1, "▼"))
    )
    return above, below


def number(value: float) -> str:
    """Two digits behind the point, a true minus sign."""
    return f"{value:.2f}".replace("-", "−") if float(f"{value:.2f}") else "0.00"


def _side(value: float, ends: Ends) -> int:
    """1 above the axis, -1 below it, 0 within or without a value."""
    return int(value > ends[1]) - int(value < ends[0]) if math.isfinite(value) else 0
