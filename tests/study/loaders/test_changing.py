"""Files that change while a study is opened: what is shown is what was there at one moment, under its own fingerprint.

A change is made at every step of an opening in turn: at each look at a file, each listing, each piece that is read. A
file that changes between two looks at it changes for the opening at the second, so the steps about it and its folder
are enough; the nightly tests take every step.
"""

import io
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from fairviz.errors import DataError, FairvizError
from fairviz.home import data_home
from fairviz.study import loaders
from fairviz.study.loaders import LOADERS, Loader, hashes, stored_runs
from fairviz.study.loaders.folder import CHANGED, read_folder
from fairviz.study.tables import DOCUMENTS, conform
from tests.conftest import refused
from tests.study.loaders.test_folder import fill

PIECE = 64  # bytes read at a step
FILES = {
    "study.toml": 'title = "x"\nlexicon = "words.txt"\n',
    "words.txt": "he,m\nshe,f\n",
    "documents.csv": "doc_id,text\nd,she went\ne,he went\n",
    "labels.csv": "doc_id,label\nd,female\ne,male\n",
    "runs/a.run": "1 Q0 d 1 2 t\n1 Q0 e 2 1 t\n",
    "runs/b.run": "1 Q0 e 1 2 t\n1 Q0 d 2 1 t\n",
}
OTHERS = {
    "study.toml": 'title = "y"\nlexicon = "words.txt"\n',
    "words.txt": "he,m\nher,f\n",
    "documents.csv": "doc_id,text\nd,her went\ne,he went\n",
    "labels.csv": "doc_id,label\nd,male\ne,female\n",
    "runs/a.run": "1 Q0 d 1 3 t\n1 Q0 e 2 1 t\n",
}
Change = Callable[[Path, str], None]


class Pieces(io.RawIOBase):
    """A file that gives few bytes at a time and tells of each."""

    def __init__(self, stream: Any, step: Callable[[], None]) -> None:
        super().__init__()
        self.stream, self.step = stream, step

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.stream.fileno()

    def readinto(self, buffer: Any) -> int:
        self.step()
        data = self.stream.read(min(PIECE, len(buffer)))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self.stream.close()
        super().close()


