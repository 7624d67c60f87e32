"""The SHA-256 of files: of the bytes that loaders read, and of a file's present content.

The latter is cached as long as the file is visibly unchanged.
"""

import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.files import open_regular
from fairviz.home import data_home, identity, write_whole

SMALL = 1 << 18
_PIECE = 1 << 20
_SETTLED = 2_000_000_000  # nanoseconds: longer than a tick of any file system's clock
_HASHES: ContextVar[dict[Path, str] | None] = ContextVar("hashes", default=None)
SUMS = "sums.json"  # of a whole entry: the SHA-256 of its files
VERSION = 1
LARGE = 1_000_000  # rows whose arrays are worth storing
MOST_BYTES = 8 * 1024**3
Arrays = Mapping[str, np.ndarray]


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
    if path.stat().st_size < SMALL:
        return present_hash(path)
    place = _cache_path(path)
    cached = {} if place is None else _read_cached(place)
    if cached.get("seen") == list(state.identity) and isinstance(cached.get("sha256"), str):
        return cached["sha256"]
    sha256 = present_hash(path)
    if place is not None and state.settled and look(path) == state:
        with suppress(OSError):  # the cache is optional
            place.parent.mkdir(parents=True, exist_ok=True)
            write_whole(place, json.dumps({"seen": state.identity, "sha256": sha256}))
    return sha256


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


# --- A cache whose entries are folders: the least recently used ones are removed.


@contextmanager
def new_entry(folder: Path) -> Iterator[Path]:
    """Yield an empty folder, which becomes the entry, unless another process made it, at the end of the block. Raises
    OSError.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".", dir=folder.parent) as temporary:
        unfinished = Path(temporary, folder.name)
        unfinished.mkdir()
        yield unfinished
        if not folder.exists():
            unfinished.rename(folder)


def touch(folder: Path) -> None:
    """Record that the entry was just used."""
    with suppress(OSError):
        (folder / SUMS).touch()


def make_room(newest: Path, most_bytes: int) -> None:
    """Remove the least recently used entries beside the newest one beyond the limit. Raises OSError."""
    entries = [folder for folder in newest.parent.iterdir() if (folder / SUMS).is_file()]
    total_bytes = 0
    for folder in sorted(entries, key=lambda folder: (folder / SUMS).stat().st_mtime_ns, reverse=True):
        total_bytes += sum(file.stat().st_size for file in folder.iterdir())
        if total_bytes > most_bytes and folder != newest:
            shutil.rmtree(folder, ignore_errors=True)


# --- A cache of arrays as `.npy` files in the data folder, mapped on reading: large studies are aligned once. The
# SHA-256 of each file is checked on reading, as in the cache of runs. If nothing can be written, arrays are made
# each time.


def stored_arrays(inputs: object, make: Callable[[], Arrays]) -> Arrays:
    """Return the arrays that `make` returns: from the cache if they were made of equal inputs before, then read-only.

    inputs: all that the arrays depend on, with a `repr` that is equal for equal inputs alone.
    """
    key = hashlib.sha256(repr(inputs).encode()).hexdigest()
    try:
        folder = cache_folder() / f"arrays-{VERSION}" / key
    except FairvizError:
        return make()
    stored = _load_arrays(folder)
    if stored is not None:
        return stored
    arrays = make()
    with suppress(OSError):
        _save_arrays(folder, arrays)
        make_room(folder, MOST_BYTES)
    return arrays


def _load_arrays(folder: Path) -> Arrays | None:
    """Return the mapped arrays of an entry, None without a sound one."""
    if not folder.is_dir():
        return None
    try:
        sums = json.loads((folder / SUMS).read_bytes())
        if any(_array_hash(folder, name) != checksum for name, checksum in sums.items()):
            raise ValueError("a file is not what was written")
        touch(folder)
        return {name: np.load(folder / f"{name}.npy", mmap_mode="r").view(np.ndarray) for name in sums}
    except (OSError, ValueError, AttributeError):
        shutil.rmtree(folder, ignore_errors=True)
        return None


def _save_arrays(folder: Path, arrays: Arrays) -> None:
    """Write the arrays as an entry. Raises OSError."""
    with new_entry(folder) as unfinished:
        for name, array in arrays.items():
            np.save(unfinished / f"{name}.npy", array)
        sums = {name: _array_hash(unfinished, name) for name in arrays}
        (unfinished / SUMS).write_text(json.dumps(sums), encoding="utf-8")


def _array_hash(folder: Path, name: str) -> str:
    with (folder / f"{name}.npy").open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def packed_texts(texts: pd.Index) -> tuple[np.ndarray, np.ndarray]:
    """Return texts as one array of bytes and the offsets of each (N + 1,)."""
    import pyarrow as pa

    column = pa.array(texts, type=pa.large_string())
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    _, offsets, data = column.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    content = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, dtype=np.uint8)
    return content[starts[0] : starts[-1]], starts - starts[0]


def unpacked_texts(content: np.ndarray, offsets: np.ndarray) -> pd.Index:
    """Return the texts that `packed_texts` packed."""
    import pyarrow as pa

    column = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(content))
    return pd.Index(pd.array(column, dtype="str"))
