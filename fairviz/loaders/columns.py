"""Columns between white space, as TREC writes runs and relevance: the fast reader and the careful one."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairviz.errors import BadLine
from fairviz.loaders.hashes import HeardFile
from fairviz.loaders.source import numbered_lines

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_BLANKS = re.compile(r"[ \t]+")
_BLOCK = 1 << 21


def fast_table(source: bytes | Path, types: dict[str, Any]) -> Any | None:
    """A file or its bytes as an Arrow table of these columns, or None where anything is unusual or wrong.

    A file must hold single spaces or single tabs: Arrow then parses it while it is being read. In bytes, any mixture
    of blanks is made single spaces first, which costs a few passes over them.
    """
    if not isinstance(source, Path):
        return _parsed(_single_spaced(source), " ", types)
    table = _parsed(source, " ", types)
    return table if table is not None else _parsed(source, "\t", types)


def _parsed(source: bytes | Path, delimiter: str, types: dict[str, Any]) -> Any | None:
    import pyarrow as pa
    from pyarrow import csv

    try:
        with HeardFile(source) if isinstance(source, Path) else pa.BufferReader(source) as stream:
            table = csv.read_csv(
                stream,
                read_options=csv.ReadOptions(column_names=list(types), block_size=_BLOCK),
                parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False, escape_char=False),
                convert_options=csv.ConvertOptions(
                    column_types=types, null_values=[], strings_can_be_null=False, quoted_strings_can_be_null=False
                ),
            )
    except (pa.ArrowInvalid, OSError):
        return None
    if isinstance(stream, HeardFile):
        stream.note()
    texts = (table[name] for name, kind in types.items() if pa.types.is_string(kind) or pa.types.is_large_string(kind))
    return None if any(_is_spoilt(text) for text in texts) else table


def _is_spoilt(texts: Any) -> bool:
    """Whether a blank or a zero byte stands in a text, or a text is empty: then columns were told apart wrongly."""
    import pyarrow.compute as pc

    content = [chunk.buffers()[2].to_pybytes() for chunk in texts.chunks if len(chunk) and chunk.buffers()[2]]
    found = any(sign in piece for piece in content for sign in (b" ", b"\t", b"\0"))
    return found or pc.min(pc.binary_length(texts)).as_py() == 0


def _single_spaced(data: bytes) -> bytes:
    data = data.replace(b"\r\n", b"\n").replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


@dataclass(frozen=True)
class CarefulRows:
    """Rows that are right in themselves with the number of the line of each, and a bad line for every other."""

    numbers: list[int]
    rows: list[tuple[str, ...]]
    bad: list[BadLine]


def careful_rows(text: str, file: str, width: int, check: Callable[[list[str]], list[tuple[str, str]]]) -> CarefulRows:
    """The rows of `width` columns. `check` takes the columns and returns what is wrong, as (problem, value)."""
    numbers, rows, bad = [], [], []
    for number, line in numbered_lines(text):
        fields = line.split(" ")
        if len(fields) != width or "\t" in line or "" in fields:
            fields = _BLANKS.split(line.strip(" \t"))
        if len(fields) != width:
            bad.append(BadLine(file, number, f"expected {width} columns, found {len(fields)}", line))
            continue
        wrong = check(fields)
        if wrong:
            bad.extend(BadLine(file, number, what, value) for what, value in wrong)
        else:
            numbers.append(number)
            rows.append(tuple(fields))  # a tuple of texts costs the garbage collector nothing
    return CarefulRows(numbers, rows, bad)


def repeated_pairs(found: CarefulRows, file: str, what: str) -> list[BadLine]:
    """A bad line for each row whose query (column 1) and document (column 3) stood in an earlier row."""
    first: dict[tuple[str, str], int] = {}
    bad = []
    for number, row in zip(found.numbers, found.rows, strict=True):
        earlier = first.setdefault((row[0], row[2]), number)
        if earlier != number:
            message = f"document {row[2]!r} {what} query {row[0]!r} in line {earlier} already"
            bad.append(BadLine(file, number, message))
    return bad


def remedies(bad: list[BadLine], known: dict[str, str]) -> list[str]:
    """The remedies whose word stands in one of the problems, values in quotes aside."""
    words = {word for line in bad for word in line.problem.split("'")[0].replace(",", " ").split()}
    return [remedy for word, remedy in known.items() if word in words]
