"""How a figure shows the picture that its reader pinned: hollow marks and thin lines in the systems' own looks, beneath
nothing and in front of nothing that is filled. Each such trace bears `PINNED` as its meta, and comes after all others.
"""

from collections.abc import Iterable
from math import isfinite

from fairviz.figures.axes import ROOM, Ends
from fairviz.figures.style import SystemStyle

PINNED = "pinned"
WIDTH = 1.1  # pixels of lines and outlines


def marker(style: SystemStyle, size: float = 9) -> dict:
    """A system's symbol, hollow."""
    symbol = f"{style.symbol.removesuffix('-open')}-open"
    return {"symbol": symbol, "size": size, "color": style.colour, "line": {"width": WIDTH, "color": style.colour}}


def line(style: SystemStyle) -> dict:
    """A system's line, thin."""
    return {"color": style.colour, "dash": style.dash, "width": WIDTH}


def trace(**more: object) -> dict:
    """What every trace of the pinned picture has."""
    return {"meta": PINNED, "name": PINNED, "showlegend": False, "opacity": 0.8, **more}


def widened(ends: Ends, values: Iterable[float], others: Ends) -> Ends:
    """The ends of an axis, moved as far as these values of the pinned picture need, within that picture's own ends."""
    known = [value for value in values if isfinite(value)]
    low, high = ends
    room = ROOM * (max([high, *known]) - min([low, *known]))
    low = max(min(known) - room, min(others[0], *known)) if known and min(known) < low else low
    return low, min(max(known) + room, max(others[1], *known)) if known and max(known) > high else high
