"""Where the program's own files lie, and how they are written: whole or not at all, under locks, line by line, in new
databases, and by whom."""

import json
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

import fairviz
from fairviz import home, installed
from fairviz.annotation.adjudications import to_text
from fairviz.errors import FairvizError
from fairviz.home import (
    LOCK,
    data_home,
    hold,
    locked,
    new_folder,
    permissions,
    release,
    remove_left_over,
    write_ahead,
    write_whole,
)
from fairviz.home.json_lines import append, lines_of, read_records, to_line
from fairviz.home.permissions import OWNER, VARIABLE, Permissions, visitor
from fairviz.study.loaders.rows import read_json_lines
from tests.conftest import ROOT, full_disk
from tests.study.loaders.files import fill, rows


def test_the_programs_own_files_lie_around_the_package_and_a_wheel_carries_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.application_folder() == ROOT
    carried = tmp_path / "fairviz" / "_app"
    carried.mkdir(parents=True)
    monkeypatch.setattr(home, "__file__", str(tmp_path / "fairviz" / "home" / "__init__.py"))
    assert home.application_folder() == carried


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("old", encoding="utf-8")
    write_whole(path, "é\r\n")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "new \udc00")
    assert path.read_bytes() == "é\r\n".encode()
    assert list(tmp_path.iterdir()) == [path]


_LOCKER = """
import sys
from pathlib import Path
from fairviz.errors import FairvizError
from fairviz.home import locked
try:
    with locked(Path(sys.argv[1]), FairvizError(f"{sys.argv[1]} is taken", "Wait.")):
        print("locked", flush=True)
        sys.stdin.read()
except FairvizError as error:
    print(error, flush=True)
"""


def other_process(path: Path) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", _LOCKER, str(path)], stdin=-1, stdout=-1, text=True)


def test_two_processes_exclude_each_other_until_one_is_killed(tmp_path: Path) -> None:
    path, error = tmp_path / "work", FairvizError("it is taken", "Wait.")
    with other_process(path) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(FairvizError, match=r"^it is taken\nWait\.$"), locked(path, error):
            pass
        other.kill()
    with locked(path, error):
        assert other_process(path).communicate()[0] == f"{path} is taken\nWait.\n"
    assert other_process(path).communicate()[0] == "locked\n"
    assert list(tmp_path.iterdir()) == []


def test_the_file_that_locks_goes_with_the_lock_and_with_what_was_left(tmp_path: Path) -> None:
    left, path = tmp_path / "left", tmp_path / "work"
    left.mkdir()
    Path(f"{left}{LOCK}").touch()
    remove_left_over(left)
    lock, is_free = hold(path)
    assert is_free
    path.touch()
    remove_left_over(path)
    assert sorted(tmp_path.iterdir()) == [path, Path(f"{path}{LOCK}")]
    release(lock)
    remove_left_over(path)
    with pytest.raises(FileNotFoundError):
        hold(tmp_path / "nothing" / "work")
    with pytest.raises(FileNotFoundError), new_folder(tmp_path / "nothing", "new-"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_locks_does_not_stop_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known to be left over there, so nothing is removed."""

    def refuse(lock: object) -> None:
        raise OSError("no locks")

    monkeypatch.setattr("filelock.FileLock.acquire", refuse)
    left = tmp_path / ".fairviz-new-x.csv-abcdefgh"
    left.touch()
    assert hold(tmp_path / "x.csv")[1] is None
    write_whole(tmp_path / "x.csv", "text")
    assert sorted(tmp_path.iterdir()) == [left, tmp_path / "x.csv"]


def test_a_name_that_another_process_looks_at_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a lock of its own, an unfinished file would be a remainder for the next process."""
    tokens = iter(["aaaaaaaa", "bbbbbbbb"])
    monkeypatch.setattr("secrets.token_hex", lambda size: next(tokens))
    looked_at, _ = hold(tmp_path / f"{home.UNFINISHED}file-aaaaaaaa")
    with home.new_file(tmp_path / "file") as stream:
        assert stream.name.endswith("file-bbbbbbbb")
        remove_left_over(Path(stream.name))
        stream.write(b"whole")
    release(looked_at)
    assert (tmp_path / "file").read_bytes() == b"whole"


# --- Databases that are opened at once.


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

    for number in range(10):
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


# --- JSON lines: no text splits a line, and a line that was cut off takes no other with it.

TEXTS = [
    "a\u2028b", "a\u2029b", "a\x85b", "a\x0bb\x0cc\x1cd\x1de\x1ef", "a\nb\r\nc\rd", "ünïcode 🙂", "\x00\x7f", "}{,",
]  # fmt: skip


def test_every_text_is_one_line_for_every_reader_and_others_split_at_line_feeds_alone(tmp_path: Path) -> None:
    for text in TEXTS:
        row = {"who": text, text: 1}
        append(tmp_path / "log", row)
        assert len(to_line(row).splitlines()) == 1
        assert to_text(("a",), [{"a": text}], ".jsonl") == to_line({"a": text})
    assert read_records(tmp_path / "log").rows == [{"who": text, text: 1} for text in TEXTS]
    assert len((tmp_path / "log").read_text(encoding="utf-8").splitlines()) == len(TEXTS)
    # other programs write the separators without escaping them
    records = [{"doc_id": str(number), "text": text} for number, text in enumerate(TEXTS)]
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in records).encode()
    (tmp_path / "log").write_bytes(content)
    assert read_records(tmp_path / "log").rows == records
    pieces = [content[place : place + 3] for place in range(0, len(content), 3)]
    assert [json.loads(line) for line in lines_of(pieces, 1000)] == records
    frame, numbers = read_json_lines(content, "documents.jsonl")
    assert (frame.to_dict("records"), numbers) == (records, list(range(1, len(TEXTS) + 1)))
    study = fairviz.open_study(fill(tmp_path / "study", {"documents.jsonl": content}))
    assert rows(study.documents, "doc_id", "text") == [(row["doc_id"], row["text"]) for row in records]


