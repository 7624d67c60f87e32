"""The cache of parsed runs: equal tables, nothing stale, nothing that a study depends on."""

import os
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import fairviz.study.loaders.folder as folder_module
from fairviz.errors import DataError
from fairviz.home import data_home
from fairviz.study.loaders import Loader, loader_of, run_cache
from fairviz.study.loaders.hashes import file_hash
from fairviz.study.study import open_study_folder
from fairviz.study.tables import RUNS, conform


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


@pytest.fixture
def no_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("a run was parsed though it is in the cache")

    def loader(part: str, path: Path) -> Loader:
        found = loader_of(part, path)
        return replace(found, read=fail) if part == "runs" else found

    monkeypatch.setattr(folder_module, "loader_of", loader)


def cached() -> list[str]:
    return sorted(path.name for path in run_cache.runs_cache().iterdir())


def test_a_second_opening_parses_nothing_and_gives_the_same(study, request):
    first = open_study_folder(study)
    assert len(cached()) == 1
    request.getfixturevalue("no_parsing")
    second = open_study_folder(study)
    assert second.systems == ("one", "two")
    pd.testing.assert_frame_equal(second.runs, first.runs)
    assert second.fingerprint == first.fingerprint
    pd.testing.assert_frame_equal(conform(second.runs, RUNS), second.runs)
    assert second.runs["doc_id"].iloc[:3].tolist() == ["007", "null", "d-é"]


@pytest.mark.usefixtures("no_parsing")
def test_without_the_cache_the_run_is_parsed(study):
    with pytest.raises(AssertionError, match="a run was parsed"):
        open_study_folder(study)


def test_a_changed_file_is_parsed_again(study):
    first = open_study_folder(study)
    path = study / "runs" / "one.run"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("q0 Q0 007 1 ", "q0 Q0 008 1 "), encoding="utf-8")  # the same size
    os.utime(path, (1_000_000_000, 1_000_000_000))  # and the same time of change
    second = open_study_folder(study)
    assert second.runs["doc_id"].iloc[0] == "008"
    assert second.fingerprint != first.fingerprint
    assert len(cached()) == 2


def test_the_name_of_the_system_is_the_files(study):
    open_study_folder(study)
    (study / "runs" / "one.run").rename(study / "runs" / "three.run")
    assert open_study_folder(study).systems == ("three", "two")


def test_an_order_of_systems_is_kept(study):
    (study / "study.toml").write_text('systems = ["two", "one"]\n')
    assert [open_study_folder(study).systems for _ in range(2)] == [("two", "one")] * 2


def test_bad_lines_are_named_each_time_and_never_cached(study):
    with (study / "runs" / "two.run").open("a") as stream:
        stream.write("q1 Q0 x\n")
    for _ in range(2):
        with pytest.raises(DataError, match=r"^runs/two\.run:10751: expected 6 columns, found 3: 'q1 Q0 x'\n"):
            open_study_folder(study)
    assert not run_cache.runs_cache().exists()


@pytest.mark.parametrize("damage", ["cut", "gone", "other"])
def test_a_damaged_cache_is_made_anew(study, damage):
    first = open_study_folder(study)
    (place,) = run_cache.runs_cache().iterdir()
    if damage == "cut":
        content = (place / "rows.parquet").read_bytes()
        (place / "rows.parquet").write_bytes(content[: len(content) // 2])
    elif damage == "gone":
        (place / "doc_id.parquet").unlink()
    else:
        (place / "query_id.parquet").write_bytes((place / "system.parquet").read_bytes())  # too few texts
    pd.testing.assert_frame_equal(open_study_folder(study).runs, first.runs)
    assert len(cached()) == 1
    assert len(list(place.iterdir())) == 6


def test_a_cache_that_cannot_be_written_stops_nobody(study):
    data_home().parent.mkdir(exist_ok=True)
    data_home().write_text("a file where the folder should be")
    assert open_study_folder(study).systems == ("one", "two")


def test_small_runs_are_not_cached(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "s.run").write_text("1 Q0 d 1 1 t\n")
    open_study_folder(tmp_path)
    assert not data_home().exists()


def test_what_was_not_used_for_longest_makes_room(tmp_path, monkeypatch):
    for name in ("a", "b", "c"):
        write(tmp_path / name / "runs" / f"{name}.run", name)
    open_study_folder(tmp_path / "a")
    open_study_folder(tmp_path / "b")
    (first, second) = sorted(run_cache.runs_cache().iterdir(), key=lambda path: path.stat().st_mtime_ns)
    size = sum(file.stat().st_size for file in first.iterdir())
    os.utime(first / "rows.parquet", (1, 1))
    os.utime(second / "rows.parquet", (2, 2))
    open_study_folder(tmp_path / "a")  # used again: b is now the older one
    monkeypatch.setattr(run_cache, "MOST_BYTES", int(size * 2.5))
    open_study_folder(tmp_path / "c")
    assert first.name in cached()
    assert second.name not in cached()
    assert len(cached()) == 2


def test_a_hash_is_remembered_while_the_file_is_the_same(tmp_path, monkeypatch):
    path = tmp_path / "large"
    path.write_bytes(b"x" * 300_000)
    os.utime(path, (1_000_000_000, 1_000_000_000))
    monkeypatch.setattr("fairviz.study.loaders.hashes._SETTLED", 0)
    right = file_hash(path)
    monkeypatch.setattr("fairviz.study.loaders.hashes.present_hash", lambda path: "computed")
    assert file_hash(path) == right
    path.touch()
    assert file_hash(path) == "computed"


def test_a_hash_of_a_file_that_was_just_written_is_not_remembered(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(b"x" * 300_000)
    file_hash(path)
    assert not (data_home() / "cache" / "hashes").exists()


def flipped(path: Path, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def test_a_flipped_bit_anywhere_is_never_a_wrong_table(tmp_path, monkeypatch):
    """Bits of every file of an entry, spread over data, pages' heads and footers, and every bit of the sums."""
    write(tmp_path / "study" / "runs" / "one.run", "a", 3)
    monkeypatch.setattr(run_cache, "SMALL", 1)
    first = open_study_folder(tmp_path / "study")
    (place,) = run_cache.runs_cache().iterdir()
    sound = {file: file.read_bytes() for file in place.iterdir()}
    tried = 0
    for file, content in sorted(sound.items()):
        for bit in range(0, 8 * len(content), max(1, 8 * len(content) // 97)):
            flipped(file, bit)
            assert run_cache.load_runs(place.name) is None, f"bit {bit} of {file.name}"
            assert not place.exists(), "what is damaged is removed"
            place.mkdir()
            for each, whole in sound.items():
                each.write_bytes(whole)
            tried += 1
    assert tried > 450
    flipped(place / "rows.parquet", 4000)
    pd.testing.assert_frame_equal(open_study_folder(tmp_path / "study").runs, first.runs)


def test_an_entry_under_another_key_is_none(study):
    open_study_folder(study)
    (place,) = run_cache.runs_cache().iterdir()
    place.rename(place.with_name("0" * 64))
    assert run_cache.load_runs("0" * 64) is None


def test_what_an_earlier_version_wrote_is_removed(study):
    old = run_cache.runs_cache().with_name("runs-1")
    old.mkdir(parents=True)
    (old / "rows.parquet").write_bytes(b"x")
    open_study_folder(study)
    assert not old.exists()
