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
from functools import partial
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

    head: a function from a row to its head stands for columns beside each other, such as one a measure: rows that agree
    in all other cells become one; an empty head leaves the cell out. cell: from a row to its cell. optional: left out
    where no row has a value. width: pixels; None for as wide as its texts. kind: how numbers are drawn, such as
    `partial(st.column_config.ProgressColumn, format="percent")`.
    """

    head: str | Callable[[Row], str]
    cell: Cell
    optional: bool = False
    width: int | None = None
    kind: Callable[..., Any] = st.column_config.TextColumn


def plain(name: str) -> Cell:
    """Return the value as it is."""
    return lambda row: row[name]


def named(name: str, texts: Mapping[Any, str]) -> Cell:
    """Return the text of the value."""
    return lambda row: texts[row[name]]


def mean(name: str) -> Cell:
    """Return the value with three decimals; `undefined` without one."""
    return lambda row: number(row[name])


def interval(name: str, undefined: str = "undefined", *, ends: str = "") -> Cell:
    """Return the value with its interval, of the columns name, name_low and name_high; `undefined` without a value.
    ends: of the interval's columns where they have another name, such as `ci`."""

    def cell(row: Row) -> str:
        if pd.isna(row[name]):
            return undefined
        return with_interval(row[name], row[f"{ends or name}_low"], row[f"{ends or name}_high"])

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


def bar(head: str, name: str, width: int = 96) -> Column:
    """Return a column of shares from 0 to 1, each drawn as a bar with its percentage."""
    kind = partial(st.column_config.ProgressColumn, format="percent", min_value=0, max_value=1)
    return Column(head, plain(name), width=width, kind=kind)


def cells(table: pd.DataFrame, columns: Sequence[Column]) -> pd.DataFrame:
    """Return a row of cells for each row of the table, or for each that differs before the columns beside each other;
    without optional columns in which every cell is a dash."""
    rows: dict[Any, dict[str, Any]] = {}
    is_wide = any(callable(column.head) for column in columns)
    for place, row in enumerate(table.to_dict("records")):
        first = {column.head: column.cell(row) for column in columns if isinstance(column.head, str)}
        texts = rows.setdefault(tuple(first.values()) if is_wide else place, first)
        for column in columns:
            if callable(column.head) and (head := column.head(row)):
                texts[head] = column.cell(row)
    frame = pd.DataFrame(list(rows.values()))
    optional = [column.head for column in columns if column.optional and column.head in frame]
    return frame.drop(columns=[name for name in optional if (frame[name] == NONE).all()])


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
        options["column_config"] = {head: one.kind(width=one.width) for head, one in own.items()}
    high = options.pop("height", height(len(frame), most, row_height))
    st.dataframe(frame, hide_index=True, key=key, row_height=row_height, height=high, alt=alt, **options)


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
