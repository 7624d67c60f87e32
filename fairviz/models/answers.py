"""The store of requests to language models and their raw answers, so that no request is sent twice."""

import hashlib
import json
import sqlite3
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from fairviz.errors import FairvizError
from fairviz.files import make_private
from fairviz.home import UNFINISHED, data_home, hold, new_folder, release, remove_left_over, write_ahead
from fairviz.models.protocol import Reply, storable

_CHUNK = 500
_TABLES = """
CREATE TABLE IF NOT EXISTS requests (
    key TEXT PRIMARY KEY, model TEXT NOT NULL, body TEXT NOT NULL, time TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, status INTEGER NOT NULL, raw TEXT NOT NULL, seconds REAL NOT NULL, time TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batches (
    batch TEXT PRIMARY KEY, model TEXT NOT NULL, keys TEXT NOT NULL, time TEXT NOT NULL
) WITHOUT ROWID;
"""
MOST_AGE = 900.0  # seconds: more than a server's patience and every further try of one question take
FOLDER = "asking"
_TABLE = """
CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL, time REAL NOT NULL) WITHOUT ROWID
"""


def answers_path() -> Path:
    """Return the path of the store."""
    return data_home() / "answers.sqlite"


def request_key(identity: str, body: dict[str, Any]) -> str:
    """Return the key of a request: a hash of the model's identity (without its API key) and the body."""
    text = json.dumps([identity, body], ensure_ascii=True, sort_keys=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class Answers:
    """The open store. Each call is one transaction, persisted when the call returns."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def add_requests(self, identity: str, bodies: dict[str, dict[str, Any]]) -> None:
        """Store the requests by key, before any of them is sent."""
        now = _now()
        rows = ((key, identity, json.dumps(body), now) for key, body in bodies.items())
        with self._database:
            self._database.executemany("INSERT OR IGNORE INTO requests VALUES (?, ?, ?, ?)", rows)

    def add(self, replies: Iterable[tuple[str, Reply, float]]) -> None:
        """Store answers: key, reply and seconds."""
        now = _now()
        rows = [(key, reply.status, storable(reply.raw), seconds, now) for key, reply, seconds in replies]
        with self._database:
            self._database.executemany("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?)", rows)

    def _answers(self, columns: str, keys: Sequence[str]) -> Iterator[tuple]:
        """Yield the columns of the stored answers with these keys; sums over each part of them."""
        for start in range(0, len(keys), _CHUNK):
            part = keys[start : start + _CHUNK]
            marks = ", ".join("?" * len(part))
            yield from self._database.execute(f"SELECT {columns} FROM answers WHERE key IN ({marks})", part)

    def replies(self, keys: Sequence[str]) -> dict[str, Reply]:
        """Return the stored replies by key; requests without one are left out."""
        return {key: Reply(status, raw) for key, status, raw in self._answers("key, status, raw", keys)}

    def seconds(self, keys: Sequence[str]) -> float:
        """Return the sum of the seconds of these requests' answers."""
        return sum((seconds for (seconds,) in self._answers("COALESCE(SUM(seconds), 0)", keys)), 0.0)

    def add_batch(self, identity: str, batch: str, keys: Sequence[str]) -> None:
        """Store a batch that a server answers, with the keys of its requests."""
        with self._database:
            row = (batch, identity, json.dumps(list(keys)), _now())
            self._database.execute("INSERT INTO batches VALUES (?, ?, ?, ?)", row)

    def batches(self, identity: str) -> dict[str, list[str]]:
        """Return the keys of the requests of each batch of this model that has not ended."""
        rows = self._database.execute("SELECT batch, keys FROM batches WHERE model = ? ORDER BY time", (identity,))
        return {batch: json.loads(keys) for batch, keys in rows}

    def end_batch(self, batch: str) -> None:
        """Forget a batch, whose answers are stored."""
        with self._database:
            self._database.execute("DELETE FROM batches WHERE batch = ?", (batch,))


@contextmanager
def answers(path: Path | None = None) -> Iterator[Answers]:
    """Open the store of answers. Raises FairvizError where it cannot be written."""
    path = path or answers_path()
    try:
        make_private(path)
        with closing(write_ahead.connect(path, patience=30)) as database:
            database.executescript(_TABLES)
            yield Answers(database)
    except (sqlite3.Error, OSError) as error:
        raise FairvizError(
            f"could not keep the model's answers in {path} ({error})",
            "Make it a file that you can write, with room, or set FAIRVIZ_HOME to another folder.",
        ) from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


# Questions in flight, claimed in the store of answers: two jobs at once send each question only once.
#
# A claim names a folder that its job keeps locked (see `fairviz.home`). The system releases the lock when the process
# ends, however it ends, and the claim is then void. Claims older than MOST_AGE are void as well: their process may be
# suspended, or the system may not support locks.


class Claims:
    """The open questions of one job. waiting: not yet tried. elsewhere: claimed by another job. answered: replies that
    other jobs stored meanwhile, by key; the reader empties it."""

    def __init__(self, database: sqlite3.Connection, store: Answers, folder: Path, keys: Iterable[str]) -> None:
        self._database, self._store, self._folder = database, store, folder
        self.waiting, self.elsewhere = deque(keys), list[str]()
        self.answered: dict[str, Reply] = {}

    def take(self, count: int) -> list[str]:
        """Claim at most `count` questions: those not yet tried, then those whose claim by another job is void."""
        mine: list[str] = []
        while self.waiting and len(mine) < count:
            mine += self._claim([self.waiting.popleft() for _ in range(min(count - len(mine), len(self.waiting)))])
        if self.elsewhere and len(mine) < count:
            keys, self.elsewhere = self.elsewhere, []
            mine += self._claim(keys, count - len(mine))
        return mine

    def release(self, keys: Sequence[str]) -> None:
        """Remove the claims of questions that were answered or given up."""
        with self._database:
            self._database.executemany("DELETE FROM claims WHERE key = ?", ((key,) for key in keys))

    def _claim(self, keys: list[str], most: int | None = None) -> list[str]:
        """Return at most `most` claimed keys; sort the others into `answered` and `elsewhere`."""
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            replies = self._store.replies(keys)
            free_keys = (key for key in keys if key not in replies and self._is_free(key))
            claimed = list(islice(free_keys, most))
            rows = ((key, self._folder.name, time.time()) for key in claimed)
            self._database.executemany("INSERT OR REPLACE INTO claims VALUES (?, ?, ?)", rows)
        self.answered |= replies
        self.elsewhere += [key for key in keys if key not in replies and key not in set(claimed)]
        return claimed

    def _is_free(self, key: str) -> bool:
        """Return whether no other live job claims the question."""
        row = self._database.execute("SELECT owner, time FROM claims WHERE key = ?", (key,)).fetchone()
        if row is None or time.time() - row[1] > MOST_AGE:
            return True
        lock, is_free = hold(self._folder.parent / row[0])  # the folder of the job that claims it
        release(lock)
        return is_free is True


@contextmanager
def claims(store: Answers, keys: Iterable[str]) -> Iterator[Claims]:
    """Open the questions of these keys for claims. At the end of the block, this job's claims are removed."""
    path = answers_path()
    parent = path.parent / FOLDER
    parent.mkdir(mode=0o700, exist_ok=True)
    for left_over in parent.iterdir():
        remove_left_over(left_over)
    with closing(sqlite3.connect(path, timeout=30)) as database, new_folder(parent, UNFINISHED) as folder:
        database.execute("PRAGMA synchronous = NORMAL")  # a claim need not outlive a loss of power
        database.execute(_TABLE)
        try:
            yield Claims(database, store, folder, keys)
        finally:
            with database:
                database.execute("DELETE FROM claims WHERE owner = ?", (folder.name,))
