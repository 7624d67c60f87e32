"""How marks and lines look, as the script draws them: the same markers, lines and colours as the figures'."""

import html
from collections.abc import Mapping, Sequence

from fairviz.figures.style import SystemStyle, Theme, line, marker, shortened


def plain(text: str) -> str:
    """A figure's text, which Plotly reads as HTML, as it is read."""
    return html.unescape(text)


def mark_looks(
    systems: Sequence[str], styles: Mapping[str, SystemStyle], theme: Theme, selected: str, size: float = 11
) -> list[dict]:
    """The markers of systems, with the name that stands beside an arrow."""
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
    """The lines of systems."""
    found = []
    for name in systems:
        look = line(styles[name], chosen=name == selected)
        found.append({"name": name, "colour": look["color"], "dash": look["dash"], "width": look["width"]})
    return found


def edge_notes(number: str, colour: str, panel: int = 0) -> list[dict]:
    """The lines at the right edge of a panel that say what lies beyond its axis."""
    look = {"draw": "words", "size": 11, "colour": colour, "align": "right", "across": 1, "panel": panel}
    return [look | {"name": f"above{number}", "down": 0}, look | {"name": f"below{number}", "down": 1}]


def filled(texts: Sequence[str], length: int) -> list[str]:
    """The texts, then nothing, so that every stop has as many."""
    return [*texts, *[""] * (length - len(texts))]
