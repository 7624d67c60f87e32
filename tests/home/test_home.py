"""Where the program's own files lie, and how these and every output are written: whole or not at all, under locks, line
by line, in new databases, through links and by whom."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import fairviz
from fairviz import home, installed
from fairviz.annotation.adjudications import to_text
from fairviz.errors import FairvizError
from fairviz.files import check_output, write_output
from fairviz.home import (
    LOCK,
    data_home,
    hold,
    locked,
    new_file,
    new_folder,
    permissions,
    put_in_place,
    release,
    remove_left_over,
    write_ahead,
    write_whole,
)
from fairviz.home.json_lines import append, lines_of, read_records, to_line
from fairviz.home.permissions import OWNER, VARIABLE, Permissions, visitor
from fairviz.study.loaders.changes import changing
from fairviz.study.loaders.rows import read_json_lines
from tests.conftest import ROOT, Call, full_disk
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


def test_a_line_that_is_too_long_or_was_cut_off_takes_no_other_with_it(tmp_path: Path) -> None:
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
    assert list(lines_of([b"a\n", b"b" * 9, b"b" * 9, b"b\nc\n", b"d"], 5)) == [b"a", b"c", b"d"]


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


# --- One writer for every output: through links, in place into what is no regular file, whole and with its rights else.


AS_ROOT = os.name == "posix" and os.geteuid() == 0
EVALUATE = ["evaluate", "football", "CWEx@4", "--output"]
CAPSULE = ["capsule", "football", "CWEx@4", "--no-figures", "-o"]
OTHERS = {
    "report": ["report", "football", "CWEx@4", "-o"],
    "gate": ["gate", "newswire", "--baseline", "bm25", "--candidate", "tfidf", "--fail-if", "CWEx falls by 1",
             "--report"],
    "labels": ["adjudications", "export", "--labels", "football"],
}  # fmt: skip


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """A null device of this test alone."""
    path = tmp_path / "null.csv"
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        path.write_bytes(b"")
    except PermissionError:
        pytest.skip("only root makes devices")
    return path


@pytest.mark.parametrize("asked", [EVALUATE, CAPSULE], ids=["evaluate", "capsule"])
def test_a_device_stays_a_device(asked: list[str], device: Path, call: Call) -> None:
    call(asked, device)
    assert stat.S_ISCHR(device.stat().st_mode)
    assert [*device.parent.iterdir()] == [device]


@pytest.mark.parametrize("asked", [EVALUATE, CAPSULE, *OTHERS.values()], ids=["evaluate", "capsule", *OTHERS])
def test_a_link_stays_and_its_target_is_written_with_its_rights(asked: list[str], tmp_path: Path, call: Call) -> None:
    """And a folder is refused by name."""
    folder, other = tmp_path / "here.csv", tmp_path / "there"
    folder.mkdir()
    other.mkdir()
    target, link = other / "target.csv", folder / "link.csv"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    call(asked, link)
    assert link.is_symlink()
    assert target.stat().st_size > 10
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(tmp_path.glob("*/*")) == [link, target]
    said = call(asked, folder, status=1)
    assert said.err == f"could not write {folder}: it is a folder\nAdd the name of a file.\n"


@pytest.mark.parametrize("asked", [EVALUATE, CAPSULE], ids=["evaluate", "capsule"])
def test_a_pipe_gets_the_content_and_one_without_a_reader_is_refused(
    asked: list[str], tmp_path: Path, call: Call
) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    last = call(asked, pipe, status=1).err.splitlines()[-2:]
    assert last == [f"could not write {pipe}: no process reads this pipe", "Start its reader first."]
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        with pipe.open("wb"):  # keeps the reader from the end of the pipe until the verb is done
            call(asked, pipe)
        assert len(reader.communicate()[0]) > 10
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="Linux's files of the kernel")
def test_files_of_the_kernel_are_written_in_place_and_none_are_made_beside_them() -> None:
    before = Path("/proc/self/comm").read_text()
    try:
        write_output("/proc/self/comm", "written")
        assert Path("/proc/self/comm").read_text() == "written\n"
    finally:
        Path("/proc/self/comm").write_text(before)
    with pytest.raises(FairvizError, match=r"could not write /proc/new: no file can be made in /proc"):
        write_output("/proc/new", "x")


def test_an_open_descriptor_is_written_where_it_stands(tmp_path: Path) -> None:
    """As a shell appends: `{ echo first; fairviz … --output /dev/stdout; echo last; } > file`."""
    code = "import sys\nfrom fairviz.files import write_output\nwrite_output(sys.argv[1], 'middle\\n')"
    (tmp_path / "link").symlink_to("/dev/stdout")
    for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", str(tmp_path / "link")):
        file = tmp_path / "file"
        command = f'{{ echo first; "{sys.executable}" -c "$0" {name}; echo last; }} > "{file}"'
        subprocess.run(["sh", "-c", command, code], check=True)
        assert file.read_text() == "first\nmiddle\nlast\n"


def test_a_file_that_is_there_gets_rights_that_are_asked_for_and_else_keeps_its_own(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 127)  # as long as names may be
    path.write_text("old")
    path.chmod(0o644)
    if AS_ROOT:
        os.chown(path, 65534, 65533)
    for text, rights in (("new", [0o600]), ("newer", [])):
        write_whole(path, text, *rights)
        assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == (text, 0o600)
    assert [*tmp_path.iterdir()] == [path]
    if AS_ROOT:
        assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65533), "root leaves a file to its owner"


def test_links_to_what_is_not_there_are_followed_and_a_loop_or_a_broken_block_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "new").symlink_to("there/not yet")
    write_output(tmp_path / "new", "x")
    assert (tmp_path / "new").is_symlink()
    assert (tmp_path / "there" / "not yet").read_text() == "x"
    loop, file = tmp_path / "loop", tmp_path / "file"
    loop.symlink_to(loop)
    with pytest.raises(FairvizError, match="could not write"):
        write_output(loop, "x")
    file.write_text("old")
    with pytest.raises(UnicodeEncodeError), new_file(file) as stream:
        stream.writelines(text.encode() for text in ("half", "\ud800"))
    assert file.read_text() == "old"
    assert loop.is_symlink()
    for path in (tmp_path, tmp_path / "none" / "file"):
        with pytest.raises(FairvizError, match="could not write"):
            check_output(path)
    assert sorted(tmp_path.iterdir()) == [file, loop, tmp_path / "new", tmp_path / "there"]


def test_a_file_of_another_file_system_is_copied_next_to_its_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, target = tmp_path / "file", tmp_path / "there"
    file.write_text("new")
    target.write_text("old")
    target.chmod(0o600)
    replace: Callable = os.replace

    def refuse_first(source: Path, goal: Path) -> None:
        if Path(source) == file:
            raise OSError(18, "Invalid cross-device link")
        replace(source, goal)

    monkeypatch.setattr(os, "replace", refuse_first)
    put_in_place(file, target)
    assert [*tmp_path.iterdir()] == [target]
    assert (target.read_text(), stat.S_IMODE(target.stat().st_mode)) == ("new", 0o600)


def test_a_change_to_a_study_writes_through_links_and_keeps_rights(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "study", tmp_path / "labels.csv"
    fairviz.save_study(fairviz.open_study("football"), folder)
    (folder / "labels.csv").rename(elsewhere)
    elsewhere.chmod(0o600)
    (folder / "labels.csv").symlink_to(elsewhere)
    with changing(folder) as draft:
        (draft / "labels.csv").write_text("new")
    assert (folder / "labels.csv").is_symlink()
    assert (elsewhere.read_text(), stat.S_IMODE(elsewhere.stat().st_mode)) == ("new", 0o600)
