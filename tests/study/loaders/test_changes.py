"""Changes to a folder: whole or not at all, finished by whoever comes next, and never somebody else's file."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fairviz.errors import FairvizError
from fairviz.home import LOCK, UNFINISHED, hold, new_file, release
from fairviz.study.loaders import changes
from fairviz.study.loaders.changes import CHANGE, changing, locked_for_reading, mend, mend_beside
from tests.conftest import refused


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "mine"
    (place / "runs").mkdir(parents=True)
    (place / "a.txt").write_text("old a")
    (place / "runs" / "b.txt").write_text("old b")
    (place / "notes.md").write_text("mine")
    return place


def files(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def change(folder: Path) -> None:
    with changing(folder, lambda: [folder / "a.txt", folder / "runs" / "b.txt"]) as filled:
        (filled / "runs").mkdir()
        (filled / "runs" / "b.txt").write_text("new b")
        (filled / "c.txt").write_text("new c")


CHANGED = {"c.txt": "new c", "runs/b.txt": "new b", "notes.md": "mine"}


def test_files_come_and_go_at_once_and_others_stay(folder) -> None:
    before = files(folder)
    with pytest.raises(FileNotFoundError), changing(folder, lambda: [folder / "a.txt"]) as filled:
        (filled / "c.txt").write_text((folder / "nothing").read_text())
    assert files(folder) == before, "what raises changes nothing"
    change(folder)
    assert files(folder) == CHANGED
    assert [path.name for path in folder.parent.iterdir() if path.name != "fairviz-home"] == ["mine"]


def broken_off(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change that was agreed to, and not carried out."""
    with monkeypatch.context() as patch:
        patch.setattr(changes, "_finish_change", lambda _: None)
        change(folder)
    assert (folder / CHANGE).is_dir()
    assert (folder / "a.txt").exists()


def test_a_change_that_was_broken_off_is_carried_out_by_the_next(folder, monkeypatch):
    broken_off(folder, monkeypatch)
    copies = [shutil.copytree(folder, folder.with_name(name)) for name in ("copy", "other", "third")]
    for place in (folder, copies[0], folder):
        mend(place)
        assert files(place) == CHANGED
    # a file that somebody put there since is not removed
    (copies[1] / "a.txt").write_text("by hand")
    mend(copies[1])
    assert files(copies[1]) == CHANGED | {"a.txt": "by hand"}
    (copies[2] / "c.txt").mkdir()
    with refused(
        f"a change to {copies[2]} was broken off and cannot be finished (Is a directory)\n"
        "Make it a folder that you can write, with all that is in it, and open it again."
    ):
        mend(copies[2])


def test_a_change_that_could_not_be_carried_out_is_not_agreed_to(folder):
    (folder / "c.txt").mkdir()
    before = files(folder)
    with pytest.raises(FileExistsError):
        change(folder)
    assert files(folder) == before
    assert not (folder / CHANGE).exists()


def test_one_change_after_another_and_none_while_the_folder_is_read(folder, monkeypatch):
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
    change(folder)
    assert files(folder) == CHANGED


HOLDER = """
import sys
from pathlib import Path
from fairviz.home import new_file, new_folder
with new_folder(Path(sys.argv[1]), ".fairviz-new-"), new_folder(Path(sys.argv[1]).parent, ".mine-new-"):
    with new_file(Path(sys.argv[1], "x.csv")):
        print("ready", flush=True)
        sys.stdin.read()
"""


def hidden(folder: Path) -> list[str]:
    return [path.name for path in (*folder.iterdir(), *folder.parent.iterdir()) if path.name.startswith(".")]


def test_what_a_living_process_is_at_stays_and_what_a_killed_one_left_goes(folder):
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


def test_where_no_folder_can_be_locked_changes_wait_for_one_another(folder, monkeypatch):
    """As on Windows."""
    monkeypatch.setattr(changes, "fcntl", None)
    monkeypatch.setattr(changes, "PATIENCE", 0.02)
    lock, _ = hold(folder)
    with pytest.raises(FairvizError, match="changing or reading"):
        change(folder)
    with locked_for_reading(folder):
        release(lock)
        change(folder)
    assert files(folder) == CHANGED
    assert hidden(folder) == []


def test_the_locks_of_ended_changes_go_and_other_locks_stay(folder):
    (folder.parent / ".mine-new-abcdefgh.lock").touch()
    (folder / f"{UNFINISHED}x.csv-abcdefgh.lock").touch()
    others = [".mine-abcdefgh.lock", ".mine-new-abcdefg1.lock", ".mine-old-abcdefgh.lock"]
    for name in others:
        (folder.parent / name).write_text("mine" if name.endswith("1.lock") else "")
    mend(folder)
    assert sorted(hidden(folder)) == others
    # a file that was left goes with the next of its name
    left = [folder / f"{UNFINISHED}{name}-abcdefgh" for name in ("x[1].csv", "x.csv")]
    for path in left:
        path.write_text("half")
    with new_file(folder / "x[1].csv") as stream:
        stream.write(b"whole")
    assert [path.exists() for path in left] == [False, True]


def test_a_folder_that_stood_aside_is_brought_back_and_what_stands_aside_of_one_in_place_goes(folder):
    before = files(folder)
    for aside in (".mine-old-abcdefgh/mine", ".mine-abcdefg_/before"):
        place = folder.parent / aside
        place.parent.mkdir()
        folder.rename(place)
        mend(folder)
        assert files(folder) == before
        assert hidden(folder) == []
    for name in (".mine-old-abcdefgh", ".mine-new-abcdefgh", ".other-new-abcdefgh", ".mine-new-notours!"):
        (folder.parent / name / "mine").mkdir(parents=True)
    (folder.parent / ".mine-new-abcdefg1").mkdir()
    (folder.parent / ".mine-new-abcdefg1" / "thesis.tex").write_text("mine")
    mend(folder)
    assert sorted(hidden(folder)) == [".mine-new-abcdefg1", ".mine-new-notours!", ".other-new-abcdefgh"]
    (folder.parent / ".other-new-abcdefgh" / "mine").rmdir()
    mend_beside(folder.parent)
    assert sorted(hidden(folder)) == [".mine-new-abcdefg1", ".mine-new-notours!"]
    assert files(folder) == before
