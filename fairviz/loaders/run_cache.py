"""A study's parsed runs as Parquet in the data folder, under their files' hashes: a second opening parses nothing.

What cannot be read there is parsed again, and what cannot be written is left: a study opens without the cache.
"""

import contextlib
import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.loaders.categories import categorical
from fairviz.loaders.hashes import SMALL, cache_folder, file_hash
from fairviz.loaders.runs import system_name
from fairviz.tables import RUNS

VERSION = "1"  # of what is written here; another one leaves older files unread
MOST_BYTES = 8 * 1024**3
_CATEGORIES = ("system", "query_id", "doc_id")
_NUMBERS = ("rank", "score")
_ROWS = "rows.parquet"
_PLAIN: dict[str, Any] = {"compression": "lz4", "use_dictionary": False, "write_statistics": False}


def runs_cache() -> Path:
    """The folder of parsed runs, one folder for each study's set of them."""
    return cache_folder() / f"runs-{VERSION}"


def runs_key(paths: Sequence[Path]) -> str:
    """A hash of the names and contents of these run files, in their order; empty where they are too small to cache.

    Raises OSError where a file cannot be read.
    """
    if sum(path.stat().st_size for path in paths) < SMALL:
        return ""
    told = "\n".join(f"{system_name(path)}\0{file_hash(path)}" for path in paths)
    return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()


def load_runs(key: str) -> pd.DataFrame | None:
    """The runs table under this key, or None where there is none that can be read."""
    import pyarrow as pa

    folder = runs_cache() / key
    if not key or not folder.is_dir():
        return None
    try:
        table = _table(folder)
        _touch(folder)
    except (OSError, KeyError, ValueError, pa.ArrowException):
        shutil.rmtree(folder, ignore_errors=True)
        return None
    return table


def _table(folder: Path) -> pd.DataFrame:
    from pyarrow import parquet

    rows = parquet.read_table(folder / _ROWS)
    table: dict[str, Any] = {}
    for name in _CATEGORIES:
        texts = parquet.read_table(folder / f"{name}.parquet")["text"].combine_chunks()
        codes = rows[name].to_numpy()
        if len(codes) and not 0 <= int(codes.min()) <= int(codes.max()) < len(texts):
            raise ValueError(f"{name} has codes without a text")
        table[name] = categorical(codes, texts)
    return pd.DataFrame(table | {name: rows[name].to_numpy() for name in _NUMBERS}, copy=False)


def save_runs(key: str, table: pd.DataFrame) -> None:
    """Keeps the table under this key, written beside its place and renamed when it is whole.

    Tables that were not used for longest make room. Where nothing can be written, nothing is.
    """
    if not key or tuple(table.columns) != RUNS.column_names:
        return
    folder = runs_cache() / key
    with contextlib.suppress(OSError):
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


def _touch(folder: Path) -> None:
    """Notes that the table was used just now."""
    with contextlib.suppress(OSError):
        (folder / _ROWS).touch()


def _make_room(newest: Path) -> None:
    """Removes the tables that were not used for longest, while all together take too much room."""
    kept = [folder for folder in newest.parent.iterdir() if (folder / _ROWS).is_file()]
    total = 0
    for folder in sorted(kept, key=lambda folder: (folder / _ROWS).stat().st_mtime_ns, reverse=True):
        total += sum(file.stat().st_size for file in folder.iterdir())
        if total > MOST_BYTES and folder != newest:
            shutil.rmtree(folder, ignore_errors=True)
