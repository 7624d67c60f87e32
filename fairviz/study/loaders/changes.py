"""Atomic changes to a study folder, even if their process is ended at any time.

New files are written into a folder `.fairviz-new-…` inside the study folder. One rename, to `.fairviz-change`, commits
the change: its files are then moved to their places and replaced files are removed, by this process or, if that was
ended, by the next one that opens or changes the folder. The study folder itself is never moved, nor is any other file
in it: the database of decisions stays where its writers have it open.
"""

import errno
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.home import GUARDS, LOCK, UNFINISHED, locked, new_folder, put_in_place, remove_left_over
from fairviz.study.loaders.hashes import file_hash

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

CHANGE = ".fairviz-change"
PATIENCE = 60.0  # seconds to wait for another process's change
_FILES = "files"
_REPLACED = "replaced.json"
_BESIDE = re.compile(r"\.(?P<name>.+?)-((new|old)-[a-z0-9_]{8}|[a-z0-9_]{8}|new-[a-z0-9_]{8}\.lock)", re.DOTALL)
_ASIDE = "before"  # the place of a replaced folder in earlier versions


def nothing() -> Iterable[Path]:
    """Return no file to remove."""
    return ()


@contextmanager
def changing(folder: Path, replaced: Callable[[], Iterable[Path]] = nothing) -> Iterator[Path]:
    """Yield a folder to fill: after the block its files are in `folder`, and the other files of `replaced()` are
    removed; if the block raises, `folder` is unchanged.

    `folder` need not exist; its parent must. replaced: called while no other process changes the folder. Raises
    OSError, and FairvizError if another change to the folder does not end.
    """
    mend(folder)
    if not folder.exists():
        with new_folder(folder.parent, f".{folder.name}-new-") as unfinished:
            new_content = unfinished / folder.name
            new_content.mkdir()
            yield new_content
            _check(new_content)
            _sync(new_content)
            new_content.rename(folder)  # fails if another process made a folder of that name, unless it is empty
            _sync(folder.parent, deep=False)
        return
    with new_folder(folder, UNFINISHED) as unfinished:
        new_content = unfinished / _FILES
        new_content.mkdir()
        yield new_content
        _check(new_content)
        with _locked(folder):
            _finish_change(folder)
            _check_movable(new_content, folder)
            replaced_names = {path.relative_to(folder) for path in replaced()}
            replaced_contents = [
                (name.as_posix(), _content_hash(folder / name))
                for name in sorted(replaced_names)
                if not (new_content / name).exists()
            ]
            (unfinished / _REPLACED).write_text(json.dumps(replaced_contents), encoding="ascii")
            _sync(unfinished)
            unfinished.rename(folder / CHANGE)
            _finish_change(folder)


def _check(new_content: Path) -> None:
    """Raise what GUARDS raise, now that the new files are there and have a size."""
    for guard in GUARDS:
        guard(new_content)


def _check_movable(new_content: Path, folder: Path) -> None:
    """Raise OSError for a file that cannot be moved to its place."""
    for path in new_content.rglob("*"):
        target = folder / path.relative_to(new_content)
        if target.exists() and path.is_dir() != target.is_dir():
            raise FileExistsError(0, f"{target.name} is {'a folder' if target.is_dir() else 'a file'}")
        if target.is_dir() and not os.access(target, os.W_OK | os.X_OK):
            raise PermissionError(0, f"{target.name} may not be written")


def mend(folder: Path) -> None:
    """Complete a committed change of an ended process, and remove unfinished ones.

    A folder that was moved away and not yet replaced (in earlier versions) is restored. Raises FairvizError if the
    change cannot be completed.
    """
    mend_beside(folder.parent, folder.name)
    try:
        names = os.listdir(folder)
    except OSError:
        return  # its reader reports the error
    if CHANGE in names:
        try:
            with _locked(folder):
                _finish_change(folder)
        except OSError as error:
            raise FairvizError(
                f"a change to {folder} was broken off and cannot be finished ({error.strerror or error})",
                "Make it a folder that you can write, with all that is in it, and open it again.",
            ) from error
    for name in names:
        if name.startswith(UNFINISHED):
            remove_left_over(folder / name)


