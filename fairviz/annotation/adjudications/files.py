"""Export of decisions and labels to files, and import of decisions."""

import csv
import hashlib
import io
import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from fairviz.annotation.adjudications.joining import ADJUDICATED
from fairviz.annotation.adjudications.store import COLUMNS, Row, add_rows, clean, current, rows_of, timestamp
from fairviz.errors import BadLine, DataError, FairvizError, UsageError
from fairviz.files import write_output
from fairviz.home.json_lines import to_line
from fairviz.study.loaders.archive import plain_name
from fairviz.study.loaders.labels import group_of
from fairviz.study.loaders.lines import Layout, guard_rows
from fairviz.study.loaders.rows import Rows, read_rows
from fairviz.study.loaders.writing import is_plain

if TYPE_CHECKING:
    from fairviz.study.record import Study

LAYOUT = Layout("decisions", ("doc_id", "label"), ids=("doc_id",))
REMEDY = "Write the file as `adjudications export` does, with labels that the study allows."
_UNKNOWN = "a document that is not in the study"
SUFFIXES = (".csv", ".jsonl")
_EARLIEST, _END = datetime(1970, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
_FORMULA = tuple("=+-@\t\r'")  # first characters guarded by earlier versions, in files without the last column


def export_decisions(study: "Study", path: str | Path) -> Path:
    """Write every decision and undo, oldest first, as CSV or JSON lines by the file's suffix; return the path.

    Columns: mark, time, doc_id, action, label, reason, author. In CSV a text that a spreadsheet would run begins with
    an apostrophe, flagged in a last column; every reader of study files removes it. Raises FairvizError where the file
    cannot be written or cannot contain a text, UsageError for another suffix.
    """
    return _write(COLUMNS, (row._asdict() for row in rows_of(study)), Path(path))


def export_labels(study: "Study", path: str | Path) -> Path:
    """Write the table that agreement is computed from (doc_id, annotator, label and its other columns). Formats and
    errors: see `export_decisions`."""
    names = tuple(map(str, study.labels.columns))
    rows = study.labels.itertuples(index=False, name=None)
    return _write(names, (dict(zip(names, map(_plain, row), strict=True)) for row in rows), Path(path))


def to_text(columns: Iterable[str], rows: Iterable[Mapping[str, object]], suffix: str) -> str:
    """Return the rows as CSV that no spreadsheet runs, or as JSON lines.

    Raises UsageError for another suffix, FairvizError for a text that CSV cannot contain.
    """
    if suffix not in SUFFIXES:
        raise UsageError(f"decisions and labels are written as {' or '.join(SUFFIXES)}, not {suffix or 'plain text'!r}")
    if suffix == ".jsonl":
        return "".join(map(to_line, rows))
    names = list(columns)
    cells = [["" if row[name] is None else row[name] for name in names] for row in rows]
    unwritable = [name for name in names if not is_plain(name)]
    unwritable += [cell for line in cells for cell in line if isinstance(cell, str) and set(cell) & set("\r\0")]
    if unwritable:
        raise FairvizError(
            f"{unwritable[0]!r} cannot be written to a CSV file", "Name a file that ends in .jsonl instead."
        )
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(guard_rows(names, cells))
    return stream.getvalue()


def import_decisions(study: "Study", path: str | Path) -> int:
    """Add the decisions of a file that `export_decisions` wrote, or of any table with doc_id and label; return the
    number of new ones.

    A row whose mark is in the database already is skipped, so that importing twice adds nothing. Of rows without a mark
    the last of a document counts, and is new unless it repeats the current label. In a table with a column annotator
    only the rows of `adjudicated` are decisions. Raises DataError that names every bad line, including documents that
    are not in the study.
    """
    rows = _read(study, Path(path))
    marked, unmarked = [row for row in rows if row.mark], {row.doc_id: row for row in rows if not row.mark}
    added_count = add_rows(study, marked) if marked else 0
    decisions = current(rows_of(study)) if unmarked else {}
    new = [row for name, row in unmarked.items() if name not in decisions or decisions[name].label != row.label]
    return added_count + (add_rows(study, [row._replace(mark=_mark(row)) for row in new]) if new else 0)


def _read(study: "Study", path: Path) -> list[Row]:
    """Return the file's rows, checked. Raises DataError with every bad line."""
    rows = read_rows(path, LAYOUT)
    frame, numbers = _cells(rows, _is_older(path, rows)), rows.lines()
    now, checked_rows, bad_lines = datetime.now(UTC), [], []
    doc_ids = _documents(study)
    for line, cells in zip(numbers, frame.to_dict("records"), strict=True):
        if cells.get("annotator", ADJUDICATED) != ADJUDICATED:
            continue
        row = Row(*(cells["doc_id"] if name == "doc_id" else clean(cells[name]) for name in COLUMNS))
        problem = _problem(study, row) or _wrong_time(row, now)
        problem = problem or (None if row.doc_id in doc_ids else (_UNKNOWN, row.doc_id))
        if problem:
            bad_lines.append(BadLine(path.name, line, *problem))
        else:
            label = row.label if row.action == "undo" else _label(study, row.label)
            time = timestamp(datetime.fromisoformat(row.time) if row.time else now)
            checked_rows.append(row._replace(time=time, action=row.action or "decide", label=label or ""))
    if bad_lines:
        raise DataError(bad_lines, dict.fromkeys(_remedy(line) for line in bad_lines))
    return checked_rows


def _documents(study: "Study") -> set[str]:
    """Return the ids of the documents in the study's runs, documents and labels, as in `decide`."""
    return {*study.runs["doc_id"].cat.categories, *study.documents["doc_id"], *study.labels["doc_id"]}


def _remedy(line: BadLine) -> str:
    return "Check the id, and that the study is the one decided on." if line.problem == _UNKNOWN else REMEDY


def _is_older(path: Path, rows: Rows) -> bool:
    """Return whether the file is from a version that guarded cells without flagging them."""
    is_csv = Path(plain_name(path)).suffix.lower() == ".csv"
    return is_csv and "mark" in rows.frame and not rows.is_guarded


def _cells(rows: Rows, is_older: bool) -> pd.DataFrame:
    """Return the file's cells as text; missing columns are empty."""
    frame = rows.frame.copy(deep=False)
    if is_older:
        frame = frame.map(_unguarded_before, na_action="ignore")
    for name in COLUMNS:
        values = frame[name] if name in frame else pd.Series("", index=frame.index)
        frame[name] = values.astype("object").where(values.notna(), "").astype("str")
    return frame


def _unguarded_before(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def _label(study: "Study", label: str) -> str | None:
    if study.label_kind == "other":
        return label or None
    return group_of(label, (study.neutral, *study.groups))


def _problem(study: "Study", row: Row) -> tuple[str, str] | None:
    """Return the problem of a row of a file, and the cell; None for a good row."""
    if row.action not in ("", "decide", "undo"):
        return "an action that is neither decide nor undo", row.action
    if row.action == "undo" and not row.mark:
        return "an undo without its mark", row.doc_id
    if row.action != "undo" and _label(study, row.label) is None:
        return "not a label of this study", row.label
    return None


def _wrong_time(row: Row, now: datetime) -> tuple[str, str] | None:
    """Return the problem of a row's time, and the time; None for a good or an empty time.

    A row with a mark was exported by a program whose clock may have been ahead.
    """
    text = row.time
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return "not a time such as 2026-01-31T12:00:00Z", text
    try:
        if _EARLIEST <= moment.astimezone(UTC) < (_END if row.mark else now + timedelta(days=1)):
            return None
    except (OverflowError, ValueError, OSError):  # at the ends of the calendar there is no UTC
        pass
    return "a time before 1970 or after " + ("2999" if row.mark else "tomorrow"), text


def _mark(row: Row) -> str:
    """Return a mark that depends on the decision only, so that repeated imports agree."""
    text = "\0".join((row.time, row.doc_id, row.label, row.reason, row.author))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _plain(value: object) -> object:
    """Return the value as a Python object, None for a missing one."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value


def _write(columns: Iterable[str], rows: Iterable[Mapping[str, object]], path: Path) -> Path:
    write_output(path, to_text(columns, rows, path.suffix.lower()))
    return path
