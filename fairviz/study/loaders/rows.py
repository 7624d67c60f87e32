"""Tables of one row a line, in CSV, TSV, JSON lines or Parquet, with the line of a row where an error needs it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import MOST_BAD_LINES, BadLine, DataError, capped, display_path
from fairviz.study.loaders.delimited import CSV, TSV, first_row, numbered_rows, read_columns
from fairviz.study.loaders.guards import MARK, SAID, SET_APART, is_guarded, unguarded_frame, unguarded_names
from fairviz.study.loaders.packing import packed_names, plain_name
from fairviz.study.loaders.records import read_json_lines, read_parquet
from fairviz.study.loaders.source import MOST_COLUMNS, problem, read_bytes

SUFFIXES = (*packed_names(".tsv", ".csv", ".jsonl"), ".parquet")  # Parquet is compressed inside
_AS_GUARDED = (
    f"Write {SAID} in each of its rows, where apostrophes stand in front of cells, or give the column another name."
)
_HEADER_WORDS = {"id", "_id", "qid", "q_id", "query_id", "did", "docid", "doc_id", "pid", "text", "query", "title"}
_HEADER_WORDS |= {"document", "passage", "label", "annotator", "word", "group", "gender_bias", "content_gender", "d_id"}


@dataclass(frozen=True)
class Layout:
    """What a file must hold: the required columns, other names for them, and the order of a TSV without a header."""

    part: str
    required: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...] = ()
    headerless: tuple[str, ...] = ()

    @property
    def remedy(self) -> str:
        return f"Name the columns {', '.join(self.required)} in the first line."


@dataclass(frozen=True)
class Rows:
    """A file's rows as they stand. `file` is its name for errors; `lines()` is the line of each row (0 in Parquet);
    `named` the columns as the file calls them."""

    frame: pd.DataFrame
    file: str
    lines: Callable[[], list[int]]
    named: tuple[str, ...] = ()

    @property
    def is_guarded(self) -> bool:
        """Whether the file says that its texts are guarded."""
        return SET_APART in self.named

    def bad(self, positions: np.ndarray, message: str, column: str | None = None) -> list[BadLine]:
        """A bad line for each of these rows, with the value of the column; the first hundred where there are more."""
        if not len(positions):
            return []
        lines = self.lines()
        values = None if column is None else self.frame[column]
        return capped(
            BadLine(self.file, lines[row], message, None if values is None else _shown(values.iloc[row]))
            for row in positions[:MOST_BAD_LINES].tolist()
        )


def _shown(value: object) -> str | None:
    return None if value is None or (isinstance(value, float) and np.isnan(value)) else str(value)


def read_rows(path: str | Path, layout: Layout, root: str | Path | None = None) -> Rows:
    """The rows of the file, required columns under their own names. Raises DataError for what cannot be read."""
    file = display_path(path, root)
    suffix = Path(plain_name(path)).suffix.lower()
    if suffix == ".parquet":
        frame = read_parquet(path, root)
        rows = Rows(_named(frame, layout), file, lambda: [0] * len(frame), tuple(map(str, frame.columns)))
    elif suffix == ".jsonl":
        frame, numbers = read_json_lines(read_bytes(path, root), file)
        rows = Rows(_named(frame, layout), file, lambda: numbers, tuple(frame.columns))
    else:
        return _read_delimited(read_bytes(path, root), file, suffix, layout)
    _check_columns(list(rows.frame.columns), rows.named, layout, file, 0)
    return rows


def _named(frame: pd.DataFrame, layout: Layout) -> pd.DataFrame:
    return frame.set_axis(own_names(list(frame.columns), layout), axis="columns")


def own_names(names: list, layout: Layout) -> list:
    """The columns under the names of the layout: each of these that is absent, in place of the first other name for it
    that is there."""
    named = list(names)
    for old, new in layout.aliases:
        if old in named and new not in named:
            named[named.index(old)] = new
    return named


def _read_delimited(data: bytes, file: str, suffix: str, layout: Layout) -> Rows:
    dialect = CSV if suffix == ".csv" else TSV
    cells = [cell.strip().strip('"') for cell in first_row(data, file, dialect)]
    guarded = suffix == ".csv" and is_guarded(cells)
    cells = unguarded_names(cells) if guarded else cells
    named = own_names(cells, layout)
    names = [cell or f"column_{place}" for place, cell in enumerate(named, start=1)]
    header = not _is_headerless(cells, suffix, layout)
    if header:
        _check_unnamed(named, file)
        _check_columns(names, cells, layout, file, 1)
    else:
        names = list(layout.headerless)
    frame = read_columns(data, file, names, header=header, dialect=dialect)

    def lines() -> list[int]:
        return [number for number, _ in numbered_rows(data, file, len(names), header=header, dialect=dialect)]

    rows = Rows(frame, file, lines, tuple(cells) if header else tuple(names))
    return replace(rows, frame=_unguarded(rows)) if guarded else rows


def _unguarded(rows: Rows) -> pd.DataFrame:
    """The texts that a guarded file's rows stand for. Raises DataError where a row does not say that it is guarded."""
    wrong = np.flatnonzero((rows.frame[SET_APART] != SAID).to_numpy(dtype=bool))
    if len(wrong):
        raise DataError(rows.bad(wrong, f"the last column is {MARK}, and does not say {SAID}", SET_APART), _AS_GUARDED)
    return unguarded_frame(rows.frame)


