"""A cache of arrays as files in the data folder that are mapped on reading: what costs much to make is made once.

Each array is a file of its bytes. Its size and time are compared when the entry is opened, and the checksum of each
block when the block is first used in a process, so that opening reads nothing. A damaged entry is removed, and what it
held is made anew. The least recently used entries make room for new ones. If nothing can be written, arrays are made
each time.
"""

import hashlib
import json
import shutil
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.lib.mixins import NDArrayOperatorsMixin

from fairviz.errors import FairvizError
from fairviz.installed import read_only
from fairviz.study.loaders.hashes import cache_folder

VERSION = 2  # of the written format; entries of earlier versions are removed
LARGE = 1_000_000  # rows whose arrays are worth storing
MOST_BYTES = 8 * 1024**3
BLOCK = 1 << 22  # bytes under one checksum
SUMS = "sums.json"
EARLIER = ("runs-1", "runs-2", "runs-3", "arrays-1")
Arrays = Mapping[str, np.ndarray]
_CHECKED: dict[tuple[int, ...], np.ndarray] = {}  # by file: which of its blocks were found sound in this process
_LOCK = threading.Lock()


class DamagedError(Exception):
    """A file of an entry is not what was written."""


def stored_folder() -> Path:
    """Return the folder of the entries. Raises FairvizError without a data folder."""
    return cache_folder() / f"arrays-{VERSION}"


def key_of(inputs: object) -> str:
    """Return the name of an entry. inputs: all that it depends on, with a `repr` that is equal for equal inputs
    alone."""
    return hashlib.sha256(repr(inputs).encode("utf-8", "surrogateescape")).hexdigest()


