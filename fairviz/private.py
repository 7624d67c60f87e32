"""Files and folders that only their owner can open: stores of users' entries and of models' answers.

Nothing is changed on systems without group rights (Windows), nor in files of other users.
"""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from fairviz.errors import FairvizError
from fairviz.home import UNFINISHED, data_home

ENDINGS = ("", "-wal", "-shm", "-journal")  # a database, and the files that SQLite writes next to it
OTHERS = stat.S_IRWXG | stat.S_IRWXO
HAS_RIGHTS = os.name == "posix"


def lies_in_home(path: Path) -> bool:
    """Return whether the path is in the data folder; False if FAIRVIZ_HOME is invalid."""
    with suppress(FairvizError):
        return path.resolve().is_relative_to(data_home().resolve())
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


def _create_file(store: Path) -> None:
    """Create an empty file of mode 0600 unless it exists. Raises OSError.

    It is closed before it gets its name: closing a file releases SQLite's locks on it in this process.
    """
    handle, name = tempfile.mkstemp(prefix=UNFINISHED, dir=store.parent)
    os.close(handle)
    try:
        os.link(name, store)
    finally:
        os.unlink(name)


def _tighten_folder(folder: Path) -> None:
    """Remove the rights of group and others from a folder of the program: one inside the data folder, or the user's
    data folder. A folder that FAIRVIZ_HOME names keeps its rights, as it may have other content.
    """
    from platformdirs import user_data_path

    if not lies_in_home(folder):
        return
    user_folder, home, full_path = (
        user_data_path("fairviz", appauthor=False).resolve(),
        data_home().resolve(),
        folder.resolve(),
    )
    if full_path != home or home == user_folder:
        _remove_rights(full_path)


def _remove_rights(path: Path) -> None:
    if not HAS_RIGHTS:
        return
    with suppress(OSError):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & OTHERS:
            path.chmod(mode & ~OTHERS)
