"""Values with intervals, a line a system, a series a treatment: CRBO and its placebos, or preferred wordings."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import apart, dotted_line, figure, legend_above, name_rows, value_text
from fairviz.figures.intervals import Intervals, Series
from fairviz.figures.style import LIGHT, Theme, group_colour, group_marker, shortened

COLOURS = (("#0067a5", "#5aa9e6"), ("#5d6673", "#a4adba"), ("#8a6d00", "#d9b93b"))
MARKERS = ("circle", "square", "triangle-up", "diamond", "cross", "star")
NAME_CHARACTERS = 34
NARROW = 0.01  # a span of shares that counts as zero
ROW = 46  # pixels a system
ABOVE = 90  # pixels above the axes: the title, and a legend of three rows on a phone


@dataclass(frozen=True)
class Overlaps(Intervals):
    """Lines (systems) from the top, and series (treatments)."""

    axis: str
    even: float | None = None  # the position of a dotted line
    genders: bool = False  # whether the series are groups, with their own colours
    nothing: str = "No query has a list before or after."  # the reason if no value is defined
    MOST_TOLD: ClassVar[int] = 6


def info(
    table: pd.DataFrame,
    title: str,
    axis: str,
    series: Sequence[str],
    columns: Sequence[str],
    even: float | None = None,
    *,
    genders: bool = False,
    nothing: str = Overlaps.nothing,
) -> Overlaps:
    """Return the values from a table. columns: of the line, the series, the value, its low and its high bound."""
    line_column, series_column, *numbers = columns
    lines = tuple(dict.fromkeys(table[line_column].astype("str")))
    numbers_by_cell = {
        (str(row[line_column]), str(row[series_column])): tuple(float(row[name]) for name in numbers)
        for row in table.to_dict("records")
    }
    all_series = []
    for name in series:
        rows = [numbers_by_cell.get((line, name), (np.nan,) * 3) for line in lines]
        values, low, high = (tuple(row[place] for row in rows) for place in range(3))
        all_series.append(Series(name, values, low, high, tuple(value_text(*row) for row in rows)))
    return Overlaps(title, lines, tuple(all_series), axis, even, genders, nothing)


@figure(lambda data: data.title, lambda data: "" if data.has_values else data.nothing, height=180)
def draw(figure: go.Figure, overlaps: Overlaps, theme: Theme = LIGHT) -> None:
    """Draw points with intervals, each series with a marker of its own."""
    figure.update_layout(height=ABOVE + 50 + max(2, len(overlaps.lines)) * ROW)
    names = [series.name for series in overlaps.series]
    for place, series in enumerate(overlaps.series):
        look = {"colour": COLOURS[place % len(COLOURS)][theme.dark], "symbol": MARKERS[place % len(MARKERS)]}
        if overlaps.genders:
            look = {"colour": group_colour(series.name, names, theme), "symbol": group_marker(series.name, names)}
        figure.add_trace(series.points(overlaps.lines, apart(place, len(names), 0.24), 1.6, size=10, **look))
    if overlaps.even is not None:
        figure.add_vline(overlaps.even, line=dotted_line(theme))
    numbers = np.array([(series.values, series.low, series.high) for series in overlaps.series])
    # Plotly's own range of nearly equal shares would exceed 0 to 1
    is_narrow = overlaps.even == 0.5 and np.nanmax(numbers) - np.nanmin(numbers) < NARROW
    figure.update_xaxes(title_text=overlaps.axis, zeroline=False, range=(0.0, 1.0) if is_narrow else None)
    figure.update_yaxes(name_rows([shortened(line, NAME_CHARACTERS) for line in overlaps.lines]), showgrid=False)
    legend_above(figure, ABOVE)
