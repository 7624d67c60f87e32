"""Columns between white space, as TREC writes runs and relevance: the fast reader and the careful one."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairviz.errors import BadLine, BadLines
from fairviz.study.loaders.handing import handed
from fairviz.study.loaders.hashes import HeardFile
from fairviz.study.loaders.source import BOM, attempted, numbered_lines

LARGEST = 2**31 - 1
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_WHOLE_NUMBER = re.compile(r"[+-]?0*[0-9]{1,10}")
_BLANKS = re.compile(r"[ \t]+")
_BLOCK = 1 << 21


def fast_table(source: bytes | Path, types: dict[str, Any]) -> Any | None:
    """A file or its bytes as an Arrow table of these columns, or None where anything is unusual or wrong.

    A file must hold single spaces or single tabs: Arrow then parses it while it is being read. In bytes, any mixture
    of blanks is made single spaces first, which costs a few passes over them.
    """
    if not isinstance(source, Path):
        spaced = _single_spaced(source)
        return None if spaced.startswith(BOM) else attempted(lambda: _parsed(spaced, " ", types))
    table = attempted(lambda: _parsed(source, " ", types))
    return table if table is not None else attempted(lambda: _parsed(source, "\t", types))


def _parsed(source: bytes | Path, delimiter: str, types: dict[str, Any]) -> Any | None:
    """The table, or None where a text shows that it is wrong. Raises what Arrow raises where it cannot read it."""
    import pyarrow as pa
    from pyarrow import csv

    read_as = {name: kind if pa.types.is_floating(kind) else pa.string() for name, kind in types.items()}
    with HeardFile(source) if isinstance(source, Path) else pa.BufferReader(source) as stream:
        table = csv.read_csv(
            handed(stream, _BLOCK) if isinstance(stream, HeardFile) else stream,
            read_options=csv.ReadOptions(column_names=list(types), block_size=_BLOCK),
            parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False, escape_char=False),
            convert_options=csv.ConvertOptions(
                column_types=read_as, null_values=[], strings_can_be_null=False, quoted_strings_can_be_null=False
            ),
        )
    if isinstance(stream, HeardFile):
        stream.note()
    texts = [table[name] for name, kind in read_as.items() if kind == pa.string()]
    if not len(table) or any(_is_spoilt(text) for text in texts) or table[0][0].as_py().startswith(BOM.decode()):
        return None
    for place, (name, kind) in enumerate(types.items()):
        if pa.types.is_integer(kind):
            whole = _whole(table[name], kind)
            if whole is None:
                return None
            table = table.set_column(place, name, whole)
    return table


def _whole(texts: Any, kind: Any) -> Any | None:
    """The texts as whole numbers, or None for hexadecimal ones, which Arrow takes and nobody means."""
    import pyarrow.compute as pc

    return None if _holds(texts, b"x", b"X") else pc.cast(texts, kind)


def _holds(texts: Any, *signs: bytes) -> bool:
    """Whether any of the bytes stands in any of the texts."""
    content = [chunk.buffers()[2].to_pybytes() for chunk in texts.chunks if len(chunk) and chunk.buffers()[2]]
    return any(sign in piece for piece in content for sign in signs)


def _is_spoilt(texts: Any) -> bool:
    """Whether a blank or a zero byte stands in a text, or a text is empty: then columns were told apart wrongly."""
    import pyarrow.compute as pc

    return _holds(texts, b" ", b"\t", b"\0") or pc.min(pc.binary_length(texts)).as_py() == 0


def _single_spaced(data: bytes) -> bytes:
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\t", b" ")
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def whole_number_problem(name: str, text: str) -> str:
    """What is wrong with a whole number that must fit into 32 bits, or nothing."""
    if not _WHOLE_NUMBER.fullmatch(text):
        return f"the {name} is not a whole number"
    return "" if -LARGEST - 1 <= float(text) <= LARGEST else f"the {name} is larger than {LARGEST:,}"


@dataclass(frozen=True)
class CarefulRows:
    """Rows that are right in themselves with the number of the line of each."""

    numbers: list[int]
    rows: list[tuple[str, ...]]


def fields_of(line: str) -> list[str]:
    """The texts of a line between spaces or tabs; other blanks, such as one that does not break, are part of a text."""
    return _BLANKS.split(line.strip(" \t"))


def careful_rows(
    text: str, width: int, check: Callable[[list[str]], list[tuple[str, str]]], bad: BadLines
) -> CarefulRows:
    """The rows of `width` columns; every other is added to `bad`.

    `check` takes the columns and returns what is wrong, as (problem, value). Raises DataError where too many are bad.
    """
    numbers, rows = [], []
    for number, line in numbered_lines(text):
        fields = line.split(" ")
        if len(fields) != width or "\t" in line or "" in fields:
            fields = fields_of(line)
        if len(fields) != width:
            bad.add(number, f"expected {width} columns, found {len(fields)}", line)
            continue
        wrong = check(fields)
        if wrong:
            for what, value in wrong:
                bad.add(number, what, value)
        else:
            numbers.append(number)
            rows.append(tuple(fields))  # a tuple of texts costs the garbage collector nothing
    return CarefulRows(numbers, rows)


def note_repeated_pairs(found: CarefulRows, document: int, what: str, bad: BadLines) -> None:
    """Adds each row whose query (column 0) and document (column `document`) stood in an earlier row."""
    first: dict[tuple[str, str], int] = {}
    for number, row in zip(found.numbers, found.rows, strict=True):
        earlier = first.setdefault((row[0], row[document]), number)
        if earlier != number:
            bad.add(number, f"document {row[document]!r} {what} query {row[0]!r} in line {earlier} already")


def remedies(bad: list[BadLine], known: dict[str, str]) -> list[str]:
    """The remedies whose word stands in one of the problems, values in quotes aside."""
    words = {word for line in bad for word in line.problem.split("'")[0].replace(",", " ").split()}
    return [remedy for word, remedy in known.items() if word in words]
