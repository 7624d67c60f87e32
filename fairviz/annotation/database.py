"""SQLite databases of users' entries, whose rows are only ever appended: decisions, and answers to labelling forms.

A write-ahead log and full synchronisation: what was written is persisted when the block ends, and concurrent writers
wait for each other. Every block opens and closes its own connection.
"""

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from fairviz.errors import FairvizError
from fairviz.files import lies_in_home, make_private, tighten
from fairviz.home import identity, write_ahead
from fairviz.home.permissions import permissions

_COPIES = 20  # of a database that is written to while it is copied


@dataclass(frozen=True)
class Store:
    """A database. In the data folder the file is private to its owner; elsewhere it has the rights of files there.

    tables: the statements that create tables and indices, by name; without the first a database counts as empty, as a
    process may end before it creates them. content: the entries, in an error of reading. unsaved: problem and remedy in
    an error of writing. patience: seconds to wait for another writer.
    """

    path: Path
    tables: Mapping[str, str]
    content: str
    unsaved: tuple[str, str]
    patience: float

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that is persisted when the block ends, and undone where it raises. Raises FairvizError."""
        permissions().check_write(self.path)
        try:
            if lies_in_home(self.path):
                make_private(self.path)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(write_ahead.connect(self.path, self.patience, isolation_level=None)) as database:
                database.execute("BEGIN IMMEDIATE")
                self._create_tables(database)
                yield database
                database.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            problem, remedy = self.unsaved
            raise FairvizError(f"{problem} in {self.path} ({error})", remedy) from error

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a read-only connection: to a copy of the database where the folder cannot be written, to an empty one
        where there is none. Raises FairvizError.
        """
        if lies_in_home(self.path):
            tighten(self.path)
        try:
            with closing(self._readable()) as database:
                yield database
        except (sqlite3.Error, OSError) as error:
            raise FairvizError(
                f"{self.content} in {self.path} could not be read ({error})",
                "Close other programs that use the file; if it is not a sound database, move it away.",
            ) from error

    def _readable(self) -> sqlite3.Connection:
        if not self.path.exists():
            return self._empty()
        try:
            address = f"{self.path.resolve().as_uri()}?mode=ro"
            return self._with_tables(sqlite3.connect(address, uri=True, timeout=self.patience))
        except sqlite3.OperationalError as error:
            if "unable to open" not in str(error) and "readonly" not in str(error):
                raise
        return self._copied()

    def _copied(self) -> sqlite3.Connection:
        """Return a copy of the database and its log, in memory: in the read-only folder SQLite ignores the log.

        Raises OSError where other programs keep writing to it.
        """
        for _ in range(_COPIES):
            with TemporaryDirectory(prefix="fairviz-store-") as folder:
                before = store_stamp(self.path)
                for file in (self.path, *(self.path.with_name(self.path.name + end) for end in ("-wal", "-journal"))):
                    if file.exists():
                        shutil.copyfile(file, Path(folder, file.name))
                if store_stamp(self.path) != before:
                    continue
                with closing(self._with_tables(sqlite3.connect(Path(folder, self.path.name)))) as copy:
                    memory = sqlite3.connect(":memory:")
                    copy.backup(memory)
                    return memory
        raise OSError("another program keeps writing to it")

    def _with_tables(self, database: sqlite3.Connection) -> sqlite3.Connection:
        """Return the database, or an empty one in place of one without tables."""
        try:
            if database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (next(iter(self.tables)),)).fetchone():
                return database
        except sqlite3.Error:
            database.close()
            raise
        database.close()
        return self._empty()

    def _empty(self) -> sqlite3.Connection:
        database = sqlite3.connect(":memory:")
        self._create_tables(database)
        return database

    def _create_tables(self, database: sqlite3.Connection) -> None:
        for statement in self.tables.values():
            database.execute(statement)


def store_stamp(path: Path) -> tuple[int, ...]:
    """Return the identity of the database and its log, which changes with every row; empty without a database."""
    stamp: list[int] = []
    for file in (path, path.with_name(f"{path.name}-wal")):
        try:
            status = file.stat()
        except OSError:
            continue
        stamp += identity(status) if status.st_size else ()
    return tuple(stamp)
