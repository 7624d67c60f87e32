"""The program's own files and data folders, and atomic writing of files.

An incomplete file has a name that begins with `.fairviz-new-` and is locked by its process. The system releases the
lock when that process ends in any way: an unlocked one is a remainder, and may be removed. On a system without these
locks (Windows), nothing counts as a remainder and nothing is removed.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from fairviz.errors import FairvizError

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

__version__ = "0.1.0"  # read by the build as well
VARIABLE = "FAIRVIZ_HOME"
SHARED = "FAIRVIZ_SHARED"  # a variable of the server: 1 if users of other machines can open the page
LOOPBACK = ("localhost", "127.0.0.1", "::1")
UNFINISHED = ".fairviz-new-"
_TRIES = 100
BUILTIN_NAMES = ("newswire", "football", "occupations", "traits", "recruitment")


def application_folder() -> Path:
    """Return the folder of app.py, pages, data and .streamlit: inside the package in a wheel, else around it."""
    package = Path(__file__).parent
    carried = package / "_app"
    return carried if carried.is_dir() else package.parent


DATA = application_folder() / "data"
BUILTIN: dict[str, Path] = {name: DATA / name for name in BUILTIN_NAMES}


def data_home() -> Path:
    """Return the folder for fetched and written data: FAIRVIZ_HOME, or else the user's data folder.

    Raises FairvizError if FAIRVIZ_HOME starts in an unknown user's home folder.
    """
    home = os.environ.get(VARIABLE, "").strip()
    if home:
        return expand_path(home, f"{VARIABLE} ")
    from platformdirs import user_data_path

    return user_data_path("fairviz", appauthor=False)


def expand_path(path: str | Path, prefix: str = "") -> Path:
    """Return the path with `~` and `~name` replaced by home folders. Raises FairvizError for an unknown one.

    prefix: the text before the path in the error.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise FairvizError(
            f"{prefix}{str(path)!r} starts in a home folder that there is not", "Write the path in full, without ~."
        ) from error


def is_shared() -> bool:
    """Return whether users of other machines can open the page, so that no visitor may name files or servers."""
    return os.environ.get(SHARED, "") == "1"


def refuse_path(path: str | Path, kind: str, own: Path | None = None) -> None:
    """Raise FairvizError on a shared server, except for paths in the folder `own`: a visitor must not open files by
    path.

    kind: the purpose of the path, such as `prompt`. Nothing is looked up, so the error does not reveal existing files.
    """
    if not is_shared():
        return
    full_path = Path(os.path.abspath(os.path.expanduser(path)))
    if own is None or not full_path.is_relative_to(os.path.abspath(own)):
        raise FairvizError(
            f"there is no {kind} called {str(path)[:200]!r}; others can open this page, so it opens nothing by path",
            "Use a name that the page offers. Paths are for the command line, and fairviz app without --address.",
        )


def named_path(path: str | Path, kind: str, own: Path | None = None) -> Path:
    """Return a path that a user names, with `~` expanded. Raises: see `refuse_path` and `expand_path`."""
    refuse_path(path, kind, own)
    return expand_path(path)


def home_trouble() -> FairvizError | None:
    """Return the error of an unreadable data folder, or None. A missing one is not an error."""
    try:
        home = data_home()
    except FairvizError as error:
        return error
    try:
        os.scandir(home).close()
    except FileNotFoundError:
        return None
    except OSError as error:
        return unreadable(home, error)
    return None


def unreadable(folder: Path, error: OSError) -> FairvizError:
    """Return the error for an unreadable data folder."""
    return FairvizError(
        f"the data folder {folder} cannot be read ({error.strerror})",
        f"Make it a folder that you can read and write, or set {VARIABLE} to one.",
    )


def identity(status: os.stat_result) -> tuple[int, ...]:
    """Return a file's device, inode, size and times: they change with its content, except within a tick of the clock.

    They include the time of change, which no program can set back.
    """
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def studies_folder() -> Path:
    """Return the folder of fetched and saved studies."""
    return data_home() / "studies"


def prompts_folder() -> Path:
    """Return the folder of the user's prompts, a text file each."""
    return data_home() / "prompts"


def vectors_folder() -> Path:
    """Return the folder of fetched word vectors."""
    return data_home() / "vectors"


def additions_folder(name: str) -> Path:
    """Return the study folder of the user's additions to the built-in or packaged study of this name."""
    return data_home() / "additions" / name.replace(":", "-").replace("/", "-")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write the bytes, or the text as UTF-8, under a temporary name next to the file, and rename it when complete.

    Raises OSError, and UnicodeEncodeError for half a character; the file is then unchanged.
    """
    with new_file(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a file to write, which is renamed to `path` after the block and removed if it raises. Raises OSError."""
    for remainder in path.parent.glob(f"{UNFINISHED}{_escape_glob(path.name)}-*"):
        remove_left_over(remainder)

    def make() -> Path:
        handle, name = tempfile.mkstemp(prefix=f"{UNFINISHED}{path.name}-", dir=path.parent)
        os.close(handle)
        return Path(name)

    temporary, lock = _claim(make)
    try:
        with temporary.open("wb") as stream:
            yield stream
        temporary.chmod(0o644)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    finally:
        release(lock)


@contextmanager
def new_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a folder to fill, whose name begins with the prefix; it is removed after the block, unless renamed. Raises
    OSError.
    """
    folder, lock = _claim(lambda: Path(tempfile.mkdtemp(prefix=prefix, dir=parent)))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        release(lock)


def _claim(make: Callable[[], Path]) -> tuple[Path, int | None]:
    """Return the path from `make` and its lock; repeat if another process removed the path before it was locked."""
    for _ in range(_TRIES):
        path = make()
        try:
            lock, is_free = hold(path)
        except FileNotFoundError:
            continue
        if is_free is not False and _is_locked_path(path, lock):
            return path, lock
        release(lock)
    raise BlockingIOError(0, "a temporary file is removed again and again")


def remove_left_over(path: Path) -> None:
    """Remove a file or folder that no process has locked, if possible."""
    with suppress(OSError):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            return
        lock, is_free = hold(path)
        try:
            if is_free:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        finally:
            release(lock)


def hold(path: Path, *, shared: bool = False) -> tuple[int | None, bool | None]:
    """Lock the file or folder until `release`, or until its process ends; return the lock and whether it was free.

    False if another process has it, None if the system or the file system has no locks. Raises OSError. shared: a lock
    that others can share.
    """
    if fcntl is None:
        return None, None
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a named pipe would block until there is a writer
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return descriptor, False
    except OSError:
        return descriptor, None
    return descriptor, True


def release(lock: int | None) -> None:
    """Release a lock from `hold`."""
    if lock is not None:
        os.close(lock)


def _is_locked_path(path: Path, lock: int | None) -> bool:
    """Return whether the path is still that of the locked file."""
    try:
        return lock is None or os.path.samestat(os.fstat(lock), path.stat())
    except FileNotFoundError:
        return False


def _escape_glob(name: str) -> str:
    """Return the name as a glob pattern that matches only itself."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
