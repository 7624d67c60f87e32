"""Columns between white space, as TREC writes runs and relevance: the fast reader and the careful one."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from fairviz.errors import BadLine
from fairviz.loaders.source import numbered_lines

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
_BLANKS = re.compile(r"[ \t]+")
_BLOCK = 1 << 22


def fast_table(data: bytes, types: dict[str, Any]) -> Any | None:
    """The bytes as an Arrow table of these columns, or None where anything is unusual or wrong.

    Single spaces are read as they stand. Tabs, runs of blanks and carriage returns are made single spaces first,
    which costs two passes over the bytes.
    """
    if b"\t" not in data and b"\r" not in data:
        table = _parsed(data, types)
        if table is not None:
            return table
    return _parsed(_single_spaced(data), types)


def _parsed(data: bytes, types: dict[str, Any]) -> Any | None:
    import pyarrow as pa
    from pyarrow import csv

    try:
        return csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(column_names=list(types), block_size=_BLOCK),
            parse_options=csv.ParseOptions(delimiter=" ", quote_char=False, escape_char=False),
            convert_options=csv.ConvertOptions(
                column_types=types, null_values=[], strings_can_be_null=False, quoted_strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None


def _single_spaced(data: bytes) -> bytes:
    data = data.replace(b"\r\n", b"\n").replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def careful_rows(
    text: str, file: str, width: int, check: Callable[[list[str]], Iterable[tuple[str, str | None]]]
) -> tuple[list[tuple[int, list[str]]], list[BadLine]]:
    """The rows of `width` columns with their line numbers, and every line that is wrong.

    `check` takes the columns of a line and yields what is wrong with them, as (problem, value).
    """
    rows, bad = [], []
    for number, line in numbered_lines(text):
        fields = _BLANKS.split(line.strip(" \t"))
        if len(fields) != width:
            bad.append(BadLine(file, number, f"expected {width} columns, found {len(fields)}", line))
            continue
        wrong = [BadLine(file, number, what, value) for what, value in check(fields)]
        bad.extend(wrong)
        if not wrong:
            rows.append((number, fields))
    return rows, bad


def repeated_pairs(rows: list[tuple[int, list[str]]], file: str, what: str) -> list[BadLine]:
    """A bad line for each row whose query (column 1) and document (column 3) stood in an earlier row."""
    first: dict[tuple[str, str], int] = {}
    bad = []
    for number, fields in rows:
        earlier = first.setdefault((fields[0], fields[2]), number)
        if earlier != number:
            message = f"document {fields[2]!r} {what} query {fields[0]!r} in line {earlier} already"
            bad.append(BadLine(file, number, message))
    return bad
