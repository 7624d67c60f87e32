"""Tables of one row a line, in CSV, TSV, JSON, a workbook or Parquet: `source` opens the file, `lines` or `records`
reads it by its `layouts`, and bad rows are collected with their lines.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import MOST_BAD_LINES, BadLine, DataError, cap_lines
from fairviz.study.loaders.guards import SET_APART
from fairviz.study.loaders.layouts import Layout
from fairviz.study.loaders.lines import read_delimited
from fairviz.study.loaders.packing import packed_names
from fairviz.study.loaders.records import read_json, read_parquet
from fairviz.study.loaders.source import Source, open_source
from fairviz.study.tables import EXACT
from fairviz.words.sentences import with_article

SUFFIXES = (*packed_names(".tsv", ".csv", ".jsonl", ".json"), ".xlsx", ".parquet")  # the last two are packed inside


@dataclass(frozen=True)
class Rows:
    """A file's rows. `file`: its name for errors; `lines()`: the line of each row (0 in Parquet); `named`: the columns'
    names in the file; `foreign`: whether they are those of a program's export.
    """

    frame: pd.DataFrame
    file: str
    lines: Callable[[], list[int]]
    named: tuple[str, ...] = ()
    foreign: bool = False

    @property
    def is_guarded(self) -> bool:
        """True if the file marks its texts as guarded."""
        return SET_APART in self.named

    def bad(self, positions: np.ndarray, message: str, column: str | None = None) -> list[BadLine]:
        """Return a bad line for each of these rows, at most a hundred, with the value of the column."""
        if not len(positions):
            return []
        lines = self.lines()
        values = None if column is None else self.frame[column]
        return cap_lines(
            BadLine(self.file, lines[row], message, None if values is None else _value_text(values.iloc[row]))
            for row in positions[:MOST_BAD_LINES].tolist()
        )


def _value_text(value: object) -> str | None:
    return None if value is None or (isinstance(value, float) and np.isnan(value)) else str(value)


def read_rows(path: str | Path, layout: Layout, root: str | Path | None = None) -> Rows:
    """Return the rows of the file, columns under the layout's names, ids as text.

    Raises DataError for an unreadable file, and for an empty or fractional id, true or false.
    """
    return rows_of(open_source(path, root), layout)


def rows_of(source: Source, layout: Layout) -> Rows:
    """Return the rows of an opened file: see `read_rows`."""
    if source.ending == ".parquet":
        frame, lines = read_parquet(source.data, source.file, source.most_bytes)
    elif source.ending in (".jsonl", ".json"):
        frame, lines = read_json(source.data, source.file, source.ending)
    else:
        return _with_ids(Rows(*read_delimited(source, layout)), layout)
    header = layout.columns(list(frame.columns), source.file)
    rows = Rows(frame.set_axis(header.names, axis="columns"), source.file, lambda: lines, header.named, header.foreign)
    return _with_ids(rows, layout)


def _with_ids(rows: Rows, layout: Layout) -> Rows:
    """Return the rows with the layout's ids as text. Raises DataError for an empty or fractional id, true or false."""
    if rows.foreign:
        return rows
    frame = rows.frame.copy(deep=False)
    columns = [name for name in layout.ids if name in frame]
    bad_lines = []
    for name in columns:
        values = frame[name]
        if not isinstance(values.dtype, pd.StringDtype):
            fractions = np.flatnonzero(values.map(_is_fraction).to_numpy(dtype=bool))
            bad_lines += rows.bad(fractions, f"the {name} is a fraction, not text or a whole number", name)
        texts = values if isinstance(values.dtype, pd.StringDtype) else values.map(_id_text).astype("str")
        frame[name] = texts
        invalid = np.flatnonzero((texts.isna() | (texts == "")).to_numpy(dtype=bool))
        bad_lines += rows.bad(invalid, f"the {name} is empty or not text")
    if bad_lines:
        bad_lines.sort(key=lambda bad: bad.line)
        raise DataError(bad_lines, f"Give every row {' and '.join(map(with_article, columns))}.")
    return replace(rows, frame=frame)


def _is_fraction(value: Any) -> bool:
    """Return whether the id is a float that is no whole number, or beyond those that floats hold."""
    number = float(value) if isinstance(value, (float, np.floating)) else 0.0
    return number == number and not (number.is_integer() and abs(number) <= EXACT)


def _id_text(value: object) -> str | None:
    """Return the id as text, of a float with its point, which `fairviz.study.ids` takes away; None unless it is text or
    a number.
    """
    if isinstance(value, (str, int, np.integer)) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, (float, np.floating)) and value == value:
        return f"{int(value)}.0" if np.isfinite(value) and not _is_fraction(value) else str(value)
    return None


def find_non_text(rows: Rows, column: str, *, missing: bool) -> list[BadLine]:
    """Return a bad line for each row whose cell is not text, or is missing without permission."""
    values = rows.frame[column]
    if isinstance(values.dtype, pd.StringDtype) and not values.isna().any():
        return []
    is_missing = values.isna()
    invalid = ~values.map(lambda value: isinstance(value, str)) & ~is_missing
    invalid = invalid if missing else invalid | is_missing
    return rows.bad(np.flatnonzero(invalid.to_numpy(dtype=bool)), f"the {column} is not text", column)


def repeated_ids(rows: Rows, name: str) -> list[BadLine]:
    """Return a bad line for each row that repeats an earlier row's id."""
    return cap_lines(_iterate_repeats(rows, name)) if rows.frame[name].duplicated().any() else []


def _iterate_repeats(rows: Rows, name: str) -> Iterator[BadLine]:
    first: dict[str, int] = {}
    for line, value in zip(rows.lines(), rows.frame[name], strict=True):
        if value in first:
            earlier = f"in line {first[value]} already" if line else "in an earlier row already"
            yield BadLine(rows.file, line, f"this {name} is {earlier}", value)
        first.setdefault(value, line)
