"""Where the program's own files and data lie, and files written whole.

What is not whole yet has a name that begins with `.fairviz-new-` and is locked by the process that fills it. The system
lets go of the lock when that process ends, however it ends: what nobody holds is left over, and may be removed. Where
the system has no such locks (Windows), nothing is told to be left over and nothing is removed.
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

VARIABLE = "FAIRVIZ_HOME"
SHARED = "FAIRVIZ_SHARED"  # a variable of the server: 1 where others than this machine's people can open the page
LOOPBACK = ("localhost", "127.0.0.1", "::1")
UNFINISHED = ".fairviz-new-"
_TRIES = 100
BUILTIN_NAMES = ("newswire", "football", "occupations", "traits", "recruitment")


def application_folder() -> Path:
    """Where app.py, pages, data and .streamlit lie: inside the package where a wheel put them, else around it."""
    package = Path(__file__).parent
    carried = package / "_app"
    return carried if carried.is_dir() else package.parent


DATA = application_folder() / "data"
BUILTIN: dict[str, Path] = {name: DATA / name for name in BUILTIN_NAMES}


def data_home() -> Path:
    """The folder for what the program fetches or writes: FAIRVIZ_HOME, or else the user's data folder.

    Raises FairvizError where FAIRVIZ_HOME starts in the home folder of nobody.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if given:
        return expanded(given, f"{VARIABLE} ")
    from platformdirs import user_data_path

    return user_data_path("fairviz", appauthor=False)


def expanded(path: str | Path, what: str = "") -> Path:
    """The path with `~` and `~name` as the home folders they stand for. Raises FairvizError where there is none.

    what: named before the path where it is wrong.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise FairvizError(
            f"{what}{str(path)!r} starts in a home folder that there is not", "Write the path in full, without ~."
        ) from error


def is_shared() -> bool:
    """Whether others than this machine's people can open the page, so that no visitor may name files or servers."""
    return os.environ.get(SHARED, "") == "1"


def refuse_path(path: str | Path, what: str, own: Path | None = None) -> None:
    """Raises FairvizError where others can open the page, but for what lies in the folder `own`: a visitor has no file
    or folder of this machine opened by its path. what: what it is to be, such as `prompt`. Nothing is looked up, so
    that the error does not tell what there is."""
    if not is_shared():
        return
    whole = Path(os.path.abspath(os.path.expanduser(path)))
    if own is None or not whole.is_relative_to(os.path.abspath(own)):
        raise FairvizError(
            f"there is no {what} called {str(path)[:200]!r}; others can open this page, so it opens nothing by path",
            "Use a name that the page offers. Paths are for the command line, and fairviz app without --address.",
        )


def named_path(path: str | Path, what: str, own: Path | None = None) -> Path:
    """The file or folder that somebody names, `~` expanded. Raises FairvizError as refuse_path and expanded."""
    refuse_path(path, what, own)
    return expanded(path)


def home_trouble() -> FairvizError | None:
    """What keeps the data folder from being read; None where nothing does. One that is not there yet is no trouble."""
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
    """The error for a folder of the program's own that cannot be read."""
    return FairvizError(
        f"the data folder {folder} cannot be read ({error.strerror})",
        f"Make it a folder that you can read and write, or set {VARIABLE} to one.",
    )


def identity(about: os.stat_result) -> tuple[int, ...]:
    """What a file's device, inode, size and times are: they change with its content, save within a tick of the clock.

    The time of change is among them, which no program can set back.
    """
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def studies_folder() -> Path:
    """Where fetched and saved studies lie."""
    return data_home() / "studies"


def prompts_folder() -> Path:
    """Where lie the prompts that a person wrote, a text file each."""
    return data_home() / "prompts"


def vectors_folder() -> Path:
    """Where fetched word vectors lie."""
    return data_home() / "vectors"


def additions_folder(name: str) -> Path:
    """Where lies what a person added to the built-in (or packaged) study of this name: a study folder of its own."""
    return data_home() / "additions" / name.replace(":", "-").replace("/", "-")


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes the bytes, or the text as UTF-8, under a temporary name beside the file and renames it when it is whole.

    Raises OSError, and UnicodeEncodeError for half a character; then the file is as it was."""
    with new_file(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which gets its name where the block ends well and is gone where it raises. Raises OSError."""
    for left in path.parent.glob(f"{UNFINISHED}{_literal(path.name)}-*"):
        remove_left_over(left)

    def make() -> Path:
        handle, name = tempfile.mkstemp(prefix=f"{UNFINISHED}{path.name}-", dir=path.parent)
        os.close(handle)
        return Path(name)

    temporary, held = _claimed(make)
    try:
        with temporary.open("wb") as stream:
            yield stream
        temporary.chmod(0o644)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    finally:
        release(held)


@contextmanager
def new_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A folder to fill, whose name begins with the prefix; it is gone when the block ends, unless it was renamed.
    Raises OSError."""
    folder, held = _claimed(lambda: Path(tempfile.mkdtemp(prefix=prefix, dir=parent)))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        release(held)


def _claimed(make: Callable[[], Path]) -> tuple[Path, int | None]:
    """What `make` made, and what holds it; made again where somebody took it for left over before it was held."""
    for _ in range(_TRIES):
        path = make()
        try:
            held, free = hold(path)
        except FileNotFoundError:
            continue
        if free is not False and _is_there(path, held):
            return path, held
        release(held)
    raise BlockingIOError(0, "a temporary file is removed again and again")


def remove_left_over(path: Path) -> None:
    """Removes a file or folder that no process holds; what cannot be removed stays."""
    with suppress(OSError):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            return
        held, free = hold(path)
        try:
            if free:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        finally:
            release(held)


def hold(path: Path, *, shared: bool = False) -> tuple[int | None, bool | None]:
    """What holds the file or folder until `release`, or until its process ends, and whether it does: False where
    another process holds it, None where the system or the file system cannot tell. Raises OSError.

    shared: beside others who hold it so."""
    if fcntl is None:
        return None, None
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a named pipe would wait for its writer
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return descriptor, False
    except OSError:
        return descriptor, None
    return descriptor, True


def release(held: int | None) -> None:
    """Lets go of what `hold` gave."""
    if held is not None:
        os.close(held)


def _is_there(path: Path, held: int | None) -> bool:
    """Whether the path still names what is held."""
    try:
        return held is None or os.path.samestat(os.fstat(held), path.stat())
    except FileNotFoundError:
        return False


def _literal(name: str) -> str:
    """The name as a pattern of glob that only it fulfils."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)
