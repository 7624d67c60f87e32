"""Which of two systems is fairer for each pair of levels of two choices, and with which chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import LIGHT, SystemStyle, Theme, empty_figure, layout, safe, shortened

NO_CELL = "no value"
BACK = 0.55  # how far colours lie from the page at a chance of 1


@dataclass(frozen=True)
class Cell:
    """One pair of levels: how many combinations have a value, in how many A and B are fairer and a corrected test
    supports that, and the mean chance that A is fairer; NaN where no combination has a value. levels: up and across."""

    levels: tuple[str, str]
    combinations: int
    without: int
    ours: int
    theirs: int
    ours_tested: int
    theirs_tested: int
    chance: float


@dataclass(frozen=True)
class ChoiceMap:
    """The cells over two choices, row by row from above. pair: A and B; names: of the choices up and across; marked:
    the levels that are set now."""

    pair: tuple[str, str]
    names: tuple[str, str]
    levels: tuple[tuple[str, ...], tuple[str, ...]]
    cells: tuple[Cell, ...]
    marked: tuple[str, str] = ("", "")

    @property
    def title(self) -> str:
        """What is seen."""
        return "Which system is fairer, and the chance that it is"

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        known = [cell for cell in self.cells if cell.combinations]
        if not known:
            return "No pair of levels has a combination with a value for both systems."
        ours, theirs = sum(cell.chance > 0.5 for cell in known), sum(cell.chance < 0.5 for cell in known)
        return (
            f"Of {len(known):,} pairs of levels of {self.names[0]} and {self.names[1]}, {self.pair[0]} is more likely "
            f"the fairer one in {ours:,} and {self.pair[1]} in {theirs:,}."
        )


def info(
    table: pd.DataFrame,
    pair: tuple[str, str],
    names: tuple[str, str],
    varied: Mapping[str, Sequence[str]],
    marked: tuple[str, str] = ("", ""),
) -> ChoiceMap:
    """From fairer, tested, chance and the columns of the two choices; the chance is the mean over all combinations of
    the other choices."""
    up, across = (tuple(varied.get(name, ())) for name in names)
    cells = []
    groups = dict(iter(table.groupby([*names], sort=False))) if len(table) else {}
    for levels in product(up, across):
        rows = groups.get(levels, table.iloc[:0])
        known = rows[rows["fairer"] != ""]
        chance = float(known["chance"].mean()) if len(known) else np.nan
        fairer, tested = ([int((known[name] == who).sum()) for who in pair] for name in ("fairer", "tested"))
        without = len(rows) - len(known)
        cells.append(Cell(levels, len(known), without, fairer[0], fairer[1], tested[0], tested[1], chance))
    return ChoiceMap(pair, names, (up, across), tuple(cells), marked)


def draw(drawn: ChoiceMap, styles: Mapping[str, SystemStyle], theme: Theme = LIGHT, height: int = 330) -> go.Figure:
    """The figure of `drawn`: the colour is that of the system that is more likely the fairer one, the deeper the
    surer; the cell says its name and the chance. A cell carries its levels, for a click."""
    if not any(cell.combinations for cell in drawn.cells):
        return empty_figure(drawn.title, drawn.alt, theme, height)
    up, across = drawn.levels
    figure = go.Figure(layout=layout(drawn.title, theme, height))
    chances = np.array([cell.chance for cell in drawn.cells]).reshape(len(up), len(across))
    colours = [styles[name].colour if name in styles else theme.muted for name in drawn.pair]
    figure.add_trace(
        go.Heatmap(
            z=[[None if np.isnan(value) else value for value in row] for row in chances],
            x=list(range(len(across))),
            y=list(range(len(up))),
            zmin=0,
            zmax=1,
            colorscale=[[0, colours[1]], [0.5, theme.surface], [1, colours[0]]],
            opacity=BACK,
            xgap=2,
            ygap=2,
            hoverinfo="skip",
            colorbar={"title": {"text": f"chance that {shortened(drawn.pair[0])} is fairer", "side": "right"},
                      "thickness": 10, "tickformat": ".0%"},
        )
    )  # fmt: skip
    figure.add_trace(_marks(drawn, theme))
    _mark(figure, drawn, theme)
    for which, (name, levels) in enumerate(zip(drawn.names, drawn.levels, strict=True)):
        update = figure.update_xaxes if which else figure.update_yaxes
        names = [shortened(level, 20) for level in levels]
        ends = [-0.5, len(levels) - 0.5]
        update(
            title_text=safe(name).replace("_", " "), tickvals=list(range(len(levels))), ticktext=names,
            showgrid=False, zeroline=False, range=ends if which else ends[::-1],
        )  # fmt: skip
    return figure


def _marks(drawn: ChoiceMap, theme: Theme) -> go.Scatter:
    """The words of each cell, on a mark that takes the click."""
    places = list(np.ndindex(len(drawn.levels[0]), len(drawn.levels[1])))
    return go.Scatter(
        x=[column for _, column in places],
        y=[row for row, _ in places],
        mode="markers+text",
        marker={"size": 36, "symbol": "square", "color": "rgba(0,0,0,0)"},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 1}},
        text=[_said(drawn, cell) for cell in drawn.cells],
        textfont={"color": theme.text, "size": 11},
        hovertext=[_hover(drawn, cell) for cell in drawn.cells],
        hovertemplate="%{hovertext}<extra></extra>",
        customdata=[[f"{row},{column}"] for row, column in places],
        showlegend=False,
    )


def _said(drawn: ChoiceMap, cell: Cell) -> str:
    if not cell.combinations:
        return NO_CELL
    if cell.chance == 0.5:
        return "50 %"
    who = drawn.pair[0] if cell.chance > 0.5 else drawn.pair[1]
    room = max(36 // max(len(drawn.levels[1]), 1), 6)  # characters of a cell
    return f"{shortened(who, room)}<br>{100 * max(cell.chance, 1 - cell.chance):.0f} %"


def _hover(drawn: ChoiceMap, cell: Cell) -> str:
    levels = [f"{safe(name)}: {safe(level)}" for name, level in zip(drawn.names, cell.levels, strict=True)]
    first, second = map(safe, drawn.pair)
    many = f"{cell.combinations:,} combination{'' if cell.combinations == 1 else 's'}"
    said = [*levels, f"{many} with a value, {cell.without:,} without"]
    if cell.combinations:
        said += [
            f"{first} fairer under {cell.ours:,}, {second} under {cell.theirs:,}",
            f"supported by the corrected test: {cell.ours_tested:,} and {cell.theirs_tested:,}",
            f"chance that {first} is fairer, mean over these: {100 * cell.chance:.0f} %",
        ]
    return "<br>".join(said)


def _mark(figure: go.Figure, drawn: ChoiceMap, theme: Theme) -> None:
    """A frame around the levels that are set now."""
    if all(level in levels for level, levels in zip(drawn.marked, drawn.levels, strict=True)):
        row, column = (levels.index(level) for level, levels in zip(drawn.marked, drawn.levels, strict=True))
        figure.add_shape(type="rect", x0=column - 0.48, x1=column + 0.48, y0=row - 0.48, y1=row + 0.48,
                         line={"color": theme.text, "width": 2.5}, fillcolor="rgba(0,0,0,0)")  # fmt: skip
