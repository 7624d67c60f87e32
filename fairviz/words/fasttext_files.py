"""The parts of a fastText `.bin`, measured against the file's length before gensim reads it.

gensim reads a word up to its null byte and never asks whether the file has ended: a file that is cut off inside its
vocabulary keeps it busy for ever. After fastText's own `FastText::saveModel`, versions 11 and 12, little-endian.
"""

import struct
from typing import BinaryIO

MAGIC = struct.pack("<i", 793712314)
_VERSIONS = (11, 12)
_SETTINGS = struct.Struct("<12id")  # dim, ws, epoch, minCount, neg, wordNgrams, loss, model, bucket, minn, maxn, …, t
_DICTIONARY = struct.Struct("<3i2q")  # size, words, labels, tokens, pairs of the pruned index
_MATRIX = struct.Struct("<?2q")  # quantised, rows, columns
_AFTER_WORD = 9  # its count (int64) and its kind (int8)
_CHUNK = 1 << 20
_LONGEST_WORD = 1 << 16
_MOST_NUMBERS = 10_000  # of a vector


class UnsoundError(ValueError):
    """What is wrong with a file of vectors, in words that quote nothing of it."""


def check(stream: BinaryIO, size: int) -> None:
    """Reads the frame of the file of `size` bytes from its first byte on.

    Raises UnsoundError where it is cut off or its parts do not fit together.
    """
    stream.seek(len(MAGIC))
    (version,) = struct.unpack("<i", _exactly(stream, 4))
    settings = _SETTINGS.unpack(_exactly(stream, _SETTINGS.size))
    dimensions, bucket, shortest, longest = settings[0], settings[8], settings[9], settings[10]
    if version not in _VERSIONS:
        raise UnsoundError("it is of a version of fastText that cannot be read")
    if not 1 <= dimensions <= _MOST_NUMBERS or min(bucket, shortest, longest) < 0:
        raise UnsoundError("its settings are out of their range")
    words = _vocabulary(stream)
    rows = _matrix(stream, size, dimensions)
    if rows != words + bucket:
        raise UnsoundError("it does not hold a vector for each of its words and word parts")
    _matrix(stream, size, dimensions)


def _vocabulary(stream: BinaryIO) -> int:
    """How many words there are; the stream stands behind the last one."""
    size, words, labels, _, pruned = _DICTIONARY.unpack(_exactly(stream, _DICTIONARY.size))
    if labels:
        raise UnsoundError("it is a classifier, whose vectors cannot be used")
    if size < 1 or words != size:
        raise UnsoundError("its vocabulary is empty or miscounted")
    if pruned > 0:
        raise UnsoundError("it is quantised; take the file that is not (.bin, not .ftz)")
    _pass_words(stream, size)
    return words


def _pass_words(stream: BinaryIO, count: int) -> None:
    """Goes behind so many words, each ended by a null byte and followed by its count and kind."""
    held, at = b"", 0
    for _ in range(count):
        end = held.find(b"\0", at)
        while end < 0 or end + 1 + _AFTER_WORD > len(held):
            more = stream.read(_CHUNK)
            held, at = held[at:] + more, 0
            end = held.find(b"\0")
            if not more:
                raise UnsoundError("it is cut off in its vocabulary")
            if end > _LONGEST_WORD or (end < 0 and len(held) > _LONGEST_WORD):
                raise UnsoundError("its vocabulary does not end where it should")
        at = end + 1 + _AFTER_WORD
    stream.seek(stream.tell() - len(held) + at)


def _matrix(stream: BinaryIO, size: int, dimensions: int) -> int:
    """How many rows the matrix has; the stream stands behind it."""
    quantised, rows, columns = _MATRIX.unpack(_exactly(stream, _MATRIX.size))
    if quantised:
        raise UnsoundError("it is quantised; take the file that is not (.bin, not .ftz)")
    if rows < 0 or columns != dimensions:
        raise UnsoundError("its vectors do not have as many numbers as its settings say")
    end = stream.tell() + 4 * rows * columns
    if end > size:
        raise UnsoundError("it is cut off in its vectors")
    stream.seek(end)
    return rows


def _exactly(stream: BinaryIO, length: int) -> bytes:
    """The next bytes, as many as asked for."""
    found = stream.read(length)
    if len(found) < length:
        raise UnsoundError("it is cut off in its header")
    return found