class Steps:
    """Counts the steps of an opening, and calls `act` at the one whose turn it is, or at each from there on. about: the
    paths whose steps count; all where there is none."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder, self.count, self.turn = str(folder), 0, -1
        self.about: tuple[Path, ...] = ()
        self.act: Callable[[], None] = lambda: None
        self.again, self.lock = False, threading.RLock()
        for module, name in ((os, "stat"), (os, "listdir")):
            patch.setattr(module, name, self._told(getattr(module, name)))
        opened = io.open
        patch.setattr(io, "open", lambda file, mode="r", *rest, **named: self._opened(opened, file, mode, rest, named))

    def _told(self, function: Callable) -> Callable:
        def called(path: Any = ".", *rest: Any, **named: Any) -> Any:
            if self._ours(path):
                self.step(path)
            return function(path, *rest, **named)

        return called

    def _opened(self, opened: Callable, file: Any, mode: str, rest: tuple, named: dict) -> Any:
        if mode != "rb" or not self._ours(file):
            return opened(file, mode, *rest, **named)
        self.step(file)
        return io.BufferedReader(Pieces(opened(file, "rb", buffering=0), lambda: self.step(file)), PIECE)

    def _ours(self, path: Any) -> bool:
        return isinstance(path, str | Path) and str(path).startswith(self.folder)

    def step(self, path: str | Path) -> None:
        if self.about and Path(path) not in self.about:
            return
        with self.lock:
            turn, self.count = self.count, self.count + 1
            if turn == self.turn or (self.again and turn > self.turn >= 0):
                kept, self.turn = self.turn, -1  # the change itself is no step
                self.act()
                self.turn, self.count = kept, turn + 1


@pytest.fixture
def steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Steps]:
    monkeypatch.setattr(stored_runs, "SMALL", 1)
    monkeypatch.setattr(hashes, "SMALL", 1)
    with pytest.MonkeyPatch.context() as patch:
        yield Steps(tmp_path / "study", patch)


def in_place(path: Path, content: str) -> None:
    path.write_text(content, encoding="utf-8")


def replaced(path: Path, content: str) -> None:
    beside = path.with_name(".new")
    beside.write_text(content, encoding="utf-8")
    os.replace(beside, path)


def appended(path: Path, content: str) -> None:
    with path.open("a", encoding="utf-8") as stream:
        stream.write(content.splitlines()[-1].replace("e", "f") + "\n")


def cut(path: Path, _: str) -> None:
    os.truncate(path, 17)


def gone(path: Path, _: str) -> None:
    path.unlink(missing_ok=True)


def outcome(folder: Path) -> str:
    """The content with its fingerprint, or what was wrong."""
    try:
        found = read_folder(folder)
    except FairvizError as error:
        return str(error)
    parts = sorted({*found.tables, *(["runs"] if found.stored_runs else [])})
    tables = {part: found.table(part).to_csv() for part in parts}
    return repr((found.metadata, found.lexicon, tables, found.warnings, found.fingerprint))


def every_step(
    steps: Steps, folder: Path, change: Callable[[], None], allowed: list[str], names: Sequence[str] = ()
) -> int:
    """Opens the study with a change at each step in turn that is about these files, or at each step of all, and holds
    the outcome against what is allowed."""
    steps.about = tuple(path for name in names for path in (folder / name, (folder / name).parent))
    told = 0
    for turn in range(900):
        fill(folder, FILES)
        steps.count, steps.turn, steps.act = 0, turn, change
        found = outcome(folder)
        reached, steps.turn = steps.count > turn, -1
        assert found in allowed or f": {CHANGED}\n" in found, f"at step {turn}: {found}"
        told += CHANGED in found
        if not reached:
            return told
    raise AssertionError("an opening without end")


EVERY = pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.lengthy)])


CHANGES = (in_place, replaced, appended, cut, gone)
CASES = [
    # words.txt and labels.csv are read as documents.csv is: one kind of change to these is enough by day
    pytest.param(name, change, marks=[pytest.mark.lengthy] if name in ("words.txt", "labels.csv") and place else [])
    for name in OTHERS
    for place, change in enumerate(CHANGES)
]


@EVERY
@pytest.mark.parametrize(("name", "change"), CASES)
def test_a_change_at_any_step(tmp_path: Path, steps: Steps, name: str, change: Change, every: bool) -> None:
    folder = fill(tmp_path / "study", FILES)
    before = outcome(folder)
    change(folder / name, OTHERS[name])
    after = outcome(folder)
    assert before != after
    names = () if every else (name,)
    told = every_step(steps, folder, lambda: change(folder / name, OTHERS[name]), [before, after], names)
    assert told == 0, "a single change is mended by reading again"


@EVERY
@pytest.mark.parametrize("name", ["documents.csv", pytest.param("runs/a.run", marks=pytest.mark.lengthy)])
def test_two_files_are_of_one_moment(tmp_path: Path, steps: Steps, name: str, every: bool) -> None:
    folder = fill(tmp_path / "study", FILES)
    allowed = [outcome(folder)]
    for changed in (name, "labels.csv"):
        in_place(folder / changed, OTHERS[changed])
        allowed.append(outcome(folder))

    def change() -> None:
        in_place(folder / name, OTHERS[name])
        in_place(folder / "labels.csv", OTHERS["labels.csv"])

    names = () if every else (name, "labels.csv")
    assert every_step(steps, folder, change, [allowed[0], allowed[-1]], names) == 0


@EVERY
@pytest.mark.parametrize("name", [pytest.param("documents.csv", marks=pytest.mark.lengthy), "runs/a.run"])
def test_a_file_that_never_rests(tmp_path: Path, steps: Steps, name: str, every: bool) -> None:
    folder = fill(tmp_path / "study", FILES)
    allowed = [outcome(folder)]
    in_place(folder / name, OTHERS[name])
    allowed.append(outcome(folder))
    steps.again = True

    def turn() -> None:
        with (folder / name).open(encoding="utf-8") as stream:
            now = stream.read()
        in_place(folder / name, OTHERS[name] if now == FILES[name] else FILES[name])

    every_step(steps, folder, turn, allowed, () if every else (name,))


def test_a_loader_that_does_not_tell_what_it_read(
    tmp_path: Path, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A format of one's own opens its files as it likes."""

    def read_own(path: Path, root: Path) -> pd.DataFrame:
        with path.open("rb") as stream:
            texts = stream.read().decode().split()
        return conform(pd.DataFrame({"doc_id": texts, "text": texts}), DOCUMENTS)

    monkeypatch.setattr(loaders, "LOADERS", (*LOADERS, Loader("documents", (".own",), read_own)))
    monkeypatch.setitem(FILES, "documents.own", "d e")
    monkeypatch.delitem(FILES, "documents.csv")
    folder = fill(tmp_path / "study", FILES)
    before = outcome(folder)
    in_place(folder / "documents.own", "d f")
    after = outcome(folder)
    assert before != after

    def change() -> None:
        in_place(folder / "documents.own", "d f")

    assert every_step(steps, folder, change, [before, after], ["documents.own"]) == 0


