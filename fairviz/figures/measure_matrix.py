"""The correlation of every pair of measures: over queries, or of the orders of the systems."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.kappa_matrix import SCALES
from fairviz.figures.style import LIGHT, Theme, empty_figure, layout, safe, shortened
from fairviz.words.sentences import counted

TITLES = {
    "pearson": "Pearson's r of two measures over queries",
    "kendall": "Kendall's tau of two measures over queries",
    "order": "Kendall's tau between the orders of the systems",
}
MOST_TEXTS = 14
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
        above = np.array(self.value)[np.triu_indices(len(self.measures), k=1)] if self.measures else np.array([])
        values = above[~np.isnan(above)]
        if not len(values):
            return f"{TITLES[self.kind]}: no pair of measures has one."
        pairs = counted(len(values), "pair")
        return f"{TITLES[self.kind]}, {self.scope}: {pairs}, from {values.min():.2f} to {values.max():.2f}."


def info(table: pd.DataFrame, measures: Sequence[str], kind: str = "pearson", system: str = "") -> MeasureMatrix:
    """Return the matrix from correlations (first, second, system, pearson, kendall) or orders (first, second, kendall).

    kind: pearson or kendall over queries, of one system or, without one, the mean over systems; or order. measures: in
    the order of the figure; one without any pair has empty cells.
    """
    column = "pearson" if kind == "pearson" else "kendall"
    rows = table[table["system"] == system] if system and kind != "order" else table
    places = {name: number for number, name in enumerate(measures)}
    layers = np.full((3, len(measures), len(measures)), np.nan)
    for (first, second), values in rows.groupby(["first", "second"], sort=False)[column]:
        defined = values.dropna().to_numpy()
        if len(defined):
            row, column_place = places[str(first)], places[str(second)]
            layers[:, row, column_place] = layers[:, column_place, row] = defined.mean(), defined.min(), defined.max()
    for number in range(len(measures)):
        layers[:, number, number] = 1.0
    count = rows["system"].nunique() if kind != "order" and "system" in rows else 0
    scope = "of the systems" if kind == "order" else f"of {system}" if system else f"mean over {count:,} systems"
    value, low, high = (tuple(map(tuple, layer.tolist())) for layer in layers)
    return MeasureMatrix(tuple(measures), value, low, high, kind, scope)


def draw(matrix: MeasureMatrix, theme: Theme = LIGHT, height: int = 380) -> go.Figure:
    """Draw the matrix, with the values in the cells of up to MOST_TEXTS measures."""
    title = TITLES[matrix.kind]
    if len(matrix.measures) < 2:
        return empty_figure(title, "Two measures make a pair.", theme, height)
    figure = go.Figure(layout=layout(title, theme, height))
    names = [safe(shortened(name, NAME_CHARACTERS)) for name in matrix.measures]
    places = list(range(len(names)))
    figure.add_trace(
        go.Heatmap(
            z=[[None if np.isnan(value) else value for value in row] for row in matrix.value],
            x=places,
            y=places,
            zmin=-1,
            zmax=1,
            colorscale=SCALES[theme.dark],
            texttemplate="%{z:.2f}" if len(names) <= MOST_TEXTS else "",
            customdata=[[_hover(matrix, row, column) for column in places] for row in places],
            xgap=1,
            ygap=1,
            colorbar={"title": {"text": "r" if matrix.kind == "pearson" else "tau", "side": "right"}, "thickness": 10},
            hovertemplate="%{customdata}<extra></extra>",
            hoverongaps=False,
        )
    )
    figure.update_xaxes(tickvals=places, ticktext=names, showgrid=False, zeroline=False)
    figure.update_yaxes(tickvals=places, ticktext=names, showgrid=False, zeroline=False, autorange="reversed")
    return figure


def _hover(matrix: MeasureMatrix, row: int, column: int) -> str:
    text = f"{safe(matrix.measures[row])} and {safe(matrix.measures[column])}<br>{matrix.value[row][column]:.3f}"
    low, high = matrix.low[row][column], matrix.high[row][column]
    return f"{text}, from {low:.3f} to {high:.3f} by system" if low != high and low == low else text
