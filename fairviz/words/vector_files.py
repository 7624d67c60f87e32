"""word2vec, fastText and GloVe files, checked before gensim reads them: a defect is one line.

No message quotes a file: a reader of the message may have no permission to read the file.
"""

import csv
import gzip
import itertools
import os
import shutil
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from fairviz.errors import FairvizError
from fairviz.words import fasttext_files
from fairviz.words.fasttext_files import UnsoundError

REMEDY = "Give a word2vec or fastText file: .bin, .vec or .txt (a word and its numbers on each line)."
_LONGEST_LINE = 1 << 20
_PIECE = 1 << 20
_MOST_NUMBERS = 10_000  # of a word in a file without a header
_DEFLATED = 1032  # the most bytes that a byte of a gzip file expands to
_WRONG = (
    OSError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError, NotImplementedError,
    MemoryError, OverflowError, struct.error, zlib.error,
)  # fmt: skip
Vectors = tuple[list[str], np.ndarray, Callable[[str], np.ndarray | None] | None]


def read_vectors(path: Path) -> Vectors:
    """Return words, their vectors (V, n) as stored, and fastText's function for words outside the file, or None.

    Raises FairvizError for a file in another format or cut off.
    """
    try:
        with _opened(path) as stream:
            head = stream.readline(_LONGEST_LINE)
        if not head.startswith(fasttext_files.MAGIC):
            return _word2vec(path, head)
        return _unpacked_fasttext(path) if _zipped(path) else _fasttext(path)
    except _WRONG as error:
        raise FairvizError(f"{path} is not a sound file of word vectors ({_reason(path, error)})", REMEDY) from error


def _zipped(path: Path) -> bool:
    return path.suffix == ".gz"


def _opened(path: Path) -> Any:
    """Return a stream of the file's bytes, decompressed."""
    if not os.path.isfile(path):
        raise UnsoundError("it is not there, or a folder, a pipe or a device")  # opening a pipe may never return
    return gzip.open(path) if _zipped(path) else path.open("rb")


def _reason(path: Path, error: Exception) -> str:
    """Return the defect in our own words: a library's message may quote the file."""
    if isinstance(error, UnsoundError):
        return str(error)
    if isinstance(error, gzip.BadGzipFile):
        return "it is not a gzip file, or is damaged"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, zlib.error):
        return "the compressed file is damaged"
    if isinstance(error, MemoryError):
        return "it needs more memory than there is"
    if isinstance(error, EOFError):
        return "it is cut off"
    return ("" if _binary(path) else _bad_line(path)) or "its parts do not fit together"


def _bad_line(path: Path) -> str:
    """Return the defect of the first malformed line of a text file, empty if there is none."""
    with _opened(path) as stream:
        first = stream.readline(_LONGEST_LINE).split()
        numbers = int(first[1]) if _is_header(first) else len(first) - 1
        lines = itertools.chain([] if _is_header(first) else [b" ".join(first)], _lines(stream))
        for place, line in enumerate(lines, 2 if _is_header(first) else 1):
            if not _is_text(line):
                return f"line {place:,} is not UTF-8 text"
            if not _is_vector(line.split()[1:], numbers):
                return f"line {place:,} is not a word and as many numbers as the others"
    return ""


def _lines(stream: Any) -> Iterator[bytes]:
    return iter(lambda: stream.readline(_LONGEST_LINE), b"")


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_vector(parts: list[bytes], numbers: int) -> bool:
    try:
        return len([float(part) for part in parts]) == numbers
    except ValueError:
        return False


def _unpacked_fasttext(path: Path) -> Vectors:
    """Read an unpacked copy: gensim takes the numbers of a compressed file from its compressed bytes."""
    with tempfile.TemporaryDirectory(prefix="fairviz-vectors-") as folder:
        unpacked = Path(folder, "unpacked.bin")
        with _opened(path) as stream, unpacked.open("wb") as copy:
            shutil.copyfileobj(stream, copy, _LONGEST_LINE)
        return _fasttext(unpacked)


