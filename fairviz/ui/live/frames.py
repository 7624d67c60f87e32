"""From what a figure shows at each stop of a slider to one payload: a header, and numbers that the browser looks up."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fairviz.ui.live.symbols import PATHS

Array = np.ndarray
KINDS = ("plot", "html", "table")


@dataclass(frozen=True)
class Frame:
    """What moves on one figure, at one stop: numbers and texts by name. A name has the same shape at every stop."""

    numbers: Mapping[str, Any] = field(default_factory=dict)
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Moving:
    """One figure, table or sentence that follows a slider.

    target: the key of its chart. kind: one of KINDS. still: what the script needs and no stop changes, as looks of
    marks. frame: from the place of a stop to what is drawn there.
    """

    target: str
    kind: str
    still: Mapping[str, Any]
    frame: Callable[[int], Frame]


@dataclass(frozen=True)
class Scale:
    """A slider as the browser shows it: its key, what it is called, and what it reads at each stop."""

    slider: str
    label: str
    stops: tuple[str, ...]


def pack(
    scale: Scale, token: str, movings: Sequence[Moving], frames: Sequence[Sequence[Frame]], still: Sequence[str] = ()
) -> bytes:
    """The payload: the header's length (little-endian uint32), the header (UTF-8 JSON), then float32 numbers.

    frames: for each moving figure one a stop. still: keys of charts that this slider does not change. A number is at
    `start + stop * size`, or at `start` where it is the same at every stop; a text is the place of its string.
    """
    strings: dict[str, int] = {}
    numbers = _Numbers()
    figures = []
    for moving, held in zip(movings, frames, strict=True):
        places = {name: numbers.add([frame.numbers[name] for frame in held]) for name in held[0].numbers}
        for name in held[0].texts:
            rows = [[strings.setdefault(text, len(strings)) for text in frame.texts[name]] for frame in held]
            places[f"{name} text"] = numbers.add(rows)
        figures.append({"target": moving.target, "kind": moving.kind, "still": moving.still, "numbers": places})
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
    """Arrays one after the other; what is the same at every stop is held once."""

    def __init__(self) -> None:
        self._parts: list[Array] = []
        self._length = 0

    def add(self, rows: Sequence[Any]) -> list[int]:
        """Where the rows (T, N) begin, how many numbers a stop has, and whether they move."""
        table = np.stack([np.asarray(row, dtype="<f4").ravel() for row in rows])
        same = bool(np.array_equal(table, np.broadcast_to(table[0], table.shape), equal_nan=True))
        kept = table[:1] if same else table
        start, self._length = self._length, self._length + kept.size
        self._parts.append(kept)
        return [start, int(table.shape[1]), int(not same)]

    def joined(self) -> bytes:
        """All of them as float32, little-endian."""
        return b"".join(part.tobytes() for part in self._parts)
