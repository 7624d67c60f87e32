"""The program's own files and data folders, atomic writing of files, and who may write them.

May import errors alone.

An incomplete file has a name that begins with `.fairviz-new-` and is locked by its process. The system releases the
lock when that process ends in any way: an unlocked one is a remainder, and may be removed. On a file system without
locks, nothing counts as a remainder and nothing is removed.
"""

import errno
import glob
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from fairviz.errors import FairvizError

if TYPE_CHECKING:
    from filelock import FileLock

__version__ = "0.1.0"  # read by the build as well
VARIABLE = "FAIRVIZ_HOME"
SHARED = "FAIRVIZ_SHARED"  # a variable of the server: 1 if users of other machines can open the page
LOOPBACK = ("localhost", "127.0.0.1", "::1")
UNFINISHED = ".fairviz-new-"
LOCK = ".lock"  # the ending of the file that locks a path
_MOST_OF_NAME = 200  # bytes of a file's name that its temporary name repeats: names have at most 255
_MOST_TRIES = 50  # of finding an unused name
_MOST_LINKS = 40  # from link to link, as in Linux
_OF_KERNEL = ("/proc/", "/sys/")  # folders without new files
_DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:thread-)?self)/fd/(\d{1,9})")
STUDIES, ADDITIONS = "studies", "additions"  # folders of the data folder
SERVED = "FAIRVIZ_STUDIES"  # a variable of the server: the folder of the studies that it serves
OWN_FILE = "FAIRVIZ_WITH"  # a variable of the app of this machine alone: a file of Python whose measures it takes
GUARDS: list[Callable[[Path], None]] = []  # called with each path before it is written; each may raise FairvizError
BUILTIN_NAMES = ("newswire", "football", "occupations", "traits", "recruitment", "wordings")


def application_folder() -> Path:
    """Return the folder of app.py, pages, data and .streamlit: inside the package in a wheel, else around it."""
    package = Path(__file__).parent.parent
    carried = package / "_app"
    return carried if carried.is_dir() else package.parent


def manual_folder() -> Path | None:
    """Return the folder of the built manual: inside the package in a wheel, else in the checkout; None if missing."""
    package = Path(__file__).parent.parent
    folders = (package / "_manual", package.parent / "docs" / "_build" / "html")
    return next((folder for folder in folders if (folder / "index.html").is_file()), None)


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
    """Return the folder of fetched and saved studies: on a server, the folder that it serves."""
    served = os.environ.get(SERVED, "")
    return Path(served) if served else data_home() / STUDIES


def prompts_folder() -> Path:
    """Return the folder of the user's prompts, a text file each."""
    return data_home() / "prompts"


def vectors_folder() -> Path:
    """Return the folder of fetched word vectors."""
    return data_home() / "vectors"


def additions_key(study: str) -> str:
    """Return the name of the folder of additions to the study of this name."""
    return study.replace(":", "-").replace("/", "-")


def write_whole(path: Path, content: str | bytes, mode: int | None = None) -> None:
    """Write the bytes, or the text as UTF-8, as `new_file` does.

    Raises OSError, and UnicodeEncodeError for half a character; a regular file is then unchanged.
    """
    with new_file(path, mode) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def new_file(path: Path, mode: int | None = None) -> Iterator[BinaryIO]:
    """Yield a file to write. Every file of the program and every output is written here.

    A regular file has a temporary name next to it during the block, when only its owner can open it, and gets its name
    after the block (`put_in_place`); it is removed if the block raises. A link stays and its target is written. A pipe,
    a device, an open descriptor (/dev/stdout) and a file of the kernel are written in place. mode: the file's rights;
    default: those of the file that is replaced, else 0644. Raises OSError, also for a folder, a disk, and a pipe that
    no process reads.
    """
    if (special := _open_in_place(path)) is not None:
        with special:
            yield special
        return
    target = Path(os.path.realpath(path))
    name = os.fsdecode(os.fsencode(target.name)[:_MOST_OF_NAME])
    for remainder in target.parent.glob(f"{UNFINISHED}{glob.escape(name)}-*"):
        remove_left_over(remainder)
    with _new_path(target.parent, f"{UNFINISHED}{name}-") as temporary:
        with open(temporary, "xb", opener=lambda file, flags: os.open(file, flags, 0o600)) as stream:
            yield stream
        put_in_place(temporary, target, mode)


