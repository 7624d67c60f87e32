"""The small curve of the position bias in the sidebar, which moves on every page with live sliders."""

from collections.abc import Sequence

import numpy as np

from fairviz.evaluation.choices import bias_to_depth
from fairviz.evaluation.settings import Settings
from fairviz.figures import bias_curve
from fairviz.figures.bias_curve import MARKER, MOST_MARKED, MOST_RANKS
from fairviz.figures.style import Theme
from fairviz.ui.shell.live.frames import Frame, Moving

KEY = "bias_curve"
FILLED = "80"  # opacity of the area, as two hexadecimal digits


def curve_of(settings: Settings) -> bias_curve.BiasCurve:
    """Return the weights of these settings down to their cutoff."""
    bias = bias_to_depth(settings, max(settings.cutoff, 1))
    return bias_curve.info(bias, settings.cutoff)


def moving_bias(stops: Sequence[Settings], theme: Theme) -> Moving:
    """Return the curve at each stop; up to MOST_MARKED ranks have markers."""
    colour = bias_curve.DARK_BLUE if theme.dark else bias_curve.BLUE
    look = {"name": "", "colour": colour, "width": 2, "dash": "solid", "fill": f"{colour}{FILLED}"}
    marked_look = look | {"symbol": "circle", "size": MARKER, "ring": 0}
    few_layer, many_layer = (
        {"draw": "lines", "name": name, "looks": [style]} for name, style in (("few", marked_look), ("many", look))
    )

    def frame(stop: int) -> Frame:
        curve = curve_of(stops[stop])
        weights = [*curve.weights, *[np.nan] * (MOST_RANKS - len(curve.weights))]
        ranks, gaps = list(range(1, MOST_RANKS + 1)), [np.nan] * MOST_RANKS
        has_markers = len(curve.weights) <= MOST_MARKED
        numbers = {
            "few x": ranks,
            "few y": weights if has_markers else gaps,
            "many x": ranks,
            "many y": gaps if has_markers else weights,
            "range xaxis": bias_curve.x_axis(curve),
            "range yaxis": bias_curve.up(curve),
            "ticks xaxis": [1, len(curve.weights) if len(curve.weights) > 1 else np.nan],
        }
        return Frame(numbers)

    return Moving(KEY, "plot", {"layers": [few_layer, many_layer]}, frame)
