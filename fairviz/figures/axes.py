"""The ends of axes: within the range of a measure, and independent of references far from all other systems.

A reference beyond the axes is drawn as an arrow at their edge, with its value.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.figures.style import Theme, shortened
from fairviz.measures import Question
from fairviz.measures.record import Reach
from fairviz.study.record import is_reference
from fairviz.words.sentences import decimal

Ends = tuple[float, float]
Shares = Sequence[float] | np.ndarray  # one for each gender
FREE: Ends = (-math.inf, math.inf)
EFFECTIVENESS: Ends = (0.0, 1.0)
TWO_GROUPS = (0.5, 0.5)
ROOM, LEAST_ROOM = 0.06, 0.01  # beside the outermost value: a share of the span, and its minimum
_SYMBOLS = {
    (1, 0): "triangle-right", (-1, 0): "triangle-left", (0, 1): "triangle-up", (0, -1): "triangle-down",
    (1, 1): "triangle-ne", (1, -1): "triangle-se", (-1, 1): "triangle-nw", (-1, -1): "triangle-sw",
}  # fmt: skip
_ACROSS = {1: "left", 0: "center", -1: "right"}
_UP = {1: "bottom", 0: "top", -1: "top"}


@dataclass(frozen=True)
class Edge:
    """The arrow of a point beyond the axes: its position, symbol and text."""

    x: float
    y: float
    symbol: str
    position: str
    text: str


def possible(question: Question, targets: Shares = TWO_GROUPS) -> Ends:
    """Return the smallest and the largest possible value of the measure. targets: the target shares of the genders."""
    if question.measure is None:
        return EFFECTIVENESS
    return question.measure.range(Reach(question.parameters, np.asarray(targets, dtype=np.float64)))


def span(values: Iterable[float], limits: Ends = FREE) -> Ends:
    """Return the ends of an axis for these values with a little room, within the limits; 0 to 1 without a value.

    No value is cut off: the axis exceeds the limits for a value beyond them.
    """
    finite = [float(value) for value in values if math.isfinite(value)]
    if not finite:
        return 0.0, 1.0
    low, high = min(finite), max(finite)
    room = max(ROOM * (high - low), LEAST_ROOM)
    return max(low - room, min(limits[0], low)), min(high + room, max(limits[1], high))


def setters(systems: Iterable[str]) -> set[str]:
    """Return the systems that set the axes: all but the references, or these if there are no others."""
    names = set(systems)
    return {name for name in names if not is_reference(name)} or names


def edge(name: str, x: float, y: float, across: Ends, up: Ends) -> Edge | None:
    """Return the arrow of a point beyond these axes; None for a point within."""
    sides = _side(x, across), _side(y, up)
    if sides == (0, 0):
        return None
    value_texts = ", ".join(decimal(value, 2) for value, side in zip((x, y), sides, strict=True) if side)
    position_on_edge = float(np.clip(x, *across)), float(np.clip(y, *up))
    position = f"{_UP[sides[1]]} {_ACROSS[sides[0]]}"
    return Edge(*position_on_edge, f"{_SYMBOLS[sides]}-open", position, f"{shortened(name)} {value_texts}")


def note_beyond(figure: go.Figure, values: Mapping[str, float], ends: Ends, theme: Theme, axis: str = "") -> None:
    """Add notes at the right edge of a panel that name the lines above and below it, by their current values."""
    for note_lines, y, anchor in zip(out_of_range_notes(values, ends), (1, 0), ("top", "bottom"), strict=True):
        if note_lines:
            figure.add_annotation(
                text="<br>".join(note_lines), x=1, y=y, xref=f"x{axis} domain", yref=f"y{axis} domain", xanchor="right",
                yanchor=anchor, align="right", showarrow=False, font={"size": 11, "color": theme.muted},
            )  # fmt: skip


def out_of_range_notes(values: Mapping[str, float], ends: Ends) -> tuple[list[str], list[str]]:
    """Return a text for each value above these ends of an axis, and for each below."""
    texts: dict[int, list[str]] = {1: [], 0: [], -1: []}
    for name, value in values.items():
        side = _side(value, ends)
        texts[side].append(f"{'▲' if side > 0 else '▼'} {shortened(name)} {decimal(value, 2)}")
    return texts[1], texts[-1]


def _side(value: float, ends: Ends) -> int:
    """Return 1 above the axis, -1 below it, 0 within it or for NaN."""
    return int(value > ends[1]) - int(value < ends[0]) if math.isfinite(value) else 0
