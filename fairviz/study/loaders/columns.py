"""Columns between white space, as in TREC's runs and relevance: a fast reader, a careful one, and one that reads the
blocks of a file by the fast reader and those with a fault by the careful one."""

import math
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from fairviz.errors import BadLines, attempt, problem
from fairviz.study.loaders.lines import notice_comments, numbered_lines
from fairviz.study.loaders.source import BOM

LARGEST = 2**31 - 1
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE_NUMBER = re.compile(r"[+-]?0*[0-9]{1,10}")
_COMMENT = re.compile(rb"^#[^\r\n]*", re.MULTILINE)
_SIGNS = re.compile(r"[\t,;|]")
_BLANKS = re.compile(r"[ \t]+")
_BLOCK = 1 << 21
BLOCKS = (1 << 24, 1 << 18)  # bytes that are read at once, and, where these have a fault, carefully


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


def read_fast_table(data: bytes, types: dict[str, Any]) -> Any | None:
    """Return the bytes of a file as an Arrow table of these columns, or None for anything unusual or wrong.

    Single spaces and single tabs are read as they are; any other mixture of blanks is first reduced to single spaces,
    which takes a few passes.
    """
    for delimiter in (" ", "\t"):
        if (table := attempt(lambda sign=delimiter: _parse(data, sign, types))) is not None:  # type: ignore[misc]
            return table
    spaced = _with_single_spaces(data)
    return None if spaced == data else attempt(lambda: _parse(spaced, " ", types))


def _with_single_spaces(data: bytes) -> bytes:
    """Return the bytes with single spaces between texts, none at the ends of lines, and LF for CRLF and CR."""
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def _parse(data: bytes, delimiter: str, types: dict[str, Any]) -> Any | None:
    """Return the table, or None for an invalid text. Arrow's errors are raised."""
    import pyarrow as pa
    from pyarrow import csv

    read_as = {name: kind if pa.types.is_floating(kind) else pa.string() for name, kind in types.items()}
    table = csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(column_names=list(types), block_size=_BLOCK),
        parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False, escape_char=False),
        convert_options=csv.ConvertOptions(
            column_types=read_as, null_values=[], strings_can_be_null=False, quoted_strings_can_be_null=False
        ),
    )
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
    text: str, width: int, check: Callable[[list[str]], list[tuple[str, str]]], bad: BadLines, first: int = 1
) -> CarefulRows:
    """Return the rows of `width` columns; all others are added to `bad`.

    `check` returns the defects of a row as (problem, value). first: the number of the first line. Raises DataError for
    too many bad lines.
    """
    numbers, rows = [], []
    for number, line in numbered_lines(text):
        number += first - 1
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


class Block(NamedTuple):
    """Sound rows of a file. columns: Arrow texts and numbers by name. numbers: of their lines."""

    columns: Any
    numbers: np.ndarray


def read_blocks(
    data: bytes,
    types: dict[str, Any],
    sound_rows: Callable[[Any], np.ndarray],
    check: Callable[[list[str]], list[tuple[str, str]]],
    bad: BadLines,
) -> list[Block]:
    """Return the sound rows of a text whose lines end in LF, a block of lines each; all other lines are added to `bad`.

    types: of the columns, as for `read_fast_table`. sound_rows: of the columns of a block that the fast reader took, a
    mask (N,); the lines of the others are read carefully. check: see `read_careful_rows`. Raises DataError for too many
    bad lines.
    """

    def fast(block: bytes, first: int) -> Block | None:
        columns, lines = read_fast_table(block, types), _line_count(block)
        if columns is None or len(columns) != lines:
            return None
        numbers, is_sound = np.arange(first, first + lines), sound_rows(columns)
        if is_sound.all():
            return Block(columns, numbers)
        lines_of_block, rows = block.split(b"\n"), np.flatnonzero(~is_sound).tolist()
        texts = [lines_of_block[row].decode() for row in rows]
        if not all(check(fields_of(text)) for text in texts):
            return None
        for row, text in zip(rows, texts, strict=True):
            read_careful_rows(text, len(types), check, bad, first + row)
        return Block(columns.filter(is_sound), numbers[is_sound])

    blocks, first = [], 1
    for large in _cut(data, BLOCKS[0]):
        if (found := fast(large, first)) is not None:
            blocks.append(found)
        else:
            start = first
            for small in _cut(large, BLOCKS[1]):
                blocks.append(fast(small, start) or _careful_block(small, start, types, check, bad))
                start += _line_count(small)
        first += _line_count(large)
    return blocks


def _cut(data: bytes, size: int) -> Iterator[bytes]:
    """Yield the bytes in pieces of about this size, each of whole lines."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + size) + 1 or len(data)
        yield data[start:end] if start or end < len(data) else data
        start = end


def _line_count(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n"))


def _careful_block(
    block: bytes,
    first: int,
    types: dict[str, Any],
    check: Callable[[list[str]], list[tuple[str, str]]],
    bad: BadLines,
) -> Block:
    import pyarrow as pa

    careful = read_careful_rows(block.decode(), len(types), check, bad, first)
    cells = zip(*careful.rows, strict=True) if careful.rows else [()] * len(types)
    columns = {}
    for (name, kind), texts in zip(types.items(), cells, strict=True):
        values: Any = texts if pa.types.is_string(kind) else [float(text) for text in texts]
        columns[name] = pa.array(values, type=pa.string() if pa.types.is_string(kind) else pa.float64()).cast(kind)
    return Block(pa.table(columns), np.array(careful.numbers, dtype=np.int64))
