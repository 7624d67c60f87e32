"""Tables on cards: columns whose cells are made from the rows of a result, and how a page draws them.

    TABLE = (
        Column("ranker", plain("system")),
        Column("gap", interval("gap")),
        Column("p", p("p_corrected", "not tested")),
        Column("in both orders", where(lambda row: row["answers"] > 0, share("twice")), optional=True),
    )
    grids.drawer("Gap: in SDs of scores.", table, grids.cells(table, TABLE), "Gaps of rankers.", "gaps", code)

The kinds of cells are functions from the names of a row's values to a cell: a function from a row to what is shown.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.output.recipes import Recipe
from fairviz.ui.kit import charts, html
from fairviz.words.sentences import number, p_cell, with_interval

NONE = "–"  # of a cell without a value
ROW_HEIGHT, MOST_ROWS = 35, 12  # pixels of a row; rows before a table scrolls
Row = Mapping[Any, Any]
Cell = Callable[[Row], Any]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    cell: from a row to its cell. optional: left out where no row has a value. width: pixels; None for as wide as its
    texts.
    """

    head: str
    cell: Cell
    optional: bool = False
    width: int | None = None


def plain(name: str) -> Cell:
    """Return the value as it is."""
    return lambda row: row[name]


def mean(name: str) -> Cell:
    """Return the value with three decimals; `undefined` without one."""
    return lambda row: number(row[name])


def interval(name: str, undefined: str = "undefined") -> Cell:
    """Return the value with its interval, of the columns name, name_low and name_high; `undefined` without a value."""

    def cell(row: Row) -> str:
        if pd.isna(row[name]):
            return undefined
        return with_interval(row[name], row[f"{name}_low"], row[f"{name}_high"])

    return cell


def share(name: str) -> Cell:
    """Return the value as a percentage with its interval, if it has one; a dash without a value."""

    def cell(row: Row) -> str:
        if pd.isna(row[name]):
            return NONE
        low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
        return f"{row[name]:.0%}" if pd.isna(low) else f"{row[name]:.0%} ({low:.0%} to {high:.0%})"

    return cell


def p(name: str, undefined: str) -> Cell:
    """Return a p-value as `.002` or `< .001`; `undefined` where nothing is tested."""
    return lambda row: p_cell(row[name], undefined)


def count(name: str) -> Cell:
    """Return a whole number with commas."""
    return lambda row: f"{int(row[name]):,}"


def of(part: str, *whole: str) -> Cell:
    """Return a part and its whole as `12 of 42`; of several names the whole is their sum."""
    return lambda row: f"{int(row[part]):,} of {int(sum(row[name] for name in whole)):,}"


def losses(names: Iterable[str], none: str = "none") -> Cell:
    """Return what was lost as `3 refused, 1 too long`, by the names of its counts."""
    texts = {name: name.replace("_", " ") for name in names}
    return lambda row: ", ".join(f"{row[name]:,} {text}" for name, text in texts.items() if row[name]) or none


def where(condition: Callable[[Row], bool], cell: Cell, otherwise: str = NONE) -> Cell:
    """Return the cell of the rows for which the condition holds."""
    return lambda row: cell(row) if condition(row) else otherwise


def cells(table: pd.DataFrame, columns: Sequence[Column]) -> pd.DataFrame:
    """Return a row of cells for each row of the table, without optional columns in which every cell is a dash."""
    frame = pd.DataFrame([{column.head: column.cell(row) for column in columns} for row in table.to_dict("records")])
    optional = [column.head for column in columns if column.optional]
    return frame.drop(columns=[name for name in optional if all(frame[name] == NONE)])


def grid(
    frame: pd.DataFrame, alt: str, key: str, *, most: int = MOST_ROWS, row_height: int = ROW_HEIGHT,
    columns: Sequence[Column] = (), **options: Any,
) -> None:  # fmt: skip
    """Draw cells as a table that scrolls above `most` rows. columns: those with a width of their own. options: of
    `st.dataframe`."""
    if widths := {column.head: st.column_config.TextColumn(width=column.width) for column in columns if column.width}:
        options["column_config"] = {head: width for head, width in widths.items() if head in frame}
    height = (min(len(frame), most) + 1) * row_height + 3
    st.dataframe(frame, hide_index=True, key=key, row_height=row_height, height=height, alt=alt, **options)


def head(text: str, table: pd.DataFrame, alt: str, key: str, code: Recipe, *, figure: bool = False) -> None:
    """Draw a line of small print, and at its right the button of `charts.table`."""
    words, more = st.columns([12, 2], vertical_alignment="center")
    with words:
        html.quiet(text)
    with more:
        charts.table(table, alt, key, code, figure=figure)


def drawer(
    text: str, table: pd.DataFrame, frame: pd.DataFrame, alt: str, key: str, code: Recipe, **options: Any
) -> None:
    """Draw a line of small print with the export of a table, and below it the table's cells. options: of `grid`."""
    head(text, table, alt, key, code)
    grid(frame, alt, f"{key}_grid", **options)
