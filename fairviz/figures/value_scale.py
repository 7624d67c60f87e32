"""Each measure from its worst to its best order of the candidates: the systems' means, and the band of random orders.

Measures whose fairest value is 0 or 1 have no worst and best value, only distances, and are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.comparison.finding import direction, position
from fairviz.figures.cutoff_curve import CHANCE, CHANCE_BAND
from fairviz.figures.frame import add_at_once, figure
from fairviz.figures.gender_colour import faded
from fairviz.figures.measure_order import LINE, Mark, MeasureOrder, Strip, add_strips, height_of
from fairviz.figures.style import LIGHT, Styles, Theme, references_last
from fairviz.measures import Question
from fairviz.orders.ranges import CERTAINTY
from fairviz.study.record import is_reference
from fairviz.words.sentences import decimal, listed, out_of

TITLE = "From the worst to the best order of the candidates"
NOTHING = "No measure here has a worst and a best order."
DIRECTIONS = ("higher", "lower")
HEADING, ROW = 0.05, 72  # y of a heading and pixels of a strip, with room for marks above one another
BAND_HALF = 0.2  # half the height of a band, in strips
SIGNS = {"exact": "", "bound": "≤ ", "searched": "≥ "}  # of the best value, where higher is better
MIRRORED = {"≤ ": "≥ ", "≥ ": "≤ ", "": ""}


@dataclass(frozen=True)
class ValueScale:
    """The strips, and for each the band of random orders between its ends, from 0 to 1; None without one."""

    strips: MeasureOrder
    bands: tuple[tuple[float, float] | None, ...]

    @property
    def alt(self) -> str:
        """Alt text of the figure."""
        return " ".join(self.strips.lines) or NOTHING


def info(scales: pd.DataFrame, questions: Sequence[Question], selected: str = "") -> ValueScale:
    """Return the strips of the measures with a better direction, the better end at the right.

    scales: of `fairviz.orders.ranges`. selected: the system whose band is drawn; without one the first that
    is not a reference. Ends are those of all systems.
    """
    strips: list[Strip] = []
    bands: list[tuple[float, float] | None] = []
    lines: list[str] = []
    for question in (one for one in questions if one.direction in DIRECTIONS):
        rows = scales[(scales["measure"] == question.text) & scales[["value", "worst", "best"]].notna().all(axis=1)]
        if len(rows):
            rows = rows.set_index(rows["system"].astype("str")).loc[references_last(rows["system"].astype("str"))]
            strips.append(_strip(len(strips), question, rows))
            bands.append(_band(rows, question, selected))
            lines.append(_line(question, rows, strips[-1]))
    systems = dict.fromkeys(mark.system for strip in strips for mark in strip.marks)
    return ValueScale(MeasureOrder(tuple(strips), tuple(systems), tuple(lines), HEADING, ROW), tuple(bands))


def _ends(rows: pd.DataFrame, question: Question) -> tuple[float, float]:
    """Return the worst and the best value of any system."""
    worst, best = ("min", "max") if question.direction == "higher" else ("max", "min")
    return float(rows["worst"].agg(worst)), float(rows["best"].agg(best))


def _strip(row: int, question: Question, rows: pd.DataFrame) -> Strip:
    worst, best = _ends(rows, question)
    marks: list[Mark] = []
    columns = (rows.index, rows["value"], rows["outside"], rows["queries"])
    for system, value, outside, queries in zip(*columns, strict=True):
        x = position(value, worst, best)
        y = height_of(row, x, marks, aside=is_reference(system))
        note = "" if pd.isna(outside) else f"<br>{out_of(int(outside), int(queries), 'query')} outside chance"
        marks.append(Mark(system, float(value), x, y, "plain", note))
    left, right = _with_signs(rows, question, worst, best)
    lead = _outside(rows)
    return Strip(question.name, direction(question), "", lead, left, right, tuple(marks), (), None, question.summary)


def _with_signs(rows: pd.DataFrame, question: Question, worst: float, best: float) -> tuple[str, str]:
    """Return the ends as text: `≤ 0.98` for a best value that is only a bound, `≥ 0.98` for one that a search found."""
    right = SIGNS[min(rows["best_is"], key=CERTAINTY.index)]
    left = MIRRORED[SIGNS[min(rows["worst_is"], key=CERTAINTY.index)]]
    if question.direction == "lower":
        left, right = MIRRORED[left], MIRRORED[right]
    return f"{left}{decimal(worst)}", f"{right}{decimal(best)}"


def _outside(rows: pd.DataFrame) -> str:
    """Return `43 of 280 lists outside chance`, without references; empty without a band."""
    counted = rows[[not is_reference(name) for name in rows.index]].dropna(subset=["outside"])
    if not len(counted):
        return ""
    return f"{out_of(int(counted['outside'].sum()), int(counted['queries'].sum()), 'list')} outside chance"


def _band(rows: pd.DataFrame, question: Question, selected: str) -> tuple[float, float] | None:
    """Return the band of the selected system, cut at the ends of the strip."""
    with_band = rows.dropna(subset=["chance_low", "chance_high"])
    if not len(with_band):
        return None
    place = with_band.index.get_loc(selected) if selected in with_band.index else 0
    band = with_band[["chance_low", "chance_high"]].to_numpy(dtype=np.float64)[place]
    ends = _ends(rows, question)
    low, high = sorted(position(float(end), *ends) for end in band)
    return float(np.clip(low, 0, 1)), float(np.clip(high, 0, 1))


def _line(question: Question, rows: pd.DataFrame, strip: Strip) -> str:
    """Return the strip in words."""
    means = listed([f"{name} {decimal(value)}" for name, value in rows["value"].items()])
    text = f"{question.name} from {strip.left} to {strip.right}: {means}."
    return f"{text} {strip.lead}." if strip.lead else text


@figure(TITLE, lambda data: "" if data.strips.strips else NOTHING)
def draw(figure: go.Figure, scale: ValueScale, styles: Styles, theme: Theme = LIGHT, height: int = 0) -> None:
    """Draw a strip a measure with the band of random orders behind its marks, and the band's entry in the legend."""
    look = {"fillcolor": faded(theme.muted, CHANCE_BAND), "line": {"width": 1.2, "color": theme.muted}}
    bands = [(*band, row + LINE) for row, band in enumerate(scale.bands) if band is not None]
    add_at_once(figure, [
        {"type": "rect", "x0": x0, "x1": x1, "y0": y - BAND_HALF, "y1": y + BAND_HALF, "layer": "below", **look}
        for x0, x1, y in bands
    ])  # fmt: skip
    if any(scale.bands):
        symbol = {"symbol": "square", "size": 12, "color": look["fillcolor"], "line": look["line"]}
        figure.add_trace(go.Scatter(x=[None], y=[None], mode="markers", name=CHANCE, marker=symbol, hoverinfo="skip"))
    add_strips(figure, scale.strips, styles, theme, height)
