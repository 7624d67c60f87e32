"""The database of labelling forms. Answers are only ever appended: the latest counts, and earlier ones stay.

SQLite with a write-ahead log and full synchronisation: an answer is persisted when the call returns, and concurrent
answers wait for each other. Every call opens and closes its own connection. Only the owner of the data folder can open
the file.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.home import data_home
from fairviz.private import make_private, tighten

PATIENCE = 30.0  # seconds to wait for another writer
_TABLES = (
    "CREATE TABLE IF NOT EXISTS forms (form INTEGER PRIMARY KEY AUTOINCREMENT, made TEXT NOT NULL, place TEXT NOT NULL,"
    " study TEXT NOT NULL, plan TEXT NOT NULL, choices TEXT NOT NULL, guideline TEXT NOT NULL, closed TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS documents (form INTEGER NOT NULL, doc_id TEXT NOT NULL, title TEXT NOT NULL,"
    " text TEXT NOT NULL, right_answer TEXT NOT NULL, PRIMARY KEY (form, doc_id))",
    "CREATE TABLE IF NOT EXISTS links (token TEXT PRIMARY KEY, form INTEGER NOT NULL, batch INTEGER NOT NULL,"
    " person TEXT NOT NULL, name TEXT NOT NULL, annotator TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS questions (token TEXT NOT NULL, number INTEGER NOT NULL, doc_id TEXT NOT NULL,"
    " PRIMARY KEY (token, number))",
    "CREATE TABLE IF NOT EXISTS answers (mark INTEGER PRIMARY KEY AUTOINCREMENT, token TEXT NOT NULL,"
    " number INTEGER NOT NULL, said TEXT NOT NULL CHECK (said IN ('label', 'undecided', 'nothing')),"
    " label TEXT NOT NULL, comment TEXT NOT NULL, time TEXT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS answers_by_question ON answers (token, number)",
)


def store_path() -> Path:
    """Return the path of the database."""
    return data_home() / "labelling" / "forms.sqlite"


@contextmanager
def writing() -> Iterator[sqlite3.Connection]:
    """Open a transaction that is persisted when the block ends, and undone where it raises. Raises FairvizError."""
    path = store_path()
    try:
        make_private(path)
        database = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            database.execute("BEGIN IMMEDIATE")
            for table in _TABLES:
                database.execute(table)
            yield database
            database.execute("COMMIT")
        finally:
            database.close()
    except (sqlite3.Error, OSError) as error:
        raise FairvizError(
            f"nothing could be stored in {path} ({error})",
            "Make it a file that you can write, with room, and do it again.",
        ) from error


@contextmanager
def reading() -> Iterator[sqlite3.Connection]:
    """Open a connection for reading; to an empty database where there is none yet. Raises FairvizError."""
    path = store_path()
    tighten(path)
    try:
        database = sqlite3.connect(path if path.exists() else ":memory:", timeout=PATIENCE)
        try:
            if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'answers'").fetchone():
                database.close()  # a process ended before it created the tables
                database = sqlite3.connect(":memory:")
                for table in _TABLES:
                    database.execute(table)
            yield database
        finally:
            database.close()
    except (sqlite3.Error, OSError) as error:
        raise FairvizError(
            f"the labelling forms in {path} could not be read ({error})",
            "Close what else holds the file; if it is no sound database, move it away.",
        ) from error


def storable(text: str) -> str:
    """Return the text without zero bytes and lone surrogates, which SQLite and text files cannot contain."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
