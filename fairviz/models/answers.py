"""The store of requests to language models and their raw answers, so that no request is sent twice."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fairviz.errors import FairvizError
from fairviz.files import make_private
from fairviz.home import data_home, write_ahead
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

    def replies(self, keys: Sequence[str]) -> dict[str, Reply]:
        """Return the stored replies by key; requests without one are left out."""
        replies: dict[str, Reply] = {}
        for start in range(0, len(keys), _CHUNK):
            part = keys[start : start + _CHUNK]
            marks = ", ".join("?" * len(part))
            rows = self._database.execute(f"SELECT key, status, raw FROM answers WHERE key IN ({marks})", part)
            replies.update((key, Reply(status, raw)) for key, status, raw in rows)
        return replies

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

    def seconds(self, keys: Sequence[str]) -> float:
        """Return the sum of the seconds of these requests' answers."""
        total = 0.0
        for start in range(0, len(keys), _CHUNK):
            part = keys[start : start + _CHUNK]
            marks = ", ".join("?" * len(part))
            total += self._database.execute(
                f"SELECT COALESCE(SUM(seconds), 0) FROM answers WHERE key IN ({marks})", part
            ).fetchone()[0]
        return total


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
