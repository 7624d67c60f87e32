"""Traces of a pinned picture: hollow marks and thin lines in the systems' own styles. Each has `PINNED` as its meta,
and comes after all other traces.
"""

from collections.abc import Iterable
from math import isfinite

from fairviz.figures.axes import ROOM, Ends
from fairviz.figures.style import SystemStyle

PINNED = "pinned"
WIDTH = 1.1  # pixels of lines and outlines


def marker(style: SystemStyle, size: float = 9) -> dict:
    """Return the options of a system's marker, hollow."""
    symbol = f"{style.symbol.removesuffix('-open')}-open"
    return {"symbol": symbol, "size": size, "color": style.colour, "line": {"width": WIDTH, "color": style.colour}}


def line(style: SystemStyle) -> dict:
    """Return the options of a system's line, thin."""
    return {"color": style.colour, "dash": style.dash, "width": WIDTH}


def trace(**options: object) -> dict:
    """Return the options of every trace of the pinned picture, with these ones."""
    return {"meta": PINNED, "name": PINNED, "showlegend": False, "opacity": 0.8, **options}


def widened(ends: Ends, values: Iterable[float], pinned_ends: Ends) -> Ends:
    """Return the ends of an axis widened to these values of the pinned picture, within that picture's own ends."""
    finite = [value for value in values if isfinite(value)]
    low, high = ends
    room = ROOM * (max([high, *finite]) - min([low, *finite]))
    low = max(min(finite) - room, min(pinned_ends[0], *finite)) if finite and min(finite) < low else low
    return low, min(max(finite) + room, max(pinned_ends[1], *finite)) if finite and max(finite) > high else high
