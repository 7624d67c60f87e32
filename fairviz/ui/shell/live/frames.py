"""The payload of a slider: a header, and the numbers of each figure at each stop."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairviz.figures.symbols import PATHS

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
