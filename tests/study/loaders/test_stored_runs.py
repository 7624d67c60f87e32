"""Runs in the cache: equal tables, nothing stale, nothing that a study depends on."""

import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pandas as pd
import pytest

import fairviz.study.loaders.folder as folder_module
from fairviz.errors import DataError
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.home import data_home
from fairviz.measures import rankings
from fairviz.study.loaders import Loader, loader_of, stored, stored_runs
from fairviz.study.study import open_study_folder
from fairviz.study.tables import RUNS, conform
from tests.study.loaders.files import fill


def write(path: Path, tag: str, lists: int = 300) -> None:
    """A run that is large enough for the cache, with numbers, words and signs among its ids."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = ["007", "null", "d-é", *map(str, range(40))]
    rows = (
        f"q{query} Q0 {name} {rank} {100 - rank / 3!r} {tag}\n"
        for query in range(lists)
        for rank, name in enumerate(names, start=1)
    )
    path.write_text("".join(rows), encoding="utf-8")
    os.utime(path, (1_000_000_000, 1_000_000_000))


@pytest.fixture
def study(tmp_path: Path) -> Path:
    write(tmp_path / "study" / "runs" / "one.run", "a")
    write(tmp_path / "study" / "runs" / "two.run", "b", 250)
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
        with pytest.raises(DataError, match=r"^runs/two\.run:10751: expected 6 columns, found 3: 'q1 Q0 x'\n"):
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
    write(study / "runs" / "three.run", "c")
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
    (study / "queries.tsv").write_text("query_id\ttext\n" + "".join(f"q{n}\ttext {n}\n" for n in range(300)))
    for name in ("one", "two"):
        path = study / "runs" / f"{name}.run"
        path.write_text(path.read_text(encoding="utf-8").replace("é", "e"), encoding="utf-8")
    plain = open_study_folder(study)
    assert plain.stored_runs is not None
    assert "runs" not in vars(plain)
    assert plain.systems == ("one", "two")
    assert plain.size("runs") == 43 * 550
    assert plain.lengths.tolist() == [[43] * 300, [43] * 250 + [0] * 50]
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
    told = Event()
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
        write(tmp_path / "study" / "runs" / f"{name}.run", name, lists)
        path = tmp_path / "study" / "runs" / f"{name}.run"
        path.write_text(path.read_text(encoding="utf-8").replace("é", "e"), encoding="utf-8")
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
