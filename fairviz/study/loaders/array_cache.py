"""A cache of arrays as `.npy` files in the data folder, mapped on reading: large studies are aligned once.

The SHA-256 of each file is checked on reading, as in the cache of runs. If nothing can be written, arrays are made each
time.
"""

import contextlib
import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.study.loaders.cache_room import SUMS, make_room, touch
from fairviz.study.loaders.hashes import cache_folder

VERSION = 1
LARGE = 1_000_000  # rows whose arrays are worth storing
MOST_BYTES = 8 * 1024**3
Arrays = Mapping[str, np.ndarray]


def stored_arrays(inputs: object, make: Callable[[], Arrays]) -> Arrays:
    """Return the arrays that `make` returns: from the cache if they were made of equal inputs before, then read-only.

    inputs: all that the arrays depend on, with a `repr` that is equal for equal inputs alone.
    """
    key = hashlib.sha256(repr(inputs).encode()).hexdigest()
    try:
        folder = cache_folder() / f"arrays-{VERSION}" / key
    except FairvizError:
        return make()
    cached_arrays = _load(folder)
    if cached_arrays is not None:
        return cached_arrays
    arrays = make()
    with contextlib.suppress(OSError):
        _save(folder, arrays)
        make_room(folder, MOST_BYTES)
    return arrays


def _load(folder: Path) -> Arrays | None:
    """Return the mapped arrays of an entry, None without a sound one."""
    if not folder.is_dir():
        return None
    try:
        sums = json.loads((folder / SUMS).read_bytes())
        for name, checksum in sums.items():
            with (folder / f"{name}.npy").open("rb") as stream:
                if hashlib.file_digest(stream, "sha256").hexdigest() != checksum:
                    raise ValueError("a file is not what was written")
        touch(folder)
        return {name: np.load(folder / f"{name}.npy", mmap_mode="r").view(np.ndarray) for name in sums}
    except (OSError, ValueError, AttributeError):
        shutil.rmtree(folder, ignore_errors=True)
        return None


def _save(folder: Path, arrays: Arrays) -> None:
    """Write an entry under a temporary name until complete. Raises OSError."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".", dir=folder.parent) as temporary:
        unfinished = Path(temporary, folder.name)
        unfinished.mkdir()
        sums = {}
        for name, array in arrays.items():
            np.save(unfinished / f"{name}.npy", array)
            with (unfinished / f"{name}.npy").open("rb") as stream:
                sums[name] = hashlib.file_digest(stream, "sha256").hexdigest()
        (unfinished / SUMS).write_text(json.dumps(sums), encoding="utf-8")
        if not folder.exists():
            unfinished.rename(folder)


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
