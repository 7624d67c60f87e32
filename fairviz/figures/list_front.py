"""The trade-off of one query: every system's list as a point, and the front of the reorderings of one list."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures import scatter
from fairviz.figures.axes import ROOM
from fairviz.figures.frame import trace
from fairviz.figures.scatter import Scatter
from fairviz.figures.style import LIGHT, Styles, Theme, hollow, safe
from fairviz.measures import Question
from fairviz.words.sentences import decimal

Pair = tuple[float, float]


@dataclass(frozen=True)
class ListFront:
    """Data of the figure: the systems' points for the query, the front of the reorderings (effectiveness, fairness,
    swaps) from left to right, and the current point of the list, NaN without a value. exact: whether every order was
    evaluated."""

    systems: Scatter
    front: tuple[tuple[float, float, int], ...]
    now: Pair
    exact: bool

    @property
    def title(self) -> str:
        """Title of the figure."""
        return self.systems.title

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        how = "exact" if self.exact else "greedy, so that better ones may exist"
        ends = ""
        if self.front:
            (x, y, _), (other_x, other_y, _) = self.front[0], self.front[-1]
            start, end = (", ".join(map(decimal, point)) for point in ((x, y), (other_x, other_y)))
            ends = f", from ({start}) to ({end})"
        position = ", ".join(map(decimal, self.now))
        now = "has no value" if np.isnan(self.now).any() else f"is at ({position})"
        return (
            f"{self.title}: {len(self.systems.points)} systems; {len(self.front)} reorderings that no other beats"
            f" ({how}){ends}; the list {now}."
        )


def info(
    scores: pd.DataFrame,
    x: Question,
    y: Question,
    system: str,
    front: Sequence[tuple[float, float, int]] = (),
    now: Pair = (np.nan, np.nan),
    *,
    exact: bool = False,
) -> ListFront:
    """Return the figure's data from the scores of one query (system, measure, value) and a list's front (x, y,
    swaps)."""
    points = scatter.info(scores.assign(ci_low=np.nan, ci_high=np.nan), x, y, system)
    front_points = tuple(sorted((float(a), float(b), int(swaps)) for a, b, swaps in front))
    defined_points = [point for point in (*front_points, (*now, 0)) if not np.isnan(point[:2]).any()]
    across = _widen(points.across, [point[0] for point in defined_points])
    up = _widen(points.up, [point[1] for point in defined_points])
    points = replace(points, title="This list now, and its best reorderings", front=(), across=across, up=up)
    return ListFront(points, front_points, now, exact)


def _widen(ends: Pair, values: Sequence[float]) -> Pair:
    """Return the ends of an axis widened to these values, with a little room, as many lists have an extreme value."""
    low, high = min([ends[0], *values]), max([ends[1], *values])
    return low - ROOM * (high - low), high + ROOM * (high - low)


def draw(front: ListFront, styles: Styles, theme: Theme = LIGHT, height: int = 320) -> go.Figure:
    """Draw the systems as in the trade-off, the front as a line of small diamonds, and the current list hollow."""
    figure = scatter.draw(front.systems, styles, theme, height)
    if not front.systems.points and not front.front:
        return figure
    hover = f"{front.systems.x_title}: %{{x:.4f}}<br>{front.systems.y_title}: %{{y:.4f}}"
    if front.front:
        figure.add_trace(_reorderings(front, hover, theme))
    if not np.isnan(front.now).any():
        figure.add_trace(_list_now(front, hover, styles, theme))
    return figure


def _reorderings(front: ListFront, hover: str, theme: Theme) -> go.Scatter:
    """Return the line of the front, with its name at the point in the middle."""
    xs, ys, swaps = map(list, zip(*front.front, strict=True))
    texts = [""] * len(xs)
    texts[len(xs) // 2] = "best reorderings" if front.exact else "best reorderings (greedy)"
    return trace(
        xs, ys, "lines+markers+text", customdata=swaps, text=texts, name="front of the reorderings",
        textposition="bottom left" if ys[-1] <= ys[0] else "top left", textfont={"color": theme.muted, "size": 12},
        colour=theme.text, symbol="diamond", size=6, dash="solid" if front.exact else "dot", width=1.5,
        hovertemplate=f"{hover}<br>%{{customdata}} swaps from here<extra>a reordering</extra>",
    )  # fmt: skip


def _list_now(front: ListFront, hover: str, styles: Styles, theme: Theme) -> go.Scatter:
    name, (x, y) = front.systems.selected, front.now
    look = {"symbol": "circle-open", "size": 17}
    if name in styles:
        look |= {"symbol": hollow(styles[name].symbol), "color": styles[name].colour}
    label = {"text": "now", "textposition": "middle left", "textfont": {"color": theme.text, "size": 12}}
    label |= {"name": "the list as it is now", "marker": look | {"line": {"width": 2}}}
    return trace([x], [y], "markers+text", f"<b>{safe(name)}, as it is now</b><br>{hover}", **label)
