"""How a page draws the cells of a table, whose columns are those of `fairviz.evaluation.columns`.

grids.drawer("Gap: in SDs of scores.", table, cells(table, TABLE), "Gaps of rankers.", "gaps", code)
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.evaluation.columns import Column
from fairviz.output.recipes import Recipe
from fairviz.ui.kit import charts, html

ROW_HEIGHT, MOST_ROWS = 35, 12  # pixels of a row; rows before a table scrolls
KINDS: dict[str, Callable[..., Any]] = {
    "text": st.column_config.TextColumn,
    "bar": partial(st.column_config.ProgressColumn, format="percent", min_value=0, max_value=1),
}


def height(rows: int, most: int = MOST_ROWS, row_height: int = ROW_HEIGHT) -> int:
    """Return the pixels of a table of so many rows below its head, which scrolls above `most`."""
    return (min(rows, most) + 1) * row_height + 3


def grid(
    frame: pd.DataFrame, alt: str, key: str, *, most: int = MOST_ROWS, row_height: int = ROW_HEIGHT,
    columns: Sequence[Column] = (), **options: Any,
) -> None:  # fmt: skip
    """Draw cells as a table that scrolls above `most` rows. columns: those with a width or kind of their own. options:
    of `st.dataframe`."""
    if own := {column.head: column for column in columns if column.width and column.head in frame}:
        options["column_config"] = {head: KINDS[one.kind](width=one.width) for head, one in own.items()}
    high = options.pop("height", height(len(frame), most, row_height))
    st.dataframe(frame, hide_index=True, key=key, row_height=row_height, height=high, alt=alt, **options)


def head(
    text: str, table: pd.DataFrame, alt: str, key: str, code: Recipe, *, figure: bool = False, notes: Iterable[str] = ()
) -> None:
    """Draw a line of small print, and at its right the button of `charts.table` with its notes."""
    words, more = st.columns([8, 2], vertical_alignment="center")
    with words:
        html.quiet(text)
    with more:
        charts.table(table, alt, key, code, figure=figure, notes=notes)


def drawer(
    text: str, table: pd.DataFrame, frame: pd.DataFrame, alt: str, key: str, code: Recipe,
    *, notes: Iterable[str] = (), **options: Any,
) -> None:  # fmt: skip
    """Draw a line of small print with the export of a table, and below it the table's cells. options: of `grid`."""
    head(text, table, alt, key, code, notes=notes)
    grid(frame, alt, f"{key}_grid", **options)
