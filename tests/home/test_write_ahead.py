import sqlite3
import threading
from contextlib import closing

import pytest

from fairviz.home import write_ahead


def test_those_who_open_a_new_database_at_once_wait_for_each_other(tmp_path):
    failures = []

    def append(path, together):
        together.wait()
        try:
            with closing(write_ahead.connect(path, patience=60, isolation_level=None)) as database:
                database.execute("BEGIN IMMEDIATE")
                database.execute("CREATE TABLE IF NOT EXISTS rows (number)")
                database.execute("INSERT INTO rows VALUES (1)")
                database.execute("COMMIT")
        except sqlite3.Error as error:
            failures.append(error)

    for number in range(15):
        path, together = tmp_path / f"{number}.sqlite", threading.Barrier(4)
        threads = [threading.Thread(target=append, args=(path, together)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with closing(sqlite3.connect(path)) as database:
            assert database.execute("SELECT COUNT(*) FROM rows").fetchone() == (4,), failures
    assert not failures


def test_patience_ends_and_what_is_no_database_is_refused_at_once(tmp_path):
    path = tmp_path / "held.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            write_ahead.connect(path, patience=0.02)
    path = tmp_path / "text.sqlite"
    path.write_text("not a database " * 100)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        write_ahead.connect(path, patience=600)
