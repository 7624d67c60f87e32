"""A store of entries: whole transactions or none, an empty store where there is none yet, and errors in one line."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fairviz.annotation.database import Store, store_stamp
from fairviz.errors import FairvizError
from tests.conftest import refused

TABLES = {
    "entries": "CREATE TABLE IF NOT EXISTS entries (name TEXT NOT NULL)",
    "entries_by_name": "CREATE INDEX IF NOT EXISTS entries_by_name ON entries (name)",
}


def store_in(folder: Path) -> Store:
    return Store(folder / "deep" / "x.sqlite", TABLES, "the entries", ("no entry was saved", "Try again."), 0.05)


def add(store: Store, name: str) -> None:
    with store.writing() as database:
        database.execute("INSERT INTO entries VALUES (?)", (name,))


def names_in(store: Store) -> list[str]:
    with store.reading() as database:
        return [name for (name,) in database.execute("SELECT name FROM entries")]


def test_entries_stay_and_a_transaction_that_raises_is_undone(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    assert (names_in(store), store.path.parent.exists(), store_stamp(store.path)) == ([], False, ())
    store.path.parent.mkdir()
    store.path.touch()
    assert names_in(store) == [], "a database without the tables counts as empty"
    add(store, "first")
    with pytest.raises(ZeroDivisionError), store.writing() as database:
        assert database.execute("INSERT INTO entries VALUES ('second')").rowcount / 0
    assert names_in(store) == ["first"]
    with store.reading() as database, pytest.raises(sqlite3.OperationalError, match="readonly"):
        database.execute("DELETE FROM entries")
    stamp = store_stamp(store.path)
    add(store, "second")
    assert store_stamp(store.path) != stamp


def test_what_cannot_be_read_or_written_is_said(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    add(store, "first")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(FairvizError) as caught:
            add(store, "second")
        assert names_in(store) == ["first"]
    assert str(caught.value) == f"no entry was saved in {store.path} (database is locked)\nTry again."
    store.path.write_bytes(b"This is no database, whatever its name says. " * 40)
    with refused(
        f"the entries in {store.path} could not be read (file is not a database)\n"
        "Close other programs that use the file; if it is not a sound database, move it away."
    ):
        names_in(store)
