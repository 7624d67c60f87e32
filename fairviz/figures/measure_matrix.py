"""How far every pair of measures agrees: over queries, or in the order of the systems."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.kappa_matrix import SCALES
from fairviz.figures.style import LIGHT, Theme, empty_figure, layout, safe, shortened

TITLES = {
    "pearson": "Pearson's r of two measures over queries",
    "kendall": "Kendall's tau of two measures over queries",
    "order": "Kendall's tau between the orders of the systems",
}
MOST_TEXTS = 14
NAME_CHARACTERS = 22


@dataclass(frozen=True)
class MeasureMatrix:
    """value[i][j] of measures i and j, 1 with itself; NaN where it is undefined. low and high: the least and the
    greatest of the systems, where it is a mean over them. kind: a key of TITLES; of: whose queries, in words."""

    measures: tuple[str, ...]
    value: tuple[tuple[float, ...], ...]
    low: tuple[tuple[float, ...], ...]
    high: tuple[tuple[float, ...], ...]
    kind: str
    of: str

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        above = np.array(self.value)[np.triu_indices(len(self.measures), k=1)] if self.measures else np.array([])
        known = above[~np.isnan(above)]
        if not len(known):
            return f"{TITLES[self.kind]}: no pair of measures has one."
        pairs = f"{len(known):,} pair{'' if len(known) == 1 else 's'}"
        return f"{TITLES[self.kind]}, {self.of}: {pairs}, from {known.min():.2f} to {known.max():.2f}."


def info(table: pd.DataFrame, measures: Sequence[str], kind: str = "pearson", system: str = "") -> MeasureMatrix:
    """From correlations (first, second, system, pearson, kendall) or orders (first, second, kendall).

    kind: pearson or kendall over queries, of one system or, without one, the mean over systems; or order. measures: in
    the order in which they are drawn; one without any pair is drawn with empty cells.
    """
    column = "pearson" if kind == "pearson" else "kendall"
    rows = table[table["system"] == system] if system and kind != "order" else table
    place = {name: number for number, name in enumerate(measures)}
    found = np.full((3, len(measures), len(measures)), np.nan)
    for (first, second), values in rows.groupby(["first", "second"], sort=False)[column]:
        known = values.dropna().to_numpy()
        if len(known):
            one, other = place[str(first)], place[str(second)]
            found[:, one, other] = found[:, other, one] = known.mean(), known.min(), known.max()
    for number in range(len(measures)):
        found[:, number, number] = 1.0
    count = rows["system"].nunique() if kind != "order" and "system" in rows else 0
    of = "of the systems" if kind == "order" else f"of {system}" if system else f"mean over {count:,} systems"
    value, low, high = (tuple(map(tuple, layer.tolist())) for layer in found)
    return MeasureMatrix(tuple(measures), value, low, high, kind, of)


def draw(matrix: MeasureMatrix, theme: Theme = LIGHT, height: int = 380) -> go.Figure:
    """The figure of `matrix`, the value written in each cell where there is room."""
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
    said = f"{safe(matrix.measures[row])} and {safe(matrix.measures[column])}<br>{matrix.value[row][column]:.3f}"
    low, high = matrix.low[row][column], matrix.high[row][column]
    return f"{said}, from {low:.3f} to {high:.3f} by system" if low != high and low == low else said
