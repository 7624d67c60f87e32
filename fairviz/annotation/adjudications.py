"""Adjudications: a reader's decisions on labels, in a database next to the study and as an annotator of their own;
their export to files, and import.

Rows of the database are only ever appended, so that the latest counts and earlier ones stay visible. A decision is
persisted when `decide` returns, and concurrent decisions wait for each other (see `annotation.database`).
"""

import csv
import hashlib
import io
import math
import re
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import numpy as np
import pandas as pd

from fairviz.annotation.database import Store, store_stamp
from fairviz.errors import BadLine, DataError, FairvizError, UsageError
from fairviz.files import write_output
from fairviz.home import home_trouble
from fairviz.home.json_lines import to_line
from fairviz.home.permissions import ANNOTATOR, DECISIONS, changes_study, permissions, shared_folder, visitor
from fairviz.study.loaders.archive import plain_name
from fairviz.study.loaders.labels import group_of
from fairviz.study.loaders.lines import Layout, guard_rows
from fairviz.study.loaders.rows import Rows, read_rows
from fairviz.study.loaders.writing import is_plain
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels
from fairviz.words.sentences import agreeing

PATIENCE = 10.0  # seconds to wait for another writer
_TABLES = {
    "decisions": "CREATE TABLE IF NOT EXISTS decisions (mark TEXT PRIMARY KEY, time TEXT NOT NULL,"
    " doc_id TEXT NOT NULL, action TEXT NOT NULL CHECK (action IN ('decide', 'undo')), label TEXT NOT NULL,"
    " reason TEXT NOT NULL, author TEXT NOT NULL)"
}
COLUMNS = ("mark", "time", "doc_id", "action", "label", "reason", "author")
_INSERT = f"INSERT OR IGNORE INTO decisions ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?)"
_SELECT = f"SELECT {', '.join(COLUMNS)} FROM decisions"
_ORDER = " ORDER BY rowid"  # of insertion; _in_order sorts by time
_POSSIBLE = re.compile(r"(19[7-9]|2\d\d)\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)  # from 1970 to 2999
ADJUDICATED = "adjudicated"
JOINED, OWN = "+", "++"  # in a fingerprint: with decisions; with decisions and own labels by `adjudicated`
DESCRIPTION = "Decisions made in the label room; the latest on a document counts."
LAYOUT = Layout("decisions", ("doc_id", "label"), ids=("doc_id",))
REMEDY = "Write the file as `adjudications export` does, with labels that the study allows."
_UNKNOWN = "a document that is not in the study"
SUFFIXES = (".csv", ".jsonl")
_EARLIEST, _END = datetime(1970, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
_FORMULA = tuple("=+-@\t\r'")  # first characters guarded by earlier versions, in files without the last column


class Row(NamedTuple):
    """One row of the database. mark: its identity in every copy. time: UTC, as 2026-01-31T12:00:00.000000Z. action:
    `decide`, or `undo`, which revokes the author's latest standing decision on the document."""

    mark: str
    time: str
    doc_id: str
    action: str
    label: str
    reason: str
    author: str


def store_path(study: Study) -> Path:
    """Return the path of the study's database: in its folder, or in the data folder for a read-only study.

    The file need not exist. Raises FairvizError for a study without a folder, and for a data folder that cannot be
    read.
    """
    if study.read_only:
        trouble = home_trouble()
        if trouble is not None:
            raise trouble
        return shared_folder(study.name) / DECISIONS
    if study.folder is None:
        raise FairvizError(
            f"{study.name} has no folder yet, so decisions cannot be stored",
            "Save the study first: on the Data page, under Add and save.",
        )
    return study.folder / DECISIONS


def _store(path: Path) -> Store:
    remedy = "Make it a file that you can write and that no other program holds, and decide again."
    return Store(path, _TABLES, "the decisions", ("the decision could not be saved", remedy), PATIENCE)


def stamp_of(study: Study) -> tuple[int, ...]:
    """Return the stamp of the study's database; empty for a study without one."""
    return store_stamp(store_path(study)) if study.read_only or study.folder is not None else ()


@changes_study("decide", ANNOTATOR)
def decide(study: Study, doc_id: str, label: str, reason: str = "", author: str = "") -> None:
    """Append a decision; it is persisted when this returns. `M` or `Male` become the group, as in label files.

    Raises FairvizError for a label outside the groups, for a document that is not in the study, and where the database
    cannot be written.
    """
    groups = (study.neutral, *study.groups)
    is_free = study.label_kind == "other"
    spelt = _label(study, label.strip() if is_free else label)
    if spelt is None:
        allowed = "any label but an empty one" if is_free else f"one of {', '.join(groups)}"
        raise FairvizError(f"{label!r} is not a label of this study", f"Use {allowed}.")
    if not has_document(study, doc_id):
        raise FairvizError(f"the study {study.name!r} has no document {doc_id!r}", "Check the id.")
    with _store(store_path(study)).writing() as database:
        _append(database, doc_id, "decide", spelt, reason, _author(author))


@changes_study("undo a decision", ANNOTATOR)
def undo(study: Study, doc_id: str, author: str = "") -> None:
    """Revoke this author's latest standing decision on the document, by a row of its own; the one before it counts
    again. Raises FairvizError where there is none, and where the database cannot be written."""
    path, author = store_path(study), _author(author)
    if path.exists():
        with _store(path).writing() as database:
            rows = _fetch(database, _SELECT + " WHERE doc_id = ?" + _ORDER, (doc_id,))
            if any(row.author == clean(author) for row in standing(rows)):
                _append(database, doc_id, "undo", "", "", author)
                return
    author_text = f" by {author.strip()}" if author.strip() else ""
    raise FairvizError(
        f"there is no decision{author_text} on document {doc_id!r} to undo",
        "Decide again instead: the latest decision counts.",
    )


def last_decision(study: Study, authors: Iterable[str]) -> Row | None:
    """Return the latest standing decision of these authors on any document, which `undo` would revoke; None without
    one."""
    names = {clean(_author(name)) for name in authors}
    own = [row for row in standing(rows_of(study)) if row.author in names]
    return own[-1] if own else None


def _author(name: str) -> str:
    """Return the author of a decision: on a server the login of its visitor, whatever the name."""
    person = visitor()
    return name if not permissions().is_server or person is None else person.name


def rows_of(study: Study, doc_id: str | None = None) -> list[Row]:
    """Return every row, or those of one document, by time; empty without a database or a folder. Raises FairvizError
    where the database cannot be read."""
    if study.folder is None and not study.read_only:
        return []
    path = store_path(study)
    if not path.exists():
        return []
    with _store(path).reading() as database:
        if doc_id is None:
            return _fetch(database, _SELECT + _ORDER)
        return _fetch(database, _SELECT + " WHERE doc_id = ?" + _ORDER, (doc_id,))


@changes_study("import decisions")
def add_rows(study: Study, rows: Iterable[Row]) -> int:
    """Append rows of another database, all or none; return the number of new ones. Rows with a stored mark are skipped.

    Raises FairvizError where the database cannot be written.
    """
    with _store(store_path(study)).writing() as database:
        before = database.total_changes
        database.executemany(_INSERT, rows)
        return database.total_changes - before


def standing(rows: Iterable[Row]) -> list[Row]:
    """Return the decisions that no undo revoked, in their order; an undo revokes its author's latest one."""
    decided: list[Row] = []
    for row in rows:
        if row.action == "decide":
            decided.append(row)
            continue
        own_places = [
            place for place, other in enumerate(decided) if (other.doc_id, other.author) == (row.doc_id, row.author)
        ]
        if own_places:
            decided.pop(own_places[-1])
    return decided


def current(rows: Iterable[Row]) -> dict[str, Row]:
    """Return the latest standing decision of each document, by document in the order first decided."""
    rows_by_document: dict[str, list[Row]] = {}
    for row in rows:
        rows_by_document.setdefault(row.doc_id, []).append(row)
    standing_rows = {doc_id: standing(history) for doc_id, history in rows_by_document.items()}
    return {doc_id: decided[-1] for doc_id, decided in standing_rows.items() if decided}


def history(study: Study, doc_id: str | None = None) -> pd.DataFrame:
    """Return every row, or those of one document, oldest first: time (UTC), doc_id, action, label (empty for an undo),
    reason, author, counts (whether this is the current decision)."""
    rows = rows_of(study, doc_id)
    current_marks = {row.mark for row in current(rows).values()}
    names = COLUMNS[1:]
    table = pd.DataFrame([row[1:] for row in rows], columns=list(names)).astype(dict.fromkeys(names, "str"))
    return table.assign(counts=pd.Series([row.mark in current_marks for row in rows], dtype="bool"))


def decisions(study: Study) -> pd.DataFrame:
    """Return the current decision on each decided document: doc_id, label, reason, author, time."""
    names = ["doc_id", "label", "reason", "author", "time"]
    rows = [[getattr(row, name) for name in names] for row in current(rows_of(study)).values()]
    return pd.DataFrame(rows, columns=names).astype(dict.fromkeys(names, "str"))


def has_document(study: Study, doc_id: str) -> bool:
    """Return whether the document is in the documents, the runs or the labels of the study."""
    if doc_id in study.retrieved:
        return True
    return bool((study.documents["doc_id"] == doc_id).any() or (study.labels["doc_id"] == doc_id).any())


def clean(text: str) -> str:
    """Return the text without zero bytes, lone surrogates and bare carriage returns, which no text file can contain."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    return lines.encode("utf-8", "replace").decode("utf-8").strip()


def timestamp(moment: datetime) -> str:
    """Return the moment in the database's format."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"


def _append(database: sqlite3.Connection, doc_id: str, action: str, label: str, reason: str, author: str) -> None:
    times = database.execute("SELECT time FROM decisions WHERE doc_id = ?", (doc_id,)).fetchall()
    latest = max((time for (time,) in times if _is_possible(time)), default="")
    now = datetime.now(UTC)
    if latest >= timestamp(now):  # a clock that went back must not reorder decisions
        now = datetime.fromisoformat(latest) + timedelta(microseconds=1)
    database.execute(_INSERT, (uuid4().hex, timestamp(now), doc_id, action, label, clean(reason), clean(author)))


def _fetch(database: sqlite3.Connection, query: str, values: tuple[str, ...] = ()) -> list[Row]:
    return _in_order(Row(*cells) for cells in database.execute(query, values))


def _in_order(rows: Iterable[Row]) -> list[Row]:
    """Return the rows by time. A row with an impossible time (earlier versions imported any) follows the rows on its
    document that were inserted before it."""
    latest: dict[str, str] = {}
    keyed = []
    for row in rows:
        if _is_possible(row.time):
            latest[row.doc_id] = max(row.time, latest.get(row.doc_id, ""))
            key = row.time, False, row.mark
        else:
            key = latest.get(row.doc_id, ""), True, ""
        keyed.append((key, row))
    return [row for _, row in sorted(keyed, key=lambda pair: pair[0])]


def _is_possible(time: str) -> bool:
    """Return whether the text is a time as `timestamp` writes it, in a year from 1970 to 2999."""
    if not _POSSIBLE.fullmatch(time):
        return False
    try:
        datetime.fromisoformat(time)
    except ValueError:
        return False
    return True


def origin(study: Study) -> str:
    """Return the fingerprint of the study without its decisions."""
    return study.fingerprint.partition(JOINED)[0]


def with_adjudications(study: Study) -> Study:
    """Return the study with the annotator `adjudicated`: one label for each decided document.

    The fingerprint changes with the decisions; without any, and where they are joined already, the study itself is
    returned. Labels by `adjudicated` in the study's own files stay for documents that are not in the database.
    Decisions outside the study's groups, and a database that cannot be read, become warnings.
    """
    try:
        rows = rows_of(study)
    except FairvizError as error:
        return replace(study, warnings=(*study.warnings, f"{error.message}; none is shown."))
    if not rows:
        return study
    groups, every = (study.neutral, *study.groups), current(rows)
    decided = [row for row in every.values() if study.label_kind == "other" or row.label in groups]
    foreign_count = len(every) - len(decided)
    is_adjudicated = study.labels["annotator"] == ADJUDICATED
    is_stored = is_adjudicated & study.labels["doc_id"].isin({row.doc_id for row in rows})
    joined = study.labels[is_stored]
    if dict(zip(joined["doc_id"], joined["label"], strict=True)) != {row.doc_id: row.label for row in decided}:
        study = _join(study, study.labels[~is_stored], decided, has_own=bool(is_adjudicated.any()))
    if foreign_count:
        subject = agreeing(foreign_count, "decision is", "decisions are")
        warning = f"{store_path(study).name}: {foreign_count:,} {subject} outside the groups of the study; not shown."
        study = study if warning in study.warnings else replace(study, warnings=(*study.warnings, warning))
    return study


def _join(study: Study, others: pd.DataFrame, decided: list[Row], has_own: bool) -> Study:
    """Return the study with these decisions as labels beside the others. has_own: whether its own files have labels by
    `adjudicated`."""
    columns = {"doc_id": [row.doc_id for row in decided], "label": [row.label for row in decided]}
    if "rationale" in others:
        columns["rationale"] = [row.reason for row in decided]
    names = pd.Series([ADJUDICATED] * len(decided), dtype="str")
    new_labels = pd.DataFrame(columns).astype("str").assign(annotator=names)
    mark = hashlib.sha256(repr([(row.doc_id, row.label, row.reason) for row in decided]).encode()).hexdigest()
    if JOINED in study.fingerprint:
        has_own = OWN in study.fingerprint
    annotator = study.annotators.get(ADJUDICATED, Annotator(ADJUDICATED, "person", DESCRIPTION))
    return replace(
        add_labels(replace(study, labels=others.reset_index(drop=True)), new_labels),
        annotators={**study.annotators, ADJUDICATED: annotator},
        fingerprint=origin(study) + (OWN if has_own else JOINED) + mark,
    )


def export_decisions(study: Study, path: str | Path) -> Path:
    """Write every decision and undo, oldest first, as CSV or JSON lines by the file's suffix; return the path.

    Columns: mark, time, doc_id, action, label, reason, author. In CSV a text that a spreadsheet would run begins with
    an apostrophe, flagged in a last column; every reader of study files removes it. Raises FairvizError where the file
    cannot be written or cannot contain a text, UsageError for another suffix.
    """
    return _write(COLUMNS, (row._asdict() for row in rows_of(study)), Path(path))


def export_labels(study: Study, path: str | Path) -> Path:
    """Write the table that agreement is computed from (doc_id, annotator, label and its other columns). Formats and
    errors: see `export_decisions`."""
    names = tuple(map(str, study.labels.columns))
    rows = study.labels.itertuples(index=False, name=None)
    return _write(names, (dict(zip(names, map(_plain, row), strict=True)) for row in rows), Path(path))


def _plain(value: object) -> object:
    """Return the value as a Python object, None for a missing one."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value


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


def import_decisions(study: Study, path: str | Path) -> int:
    """Add the decisions of a file that `export_decisions` wrote, or of any table with doc_id and label; return the
    number of new ones.

    A row whose mark is in the database already is skipped, so that importing twice adds nothing. Of rows without a mark
    the last of a document counts, and is new unless it repeats the current label. In a table with a column annotator
    only the rows of `adjudicated` are decisions. Raises DataError that names every bad line, including documents that
    are not in the study.
    """
    rows = _read(study, Path(path))
    marked = [row for row in rows if row.mark]
    unmarked = {row.doc_id: row for row in rows if not row.mark}
    added_count = add_rows(study, marked) if marked else 0
    stored = current(rows_of(study)) if unmarked else {}
    new = [
        row._replace(mark=_mark(row))
        for doc_id, row in unmarked.items()
        if doc_id not in stored or stored[doc_id].label != row.label
    ]
    return added_count + (add_rows(study, new) if new else 0)


def _read(study: Study, path: Path) -> list[Row]:
    """Return the file's rows, checked. Raises DataError with every bad line."""
    rows = read_rows(path, LAYOUT)
    frame = _cells(rows, _is_older(path, rows))
    doc_ids, now = _documents(study), datetime.now(UTC)
    checked_rows, bad_lines = [], []
    for line, cells in zip(rows.lines(), frame.to_dict("records"), strict=True):
        if cells.get("annotator", ADJUDICATED) != ADJUDICATED:
            continue
        row = Row(*(cells["doc_id"] if name == "doc_id" else clean(cells[name]) for name in COLUMNS))
        problem = _problem_of(study, row) or _wrong_time(row, now)
        if problem is None and row.doc_id not in doc_ids:
            problem = _UNKNOWN, row.doc_id
        if problem is not None:
            bad_lines.append(BadLine(path.name, line, *problem))
            continue
        label = row.label if row.action == "undo" else _label(study, row.label)
        time = timestamp(datetime.fromisoformat(row.time) if row.time else now)
        checked_rows.append(row._replace(time=time, action=row.action or "decide", label=label or ""))
    if bad_lines:
        raise DataError(bad_lines, dict.fromkeys(_remedy(line) for line in bad_lines))
    return checked_rows


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
    """Return the cell without the apostrophe with which earlier versions guarded it."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_FORMULA) else cell


def _documents(study: Study) -> set[str]:
    """Return the ids of the documents in the study's runs, documents and labels, as in `decide`."""
    return {*study.retrieved, *study.documents["doc_id"], *study.labels["doc_id"]}


def _problem_of(study: Study, row: Row) -> tuple[str, str] | None:
    """Return the problem of a row's action or label, and the cell; None for good ones."""
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
    if not row.time:
        return None
    try:
        moment = datetime.fromisoformat(row.time)
    except ValueError:
        return "not a time such as 2026-01-31T12:00:00Z", row.time
    end, end_text = (_END, "2999") if row.mark else (now + timedelta(days=1), "tomorrow")
    try:
        if _EARLIEST <= moment.astimezone(UTC) < end:
            return None
    except (OverflowError, ValueError, OSError):  # at the ends of the calendar there is no UTC
        pass
    return f"a time before 1970 or after {end_text}", row.time


def _remedy(line: BadLine) -> str:
    return "Check the id, and that the study is the one decided on." if line.problem == _UNKNOWN else REMEDY


def _mark(row: Row) -> str:
    """Return a mark that depends on the decision only, so that repeated imports agree."""
    text = "\0".join((row.time, row.doc_id, row.label, row.reason, row.author))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _label(study: Study, label: str) -> str | None:
    if study.label_kind == "other":
        return label or None
    return group_of(label, (study.neutral, *study.groups))


def _write(columns: Iterable[str], rows: Iterable[Mapping[str, object]], path: Path) -> Path:
    write_output(path, to_text(columns, rows, path.suffix.lower()))
    return path
