"""Values with intervals, a line a system, a series a treatment: CRBO and its placebos, or preferred wordings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import dotted_line, error_bars, figure, legend_above, name_rows, value_text
from fairviz.figures.style import LIGHT, Theme, first_texts, group_colour, group_marker, safe, shortened

COLOURS = (("#0067a5", "#5aa9e6"), ("#5d6673", "#a4adba"), ("#8a6d00", "#d9b93b"))
MARKERS = ("circle", "square", "triangle-up", "diamond", "cross", "star")
NAME_CHARACTERS = 34
NARROW = 0.01  # a span of shares that counts as zero
ROW = 46  # pixels a system
ABOVE = 74


@dataclass(frozen=True)
class Overlaps:
    """Lines (systems) from the top, series (treatments), and value, low and high of each, (lines, series)."""

    title: str
    axis: str
    lines: tuple[str, ...]
    series: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    low: tuple[tuple[float, ...], ...]
    high: tuple[tuple[float, ...], ...]
    even: float | None = None  # the position of a dotted line
    genders: bool = False  # whether the series are groups, with their own colours
    nothing: str = "No query has a list before or after."  # the reason if no value is defined

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        line_texts = [
            f"{line}: {', '.join(f'{name} {value_text(value)}' for name, value in zip(self.series, row, strict=True))}"
            for line, row in zip(self.lines, self.values, strict=True)
        ]
        return f"{self.title}. {first_texts(line_texts, 6)}."


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
    grid = [[numbers_by_cell.get((line, name), (np.nan,) * 3) for name in series] for line in lines]
    value, low, high = (tuple(tuple(cell[place] for cell in row) for row in grid) for place in range(3))
    return Overlaps(title, axis, lines, tuple(series), value, low, high, even, genders, nothing)


@figure(lambda data: data.title, lambda data: "" if np.isfinite(data.values).any() else data.nothing, height=180)
def draw(figure: go.Figure, overlaps: Overlaps, theme: Theme = LIGHT) -> None:
    """Draw points with intervals, each series with a marker of its own."""
    figure.update_layout(height=ABOVE + 50 + max(2, len(overlaps.lines)) * ROW)
    for place, name in enumerate(overlaps.series):
        figure.add_trace(_trace(overlaps, place, name, theme))
    if overlaps.even is not None:
        figure.add_vline(overlaps.even, line=dotted_line(theme))
    figure.update_xaxes(title_text=overlaps.axis, zeroline=False, range=_range(overlaps))
    figure.update_yaxes(name_rows([shortened(line, NAME_CHARACTERS) for line in overlaps.lines]), showgrid=False)
    legend_above(figure, ABOVE)


def _range(overlaps: Overlaps) -> tuple[float, float] | None:
    """Return the range 0 to 1 for nearly equal shares, for which Plotly's own range exceeds it; else None."""
    ends = np.array([overlaps.values, overlaps.low, overlaps.high])
    return (0.0, 1.0) if overlaps.even == 0.5 and np.nanmax(ends) - np.nanmin(ends) < NARROW else None


def _trace(overlaps: Overlaps, place: int, name: str, theme: Theme) -> go.Scatter:
    value, low, high = (np.array(rows)[:, place] for rows in (overlaps.values, overlaps.low, overlaps.high))
    shift = (place - (len(overlaps.series) - 1) / 2) * 0.24
    colour, symbol = COLOURS[place % len(COLOURS)][theme.dark], MARKERS[place % len(MARKERS)]
    if overlaps.genders:
        colour, symbol = group_colour(name, overlaps.series, theme), group_marker(name, overlaps.series)
    return go.Scatter(
        x=value,
        y=np.arange(len(value)) + shift,
        mode="markers",
        name=safe(name),
        marker={"color": colour, "symbol": symbol, "size": 10},
        error_x=error_bars(value, low, high, colour, 1.6),
        customdata=[
            [safe(line), value_text(*numbers)] for line, *numbers in zip(overlaps.lines, value, low, high, strict=True)
        ],
        hovertemplate="<b>%{customdata[0]}</b><br>" + safe(name) + " %{customdata[1]}<extra></extra>",
    )