class Entry:
    """The arrays of one entry, each checked before it is handed out. note: what was stored beside them.

    Raises DamagedError, also where it is first read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            content, checksum = json.loads((folder / SUMS).read_bytes())
            if checksum != _text_sum(content):
                raise DamagedError(folder)
            written = json.loads(content)
            if written["key"] != folder.name:
                raise DamagedError(folder)
            self.note: Any = written["note"]
            self._files = {name: self._opened(name, *about) for name, about in written["arrays"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedError(folder) from error

    def _opened(
        self, name: str, kind: str, shape: list[int], seen: list[int], sums: list[int]
    ) -> tuple[np.ndarray, tuple[int, ...], list[int]]:
        """Return a mapped array, the identity of its file and the checksums of its blocks."""
        path = self.folder / f"{name}.bin"
        status = path.stat()
        if [status.st_size, status.st_mtime_ns] != seen:
            raise DamagedError(path)
        dtype, size = np.dtype(kind), int(np.prod(shape, dtype=np.int64))
        if size * dtype.itemsize != status.st_size:
            raise DamagedError(path)
        array = np.memmap(path, dtype=dtype, mode="r", shape=(size,)) if size else np.empty(0, dtype=dtype)
        return read_only(array.view(np.ndarray).reshape(shape)), (status.st_dev, status.st_ino, *seen), sums

    def __getitem__(self, name: str) -> np.ndarray:
        """Return an array, all of it checked."""
        array = self._files[name][0]
        self.check(name, 0, array.nbytes)
        return array

    def names(self) -> list[str]:
        """Return the names of the arrays."""
        return list(self._files)

    def unchecked(self, name: str) -> np.ndarray:
        """Return an array of which nothing was checked; see `check`."""
        return self._files[name][0]

    def check(self, name: str, start: int, end: int) -> None:
        """Check the blocks that hold these bytes of an array, each once in a process."""
        array, identity, sums = self._files[name]
        with _LOCK:
            sound = _CHECKED.setdefault(identity, np.zeros(len(sums), dtype=bool))
        flat = array.reshape(-1).view(np.uint8)
        for block in range(start // BLOCK, -(-end // BLOCK)):
            if not sound[block]:
                if zlib.crc32(flat[block * BLOCK : (block + 1) * BLOCK].data) != sums[block]:
                    raise DamagedError(self.folder / name)
                sound[block] = True


class MappedArray(NDArrayOperatorsMixin):
    """An array of an entry, read-only, of which the blocks of the rows that are asked for are checked. Where one is
    damaged, `make` returns a sound array. What an array can besides, it does after a check of all of it. key: of the
    entry."""

    def __init__(self, entry: Entry, name: str, make: Callable[[], np.ndarray]) -> None:
        self._entry, self._name, self._make, self.key = entry, name, make, entry.folder.name
        self._array = entry.unchecked(name)
        self._is_stored = True
        self.shape, self.dtype, self.size, self.nbytes = (
            self._array.shape, self._array.dtype, self._array.size, self._array.nbytes,
        )  # fmt: skip

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[row] for row in range(len(self)))

    def __getitem__(self, key: Any) -> Any:
        first = key[0] if isinstance(key, tuple) and key else key
        if isinstance(first, slice):
            rows = range(len(self))[first]
            start, end = (min(rows[0], rows[-1]), max(rows[0], rows[-1]) + 1) if len(rows) else (0, 0)
        elif isinstance(first, (int, np.integer)):
            start = int(first) % max(len(self), 1)
            end = start + 1
        else:
            start, end = 0, len(self)
        return self._rows(start, end)[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self._rows(0, len(self)), dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(
            *(np.asarray(one) if isinstance(one, MappedArray) else one for one in inputs), **options
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._rows(0, len(self)), name)

    def _rows(self, start: int, end: int) -> np.ndarray:
        """Return the whole array after a check of these rows."""
        if self._is_stored:
            row = self.nbytes // max(len(self), 1)
            try:
                self._entry.check(self._name, start * row, end * row)
            except DamagedError:
                self._array, self._is_stored = self._make(), False
        return self._array


class StoredArrays(Mapping[str, np.ndarray]):
    """The arrays that `make` returns: from the cache if they were made of equal inputs before, then read-only. Each is
    checked when it is asked for, and a damaged entry is made anew. inputs: see `key_of`."""

    def __init__(self, inputs: object, make: Callable[[], Arrays]) -> None:
        self._inputs, self._make = inputs, make
        self._entry = load(inputs)
        self._made: Arrays = {} if self._entry else self._anew()

    def _anew(self) -> Arrays:
        """Return arrays that were made now, none if they are in the entry from now on."""
        arrays = self._make()
        save(self._inputs, arrays)
        self._entry = load(self._inputs)
        return {} if self._entry else arrays

    def __getitem__(self, name: str) -> np.ndarray:
        while self._entry is not None:
            try:
                return self._entry[name]
            except DamagedError:
                remove(self._entry.folder)
                self._made = self._anew()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entry.names() if self._entry else self._made)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def by_rows(self, name: str) -> Any:
        """Return an array of which only the rows are checked that are asked for: a `MappedArray`."""
        return self[name] if self._entry is None else MappedArray(self._entry, name, lambda: self[name])


def load(inputs: object) -> Entry | None:
    """Return the entry of these inputs, None without a sound one."""
    try:
        folder = stored_folder() / key_of(inputs)
    except FairvizError:
        return None
    if not folder.is_dir():
        return None
    try:
        entry = Entry(folder)
    except DamagedError:
        remove(folder)
        return None
    with suppress(OSError):
        (folder / SUMS).touch()  # it was used now
    return entry


def save(inputs: object, arrays: Arrays, note: Any = None) -> None:
    """Write the arrays as the entry of these inputs, under a temporary name until it is complete, and make room. Errors
    of writing are ignored. note: anything that JSON holds."""
    with suppress(OSError, FairvizError):
        folder = stored_folder() / key_of(inputs)
        with new_entry(folder) as unfinished:
            about = {name: _written(unfinished / f"{name}.bin", array) for name, array in arrays.items()}
            content = json.dumps({"key": folder.name, "note": note, "arrays": about})
            (unfinished / SUMS).write_text(json.dumps([content, _text_sum(content)]), encoding="utf-8")
        _remove_earlier_versions()
        make_room(folder)
        for name, (_, _, seen, sums) in about.items():  # what was written from memory is sound
            status = (folder / f"{name}.bin").stat()
            _CHECKED[status.st_dev, status.st_ino, *seen] = np.ones(len(sums), dtype=bool)


def _written(path: Path, array: np.ndarray) -> tuple[str, list[int], list[int], list[int]]:
    """Write an array, and return its kind, its shape, the size and time of its file and the checksums of its blocks."""
    array = np.ascontiguousarray(array)
    flat = array.reshape(-1).view(np.uint8) if array.size else np.zeros(0, dtype=np.uint8)
    sums = []
    with path.open("wb") as stream:
        for start in range(0, len(flat), BLOCK):
            block = flat[start : start + BLOCK].data
            sums.append(zlib.crc32(block))
            stream.write(block)
    status = path.stat()
    return array.dtype.str, list(array.shape), [status.st_size, status.st_mtime_ns], sums


def _text_sum(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


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


def remove(folder: Path) -> None:
    """Remove an entry."""
    shutil.rmtree(folder, ignore_errors=True)


def make_room(newest: Path) -> None:
    """Remove the least recently used entries beside the newest one beyond the limit. Raises OSError."""
    entries = [folder for folder in newest.parent.iterdir() if (folder / SUMS).is_file()]
    total_bytes = 0
    for folder in sorted(entries, key=lambda folder: (folder / SUMS).stat().st_mtime_ns, reverse=True):
        total_bytes += sum(file.stat().st_size for file in folder.iterdir())
        if total_bytes > MOST_BYTES and folder != newest:
            remove(folder)


def _remove_earlier_versions() -> None:
    for name in EARLIER:
        remove(cache_folder() / name)


# --- Texts as arrays: their bytes, and the offset of each.


def packed_texts(texts: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return texts, an index or an Arrow array, as one array of bytes and the offsets of each (N + 1,)."""
    import pyarrow as pa

    column = texts if isinstance(texts, pa.LargeStringArray) else pa.array(texts, type=pa.large_string())
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    _, offsets, data = column.buffers()
    starts = np.frombuffer(offsets, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    content = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, dtype=np.uint8)
    return content[starts[0] : starts[-1]], starts - starts[0]


def unpacked_texts(content: np.ndarray, offsets: np.ndarray) -> Any:
    """Return the texts that `packed_texts` packed, as an Arrow array over the same bytes."""
    import pyarrow as pa

    return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(content))


def text_index(texts: Any) -> pd.Index:
    """Return Arrow texts as an index, without a copy."""
    return pd.Index(pd.array(texts, dtype="str"))
