"""Files named by a user, and files that only their owner can open.

A pipe blocks its reader until there is a writer, and a device may never end: neither is opened. Whole files are read up
to a limit. Stores of users' entries and of models' answers are private; nothing is changed on systems without group
rights (Windows), nor in files of other users.
"""

import errno
import json
import math
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from fairviz.errors import FairvizError
from fairviz.home import UNFINISHED, data_home, write_whole

MOST_JSON = 32 * 1024**2  # bytes of a card or another small file next to a model
_PIECE = 1 << 20
ENDINGS = ("", "-wal", "-shm", "-journal")  # a database, and the files that SQLite writes next to it
OTHERS = stat.S_IRWXG | stat.S_IRWXO
HAS_RIGHTS = os.name == "posix"


class EndlessError(OSError):
    """A pipe, a socket or a device in the place of a file."""


def check_regular(path: str | Path) -> os.stat_result:
    """Return the status of the file or folder. Raises OSError for a missing one, EndlessError for any other kind.

    For libraries that open a path themselves; otherwise use `open_regular`.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise EndlessError(errno.EINVAL, "it is a pipe or a device")
    return status


def open_regular(path: str | Path) -> BinaryIO:
    """Open the file to read its bytes. Raises OSError, including EndlessError."""
    check_regular(path)
    return Path(path).open("rb")


def read_file(path: str | Path, most: int) -> bytes:
    """Return the content of a file of at most `most` bytes. Raises OSError, also for a longer one."""
    content = bytearray()
    with open_regular(path) as stream:
        while piece := stream.read(_PIECE):  # reading `most` bytes at once would allocate them first
            content += piece
            if len(content) > most:
                raise OSError(errno.EFBIG, f"it is longer than {most:,} bytes")
    return bytes(content)


def check_output(path: str | Path) -> None:
    """Raise FairvizError if no file can have this path: it is a folder, or its folder is missing. For verbs that
    compute for long before they write."""
    with _naming(path):
        target = Path(os.path.realpath(path))
        if Path(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        os.stat(target.parent)


def write_output(path: str | Path, content: str | bytes) -> None:
    """Write a file that a user names, as `fairviz.home.new_file` does. Raises FairvizError."""
    with _naming(path):
        write_whole(Path(path), content)


@contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Convert the errors of writing the file into a FairvizError that names it."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise FairvizError(
            f"{error.object[error.start : error.end]!r} is half a character, which no text file can hold",
            "Take it out of the study first.",
        ) from error
    except (OSError, ValueError) as error:
        remedy = "Name a file in a folder that you can write."
        if isinstance(error, OSError) and error.errno in (errno.EISDIR, errno.ENXIO):
            remedy = "Add the name of a file." if error.errno == errno.EISDIR else "Start its reader first."
        reason = error.strerror if isinstance(error, OSError) else error
        raise FairvizError(f"could not write {path}: {reason or error}", remedy) from error


def parse_json(content: bytes) -> Any:
    """Return the content of the JSON text.

    Raises ValueError, with the reason, for text that is not UTF-8 or not JSON, is nested too deep, or has a number that
    is not finite: Python's own reader accepts NaN, and reads 1e999 as infinity.
    """
    try:
        return json.loads(content.decode(), parse_constant=_refuse_constant, parse_float=_finite_number)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON number")


def _finite_number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is too large for a number")
    return value


def is_utf8(text: str) -> bool:
    """Return whether the text can be written as UTF-8; false for a file's name or argument with other bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def readable_name(path: str) -> str:
    """Return the path as text that UTF-8 can hold: bytes of other encodings become escapes such as \\xff."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def lies_in_home(path: Path) -> bool:
    """Return whether the path is in the data folder; False if FAIRVIZ_HOME is invalid."""
    with suppress(FairvizError):  # realpath takes a link that leads back to itself, where resolve() raises RuntimeError
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(data_home()))
    return False


def make_private(store: Path) -> None:
    """Create the folder (0700) and the file (0600) of an SQLite store, or tighten them.

    SQLite creates the files next to a store with the mode of the store. Raises OSError if the folder cannot be made.
    """
    make_private_folder(store.parent)
    if HAS_RIGHTS and not store.exists():
        with suppress(OSError):  # SQLite reports the reason
            _create_file(store)
    tighten(store)


def _create_file(store: Path) -> None:
    """Create an empty file of mode 0600. Raises OSError, also where the file exists.

    It is closed before it gets its name: closing a file releases SQLite's locks on it in this process.
    """
    handle, name = tempfile.mkstemp(prefix=UNFINISHED, dir=store.parent)
    os.close(handle)
    try:
        os.link(name, store)
    finally:
        os.unlink(name)


def make_private_folder(folder: Path) -> None:
    """Create the folder (0700), and the data folder if it is inside; or tighten it. Raises OSError."""
    if lies_in_home(folder):
        data_home().mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _tighten_folder(folder)


def tighten(store: Path) -> None:
    """Remove the rights of group and others from an SQLite store, the files next to it, and its folder."""
    for ending in ENDINGS:
        _remove_rights(store.with_name(f"{store.name}{ending}"))
    _tighten_folder(store.parent)


def _tighten_folder(folder: Path) -> None:
    """Remove the rights of group and others from a folder of the program: one inside the data folder, or the user's
    data folder. A folder that FAIRVIZ_HOME names keeps its rights, as it may have other content.
    """
    from platformdirs import user_data_path

    if not lies_in_home(folder):
        return
    home, full_path = data_home().resolve(), folder.resolve()
    if full_path != home or home == user_data_path("fairviz", appauthor=False).resolve():
        _remove_rights(full_path)


def _remove_rights(path: Path) -> None:
    with suppress(OSError):
        mode = stat.S_IMODE(path.stat().st_mode)
        if HAS_RIGHTS and mode & OTHERS:
            path.chmod(mode & ~OTHERS)
