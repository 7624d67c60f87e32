"""Moving parts of the card of curves, over alpha or over the cutoff, while a slider is dragged."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from fairviz.figures import alpha_curve, axes, cutoff_curve
from fairviz.figures.frame import BAND, CHOSEN_BAND
from fairviz.figures.gender_colour import faded
from fairviz.measures.cwex import mixed
from fairviz.ui.kept import tables as cache
from fairviz.ui.shell.live.frames import Frame, Moving
from fairviz.ui.shell.live.looks import edge_notes, filled, line_looks, plain
from fairviz.ui.tradeoff import cards, chance
from fairviz.ui.tradeoff.deck import Deck
from fairviz.ui.tradeoff.moving import SliderScores, scores_along_slider

MOST_PARTED = 20  # ranges of cutoffs that are shaded


def moving_curve(deck: Deck, scores: SliderScores) -> tuple[Moving, ...]:
    """Return the curves of the card; none if every line changes at each stop."""
    kind, key = cards.shown_curve(deck)
    if kind == cards.OVER_ALPHA:
        return (_over_alpha(deck, scores, key),)
    return (_over_cutoffs(deck, scores, key),) if scores.cube.slider == "cutoff" else ()


def _over_alpha(deck: Deck, scores: SliderScores, key: str) -> Moving:
    """Return lines over alpha and the cursor at the current one; along another slider the lines move."""
    now = cache.alpha_curves(deck.study, deck.settings)
    systems, alphas = [str(name) for name in dict.fromkeys(now["system"])], np.unique(now["alpha"])
    baseline = str(st.session_state.get("tradeoff_baseline", ""))
    ghost = None
    if deck.then and deck.then.labelled:
        then = deck.then.settings
        before = cache.alpha_curves(deck.study, then)
        ghost = alpha_curve.info(before, then.alpha, then.cutoff, baseline, outside=deck.then.untested)
    outside = deck.untested
    first = alpha_curve.info(now, deck.settings.alpha, deck.settings.cutoff, baseline, outside=outside)
    ends = None if scores.cube.slider == "alpha" else _ends(deck, scores)

    def frame(stop: int) -> Frame:
        settings = scores.cube.stops[stop]
        if ends is None:
            return _alpha_frame(replace(first, alpha=settings.alpha), systems, alphas, ghost)
        lines = _mixed(ends, stop, alphas)
        info = alpha_curve.of_lines(alphas, lines, settings.alpha, settings.cutoff, baseline, outside=outside)
        return _alpha_frame(info, systems, alphas, ghost)

    looks = line_looks(systems, deck.styles, deck.settings.system)
    lines = {"draw": "lines", "name": "lines", "looks": looks, "clip": True}
    here = {"draw": "cursor", "name": "here", "colour": deck.theme.muted}
    return Moving(key, "plot", {"notes": True, "layers": [lines, here, *edge_notes("", deck.theme.muted)]}, frame)


def _ends(deck: Deck, scores: SliderScores) -> SliderScores:
    """Return CWEx at both ends of alpha along the slider; every other alpha mixes the two."""
    texts = [f"CWEx(alpha={alpha})@{deck.settings.cutoff}" for alpha in (0, 1)]
    return scores_along_slider(deck.study, texts, deck.settings, scores.cube.slider)


def _mixed(ends: SliderScores, stop: int, alphas: np.ndarray) -> dict[str, np.ndarray]:
    """Return each system's CWEx at the alphas (A,), at one stop, from its means at alpha 0 and at 1."""
    means = ends.cube.columns["value"][stop]
    gap, neutral = -means[0], means[1]
    values = mixed(alphas[:, None], neutral, gap)  # (A, S)
    return {name: values[:, place] for place, name in enumerate(ends.cube.systems)}


def _alpha_frame(
    info: alpha_curve.AlphaCurve, systems: Sequence[str], alphas: np.ndarray, ghost: alpha_curve.AlphaCurve | None
) -> Frame:
    empty = [np.nan] * len(alphas)
    up = alpha_curve.with_room(info, ghost)
    here = int(np.argmin(np.abs(alphas - info.alpha)))
    above, below = axes.out_of_range_notes({name: values[here] for name, values in info.differences.items()}, up)
    numbers = {
        "lines x": alphas,
        "lines y": [info.differences.get(name, empty) for name in systems],
        "here x": [info.alpha],
        "range yaxis": up,
    }
    texts = {
        "here label": [f"α = {info.alpha:g}"],
        "above": filled(above, len(systems)),
        "below": filled(below, len(systems)),
        "y title": [plain(alpha_curve.y_title(info))],
        "empty": ["" if info.differences else alpha_curve.NO_VALUE],
    }
    return Frame(numbers, texts)


