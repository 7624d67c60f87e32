"""Columns between white space, as in TREC's runs and relevance: a fast reader and a careful one."""

import atexit
import math
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from weakref import WeakSet

from fairviz.errors import BadLines, attempt, problem
from fairviz.study.loaders.hashes import HashedFile
from fairviz.study.loaders.lines import notice_comments, numbered_lines
from fairviz.study.loaders.source import BOM

LARGEST = 2**31 - 1
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE_NUMBER = re.compile(r"[+-]?0*[0-9]{1,10}")
_COMMENT = re.compile(rb"^#[^\r\n]*", re.MULTILINE)
_SIGNS = re.compile(r"[\t,;|]")
_BLANKS = re.compile(r"[ \t]+")
_BLOCK = 1 << 21
PATIENCE = 5_000  # milliseconds


def without_comments(data: bytes, file: str) -> bytes:
    """Return the bytes with empty lines for those that begin with #, as trec_eval skips them; noticed and counted."""
    if not data.startswith(b"#") and b"\n#" not in data:
        return data
    data, count = _COMMENT.subn(b"", data)
    notice_comments(file, count)
    if not data.strip():
        raise problem(file, "the file has comments alone", "Fill it, or remove it.")
    return data


def first_cells(data: bytes) -> tuple[str, list[str]]:
    """Return the first line of a text, and its cells between tabs, commas, semicolons or bars; none without these."""
    line = data.lstrip()[: 1 << 12].splitlines()[0].decode("utf-8", "replace")
    cells = _SIGNS.split(line)
    return line, [cell.strip(' "') for cell in cells] if len(cells) > 1 else []


def has_comments(texts: Any) -> bool:
    """Return whether one of the distinct texts of a first column begins as a comment line."""
    import pyarrow.compute as pc

    return bool(pc.any(pc.starts_with(texts, "#")).as_py())


def read_fast_table(source: bytes | Path, types: dict[str, Any]) -> Any | None:
    """Return a file or its bytes as an Arrow table of these columns, or None for anything unusual or wrong.

    A file must have single spaces or single tabs: Arrow then parses it while reading. In bytes, any mixture of blanks
    is first reduced to single spaces, which takes a few passes.
    """
    if not isinstance(source, Path):
        spaced = _with_single_spaces(source)
        return None if spaced.startswith(BOM) else attempt(lambda: _parse(spaced, " ", types))
    table = attempt(lambda: _parse(source, " ", types))
    return table if table is not None else attempt(lambda: _parse(source, "\t", types))


def _with_single_spaces(data: bytes) -> bytes:
    """Return the bytes with single spaces between texts, none at the ends of lines, and LF for CRLF and CR."""
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def _parse(source: bytes | Path, delimiter: str, types: dict[str, Any]) -> Any | None:
    """Return the table, or None for an invalid text. Arrow's errors are raised."""
    import pyarrow as pa
    from pyarrow import csv

    read_as = {name: kind if pa.types.is_floating(kind) else pa.string() for name, kind in types.items()}
    with HashedFile(source) if isinstance(source, Path) else pa.BufferReader(source) as stream:
        table = csv.read_csv(
            open_for_arrow(stream, _BLOCK) if isinstance(stream, HashedFile) else stream,
            read_options=csv.ReadOptions(column_names=list(types), block_size=_BLOCK),
            parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False, escape_char=False),
            convert_options=csv.ConvertOptions(
                column_types=read_as, null_values=[], strings_can_be_null=False, quoted_strings_can_be_null=False
            ),
        )
    if isinstance(stream, HashedFile):
        stream.record()
    columns = [table[name] for name, kind in read_as.items() if kind == pa.string()]
    if not len(table) or any(_is_spoilt(texts) for texts in columns) or table[0][0].as_py().startswith(BOM.decode()):
        return None
    for place, (name, kind) in enumerate(types.items()):
        if pa.types.is_integer(kind):
            numbers = _cast_whole(table[name], kind)
            if numbers is None:
                return None
            table = table.set_column(place, name, numbers)
    return table


def _is_spoilt(texts: Any) -> bool:
    """Return whether a text is empty or contains a blank or a zero byte, which shows wrongly separated columns."""
    import pyarrow.compute as pc

    return _contains(texts, b" ", b"\t", b"\0") or pc.min(pc.binary_length(texts)).as_py() == 0


