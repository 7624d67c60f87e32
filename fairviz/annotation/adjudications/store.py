"""The database of decisions: rows are only ever appended, so that the latest counts and earlier ones stay visible.

A decision is persisted when `decide` returns, and concurrent decisions wait for each other (see `annotation.database`).
"""

import re
import sqlite3
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

import pandas as pd

from fairviz.annotation.database import Store, store_stamp
from fairviz.errors import FairvizError
from fairviz.home import home_trouble
from fairviz.home.access import DECISIONS, changes_study, shared_folder, visitor
from fairviz.home.server_config import ANNOTATOR, server_config
from fairviz.study.loaders.labels import group_of

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.study.record import Study

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


def store_path(study: "Study") -> Path:
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


def stamp_of(study: "Study") -> tuple[int, ...]:
    """Return the stamp of the study's database; empty for a study without one."""
    return store_stamp(store_path(study)) if study.read_only or study.folder is not None else ()


@changes_study("decide", ANNOTATOR)
def decide(study: "Study", doc_id: str, label: str, reason: str = "", author: str = "") -> None:
    """Append a decision; it is persisted when this returns. `M` or `Male` become the group, as in label files.

    Raises FairvizError for a label outside the groups, for a document that is not in the study, and where the database
    cannot be written.
    """
    label = checked_label(study, label)
    if not has_document(study, doc_id):
        raise FairvizError(f"the study {study.name!r} has no document {doc_id!r}", "Check the id.")
    with _store(store_path(study)).writing() as database:
        _append(database, doc_id, "decide", label, reason, _author(author))


@changes_study("undo a decision", ANNOTATOR)
def undo(study: "Study", doc_id: str, author: str = "") -> None:
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


def last_decision(study: "Study", authors: Iterable[str]) -> Row | None:
    """Return the latest standing decision of these authors on any document, which `undo` would revoke; None without
    one."""
    names = {clean(_author(name)) for name in authors}
    own = [row for row in standing(rows_of(study)) if row.author in names]
    return own[-1] if own else None


def _author(name: str) -> str:
    """Return the author of a decision: on a server the login of its visitor, whatever the name."""
    person = visitor()
    return name if server_config() is None or person is None else person.name


def rows_of(study: "Study", doc_id: str | None = None) -> list[Row]:
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
def add_rows(study: "Study", rows: Iterable[Row]) -> int:
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


def history(study: "Study", doc_id: str | None = None) -> "pd.DataFrame":
    """Return every row, or those of one document, oldest first: time (UTC), doc_id, action, label (empty for an undo),
    reason, author, counts (whether this is the current decision)."""
    rows = rows_of(study, doc_id)
    current_marks = {row.mark for row in current(rows).values()}
    names = COLUMNS[1:]
    table = pd.DataFrame([row[1:] for row in rows], columns=list(names)).astype(dict.fromkeys(names, "str"))
    return table.assign(counts=pd.Series([row.mark in current_marks for row in rows], dtype="bool"))


def decisions(study: "Study") -> "pd.DataFrame":
    """Return the current decision on each decided document: doc_id, label, reason, author, time."""
    names = ["doc_id", "label", "reason", "author", "time"]
    rows = [[getattr(row, name) for name in names] for row in current(rows_of(study)).values()]
    return pd.DataFrame(rows, columns=names).astype(dict.fromkeys(names, "str"))


def checked_label(study: "Study", label: str) -> str:
    """Return the label in the study's spelling. Raises FairvizError for a label that is not allowed."""
    if study.label_kind == "other":
        spelt_label = label.strip() or None
        allowed = "any label but an empty one"
    else:
        groups = (study.neutral, *study.groups)
        spelt_label, allowed = group_of(label, groups), f"one of {', '.join(groups)}"
    if spelt_label is None:
        raise FairvizError(f"{label!r} is not a label of this study", f"Use {allowed}.")
    return spelt_label


def has_document(study: "Study", doc_id: str) -> bool:
    """Return whether the document is in the documents, the runs or the labels of the study."""
    if doc_id in study.runs["doc_id"].cat.categories:
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
    return _in_order(Row(*row) for row in database.execute(query, values))


def _in_order(rows: Iterable[Row]) -> list[Row]:
    """Return the rows by time. A row with an impossible time (earlier versions imported any) follows the rows on its
    document that were inserted before it."""
    latest: dict[str, str] = {}
    keyed = []
    for row in rows:
        is_possible = _is_possible(row.time)
        if is_possible:
            latest[row.doc_id] = max(row.time, latest.get(row.doc_id, ""))
        keyed.append(((row.time, False, row.mark) if is_possible else (latest.get(row.doc_id, ""), True, ""), row))
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
