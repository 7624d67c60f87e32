"""Connections to the database of decisions: to append, and to read where the folder cannot be written.

In the data folder the file is private to its owner; in a study's own folder it has the rights of other files there.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from fairviz.errors import FairvizError
from fairviz.home import identity
from fairviz.private import lies_in_home, make_private, tighten

PATIENCE = 10.0  # seconds to wait for another writer
_COPIES = 20  # of a database that is written to while it is copied
_TABLE = """
CREATE TABLE IF NOT EXISTS decisions (
    mark TEXT PRIMARY KEY, time TEXT NOT NULL, doc_id TEXT NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('decide', 'undo')),
    label TEXT NOT NULL, reason TEXT NOT NULL, author TEXT NOT NULL
)
"""


def store_stamp(path: Path) -> tuple[int, ...]:
    """Return the identity of the database and its log, which changes with every decision; empty without a database."""
    stamp: list[int] = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        try:
            status = file.stat()
        except OSError:
            continue
        stamp += identity(status) if status.st_size else ()
    return tuple(stamp)


@contextmanager
def writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a transaction that is persisted when the block ends, and undone where it raises."""
    try:
        if lies_in_home(path):
            make_private(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            database.execute("BEGIN IMMEDIATE")
            database.execute(_TABLE)
            yield database
            database.execute("COMMIT")
        finally:
            database.close()
    except (sqlite3.Error, OSError) as error:
        raise FairvizError(
            f"the decision could not be saved in {path} ({error})",
            "Make it a file that you can write and that no other program holds, and decide again.",
        ) from error


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a read-only connection; where the folder cannot be written, to a copy of the database."""
    if lies_in_home(path):
        tighten(path)
    try:
        database = _readable(path)
        try:
            yield database
        finally:
            database.close()
    except (sqlite3.Error, OSError) as error:
        raise FairvizError(
            f"the decisions in {path} could not be read ({error})",
            "Close what else holds the file; if it is no sound database, move it away.",
        ) from error


def _readable(path: Path) -> sqlite3.Connection:
    try:
        return _with_table(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=PATIENCE))
    except sqlite3.OperationalError as error:
        if "unable to open" not in str(error) and "readonly" not in str(error):
            raise
    return _copied(path)


def _copied(path: Path) -> sqlite3.Connection:
    """Return a copy of the database and its log, in memory: in the read-only folder SQLite ignores the log.

    Raises OSError where other programs keep writing to it.
    """
    for _ in range(_COPIES):
        with TemporaryDirectory(prefix="fairviz-decisions-") as folder:
            before = store_stamp(path)
            for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-journal"))):
                if file.exists():
                    shutil.copyfile(file, Path(folder, file.name))
            if store_stamp(path) != before:
                continue
            with closing(_with_table(sqlite3.connect(Path(folder, path.name), timeout=PATIENCE))) as copy:
                memory = sqlite3.connect(":memory:")
                copy.backup(memory)
                return memory
    raise OSError("it is written to all the while")


def _with_table(database: sqlite3.Connection) -> sqlite3.Connection:
    """Return the database, or an empty one where a process ended before it created the table."""
    try:
        if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'decisions'").fetchone():
            return database
    except sqlite3.Error:
        database.close()
        raise
    database.close()
    database = sqlite3.connect(":memory:")
    database.execute(_TABLE)
    return database
