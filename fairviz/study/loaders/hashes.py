"""The SHA-256 of files: of the bytes that loaders read, as they read them, and of a file as it lies on the disk.

The latter is remembered as long as the file is visibly the same.
"""

import hashlib
import json
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from threading import Lock
from typing import BinaryIO, NamedTuple

from fairviz.errors import FairvizError
from fairviz.files import open_regular
from fairviz.home import data_home, identity, write_whole

SMALL = 1 << 18
_PIECE = 1 << 20
_SETTLED = 2_000_000_000  # nanoseconds: longer than a tick of any file system's clock
_HEARD: ContextVar[dict[Path, str] | None] = ContextVar("heard", default=None)


def cache_folder() -> Path:
    """Where lies what can be made again. Raises FairvizError where the data folder has no place."""
    return data_home() / "cache"


class Look(NamedTuple):
    """A file as it was seen. settled: it had not been changed for two seconds, so that any change from then on shows
    in its identity; a change within one tick of the clock does not."""

    identity: tuple[int, ...]
    settled: bool


def look(path: Path) -> Look:
    """The file as it is now. Raises OSError where there is none."""
    now = time.time_ns()  # before the file is looked at: what happens after it is not settled
    about = path.stat()
    return Look(identity(about), now - max(about.st_mtime_ns, about.st_ctime_ns) > _SETTLED)


@contextmanager
def hearing() -> Iterator[dict[Path, str]]:
    """The SHA-256 of what loaders read meanwhile, by path: of the bytes that they were given, the last reading counts.

    A hash that is taken from the file afterwards may be that of another content.
    """
    heard: dict[Path, str] = {}
    token = _HEARD.set(heard)
    try:
        yield heard
    finally:
        _HEARD.reset(token)


class HeardFile:
    """A file that is hashed as it is read, also for a reader that takes it piece by piece from another thread.

    It ends where it ended when it was opened: one that grows as fast as it is read would have no end.
    """

    def __init__(self, path: Path) -> None:
        """Opens the file. Raises OSError."""
        self._path = path
        self._stream: BinaryIO = open_regular(path)
        about = os.fstat(self._stream.fileno())
        self._left = about.st_size if stat.S_ISREG(about.st_mode) and about.st_size else sys.maxsize
        self._hash = hashlib.sha256()
        self._lock = Lock()  # a file that is closed in the middle of a read could give the bytes of the next one opened

    def __enter__(self) -> "HeardFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, size: int = -1) -> bytes:
        """The next bytes, none at the end and where it is closed."""
        with self._lock:
            if self.closed:
                return b""
            size = self._left if size < 0 else min(size, self._left)
            data = self._stream.read(-1 if size == sys.maxsize else size)
            self._left -= len(data)
            self._hash.update(data)
        return data

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._stream.closed

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._stream.close()

    @property
    def sha256(self) -> str:
        """The hash of what was read so far, in hexadecimal."""
        return self._hash.hexdigest()

    def note(self) -> None:
        """Tells who listens, from the thread that listens, what was read: call it when the file was read to its end."""
        heard = _HEARD.get()
        if heard is not None:
            heard[self._path] = self.sha256


def read_heard(path: Path) -> bytes:
    """The content of the file, whose hash is told to who listens. Raises OSError."""
    with HeardFile(path) as file:
        data = file.read()
        file.note()
    return data


def file_hash(path: Path) -> str:
    """The SHA-256 of the content, in hexadecimal. Raises OSError where the file cannot be read.

    Of files of 256 kB or more it is remembered with their device, inode, size and times, as git does: it is computed
    anew where any of them differs. It is not remembered where the file was changed within two seconds before it was
    looked at, or while it was read.
    """
    seen = look(path)
    if path.stat().st_size < SMALL:
        return _computed(path)
    place = _place(path)
    known = _remembered(place)
    if known.get("seen") == list(seen.identity) and isinstance(known.get("sha256"), str):
        return known["sha256"]
    found = _computed(path)
    if place is not None and seen.settled and look(path) == seen:
        with suppress(OSError):  # nothing depends on it
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, json.dumps({"seen": seen.identity, "sha256": found}))
    return found


def _computed(path: Path) -> str:
    with HeardFile(path) as file:
        while file.read(_PIECE):
            pass
        return file.sha256


def _place(path: Path) -> Path | None:
    """Where the file's hash is remembered; None where the data folder has no place."""
    with suppress(FairvizError):
        return cache_folder() / "hashes" / f"{hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]}.json"
    return None


def _remembered(place: Path | None) -> dict:
    try:
        found = json.loads(place.read_bytes()) if place is not None else {}
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
