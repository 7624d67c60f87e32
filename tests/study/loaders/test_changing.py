"""Files that change, and what is kept of them: a study is what was there at one moment, under its own fingerprint, and
nothing in the cache is stale.

A change is made at every step of an opening in turn: at each look at a file, each listing, each piece that is read. A
file that changes between two looks at it changes for the opening at the second, so the steps about it and its folder
are enough, and two changes of a file take every other one each; the nightly tests take every step.
"""

import io
import os
import random
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fairviz.study.loaders.folder as folder_module
from fairviz.errors import DataError, FairvizError
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.home import data_home
from fairviz.measures import rankings
from fairviz.study import loaders
from fairviz.study.loaders import LOADERS, Loader, hashes, loader_of, stored, stored_runs
from fairviz.study.loaders.folder import CHANGED, read_folder
from fairviz.study.study import open_study_folder
from fairviz.study.tables import DOCUMENTS, RUNS, conform
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
    in_place(path.with_name(".new"), content)
    os.replace(path.with_name(".new"), path)


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
# By day each change once, and one of each way in which files are read: words.txt and labels.csv as documents.csv is.
# The first step and the leap: two changes of a file share its steps, and tables are cut at each.
BY_DAY = {
    ("study.toml", gone): (0, 1), ("labels.csv", cut): (0, 1), ("documents.csv", replaced): (0, 4),
    ("documents.csv", in_place): (2, 4), ("runs/a.run", appended): (0, 2), ("runs/a.run", gone): (1, 2),
}  # fmt: skip
CASES = [
    pytest.param(name, change, marks=[] if (name, change) in BY_DAY else [pytest.mark.lengthy])
    for name in OTHERS
    for change in (in_place, replaced, appended, cut, gone)
]


@EVERY
@pytest.mark.parametrize(("name", "change"), CASES)
def test_a_change_at_any_step(tmp_path: Path, steps: Steps, name: str, change: Change, every: bool) -> None:
    """A single change is mended by reading again."""
    folder, names = tmp_path / "study", () if every else (name,)
    first, leap = (0, 1) if every else BY_DAY.get((name, change), (0, 1))
    assert told(steps, folder, lambda: change(folder / name, OTHERS[name]), names, first, leap) == 0


@EVERY
@pytest.mark.parametrize(
    ("name", "at_rest"),
    [("documents.csv", True), ("documents.csv", False), pytest.param("runs/a.run", False, marks=pytest.mark.lengthy)],
)
def test_two_files_are_of_one_moment(
    tmp_path: Path, steps: Steps, monkeypatch: pytest.MonkeyPatch, name: str, at_rest: bool, every: bool
) -> None:
    """Also those that were long at rest, which are others by their times."""
    later, folder, names = time.time_ns() + 60 * 10**9, tmp_path / "study", (name, "labels.csv")
    if at_rest:
        monkeypatch.setattr(time, "time_ns", lambda: later)

    def change() -> None:
        for each in names:
            in_place(folder / each, OTHERS[each])
            if at_rest:
                os.utime(folder / each, (1, 1))

    assert told(steps, folder, change, () if every else names, leap=1 if every else 4) == 0


@pytest.mark.lengthy
@pytest.mark.parametrize("name", ["documents.csv", "runs/a.run"])
def test_a_file_that_never_rests(tmp_path: Path, steps: Steps, name: str) -> None:
    steps.again = True
    path = tmp_path / "study" / name

    def turn() -> None:
        with path.open(encoding="utf-8") as stream:
            now = stream.read()
        in_place(path, OTHERS[name] if now == FILES[name] else FILES[name])

    told(steps, tmp_path / "study", turn)


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
    assert told(steps, folder, lambda: in_place(folder / "runs/c.run", FILES["runs/a.run"]), ["runs/c.run"]) == 0

    def change() -> None:
        in_place(folder / "documents.own", "d f")

    assert told(steps, folder, change, ["documents.own"], leap=2) == 0
    monkeypatch.setattr(hashes, "identity", lambda status: ())  # within one tick of the clock
    assert told(steps, folder, change, ["documents.own"], 1, leap=2) == 0


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


