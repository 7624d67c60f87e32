"""Compressed files: which endings say so, and what they unpack to, piece by piece.

Knows the formats alone; `source` holds what is unpacked against its bounds and says what is wrong in words.
"""

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

PIECE = 1 << 20  # bytes unpacked at a time
_PACKED = 1 << 16  # bytes read at a time
_MOST_MEMORY = 1 << 30  # of the window that an xz file may ask for; `xz -9` asks for 65 MB
_PADDING = b"\0"  # between the streams of an xz file and behind the last


def packing_of(path: str | Path) -> str:
    """The ending that says how the file is compressed, as `.gz`; nothing where it is not."""
    ending = Path(path).suffix.lower()
    return ending if ending in UNPACKERS else ""


def plain_name(path: str | Path) -> str:
    """The file's name without the ending that says how it is compressed."""
    name = Path(path).name
    return name[: len(name) - len(packing_of(name))]


def packed_names(*endings: str) -> tuple[str, ...]:
    """These endings, and each with every way to compress it: .run, .run.gz, .run.bz2, …"""
    return tuple(ending + packed for ending in endings for packed in ("", *UNPACKERS))


def unpacked(stream: IO[bytes], ending: str, size: int = PIECE) -> Iterator[bytes]:
    """What the stream holds unpacked, in pieces of this size at the most.

    Raises EOFError where it is cut off, and what the library raises where it is damaged.
    """
    return UNPACKERS[ending](stream, size)


def _gzip(stream: IO[bytes], size: int) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=stream) as unpacking:
        while piece := unpacking.read(size):
            yield piece


def _zstandard(stream: IO[bytes], size: int) -> Iterator[bytes]:
    import pyarrow as pa

    with pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd") as unpacking:
        while piece := _zstandard_piece(unpacking, size):
            yield piece


def _zstandard_piece(unpacking: Any, size: int) -> bytes:
    try:
        return unpacking.read(size)
    except OSError as error:
        if "Truncated" in str(error):
            raise EOFError(str(error)) from error
        raise


def _bzip2(stream: IO[bytes], size: int) -> Iterator[bytes]:
    return _members(stream, size, bz2.BZ2Decompressor, padding=b"")


def _xz(stream: IO[bytes], size: int) -> Iterator[bytes]:
    return _members(stream, size, lambda: lzma.LZMADecompressor(memlimit=_MOST_MEMORY), padding=_PADDING)


def _members(stream: IO[bytes], size: int, unpacker: Callable[[], Any], padding: bytes) -> Iterator[bytes]:
    """One compressed stream after the other, as `cat` puts them into one file."""
    packed = stream.read(_PACKED)
    while packed:
        unpacking = unpacker()
        while not unpacking.eof:
            yield unpacking.decompress(packed, size)
            packed = b""
            if not unpacking.eof and unpacking.needs_input:
                packed = stream.read(_PACKED)
                if not packed:
                    raise EOFError("cut off")
        packed = unpacking.unused_data
        while not packed.strip(padding) and (more := stream.read(_PACKED)):
            packed += more
        packed = packed.lstrip(padding) if padding else packed


UNPACKERS: dict[str, Callable[[IO[bytes], int], Iterator[bytes]]] = {
    ".gz": _gzip,
    ".bz2": _bzip2,
    ".xz": _xz,
    ".zst": _zstandard,
}
