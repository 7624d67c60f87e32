"""The parts of a fastText `.bin`, measured against the file's length before gensim reads it.

gensim reads a word up to its null byte without a check for the end of the file: on a file cut off inside its
vocabulary it never returns. After fastText's own `FastText::saveModel`, versions 11 and 12, little-endian.
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
    """A defect of a file of vectors; its message quotes nothing from the file."""


def check(stream: BinaryIO, size: int) -> None:
    """Check the parts of a file of `size` bytes from its first byte on.

    Raises UnsoundError if it is cut off or its parts do not fit together.
    """
    stream.seek(len(MAGIC))
    (version,) = struct.unpack("<i", _read_exactly(stream, 4))
    settings = _SETTINGS.unpack(_read_exactly(stream, _SETTINGS.size))
    dimensions, bucket, shortest, longest = settings[0], settings[8], settings[9], settings[10]
    if version not in _VERSIONS:
        raise UnsoundError("it is of a version of fastText that cannot be read")
    if not 1 <= dimensions <= _MOST_NUMBERS or min(bucket, shortest, longest) < 0:
        raise UnsoundError("its settings are out of their range")
    words = _check_vocabulary(stream)
    rows = _check_matrix(stream, size, dimensions)
    if rows != words + bucket:
        raise UnsoundError("it does not hold a vector for each of its words and word parts")
    _check_matrix(stream, size, dimensions)


def _check_vocabulary(stream: BinaryIO) -> int:
    """Return the number of words, with the stream after the last word."""
    size, words, labels, _, pruned = _DICTIONARY.unpack(_read_exactly(stream, _DICTIONARY.size))
    if labels:
        raise UnsoundError("it is a classifier, whose vectors cannot be used")
    if size < 1 or words != size:
        raise UnsoundError("its vocabulary is empty or miscounted")
    if pruned > 0:
        raise UnsoundError("it is quantised; take the file that is not (.bin, not .ftz)")
    _skip_words(stream, size)
    return words


def _skip_words(stream: BinaryIO, count: int) -> None:
    """Move the stream past `count` words, each ended by a null byte and followed by its count and kind."""
    buffer, position = b"", 0
    for _ in range(count):
        end = buffer.find(b"\0", position)
        while end < 0 or end + 1 + _AFTER_WORD > len(buffer):
            piece = stream.read(_CHUNK)
            buffer, position = buffer[position:] + piece, 0
            end = buffer.find(b"\0")
            if not piece:
                raise UnsoundError("it is cut off in its vocabulary")
            if end > _LONGEST_WORD or (end < 0 and len(buffer) > _LONGEST_WORD):
                raise UnsoundError("its vocabulary does not end where it should")
        position = end + 1 + _AFTER_WORD
    stream.seek(stream.tell() - len(buffer) + position)


def _check_matrix(stream: BinaryIO, size: int, dimensions: int) -> int:
    """Return the number of rows of the matrix, with the stream after it."""
    quantised, rows, columns = _MATRIX.unpack(_read_exactly(stream, _MATRIX.size))
    if quantised:
        raise UnsoundError("it is quantised; take the file that is not (.bin, not .ftz)")
    if rows < 0 or columns != dimensions:
        raise UnsoundError("its vectors do not have the dimension that its settings give")
    end = stream.tell() + 4 * rows * columns
    if end > size:
        raise UnsoundError("it is cut off in its vectors")
    stream.seek(end)
    return rows


def _read_exactly(stream: BinaryIO, length: int) -> bytes:
    """Return the next `length` bytes. Raises UnsoundError if there are fewer."""
    data = stream.read(length)
    if len(data) < length:
        raise UnsoundError("it is cut off in its header")
    return data
