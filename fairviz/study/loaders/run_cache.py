"""A study's parsed runs as Parquet in the data folder, under their files' hashes: a second opening parses nothing.

Each file's SHA-256 lies beside it, and what was read is held against it: what is damaged, or cannot be read, is parsed
again. What cannot be written is left: a study opens without the cache.
"""

import contextlib
import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.study.loaders.categories import categorical
from fairviz.study.loaders.hashes import SMALL, cache_folder
from fairviz.study.loaders.runs import system_name
from fairviz.study.tables import RUNS

VERSION = 2  # of what is written here; what an earlier one wrote is removed
MOST_BYTES = 8 * 1024**3
_CATEGORIES = ("system", "query_id", "doc_id")
_NUMBERS = ("rank", "score")
_ROWS = "rows.parquet"
_FILES = (_ROWS, *(f"{name}.parquet" for name in _CATEGORIES))
_SUMS = "sums.json"
_PLAIN: dict[str, Any] = {"compression": "lz4", "use_dictionary": False, "write_statistics": False}


def runs_cache() -> Path:
    """The folder of parsed runs, one folder for each study's set of them."""
    return cache_folder() / f"runs-{VERSION}"


def is_large(paths: Sequence[Path]) -> bool:
    """Whether these run files are worth a cache. Raises OSError where one cannot be looked at."""
    return sum(path.stat().st_size for path in paths) >= SMALL


def runs_key(hashes: Mapping[Path, str]) -> str:
    """A hash of the names and contents of these run files, in their order, from the hash of each content."""
    told = "\n".join(f"{system_name(path)}\0{content}" for path, content in hashes.items())
    return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()


def load_runs(key: str) -> pd.DataFrame | None:
    """The runs table under this key, or None where there is none that is whole."""
    import pyarrow as pa

    try:
        folder = runs_cache() / key
    except FairvizError:
        return None
    if not folder.is_dir():
        return None
    try:
        table = _table(folder)
        _touch(folder)
    except (OSError, KeyError, ValueError, pa.ArrowException):
        shutil.rmtree(folder, ignore_errors=True)
        return None
    return table


def _table(folder: Path) -> pd.DataFrame:
    """Raises ValueError where a file is not what was written, OSError where one cannot be read."""
    files = {name: (folder / name).read_bytes() for name in _FILES}
    if (folder / _SUMS).read_text(encoding="utf-8") != _sums(folder.name, files):
        raise ValueError("a file is not what was written")
    rows = _parquet(files[_ROWS])
    table: dict[str, Any] = {}
    for name in _CATEGORIES:
        texts = _parquet(files[f"{name}.parquet"])["text"].combine_chunks()
        table[name] = categorical(rows[name].to_numpy(), texts)
    return pd.DataFrame(table | {name: rows[name].to_numpy() for name in _NUMBERS}, copy=False)


def _sums(key: str, files: Mapping[str, bytes]) -> str:
    """The SHA-256 of each file, and the key that they lie under, as text."""
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    return json.dumps({"key": key, **sums}, indent=1, sort_keys=True)


def _parquet(content: bytes) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    return parquet.read_table(pa.BufferReader(content))


def save_runs(key: str, table: pd.DataFrame) -> None:
    """Keeps the table under this key, written beside its place and renamed when it is whole.

    Tables that were not used for longest make room. Where nothing can be written, nothing is.
    """
    if tuple(table.columns) != RUNS.column_names:
        return
    with contextlib.suppress(OSError, FairvizError):
        folder = runs_cache() / key
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=folder.parent) as temporary:
            beside = Path(temporary, key)
            beside.mkdir()
            _write(table, beside)
            if not folder.exists():
                beside.rename(folder)
        _make_room(folder)


def _write(table: pd.DataFrame, folder: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    columns: dict[str, np.ndarray] = {name: table[name].to_numpy() for name in _NUMBERS}
    for name in _CATEGORIES:
        columns[name] = table[name].cat.codes.to_numpy()
        texts = pa.array(table[name].cat.categories.array, type=pa.large_string())
        parquet.write_table(pa.table({"text": texts}), folder / f"{name}.parquet", **_PLAIN)
    parquet.write_table(pa.table(columns), folder / _ROWS, **_PLAIN)
    written = {name: (folder / name).read_bytes() for name in _FILES}
    (folder / _SUMS).write_text(_sums(folder.name, written), encoding="utf-8")


def _touch(folder: Path) -> None:
    """Notes that the table was used just now."""
    with contextlib.suppress(OSError):
        (folder / _ROWS).touch()


def _make_room(newest: Path) -> None:
    """Removes the tables that were not used for longest, while all together take too much room, and what an earlier
    version wrote."""
    for old in range(1, VERSION):
        shutil.rmtree(newest.parent.with_name(f"runs-{old}"), ignore_errors=True)
    kept = [folder for folder in newest.parent.iterdir() if (folder / _ROWS).is_file()]
    total = 0
    for folder in sorted(kept, key=lambda folder: (folder / _ROWS).stat().st_mtime_ns, reverse=True):
        total += sum(file.stat().st_size for file in folder.iterdir())
        if total > MOST_BYTES and folder != newest:
            shutil.rmtree(folder, ignore_errors=True)
