"""Decisions and labels as files to keep and to pass on, and decisions back in again."""

import csv
import hashlib
import io
import json
import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from fairviz.adjudications.joining import ADJUDICATED
from fairviz.adjudications.store import COLUMNS, Row, add_rows, clean, current, rows_of, timestamp
from fairviz.errors import BadLine, DataError, FairvizError, UsageError
from fairviz.files import write_whole
from fairviz.loaders.labels import group_of
from fairviz.loaders.rows import Layout, Rows, identified, read_rows

if TYPE_CHECKING:
    from fairviz.study import Study

LAYOUT = Layout("decisions", ("doc_id", "label"))
SUFFIXES = (".csv", ".jsonl")
_FORMULA = tuple("=+-@\t\r'")


def export_decisions(study: "Study", path: str | Path) -> Path:
    """Writes every decision and undo, oldest first, as CSV or JSON lines by the file's name; returns the path.

    Columns: mark, time, doc_id, action, label, reason, author. In CSV, a cell that a spreadsheet would run as a
    formula begins with an apostrophe, which `import_decisions` takes off again. Raises FairvizError where the file
    cannot be written, UsageError for another suffix.
    """
    return _write(COLUMNS, (row._asdict() for row in rows_of(study)), Path(path))


def export_labels(study: "Study", path: str | Path) -> Path:
    """Writes the long table that agreement is computed from (doc_id, annotator, label and its other columns), as
    export_decisions does."""
    names = tuple(map(str, study.labels.columns))
    rows = study.labels.itertuples(index=False, name=None)
    return _write(names, (dict(zip(names, map(_plain, row), strict=True)) for row in rows), Path(path))


def to_text(columns: Iterable[str], rows: Iterable[Mapping[str, object]], suffix: str) -> str:
    """The rows as CSV that no spreadsheet runs, or as JSON lines. Raises UsageError for another suffix."""
    if suffix not in SUFFIXES:
        raise UsageError(f"decisions and labels are written as {' or '.join(SUFFIXES)}, not {suffix or 'plain text'!r}")
    if suffix == ".jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    names = list(columns)
    writer.writerow([guarded(name) for name in names])
    writer.writerows([guarded("" if row[name] is None else str(row[name])) for name in names] for row in rows)
    return stream.getvalue()


def guarded(cell: str) -> str:
    """The cell so that a spreadsheet reads it as text."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def unguarded(cell: str) -> str:
    """What `guarded` was given."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def import_decisions(study: "Study", path: str | Path) -> int:
    """Adds the decisions of a file that `export_decisions` wrote, or of any table with doc_id and label; returns how
    many were new.

    A row whose mark is known is there already, so that importing twice adds nothing. Of rows without a mark the last
    of a document counts, and is new unless that label stands already. In a table with a column annotator only the
    rows of `adjudicated` are decisions. Raises DataError that names every bad line.
    """
    made = _read(study, Path(path))
    marked, loose = [row for row in made if row.mark], {row.doc_id: row for row in made if not row.mark}
    added = add_rows(study, marked) if marked else 0
    there = current(rows_of(study)) if loose else {}
    new = [row for name, row in loose.items() if name not in there or there[name].label != row.label]
    return added + (add_rows(study, [row._replace(mark=_mark(row)) for row in new]) if new else 0)


def _read(study: "Study", path: Path) -> list[Row]:
    """The file's rows, checked. Raises DataError with every bad line."""
    rows = read_rows(path, LAYOUT)
    frame, numbers = _cells(rows, path.suffix.lower()), rows.lines()
    now, made, bad = timestamp(datetime.now(UTC)), [], []
    for line, cells in zip(numbers, frame.to_dict("records"), strict=True):
        if cells.get("annotator", ADJUDICATED) != ADJUDICATED:
            continue
        row = Row(*(cells["doc_id"] if name == "doc_id" else clean(cells[name]) for name in COLUMNS))
        wrong = _problem(study, row)
        if wrong:
            bad.append(BadLine(path.name, line, *wrong))
        else:
            label = row.label if row.action == "undo" else _label(study, row.label)
            time = timestamp(datetime.fromisoformat(row.time)) if row.time else now
            made.append(row._replace(time=time, action=row.action or "decide", label=label or ""))
    if bad:
        raise DataError(bad, "Write the file as `adjudications export` does, with labels that the study allows.")
    return made


def _cells(rows: Rows, suffix: str) -> pd.DataFrame:
    """The file's cells as text, apostrophes of CSV taken off; columns that it lacks are empty."""
    frame = rows.frame.copy(deep=False)
    if suffix == ".csv":
        frame = frame.apply(lambda column: column.map(unguarded, na_action="ignore"))
    frame = identified(Rows(frame, rows.file, rows.lines), ("doc_id",))
    for name in COLUMNS:
        values = frame[name] if name in frame else pd.Series("", index=frame.index)
        frame[name] = values.astype("object").where(values.notna(), "").astype("str")
    return frame


def _label(study: "Study", label: str) -> str | None:
    if study.label_kind == "other":
        return label or None
    return group_of(label, (study.neutral, *study.groups))


def _problem(study: "Study", row: Row) -> tuple[str, str] | None:
    """What is wrong with a row of a file, and the cell; None for nothing."""
    if row.action not in ("", "decide", "undo"):
        return "an action that is neither decide nor undo", row.action
    if row.action == "undo" and not row.mark:
        return "an undo without its mark", row.doc_id
    if row.action != "undo" and _label(study, row.label) is None:
        return "no label of this study", row.label
    try:
        if row.time:
            datetime.fromisoformat(row.time)
    except ValueError:
        return "no time such as 2026-01-31T12:00:00Z", row.time
    return None


def _mark(row: Row) -> str:
    """A mark that the same decision gets again wherever the file is imported."""
    told = "\0".join((row.time, row.doc_id, row.label, row.reason, row.author))
    return hashlib.sha256(told.encode()).hexdigest()[:32]


def _plain(value: object) -> object:
    """The value as Python's own, None for what is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value


def _write(columns: Iterable[str], rows: Iterable[Mapping[str, object]], path: Path) -> Path:
    text = to_text(columns, rows, path.suffix.lower())
    try:
        write_whole(path, text)
    except OSError as error:
        raise FairvizError(
            f"could not write {path}: {error.strerror or error}", "Name a file in a folder that you can write."
        ) from error
    return path
