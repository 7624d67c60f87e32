"""The colour of a genderedness: orange where male, purple where female, the page's own where it is the vocabulary's
mean. Figures and marked text share it."""

import math
from collections.abc import Iterable

from fairviz.figures.style import LIGHT, Theme, group_colour

REACH = 0.3  # how far from the centre the colour is full
STRONGEST = 0.6  # of the colour behind text, so that the text stays readable
MALE_TO_FEMALE = "male ← → female"


def strength(g: float, centre: float) -> float:
    """How strong the colour of g is, -1 (male) to 1 (female); 0 at the centre and for NaN."""
    return 0.0 if math.isnan(g) else max(-1.0, min(1.0, (g - centre) / REACH))


def side(g: float, centre: float) -> str:
    """`female` or `male`, by the side of the centre on which g lies; empty at the centre and for NaN."""
    share = strength(g, centre)
    return "female" if share > 0 else "male" if share < 0 else ""


def background(g: float, centre: float, theme: Theme = LIGHT) -> str:
    """The CSS colour behind a word: transparent at the centre, so that the page shows."""
    share = strength(g, centre)
    red, green, blue = _channels(_pole(share, theme))
    return f"rgba({red}, {green}, {blue}, {abs(share) * STRONGEST:.2f})"


def colourscale(theme: Theme = LIGHT) -> list[tuple[float, str]]:
    """Plotly's scale from male over the page's own colour to female."""
    middle = "#f4f4f6" if not theme.dark else "#6b7482"
    return [(0.0, group_colour("male", (), theme)), (0.5, middle), (1.0, group_colour("female", (), theme))]


def axis_range(values: Iterable[float]) -> tuple[float, float]:
    """The ends of an axis of genderedness: all values, NaN left out, and never less than -0.3 to 0.3, or rounding
    would look like a difference."""
    known = [value for value in values if not math.isnan(value)]
    low, high = min([-REACH, *known]), max([REACH, *known])
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _pole(share: float, theme: Theme) -> str:
    return group_colour("female" if share > 0 else "male", (), theme)


def _channels(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return red, green, blue


def faded(colour: str, opacity: float) -> str:
    """A colour #rrggbb as CSS with this opacity."""
    red, green, blue = _channels(colour)
    return f"rgba({red}, {green}, {blue}, {opacity:g})"
