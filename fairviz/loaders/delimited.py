"""CSV and TSV files as columns of text: the fast reader, and the careful one that knows line numbers.

CSV is quoted as everywhere. In TSV a quote is an ordinary character, as MS MARCO has it, save around a whole cell of
a file with a header (what pandas and spreadsheets write) and in files that make no sense without quoting.
"""

import csv
import io
import re
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairviz.errors import BadLine, DataError
from fairviz.loaders.source import decode, numbered_lines, problem

_BLOCK = 1 << 24
_WHOLE_CELL = re.compile(r'"(?:[^"]|"")*"', re.DOTALL)
COLUMNS_REMEDY = "Give every line as many cells as the first one; put a cell that holds the separator into quotes."
QUOTES_REMEDY = "Close every quote, and write a quote inside a quoted cell twice."


@dataclass(frozen=True)
class Dialect:
    """How cells are separated; `quoted` says whether a quote at the start of a cell opens a quoted one."""

    delimiter: str
    quoted: bool


CSV = Dialect(",", True)
TSV = Dialect("\t", False)
QUOTED_TSV = Dialect("\t", True)


def first_line(data: bytes, file: str, dialect: Dialect) -> list[str]:
    """The cells of the first line that holds anything."""
    for _, line in numbered_lines(decode(data.lstrip(b"\r\n \t")[:100_000].split(b"\n", 1)[0], file)):
        return next(csv.reader([line])) if dialect.delimiter == "," else line.split("\t")
    return []


def read_columns(data: bytes, file: str, names: list[str], *, header: bool, dialect: Dialect) -> pd.DataFrame:
    """The file as text columns of these names. Raises DataError that names every line that is wrong."""
    frame = _fast(data, names, header, dialect)
    if frame is not None:
        return frame.map(_unquoted) if not dialect.quoted and header and b'"' in data else frame
    rows = numbered_rows(data, file, len(names), header=header, dialect=dialect)
    return pd.DataFrame([cells for _, cells in rows], columns=names, dtype="str")


def _unquoted(cell: str) -> str:
    if cell[:1] == '"' and len(cell) > 1 and _WHOLE_CELL.fullmatch(cell):
        return cell[1:-1].replace('""', '"')
    return cell


def _fast(data: bytes, names: list[str], header: bool, dialect: Dialect) -> pd.DataFrame | None:
    """The columns of a file that Arrow reads without doubt, else None."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    if dialect.quoted and data.count(b'"') % 2:
        return None
    data = data.lstrip(b"\r\n")
    try:
        table: Any = arrow.read_csv(
            pa.BufferReader(data),
            read_options=arrow.ReadOptions(column_names=names, skip_rows=int(header), block_size=_BLOCK),
            parse_options=arrow.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char='"' if dialect.quoted else False,
                escape_char=False,
                newlines_in_values=dialect.quoted,
            ),
            convert_options=arrow.ConvertOptions(
                column_types=dict.fromkeys(names, pa.large_string()), null_values=[], strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid:
        return None
    return table.to_pandas()


def numbered_rows(data: bytes, file: str, width: int, *, header: bool, dialect: Dialect) -> list[tuple[int, list[str]]]:
    """The rows after the header with the number of the line each begins in. Raises DataError with every bad line."""
    text = decode(data, file)
    if dialect.quoted:
        return _sound(_quoted_rows(text, file, dialect), file, width, header)
    rows = [(number, line.split("\t")) for number, line in numbered_lines(text)]
    if header and '"' in text:
        if any(len(cells) != width for _, cells in rows):
            try:
                return _sound(_quoted_rows(text, file, QUOTED_TSV), file, width, header)
            except DataError:
                return _sound(rows, file, width, header)
        rows = [(number, [_unquoted(cell) for cell in cells]) for number, cells in rows]
    return _sound(rows, file, width, header)


def _quoted_rows(text: str, file: str, dialect: Dialect) -> list[tuple[int, list[str]]]:
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=dialect.delimiter, strict=True)
    rows = []
    start = 1
    try:
        for cells in reader:
            if len(cells) > 1 or (cells and cells[0].strip()):
                rows.append((start, cells))
            start = reader.line_num + 1
    except csv.Error as error:
        reason = "a quote is opened and never closed" if "end of data" in str(error) else "text after a closing quote"
        raise problem(file, reason, QUOTES_REMEDY, line=start) from error
    return rows


def _sound(rows: list[tuple[int, list[str]]], file: str, width: int, header: bool) -> list[tuple[int, list[str]]]:
    rows = rows[int(header) :]
    bad = [
        BadLine(file, number, f"expected {width} columns, found {len(cells)}", " ".join(cells))
        for number, cells in rows
        if len(cells) != width
    ]
    if bad:
        raise DataError(bad, COLUMNS_REMEDY)
    return rows