def put_in_place(file: Path, target: Path, mode: int | None = None) -> None:
    """Rename a complete file to `target`, or to the file that a link there leads to.

    It gets the rights and, if the system allows it, the owner of the file that it replaces. mode: other rights. A file
    of another file system is copied next to the target first. Raises OSError.
    """
    target = Path(os.path.realpath(target))
    with suppress(FileNotFoundError):
        replaced = target.stat()
        mode = stat.S_IMODE(replaced.st_mode) if mode is None else mode
        if hasattr(os, "chown"):
            with suppress(PermissionError):
                os.chown(file, replaced.st_uid if os.geteuid() == 0 else -1, replaced.st_gid)
    file.chmod(0o644 if mode is None else mode)
    try:
        os.replace(file, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with file.open("rb") as source, new_file(target, mode) as stream:
            shutil.copyfileobj(source, stream)
            stream.flush()
            os.fsync(stream.fileno())
        file.unlink()


def _open_in_place(path: Path) -> BinaryIO | None:
    """Open what is not a regular file, without waiting; return None for a regular or a missing file. Raises OSError."""
    number = _descriptor(str(path))
    if number is not None:
        return os.fdopen(os.dup(number), "wb")
    try:
        kind = os.stat(path).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if stat.S_ISBLK(kind):
        raise OSError(errno.EINVAL, "it is a disk")
    if stat.S_ISREG(kind) and not os.path.realpath(path).startswith(_OF_KERNEL):
        return None
    for guard in GUARDS:
        guard(path)
    try:
        opened = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno == errno.ENXIO and stat.S_ISFIFO(kind):
            raise OSError(errno.ENXIO, "no process reads this pipe") from error
        raise
    if stat.S_ISFIFO(kind):
        os.set_blocking(opened, True)
    return os.fdopen(opened, "wb")


def _descriptor(path: str) -> int | None:
    """Return the number of the open descriptor that the path names, itself or through links; None for other paths.

    Opening /dev/stdout anew would write at the start of the file that a shell appends to.
    """
    for _ in range(_MOST_LINKS):
        match = _DESCRIPTOR.fullmatch(os.path.abspath(path))
        if match:
            return int(match[1])
        if not os.path.islink(path):
            return None
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    return None


@contextmanager
def new_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a folder to fill, whose name begins with the prefix; it is removed after the block, unless renamed. Raises
    OSError.
    """
    with _new_path(parent, prefix) as folder:
        folder.mkdir(mode=0o700)
        yield folder


@contextmanager
def _new_path(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield an unused path, locked during the block; a file or folder there is removed at its end. Raises what GUARDS
    raise."""
    from secrets import token_hex

    for guard in GUARDS:
        guard(parent / prefix)
    for _ in range(_MOST_TRIES):
        path = parent / f"{prefix}{token_hex(4)}"
        lock, is_free = hold(path)
        if is_free is not False:  # else another process looks whether the new name is a remainder, and has it locked
            break
    else:
        raise OSError(errno.EACCES, f"no file can be made in {parent}")
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        release(lock)


def remove_left_over(path: Path) -> None:
    """Remove a file or folder that no process has locked, if possible, with the file that locked it."""
    path = path.with_name(path.name.removesuffix(LOCK))
    with suppress(OSError):
        lock, is_free = hold(path)
        try:
            if is_free and not path.is_symlink() and (path.is_file() or path.is_dir()):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        finally:
            release(lock)


@contextmanager
def locked(path: Path, error: FairvizError, wait: float = 0.0) -> Iterator[None]:
    """Lock the path during the block. Raises `error` if another process still has it locked after `wait` seconds."""
    lock, is_free = hold(path, wait)
    try:
        if is_free is False:
            raise error
        yield
    finally:
        release(lock)


def hold(path: Path, wait: float = 0.0) -> tuple["FileLock", bool | None]:
    """Lock a path until `release`, or until its process ends; return the lock and whether it was free.

    The locked file is next to the path, which need not exist: Windows can lock no folder, and neither read nor rename a
    locked file. False if another process still has it after `wait` seconds, None if the system or the file system has
    no locks. Raises FileNotFoundError for a path in a folder that does not exist.
    """
    from filelock import FileLock, Timeout

    os.stat(path.parent)  # filelock would make it
    lock = FileLock(f"{path}{LOCK}", timeout=wait, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        return lock, False
    except OSError:
        return lock, None
    return lock, True


def release(lock: "FileLock") -> None:
    """Release a lock from `hold`, and remove its file."""
    if lock.is_locked:
        with suppress(OSError):  # Windows removes no open file; filelock does so there
            os.unlink(lock.lock_file)
        lock.release()