def test_a_file_that_grows_on_and_on_is_named(tmp_path: Path, steps: Steps) -> None:
    folder = fill(tmp_path / "study", FILES)
    steps.again, steps.turn = True, 0
    steps.act = lambda: appended(folder / "runs" / "b.run", "\n")
    with refused(
        "runs/b.run: the file changed while the study was read\nOpen the study again when nothing writes to it.",
        DataError,
    ):
        read_folder(folder)


def test_a_run_that_comes_meanwhile_is_read(tmp_path: Path, steps: Steps) -> None:
    folder = fill(tmp_path / "study", FILES)
    before = outcome(folder)
    (folder / "runs" / "c.run").write_text(FILES["runs/a.run"])
    after = outcome(folder)
    steps.about = (folder / "runs", folder / "runs" / "c.run")
    for turn in range(900):
        (folder / "runs" / "c.run").unlink(missing_ok=True)
        steps.count, steps.turn = 0, turn
        steps.act = lambda: (folder / "runs" / "c.run").write_text(FILES["runs/a.run"])
        assert outcome(folder) in (before, after)
        if steps.count <= turn:
            return


def test_what_was_long_at_rest_is_not_hashed_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = fill(tmp_path / "study", FILES)
    now = hashes.time.time_ns()
    monkeypatch.setattr(hashes.time, "time_ns", lambda: now + 3_600_000_000_000)
    monkeypatch.setattr("fairviz.study.loaders.folder.file_hash", lambda path: pytest.fail("hashed"))
    assert read_folder(folder).fingerprint


def test_a_remembered_hash_is_of_what_was_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"x" * 300_000)
    now = hashes.time.time_ns()
    monkeypatch.setattr(hashes.time, "time_ns", lambda: now + 3_600_000_000_000)
    computed = hashes.present_hash

    def while_it_changes(path: Path) -> str:
        found = computed(path)
        path.write_bytes(b"y" * 300_001)
        return found

    monkeypatch.setattr(hashes, "present_hash", while_it_changes)
    hashes.file_hash(path)
    assert not (data_home() / "cache" / "hashes").exists()


def test_a_hash_that_took_long_is_of_a_file_that_had_just_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"x" * 300_000)
    now = path.stat().st_ctime_ns
    monkeypatch.setattr(hashes.time, "time_ns", lambda: now + 1)
    computed = hashes.present_hash

    def slowly(path: Path) -> str:
        monkeypatch.setattr(hashes.time, "time_ns", lambda: now + 3_600_000_000_000)
        return computed(path)

    monkeypatch.setattr(hashes, "present_hash", slowly)
    hashes.file_hash(path)
    assert not (data_home() / "cache" / "hashes").exists()


@pytest.mark.lengthy
def test_a_writer_at_work(tmp_path: Path) -> None:
    """Another thread replaces and rewrites a file as fast as it can."""
    folder = fill(tmp_path / "study", FILES)
    allowed = [outcome(folder)]
    in_place(folder / "runs" / "a.run", OTHERS["runs/a.run"])
    allowed.append(outcome(folder))
    resting = threading.Event()

    def write() -> None:
        turn = 0
        while not resting.is_set():
            turn += 1
            replaced(folder / "runs" / "a.run", (FILES, OTHERS)[turn % 2]["runs/a.run"])

    writer = threading.Thread(target=write)
    writer.start()
    try:
        found = [outcome(folder) for _ in range(100)]
    finally:
        resting.set()
        writer.join()
    for each in found:
        assert each in allowed or CHANGED in each
    assert outcome(folder) in allowed
