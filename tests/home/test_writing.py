"""One writer for every output: through links, in place into what is no regular file, whole and with its rights else."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import fairviz
from fairviz.errors import FairvizError
from fairviz.files import check_output, write_output
from fairviz.home import new_file, put_in_place, write_whole
from fairviz.study.loaders.changes import changing
from tests.conftest import Call

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
