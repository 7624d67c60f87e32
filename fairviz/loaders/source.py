"""Files as bytes and as text, with every way in which that fails said in one line."""

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path

from fairviz.errors import BadLine, DataError, display_path
from fairviz.loaders.hashes import read_heard

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
FREE_BYTES = 256 * 1024**2  # what a compressed file may unpack to without a question
MOST_RATIO = 100
AS_UTF8 = "Save the file as UTF-8 text."


def problem(file: str, message: str, remedy: str, value: str | None = None, line: int = 0) -> DataError:
    """A DataError of one line."""
    return DataError([BadLine(file, line, message, value)], remedy)


def read_raw(path: str | Path, root: str | Path | None = None) -> bytes:
    """The content of a file as it stands. Raises DataError where it cannot be read or is empty."""
    file = display_path(path, root)
    try:
        data = read_heard(Path(path))
    except OSError as error:
        raise problem(
            file, f"the file cannot be read ({error.strerror})", "Check that it is there and that you may read it."
        ) from error
    if not data:
        raise _empty(file)
    return data


def read_bytes(path: str | Path, root: str | Path | None = None) -> bytes:
    """The content of a text file, unpacked where its name ends in .gz, without a byte-order mark.

    Raises DataError where the file cannot be read, is cut off, is empty, or is no text at first sight.
    """
    file = display_path(path, root)
    data = read_raw(path, root)
    if file.lower().endswith(".gz"):
        data = _unpacked(data, file)
    data = data.removeprefix(_BOM)
    if data.startswith(_UTF16):
        raise problem(file, "the file is UTF-16 text, not UTF-8", AS_UTF8)
    if b"\0" in data:
        place = data.index(b"\0")
        raise problem(file, f"the file is not text (a zero byte at position {place + 1:,})", AS_UTF8)
    if not data[:1000].strip() and not data.strip():
        raise _empty(file)
    return data


def _empty(file: str) -> DataError:
    return problem(file, "the file is empty", "Remove it, or fill it.")


def _unpacked(data: bytes, file: str) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            unpacked = stream.read(max(FREE_BYTES, MOST_RATIO * len(data)) + 1)
    except EOFError as error:
        raise problem(
            file, "the compressed file is cut off", "Copy or download it again; `gzip -t` tells whether it is whole."
        ) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise problem(
            file,
            "the file is named .gz and is not a sound gzip file",
            "Compress it again with gzip, or remove .gz from its name if it is not compressed.",
        ) from error
    if len(unpacked) > max(FREE_BYTES, MOST_RATIO * len(data)):
        raise problem(file, "the file unpacks out of all proportion", "Unpack it yourself, and look at what it holds.")
    return unpacked


def decode(data: bytes, file: str) -> str:
    """The bytes as text. Raises DataError with the line and the place of the first byte that is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        place = error.start - (before.rfind(b"\n") + 1) + 1
        raise problem(
            file, f"not UTF-8 text: byte 0x{data[error.start]:02X} at position {place} of the line", AS_UTF8, line=line
        ) from error


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that hold anything, with their numbers from 1 as an editor counts them."""
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.rstrip("\r")
        if stripped.strip(" \t"):
            yield number, stripped
