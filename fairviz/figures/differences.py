"""Systems against a baseline: the mean of their differences query by query, with its interval, a panel a measure."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from fairviz.comparison.compare import Comparison, Rows
from fairviz.comparison.pairs import AHEAD, BEHIND, OUTSIDE, REFERENCE
from fairviz.comparison.pairs import Row as Compared
from fairviz.comparison.ranking_sentences import interval_note
from fairviz.figures.frame import axis_number, name_rows, trace
from fairviz.figures.style import LIGHT, Styles, Theme, axis, axis_title, empty_figure, layout, safe, shortened
from fairviz.measures import Question, parse
from fairviz.words.sentences import decimal, p_value

MOST_COLUMNS = 4
MOST_ROWS = 60  # systems drawn; the table contains all
ROW_HEIGHT, FRAME, LEAST_HEIGHT = 18, 128, 250  # pixels
NAME_CHARACTERS = 22
APART = (AHEAD, BEHIND)
NOTHING = "There is no second system to set against it, or no measure has a better end."
STAR = "★"


@dataclass(frozen=True)
class Row:
    """One system's difference to the baseline with its interval (NaN where undefined), and the result of the test as
    text.

    significant: significantly different. reference: a system that is not tested. baseline: the baseline itself, at 0.
    """

    system: str
    difference: float
    low: float
    high: float
    text: str
    significant: bool = False
    starred: bool = False
    reference: bool = False
    baseline: bool = False


@dataclass(frozen=True)
class Panel:
    """One measure: its name, the baseline, the title of the axis, and a row for each drawn system, from the top."""

    measure: str
    baseline: str
    x_title: str
    rows: tuple[Row, ...]

    @property
    def reach(self) -> tuple[float, float]:
        """Ends of the axis: 0 and all intervals of contenders, or of references if there are no contenders."""
        contenders = [row for row in self.rows if not row.reference]
        rows = contenders if any(np.isfinite(row.difference) and not row.baseline for row in contenders) else self.rows
        bounds = [bound for row in rows for bound in (row.low, row.difference, row.high) if np.isfinite(bound)]
        low, high = min([0.0, *bounds]), max([0.0, *bounds])
        room = (high - low) * 0.08 or 0.1
        return low - room, high + 2 * room  # more at the right, for the stars


@dataclass(frozen=True)
class Differences:
    """Data of the figure: a panel a measure, with the same systems in the same order; `hidden` others are not drawn.

    references: the systems that are not tested, each with its name in the figure.
    """

    title: str
    panels: tuple[Panel, ...]
    systems: tuple[str, ...]
    references: Mapping[str, str] = field(default_factory=dict)
    selected: str = ""
    hidden: int = 0

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        panel_texts = []
        for panel in self.panels:
            names = ", ".join(row.system for row in panel.rows if row.significant) or "none"
            panel_texts.append(f"{panel.measure}: significantly different from {panel.baseline}: {names}")
        return f"{self.title}. {'; '.join(panel_texts) or 'Nothing is compared'}."


def info(comparison: Comparison, stars: Mapping[str, frozenset[str]] | None = None, selected: str = "") -> Differences:
    """Return the panels of a comparison against its baseline; systems that are not tested are last.

    stars: for each measure the systems that have a star. Systems are ordered by their difference in the first measure,
    the fairest at the top.
    """
    title = f"Differences to {comparison.baseline or 'the best of each measure'}, intervals {interval_note(comparison)}"
    measures = comparison.rows
    all_rows = [row for rows in measures.values() for row in rows]
    names = list(dict.fromkeys([*(row.baseline for row in all_rows), *(row.system for row in all_rows)]))
    references = {name: comparison.how.labelled(name) for name in names if not comparison.how.is_tested(name)}
    order = _order(measures, names, references)
    drawn = order[:MOST_ROWS]
    panels = tuple(
        _panel(parse(text), rows, drawn, (stars or {}).get(text, frozenset()), references)
        for text, rows in measures.items()
    )
    return Differences(title, panels, tuple(drawn), references, selected, len(order) - len(drawn))


def _order(measures: Rows, names: Sequence[str], references: Collection[str]) -> list[str]:
    """Return the systems from the top: by the first measure, those without a value below, untested ones last."""
    distances: dict[str, float] = {}  # in the first measure, less where fairer
    for text, rows in list(measures.items())[:1]:
        sign = -1.0 if parse(text).direction in ("higher", "none") else 1.0
        distances = {row.system: sign * row.difference for row in rows} | {rows[0].baseline: 0.0}

    def key(name: str) -> tuple[bool, bool, float]:
        value = distances.get(name, math.nan)
        return name in references, math.isnan(value), 0.0 if math.isnan(value) else value

    return sorted(names, key=key)


def _panel(
    question: Question, rows: Sequence[Compared], order: Sequence[str], stars: Collection[str],
    references: Collection[str],
) -> Panel:  # fmt: skip
    baseline, compared = rows[0].baseline, {row.system: row for row in rows}
    panel_rows = tuple(
        replace(_row(name, compared.get(name), baseline), starred=name in stars, reference=name in references)
        for name in order
    )
    return Panel(question.text, baseline, _x_title(question), panel_rows)


def _x_title(question: Question) -> str:
    distance = {"zero": "difference in distance from 0", "one": "difference in |ln|"}.get(question.direction)
    goal = "better" if question.family == "effectiveness" else "fairer"
    return axis_title(distance or "difference", "lower" if distance else question.direction, goal)


def _row(name: str, row: Compared | None, baseline: str) -> Row:
    if row is None:
        text = "the baseline" if name == baseline else "undefined"
        difference = 0.0 if name == baseline else math.nan
        return Row(name, difference, math.nan, math.nan, text, baseline=name == baseline)
    numbers = (float(row.difference), float(row.ci_low), float(row.ci_high))
    return Row(name, *numbers, _row_text(row), row.verdict in APART)


def _row_text(row: Compared) -> str:
    """Return such as `−0.115 (−0.180 to −0.054), p 0.0015, corrected 0.014; fairer on 13, equal on 1, less fair on 26;
    40 queries: behind`."""
    if math.isnan(row.difference):
        return f"undefined: {row.verdict}"
    parts = [decimal(row.difference, sign="+")]
    if np.isfinite(row.ci_low):
        note = ", uncorrected" if row.verdict in (REFERENCE, OUTSIDE) else ""
        parts[0] += f" ({decimal(row.ci_low, sign='+')} to {decimal(row.ci_high, sign='+')}{note})"
    if np.isfinite(row.p):
        parts[0] += f", {p_value(row.p)}"
    if np.isfinite(row.p_corrected):
        parts[0] += f", corrected {p_value(row.p_corrected)}"
    if row.wins is not None:
        parts.append(f"fairer on {row.wins}, equal on {row.ties}, less fair on {row.losses}")
    parts += [f"{row.queries} queries", *([row.warning] if row.warning else [])]
    return f"{'; '.join(parts)}: {row.verdict}"


def draw(differences: Differences, styles: Styles, theme: Theme = LIGHT, least_height: int = LEAST_HEIGHT) -> go.Figure:
    """Draw small multiples, each with its own axis and zero line: filled marks are significantly different."""
    if not differences.panels or len(differences.systems) < 2:
        return empty_figure(safe(differences.title), NOTHING, theme, least_height)
    traces = [
        trace
        for place, panel in enumerate(differences.panels)
        for trace in _traces(panel, axis_number(place), differences.selected, styles, theme)
    ]
    return go.Figure(traces, _layout(differences, theme, least_height))


def _layout(differences: Differences, theme: Theme, least_height: int) -> dict[str, Any]:
    """Return the layout with the axes and the title of each panel in one dictionary, which Plotly validates once."""
    columns = min(len(differences.panels), MOST_COLUMNS)
    rows = math.ceil(len(differences.panels) / columns)
    row_height = max(least_height, FRAME + ROW_HEIGHT * len(differences.systems))
    grid = _grid(rows, columns, min(0.3, 110 / (rows * row_height)))
    frame = layout(safe(differences.title), theme, rows * row_height)
    frame |= {"showlegend": False, "margin": {"l": 8, "r": 8, "t": 74, "b": 8}, "annotations": []}
    x_axis = axis(theme) | {"zerolinecolor": theme.text, "zerolinewidth": 1.5, "nticks": 5}
    axes = {name: options for name, options in grid.items() if name != "annotations"}
    frame |= {name: options | (x_axis if name[0] == "x" else axis(theme)) for name, options in axes.items()}
    for place, (panel, annotation) in enumerate(zip(differences.panels, grid["annotations"], strict=False)):
        number = axis_number(place)
        title = f"<b>{shortened(panel.measure, 28)}</b> − {shortened(panel.baseline)}"
        frame["annotations"].append(annotation | {"text": title, "font": {"size": 12, "color": theme.text}})
        frame[f"xaxis{number}"] |= {"title": x_axis["title"] | {"text": panel.x_title}, "range": list(panel.reach)}
        frame[f"yaxis{number}"] |= name_rows(row_names(differences), 0.6, 0.6)
    return frame


@cache
def _grid(rows: int, columns: int, spacing: float) -> dict:
    """Return the axes and titles of a grid of panels. Cached, as it takes as long as the rest of a figure."""
    figure = make_subplots(
        rows, columns, shared_yaxes=True, subplot_titles=["-"] * rows * columns, horizontal_spacing=0.02,
        vertical_spacing=spacing,
    )  # fmt: skip
    layout = figure.layout.to_plotly_json()
    return {name: options for name, options in layout.items() if name == "annotations" or name[1:5] == "axis"}


def row_names(differences: Differences) -> list[str]:
    """Return the names of the systems from the top, untested ones in italics, the selected one in bold."""
    texts = []
    for name in differences.systems:
        text = shortened(name, NAME_CHARACTERS)
        if name in differences.references:
            text = f"<i>{text}{differences.references[name].removeprefix(name)}</i>"
        texts.append(f"<b>{text}</b>" if name == differences.selected else text)
    return texts


def _traces(panel: Panel, number: str, selected: str, styles: Styles, theme: Theme) -> list[go.Scatter]:
    """Return the traces: marks with intervals, stars at the right, arrows for rows beyond the axis, undefined rows.

    number: of the panel's axes.
    """
    low, high = panel.reach
    defined = [row for row in panel.rows if np.isfinite(row.difference)]
    inside = [row for row in defined if low <= row.difference <= high]
    traces = [
        _points(
            panel,
            number,
            inside,
            [row.difference for row in inside],
            "markers",
            **_marks(inside, selected, styles, theme),
        )
    ]
    beyond = [row for row in defined if row not in inside]
    if beyond:
        symbols = ["triangle-left" if row.difference < low else "triangle-right" for row in beyond]
        edges = [low if row.difference < low else high for row in beyond]
        look = {"symbol": symbols, "size": 10, "colour": theme.muted, "cliponaxis": False}
        traces.append(_points(panel, number, beyond, edges, "markers", **look))
    starred = [row for row in panel.rows if row.starred]
    undefined = [row for row in panel.rows if not np.isfinite(row.difference)]
    for rows, x, text, size, colour in (
        (starred, high - (high - low) * 0.035, STAR, 14, theme.text),
        (undefined, (low + high) / 2, "undefined", 11, theme.muted),
    ):
        if rows:
            look = {"text": [text] * len(rows), "textfont": {"size": size, "color": colour}}
            traces.append(_points(panel, number, rows, [x] * len(rows), "text", textposition="middle center", **look))
    return traces


def _marks(rows: Sequence[Row], selected: str, styles: Styles, theme: Theme) -> dict[str, Any]:
    """Return the look of marks with intervals: filled if significantly different, a line for the baseline."""
    colours = [theme.muted if row.reference else styles[row.system].colour for row in rows]
    fills = [row.significant or row.baseline for row in rows]
    return {
        "symbol": ["line-ns" if row.baseline else styles[row.system].symbol for row in rows],
        "colour": [colour if filled else theme.surface for colour, filled in zip(colours, fills, strict=True)],
        "size": [14 if row.system == selected or row.baseline else 10 for row in rows],
        "outline": {"width": [2.5 if row.baseline else 1.6 for row in rows], "color": colours},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "color": theme.muted,
            "thickness": 1.3,
            "width": 3,
            "array": [_length(row.high - row.difference) for row in rows],
            "arrayminus": [_length(row.difference - row.low) for row in rows],
        },
    }


def _length(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _points(panel: Panel, number: str, rows: Sequence[Row], x: Sequence[float], mode: str, **look: Any) -> go.Scatter:
    # customdata for the click handler: first the system, last the baseline and the measure
    data = [[row.system, safe(row.system), row.text, panel.baseline, panel.measure] for row in rows]
    hover, axes = "<b>%{customdata[1]}</b><br>%{customdata[2]}", {"xaxis": f"x{number}", "yaxis": f"y{number}"}
    places = {row.system: place for place, row in enumerate(panel.rows)}
    return trace(
        list(x), [places[row.system] for row in rows], mode, hover, customdata=data, showlegend=False, **axes, **look
    )
