"""Where the program's own files lie, in a checkout and beside an installed package; files are written whole or not
at all."""

import subprocess
import sys
from pathlib import Path

import pytest

from fairviz import home
from fairviz.errors import FairvizError
from fairviz.home import LOCK, hold, locked, new_folder, release, remove_left_over, write_whole
from tests.conftest import ROOT


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
    looked_at, _ = home.hold(tmp_path / f"{home.UNFINISHED}file-aaaaaaaa")
    with home.new_file(tmp_path / "file") as stream:
        assert stream.name.endswith("file-bbbbbbbb")
        home.remove_left_over(Path(stream.name))
        stream.write(b"whole")
    home.release(looked_at)
    assert (tmp_path / "file").read_bytes() == b"whole"
