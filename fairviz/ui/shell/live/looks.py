"""The looks of marks and lines for the script: the same markers, lines and colours as in the figures."""

import html
from collections.abc import Mapping, Sequence

from fairviz.figures.style import SystemStyle, Theme, line, marker, shortened


def plain(text: str) -> str:
    """Return a figure's text, which is HTML for Plotly, as plain text."""
    return html.unescape(text)


def mark_looks(
    systems: Sequence[str], styles: Mapping[str, SystemStyle], theme: Theme, selected: str, size: float = 11
) -> list[dict]:
    """Return the markers of systems, with the short name for the label at an arrow."""
    return [_mark(name, styles[name], theme, size, chosen=name == selected) for name in systems]


def _mark(name: str, style: SystemStyle, theme: Theme, size: float, *, chosen: bool) -> dict:
    look = marker(style, theme, size, chosen=chosen)
    return {
        "name": name,
        "short": plain(shortened(name)),
        "colour": look["color"],
        "bar": style.colour,
        "symbol": look["symbol"],
        "size": look["size"],
        "ring": look["line"]["width"],
        "ringColour": look["line"]["color"],
        "paper": theme.surface,
    }


def line_looks(systems: Sequence[str], styles: Mapping[str, SystemStyle], selected: str) -> list[dict]:
    """Return the lines of systems."""
    looks = []
    for name in systems:
        look = line(styles[name], chosen=name == selected)
        looks.append({"name": name, "colour": look["color"], "dash": look["dash"], "width": look["width"]})
    return looks


def edge_notes(number: str, colour: str, panel: int = 0) -> list[dict]:
    """Return the texts at the right edge of a panel that name the points beyond its axis."""
    look = {"draw": "words", "size": 11, "colour": colour, "align": "right", "across": 1, "panel": panel}
    return [look | {"name": f"above{number}", "down": 0}, look | {"name": f"below{number}", "down": 1}]


def filled(texts: Sequence[str], length: int) -> list[str]:
    """Return the texts padded with empty ones to this length, which is equal at every stop."""
    return [*texts, *[""] * (length - len(texts))]
