"""What moves on the Stereotypes page: the upright line of the queries left out, and the curve of the position bias."""

from dataclasses import replace

import numpy as np

from fairviz.evaluation.settings import Settings
from fairviz.evaluation.stops import stops
from fairviz.figures import axes, leave_out_curve
from fairviz.figures.gender_colour import faded
from fairviz.figures.leave_out_curve import BAND, CHOSEN_BAND, LeaveOutCurve
from fairviz.study.study import Study
from fairviz.ui.kept import stereotypes as cache
from fairviz.ui.kit import charts
from fairviz.ui.live import bias, component
from fairviz.ui.live.component import Slider
from fairviz.ui.live.frames import Frame, Moving, Scale
from fairviz.ui.live.looks import edge_notes, filled, line_looks, mark_looks
from fairviz.ui.live.sliders import depends, sidebar
from fairviz.ui.stereotypes.cards import SCATTER, SLOPES, Deck

LEFT_OUT, CARRIED = "left_out", "stereotypes_carried"
QUERY = ("stereotypes_card_query", "stereotypes_card_query_wide")  # the card in its place, and as wide as the page
MARKER = 6


def stereotypes(deck: Deck, study: Study, settings: Settings) -> None:
    """The page follows its own slider, and those of the sidebar as far as the curve of the position bias goes: no slope
    rests on it, nor on the cutoff where lists are read as deep as documents are relevant.

    study, settings: those of the page; the deck's are of its debiased variants where there are any.
    """

    def along(slider: str) -> list[Moving]:
        return [bias.moving_bias(stops(study, settings, slider), charts.theme())]

    every = (SCATTER, SLOPES, CARRIED, *QUERY, "debiased_table", "stereotypes_trust", "finding")
    still = {"bias_parameter": every, "cutoff": () if settings.gsr_depth == "cutoff" else every}
    followed = sidebar(study, settings, "stereotypes", along, still, only=("cutoff", "bias_parameter"))
    component.follow(component.Page("stereotypes", every[:-1], (*followed, *_left_out(deck))))


def _left_out(deck: Deck) -> tuple[Slider, ...]:
    """The slider of queries left out, where there is one."""
    most = cache.most_left_out(deck.points)
    if most < 1:
        return ()
    texts = tuple(map(str, range(most + 1)))
    own = depends(deck.study, deck.settings.changed(left_out=0), deck.system, deck.shown, texts)
    scale = Scale(LEFT_OUT, "queries left out", texts)
    return (Slider(scale, str(deck.settings.left_out), own, lambda: [moving_carried(deck)]),)


def moving_carried(deck: Deck) -> Moving:
    """The slopes over the queries left out, which hold still, and the upright line."""
    curves = deck.curves[deck.curves["system"].isin(deck.shown)]
    drawn = leave_out_curve.info(curves, deck.settings.left_out, deck.system)
    systems = list(drawn.slopes)
    marks = mark_looks(systems, deck.styles, deck.theme, deck.system, MARKER)
    looks = []
    for mark, line in zip(marks, line_looks(systems, deck.styles, deck.system), strict=True):
        band = faded(deck.styles[line["name"]].colour, CHOSEN_BAND if line["name"] == deck.system else BAND)
        looks.append(mark | line | {"band": band})
    layers = [
        {"draw": "lines", "name": "slopes", "looks": looks},
        {"draw": "cursor", "name": "here", "colour": deck.theme.muted},
        *edge_notes("", deck.theme.muted),
    ]
    return Moving(CARRIED, "plot", {"notes": True, "layers": layers}, lambda stop: _frame(replace(drawn, current=stop)))


def _frame(drawn: LeaveOutCurve) -> Frame:
    systems = list(drawn.slopes)
    above, below = axes.beyond({name: drawn.slopes[name][drawn.current] for name in systems}, drawn.up)
    numbers = {
        "slopes x": drawn.numbers,
        "slopes y": [drawn.slopes[name] for name in systems],
        "slopes low": [drawn.bounds[name][0] for name in systems],
        "slopes high": [drawn.bounds[name][1] for name in systems],
        "here x": [drawn.current],
        "range yaxis": drawn.up,
    }
    known = bool(drawn.numbers) and np.isfinite([value for row in drawn.slopes.values() for value in row]).any()
    texts = {
        "here label": [f"{drawn.current} left out"],
        "above": filled(above, len(systems)),
        "below": filled(below, len(systems)),
        "empty": ["" if known else leave_out_curve.NO_SLOPE],
    }
    return Frame(numbers, texts)
