"""A cache of parsed runs as Parquet in the data folder, by their files' hashes: a second opening parses nothing.

Each file's SHA-256 is stored next to it and checked on reading: a damaged or unreadable entry is parsed again. If
nothing can be written, a study opens without the cache.
"""

import contextlib
import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.study.loaders import system_of
from fairviz.study.loaders.hashes import SMALL, SUMS, cache_folder, make_room, new_entry, touch
from fairviz.study.loaders.runs import categorical
from fairviz.study.tables import RUNS

VERSION = 3  # of the written format; files of earlier versions are removed
MOST_BYTES = 8 * 1024**3
_CATEGORIES = ("system", "query_id", "doc_id")
_NUMBERS = ("rank", "score")
_ROWS = "rows.parquet"
_NOTICES = "notices.json"  # sentences of the readers, a list
_FILES = (_ROWS, *(f"{name}.parquet" for name in _CATEGORIES), _NOTICES)
_PLAIN: dict[str, Any] = {"compression": "lz4", "use_dictionary": False, "write_statistics": False}


def runs_cache() -> Path:
    """Return the folder of parsed runs, with one folder for each set of run files."""
    return cache_folder() / f"runs-{VERSION}"


def is_large(paths: Sequence[Path]) -> bool:
    """Return whether these run files are worth a cache. Raises OSError."""
    return sum(path.stat().st_size for path in paths) >= SMALL


def runs_key(hashes: Mapping[Path, str], names: Mapping[Path, str] | None = None) -> str:
    """Return a hash of the names and contents of these run files, in their order, from their content hashes.

    names: of the run in each file, by default those of their systems.
    """
    names = names or {path: system_of(path) for path in hashes}
    lines = "\n".join(f"{names[path]}\0{content}" for path, content in hashes.items())
    return hashlib.sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()


def load_runs(key: str) -> tuple[pd.DataFrame, list[str]] | None:
    """Return the runs table under this key and what its readers noticed, or None without a sound one."""
    import pyarrow as pa

    try:
        folder = runs_cache() / key
    except FairvizError:
        return None
    if not folder.is_dir():
        return None
    try:
        stored = _read_entry(folder)
        touch(folder)
    except (OSError, KeyError, ValueError, pa.ArrowException):
        shutil.rmtree(folder, ignore_errors=True)
        return None
    return stored


def _read_entry(folder: Path) -> tuple[pd.DataFrame, list[str]]:
    """Return the stored table and notices. Raises ValueError for a changed file, OSError for an unreadable one."""
    files = {name: (folder / name).read_bytes() for name in _FILES}
    if (folder / SUMS).read_text(encoding="utf-8") != _checksums(folder.name, files):
        raise ValueError("a file is not what was written")
    rows = _parse_parquet(files[_ROWS])
    columns: dict[str, Any] = {}
    for name in _CATEGORIES:
        texts = _parse_parquet(files[f"{name}.parquet"])["text"].combine_chunks()
        columns[name] = categorical(rows[name].to_numpy(), texts)
    for name in _NUMBERS:
        columns[name] = rows[name].to_numpy()
    return pd.DataFrame(columns, copy=False), json.loads(files[_NOTICES])


def _parse_parquet(content: bytes) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    return parquet.read_table(pa.BufferReader(content))


def _checksums(key: str, files: Mapping[str, bytes]) -> str:
    """Return the SHA-256 of each file, and their key, as text."""
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    return json.dumps({"key": key, **sums}, indent=1, sort_keys=True)


def save_runs(key: str, table: pd.DataFrame, notices: Sequence[str] = ()) -> None:
    """Store the table under this key with what its readers noticed, under a temporary name until complete.

    The least recently used tables are removed to make room. Errors of writing are ignored.
    """
    if tuple(table.columns) != RUNS.column_names:
        return
    with contextlib.suppress(OSError, FairvizError):
        folder = runs_cache() / key
        with new_entry(folder) as unfinished:
            _write_entry(unfinished, table, notices)
        _remove_earlier_versions()
        make_room(folder, MOST_BYTES)


def _write_entry(folder: Path, table: pd.DataFrame, notices: Sequence[str]) -> None:
    """Write the files that `_read_entry` reads. Raises OSError."""
    import pyarrow as pa
    from pyarrow import parquet

    columns: dict[str, np.ndarray] = {name: table[name].to_numpy() for name in _NUMBERS}
    for name in _CATEGORIES:
        columns[name] = table[name].cat.codes.to_numpy()
        texts = pa.array(table[name].cat.categories.array, type=pa.large_string())
        parquet.write_table(pa.table({"text": texts}), folder / f"{name}.parquet", **_PLAIN)
    parquet.write_table(pa.table(columns), folder / _ROWS, **_PLAIN)
    (folder / _NOTICES).write_text(json.dumps([*notices]), encoding="utf-8")
    contents = {name: (folder / name).read_bytes() for name in _FILES}
    (folder / SUMS).write_text(_checksums(folder.name, contents), encoding="utf-8")


def _remove_earlier_versions() -> None:
    for version in range(1, VERSION):
        shutil.rmtree(runs_cache().with_name(f"runs-{version}"), ignore_errors=True)
