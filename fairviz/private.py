"""Files and folders that only their owner can open: stores of what people entered, and of what models answered.

Nothing is changed on systems without rights of group and others (Windows), nor in files of other users.
"""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.home import UNFINISHED, data_home

ENDINGS = ("", "-wal", "-shm", "-journal")  # a database, and the files that SQLite writes beside it
OTHERS = stat.S_IRWXG | stat.S_IRWXO
HAS_RIGHTS = os.name == "posix"


def lies_in_home(path: Path) -> bool:
    """Return whether the path is in the data folder; False where FAIRVIZ_HOME names no folder."""
    with suppress(FairvizError):
        return path.resolve().is_relative_to(data_home().resolve())
    return False


def make_private(store: Path) -> None:
    """Create the folder (0700) and the file (0600) of an SQLite store, or tighten them.

    SQLite gives the files beside a store the mode of the store. Raises OSError where the folder cannot be made.
    """
    make_private_folder(store.parent)
    if HAS_RIGHTS and not store.exists():
        with suppress(OSError):  # SQLite reports the reason
            _create_file(store)
    tighten(store)


def make_private_folder(folder: Path) -> None:
    """Create the folder (0700), and the data folder where the folder lies in it; or tighten it. Raises OSError."""
    if lies_in_home(folder):
        data_home().mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _tighten_folder(folder)


def tighten(store: Path) -> None:
    """Take the rights of group and others from an SQLite store, the files beside it, and its folder."""
    for ending in ENDINGS:
        _take_rights(store.with_name(f"{store.name}{ending}"))
    _tighten_folder(store.parent)


def _create_file(store: Path) -> None:
    """Create an empty file of mode 0600 unless there is one. Raises OSError.

    It is closed before it gets its name: to close a file releases the locks that SQLite has on it in this process.
    """
    handle, name = tempfile.mkstemp(prefix=UNFINISHED, dir=store.parent)
    os.close(handle)
    try:
        os.link(name, store)
    finally:
        os.unlink(name)


def _tighten_folder(folder: Path) -> None:
    """Take the rights of group and others from a folder of the program's own: one inside the data folder, or the data
    folder of the user. A folder that FAIRVIZ_HOME names keeps its rights, as it may hold other things too."""
    from platformdirs import user_data_path

    if not lies_in_home(folder):
        return
    users, home, whole = user_data_path("fairviz", appauthor=False).resolve(), data_home().resolve(), folder.resolve()
    if whole != home or home == users:
        _take_rights(whole)


def _take_rights(path: Path) -> None:
    if not HAS_RIGHTS:
        return
    with suppress(OSError):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & OTHERS:
            path.chmod(mode & ~OTHERS)
