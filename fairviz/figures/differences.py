"""Systems against a baseline: the mean of their differences query by query, with its interval, a panel a measure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from fairviz.evaluation.compare import Comparison, Rows, interval_note
from fairviz.evaluation.pair_rows import AHEAD, BEHIND, OUTSIDE, REFERENCE
from fairviz.evaluation.pair_rows import Row as Compared
from fairviz.figures.style import LIGHT, SystemStyle, Theme, axis, axis_title, empty_figure, layout, safe, shortened
from fairviz.measures import Question, parse

MOST_COLUMNS = 4
MOST_ROWS = 60  # systems drawn; the table holds all
ROW_HEIGHT, FRAME, LEAST_HEIGHT = 18, 128, 250  # pixels
NAME_CHARACTERS = 22
APART = (AHEAD, BEHIND)
NOTHING = "There is no second system to set against it, or no measure has a better end."
STAR = "★"


@dataclass(frozen=True)
class Row:
    """One system's difference to the baseline with its interval (NaN where undefined), and what the test says.

    apart: significantly different. reference: a system that is not tested. baseline: the baseline itself, at 0.
    """

    system: str
    difference: float
    low: float
    high: float
    told: str
    apart: bool = False
    starred: bool = False
    reference: bool = False
    baseline: bool = False


@dataclass(frozen=True)
class Panel:
    """One measure: its name, the baseline, what the axis says, and a row for each system drawn, from the top."""

    measure: str
    baseline: str
    x_title: str
    rows: tuple[Row, ...]

    @property
    def reach(self) -> tuple[float, float]:
        """What the axis covers: 0 and all intervals of contenders; those of references where there are no others."""
        contenders = [row for row in self.rows if not row.reference]
        shown = contenders if any(np.isfinite(row.difference) and not row.baseline for row in contenders) else self.rows
        bounds = [bound for row in shown for bound in (row.low, row.difference, row.high) if np.isfinite(bound)]
        low, high = min([0.0, *bounds]), max([0.0, *bounds])
        room = (high - low) * 0.08 or 0.1
        return low - room, high + 2 * room  # more at the right, for the stars


@dataclass(frozen=True)
class Differences:
    """What is drawn: a panel a measure, with the same systems in the same order; `hidden` more are not drawn.

    references: the systems that are not tested, each as it is named in the figure.
    """

    title: str
    panels: tuple[Panel, ...]
    systems: tuple[str, ...]
    references: Mapping[str, str] = field(default_factory=dict)
    selected: str = ""
    hidden: int = 0

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        told = []
        for panel in self.panels:
            apart = [row.system for row in panel.rows if row.apart]
            told.append(f"{panel.measure}: significantly different from {panel.baseline}: {', '.join(apart) or 'none'}")
        return f"{self.title}. {'; '.join(told) or 'Nothing is compared'}."


def info(
    found: Comparison,
    stars: Mapping[str, frozenset[str]] | None = None,
    selected: str = "",
) -> Differences:
    """Return the panels of a comparison, as it is seen from its baseline; systems that are not tested are below.

    stars: for each measure the systems that have a star. Systems are ordered by their difference in the first measure,
    the fairest at the top.
    """
    title = f"Differences to {found.baseline or 'the best of each measure'}, intervals {interval_note(found)}"
    measures = found.rows
    every = [row for rows in measures.values() for row in rows]
    names = list(dict.fromkeys([*(row.baseline for row in every), *(row.system for row in every)]))
    references = {name: found.how.labelled(name) for name in names if not found.how.is_tested(name)}
    order = _order(measures, names, references)
    panels = tuple(
        _panel(parse(text), rows, order[:MOST_ROWS], (stars or {}).get(text, frozenset()), frozenset(references))
        for text, rows in measures.items()
    )
    hidden = max(0, len(order) - MOST_ROWS)
    return Differences(title, panels, tuple(order[:MOST_ROWS]), references, selected, hidden)


def _order(measures: Rows, names: Sequence[str], references: Mapping[str, str]) -> list[str]:
    """Return the systems from the top: by the first measure, those without a value below, untested ones last."""
    if not measures:
        return []
    text, first = next(iter(measures.items()))
    sign = -1.0 if parse(text).direction in ("higher", "none") else 1.0
    far = {row.system: sign * row.difference for row in first}
    far[first[0].baseline] = 0.0

    def key(name: str) -> tuple[bool, bool, float]:
        value = far.get(name, math.nan)
        return name in references, math.isnan(value), 0.0 if math.isnan(value) else value

    return sorted(names, key=key)


def _panel(
    question: Question, rows: Sequence[Compared], order: Sequence[str], stars: frozenset[str], untested: frozenset[str]
) -> Panel:
    against = rows[0].baseline
    of = {row.system: row for row in rows}
    made = tuple(
        replace(_row(name, of.get(name), against), starred=name in stars, reference=name in untested) for name in order
    )
    distance = {"zero": "difference in distance from 0", "one": "difference in |ln|"}.get(question.direction)
    goal = "better" if question.family == "effectiveness" else "fairer"
    direction = "lower" if distance else question.direction
    return Panel(question.text, against, axis_title(distance or "difference", direction, goal), made)


def _row(name: str, found: Compared | None, against: str) -> Row:
    if found is None:
        of = "the baseline" if name == against else "undefined"
        at = 0.0 if name == against else math.nan
        return Row(name, at, math.nan, math.nan, of, baseline=name == against)
    ends = (float(found.difference), float(found.ci_low), float(found.ci_high))
    return Row(name, *ends, _told(found), found.verdict in APART)


def _told(found: Compared) -> str:
    """`−0.115 (−0.180 to −0.054), p 0.0015, corrected 0.014; 13 wins, 1 tie, 26 losses; 40 queries: behind`."""
    if math.isnan(found.difference):
        return f"undefined: {found.verdict}"
    parts = [_number(found.difference)]
    if np.isfinite(found.ci_low):
        alone = ", uncorrected" if found.verdict in (REFERENCE, OUTSIDE) else ""
        parts[0] += f" ({_number(found.ci_low)} to {_number(found.ci_high)}{alone})"
    if np.isfinite(found.p):
        parts[0] += f", p {found.p:.2g}"
    if np.isfinite(found.p_corrected):
        parts[0] += f", corrected {found.p_corrected:.2g}"
    if found.wins is not None:
        parts.append(f"fairer on {found.wins}, equal on {found.ties}, less fair on {found.losses}")
    queries = found.warning or f"{found.queries} queries"
    return f"{'; '.join(parts)}; {queries}: {found.verdict}"


def _number(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def draw(
    differences: Differences, styles: Mapping[str, SystemStyle], theme: Theme = LIGHT, least_height: int = LEAST_HEIGHT
) -> go.Figure:
    """Draw small multiples, each with its own axis and zero line: filled marks are significantly different."""
    if not differences.panels or len(differences.systems) < 2:
        return empty_figure(safe(differences.title), NOTHING, theme, least_height)
    traces = []
    for place, panel in enumerate(differences.panels):
        number = str(place + 1) if place else ""
        for trace in _traces(panel, differences, styles, theme):
            # what a click hears of: the system, what it is set against, by which measure
            told = [[*held, panel.baseline, panel.measure] for held in trace.customdata]
            traces.append(trace.update(xaxis=f"x{number}", yaxis=f"y{number}", customdata=told))
    return go.Figure(traces, _layout(differences, theme, least_height))


def _layout(differences: Differences, theme: Theme, least_height: int) -> dict:
    """The frame with the axes and the title of each panel, as one whole: Plotly checks it once."""
    columns = min(len(differences.panels), MOST_COLUMNS)
    rows = math.ceil(len(differences.panels) / columns)
    tall = max(least_height, FRAME + ROW_HEIGHT * len(differences.systems))
    grid = _grid(rows, columns, min(0.3, 110 / (rows * tall)))
    frame = layout(safe(differences.title), theme, rows * tall).to_plotly_json()
    frame |= {"showlegend": False, "margin": {"l": 8, "r": 8, "t": 74, "b": 8}}
    across = axis(theme) | {"zerolinecolor": theme.text, "zerolinewidth": 1.5, "nticks": 5}
    up = axis(theme) | {"zeroline": False}
    frame |= {name: held | (across if name[0] == "x" else up) for name, held in grid.items() if name != "annotations"}
    font = {"size": 12, "color": theme.text}
    frame["annotations"] = []
    for place, (panel, note) in enumerate(zip(differences.panels, grid["annotations"], strict=False)):
        number = str(place + 1) if place else ""
        title = f"<b>{shortened(panel.measure, 28)}</b> − {shortened(panel.baseline)}"
        frame["annotations"].append(note | {"text": title, "font": font})
        frame[f"xaxis{number}"] |= {"title": across["title"] | {"text": panel.x_title}, "range": list(panel.reach)}
        frame[f"yaxis{number}"] |= _names(differences)
    return frame


@cache
def _grid(rows: int, columns: int, apart: float) -> dict:
    """Where the axes and titles of so many panels stand. Made once: it takes as long as all that a figure shows."""
    figure = make_subplots(
        rows, columns, shared_yaxes=True, subplot_titles=["-"] * rows * columns, horizontal_spacing=0.02,
        vertical_spacing=apart,
    )  # fmt: skip
    layout = figure.layout.to_plotly_json()
    return {name: held for name, held in layout.items() if name == "annotations" or name[1:5] == "axis"}


def _names(differences: Differences) -> dict:
    """The systems at the left."""
    count = len(differences.systems)
    return {"tickvals": list(range(count)), "ticktext": row_names(differences), "range": [count - 0.4, -0.6]}


def row_names(differences: Differences) -> list[str]:
    """The systems from the top, those that are not tested in italics, the selected one in bold."""
    texts = []
    for name in differences.systems:
        text = shortened(name, NAME_CHARACTERS)
        if name in differences.references:
            text = f"<i>{text}{differences.references[name].removeprefix(name)}</i>"
        texts.append(f"<b>{text}</b>" if name == differences.selected else text)
    return texts


def _traces(panel: Panel, differences: Differences, styles: Mapping[str, SystemStyle], theme: Theme) -> list:
    """The marks with their intervals; stars at the right; arrows for references beyond the axis; what is undefined."""
    (low, high), places = panel.reach, {row.system: place for place, row in enumerate(panel.rows)}
    known = [row for row in panel.rows if np.isfinite(row.difference)]
    inside = [row for row in known if low <= row.difference <= high]
    traces = [_marks(inside, places, differences.selected, styles, theme)]
    beyond = [row for row in known if row not in inside]
    if beyond:
        edge = [low if row.difference < low else high for row in beyond]
        symbols = ["triangle-left" if row.difference < low else "triangle-right" for row in beyond]
        marker = {"symbol": symbols, "size": 10, "color": theme.muted}
        traces.append(_points(beyond, edge, places, mode="markers", marker=marker, cliponaxis=False))
    starred = [row for row in panel.rows if row.starred]
    written = {"mode": "text", "textposition": "middle center"}
    if starred:
        at = [high - (high - low) * 0.035] * len(starred)
        text = {"text": [STAR] * len(starred), "textfont": {"size": 14, "color": theme.text}}
        traces.append(_points(starred, at, places, **text, **written))
    undefined = [row for row in panel.rows if not np.isfinite(row.difference)]
    if undefined:
        text = {"text": ["undefined"] * len(undefined), "textfont": {"size": 11, "color": theme.muted}}
        traces.append(_points(undefined, [(low + high) / 2] * len(undefined), places, **text, **written))
    return traces


def _marks(rows: Sequence[Row], places: Mapping[str, int], selected: str, styles: Mapping[str, SystemStyle], theme):
    colours = [theme.muted if row.reference else styles[row.system].colour for row in rows]
    symbols = ["line-ns" if row.baseline else styles[row.system].symbol for row in rows]
    filled = [row.apart or row.baseline for row in rows]
    marker = {
        "symbol": symbols,
        "color": [colour if full else theme.surface for colour, full in zip(colours, filled, strict=True)],
        "size": [14 if row.system == selected or row.baseline else 10 for row in rows],
        "line": {"width": [2.5 if row.baseline else 1.6 for row in rows], "color": colours},
    }
    error = {
        "type": "data", "symmetric": False, "color": theme.muted, "thickness": 1.3, "width": 3,
        "array": [_length(row.high - row.difference) for row in rows],
        "arrayminus": [_length(row.difference - row.low) for row in rows],
    }  # fmt: skip
    return _points(rows, [row.difference for row in rows], places, mode="markers", marker=marker, error_x=error)


def _length(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _points(rows: Sequence[Row], x: Sequence[float], places: Mapping[str, int], **options) -> go.Scatter:
    return go.Scatter(
        x=list(x),
        y=[places[row.system] for row in rows],
        customdata=[[row.system, safe(row.system), row.told] for row in rows],
        hovertemplate="<b>%{customdata[1]}</b><br>%{customdata[2]}<extra></extra>",
        showlegend=False,
        **options,
    )
