"""Files as bytes and as text; every failure becomes one line."""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from fairviz.errors import BadLine, DataError, display_path
from fairviz.files import EndlessError, check_regular
from fairviz.study.loaders.hashes import read_and_hash
from fairviz.study.loaders.packing import packing_of, unpack

MOST_BYTES = 16 * 1024**3  # of a whole file, unpacked
FREE_BYTES = 256 * 1024**2  # that any compressed file may unpack to
MOST_RATIO = 100
MOST_COLUMNS = 1000  # of any table
AS_UTF8 = "Save the file as UTF-8 text."
CHECK = "Check that it is there and that you may read it."
BOM = b"\xef\xbb\xbf"
_BOMS = re.compile(b"(?:%s)*+" % BOM)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PIECE = 1 << 20  # characters made into lines at a time
_TOOLS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}
T = TypeVar("T")


def problem(file: str, message: str, remedy: str, value: str | None = None, line: int = 0) -> DataError:
    """Return a DataError of one line."""
    return DataError([BadLine(file, line, message, value)], remedy)


@contextmanager
def parsing(file: str, message: str, remedy: str, line: int = 0) -> Iterator[None]:
    """Convert any error of a library on damaged data into one DataError.

    Only calls of the library belong inside: an error of our own code is a bug, and must crash loudly.
    """
    try:
        yield
    except DataError:
        raise
    except MemoryError as error:
        raise problem(
            file, "the file does not fit into memory", "Keep a part of it, or use a larger computer."
        ) from error
    except Exception as error:
        raise problem(file, message, remedy, line=line) from error


def attempt(read: Callable[[], T]) -> T | None:
    """Return the result of a library's fast reader, or None for any error: a careful reader then finds the reason."""
    try:
        with parsing("", "", ""):
            return read()
    except DataError:
        return None


def most_unpacked(packed: int) -> int:
    """Return the most bytes that a compressed file of this size may unpack to."""
    return min(MOST_BYTES, max(FREE_BYTES, MOST_RATIO * packed))


def check_file(path: str | Path, root: str | Path | None = None, most: int = MOST_BYTES) -> None:
    """Raise DataError for a pipe or a device, which may never end, and for a file too large to be read."""
    file = display_path(path, root)
    with _reading(file):
        status = check_regular(path)
    if status.st_size > most:
        limit_text = f"{most / 1024**3:.0f} GB" if most >= 1024**3 else f"{most / 1024**2:.0f} MB"
        raise problem(file, f"the file holds more than {limit_text}", "Keep the part of it that is needed.")


@contextmanager
def _reading(file: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        remedy = "Put the file itself in its place." if isinstance(error, EndlessError) else CHECK
        raise problem(file, f"the file cannot be read ({error.strerror})", remedy) from error
    except ValueError as error:
        raise problem(file, "the file cannot be read (its name holds a zero byte)", CHECK) from error


def read_raw(path: str | Path, root: str | Path | None = None, most: int = MOST_BYTES) -> bytes:
    """Return the content of a file unchanged. Raises DataError for an unreadable, too large or empty file."""
    file = display_path(path, root)
    check_file(path, root, most)
    with _reading(file):
        data = read_and_hash(Path(path))
    if not data:
        raise _empty(file)
    return data


def read_bytes(path: str | Path, root: str | Path | None = None) -> bytes:
    """Return the content of a text file, unpacked by its ending, without a byte-order mark.

    Raises DataError for an unreadable, truncated, empty or obviously binary file.
    """
    file = display_path(path, root)
    data = read_raw(path, root)
    if packing_of(file):
        data = _unpack_whole(data, file)
    marks = _BOMS.match(data)
    data = data[marks.end() :] if marks else data
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


@contextmanager
def unpacking(file: str) -> Iterator[None]:
    """Convert errors of reading a compressed file inside the block into one DataError."""
    ending = packing_of(file)
    tool = _TOOLS[ending]
    unsound = f"the file is named {ending} and is not a sound {tool} file"
    remedy = f"Compress it again with {tool}, or remove {ending} from its name if it is not compressed."
    with parsing(file, unsound, remedy):
        try:
            yield
        except EOFError as error:
            remedy = f"Copy or download it again; `{tool} -t` tells whether it is whole."
            raise problem(file, "the compressed file is cut off", remedy) from error


def _unpack_whole(data: bytes, file: str) -> bytes:
    """Return the unpacked bytes; memory never exceeds the limit, as bytes are counted on the way."""
    most_bytes = most_unpacked(len(data))
    content = io.BytesIO()
    with unpacking(file):
        for piece in unpack(io.BytesIO(data), packing_of(file)):
            if content.tell() + len(piece) > most_bytes:
                raise problem(
                    file, "the file unpacks out of all proportion", "Unpack it yourself, and look at what it holds."
                )
            content.write(piece)
    return content.getvalue()


def decode(data: bytes, file: str) -> str:
    """Return the bytes as text. Raises DataError with the line and the position of the first byte that is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        preceding = data[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        line = preceding.count(b"\n") + 1
        place = len(preceding) - (preceding.rfind(b"\n") + 1) + 1
        raise problem(
            file, f"not UTF-8 text: byte 0x{data[error.start]:02X} at position {place} of the line", AS_UTF8, line=line
        ) from error


def numbered_lines(text: str, blanks: str = " \t") -> Iterator[tuple[int, str]]:
    """Yield the lines with more than blanks, with their numbers from 1 as in an editor.

    LF, CRLF and CR end a line, as in Arrow and Python's csv. Only a piece of the text is split into lines at a time.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    start, first_number = 0, 1
    while start <= len(text):
        end = text.find("\n", start + _PIECE)
        end = len(text) if end < 0 else end
        lines = text[start:end].split("\n")
        yield from ((number, line) for number, line in enumerate(lines, start=first_number) if line.strip(blanks))
        start, first_number = end + 1, first_number + len(lines)
