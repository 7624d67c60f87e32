"""A cache of encodings on disk, keyed by model and hash of the text, so that no text is encoded twice."""

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from fairviz.errors import FairvizError
from fairviz.home import data_home, write_ahead
from fairviz.study.loaders.hashes import file_hash

BATCH = 32
_CHUNK = 500
Encode = Callable[[list[str]], np.ndarray]


def encodings_folder() -> Path:
    """Return the folder of the cache, with one file for each model."""
    return data_home() / "encodings"


def model_key(model: str | Path, adapter: str = "") -> str:
    """Return the name of the model's file in the cache: a hash of all files of a folder, else of the name.

    adapter: the hash of the weights that are added to the model's own.
    """
    digest = hashlib.sha256()
    if os.path.isdir(model):
        for path in sorted(path for path in Path(model).rglob("*") if path.is_file()):
            digest.update(f"{path.relative_to(model).as_posix()}\0{file_hash(path)}\n".encode())
    else:
        digest.update(f"name {model}".encode())
    if adapter:
        digest.update(f"\nadapter {adapter}".encode())
    return digest.hexdigest()[:32]


def encoded(
    texts: Sequence[str],
    model: str | Path,
    kind: str,
    load: Callable[[], Encode],
    progress: Callable[[int, int], None],
    adapter: str = "",
) -> np.ndarray:
    """Return the model's encoding of each text, (N, n) float32, from the cache where possible.

    load() returns the function that encodes a list of texts as (len, n); it is called only where a text is missing.
    kind and adapter (a hash) separate the uses and variants of one model. Each batch is persisted before the next, so
    that an interrupted call resumes. progress(texts done, texts in all). Raises FairvizError where the folder cannot be
    written.
    """
    keys = [_key(text) for text in texts]
    with _store(_path(model, kind, adapter)) as store:
        vectors_by_key = _stored(store, set(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors_by_key}
        missing_keys = sorted(missing, key=lambda key: len(missing[key]))
        encode = load() if missing_keys else None
        for start in range(0, len(missing_keys), BATCH):
            batch = missing_keys[start : start + BATCH]
            if encode is not None:
                vectors = np.asarray(encode([missing[key] for key in batch]), dtype=np.float32)
                vectors_by_key.update(zip(batch, vectors, strict=True))
                with store:
                    rows = ((key, vector.tobytes()) for key, vector in zip(batch, vectors, strict=True))
                    store.executemany("INSERT OR REPLACE INTO encodings VALUES (?, ?)", rows)
            progress(start + len(batch), len(missing_keys))
    return np.array([vectors_by_key[key] for key in keys])


def unread(texts: Iterable[str], model: str | Path, kind: str, adapter: str = "") -> list[str]:
    """Return the texts that `encoded` would give to the model, each once. Raises: see `encoded`."""
    texts_by_key = {_key(text): text for text in texts}
    path = _path(model, kind, adapter)
    if path.exists():
        with _store(path) as store:
            for key in _stored(store, set(texts_by_key)):
                del texts_by_key[key]
    return list(texts_by_key.values())


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _path(model: str | Path, kind: str, adapter: str) -> Path:
    return encodings_folder() / f"{kind}-{model_key(model, adapter)}.sqlite"


@contextmanager
def _store(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(write_ahead.connect(path, patience=30)) as store:
            store.execute("CREATE TABLE IF NOT EXISTS encodings (text BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
            yield store
    except (sqlite3.Error, OSError) as error:
        raise FairvizError(
            f"could not store encodings in {path}: {error}",
            "Make it a file that you can write, with room, or remove it; or set FAIRVIZ_HOME to another folder.",
        ) from error


def _stored(store: sqlite3.Connection, keys: set[bytes]) -> dict[bytes, np.ndarray]:
    """Return the cached encodings of these texts."""
    ordered_keys = list(keys)
    vectors_by_key: dict[bytes, np.ndarray] = {}
    for start in range(0, len(ordered_keys), _CHUNK):
        part = ordered_keys[start : start + _CHUNK]
        marks = ", ".join("?" * len(part))
        rows = store.execute(f"SELECT text, vector FROM encodings WHERE text IN ({marks})", part)
        vectors_by_key.update((key, np.frombuffer(vector, dtype=np.float32)) for key, vector in rows)
    return vectors_by_key
