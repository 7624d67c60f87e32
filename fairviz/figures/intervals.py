"""Values with their intervals, a line each, such as agreement between annotators."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import apart, error_bars, figure, floats, legend_above, name_rows, trace, value_text
from fairviz.figures.style import LIGHT, Theme, first_texts, safe, shortened, system_styles
from fairviz.words.sentences import counted

MOST_LINES = 12
MOST_WRITTEN = 5  # lines with room for the value beside the point
NAME_CHARACTERS = 30
LEGEND_TOP = 64  # pixels above the axes, of a figure with a legend
NOTHING = "Nothing to compare: no document has two labels."


@dataclass(frozen=True)
class Series:
    """One value a line, with its bounds, NaN where undefined, and a text for the hover."""

    name: str
    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    texts: tuple[str, ...]

    def points(
        self,
        lines: Sequence[str],
        shift: float,
        thickness: float,
        mode: str = "markers",
        *,
        colour: str,
        **options: Any,
    ) -> go.Scatter:
        """Return the points with their intervals, at this distance below the middle of their lines."""
        return trace(
            np.array(self.values), np.arange(len(lines)) + shift, mode,
            f"<b>%{{customdata[0]}}</b><br>{safe(self.name)} %{{customdata[1]}}", colour=colour, name=safe(self.name),
            error_x=error_bars(self.values, self.low, self.high, colour, thickness),
            customdata=[[safe(line), text] for line, text in zip(lines, self.texts, strict=True)], **options,
        )  # fmt: skip


@dataclass(frozen=True)
class Intervals:
    """The names of the lines, from the top, and the series, with a value for each line."""

    title: str
    lines: tuple[str, ...]
    series: tuple[Series, ...]
    MOST_TOLD: ClassVar[int] = 5  # lines in the alt text

    @property
    def has_values(self) -> bool:
        """True if any value is defined."""
        return any(np.isfinite(series.values).any() for series in self.series)

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        line_texts = []
        for place, line in enumerate(self.lines):
            values = ", ".join(f"{series.name} {value_text(series.values[place])}" for series in self.series)
            line_texts.append(f"{line}: {values}")
        return f"{self.title}. {first_texts(line_texts, self.MOST_TOLD)}."


def info(title: str, table: pd.DataFrame, line: str, columns: Sequence[tuple[str, str, str, str]]) -> Intervals:
    """Return the lines from the column `line` of a table; columns: (name, value, low, high) of each series."""
    documents = [counted(count, "document") for count in table["documents"].astype(int)]
    series = []
    for name, *names in columns:
        values, low, high = floats(table, *names)
        rows = zip(values, low, high, documents, strict=True)
        texts = tuple(f"{value_text(*numbers)}, {count}" for *numbers, count in rows)
        series.append(Series(name, values, low, high, texts))
    return Intervals(title, tuple(table[line].astype("str")), tuple(series))


def fewest(table: pd.DataFrame, common: int) -> pd.DataFrame:
    """Return the 12 rows of least kappa with at least `common` documents of a table (documents, kappa) with more
    rows."""
    if len(table) <= MOST_LINES:
        return table
    return table[table["documents"] >= common].nsmallest(MOST_LINES, "kappa", keep="first")


@figure(lambda data: data.title, lambda data: "" if data.has_values else NOTHING)
def draw(figure: go.Figure, intervals: Intervals, theme: Theme = LIGHT, height: int = 300) -> None:
    """Draw points with intervals, series side by side and with markers of their own."""
    styles = system_styles([series.name for series in intervals.series], theme)
    series_count = len(intervals.series)
    for place, series in enumerate(intervals.series):
        style, shift = styles[series.name], apart(place, series_count, min(0.26, 0.6 / series_count))
        points = series.points(
            intervals.lines, shift, 1.4, "markers+text" if len(intervals.lines) <= MOST_WRITTEN else "markers",
            colour=style.colour, symbol=style.symbol, size=9,
            text=[f"{value:.2f}" if np.isfinite(value) else "" for value in series.values],
            textposition="bottom center" if place else "top center", textfont={"size": 11, "color": theme.text},
        )  # fmt: skip
        figure.add_trace(points)
    bounds = [bound for series in intervals.series for bound in (*series.low, *series.values) if np.isfinite(bound)]
    figure.update_xaxes(range=[min(0.0, *bounds) - 0.02, 1.04], title_text="agreement (1 is all), 95 % interval")
    figure.update_yaxes(name_rows([shortened(line, NAME_CHARACTERS) for line in intervals.lines], 0.65, 0.6))
    figure.update_layout(showlegend=series_count > 1)
    if series_count > 1:
        legend_above(figure, LEGEND_TOP)
