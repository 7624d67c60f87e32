"""Questions in flight, claimed in the store of answers: two jobs at once send each question only once.

A claim names a folder that its job keeps locked (see `fairviz.home`). The system releases the lock when the process
ends, however it ends, and the claim is then void. Claims older than MOST_AGE are void as well: their process may be
suspended, or the system may not support locks.
"""

import sqlite3
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

from fairviz.home import UNFINISHED, hold, new_folder, release, remove_left_over
from fairviz.models.answers import Answers, answers_path
from fairviz.models.protocol import Reply

MOST_AGE = 900.0  # seconds: more than a server's patience and every further try of one question take
FOLDER = "asking"
_TABLE = """
CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, owner TEXT NOT NULL, time REAL NOT NULL) WITHOUT ROWID
"""


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
        return row is None or time.time() - row[1] > MOST_AGE or not _is_held(self._folder.parent / row[0])


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


def _is_held(folder: Path) -> bool:
    """Return whether the job of this folder is running, or its state is unknown."""
    lock, is_free = hold(folder)
    release(lock)
    return is_free is not True
