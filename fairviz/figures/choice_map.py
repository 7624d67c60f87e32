"""The fairer of two systems for each pair of levels of two choices, and its chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure, trace, without_nan
from fairviz.figures.style import LIGHT, Styles, Theme, safe, shortened
from fairviz.statistics.contrasts import is_equal
from fairviz.words.sentences import counted

NO_CELL = "no value"
BACK = 0.55  # opacity of the colours


@dataclass(frozen=True)
class Cell:
    """One pair of levels (y, x): the number of combinations with and without a value, of those in which A and B are
    fairer, of those in which a corrected test supports it, and the mean chance that A is fairer, NaN without a
    value."""

    levels: tuple[str, str]
    combinations: int
    without: int
    fairer: tuple[int, ...]
    tested: tuple[int, ...]
    chance: float


@dataclass(frozen=True)
class ChoiceMap:
    """The cells over two choices, row by row from the top. pair: A and B; names: of the choices on y and x; marked: the
    current levels."""

    pair: tuple[str, str]
    names: tuple[str, str]
    levels: tuple[tuple[str, ...], tuple[str, ...]]
    cells: tuple[Cell, ...]
    marked: tuple[str, str] = ("", "")

    @property
    def title(self) -> str:
        """Title of the figure."""
        return "Which system is fairer, and the chance that it is"

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        valued_cells = [cell for cell in self.cells if cell.combinations]
        if not valued_cells:
            return "No pair of levels has a combination with a value for both systems."
        count_first = sum(cell.chance > 0.5 for cell in valued_cells)
        count_second = sum(cell.chance < 0.5 for cell in valued_cells)
        (up, across), (first, second) = self.names, self.pair
        return (
            f"Of {len(valued_cells):,} pairs of levels of {up} and {across}, {first} is more likely "
            f"the fairer one in {count_first:,} and {second} in {count_second:,}."
        )


def info(
    table: pd.DataFrame,
    pair: tuple[str, str],
    names: tuple[str, str],
    varied: Mapping[str, Sequence[str]],
    marked: tuple[str, str] = ("", ""),
) -> ChoiceMap:
    """Return the map from a table (fairer, tested, chance, and a column for each of the two choices). The chance of a
    cell is the mean over all combinations of the other choices."""
    y_levels, x_levels = (tuple(varied.get(name, ())) for name in names)
    cells = []
    groups = dict(iter(table.groupby([*names], sort=False))) if len(table) else {}
    for levels in product(y_levels, x_levels):
        rows = groups.get(levels, table.iloc[:0])
        valued_rows = rows[rows["fairer"] != ""]
        chance = float(valued_rows["chance"].mean()) if len(valued_rows) else np.nan
        fairer, tested = (
            tuple(int((valued_rows[name] == system).sum()) for system in pair) for name in ("fairer", "tested")
        )
        cells.append(Cell(levels, len(valued_rows), len(rows) - len(valued_rows), fairer, tested, chance))
    return ChoiceMap(pair, names, (y_levels, x_levels), tuple(cells), marked)


@figure(lambda data: data.title, lambda data: "" if any(cell.combinations for cell in data.cells) else data.alt)
def draw(figure: go.Figure, choice_map: ChoiceMap, styles: Styles, theme: Theme = LIGHT, height: int = 330) -> None:
    """Draw a cell a pair of levels in the colour of the system that is more likely the fairer one, deeper for a higher
    chance, with its name and the chance. A cell's customdata are its row and column."""
    y_levels, x_levels = choice_map.levels
    chances = np.array([cell.chance for cell in choice_map.cells]).reshape(len(y_levels), len(x_levels))
    colours = [styles[name].colour if name in styles else theme.muted for name in choice_map.pair]
    title = {"text": f"chance that {shortened(choice_map.pair[0])} is fairer", "side": "right"}
    look = {"zmin": 0, "zmax": 1, "colorscale": [[0, colours[1]], [0.5, theme.surface], [1, colours[0]]]}
    look |= {"opacity": BACK, "xgap": 2, "ygap": 2, "hoverinfo": "skip"}
    look |= {"colorbar": {"title": title, "thickness": 10, "tickformat": ".0%"}}
    x, y = list(range(len(x_levels))), list(range(len(y_levels)))
    figure.add_trace(go.Heatmap(z=without_nan(chances), x=x, y=y, **look))
    figure.add_trace(_cells(choice_map, theme))
    _frame_marked(figure, choice_map, theme)
    axes = zip((figure.update_yaxes, figure.update_xaxes), choice_map.names, choice_map.levels, strict=True)
    for update, name, axis_levels in axes:
        update(
            title_text=safe(name).replace("_", " "), tickvals=list(range(len(axis_levels))),
            ticktext=[shortened(level, 20) for level in axis_levels], showgrid=False, zeroline=False,
            range=[-0.5, len(axis_levels) - 0.5],
        )  # fmt: skip
    figure.update_yaxes(range=[len(y_levels) - 0.5, -0.5])


def _cells(choice_map: ChoiceMap, theme: Theme) -> go.Scatter:
    """Return the text of each cell, on a transparent marker for clicks."""
    y_levels, x_levels = choice_map.levels
    places, opaque = list(np.ndindex(len(y_levels), len(x_levels))), {"marker": {"opacity": 1}}
    return trace(
        [column for _, column in places], [row for row, _ in places], "markers+text", "%{hovertext}",
        size=36, symbol="square", colour="rgba(0,0,0,0)", selected=opaque, unselected=opaque, showlegend=False,
        text=[_cell_text(choice_map, cell) for cell in choice_map.cells], textfont={"color": theme.text, "size": 11},
        hovertext=[_hover(choice_map, cell) for cell in choice_map.cells],
        customdata=[[f"{row},{column}"] for row, column in places],
    )  # fmt: skip


def _cell_text(choice_map: ChoiceMap, cell: Cell) -> str:
    if not cell.combinations:
        return NO_CELL
    if is_equal(cell.chance, 0.5):
        return "50 %"
    fairer = choice_map.pair[0] if cell.chance > 0.5 else choice_map.pair[1]
    room = max(36 // max(len(choice_map.levels[1]), 1), 6)  # characters of a cell
    return f"{shortened(fairer, room)}<br>{100 * max(cell.chance, 1 - cell.chance):.0f} %"


def _hover(choice_map: ChoiceMap, cell: Cell) -> str:
    levels = [f"{safe(name)}: {safe(level)}" for name, level in zip(choice_map.names, cell.levels, strict=True)]
    first, second = map(safe, choice_map.pair)
    parts = [*levels, f"{counted(cell.combinations, 'combination')} with a value, {cell.without:,} without"]
    if cell.combinations:
        parts += [
            f"{first} fairer under {cell.fairer[0]:,}, {second} under {cell.fairer[1]:,}",
            f"supported by the corrected test: {cell.tested[0]:,} and {cell.tested[1]:,}",
            f"chance that {first} is fairer, mean over these: {100 * cell.chance:.0f} %",
        ]
    return "<br>".join(parts)


def _frame_marked(figure: go.Figure, choice_map: ChoiceMap, theme: Theme) -> None:
    """Draw a frame around the cell of the marked levels."""
    marked = list(zip(choice_map.marked, choice_map.levels, strict=True))
    if all(level in levels for level, levels in marked):
        row, column = (levels.index(level) for level, levels in marked)
        figure.add_shape(type="rect", x0=column - 0.48, x1=column + 0.48, y0=row - 0.48, y1=row + 0.48,
                         line={"color": theme.text, "width": 2.5}, fillcolor="rgba(0,0,0,0)")  # fmt: skip
