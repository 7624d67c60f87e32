"""Compressed files, unpacked whole: by Python's own modules, and by Arrow where Python has none."""

import bz2
import io
import lzma
import zlib
from collections.abc import Callable

from tests.fuzz.slow_text import UnreadableError


def plain_suffix(suffix: str) -> str:
    """The ending without that of its compression: .run of .run.gz."""
    plain, _, last = suffix.rpartition(".")
    return plain if f".{last}" in UNPACKERS else suffix


def unpacked(suffix: str, data: bytes) -> bytes:
    """The file without its compression, by the whole and with Python's own modules where they know it."""
    ending = "." + suffix.rpartition(".")[2]
    if ending not in UNPACKERS:
        return data
    try:
        return UNPACKERS[ending](data)
    except (OSError, EOFError, ValueError, lzma.LZMAError) as error:
        raise UnreadableError(f"no sound {ending}") from error


def _gzip(data: bytes) -> bytes:
    """Member for member, each checked by zlib against its own sum."""
    out = b""
    while data.strip(b"\0"):
        stream = zlib.decompressobj(wbits=31)
        try:
            out += stream.decompress(data)
        except zlib.error as error:
            raise UnreadableError("not gzip") from error
        if not stream.eof:
            raise UnreadableError("cut off")
        data = stream.unused_data
    return out


def _zstandard(data: bytes) -> bytes:
    import pyarrow as pa

    return pa.input_stream(io.BytesIO(data), compression="zstd").read()


UNPACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": _gzip,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
    ".zst": _zstandard,
}