def _fasttext(path: Path) -> Vectors:
    from gensim.models.fasttext import load_facebook_vectors

    with path.open("rb") as stream:
        fasttext_files.check(stream, path.stat().st_size)
    keyed = load_facebook_vectors(path)

    def subword(word: str) -> np.ndarray | None:
        try:
            return keyed.get_vector(word)
        except KeyError:
            return None

    return list(keyed.index_to_key), keyed.vectors, subword


def _binary(path: Path) -> bool:
    return path.name.endswith((".bin", ".bin.gz"))


def _is_header(parts: list[bytes]) -> bool:
    """Return whether these are a count of words and their dimensions."""
    return len(parts) == 2 and all(part.isdigit() and len(part) < 12 for part in parts)


def _word2vec(path: Path, head: bytes) -> Vectors:
    """Read a file with `count dimensions` in its first line, or, like GloVe's, a text file without it."""
    from gensim.models import KeyedVectors

    first = head.split()
    if _is_header(first):
        _check_size(path, int(first[0]), int(first[1]))
    elif _binary(path) or len(first) < 3:
        raise UnsoundError("its first line is neither a header nor a word with numbers")
    else:
        return _without_header(path, head)
    if _is_header(first) and _holds_more(path, int(first[0]), int(first[1])):
        raise UnsoundError("it holds more than its header announces")
    keyed = KeyedVectors.load_word2vec_format(str(path), binary=_binary(path))
    if not len(keyed.index_to_key):
        raise UnsoundError("it holds no word")
    if not _binary(path) and (keyed.vectors == keyed.vectors[:, :1]).all(axis=1).any() and _bad_line(path):
        raise UnsoundError(_bad_line(path))  # gensim writes the only number of a line into the whole vector
    return list(keyed.index_to_key), keyed.vectors, None


def _holds_more(path: Path, count: int, dimensions: int) -> bool:
    """Return whether more than blanks follows the vectors counted in the header; gensim would ignore it."""
    with _opened(path) as stream:
        stream.readline(_LONGEST_LINE)
        if not _binary(path):
            return sum(not line.isspace() for line in _lines(stream)) > count
        buffer = bytearray()
        position = 0
        for _ in range(count):
            while (space := buffer.find(b" ", position)) < 0 or len(buffer) < space + 1 + 4 * dimensions:
                piece = stream.read(_PIECE)
                if not piece:
                    return False  # cut off: the reader reports it
                buffer, position = buffer[position:] + piece, 0
            position = space + 1 + 4 * dimensions
        trailing = bytes(buffer[position:])
        while trailing.isspace() or not trailing:
            trailing = stream.read(_PIECE)
            if not trailing:
                return False
        return True


def _without_header(path: Path, head: bytes) -> Vectors:
    """Read a text file with a word and its numbers on each line. gensim would leave the file open."""
    import pandas as pd

    cells = head.rstrip(b"\r\n").split(b" ")
    if not all(cells):
        raise UnsoundError("line 1 holds blanks that separate nothing")
    if len(cells) > 1 + _MOST_NUMBERS:  # each is a column of the reader
        raise UnsoundError(f"line 1 holds {len(cells) - 1:,} numbers, more than {_MOST_NUMBERS:,}")
    frame = pd.read_csv(path, sep=" ", header=None, quoting=csv.QUOTE_NONE, na_filter=False, dtype={0: "str"})
    return frame[0].tolist(), frame.iloc[:, 1:].to_numpy(dtype=np.float32, copy=True), None


def _check_size(path: Path, count: int, dimensions: int) -> None:
    """Raise UnsoundError if the file is smaller than its header claims, before memory is allocated."""
    least = count * (dimensions * (4 if _binary(path) else 2) + 1)
    most = path.stat().st_size * (_DEFLATED if _zipped(path) else 1)
    if not count or not dimensions:
        raise UnsoundError("its header announces no words or no numbers")
    if most < least:
        raise UnsoundError("it is shorter than its header announces")
