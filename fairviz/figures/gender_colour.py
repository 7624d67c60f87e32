"""The colour of a genderedness, for figures and marked text: orange for male, purple for female, the page's own at the
vocabulary's mean."""

import math
from collections.abc import Iterable, Sequence

from fairviz.figures.style import LIGHT, Theme, channels, group_colour

REACH = 0.3  # distance from the centre at which the colour is full
STRONGEST = 0.6  # of the colour behind text, so that the text stays readable
MALE_TO_FEMALE = "male ← → female"


def strength(g: float, centre: float) -> float:
    """Return the strength of the colour of g, -1 (male) to 1 (female); 0 at the centre and for NaN."""
    return 0.0 if math.isnan(g) else max(-1.0, min(1.0, (g - centre) / REACH))


def side(g: float, centre: float) -> str:
    """Return `female` or `male` by the side of the centre; empty at the centre and for NaN."""
    share = strength(g, centre)
    return "female" if share > 0 else "male" if share < 0 else ""


def background(g: float, centre: float, theme: Theme = LIGHT) -> str:
    """Return the CSS colour behind a word, transparent at the centre."""
    share = strength(g, centre)
    colour = channels(group_colour("female" if share > 0 else "male", (), theme))
    return f"rgba({', '.join(map(str, colour))}, {abs(share) * STRONGEST:.2f})"


def colourscale(theme: Theme = LIGHT) -> list[tuple[float, str]]:
    """Return Plotly's colour scale from male over neutral grey to female."""
    middle = "#f4f4f6" if not theme.dark else "#6b7482"
    return [(0.0, group_colour("male", (), theme)), (0.5, middle), (1.0, group_colour("female", (), theme))]


def gender_marks(values: Sequence[float], centre: float, reach: float, theme: Theme) -> dict:
    """Return the options of markers in the colours of their genderedness, full at this reach from the centre."""
    return {"color": values, "colorscale": colourscale(theme), "cmin": centre - reach, "cmax": centre + reach}


def axis_range(values: Iterable[float]) -> tuple[float, float]:
    """Return the ends of an axis of genderedness: all values without NaN, and at least -0.3 to 0.3, so that rounding
    never looks like a difference."""
    defined = [value for value in values if not math.isnan(value)]
    low, high = min([-REACH, *defined]), max([REACH, *defined])
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def faded(colour: str, opacity: float) -> str:
    """Return a colour #rrggbb as CSS with this opacity."""
    return f"rgba({', '.join(map(str, channels(colour)))}, {opacity:g})"
