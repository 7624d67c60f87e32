"""Systems ordered by each measure: a strip a measure, each system's marker at its mean, ringed or pale by the tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go

from fairviz.comparison.finding import ASIDE, Order, direction, ends, lines, position
from fairviz.comparison.pairs import BEHIND
from fairviz.figures.frame import add_at_once, figure
from fairviz.figures.gender_colour import faded
from fairviz.figures.style import LIGHT, Styles, Theme, legend_name, marker, safe, shortened
from fairviz.words.sentences import decimal, plain

TITLE = "Systems ordered by each measure"
NOTHING = "No measure with a better direction has a value."
ROW, GROUPED_ROW = 56, 70  # pixels of a strip, without and with groups
TOP, FOOT, SIDE = 58, 4, 58  # pixels above the first strip, below the last, beside the axes
SIZE, RING = 11, 19  # pixels of a marker and of its ring
NEAR = 0.022  # share of the axis within which two markers would lie on one another
STEP = 0.17  # share of a strip by which a marker is moved up
HEADING, LINE = 0.08, 0.62  # shares of a strip from its top: its heading, and its axis
GROUPS, GROUP_STEP = 0.25, 0.06  # shares of a strip: from its axis to the first group, and to each further one
RANKS, RANK_STEP = 0.28, 0.09  # the same to the first whisker of ranks, and to each further one
WHISKER_END, WHISKER_MARK = 0.004, 6  # share of the axis by which a whisker passes its ends; pixels of its marker
PALE = 0.35  # opacity
NO_RANKS = (np.nan, np.nan, np.nan)
MOST_STEPS = 2  # markers above one another; further ones share the highest step
BEST, WORSE = "<br>best or not significantly different", "<br>significantly behind"  # notes
CHARACTERS = 14  # letters of a name in a heading


@dataclass(frozen=True)
class Mark:
    """One system in one strip. x: from 0 at the left end to 1; y: in strips from the top, downwards. look: `ringed`,
    `pale` or `plain`. note: lines of its tooltip. ranks: both ends of the whisker over the places that the tests leave
    it, and its y; NaN without."""

    system: str
    value: float
    x: float
    y: float
    look: str
    note: str = ""
    ranks: tuple[float, float, float] = NO_RANKS


@dataclass(frozen=True)
class Strip:
    """One measure: its heading, its ends in words, its marks, the groups as spans (first x, last x, level), and its
    definition."""

    measure: str
    direction: str
    leader: str
    lead: str
    left: str
    right: str
    marks: tuple[Mark, ...]
    groups: tuple[tuple[float, float, int], ...]
    zero: float | None
    definition: str


@dataclass(frozen=True)
class MeasureOrder:
    """The strips from the top, the systems in the study's order, and the orders in words, one line a measure.

    heading: y of a strip's heading, in strips from its top. row: height of a strip in pixels. pitch: from one strip to
    the next, in strips: more than 1 where whiskers of ranks are below each.
    """

    strips: tuple[Strip, ...]
    systems: tuple[str, ...]
    lines: tuple[str, ...]
    heading: float = HEADING
    row: int = ROW
    pitch: float = 1.0

    @property
    def alt(self) -> str:
        """Alt text of the figure."""
        return " ".join(self.lines) or NOTHING


def info(orders: Sequence[Order], *, ranks: bool = False) -> MeasureOrder:
    """Return the strips of the orders of `fairviz.comparison.finding`.

    The fairer end is at the right, except that a measure which is fairest at 0 or 1 keeps its axis. References and
    added runs are below the axis and do not set its ends. Of markers at one place the less fair one is drawn higher.
    ranks: whether a whisker of each system, below the strip, spans the places of the ranks that the tests leave it.
    """
    systems = dict.fromkeys(placed.system for order in orders for placed in order.systems)
    pitch = 1 + RANK_STEP * len(systems) if ranks else 1.0
    strips = tuple(_strip(row * pitch, order, ranks=ranks) for row, order in enumerate(orders))
    return MeasureOrder(strips, tuple(systems), tuple(map(plain, lines(orders))) if orders else (), pitch=pitch)


def _strip(row: float, order: Order, *, ranks: bool) -> Strip:
    left, right = ends(order)
    marks: list[Mark] = []
    for placed in order.systems:
        x = position(placed.value, left, right)
        y = height_of(row, x, marks, aside=placed.verdict in ASIDE)
        look = "ringed" if placed.system in order.ringed else "pale" if placed.verdict == BEHIND else "plain"
        note = {"ringed": BEST, "pale": WORSE}.get(look, "")
        whisker = NO_RANKS
        if span := order.ranks.get(placed.system):
            first, last = span
            note += f"<br>rank {first}" if first == last else f"<br>rank {first} to {last}"
            if ranks:
                at = [position(placed.value, left, right) for placed in order.contenders[first - 1 : last]]
                whisker = (min(at), max(at), row + LINE + RANKS + RANK_STEP * len(marks))
        marks.append(Mark(placed.system, placed.value, x, y, look, note, whisker))
    places = {mark.system: mark.x for mark in marks}
    spans = [sorted((places[group[0]], places[group[-1]])) for group in order.groups]
    zero = {"zero": 0.0, "one": 1.0}.get(order.question.direction)
    inside = zero is not None and min(left, right) <= zero <= max(left, right)
    return Strip(
        order.question.name,
        direction(order.question),
        shortened(order.leader, CHARACTERS),
        order.lead(partial(shortened, characters=CHARACTERS)),
        decimal(left),
        decimal(right),
        tuple(marks),
        tuple((low, high, level) for level, (low, high) in enumerate(spans)),
        position(zero, left, right) if inside and zero is not None else None,
        order.question.summary,
    )


def height_of(row: float, x: float, marks: Sequence[Mark], *, aside: bool) -> float:
    """Return the y of a mark at x: below the axis if aside, else on the lowest step without an earlier mark near x."""
    if aside:
        return row + LINE + STEP
    taken = {round((row + LINE - mark.y) / STEP) for mark in marks if abs(mark.x - x) < NEAR}
    return row + LINE - STEP * next((level for level in range(MOST_STEPS) if level not in taken), MOST_STEPS)


@figure(TITLE, lambda data: "" if data.strips else NOTHING)
def draw(
    figure: go.Figure, order: MeasureOrder, styles: Styles, theme: Theme = LIGHT, height: int = 0, *,
    groups: bool = False, links: Mapping[str, str] | None = None,
) -> None:  # fmt: skip
    """Draw a strip a measure, with one entry a system in the legend.

    groups: whether bars below a strip join systems that do not differ from one another significantly. links: addresses
    that the names of measures open.
    """
    add_strips(figure, order, styles, theme, height, groups=groups, links=links)


def add_strips(
    figure: go.Figure, order: MeasureOrder, styles: Styles, theme: Theme, height: int, *,
    groups: bool = False, links: Mapping[str, str] | None = None,
) -> None:  # fmt: skip
    """Add the strips to a figure: see `draw`."""
    shapes: list[dict] = []
    annotations: list[dict] = []
    for place, strip in enumerate(order.strips):
        row = place * order.pitch
        lines, texts = _axis(row, strip, order.heading, theme, (links or {}).get(strip.measure, ""))
        shapes += [*lines, *(_groups(row, strip, theme) if groups else ())]
        annotations += texts
    add_at_once(figure, shapes, annotations)
    figure.add_trace(_rings(order, theme))
    for system in sorted(order.systems, key=list(styles).index):
        cells = [(strip, mark) for strip in order.strips for mark in strip.marks if mark.system == system]
        pale = [(strip, mark) for strip, mark in cells if mark.look == "pale"]
        others = [(strip, mark) for strip, mark in cells if mark.look != "pale"]
        if any(mark.ranks[0] == mark.ranks[0] for _, mark in cells):
            figure.add_trace(_whiskers(system, [mark for _, mark in cells], styles, theme))
        figure.add_trace(_markers(system, others, 1, styles, theme))
        if pale:
            figure.add_trace(_markers(system, pale, PALE, styles, theme))
    empty = {"showgrid": False, "zeroline": False, "showline": False, "showticklabels": False, "fixedrange": True}
    figure.update_xaxes(empty, range=[0, 1])
    strips = max(len(order.strips), 2) * order.pitch
    figure.update_yaxes(empty, range=[strips, 0])
    legend = {"orientation": "h", "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom"}
    figure.update_layout(margin={"l": SIDE, "r": SIDE, "t": TOP, "b": FOOT}, legend=legend)
    row_height = GROUPED_ROW if groups else order.row
    figure.update_layout(height=height or TOP + row_height * strips + FOOT)


def _axis(row: float, strip: Strip, top: float, theme: Theme, link: str) -> tuple[list[dict], list[dict]]:
    """Return the shapes and the annotations of a strip: its line, its heading with the definition as its tooltip, and
    the values at its ends.

    top: y of the heading in the strip.
    """
    y = row + LINE
    line: dict[str, Any] = {"type": "line", "layer": "below"}
    shapes = [{**line, "x0": 0, "x1": 1, "y0": y, "y1": y, "line": {"color": theme.grid, "width": 2}}]
    if strip.zero is not None:
        ends = {"x0": strip.zero, "x1": strip.zero, "y0": y - 0.1, "y1": y + 0.1}
        shapes.append({**line, **ends, "line": {"color": theme.muted, "width": 1.5}})
    name = f'<a href="{safe(link)}">{safe(strip.measure)}</a>' if link else safe(strip.measure)
    heading = f"<b>{name}</b> <span style='color:{theme.muted}'>{strip.direction}</span>"
    tail = f"<b>{strip.leader}</b> <span style='color:{theme.muted}'>{strip.lead}</span>"
    muted = {"size": 11, "color": theme.muted}
    annotations = [
        {"x": x, "xanchor": anchor, "align": anchor, "xshift": shift, "y": row + height, "yanchor": "middle",
         "text": text, "showarrow": False, "font": font, "hovertext": tooltip}
        for x, anchor, shift, height, text, font, tooltip in (
            (0, "left", -SIDE, top, heading, {"size": 13}, safe(strip.definition)),
            (1, "right", SIDE, top, tail, {"size": 12}, None),
            (0, "right", -RING / 2 - 4, LINE, strip.left, muted, None),
            (1, "left", RING / 2 + 4, LINE, strip.right, muted, None),
        )
    ]  # fmt: skip
    return shapes, annotations


def _groups(row: float, strip: Strip, theme: Theme) -> list[dict]:
    """Return a bar below the strip for each group of systems that do not differ significantly."""
    levels = [(low, high, row + LINE + GROUPS + GROUP_STEP * level) for low, high, level in strip.groups]
    look: dict[str, Any] = {"type": "line", "line": {"color": theme.muted, "width": 3}}
    return [{**look, "x0": low - 0.006, "x1": high + 0.006, "y0": y, "y1": y} for low, high, y in levels]


def _rings(order: MeasureOrder, theme: Theme) -> go.Scatter:
    """Return the rings of all strips, which are below the markers."""
    marks = [mark for strip in order.strips for mark in strip.marks if mark.look == "ringed"]
    return go.Scatter(
        x=[mark.x for mark in marks],
        y=[mark.y for mark in marks],
        mode="markers",
        marker={"size": RING, "color": faded(theme.muted, 0.18), "line": {"color": theme.text, "width": 1.5}},
        showlegend=False,
        hoverinfo="skip",
        cliponaxis=False,
    )


def _whiskers(system: str, marks: Sequence[Mark], styles: Styles, theme: Theme) -> go.Scatter:
    """Return a system's whiskers of ranks in all strips, each with its marker's place on it."""
    x, y = [], []
    for mark in marks:
        low, high, level = mark.ranks
        x += [low - WHISKER_END, mark.x, high + WHISKER_END, np.nan]
        y += [level, level, level, np.nan]
    look = marker(styles[system], theme, WHISKER_MARK)
    sizes = [0, WHISKER_MARK, 0, 0] * len(marks)
    return go.Scatter(
        x=x, y=y, mode="lines+markers", line={"color": look["color"], "width": 2}, marker={**look, "size": sizes},
        legendgroup=system, showlegend=False, hoverinfo="skip", cliponaxis=False,
    )  # fmt: skip


def _markers(
    system: str, cells: Sequence[tuple[Strip, Mark]], opacity: float, styles: Styles, theme: Theme
) -> go.Scatter:
    """Return a system's markers of one opacity; the opaque ones have the entry in the legend."""
    return go.Scatter(
        x=[mark.x for _, mark in cells] or [np.nan],
        y=[mark.y for _, mark in cells] or [np.nan],
        mode="markers",
        marker=marker(styles[system], theme, SIZE),
        opacity=opacity,
        name=legend_name(system),
        legendgroup=system,
        showlegend=opacity == 1,
        text=[safe(system)] * len(cells),
        customdata=[[system, safe(strip.measure), decimal(mark.value), mark.note] for strip, mark in cells],
        cliponaxis=False,
        hovertemplate="<b>%{text}</b><br>%{customdata[1]} %{customdata[2]}%{customdata[3]}<extra></extra>",
    )
