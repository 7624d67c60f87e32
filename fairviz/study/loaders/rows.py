"""Tables of one row a line, in CSV, TSV, JSON lines or Parquet, with the lines of rows for errors."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import MOST_BAD_LINES, BadLine, DataError, cap_lines, display_path
from fairviz.study.loaders.delimited import CSV, TSV, first_row, numbered_rows, read_columns
from fairviz.study.loaders.guards import MARK, MARK_VALUE, SET_APART, is_guarded, unguard_frame, unguard_names
from fairviz.study.loaders.packing import packed_names, plain_name
from fairviz.study.loaders.records import read_json_lines, read_parquet
from fairviz.study.loaders.source import MOST_COLUMNS, problem, read_bytes
from fairviz.words.sentences import agreeing

SUFFIXES = (*packed_names(".tsv", ".csv", ".jsonl"), ".parquet")  # Parquet is compressed inside
_AS_GUARDED = (
    f"Write {MARK_VALUE} in each of its rows, where apostrophes stand in front of cells, "
    "or give the column another name."
)
_HEADER_WORDS = {"id", "_id", "qid", "q_id", "query_id", "did", "docid", "doc_id", "pid", "text", "query", "title"}
_HEADER_WORDS |= {"document", "passage", "label", "annotator", "word", "group", "gender_bias", "content_gender", "d_id"}


@dataclass(frozen=True)
class Layout:
    """The requirements of a file: required columns, other names for them, and the order of a TSV without a header."""

    part: str
    required: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...] = ()
    headerless: tuple[str, ...] = ()

    @property
    def remedy(self) -> str:
        return f"Name the columns {', '.join(self.required)} in the first line."


@dataclass(frozen=True)
class Rows:
    """A file's rows. `file`: its name for errors; `lines()`: the line of each row (0 in Parquet); `named`: the columns'
    names in the file.
    """

    frame: pd.DataFrame
    file: str
    lines: Callable[[], list[int]]
    named: tuple[str, ...] = ()

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
    """Return the rows of the file, required columns under their own names. Raises DataError for an unreadable file."""
    file = display_path(path, root)
    suffix = Path(plain_name(path)).suffix.lower()
    if suffix == ".parquet":
        frame = read_parquet(path, root)
        rows = Rows(_rename_columns(frame, layout), file, lambda: [0] * len(frame), tuple(map(str, frame.columns)))
    elif suffix == ".jsonl":
        frame, numbers = read_json_lines(read_bytes(path, root), file)
        rows = Rows(_rename_columns(frame, layout), file, lambda: numbers, tuple(frame.columns))
    else:
        return _read_delimited(read_bytes(path, root), file, suffix, layout)
    _check_columns(list(rows.frame.columns), rows.named, layout, file, 0)
    return rows


def _rename_columns(frame: pd.DataFrame, layout: Layout) -> pd.DataFrame:
    return frame.set_axis(own_names(list(frame.columns), layout), axis="columns")


def own_names(names: list, layout: Layout) -> list:
    """Return the columns under the names of the layout: a missing one replaces its first alias that is present."""
    layout_names = list(names)
    for old, new in layout.aliases:
        if old in layout_names and new not in layout_names:
            layout_names[layout_names.index(old)] = new
    return layout_names


def _read_delimited(data: bytes, file: str, suffix: str, layout: Layout) -> Rows:
    dialect = CSV if suffix == ".csv" else TSV
    cells = [cell.strip().strip('"') for cell in first_row(data, file, dialect)]
    has_guards = suffix == ".csv" and is_guarded(cells)
    cells = unguard_names(cells) if has_guards else cells
    layout_names = own_names(cells, layout)
    names = [cell or f"column_{place}" for place, cell in enumerate(layout_names, start=1)]
    header = not _is_headerless(cells, suffix, layout)
    if header:
        _check_unnamed(layout_names, file)
        _check_columns(names, cells, layout, file, 1)
    else:
        names = list(layout.headerless)
    frame = read_columns(data, file, names, header=header, dialect=dialect)

    def lines() -> list[int]:
        return [number for number, _ in numbered_rows(data, file, len(names), header=header, dialect=dialect)]

    rows = Rows(frame, file, lines, tuple(cells) if header else tuple(names))
    return replace(rows, frame=_unguard_rows(rows)) if has_guards else rows


def _unguard_rows(rows: Rows) -> pd.DataFrame:
    """Return the original texts of a guarded file's rows. Raises DataError for a row without the mark."""
    unmarked = np.flatnonzero((rows.frame[SET_APART] != MARK_VALUE).to_numpy(dtype=bool))
    if len(unmarked):
        raise DataError(
            rows.bad(unmarked, f"the last column is {MARK}, and does not say {MARK_VALUE}", SET_APART), _AS_GUARDED
        )
    return unguard_frame(rows.frame)