def _check_unnamed(named: Sequence[str], file: str) -> None:
    """Raises DataError where a column without a name would be called as another is."""
    for place, cell in enumerate(named, start=1):
        name = f"column_{place}"
        if not cell and name in named:
            what = f"column {place} has no name, and {name} is another's"
            raise problem(file, what, "Give each column its own name.", line=1)


def _is_headerless(cells: list[str], suffix: str, layout: Layout) -> bool:
    """Whether a TSV begins with data: as many cells as MS MARCO has, and none that reads like a column's name."""
    if suffix != ".tsv" or len(cells) != len(layout.headerless):
        return False
    return not {cell.lower() for cell in cells} & _HEADER_WORDS


def _check_columns(names: list[str], named: Sequence[str], layout: Layout, file: str, line: int) -> None:
    """Raises DataError for a column too many or that is absent; `named` is what the file calls them."""
    if len(names) > MOST_COLUMNS:
        what = f"the file has {len(names):,} columns, more than {MOST_COLUMNS:,}"
        raise problem(file, what, "Keep the columns that are needed.")
    missing = [name for name in layout.required if name not in names]
    if missing:
        listed = " and ".join(repr(name) for name in missing)
        what = f"the column{'s' if len(missing) > 1 else ''} {listed} {'are' if len(missing) > 1 else 'is'} missing"
        raise problem(file, what, layout.remedy, ", ".join(map(str, named)), line)
    repeated = _repeated(names) or _repeated([name for name in named if name])  # of two `_id` one becomes the query_id
    if repeated:
        raise problem(file, "two columns have the same name", "Give each column its own name.", repeated[0], line)


def _repeated(names: Sequence[str]) -> list[str]:
    return [name for place, name in enumerate(names) if name in names[:place]]


def identified(rows: Rows, columns: tuple[str, ...]) -> pd.DataFrame:
    """The frame with these id columns as text. Raises DataError where an id is empty, a fraction, true or false."""
    frame = rows.frame.copy(deep=False)
    bad = []
    for name in columns:
        values = frame[name]
        texts = values if isinstance(values.dtype, pd.StringDtype) else values.map(_id_text).astype("str")
        frame[name] = texts
        wrong = np.flatnonzero((texts.isna() | (texts == "")).to_numpy(dtype=bool))
        bad += rows.bad(wrong, f"the {name} is empty or no text")
    if bad:
        raise DataError(bad, f"Give every row a {' and a '.join(columns)}.")
    return frame


def _id_text(value: object) -> str | None:
    """The id as text, or None where it is neither text nor a whole number."""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return str(value)
    return None


def repeated_ids(rows: Rows, frame: pd.DataFrame, name: str) -> list[BadLine]:
    """A bad line for each row whose id stood in an earlier row."""
    if not frame[name].duplicated().any():
        return []
    return capped(_repeats(rows, frame, name))


def _repeats(rows: Rows, frame: pd.DataFrame, name: str) -> Iterator[BadLine]:
    first: dict[str, int] = {}
    for line, value in zip(rows.lines(), frame[name], strict=True):
        if value in first:
            earlier = f"in line {first[value]} already" if line else "in an earlier row already"
            yield BadLine(rows.file, line, f"this {name} stands {earlier}", value)
        first.setdefault(value, line)
