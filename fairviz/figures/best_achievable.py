"""The achievable front in the scatter plot, with the reference point of the distances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.axes import ROOM
from fairviz.figures.frame import interval_text, trace
from fairviz.figures.scatter import Scatter
from fairviz.figures.style import BEST, Theme

Pair = tuple[float, float]


@dataclass(frozen=True)
class BestAchievable:
    """Data of the front: the text of the distance, corners from the most effective one, the reference point, and each
    system's distance from that with both ends of its interval. exact: whether no order goes beyond it."""

    measure: str
    points: tuple[Pair, ...]
    reference: Pair
    distances: Mapping[str, tuple[float, float, float]]
    exact: bool

    @property
    def alt(self) -> str:
        """Alt text of the front, in one sentence."""
        way = "exact" if self.exact else "searched"
        nearest = min(self.distances, key=lambda name: self.distances[name][0], default="")
        near = f"; {nearest} is the nearest to its middle ({self.distances[nearest][0]:.3f})" if nearest else ""
        (x, y), (other_x, other_y) = self.points[0], self.points[-1]
        return f"Best achievable ({way}): from ({x:.3f}, {y:.3f}) to ({other_x:.3f}, {other_y:.3f}){near}."


def info(
    measure: str,
    points: Sequence[Sequence[float]],
    reference: Sequence[float],
    distances: Mapping[str, tuple],
    *,
    exact: bool,
) -> BestAchievable:
    """Return the data of the front.

    measure: the text of the distance. points: (V, 2). distances: value and both ends by system, NaN without one.
    """
    corners = tuple((float(x), float(y)) for x, y in points)
    defined = {name: tuple(map(float, row)) for name, row in distances.items() if not np.isnan(row[0])}
    return BestAchievable(measure, corners, (float(reference[0]), float(reference[1])), defined, exact)  # type: ignore[arg-type]


def alt(scatter: Scatter, best: BestAchievable | None) -> str:
    """Return the alt text of the scatter plot with that of the front, if there is one."""
    return scatter.alt if best is None else f"{scatter.alt} {best.alt}"


def with_distances(rows: pd.DataFrame, best: BestAchievable | None) -> pd.DataFrame:
    """Return the rows of a summary followed by the distances, if there is a front.

    rows: system, measure, value, ci_low, ci_high and more.
    """
    if best is None:
        return rows
    values = [(name, best.measure, *row) for name, row in best.distances.items()]
    added = pd.DataFrame(values, columns=["system", "measure", "value", "ci_low", "ci_high"])
    return pd.concat([rows, added.astype({"system": "str", "measure": "str"})], ignore_index=True)


def with_front(scatter: Scatter, best: BestAchievable | None) -> Scatter:
    """Return the scatter with axes widened to the front, and distances in its tooltips; unchanged without a front."""
    if best is None:
        return scatter
    xs, ys = zip(*best.points, strict=True)
    across, up = _ends(scatter.across, xs), _ends(scatter.up, ys)
    notes = {
        name: f"Distance to ◇: {value:.4f}{interval_text(low, high, 4)}"
        for name, (value, low, high) in best.distances.items()
    }
    points = tuple(replace(point, note=notes.get(point.system, "")) for point in scatter.points)
    return replace(scatter, points=points, across=across, up=up)


def _ends(ends: Pair, values: Sequence[float]) -> Pair:
    """Return the ends of an axis widened to the front, with a little room beyond it."""
    low, high = min(ends[0], *values), max(ends[1], *values)
    room = ROOM / 2 * (high - low)
    return (low - room if low < ends[0] else low), (high + room if high > ends[1] else high)


def add(figure: go.Figure, best: BestAchievable, across: str, up: str, theme: Theme) -> None:
    """Add the front as a line beneath the points, dotted where it is searched, and the reference point as a diamond."""
    line = {"mode": "lines", "dash": "solid" if best.exact else "dash", "width": 1.5, "name": BEST}
    mark = {"symbol": "diamond-open", "size": 10, "outline": {"width": 1.5}, "name": "middle of the front"}
    for points, look in ((best.points, line), ([best.reference], mark | {"mode": "markers", "showlegend": False})):
        hover = f"{across}: %{{x:.4f}}<br>{up}: %{{y:.4f}}<extra>{look['name']}</extra>"
        figure.add_trace(trace(*zip(*points, strict=True), colour=theme.text, hovertemplate=hover, **look))
    figure.data = (*figure.data[-2:], *figure.data[:-2])
