"""Columns of a table for readers: a head, and the cell that is made of each row of a result.

    TABLE = (
        Column("ranker", plain("system")),
        Column("gap", interval("gap")),
        Column("p", p("p_corrected", "not tested")),
        Column("in both orders", where(lambda row: row["answers"] > 0, share("twice")), optional=True),
    )
    cells(table, TABLE)

The kinds of cells are functions from the names of a row's values to a cell: a function from a row to what is shown.
Pages draw them (`fairviz/ui/kit/grids.py`), and so does the report.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from fairviz.words.sentences import number, p_cell, with_interval

NONE = "–"  # of a cell without a value
Row = Mapping[Any, Any]
Cell = Callable[[Row], Any]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    head: a function from a row to its head stands for columns beside each other, such as one a measure: rows that agree
    in all other cells become one; an empty head leaves the cell out. cell: from a row to its cell. optional: left out
    where no row has a value. width: pixels; None for as wide as its texts. kind: how a page draws the cells, `text` or
    `bar`, for shares from 0 to 1.
    """

    head: str | Callable[[Row], str]
    cell: Cell
    optional: bool = False
    width: int | None = None
    kind: Literal["text", "bar"] = "text"


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
    return Column(head, plain(name), width=width, kind="bar")


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
