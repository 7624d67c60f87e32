"""The moving parts of the GSR page: the line at the queries left out, and the curve of the position bias."""

import numpy as np

from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import stops
from fairviz.figures import leave_out_curve
from fairviz.study.record import Study
from fairviz.ui.gsr.cards import SCATTER, SLOPES, Deck
from fairviz.ui.kept import gsr as cache
from fairviz.ui.kit import charts
from fairviz.ui.shell.live import bias, component
from fairviz.ui.shell.live.component import Slider
from fairviz.ui.shell.live.frames import Frame, Moving, Scale, edge_notes, edge_texts, line_looks, mark_looks
from fairviz.ui.shell.live.sliders import depends, sidebar

LEFT_OUT, CARRIED = "left_out", "stereotypes_carried"
QUERY = ("stereotypes_card_query", "stereotypes_card_query_wide")  # the card in its normal and its wide form
MARKER = 6


def stereotypes(deck: Deck, study: Study, settings: Settings) -> None:
    """Follow the page's own slider, and those of the sidebar for the curve of the position bias alone: no slope depends
    on the bias, nor on the cutoff if lists are read to the number of relevant documents.

    study, settings: those of the page; the deck's are of its debiased variants, if any.
    """

    def moving_parts(slider: str) -> list[Moving]:
        return [bias.moving_bias(stops(study, settings, slider), charts.theme())]

    charts_of_page = (SCATTER, SLOPES, CARRIED, *QUERY, "debiased_table", "stereotypes_trust", "finding")
    still = {"bias_parameter": charts_of_page, "cutoff": () if settings.gsr_depth == "cutoff" else charts_of_page}
    sliders = sidebar(study, settings, "gsr", moving_parts, still, only=("cutoff", "bias_parameter"))
    own: tuple[Slider, ...] = ()
    most = cache.most_left_out(deck.points)
    if most >= 1:
        texts = tuple(map(str, range(most + 1)))
        inputs = depends(deck.study, deck.settings.changed(left_out=0), deck.system, deck.systems, texts)
        scale = Scale(LEFT_OUT, "queries left out", texts)
        own = (Slider(scale, str(deck.settings.left_out), inputs, lambda: [moving_carried(deck)]),)
    component.follow(component.Page("gsr", charts_of_page[:-1], (*sliders, *own)))


def moving_carried(deck: Deck) -> Moving:
    """Return the slopes over the queries left out, which do not move, and the moving vertical line."""
    curves = deck.curves[deck.curves["system"].isin(deck.systems)]
    curve = leave_out_curve.info(curves, deck.settings.left_out, deck.system)
    systems, muted = list(curve.slopes), deck.theme.muted
    marks = mark_looks(systems, deck.styles, deck.theme, deck.system, MARKER)
    lines = line_looks(systems, deck.styles, deck.system, bands=True)
    looks = [mark_look | line_look for mark_look, line_look in zip(marks, lines, strict=True)]
    cursor = {"draw": "cursor", "name": "here", "colour": muted}
    layers = [{"draw": "lines", "name": "slopes", "looks": looks}, cursor, *edge_notes("", muted)]
    has_slope = bool(curve.numbers) and np.isfinite([value for row in curve.slopes.values() for value in row]).any()

    def frame(stop: int) -> Frame:
        numbers = {
            "slopes x": curve.numbers,
            "slopes y": [curve.slopes[name] for name in systems],
            "slopes low": [curve.bounds[name][0] for name in systems],
            "slopes high": [curve.bounds[name][1] for name in systems],
            "here x": [stop],
            "range yaxis": curve.up,
        }
        notes = edge_texts("", {name: curve.slopes[name][stop] for name in systems}, curve.up, len(systems))
        empty = ["" if has_slope else leave_out_curve.NO_SLOPE]
        return Frame(numbers, {"here label": [f"{stop} left out"], **notes, "empty": empty})

    return Moving(CARRIED, "plot", {"notes": True, "layers": layers}, frame)