def mend_beside(parent: Path, name: str = "") -> None:
    """Restore folders (or the one of this name) that were moved aside without a replacement, and remove the remains of
    ended changes.
    """
    try:
        entries = os.listdir(parent)
    except OSError:
        return
    for entry in entries:
        match = _BESIDE.fullmatch(entry)
        if match and name in ("", match["name"]):
            with suppress(OSError):
                _restore(parent / entry, match["name"])


def _restore(unfinished: Path, name: str) -> None:
    if unfinished.suffix == LOCK:
        if not unfinished.with_suffix("").exists() and not unfinished.stat().st_size:
            remove_left_over(unfinished)
        return
    names = set(os.listdir(unfinished))
    if not names <= {name, "raw", _ASIDE}:
        return  # not one of our folders
    folder = unfinished.parent / name
    for old_folder in (unfinished / _ASIDE, *([unfinished / name] if "-old-" in unfinished.name else [])):
        if old_folder.is_dir() and not folder.exists():
            old_folder.rename(folder)  # fails if its process has just put another one in place
    remove_left_over(unfinished)


def _finish_change(folder: Path) -> None:
    """Complete the committed change, if there is one; repeating it has no effect. Raises OSError."""
    change = folder / CHANGE
    if not change.is_dir():
        return
    for path in sorted((change / _FILES).rglob("*")):
        target = folder / path.relative_to(change / _FILES)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        else:
            put_in_place(path, target)
    for name, content in _read_replaced(change / _REPLACED):
        if _content_hash(folder / name) == content:  # not replaced since
            (folder / name).unlink(missing_ok=True)
    _sync(folder, deep=False)
    shutil.rmtree(change)


def _read_replaced(path: Path) -> list[list]:
    """Return the files that the change replaces; none if the list is already removed, after the files."""
    try:
        return json.loads(path.read_text(encoding="ascii"))
    except FileNotFoundError:
        return []


def _content_hash(path: Path) -> str | None:
    """Return the hash of a file's content, which identifies it also in a copy of the folder; None for a missing one."""
    return file_hash(path) if path.is_file() else None


@contextmanager
def locked_for_reading(folder: Path) -> Iterator[None]:
    """Complete pending changes, and let no process change the folder in the block. Raises: see `mend`."""
    while True:
        mend(folder)
        if not folder.is_dir() or not os.access(folder, os.R_OK):
            yield  # its reader reports the error
            return
        with _locked(folder, shared=True):
            if not (folder / CHANGE).exists():  # else a process has just been ended during a change
                yield
                return


@contextmanager
def _locked(folder: Path, *, shared: bool = False) -> Iterator[None]:
    """Let no other process change or, unless shared, read the folder in the block.

    Raises OSError if it cannot be opened, FairvizError after a minute of waiting.
    """
    busy = FairvizError(
        f"another process has been changing or reading {folder} for a minute",
        "Wait until it is done, or end it, and try again.",
    )
    if fcntl is None:  # Windows can lock no folder: there one change waits for another, and readers take no lock
        with nullcontext() if shared else locked(folder, busy, PATIENCE):
            yield
        return
    deadline = time.monotonic() + PATIENCE
    descriptor = os.open(folder, os.O_RDONLY | os.O_NONBLOCK)  # a named pipe would block until there is a writer
    try:
        while not _lock_folder(descriptor, shared):
            if time.monotonic() >= deadline:
                raise busy
            time.sleep(0.01)
        yield
    finally:
        os.close(descriptor)


def _lock_folder(descriptor: int, shared: bool) -> bool:
    """Lock an open folder, also one that may not be written; return whether no other process has it locked."""
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks
    return True


def _sync(folder: Path, deep: bool = True) -> None:
    """Wait until the folder's entries and all in it are on the disk, safe from a loss of power."""
    if os.name == "nt":
        return  # Windows cannot open folders, nor sync files opened for reading
    for path in [folder, *(folder.rglob("*") if deep else ())]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno != errno.EINVAL:  # a file system without this operation for folders
                raise
        finally:
            os.close(descriptor)