def _cast_whole(texts: Any, kind: Any) -> Any | None:
    """Return the texts as whole numbers, or None for hexadecimal ones, which Arrow accepts unintentionally."""
    import pyarrow.compute as pc

    return None if _contains(texts, b"x", b"X") else pc.cast(texts, kind)


def _contains(texts: Any, *signs: bytes) -> bool:
    """Return whether any of the bytes is in any of the texts."""
    content = [chunk.buffers()[2].to_pybytes() for chunk in texts.chunks if len(chunk) and chunk.buffers()[2]]
    return any(sign in piece for piece in content for sign in signs)


def finite_number(text: str) -> float:
    """Return the number in a text; NaN for anything else, and for one beyond those that floats hold."""
    number = float(text) if NUMBER.fullmatch(text) else math.nan
    return number if math.isfinite(number) else math.nan


def whole_number_problem(name: str, text: str) -> str:
    """Return the defect of a whole number that must fit into 32 bits, or empty."""
    if not _WHOLE_NUMBER.fullmatch(text):
        return f"the {name} is not a whole number"
    return "" if -LARGEST - 1 <= float(text) <= LARGEST else f"the {name} is larger than {LARGEST:,}"


class CarefulRows(NamedTuple):
    """Rows that are valid in themselves, with their line numbers."""

    numbers: list[int]
    rows: list[tuple[str, ...]]


def fields_of(line: str) -> list[str]:
    """Return the texts of a line between spaces or tabs; other blanks, such as a non-breaking one, are part of a
    text."""
    return _BLANKS.split(line.strip(" \t"))


def read_careful_rows(
    text: str, width: int, check: Callable[[list[str]], list[tuple[str, str]]], bad: BadLines
) -> CarefulRows:
    """Return the rows of `width` columns; all others are added to `bad`.

    `check` returns the defects of a row as (problem, value). Raises DataError for too many bad lines.
    """
    numbers, rows = [], []
    for number, line in numbered_lines(text):
        fields = line.split(" ")
        if len(fields) != width or "\t" in line or "" in fields:
            fields = fields_of(line)
        if len(fields) != width:
            bad.add(number, f"expected {width} columns, found {len(fields)}", line)
        elif defects := check(fields):
            for problem_text, value in defects:
                bad.add(number, problem_text, value)
        else:
            numbers.append(number)
            rows.append(tuple(fields))  # the garbage collector ignores a tuple of texts
    return CarefulRows(numbers, rows)


def add_repeated_pairs(careful: CarefulRows, document: int, relation: str, bad: BadLines) -> None:
    """Add each row that repeats query (column 0) and document (column `document`) of an earlier row to `bad`.

    relation: of the document and the query, for the sentence, such as "is judged for".
    """
    first: dict[tuple[str, str], int] = {}
    for number, row in zip(careful.numbers, careful.rows, strict=True):
        earlier = first.setdefault((row[0], row[document]), number)
        if earlier != number:
            bad.add(number, f"document {row[document]!r} {relation} query {row[0]!r} in line {earlier} already")


# --- Files that Arrow reads in its own threads, and the end of the program, which waits for these. Arrow reads
# ahead, and its thread continues to read after a file was rejected at its first lines. Python stops a foreign thread
# that calls it during shutdown, which aborts the whole program. Pieces are copied, because a piece owned by Python
# would have to be returned to it later.


class ArrowSource:
    """A source that only the library refers to, registered until the library releases it: it is then collected."""

    def __init__(self, source: HashedFile | BinaryIO) -> None:
        self._source = source
        _OPEN_SOURCES.add(self)

    @property
    def closed(self) -> bool:
        """True for a closed source."""
        return self._source.closed

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, none at the end or if closed."""
        return self._source.read(size)

    def close(self) -> None:
        """Do nothing: the opener of the source closes it."""


_OPEN_SOURCES: WeakSet[ArrowSource] = WeakSet()


def open_for_arrow(source: HashedFile | BinaryIO, block: int) -> Any:
    """Return the source as an Arrow stream, read in blocks of `block` bytes."""
    import pyarrow as pa

    return pa.BufferedInputStream(pa.PythonFile(ArrowSource(source), mode="r"), block)


def wait(pause: Callable[[float], None] = time.sleep) -> None:
    """Wait until no library refers to a source, for at most five seconds."""
    for _ in range(PATIENCE):
        if not len(_OPEN_SOURCES):
            return
        pause(0.001)


atexit.register(wait)