def _over_cutoffs(deck: Deck, scores: SliderScores, key: str) -> Moving:
    """Return the cursor, which alone moves along the cutoff, with the notes on lines beyond the axes."""
    measures = cards.chosen_measures(deck)
    _, info = cards.at_cutoffs(deck, measures, chance.band(deck, measures))
    systems = [str(name) for name in dict.fromkeys(name for panel in info.panels for name in panel.lines)]
    ghost = cards.pinned_cutoffs(deck, measures)
    curves = _Held(deck, info, systems, [cutoff_curve.with_room(panel, ghost) for panel in info.panels])

    def frame(stop: int) -> Frame:
        return curves.frame(replace(info, cutoff=scores.cube.stops[stop].cutoff))

    return Moving(key, "plot", curves.still(), frame)


class _Held:
    """The lines over the cutoff, which do not move with it. ups: the range of each panel's y axis."""

    def __init__(
        self, deck: Deck, info: cutoff_curve.CutoffCurve, systems: Sequence[str], ups: Sequence[axes.Ends]
    ) -> None:
        self.deck, self.systems, self.ups = deck, systems, ups
        self.chance = any(panel.chance for panel in info.panels)  # the first line of each panel
        self.numbers: dict = {"x": [math.log10(k) for k in info.cutoffs]}
        empty = [np.nan] * len(info.cutoffs)
        for place, panel in enumerate(info.panels):
            lines = [*([panel.chance] if self.chance else []), *map(panel.lines.get, systems)]
            for name in ("values", "low", "high"):
                self.numbers[f"lines{place} {'y' if name == 'values' else name}"] = [
                    getattr(one, name) if one else empty for one in lines
                ]
            self.numbers[f"lines{place} x"] = self.numbers["x"]
            self.numbers[f"range yaxis{place + 1 if place else ''}"] = ups[place]
        ends = [tuple(map(math.log10, pair)) for pair in cutoff_curve.shaded_ranges(info)][:MOST_PARTED]
        self.numbers["parted"] = [end for pair in ends for end in pair] or [np.nan, np.nan]

    def still(self) -> dict:
        """Return the layers, panel by panel."""
        deck, panels = self.deck, []
        layers: list[dict] = [
            {"draw": "shades", "name": "parted", "colour": faded(deck.theme.muted, cutoff_curve.SHADE)}
        ]
        for place in range(len(self.ups)):
            number = str(place + 1) if place else ""
            panels.append((f"xaxis{number}", f"yaxis{number}"))
            layers.append(
                {"draw": "lines", "name": f"lines{place}", "looks": self._looks(), "panel": place, "clip": True}
            )
            layers += edge_notes(str(place), deck.theme.muted, place)
        layers.append({"draw": "cursor", "name": "here", "colour": deck.theme.muted})
        return {"notes": True, "panels": panels, "layers": layers}

    def _looks(self) -> list[dict]:
        chosen = self.deck.settings.system
        looks = line_looks(self.systems, self.deck.styles, chosen)
        opacity = {name: CHOSEN_BAND if name == chosen else BAND for name in self.systems}
        muted = self.deck.theme.muted
        band = {"name": cutoff_curve.CHANCE, "colour": faded(muted, 0), "dash": "solid", "width": 1}
        band |= {"band": faded(muted, cutoff_curve.CHANCE_BAND)}
        systems = [look | {"band": faded(look["colour"], opacity[look["name"]])} for look in looks]
        return [band, *systems] if self.chance else systems

    def frame(self, curve: cutoff_curve.CutoffCurve) -> Frame:
        """Return the lines, the position of the cursor, and the notes on lines beyond the axes there."""
        reached = curve.cutoff <= curve.cutoffs[-1]
        numbers = self.numbers | {"here x": [math.log10(curve.cutoff) if reached else np.nan]}
        texts = {"here label": [f"k = {curve.cutoff}"]}
        for place, (panel, up) in enumerate(zip(curve.panels, self.ups, strict=True)):
            above, below = axes.out_of_range_notes(cutoff_curve.current_values(curve, panel), up)
            texts[f"above{place}"] = filled(above, len(self.systems))
            texts[f"below{place}"] = filled(below, len(self.systems))
        return Frame({name: row for name, row in numbers.items() if name != "x"}, texts)