# --- Runs in the cache.


def write(folder: Path, name: str, lists: int = 30, sign: str = "é") -> Path:
    """A run with numbers, words and a sign among its ids, which is large enough for the cache of `study`."""
    ids = ["007", "null", f"d-{sign}", *map(str, range(40))]
    lines = (
        f"q{query} Q0 {document} {rank} {100 - rank / 3!r} {name}\n"
        for query in range(lists)
        for rank, document in enumerate(ids, start=1)
    )
    path = fill(folder, {f"runs/{name}.run": "".join(lines)}) / "runs" / f"{name}.run"
    os.utime(path, (1_000_000_000, 1_000_000_000))
    return path


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs, and a cache that takes files of 10 kB."""
    monkeypatch.setattr(stored_runs, "SMALL", 10_000)
    monkeypatch.setattr(hashes, "SMALL", 10_000)
    write(tmp_path / "study", "one")
    write(tmp_path / "study", "two", 25)
    return tmp_path / "study"


def before_each_run(monkeypatch: pytest.MonkeyPatch, act: Callable[[str], object]) -> None:
    """Whoever reads the file of a run calls `act` with its name first."""

    def loader(part: str, path: Path) -> Loader:
        found = loader_of(part, path)
        read = found.read
        return replace(found, read=lambda *given: (act(path.name), read(*given))[1]) if part == "runs" else found

    monkeypatch.setattr(folder_module, "loader_of", loader)


def no_parsing(name: str) -> None:
    raise AssertionError(f"{name} was parsed though it is in the cache")


def cached() -> list[str]:
    """The entries of run files."""
    entries = (stored.Entry(folder) for folder in stored.stored_folder().iterdir())
    return sorted(one.folder.name for one in entries if {"score", "documents_texts"} <= {*one.names()})


def test_a_second_opening_parses_nothing_and_gives_the_same(study, monkeypatch):
    old = stored.stored_folder().with_name("runs-1")  # what an earlier version wrote is removed
    old.mkdir(parents=True)
    (old / "rows.parquet").write_bytes(b"x")
    first = open_study_folder(study)
    assert len(cached()) == 2
    assert not old.exists()
    with monkeypatch.context() as patch:
        before_each_run(patch, no_parsing)
        second = open_study_folder(study)
        (study / "runs" / "one.run").rename(study / "runs" / "three.run")
        with pytest.raises(AssertionError, match=r"three\.run was parsed"):
            open_study_folder(study)
    assert second.systems == ("one", "two")
    pd.testing.assert_frame_equal(second.runs, first.runs)
    assert second.fingerprint == first.fingerprint
    pd.testing.assert_frame_equal(conform(second.runs, RUNS), second.runs)
    assert second.runs["doc_id"].iloc[:3].tolist() == ["007", "null", "d-é"]
    # the name of the system is the file's, and an order of systems is kept
    assert open_study_folder(study).systems == ("three", "two")
    (study / "study.toml").write_text('systems = ["two", "three"]\n')
    assert open_study_folder(study).systems == ("two", "three")
    # an entry under another key is none
    place = stored.stored_folder() / cached()[0]
    place.rename(place.with_name(stored.key_of("another")))
    assert stored.load("another") is None


def test_a_changed_file_is_parsed_again(study):
    first = open_study_folder(study)
    path = study / "runs" / "one.run"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("q0 Q0 007 1 ", "q0 Q0 008 1 "), encoding="utf-8")  # the same size
    os.utime(path, (1_000_000_000, 1_000_000_000))  # and the same time of change
    second = open_study_folder(study)
    assert second.runs["doc_id"].iloc[0] == "008"
    assert second.fingerprint != first.fingerprint
    assert len(cached()) == 3


def test_bad_and_interrupted_files_are_never_cached_and_what_was_read_is_left(study, monkeypatch):
    sound = (study / "runs" / "two.run").read_text(encoding="utf-8")
    (study / "runs" / "two.run").write_text(sound + "q1 Q0 x\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(DataError, match=r"^runs/two\.run:1076: expected 6 columns, found 3: 'q1 Q0 x'\n"):
            open_study_folder(study)
    assert len(cached()) == 1, "the sound file"
    (study / "runs" / "two.run").write_text(sound, encoding="utf-8")
    read: list[str] = []

    def interrupted_once(name: str) -> None:
        read.append(name)
        if len(read) == 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(folder_module, "MEMORY_OF_READER", 1 << 60)
    before_each_run(monkeypatch, interrupted_once)
    with pytest.raises(KeyboardInterrupt):
        open_study_folder(study)
    assert len(cached()) == 1
    write(study, "three")
    assert open_study_folder(study).systems == ("one", "three", "two")
    assert read[0] == "two.run"
    assert sorted(read[1:]) == ["three.run", "two.run"]


def test_small_runs_are_not_cached_and_a_cache_that_cannot_be_written_stops_nobody(tmp_path, study):
    open_study_folder(fill(tmp_path / "small", {"runs/s.run": "1 Q0 d 1 1 t\n"}))
    assert not data_home().exists()
    data_home().write_text("a file where the folder should be")
    assert open_study_folder(study).systems == ("one", "two")


def test_the_table_is_made_for_those_who_ask_for_it(study):
    opened = open_study_folder(study)
    assert opened.stored_runs is None, "ids of other signs are composed before they are joined"
    (study / "queries.tsv").write_text("query_id\ttext\n" + "".join(f"q{n}\ttext {n}\n" for n in range(30)))
    for name, lists in (("one", 30), ("two", 25)):
        write(study, name, lists, "e")
    plain = open_study_folder(study)
    assert plain.stored_runs is not None
    assert "runs" not in vars(plain)
    assert plain.systems == ("one", "two")
    assert plain.size("runs") == 43 * 55
    assert plain.lengths.tolist() == [[43] * 30, [43] * 25 + [0] * 5]
    assert list(plain.retrieved[:3]) == ["007", "null", "d-e"]
    other = plain.changed(name="other")
    assert "runs" not in vars(other)
    table = pd.concat(plain.runs_in_parts())
    pd.testing.assert_frame_equal(table.reset_index(drop=True), plain.runs)
    pd.testing.assert_frame_equal(replace(plain, name="third").runs, plain.runs)
    # runs that answer no query of the study have no lists
    (study / "queries.tsv").write_text("other\tsome text\n")
    opened = open_study_folder(study)
    lists = rankings.align_stored(opened.stored_runs, "file", (), opened.query_ids)
    assert (lists.depth, lists.lengths.tolist()) == (0, [[0], [0]])
    assert not len(lists.doc_ids)


def test_what_is_read_is_told_and_what_is_stored_is_not(study, monkeypatch):
    told = threading.Event()
    reports: list[tuple[int, int, str]] = []

    def report(*progress: object) -> None:
        reports.append(progress)
        told.set()

    before_each_run(monkeypatch, lambda name: told.wait())  # until a file is told of
    monkeypatch.setattr(folder_module, "AT_ONCE", 0)
    with folder_module.telling(report):
        open_study_folder(study)
    assert reports[0] == (0, 2, "one.run")
    assert {name for _, _, name in reports} <= {"one.run", "two.run"}
    reports.clear()
    open_study_folder(study)
    assert not reports, "nobody asked"


def test_what_was_not_used_for_longest_makes_room(tmp_path, monkeypatch):
    for number in range(3):
        stored.save(number, {"a": np.zeros(500)})
    places = {number: stored.stored_folder() / stored.key_of(number) for number in range(3)}
    for number, place in places.items():
        os.utime(place / stored.SUMS, (number + 1, number + 1))
    assert stored.load(0) is not None  # used again: 1 is the oldest now
    monkeypatch.setattr(stored, "MOST_BYTES", 3 * 4400)
    stored.save(3, {"a": np.zeros(500)})
    assert [place.exists() for place in places.values()] == [True, False, True]


def test_a_damaged_row_is_never_read(monkeypatch):
    """However rows are asked for, the blocks that hold them are checked first."""
    monkeypatch.setattr(stored, "BLOCK", 16)  # a row
    array = np.arange(16).reshape(8, 2)
    keys = (5, -3, np.int64(5), slice(5, 6), slice(6, 3, -1), slice(2, 7, 3), slice(-3, None), (slice(4, 6), 1), [2, 5])
    for number, key in enumerate(keys):
        kept = stored.StoredArrays(number, lambda: {"a": array})
        file = stored.stored_folder() / stored.key_of(number) / "a.bin"
        status = file.stat()
        with file.open("r+b") as stream:
            stream.seek(5 * 16)
            stream.write(b"\xff")
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
        monkeypatch.setattr(stored, "_CHECKED", {})  # as in the next process
        np.testing.assert_array_equal(kept.by_rows("a")[key], array[key])


def damaged(place: Path, chance: random.Random) -> None:
    """Cut, flip, remove or write over a file of the entry, and leave its time as it was."""
    file = chance.choice(sorted(place.iterdir()))
    content, status = bytearray(file.read_bytes()), file.stat()
    kind = chance.choice(["cut", "flip", "flip", "flip", "zero", "another version", "gone", "sums"])
    if kind == "gone":
        file.unlink()
        return
    if kind == "sums":
        file, content = place / stored.SUMS, bytearray(b"[1, 2]")
    elif kind == "cut" or not content:
        content = content[: chance.randrange(len(content) + 1)]
    elif kind == "flip":
        bit = chance.randrange(8 * len(content))
        content[bit // 8] ^= 1 << bit % 8
    elif kind == "zero":
        start = chance.randrange(len(content))
        content[start : start + 4096] = bytes(len(content[start : start + 4096]))
    else:
        content = content.replace(b"int", b"uin").replace(b"<i4", b"<u4").replace(b"<f8", b"<i8")
    file.write_bytes(bytes(content))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.parametrize("attempts", [30, pytest.param(300, marks=pytest.mark.lengthy)])
def test_damaged_stores_never_give_another_value(tmp_path, monkeypatch, attempts):
    """Stores of files, of their ids together, of the table and of the rankings."""
    for name, lists in (("one", 9), ("two", 7)):
        write(tmp_path / "study", name, lists, "e")
    (tmp_path / "study" / "qrels.txt").write_text("".join(f"q{n} 0 {n} 1\nq{n} 0 null 1\n" for n in range(9)))
    for module, limit in ((stored_runs, "SMALL"), (stored, "LARGE"), (rankings, "LARGE")):
        monkeypatch.setattr(module, limit, 1)

    def found() -> tuple[pd.DataFrame, pd.DataFrame]:
        monkeypatch.setattr(stored, "_CHECKED", {})
        study = open_study_folder(tmp_path / "study")
        texts = dict.fromkeys(["system", "query_id", "doc_id"], object)  # none of a file that is damaged later
        return study.runs.astype(texts), summarise(evaluate(study, ["nDCG@10", "P@20"]))

    first, chance = found(), random.Random(3)
    found()
    for attempt in range(attempts):
        damaged(chance.choice(sorted(stored.stored_folder().iterdir())), chance)
        for expected, table in zip(first, found(), strict=True):
            pd.testing.assert_frame_equal(table, expected, check_exact=True, obj=f"attempt {attempt}")
    assert len(cached()) == 2, "made anew"