def test_too_long_a_line_takes_no_other_with_it() -> None:
    assert list(lines_of([b"a\n", b"b" * 9, b"b" * 9, b"b\nc\n", b"d"], 5)) == [b"a", b"c", b"d"]


def test_a_line_that_was_cut_off_is_named_and_swallows_none(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append(path, {"number": 1})
    with path.open("ab") as stream:
        stream.write(b'{"number": 2, "te')
    append(path, {"number": 3})
    found = read_records(path)
    assert [row["number"] for row in found.rows] == [1, 3]
    assert found.broken == [2]
    path.write_bytes(b'1\n\n[2]\n{"number": 4}\n\xff\n"x"')
    found = read_records(path)
    assert (found.rows, found.broken) == ([{"number": 4}], [1, 3, 5, 6])


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no limit of a file's size")
def test_on_a_full_disk_a_record_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "log"
    append(path, {"who": "before"})
    with full_disk(path.stat().st_size + 10), pytest.raises(OSError, match="No space left"):
        append(path, {"who": "cut off"})
    append(path, {"who": "after"})
    assert read_records(path).broken == []
    assert [row["who"] for row in read_records(path).rows] == ["before", "after"]


# --- Permissions: everything without a server, and nothing in its process without a whole answer.

SENTENCE = "FAIRVIZ_SERVER is set, and what decides on a server who may do what is of "


@pytest.fixture
def of_server(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Makes this process that of a server, whose answers were not looked for yet."""
    permissions._of_server.cache_clear()
    monkeypatch.setenv(VARIABLE, "config.json")
    yield monkeypatch
    permissions._of_server.cache_clear()


def test_without_a_server_everything_is_allowed(tmp_path: Path) -> None:
    asked = permissions.permissions()
    assert (asked.is_server, asked.is_open(), asked.is_demo()) == (False, True, False)
    assert (asked.role("football"), asked.is_server_owner(), visitor()) == (OWNER, True, None)
    asked.require("football", OWNER, "look")
    asked.check_write(data_home() / "anything")
    assert asked.folder_to_save("mine").name == "mine"
    assert asked.without_paths(str(tmp_path)) == str(tmp_path)
    assert asked.take_place("k", "title", is_quick=False) is None


class Partial(Permissions):
    """Leaves all questions but one open, so that the defaults would allow."""

    is_server = True


class Faulty:
    """Stands for an entry point."""

    def __init__(self, found: object) -> None:
        self.found = found

    def load(self) -> object:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@pytest.mark.parametrize(
    "found", [None, ImportError("no module"), Partial(), object()], ids=lambda found: str(found)[:9]
)
def test_a_server_without_a_whole_answer_refuses_everything(
    found: object, tmp_path: Path, of_server: pytest.MonkeyPatch
) -> None:
    entries = {} if found is None else {"server": Faulty(found)}
    of_server.setattr(permissions, "bundled", lambda group: entries)
    of_server.setattr(installed, "bundled", lambda group: entries)
    deeds = (
        lambda: fairviz.open_study("football"),
        lambda: write_whole(data_home() / "x.txt", "x"),
        lambda: write_whole(tmp_path / "x.txt", "x"),
        lambda: permissions.permissions().role("football"),
        visitor,
    )
    for deed in deeds:
        with pytest.raises(FairvizError, match=SENTENCE):
            deed()
    assert not list(tmp_path.rglob("x.txt"))