def _check_unnamed(named: Sequence[str], file: str) -> None:
    """Raise DataError if the substitute name of an unnamed column is taken."""
    for place, cell in enumerate(named, start=1):
        name = f"column_{place}"
        if not cell and name in named:
            message = f"column {place} has no name, and {name} is another's"
            raise problem(file, message, "Give each column its own name.", line=1)


def _is_headerless(cells: list[str], suffix: str, layout: Layout) -> bool:
    """Return whether a TSV begins with data: as many cells as in MS MARCO, and none like a column's name."""
    if suffix != ".tsv" or len(cells) != len(layout.headerless):
        return False
    return not {cell.lower() for cell in cells} & _HEADER_WORDS


def _check_columns(names: list[str], named: Sequence[str], layout: Layout, file: str, line: int) -> None:
    """Raise DataError for too many, missing or repeated columns; `named`: their names in the file."""
    if len(names) > MOST_COLUMNS:
        message = f"the file has {len(names):,} columns, more than {MOST_COLUMNS:,}"
        raise problem(file, message, "Keep the columns that are needed.")
    missing = [name for name in layout.required if name not in names]
    if missing:
        missing_text = " and ".join(repr(name) for name in missing)
        message = f"the {agreeing(len(missing), 'column')} {missing_text} {agreeing(len(missing), 'is', 'are')} missing"
        raise problem(file, message, layout.remedy, ", ".join(map(str, named)), line)
    repeated_names = _find_repeated(names) or _find_repeated(
        [name for name in named if name]
    )  # one of two `_id` becomes the query_id
    if repeated_names:
        raise problem(file, "two columns have the same name", "Give each column its own name.", repeated_names[0], line)


def _find_repeated(names: Sequence[str]) -> list[str]:
    return [name for place, name in enumerate(names) if name in names[:place]]


def read_ids(rows: Rows, columns: tuple[str, ...]) -> pd.DataFrame:
    """Return the frame with these id columns as text. Raises DataError for an empty or fractional id, true or false."""
    frame = rows.frame.copy(deep=False)
    bad_lines = []
    for name in columns:
        values = frame[name]
        texts = values if isinstance(values.dtype, pd.StringDtype) else values.map(_id_text).astype("str")
        frame[name] = texts
        invalid = np.flatnonzero((texts.isna() | (texts == "")).to_numpy(dtype=bool))
        bad_lines += rows.bad(invalid, f"the {name} is empty or no text")
    if bad_lines:
        raise DataError(bad_lines, f"Give every row a {' and a '.join(columns)}.")
    return frame


def _id_text(value: object) -> str | None:
    """Return the id as text, or None unless it is text or a whole number."""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(value)
    return None


def repeated_ids(rows: Rows, frame: pd.DataFrame, name: str) -> list[BadLine]:
    """Return a bad line for each row that repeats an earlier row's id."""
    if not frame[name].duplicated().any():
        return []
    return cap_lines(_iterate_repeats(rows, frame, name))


def _iterate_repeats(rows: Rows, frame: pd.DataFrame, name: str) -> Iterator[BadLine]:
    first: dict[str, int] = {}
    for line, value in zip(rows.lines(), frame[name], strict=True):
        if value in first:
            earlier = f"in line {first[value]} already" if line else "in an earlier row already"
            yield BadLine(rows.file, line, f"this {name} stands {earlier}", value)
        first.setdefault(value, line)
