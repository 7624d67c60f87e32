"""The share of pairs of lists that two measures order oppositely, a cell for two measures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import SCALES, figure, matrix, matrix_extent
from fairviz.figures.style import LIGHT, Theme, safe, shortened
from fairviz.words.sentences import counted

TITLE = "Share of pairs of lists in opposite orders"
NOTHING = "No two measures order a pair of lists."
NAME_CHARACTERS = 22


@dataclass(frozen=True)
class OpposedPairs:
    """share[i][j] of measures i and j, 0 on the diagonal, NaN where they order no pair."""

    measures: tuple[str, ...]
    share: tuple[tuple[float, ...], ...]

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        count, least, greatest = matrix_extent(self.share)
        if not count:
            return f"{TITLE}: {NOTHING}"
        return f"{TITLE}: {counted(count, 'pair')} of measures, from {least:.0%} to {greatest:.0%}."


def info(table: pd.DataFrame, measures: Sequence[str]) -> OpposedPairs:
    """Return the shares from a table with a row for two measures: first, second, share. measures: in the order of the
    figure."""
    places = {name: number for number, name in enumerate(measures)}
    shares = np.full((len(measures), len(measures)), np.nan)
    for first, second, share in table[["first", "second", "share"]].itertuples(index=False):
        shares[places[first], places[second]] = shares[places[second], places[first]] = share
    if not np.isnan(shares).all():
        np.fill_diagonal(shares, 0.0)
    return OpposedPairs(tuple(measures), tuple(map(tuple, shares.tolist())))


@figure(TITLE, lambda data: "" if matrix_extent(data.share)[0] else NOTHING)
def draw(figure: go.Figure, opposed: OpposedPairs, theme: Theme = LIGHT, height: int = 380) -> None:
    """Draw the matrix, with the values in its cells."""
    names = [safe(shortened(name, NAME_CHARACTERS)) for name in opposed.measures]

    def hover(row: int, column: int) -> str:
        first, second = (safe(opposed.measures[place]) for place in (row, column))
        return f"{first} and {second}<br>{opposed.share[row][column]:.1%} of the pairs of lists"

    matrix(figure, names, opposed.share, "share", theme, hover)
    (_, none), (_, all_pairs) = SCALES[theme.dark][1:]
    figure.update_traces(zmin=0, colorscale=[[0, none], [1, all_pairs]])
