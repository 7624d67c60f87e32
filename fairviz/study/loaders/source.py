"""Files opened: their bytes, unpacked and checked; every failure becomes one line."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fairviz.errors import DataError, display_path, notice, parsing, problem
from fairviz.files import EndlessError, check_regular
from fairviz.study.loaders.hashes import read_and_hash
from fairviz.study.loaders.kinds import refusal
from fairviz.study.loaders.packing import packing_of, unpack
from fairviz.study.loaders.workbooks import is_workbook, sheet_as_csv

MOST_BYTES = 16 * 1024**3  # of a whole file, unpacked
FREE_BYTES = 256 * 1024**2  # that any compressed file may unpack to
MOST_RATIO = 100
MOST_COLUMNS = 1000  # of any table
AS_UTF8 = "Save the file as UTF-8 text."
CHECK = "Check that it is there and that you may read it."
BOM = b"\xef\xbb\xbf"
_BOMS = re.compile(b"(?:%s)*+" % BOM)
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_TOOLS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstd"}


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


@dataclass(frozen=True)
class Source:
    """The content of a file; `file`: its name for errors; `ending`: its last one, without one of compression: .parquet
    for any Parquet file, .csv for a workbook, whose first sheet is the text; `most_bytes`: the limit for its content,
    unpacked.
    """

    file: str
    ending: str
    data: bytes
    most_bytes: int


def open_source(path: str | Path, root: str | Path | None = None) -> Source:
    """Return a file's text, without a byte-order mark, or the bytes of a Parquet file. What it is unpacked by, and
    whether it is Parquet or a workbook, show its first bytes, whatever its name.

    Raises DataError for an unreadable or empty file, for a truncated one, and for one that is no text.
    """
    return source_of(read_raw(path, root), display_path(path, root))


def source_of(data: bytes, file: str) -> Source:
    """Return the source in the bytes of a file: see `open_source`."""
    packing, most_bytes = packing_of(file, data), most_unpacked(len(data))
    name = Path(file)
    ending = Path(name.stem if name.suffix.lower() == packing else name.name).suffix.lower()
    if packing:
        data = _unpack_whole(data, file, packing, most_bytes)
    if ending == ".parquet" or data.startswith(b"PAR1"):
        return Source(file, ".parquet", data, most_bytes)
    if ending == ".xlsx" or is_workbook(data):
        text, sheet = sheet_as_csv(data, file, most_bytes)
        notice(f"{file}: the first sheet, {sheet!r}, was read.")
        return Source(file, ".csv", _text_of(text, file), most_bytes)
    return Source(file, ending, _text_of(data, file), most_bytes)


def read_bytes(path: str | Path, root: str | Path | None = None) -> bytes:
    """Return the content of a text file: see `open_source`."""
    return open_source(path, root).data


def _text_of(data: bytes, file: str) -> bytes:
    """Return the text in these bytes. Raises DataError for an empty or obviously binary one."""
    marks = _BOMS.match(data)
    data = data[marks.end() :] if marks else data
    if data.startswith(_UTF16):
        raise problem(file, "the file is UTF-16 text, not UTF-8", AS_UTF8)
    if b"\0" in data:
        place = data.index(b"\0")
        error = problem(file, f"the file is not text (a zero byte at position {place + 1:,})", AS_UTF8)
        raise refusal(file, data) or error
    if not data[:1000].strip() and not data.strip():
        raise _empty(file)
    return data


def _empty(file: str) -> DataError:
    return problem(file, "the file is empty", "Remove it, or fill it.")


@contextmanager
def unpacking(file: str, ending: str) -> Iterator[None]:
    """Convert errors of reading a file compressed as `ending` inside the block into one DataError."""
    tool = _TOOLS[ending]
    unsound = f"the file is named {ending} and is not a sound {tool} file"
    remedy = f"Compress it again with {tool}, or remove {ending} from its name if it is not compressed."
    if Path(file).suffix.lower() != ending:
        unsound, remedy = f"the file begins as {tool} does, and is not sound", "Copy or download it again."
    with parsing(file, unsound, remedy):
        try:
            yield
        except EOFError as error:
            remedy = f"Copy or download it again; `{tool} -t` checks whether it is complete."
            raise problem(file, "the compressed file is cut off", remedy) from error


def _unpack_whole(data: bytes, file: str, ending: str, most_bytes: int) -> bytes:
    """Return the unpacked bytes; memory never exceeds the limit, as bytes are counted on the way."""
    content = io.BytesIO()
    with unpacking(file, ending):
        for piece in unpack(io.BytesIO(data), ending):
            if content.tell() + len(piece) > most_bytes:
                raise problem(
                    file, "the file unpacks out of all proportion", "Unpack it yourself, and look at what it holds."
                )
            content.write(piece)
    return content.getvalue()
