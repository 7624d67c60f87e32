"""The payload of a slider: a header with the looks of marks and lines, and the numbers of each figure at each stop."""

import html
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairviz.figures.axes import Ends, out_of_range_notes
from fairviz.figures.frame import BAND, CHOSEN_BAND, axis_number
from fairviz.figures.gender_colour import faded
from fairviz.figures.style import PATHS, Styles, Theme, line, marker, shortened

Array = np.ndarray
KINDS = ("plot", "html", "table")


@dataclass(frozen=True)
class Frame:
    """The moving numbers and texts of one figure at one stop, by name. A name has the same shape at every stop."""

    numbers: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Moving:
    """One figure, table or sentence that follows a slider.

    target: the key of its chart. kind: one of KINDS. still: data for the script that is equal at every stop, such as
    the looks of marks. frame: from the index of a stop to its frame.
    """

    target: str
    kind: str
    still: Mapping[str, Any]
    frame: Callable[[int], Frame]


@dataclass(frozen=True)
class Scale:
    """A slider as the browser shows it: its key, its label, and its text at each stop."""

    slider: str
    label: str
    stops: tuple[str, ...]


def plain(text: str) -> str:
    """Return a figure's text, which is HTML for Plotly, as plain text."""
    return html.unescape(text)


def filled(texts: Sequence[str], length: int) -> list[str]:
    """Return the texts padded with empty ones to this length, which is equal at every stop."""
    return [*texts, *[""] * (length - len(texts))]


def axes_of(panel: int) -> tuple[str, str]:
    """Return Plotly's names of the axes of a panel."""
    return f"xaxis{axis_number(panel)}", f"yaxis{axis_number(panel)}"


def mark_looks(systems: Sequence[str], styles: Styles, theme: Theme, selected: str, size: float = 11) -> list[dict]:
    """Return the markers of systems as in the figures, with the short name for the label at an arrow."""
    looks = []
    for name in systems:
        look = marker(styles[name], theme, size, chosen=name == selected)
        ring = {"ring": look["line"]["width"], "ringColour": look["line"]["color"], "bar": styles[name].colour}
        marks = {"colour": look["color"], "symbol": look["symbol"], "size": look["size"], "paper": theme.surface}
        looks.append({"name": name, "short": plain(shortened(name)), **marks, **ring})
    return looks


def line_looks(systems: Sequence[str], styles: Styles, selected: str, *, bands: bool = False) -> list[dict]:
    """Return the lines of systems as in the figures. bands: whether with bands of intervals."""
    looks = []
    for name in systems:
        look = line(styles[name], chosen=name == selected)
        band = {"band": faded(styles[name].colour, CHOSEN_BAND if name == selected else BAND)} if bands else {}
        looks.append({"name": name, "colour": look["color"], "dash": look["dash"], "width": look["width"], **band})
    return looks


def edge_notes(number: str, colour: str, panel: int = 0) -> list[dict]:
    """Return the texts at the right edge of a panel that name the points beyond its axis."""
    look = {"draw": "words", "size": 11, "colour": colour, "align": "right", "across": 1, "panel": panel}
    return [look | {"name": f"above{number}", "down": 0}, look | {"name": f"below{number}", "down": 1}]


def edge_texts(number: str, values: Mapping[str, float], ends: Ends, length: int) -> dict[str, list[str]]:
    """Return the texts of `edge_notes` for these values. length: the number of texts at every stop."""
    above, below = out_of_range_notes(values, ends)
    return {f"above{number}": filled(above, length), f"below{number}": filled(below, length)}


def pack(
    scale: Scale, token: str, movings: Sequence[Moving], frames: Sequence[Sequence[Frame]], still: Sequence[str] = ()
) -> bytes:
    """Return the payload: the header's length (little-endian uint32), the header (UTF-8 JSON), then float32 numbers.

    frames: for each moving figure one per stop. still: keys of charts that this slider does not change. A number is at
    `start + stop * size`, or at `start` if it is equal at every stop; a text is the index of its string.
    """
    strings: dict[str, int] = {}
    numbers = _Numbers()
    figures = []
    for moving, figure_frames in zip(movings, frames, strict=True):
        offsets = {
            name: numbers.add([frame.numbers[name] for frame in figure_frames]) for name in figure_frames[0].numbers
        }
        for name in figure_frames[0].texts:
            rows = [[strings.setdefault(text, len(strings)) for text in frame.texts[name]] for frame in figure_frames]
            offsets[f"{name} text"] = numbers.add(rows)
        figures.append({"target": moving.target, "kind": moving.kind, "still": moving.still, "numbers": offsets})
    header = {
        "slider": scale.slider,
        "label": scale.label,
        "stops": scale.stops,
        "token": token,
        "still": list(still),
        "symbols": PATHS,
        "strings": list(strings),
        "figures": figures,
    }
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    return np.array([len(text)], dtype="<u4").tobytes() + text + numbers.joined()


class _Numbers:
    """Arrays one after the other; an array that is equal at every stop is stored once."""

    def __init__(self) -> None:
        self._parts: list[Array] = []
        self._length = 0

    def add(self, rows: Sequence[Any]) -> list[int]:
        """Add the rows (T, N); return their offset, the count of numbers per stop, and whether they change (0 or 1)."""
        table = np.stack([np.asarray(row, dtype="<f4").ravel() for row in rows])
        is_constant = bool(np.array_equal(table, np.broadcast_to(table[0], table.shape), equal_nan=True))
        stored_rows = table[:1] if is_constant else table
        start, self._length = self._length, self._length + stored_rows.size
        self._parts.append(stored_rows)
        return [start, int(table.shape[1]), int(not is_constant)]

    def joined(self) -> bytes:
        """Return all numbers as float32, little-endian."""
        return b"".join(part.tobytes() for part in self._parts)
