"""Files that change while a study is opened: what is shown is what was there at one moment, under its own fingerprint.

A change is made at every step of an opening in turn: at each look at a file, each listing, each piece that is read. A
file that changes between two looks at it changes for the opening at the second, so the steps about it and its folder
are enough, and two changes of a file take every other one each; the nightly tests take every step.
"""

import io
import os
import shutil
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
from tests.study.loaders.files import fill

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
        self.about: frozenset[str] = frozenset()
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
        if self.about and str(path) not in self.about:
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
    tables = {part: found.table(part).to_dict("list") for part in parts}
    return repr((found.metadata, found.lexicon, tables, found.warnings, found.fingerprint))


def told(
    steps: Steps, folder: Path, change: Callable[[], None], names: Sequence[str] = (), first: int = 0, leap: int = 1
) -> int:
    """Opens the study with a change at each step in turn that is about these files, or at each step of all: its outcome
    is that before or after the change, or that the file changed. Returns how often it was that. leap: one step in so
    many, from the first on."""

    def anew() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        fill(folder, FILES)

    anew()
    before = outcome(folder)
    change()
    after = outcome(folder)
    assert before != after
    steps.about = frozenset(str(path) for name in names for path in (folder / name, (folder / name).parent))
    count = 0
    for turn in range(first, 900, leap):
        anew()
        steps.count, steps.turn, steps.act = 0, turn, change
        found = outcome(folder)
        reached, steps.turn = steps.count > turn, -1
        assert found in (before, after) or f": {CHANGED}\n" in found, f"at step {turn}: {found}"
        count += CHANGED in found
        if not reached:
            return count
    raise AssertionError("an opening without end")


EVERY = pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.lengthy)])
CHANGES = (in_place, replaced, appended, cut, gone)
# By day each change once, and one of each way in which files are read: words.txt and labels.csv as documents.csv is.
BY_DAY = (
    ("study.toml", gone), ("documents.csv", replaced), ("documents.csv", in_place), ("labels.csv", cut),
    ("runs/a.run", appended), ("runs/a.run", gone),
)  # fmt: skip
TWICE = ("documents.csv", "runs/a.run")
CASES = [
    pytest.param(name, change, marks=[] if (name, change) in BY_DAY else [pytest.mark.lengthy])
    for name in OTHERS
    for change in CHANGES
]


@EVERY
@pytest.mark.parametrize(("name", "change"), CASES)
def test_a_change_at_any_step(tmp_path: Path, steps: Steps, name: str, change: Change, every: bool) -> None:
    """A single change is mended by reading again."""
    folder = tmp_path / "study"
    first, leap = (int(change in (in_place, gone)), 2) if name in TWICE and not every else (0, 1)
    names = () if every else (name,)
    assert told(steps, folder, lambda: change(folder / name, OTHERS[name]), names, first, leap) == 0


@EVERY
@pytest.mark.parametrize("name", ["documents.csv", pytest.param("runs/a.run", marks=pytest.mark.lengthy)])
def test_two_files_are_of_one_moment(tmp_path: Path, steps: Steps, name: str, every: bool) -> None:
    folder = tmp_path / "study"

    def change() -> None:
        in_place(folder / name, OTHERS[name])
        in_place(folder / "labels.csv", OTHERS["labels.csv"])

    assert told(steps, folder, change, () if every else (name, "labels.csv"), leap=1 if every else 4) == 0


@EVERY
@pytest.mark.parametrize("name", [pytest.param("documents.csv", marks=pytest.mark.lengthy), "runs/a.run"])
def test_a_file_that_never_rests(tmp_path: Path, steps: Steps, name: str, every: bool) -> None:
    steps.again = True
    path = tmp_path / "study" / name

    def turn() -> None:
        with path.open(encoding="utf-8") as stream:
            now = stream.read()
        in_place(path, OTHERS[name] if now == FILES[name] else FILES[name])

    told(steps, tmp_path / "study", turn, () if every else (name,), leap=1 if every else 4)


def test_a_loader_that_does_not_tell_what_it_read_and_a_run_that_comes_meanwhile(
    tmp_path: Path, steps: Steps, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A format of one's own opens its files as it likes."""

    def read_own(path: Path, root: Path) -> pd.DataFrame:
        with path.open("rb") as stream:
            texts = stream.read().decode().split()
        return conform(pd.DataFrame({"doc_id": texts, "text": texts}), DOCUMENTS)

    folder = tmp_path / "study"
    monkeypatch.setattr(loaders, "LOADERS", (*LOADERS, Loader("documents", (".own",), read_own)))
    monkeypatch.setitem(FILES, "documents.own", "d e")
    monkeypatch.delitem(FILES, "documents.csv")
    assert told(steps, folder, lambda: in_place(folder / "documents.own", "d f"), ["documents.own"], leap=2) == 0
    assert told(steps, folder, lambda: in_place(folder / "runs/c.run", FILES["runs/a.run"]), ["runs/c.run"]) == 0


def test_a_file_that_grows_on_and_on_is_named(tmp_path: Path, steps: Steps) -> None:
    folder = fill(tmp_path / "study", FILES)
    steps.again, steps.turn = True, 0
    steps.act = lambda: appended(folder / "runs" / "b.run", "\n")
    with refused(
        "runs/b.run: the file changed while the study was read\nOpen the study again when nothing writes to it.",
        DataError,
    ):
        read_folder(folder)


def test_a_hash_is_remembered_of_a_file_that_was_at_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, computed, remembered = tmp_path / "large", hashes.present_hash, data_home() / "cache" / "hashes"
    path.write_bytes(b"x" * 300_000)
    written = path.stat().st_ctime_ns
    an_hour, now = 3_600_000_000_000, [written + 1]
    monkeypatch.setattr(hashes.time, "time_ns", lambda: now[0])

    def hashed(meanwhile: Callable[[], object]) -> str:
        def hash_and_act(path: Path) -> str:
            found = computed(path)
            meanwhile()
            return found

        monkeypatch.setattr(hashes, "present_hash", hash_and_act)
        return hashes.file_hash(path)

    hashed(lambda: None)  # it was just written
    hashed(lambda: now.append(now.pop() + an_hour))  # nor of one that had, when a hash began that took long
    hashed(lambda: path.write_bytes(b"y" * 300_001))  # nor of one that changes while it is hashed
    assert not remembered.exists()
    right = hashed(lambda: None)
    assert hashed(lambda: pytest.fail("hashed again")) == right
    now[0] += an_hour
    os.utime(path)
    again: list[str] = []
    assert hashed(lambda: again.append("hashed")) == right
    assert again
    # nothing that was long at rest is hashed twice, nor what is remembered at all
    large = "".join(f"1 Q0 d{rank} {rank} {-rank} t\n" for rank in range(20_000))
    folder = fill(tmp_path / "study", FILES | {"runs/large.run": large})
    hashes.file_hash(folder / "runs" / "large.run")
    monkeypatch.setattr(hashes, "present_hash", lambda path: pytest.fail("hashed twice"))
    assert len(read_folder(folder).table("runs")) == 20_004
