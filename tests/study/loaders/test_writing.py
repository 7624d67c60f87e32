"""Files that are written: changes to a folder, whole or not at all and finished by whoever comes next; and runs."""

import gzip
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from fairviz.home import LOCK, UNFINISHED, hold, new_file, release
from fairviz.study.loaders import changes
from fairviz.study.loaders.changes import CHANGE, changing, locked_for_reading, mend, mend_beside
from fairviz.study.loaders.writing import replace_runs, run_files
from fairviz.study.tables import RUNS, conform
from tests.conftest import refused
from tests.study.loaders.files import fill

FILES = {"a.txt": "old a", "runs/b.txt": "old b", "notes.md": "mine"}
CHANGED = {"c.txt": "new c", "runs/b.txt": "new b", "notes.md": "mine"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return fill(tmp_path / "mine", FILES)


def files(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def hidden(folder: Path) -> list[str]:
    return sorted(path.name for path in (*folder.iterdir(), *folder.parent.iterdir()) if path.name.startswith("."))


def change(folder: Path) -> None:
    with changing(folder, lambda: [folder / "a.txt", folder / "runs" / "b.txt"]) as filled:
        fill(filled, {"runs/b.txt": "new b", "c.txt": "new c"})


def test_files_come_and_go_at_once_and_others_stay(folder: Path) -> None:
    with pytest.raises(FileNotFoundError), changing(folder, lambda: [folder / "a.txt"]) as filled:
        (filled / "c.txt").write_text((folder / "nothing").read_text())
    assert files(folder) == FILES, "what raises changes nothing"
    (folder / "c.txt").mkdir()
    with pytest.raises(FileExistsError):
        change(folder)
    assert files(folder) == FILES
    assert not (folder / CHANGE).exists(), "a change that could not be carried out is not agreed to"
    (folder / "c.txt").rmdir()
    change(folder)
    assert files(folder) == CHANGED
    assert [path.name for path in folder.parent.iterdir() if path.name != "fairviz-home"] == ["mine"]


def test_a_change_that_was_broken_off_is_carried_out_by_the_next(folder: Path, monkeypatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(changes, "_finish_change", lambda _: None)
        change(folder)
    assert (folder / CHANGE).is_dir()
    assert (folder / "a.txt").exists()
    copies = [shutil.copytree(folder, folder.with_name(name)) for name in ("copy", "other", "third")]
    for place in (folder, copies[0], folder):
        mend(place)
        assert files(place) == CHANGED
    (copies[1] / "a.txt").write_text("by hand")
    mend(copies[1])
    assert files(copies[1]) == CHANGED | {"a.txt": "by hand"}, "what somebody put there since is not removed"
    (copies[2] / "c.txt").mkdir()
    with refused(
        f"a change to {copies[2]} was broken off and cannot be finished (Is a directory)\n"
        "Make it a folder that you can write, with all that is in it, and open it again."
    ):
        mend(copies[2])


def test_one_change_after_another_and_none_while_the_folder_is_read(folder: Path, monkeypatch) -> None:
    monkeypatch.setattr(changes, "PATIENCE", 0.02)
    busy = (
        f"another process has been changing or reading {folder} for a minute\n"
        "Wait until it is done, or end it, and try again."
    )
    with locked_for_reading(folder), locked_for_reading(folder), refused(busy):
        change(folder)
    with changes._locked(folder), refused(busy), locked_for_reading(folder):
        pass
    with locked_for_reading(folder / "nothing"):
        pass
    # where no folder can be locked, as on Windows, changes wait for one another
    monkeypatch.setattr(changes, "fcntl", None)
    lock, _ = hold(folder)
    with refused(busy):
        change(folder)
    with locked_for_reading(folder):
        release(lock)
        change(folder)
    assert files(folder) == CHANGED
    assert hidden(folder) == []


HOLDER = """
import sys
from pathlib import Path
from fairviz.home import new_file, new_folder
with new_folder(Path(sys.argv[1]), ".fairviz-new-"), new_folder(Path(sys.argv[1]).parent, ".mine-new-"):
    with new_file(Path(sys.argv[1], "x.csv")):
        print("ready", flush=True)
        sys.stdin.read()
"""


def test_what_a_living_process_is_at_stays_and_what_a_killed_one_left_goes(folder: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "ready\n"
        mend(folder)
        with new_file(folder / "x.csv") as stream:
            stream.write(b"whole")
        assert len([name for name in hidden(folder) if not name.endswith(LOCK)]) == 3
        holder.kill()
    mend(folder)
    assert hidden(folder) == []
    assert (folder / "x.csv").read_text() == "whole"


def test_locks_and_files_that_were_left_go_and_those_of_others_stay(folder: Path) -> None:
    (folder.parent / ".mine-new-abcdefgh.lock").touch()
    (folder / f"{UNFINISHED}x.csv-abcdefgh.lock").touch()
    others = [".mine-abcdefgh.lock", ".mine-new-abcdefg1.lock", ".mine-old-abcdefgh.lock"]
    for name in others:
        (folder.parent / name).write_text("mine" if name.endswith("1.lock") else "")
    mend(folder)
    assert hidden(folder) == others
    left = [folder / f"{UNFINISHED}{name}-abcdefgh" for name in ("x[1].csv", "x.csv")]
    for path in left:
        path.write_text("half")
    with new_file(folder / "x[1].csv") as stream:
        stream.write(b"whole")
    assert [path.exists() for path in left] == [False, True], "a file that was left goes with the next of its name"


def test_a_folder_that_stood_aside_is_brought_back_and_what_stands_aside_of_one_in_place_goes(folder: Path) -> None:
    for aside in (".mine-old-abcdefgh/mine", ".mine-abcdefg_/before"):
        place = folder.parent / aside
        place.parent.mkdir()
        folder.rename(place)
        mend(folder)
        assert files(folder) == FILES
        assert hidden(folder) == []
    for name in (".mine-old-abcdefgh", ".mine-new-abcdefgh", ".other-new-abcdefgh", ".mine-new-notours!"):
        (folder.parent / name / "mine").mkdir(parents=True)
    fill(folder.parent, {".mine-new-abcdefg1/thesis.tex": "mine"})
    mend(folder)
    assert hidden(folder) == [".mine-new-abcdefg1", ".mine-new-notours!", ".other-new-abcdefgh"]
    (folder.parent / ".other-new-abcdefgh" / "mine").rmdir()
    mend_beside(folder.parent)
    assert hidden(folder) == [".mine-new-abcdefg1", ".mine-new-notours!"]
    assert files(folder) == FILES


# --- Runs.


def run_of(system: str = "bm25", doc_id: str = "007") -> pd.DataFrame:
    rows = {"system": [system] * 2, "query_id": ["1"] * 2, "doc_id": [doc_id, "null"], "rank": [1, 2]}
    return conform(pd.DataFrame({**rows, "score": [1 / 3, 0.25]}), RUNS)


def test_the_content_of_a_run_and_what_it_replaces(tmp_path: Path) -> None:
    """By TREC's naming, and without an ending; a note that has the system's name is left."""
    (written,) = replace_runs(run_of(), tmp_path / "runs")
    assert written == tmp_path / "runs" / "bm25.run.gz"
    assert gzip.decompress(written.read_bytes()) == b"1 Q0 007 1 0.333333333 bm25\n1 Q0 null 2 0.25 bm25\n"
    assert written.read_bytes()[4:8] == bytes(4)  # no time in the file: the same run is the same bytes
    assert list((tmp_path / "runs").iterdir()) == [written]
    (written,) = replace_runs(run_of("my run"), tmp_path / "named")  # a name with a space stays six columns
    assert written.name == "my run.run.gz"
    assert gzip.decompress(written.read_bytes()).splitlines()[0] == b"1 Q0 007 1 0.333333333 my_run"
    names = ("input.bm25", "bm25.res", "bm25.TXT", "BM25", "bm25.more.run")
    folder = fill(tmp_path / "there", dict.fromkeys(names, "1 Q0 a 1 2.5 t\n") | {"bm25": "Parameters: k1 = 0.9\n"})
    assert [path.name for path in run_files(folder, "bm25")] == ["bm25.TXT", "bm25.res", "input.bm25"]
    replace_runs(run_of(), folder)
    assert sorted(path.name for path in folder.iterdir()) == ["BM25", "bm25", "bm25.more.run", "bm25.run.gz"]


def test_what_no_run_file_can_hold_and_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    for name in ("../x", "a\\b", "a:b"):
        with refused(f"{name!r} cannot name the file of a system\nUse letters, digits, hyphens and underscores."):
            replace_runs(run_of(name), tmp_path)
    with refused(
        "the doc_id 'd 1' cannot be written to a TREC file\n"
        "Use ids without white space, and of queries without # in front."
    ):
        replace_runs(run_of(doc_id="d 1"), tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "runs").write_text("a file")
    with refused(
        f"could not write a run in {tmp_path / 'runs'}: File exists\n"
        "Make it a folder that you can write, with room, and run it again."
    ):
        replace_runs(run_of(), tmp_path / "runs")
