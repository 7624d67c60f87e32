"""Changes to a study folder that happen whole or not at all, whenever the process that makes them is ended.

New files are written into a folder `.fairviz-new-…` inside the study folder. One rename, to `.fairviz-change`, is the
moment from which the change holds: its files are then moved to their places and what they replace is removed, by this
process or, if that was ended, by the next one that opens the folder or changes it. The study folder itself is never
moved, nor is any other file in it: the database of decisions stays where its writers have it open.
"""

import errno
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.home import UNFINISHED, hold, new_folder, release, remove_left_over
from fairviz.study.loaders.hashes import file_hash

CHANGE = ".fairviz-change"
PATIENCE = 60.0  # seconds to wait for another process that carries out its change
_FILES = "files"
_REPLACED = "replaced.json"
_BESIDE = re.compile(r"\.(?P<name>.+?)-((new|old)-)?[a-z0-9_]{8}", re.DOTALL)
_ASIDE = "before"  # where earlier versions put a folder that they fetched again


def nothing() -> Iterable[Path]:
    """No file to remove."""
    return ()


@contextmanager
def changing(folder: Path, replaced: Callable[[], Iterable[Path]] = nothing) -> Iterator[Path]:
    """A folder to fill: where the block ends well its files stand in `folder`, and those of `replaced()` that it does
    not hold are gone; where it raises, `folder` is as it was.

    `folder` need not exist; its parent must. replaced: asked when nobody else changes the folder. Raises OSError, and
    FairvizError where another change to the folder does not come to its end.
    """
    mend(folder)
    if not folder.exists():
        with new_folder(folder.parent, f".{folder.name}-new-") as beside:
            filled = beside / folder.name
            filled.mkdir()
            yield filled
            _to_disk(filled)
            filled.rename(folder)  # refused where somebody made a folder of that name, unless it is empty
            _to_disk(folder.parent, deep=False)
        return
    with new_folder(folder, UNFINISHED) as beside:
        filled = beside / _FILES
        filled.mkdir()
        yield filled
        with _held(folder):
            _finish(folder)
            _check(filled, folder)
            gone = {path.relative_to(folder) for path in replaced()}
            told = [(name.as_posix(), _content(folder / name)) for name in sorted(gone) if not (filled / name).exists()]
            (beside / _REPLACED).write_text(json.dumps(told), encoding="ascii")
            _to_disk(beside)
            beside.rename(folder / CHANGE)
            _finish(folder)


def mend(folder: Path) -> None:
    """Carries out a change that a process agreed to before it was ended, and removes what others left half-done.

    A folder that was taken away and not yet replaced (as earlier versions did) is brought back. Raises FairvizError
    where the change cannot be carried out.
    """
    mend_beside(folder.parent, folder.name)
    try:
        names = os.listdir(folder)
    except OSError:
        return  # reading it says what is wrong
    if CHANGE in names:
        try:
            with _held(folder):
                _finish(folder)
        except OSError as error:
            raise FairvizError(
                f"a change to {folder} was broken off and cannot be finished ({error.strerror or error})",
                "Make it a folder that you can write, with all that is in it, and open it again.",
            ) from error
    for name in names:
        if name.startswith(UNFINISHED):
            remove_left_over(folder / name)


def mend_beside(parent: Path, name: str = "") -> None:
    """Brings back folders (or the one of this name) that stand aside without a successor, and removes what is left of
    changes that nobody makes any more."""
    try:
        entries = os.listdir(parent)
    except OSError:
        return
    for entry in entries:
        found = _BESIDE.fullmatch(entry)
        if found and name in ("", found["name"]):
            with suppress(OSError):
                _mend_one(parent / entry, found["name"])


def _mend_one(beside: Path, name: str) -> None:
    held = set(os.listdir(beside))
    if not held <= {name, "raw", _ASIDE}:
        return  # nothing of ours
    folder = beside.parent / name
    for aside in (beside / _ASIDE, *([beside / name] if "-old-" in beside.name else [])):
        if aside.is_dir() and not folder.exists():
            aside.rename(folder)  # refused where its process has put another one in place just now
    remove_left_over(beside)


def _finish(folder: Path) -> None:
    """Carries out the change that was agreed to, if there is one; again and again gives the same. Raises OSError."""
    change = folder / CHANGE
    if not change.is_dir():
        return
    for path in sorted((change / _FILES).rglob("*")):
        target = folder / path.relative_to(change / _FILES)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        else:
            os.replace(path, target)
    for name, content in _told(change / _REPLACED):
        if _content(folder / name) == content:  # not one that somebody put there since
            (folder / name).unlink(missing_ok=True)
    _to_disk(folder, deep=False)
    shutil.rmtree(change)


def _told(path: Path) -> list[list]:
    """The files that the change replaces; none where that list is gone, which is after they are."""
    try:
        return json.loads(path.read_text(encoding="ascii"))
    except FileNotFoundError:
        return []


def _content(path: Path) -> str | None:
    """What tells a file from another of that name, also in a copy of the folder; None where there is none."""
    return file_hash(path) if path.is_file() else None


def _check(filled: Path, folder: Path) -> None:
    """Raises OSError where a file could not be moved to its place."""
    for path in filled.rglob("*"):
        target = folder / path.relative_to(filled)
        if target.exists() and path.is_dir() != target.is_dir():
            raise FileExistsError(0, f"{target.name} is {'a folder' if target.is_dir() else 'a file'}")
        if target.is_dir() and not os.access(target, os.W_OK | os.X_OK):
            raise PermissionError(0, f"{target.name} may not be written")


@contextmanager
def steady(folder: Path) -> Iterator[None]:
    """The folder, mended, is not changed by anybody while the block reads it. Raises FairvizError as `mend` does."""
    while True:
        mend(folder)
        if not os.access(folder, os.R_OK):
            yield  # reading it says what is wrong
            return
        with _held(folder, shared=True):
            if not (folder / CHANGE).exists():  # else a process was ended in it just now
                yield
                return


@contextmanager
def _held(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Nobody else changes the folder meanwhile nor, unless shared, reads it. Raises OSError where it cannot be opened,
    FairvizError after a minute of waiting."""
    ends = time.monotonic() + PATIENCE
    held, free = hold(folder, shared=shared)
    while free is False and time.monotonic() < ends:
        release(held)
        time.sleep(0.01)
        held, free = hold(folder, shared=shared)
    try:
        if free is False:
            raise FairvizError(
                f"another process has been changing or reading {folder} for a minute",
                "Wait until it is done, or end it, and try again.",
            )
        yield
    finally:
        release(held)


def _to_disk(folder: Path, deep: bool = True) -> None:
    """Waits until the folder's entries, and all in it, are on the disk: a machine that loses power keeps them."""
    if os.name == "nt":
        return  # a folder cannot be opened there, nor a file that is only read be waited for
    for path in [folder, *(folder.rglob("*") if deep else ())]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno != errno.EINVAL:  # a file system that does not know this of folders
                raise
        finally:
            os.close(descriptor)
