"""The SHA-256 of files: of the bytes that loaders read, and of a file's present content.

The latter is cached as long as the file is visibly unchanged.
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
from typing import Any, BinaryIO, NamedTuple

from fairviz.errors import FairvizError
from fairviz.files import open_regular
from fairviz.home import data_home, identity, write_whole

SMALL = 1 << 18
_PIECE = 1 << 20
_SETTLED = 2_000_000_000  # nanoseconds: longer than a tick of any file system's clock
_HASHES: ContextVar[dict[Path, str] | None] = ContextVar("hashes", default=None)


def cache_folder() -> Path:
    """Return the folder of everything that can be computed again. Raises FairvizError without a data folder."""
    return data_home() / "cache"


class Look(NamedTuple):
    """The state of a file at one time. settled: it was unchanged for two seconds, so that any later change shows in its
    identity; a change within one tick of the clock does not.
    """

    identity: tuple[int, ...]
    settled: bool


def look(path: Path) -> Look:
    """Return the present state of the file. Raises OSError for a missing one."""
    now = time.time_ns()  # before the look: later changes are not settled
    status = path.stat()
    return Look(identity(status), now - max(status.st_mtime_ns, status.st_ctime_ns) > _SETTLED)


@contextmanager
def record_hashes() -> Iterator[dict[Path, str]]:
    """Yield the SHA-256 of the bytes that loaders read in the block, by path; the last reading counts.

    A hash computed from the file afterwards may be that of another content.
    """
    hashes: dict[Path, str] = {}
    token = _HASHES.set(hashes)
    try:
        yield hashes
    finally:
        _HASHES.reset(token)


class HashedFile:
    """A file that is hashed while it is read, also piece by piece from another thread.

    It ends at its length on opening: a file that grows as fast as it is read would have no end.
    """

    def __init__(self, path: Path) -> None:
        """Open the file. Raises OSError."""
        self._path = path
        self._stream: BinaryIO = open_regular(path)
        status = os.fstat(self._stream.fileno())
        self._left = status.st_size if stat.S_ISREG(status.st_mode) and status.st_size else sys.maxsize
        self._hash = hashlib.sha256()
        self._lock = Lock()  # a file closed in the middle of a read could return bytes of the next opened one

    def __enter__(self) -> "HashedFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, none at the end or if closed."""
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
        """True after `close`."""
        return self._stream.closed

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._stream.close()

    @property
    def sha256(self) -> str:
        """The hash of the bytes read so far, in hexadecimal."""
        return self._hash.hexdigest()

    def record(self) -> None:
        """Record the hash of the bytes read, after the last one, in the thread of `record_hashes`."""
        if (hashes := _HASHES.get()) is not None:
            hashes[self._path] = self.sha256


def read_and_hash(path: Path) -> bytes:
    """Return the content of the file and record its hash. Raises OSError."""
    with HashedFile(path) as file:
        data = file.read()
        file.record()
    return data


def file_hash(path: Path) -> str:
    """Return the SHA-256 of the content, in hexadecimal. Raises OSError for an unreadable file.

    For files of 256 kB or more it is cached with their device, inode, size and times, as in git, and computed again if
    any of them differs. It is not cached for a file that changed within two seconds before the look, or during the
    reading.
    """
    state = look(path)
    if (known := known_hash(path)) is not None:
        return known
    sha256 = present_hash(path)
    remember_hash(path, state, sha256)
    return sha256


def known_hash(path: Path) -> str | None:
    """Return the cached hash of a file that is visibly unchanged, None without one. Raises OSError."""
    if path.stat().st_size < SMALL or (place := _cache_path(path)) is None:
        return None
    cached = _read_cached(place)
    is_same = cached.get("seen") == list(look(path).identity) and isinstance(cached.get("sha256"), str)
    return cached["sha256"] if is_same else None


def remember_hash(path: Path, state: Look, sha256: str) -> None:
    """Cache the hash of a large file. state: before its content was read. Raises OSError for a missing file."""
    place = _cache_path(path) if path.stat().st_size >= SMALL else None
    if place is not None and state.settled and look(path) == state:
        with suppress(OSError):  # the cache is optional
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, json.dumps({"seen": state.identity, "sha256": sha256}))


def _cache_path(path: Path) -> Path | None:
    """Return the path of the file's cached hash; None without a data folder."""
    try:
        return cache_folder() / "hashes" / f"{hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]}.json"
    except (FairvizError, OSError):
        return None


def _read_cached(place: Path) -> dict[str, Any]:
    """Return the cached entry, `seen` and `sha256`; empty without a sound one."""
    try:
        entry = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return {}
    return entry if isinstance(entry, dict) else {}


def present_hash(path: Path) -> str:
    """Return the SHA-256 of the bytes that the disk returns now, in hexadecimal. Raises OSError."""
    with HashedFile(path) as file:
        while file.read(_PIECE):
            pass
        return file.sha256
