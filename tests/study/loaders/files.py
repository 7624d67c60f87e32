"""Files written for a test, and what a reader says of one that it cannot read."""

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from fairviz.errors import FairvizError
from fairviz.study.loaders.collection import keep_documents
from fairviz.study.loaders.folder import read_folder

RUN = "1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n"
# How a file of each ending is packed.
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": partial(gzip.compress, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}


def put(folder: Path, name: str, content: str | bytes) -> Path:
    """Write a file of this name, which may lie in folders below, and return its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def fill(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write these files into the folder, and return it."""
    for name, content in files.items():
        put(folder, name, content)
    return folder


def zipped(members: Mapping[Any, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive with these members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


def rows(table: pd.DataFrame, *columns: str) -> list[tuple]:
    """The rows of a table: of these columns, or of all."""
    return list((table[list(columns)] if columns else table).itertuples(index=False, name=None))


def refusal(work: Callable[..., Any], *arguments: Any) -> str:
    """The whole error of a call."""
    with pytest.raises(FairvizError) as error:
        work(*arguments)
    return str(error.value)


def refusal_of(folder: Path) -> str:
    """The error of a study's folder, with FOLDER in the place of its path."""
    return refusal(read_folder, folder).replace(str(folder), "FOLDER")


def read_collection(path: Path, root: Path) -> object:
    """Read a collection as `fairviz attach` does, for its document 1."""
    return keep_documents(path, {"1"}, root / "out", lambda *_: None)
