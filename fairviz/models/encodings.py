"""What a model made of a text, kept on disk under the model and the text's hash: nothing is encoded twice."""

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from fairviz.errors import FairvizError
from fairviz.home import data_home
from fairviz.study.loaders.hashes import file_hash

BATCH = 32
_CHUNK = 500
Encode = Callable[[list[str]], np.ndarray]


def encodings_folder() -> Path:
    """Where encodings lie, one file for each model."""
    return data_home() / "encodings"


def model_key(model: str | Path, adapter: str = "") -> str:
    """A name for the model's file of encodings: of a folder, a hash of all that it holds; else of the name.

    adapter: the hash of the weights that are added to the model's own; the same model with others is another.
    """
    total = hashlib.sha256()
    if os.path.isdir(model):
        for path in sorted(path for path in Path(model).rglob("*") if path.is_file()):
            total.update(f"{path.relative_to(model).as_posix()}\0{file_hash(path)}\n".encode())
    else:
        total.update(f"name {model}".encode())
    if adapter:
        total.update(f"\nadapter {adapter}".encode())
    return total.hexdigest()[:32]


def encoded(
    texts: Sequence[str],
    model: str | Path,
    kind: str,
    load: Callable[[], Encode],
    progress: Callable[[int, int], None],
    adapter: str = "",
) -> np.ndarray:
    """What the model makes of each text: (N, n) float32, from the disk where it is there.

    load() gives the function that encodes a list of texts as (len, n); it is not called where nothing is to encode.
    kind keeps apart what one model is used for, and adapter (a hash) what is added to it. Each batch is stored before
    the next: whatever stops the work, what was encoded stays. progress(texts done, texts in all). Raises FairvizError
    where the folder cannot be written.
    """
    keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
    with _store(encodings_folder() / f"{kind}-{model_key(model, adapter)}.sqlite") as store:
        found = _stored(store, set(keys))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        ordered = sorted(missing, key=lambda key: len(missing[key]))
        encode = load() if ordered else None
        for start in range(0, len(ordered), BATCH):
            batch = ordered[start : start + BATCH]
            if encode is not None:
                vectors = np.asarray(encode([missing[key] for key in batch]), dtype=np.float32)
                found.update(zip(batch, vectors, strict=True))
                with store:
                    rows = ((key, vector.tobytes()) for key, vector in zip(batch, vectors, strict=True))
                    store.executemany("INSERT OR REPLACE INTO encodings VALUES (?, ?)", rows)
            progress(start + len(batch), len(ordered))
    return np.array([found[key] for key in keys])


@contextmanager
def _store(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=30)) as store:
            store.execute("PRAGMA journal_mode=WAL")
            store.execute("CREATE TABLE IF NOT EXISTS encodings (text BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
            yield store
    except (sqlite3.Error, OSError) as error:
        raise FairvizError(
            f"could not store encodings in {path}: {error}",
            "Make it a file that you can write, with room, or remove it; or set FAIRVIZ_HOME to another folder.",
        ) from error


def _stored(store: sqlite3.Connection, keys: set[bytes]) -> dict[bytes, np.ndarray]:
    """The encodings that the file holds of these texts."""
    wanted = list(keys)
    found: dict[bytes, np.ndarray] = {}
    for start in range(0, len(wanted), _CHUNK):
        part = wanted[start : start + _CHUNK]
        marks = ", ".join("?" * len(part))
        rows = store.execute(f"SELECT text, vector FROM encodings WHERE text IN ({marks})", part)
        found.update((key, np.frombuffer(vector, dtype=np.float32)) for key, vector in rows)
    return found
