"""The correlation of every pair of measures: over queries, or of the orders of the systems."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure, matrix, matrix_extent
from fairviz.figures.style import LIGHT, Theme, safe, shortened
from fairviz.words.sentences import counted

TITLES = {
    "pearson": "Pearson's r of two measures over queries",
    "kendall": "Kendall's tau of two measures over queries",
    "order": "Kendall's tau between the orders of the systems",
}
NOTHING = "Two measures make a pair."
NAME_CHARACTERS = 22


@dataclass(frozen=True)
class MeasureMatrix:
    """value[i][j] of measures i and j, 1 on the diagonal, NaN where undefined. low and high: the least and the greatest
    value of a system, if the value is a mean over systems. kind: a key of TITLES; scope: a text on the systems."""

    measures: tuple[str, ...]
    value: tuple[tuple[float, ...], ...]
    low: tuple[tuple[float, ...], ...]
    high: tuple[tuple[float, ...], ...]
    kind: str
    scope: str

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        count, least, greatest = matrix_extent(self.value)
        if not count:
            return f"{TITLES[self.kind]}: no pair of measures has one."
        pairs = counted(count, "pair")
        return f"{TITLES[self.kind]}, {self.scope}: {pairs}, from {least:.2f} to {greatest:.2f}."


def info(table: pd.DataFrame, measures: Sequence[str], kind: str = "pearson", system: str = "") -> MeasureMatrix:
    """Return the matrix from correlations: first, second, over (queries or systems), system, pearson, kendall.

    kind: pearson or kendall over queries, of one system or, without one, the mean over systems; or order, over systems.
    measures: in the order of the figure; one without any pair has empty cells.
    """
    column = "pearson" if kind == "pearson" else "kendall"
    rows = table[table["over"] == ("systems" if kind == "order" else "queries")]
    rows = rows[rows["system"] == system] if system and kind != "order" else rows
    places = {name: number for number, name in enumerate(measures)}
    layers = np.full((3, len(measures), len(measures)), np.nan)
    for (first, second), values in rows.groupby(["first", "second"], sort=False)[column]:
        defined = values.dropna().to_numpy()
        if len(defined):
            row, column_place = places[str(first)], places[str(second)]
            layers[:, row, column_place] = layers[:, column_place, row] = defined.mean(), defined.min(), defined.max()
    layers[:, range(len(measures)), range(len(measures))] = 1.0
    count = rows["system"].nunique()
    scope = "of the systems" if kind == "order" else f"of {system}" if system else f"mean over {count:,} systems"
    value, low, high = (tuple(map(tuple, layer.tolist())) for layer in layers)
    return MeasureMatrix(tuple(measures), value, low, high, kind, scope)


@figure(lambda data: TITLES[data.kind], lambda data: "" if len(data.measures) > 1 else NOTHING)
def draw(figure: go.Figure, correlations: MeasureMatrix, theme: Theme = LIGHT, height: int = 380) -> None:
    """Draw the matrix, with the values in the cells of up to MOST_TEXTS measures."""
    names = [safe(shortened(name, NAME_CHARACTERS)) for name in correlations.measures]

    def hover(row: int, column: int) -> str:
        first, second = (safe(correlations.measures[place]) for place in (row, column))
        value, low, high = (values[row][column] for values in (correlations.value, correlations.low, correlations.high))
        by_system = f", from {low:.3f} to {high:.3f} by system" if low != high and low == low else ""
        return f"{first} and {second}<br>{value:.3f}{by_system}"

    matrix(figure, names, correlations.value, "r" if correlations.kind == "pearson" else "tau", theme, hover)
