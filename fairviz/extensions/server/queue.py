"""Jobs of a server in the data folder: the queue over all its processes, and states that a restart does not lose.

A job appends a row for each of its states to a database, and keeps a file in the queue locked until it ends. The number
of its first row names the file, so jobs are ordered as they were begun. The system releases the lock when the process
ends, however it ends: the job then holds up no other, and counts as interrupted. On a file system without locks, only
jobs of the same process wait for each other.

Quick jobs have a lane of their own: the content of such a job's file marks it, and it waits for others of them alone.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.annotation.database import Store
from fairviz.errors import FairvizError
from fairviz.files import make_private_folder
from fairviz.home import data_home, hold, release, remove_left_over
from fairviz.home.permissions import INTERRUPTED, RUNNING, WAITING, QueuedJob

if TYPE_CHECKING:
    from filelock import FileLock

_QUICK = b"quick"  # the content of the file of a quick job
_END = ".end"  # the ending of the file that requests the end of a job
MOST_WAITING, MOST_WAITING_UNNAMED = 2, 20  # jobs that wait for one person, and for those without a name together
_BEGUN = (WAITING, RUNNING)
_PATIENCE = 30.0  # seconds to wait for another writer
_MOMENT = 0.06  # seconds for which a process that looks at a place has it locked, at most
_TABLES = {
    "jobs": "CREATE TABLE IF NOT EXISTS jobs (mark INTEGER PRIMARY KEY AUTOINCREMENT, job INTEGER NOT NULL,"
    " key TEXT NOT NULL, title TEXT NOT NULL, visitor TEXT NOT NULL, state TEXT NOT NULL, time TEXT NOT NULL)",
    "jobs_by_key": "CREATE INDEX IF NOT EXISTS jobs_by_key ON jobs (key)",
    "jobs_by_job": "CREATE INDEX IF NOT EXISTS jobs_by_job ON jobs (job)",
}
_INSERT = (
    "INSERT INTO jobs (job, key, title, visitor, state, time)"
    " SELECT COALESCE(MAX(mark), 0) + 1, ?, ?, ?, ?, ? FROM jobs"
)
_APPEND = "INSERT INTO jobs (job, key, title, visitor, state, time) SELECT job, key, title, visitor, ?, ? FROM jobs"
_LATEST = "SELECT title, visitor, state, time FROM jobs WHERE job = ? ORDER BY mark DESC LIMIT 1"
_OF_KEY = "SELECT job, state FROM jobs WHERE key = ? ORDER BY mark DESC LIMIT 1"


class Place:
    """A job's place in the queue, kept until `leave` or until this process ends."""

    def __init__(self, number: int, lock: "FileLock", *, is_quick: bool = False) -> None:
        self._number, self._lock, self._file, self.is_quick = number, lock, _file(number), is_quick
        _OWN.add(self._file)

    def before(self) -> int:
        """Return the number of jobs of the same lane that were begun earlier, and wait or run."""
        return sum(number < self._number and _is_quick(number) == self.is_quick for number in _live_numbers())

    def is_to_end(self) -> bool:
        """Return whether `request_end` named this job."""
        return self._file.with_suffix(_END).exists()

    def note(self, state: str) -> None:
        """Append the state; it is on the disk when this returns. Raises FairvizError."""
        with _store().writing() as database:
            database.execute(f"{_APPEND} WHERE mark = ?", (state, _now(), self._number))

    def leave(self) -> None:
        """Give up the place."""
        _OWN.discard(self._file)
        with suppress(OSError):
            self._file.unlink(missing_ok=True)
            self._file.with_suffix(_END).unlink(missing_ok=True)
        release(self._lock)


_OWN: set[Path] = set()  # the files of the places of this process


def take_place(key_hash: str, title: str, visitor: str, *, is_quick: bool = False) -> Place:
    """Append a job that waits and return its place, the last one; both are on the disk then. Raises FairvizError, also
    for a person who has MOST_WAITING jobs waiting."""
    with _store().writing() as database:
        _refuse_more(database, visitor)
        number = database.execute(_INSERT, (key_hash, title, visitor, WAITING, _now())).lastrowid or 0
        make_private_folder(_folder())
        for path in _files():
            remove_left_over(path)
        lock, _ = hold(_file(number), _PATIENCE)
        _file(number).touch(0o600)
        if is_quick:
            _file(number).write_bytes(_QUICK)
    return Place(number, lock, is_quick=is_quick)


def _refuse_more(database: sqlite3.Connection, visitor: str) -> None:
    """Raise FairvizError if this person has as many jobs waiting as are allowed."""
    most = MOST_WAITING if visitor else MOST_WAITING_UNNAMED
    latest_rows = (database.execute(_LATEST, (number,)).fetchone() for number in _live_numbers())
    waiting = sum(row is not None and row[1:3] == (visitor, WAITING) for row in latest_rows)
    if waiting >= most:
        raise FairvizError(
            f"you have {most} jobs waiting, the most on this server", "Wait for one, or end one of them."
        )


def request_end(number: int) -> None:
    """Request that the job of this number ends, in whatever process. Raises OSError."""
    if _is_live(number):
        _file(number).with_suffix(_END).touch(0o600)


def state_of(key_hash: str) -> str:
    """Return the state of the last job of this key in any process of the server; empty for none."""
    with _store().reading() as database:
        for _ in range(2):  # a job that ends between the look at its row and at its place has a new row
            row = database.execute(_OF_KEY, (key_hash,)).fetchone()
            if row is None:
                return ""
            if row[1] not in _BEGUN or _is_live(row[0]):
                return row[1]
    return INTERRUPTED


def queued_jobs() -> list[QueuedJob]:
    """Return the jobs that wait or run in all processes of the server, in the order in which they were begun."""
    with _store().reading() as database:
        rows = [(number, database.execute(_LATEST, (number,)).fetchone()) for number in sorted(_live_numbers())]
    begun = [(number, *row) for number, row in rows if row is not None and row[2] in _BEGUN]
    return [
        QueuedJob(number, title, visitor, state, position, since)
        for position, (number, title, visitor, state, since) in enumerate(begun)
    ]


def _store() -> Store:
    remedy = "Make it a file that you can write, with room, and do it again."
    unsaved = ("the state of a job could not be stored", remedy)
    return Store(data_home() / "server" / "jobs.sqlite", _TABLES, "the jobs", unsaved, _PATIENCE)


def _folder() -> Path:
    return data_home() / "server" / "queue"


def _file(number: int) -> Path:
    return _folder() / f"{number:012d}"


def _files() -> Iterator[Path]:
    return (path for path in list(_folder().glob("*")) if path.name.isdigit())


def _is_quick(number: int) -> bool:
    try:
        return _file(number).read_bytes() == _QUICK
    except FileNotFoundError:
        return False


def _live_numbers() -> list[int]:
    return [number for number in (int(path.name) for path in _files()) if _is_live(number)]


def _is_live(number: int) -> bool:
    """Return whether the process of this job still holds its place."""
    path = _file(number)
    if path in _OWN or not path.exists():
        return path in _OWN
    try:
        lock, is_free = hold(path, _MOMENT)
    except FileNotFoundError:
        return False
    release(lock)
    return is_free is False


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
