"""Compressed files: their endings, and their content, piece by piece.

This module has only the formats; `source` checks the limits and words the errors.
"""

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

PIECE = 1 << 20  # bytes unpacked at a time
_PACKED = 1 << 16  # bytes read at a time
_MOST_MEMORY = 1 << 30  # of the window that an xz file may request; `xz -9` requests 65 MB
_STARTS = {b"\x1f\x8b\x08": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\0": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
_PADDING = b"\0"  # between the streams of an xz file and after the last


def packing_of(path: str | Path, data: bytes = b"") -> str:
    """Return the file's ending of compression, such as `.gz`; without one, that in which its data begins; or empty."""
    ending = Path(path).suffix.lower()
    if ending in UNPACKERS:
        return ending
    return next((packed for start, packed in _STARTS.items() if data.startswith(start)), "")


def plain_name(path: str | Path) -> str:
    """Return the file's name without its ending of compression."""
    name = Path(path).name
    return name[: len(name) - len(packing_of(name))]


def packed_names(*endings: str) -> tuple[str, ...]:
    """Return these endings, each plain and with every ending of compression: .run, .run.gz, .run.bz2, …"""
    return tuple(ending + packed for ending in endings for packed in ("", *UNPACKERS))


def unpack(stream: IO[bytes], ending: str, size: int = PIECE) -> Iterator[bytes]:
    """Yield the content of the stream unpacked, in pieces of at most this size.

    Raises EOFError for a truncated stream, and the library's error for a damaged one.
    """
    return UNPACKERS[ending](stream, size)


def pieces_of(stream: IO[bytes], path: str | Path, size: int = PIECE) -> tuple[str, Iterator[bytes]]:
    """Return the compression of an open file (see `packing_of`), and its content, unpacked, in pieces."""
    packing = packing_of(path, stream.read(8))
    stream.seek(0)
    return packing, unpack(stream, packing, size) if packing else iter(lambda: stream.read(size), b"")


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
    """Yield the content of concatenated compressed streams."""
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
        while not packed.strip(padding) and (next_bytes := stream.read(_PACKED)):
            packed += next_bytes
        packed = packed.lstrip(padding) if padding else packed


UNPACKERS: dict[str, Callable[[IO[bytes], int], Iterator[bytes]]] = {
    ".gz": _gzip,
    ".bz2": _bzip2,
    ".xz": _xz,
    ".zst": _zstandard,
}
