"""Connections to SQLite databases with a write-ahead log, which several processes may open at once."""

import sqlite3
import time
from pathlib import Path
from typing import Literal

_PAUSE = 0.01  # seconds between two attempts


def connect(
    path: Path, patience: float, isolation_level: Literal["DEFERRED"] | None = "DEFERRED"
) -> sqlite3.Connection:
    """Open a database with a write-ahead log and full synchronisation, and create it where there is none.

    SQLite waits for other writers of a database with such a log, but not while two processes change a new one to it.
    That change is therefore tried again until patience, in seconds, is over. Raises sqlite3.Error.
    """
    database = sqlite3.connect(path, timeout=patience, isolation_level=isolation_level)
    try:
        _use_log(database, time.monotonic() + patience)
        database.execute("PRAGMA synchronous = FULL")
    except BaseException:
        database.close()
        raise
    return database


def _use_log(database: sqlite3.Connection, end: float) -> None:
    """Change the database to a write-ahead log, in attempts until the time `end` while it is busy."""
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(_PAUSE)
