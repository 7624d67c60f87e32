"""Measures over all cutoffs, a panel a measure, a line a system with its 95 % band; cutoffs are shaded if the measures
have different best systems."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.comparison.curves import consecutive_cutoffs, disagreeing_cutoffs, disagreement, without_cutoff
from fairviz.figures.axes import TWO_GROUPS, Ends, Shares, note_beyond, possible, setters, span
from fairviz.figures.frame import (
    Line,
    add_panel,
    area,
    axis_number,
    figure,
    floats,
    panels,
    system_line,
)
from fairviz.figures.gender_colour import faded
from fairviz.figures.style import LIGHT, Styles, SystemStyle, Theme, axis_title, mark, references_last, safe
from fairviz.measures import Question

MOST_CUTOFFS = 200
PANEL_HEIGHT, BESIDE = 118, 96  # pixels of one of several panels; of the title and the axis of cutoffs
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
SHADE = 0.16  # opacity
CHANCE, CHANCE_BAND = "95 % of random orders", 0.22  # opacity of the band
NOTHING = "No system has a value of this measure."


@dataclass(frozen=True)
class Panel:
    """One measure: its lines, references last, the ends of its axis, which references do not set, and the mean and
    band of random orders, None without them."""

    measure: str
    direction: str
    lines: Mapping[str, Line]
    up: Ends
    chance: Line | None = None


@dataclass(frozen=True)
class CutoffCurve:
    """Panels over the same cutoffs (ascending).

    disagreements: first and last cutoff of each range in which the measures have different best systems; sentence: a
    text about these ranges.
    """

    panels: tuple[Panel, ...]
    cutoffs: tuple[int, ...]
    cutoff: int
    disagreements: tuple[tuple[int, int], ...] = ()
    sentence: str = ""
    selected: str = ""

    @property
    def title(self) -> str:
        """Title of the figure."""
        names = [safe(panel.measure) for panel in self.panels]
        if not names:
            return "Measures at every cutoff"
        return f"{names[0]} at every cutoff" if len(names) == 1 else "Measures at every cutoff, 95 % bands"

    @property
    def note(self) -> str:
        """Text beside the figure: the sentence, and what the outline is."""
        outlined = f"Outlined: {CHANCE}." if any(panel.chance for panel in self.panels) else ""
        return " ".join(filter(None, (self.sentence, outlined)))

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        deepest = self.cutoffs[-1] if self.cutoffs else 0
        systems = max((len(panel.lines) for panel in self.panels), default=0)
        names = ", ".join(panel.measure for panel in self.panels)
        text = f"{names} of {systems} systems for cutoffs from 1 to {deepest:,}."
        return f"{text} {self.sentence}".strip()


def info(
    curves: pd.DataFrame,
    questions: Sequence[Question],
    cutoff: int,
    selected: str = "",
    targets: Shares = TWO_GROUPS,
    outside: Collection[str] = (),
    chance: pd.DataFrame | None = None,
) -> CutoffCurve:
    """Return the lines of these measures from a table (system, measure, cutoff, value, ci_low, ci_high), with at most
    MOST_CUTOFFS cutoffs. targets: the target shares of the genders, on which the ranges of some measures depend.
    outside: systems that, like references, are never the best. chance: a table (measure, cutoff, chance, low, high) of
    random orders, whose band is drawn behind the lines."""
    counts = curves.groupby("cutoff")["value"].count()
    cutoffs = _thin(sorted(int(k) for k in counts.index[counts > 0]))
    panels = tuple(_panel(curves, question, cutoffs, targets, chance) for question in questions)
    rows = curves[curves["cutoff"].isin(cutoffs) & ~curves["system"].isin(list(outside))]
    disagreeing = disagreeing_cutoffs(rows, questions) if len(questions) > 1 else ()
    ranges = tuple((run[0], run[-1]) for run in consecutive_cutoffs(disagreeing, cutoffs))
    return CutoffCurve(panels, cutoffs, cutoff, ranges, disagreement(rows, questions), selected)


def _thin(cutoffs: Sequence[int]) -> tuple[int, ...]:
    if len(cutoffs) <= MOST_CUTOFFS:
        return tuple(cutoffs)
    places = np.unique(np.geomspace(1, len(cutoffs), MOST_CUTOFFS).round().astype(int)) - 1
    return tuple(cutoffs[place] for place in places)


def _panel(
    curves: pd.DataFrame, question: Question, cutoffs: Sequence[int], targets: Shares, chance: pd.DataFrame | None
) -> Panel:
    rows = curves[curves["measure"] == without_cutoff(question)]
    lines = {}
    for name in references_last(str(system) for system in rows["system"]):
        system_rows = rows[rows["system"] == name].set_index("cutoff").reindex(list(cutoffs))
        if system_rows["value"].notna().any():
            lines[name] = Line(*floats(system_rows, "value", "ci_low", "ci_high"))
    band = _chance_line(chance, question, cutoffs)
    drawn_lines = [lines[name] for name in setters(lines)] + ([band] if band else [])
    numbers = (v for one in drawn_lines for row in one for v in row)
    return Panel(without_cutoff(question), question.direction, lines, span(numbers, possible(question, targets)), band)


def _chance_line(chance: pd.DataFrame | None, question: Question, cutoffs: Sequence[int]) -> Line | None:
    """Return the mean and band of random orders at these cutoffs; None without a table of them."""
    if chance is None:
        return None
    rows = chance[chance["measure"] == without_cutoff(question)].set_index("cutoff").reindex(list(cutoffs))
    return Line(*floats(rows, "chance", "low", "high"))


def height_of(panels: int, least: int = 300) -> int:
    """Return the height of a figure with this number of panels, in pixels."""
    return least if panels < 2 else max(least, panels * PANEL_HEIGHT + BESIDE)


@figure(lambda data: data.title, lambda data: "" if any(panel.lines for panel in data.panels) else NOTHING)
def draw(figure: go.Figure, curve: CutoffCurve, styles: Styles, theme: Theme = LIGHT, height: int = 300) -> None:
    """Draw panels over one logarithmic axis of cutoffs, with a mark at the current cutoff."""
    rows = len(curve.panels)
    figure.update_layout(height=height_of(rows, height))
    positions = panels(figure, rows, 1, theme, shared_xaxes=True, vertical_spacing=0.09 / rows)
    figure.update_xaxes(_cutoff_axis(curve))
    figure.update_xaxes(title_text="cutoff k", row=rows, col=1)
    legend_systems: set[str] = set()
    for place, (panel, position) in enumerate(zip(curve.panels, positions, strict=True)):
        if panel.chance is not None:
            add_panel(figure, [_chance_band(curve, panel.chance, theme)], position, legend_systems)
        for system, means in panel.lines.items():
            add_panel(figure, _traces(curve, system, means, styles[system], theme), position, legend_systems)
        figure.update_yaxes(title_text=_title(panel, curve.panels), range=panel.up, **position)
        if rows > 1:
            figure.update_yaxes(title={"font": {"size": 11}}, nticks=5, **position)
        note_beyond(figure, current_values(curve, panel), panel.up, theme, axis_number(place))
    _mark_cutoffs(figure, curve, theme)


def _cutoff_axis(curve: CutoffCurve) -> dict:
    """Return the logarithmic axis of every panel, from the first cutoff to the last."""
    first, last = curve.cutoffs[0], curve.cutoffs[-1]
    room = 0.02 * math.log10(last / first) if last > first else 0.1
    ticks = [k for k in TICKS if first <= k <= last] or [first]
    return {
        "type": "log",
        "range": [math.log10(first) - room, math.log10(last) + room],
        "tickvals": ticks,
        "ticktext": [f"{k:,}" for k in ticks],
    }


def _chance_band(curve: CutoffCurve, chance: Line, theme: Theme) -> go.Scatter:
    """Return the band of random orders, outlined, since the bands of systems cover it."""
    band = area(curve.cutoffs, chance.low, chance.high, faded(theme.muted, CHANCE_BAND), name=CHANCE)
    return band.update(line={"width": 1.2, "color": theme.muted}, legendgroup=CHANCE)


def _traces(curve: CutoffCurve, system: str, means: Line, style: SystemStyle, theme: Theme) -> list[go.Scatter]:
    mode = "lines" if len(curve.cutoffs) > 1 else "markers"
    return system_line(
        system, curve.cutoffs, means, style, theme, selected=curve.selected, mode=mode, size=8, decimals=4,
        hover="k %{x}<br>%{y:.4f}",
    )  # fmt: skip


def _title(panel: Panel, panels: Sequence[Panel]) -> str:
    """Return the title of a panel's y axis. Among several panels, parameters are shown only if another panel has the
    same measure, and the direction is then on a line of its own."""
    short = panel.measure.partition("(")[0]
    if len(panels) == 1:
        return axis_title(panel.measure, panel.direction)
    if sum(other.measure.partition("(")[0] == short for other in panels) == 1:
        return axis_title(short, panel.direction)
    return axis_title(panel.measure, panel.direction).replace(safe(panel.measure), f"{safe(panel.measure)}<br>", 1)


def _mark_cutoffs(figure: go.Figure, curve: CutoffCurve, theme: Theme) -> None:
    """Shade the cutoffs at which the measures disagree, through all panels, and mark the current cutoff."""
    for x0, x1 in shaded_ranges(curve):
        figure.add_shape(
            type="rect", x0=x0, x1=x1, y0=0, y1=1, xref="x", yref="paper", layer="below",
            fillcolor=faded(theme.muted, SHADE), line={"width": 0},
        )  # fmt: skip
    if curve.cutoff <= curve.cutoffs[-1]:
        mark(figure, curve.cutoff, f"k = {curve.cutoff}", theme, logarithmic=True)


def shaded_ranges(curve: CutoffCurve) -> list[Ends]:
    """Return the ends of each range in which the measures disagree: halfway to the neighbouring cutoffs."""
    return [
        (_middle(curve.cutoffs, first), _middle(curve.cutoffs, last, after=True)) for first, last in curve.disagreements
    ]


def _middle(cutoffs: Sequence[int], cutoff: int, *, after: bool = False) -> float:
    """Return the middle, on the logarithmic axis, to the cutoff before or after this one; the cutoff itself at an
    end."""
    place = cutoffs.index(cutoff) + (1 if after else -1)
    return math.sqrt(cutoff * cutoffs[place]) if 0 <= place < len(cutoffs) else float(cutoff)


def current_values(curve: CutoffCurve, panel: Panel) -> dict[str, float]:
    """Return each line's value at the current cutoff, or at the largest one below it."""
    places = [place for place, k in enumerate(curve.cutoffs) if k <= curve.cutoff] or [0]
    return {name: means.values[places[-1]] for name, means in panel.lines.items()}
