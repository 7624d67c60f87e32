"""word2vec, fastText and GloVe files, looked at before gensim reads them: one line says what is wrong."""

import csv
import gzip
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from fairviz.errors import FairvizError

REMEDY = "Give a word2vec or fastText file: .bin, .vec or .txt (a word and its numbers on each line)."
FASTTEXT = struct.pack("<i", 793712314)
_LONGEST_LINE = 1 << 20
_WRONG = (
    OSError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError, NotImplementedError,
    MemoryError, OverflowError, struct.error, zlib.error,
)  # fmt: skip
Vectors = tuple[list[str], np.ndarray, Callable[[str], np.ndarray | None] | None]


def read_vectors(path: Path) -> Vectors:
    """Words, their vectors (V, n) as the file has them, and fastText's way to words outside it, or None.

    Raises FairvizError for a file that is no such file, or is cut off.
    """
    try:
        with _opened(path) as stream:
            head = stream.readline(_LONGEST_LINE)
        return _fasttext(path) if head.startswith(FASTTEXT) else _word2vec(path, head)
    except _WRONG as error:
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        raise FairvizError(f"{path} is not a sound file of word vectors ({reason})", REMEDY) from error


def _opened(path: Path) -> Any:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _fasttext(path: Path) -> Vectors:
    from gensim.models.fasttext import load_facebook_vectors

    keyed = load_facebook_vectors(path)

    def subword(word: str) -> np.ndarray | None:
        try:
            return keyed.get_vector(word)
        except KeyError:
            return None

    return list(keyed.index_to_key), keyed.vectors, subword


def _word2vec(path: Path, head: bytes) -> Vectors:
    """A file with `count dimensions` in its first line, or, as GloVe's are, a text file without it."""
    from gensim.models import KeyedVectors

    counts = head.split()
    header = len(counts) == 2 and all(count.isdigit() for count in counts)
    binary = path.name.endswith((".bin", ".bin.gz"))
    if header:
        _check_size(path, int(counts[0]), int(counts[1]), binary)
    elif binary or len(counts) < 3:
        raise ValueError("its first line is neither a header nor a word with numbers")
    else:
        return _without_header(path)
    keyed = KeyedVectors.load_word2vec_format(str(path), binary=binary)
    if not len(keyed.index_to_key):
        raise ValueError("it holds no word")
    return list(keyed.index_to_key), keyed.vectors, None


def _without_header(path: Path) -> Vectors:
    """A text file of a word and its numbers on each line. gensim reads these too, and leaves the file open."""
    import pandas as pd

    frame = pd.read_csv(path, sep=" ", header=None, quoting=csv.QUOTE_NONE, na_filter=False, dtype={0: "str"})
    return frame[0].tolist(), frame.iloc[:, 1:].to_numpy(dtype=np.float32, copy=True), None


def _check_size(path: Path, count: int, dimensions: int, binary: bool) -> None:
    """Raises ValueError where the file is smaller than its header says, before memory is laid out for it."""
    least = count * dimensions * (4 if binary else 2)
    size = path.stat().st_size
    if path.suffix != ".gz" and size < least:
        raise ValueError(f"its header speaks of {count:,} words, and it ends after {size:,} bytes")
