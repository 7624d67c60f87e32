"""CSV and TSV files as columns of text: a fast reader, and a careful one with line numbers.

CSV is quoted as usual, and a file with a quote is read only by Python's strict reader: Arrow's reads a stray quote as
the beginning of a cell and loses the lines up to the next one. In TSV a quote is an ordinary character, as in MS MARCO,
except around a whole cell of a file with a header (written by pandas and spreadsheets) and in files that are invalid
without quoting.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairviz.errors import BadLines, DataError
from fairviz.study.loaders.columns import remedies
from fairviz.study.loaders.source import BOM, MOST_COLUMNS, attempt, decode, numbered_lines, problem

LONGEST_CELL = 2**31 - 1  # characters
_BLOCK = 1 << 24
_WHOLE_CELL = re.compile(r'"(?:[^"]|"")*+"', re.DOTALL)
_LINE_END = re.compile(rb"[\r\n]")
COLUMNS_REMEDY = "Give every line as many cells as the first one; put a cell that holds the separator into quotes."
QUOTES_REMEDY = "Close every quote, and write a quote inside a quoted cell twice."
_REMEDIES = {"columns": COLUMNS_REMEDY, "quote": QUOTES_REMEDY, "cell": "Cut it into several."}
Row = tuple[int, list[str]]


@dataclass(frozen=True)
class Dialect:
    """The separator of cells; `quoted`: whether a quote at the start of a cell opens a quoted one."""

    delimiter: str
    quoted: bool

    @property
    def blanks(self) -> str:
        """Blanks of a line that counts as empty: in TSV a tab makes a row of empty cells."""
        return " \t".replace(self.delimiter, "")

    def start(self, data: bytes) -> int:
        """Return the start of the first non-empty line."""
        blank_lines = re.match(rb"(?:[%s]*+[\r\n])*+" % self.blanks.encode(), data)
        return blank_lines.end() if blank_lines else 0


CSV = Dialect(",", True)
TSV = Dialect("\t", False)
QUOTED_TSV = Dialect("\t", True)


def first_row(data: bytes, file: str, dialect: Dialect) -> list[str]:
    """Return the cells of the first non-empty line. Raises DataError for more than 1,000."""
    start = dialect.start(data)
    end = match.start() if (match := _LINE_END.search(data, start)) else len(data)
    line = decode(data[:end], file)[start:]
    if dialect.quoted and '"' in line:
        decode(data, file)
        cells = next(_quoted_rows(data, file, dialect), (0, []))[1]
    else:
        cells = line.split(dialect.delimiter, MOST_COLUMNS)
    if len(cells) > MOST_COLUMNS:
        *_, (number, _) = numbered_lines(decode(data[:start], file) + "x")
        message = f"the first line has more than {MOST_COLUMNS:,} columns"
        raise problem(file, message, "Keep the columns that are needed.", line[:200], number)
    return cells


def read_columns(data: bytes, file: str, names: list[str], *, header: bool, dialect: Dialect) -> pd.DataFrame:
    """Return the file as text columns of these names. Raises DataError that names every bad line."""
    quotes = b'"' in data
    frame = None if dialect.quoted and quotes else attempt(lambda: _read_fast(data, names, header, dialect))
    if frame is not None:
        return frame.map(_unquote) if header and quotes else frame
    rows = numbered_rows(data, file, len(names), header=header, dialect=dialect)
    return pd.DataFrame([tuple(cells) for _, cells in rows], columns=names, dtype="str")


def _unquote(cell: str) -> str:
    if cell[:1] == '"' and len(cell) > 1 and _WHOLE_CELL.fullmatch(cell):
        return cell[1:-1].replace('""', '"')
    return cell


def _read_fast(data: bytes, names: list[str], header: bool, dialect: Dialect) -> pd.DataFrame | None:
    """Return the columns of a file without quoted cells; Arrow's errors are raised.

    None for a byte-order mark after empty lines, which Arrow would drop.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow

    data = data[dialect.start(data) :]
    if data.startswith(BOM):
        return None
    table: Any = arrow.read_csv(
        pa.BufferReader(data),
        read_options=arrow.ReadOptions(column_names=names, skip_rows=int(header), block_size=_BLOCK),
        parse_options=arrow.ParseOptions(delimiter=dialect.delimiter, quote_char=False, escape_char=False),
        convert_options=arrow.ConvertOptions(
            column_types=dict.fromkeys(names, pa.large_string()), null_values=[], strings_can_be_null=False
        ),
    )
    return table.to_pandas()


def numbered_rows(data: bytes, file: str, width: int, *, header: bool, dialect: Dialect) -> Iterator[Row]:
    """Return the rows after the header with the line number of each, one by one.

    Raises DataError with every bad line, after all lines or a hundred bad ones.
    """
    text = decode(data, file)  # raises with the byte and the line
    if dialect.quoted:
        return _check_widths(_quoted_rows(data, file, dialect), file, width, header)
    unquoted = header and '"' in text
    if unquoted and any(len(cells) != width for _, cells in _plain_rows(text, dialect)):
        try:
            return iter(list(_check_widths(_quoted_rows(data, file, QUOTED_TSV), file, width, header)))
        except DataError:
            unquoted = False  # invalid either way: the error names the lines unquoted
    rows = _plain_rows(text, dialect)
    if unquoted:
        rows = ((number, [_unquote(cell) for cell in cells]) for number, cells in rows)
    return _check_widths(rows, file, width, header)


def _plain_rows(text: str, dialect: Dialect) -> Iterator[Row]:
    return ((number, line.split(dialect.delimiter)) for number, line in numbered_lines(text, dialect.blanks))


def strict_reader(lines: Iterable[str], delimiter: str) -> Any:
    """Return Python's CSV reader for cells of any length, which rejects stray quotes."""
    csv.field_size_limit(LONGEST_CELL)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def reason_of(error: csv.Error) -> str:
    """Return the strict reader's error in words."""
    if "end of data" in str(error):
        return "a quote is opened and never closed"
    return "a cell is too long" if "limit" in str(error) else "text after a closing quote"


def _quoted_rows(data: bytes, file: str, dialect: Dialect) -> Iterator[Row]:
    """Yield the rows of a file with quotes; line ends inside quotes are text.

    Raises DataError at the first stray quote.
    """
    with io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="") as lines:
        reader = strict_reader(lines, dialect.delimiter)
        start = 1
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                line_text = f" in line {reader.line_num}" if reader.line_num > start and "after" in str(error) else ""
                raise problem(file, reason_of(error) + line_text, QUOTES_REMEDY, line=start) from error
            if cells is None:
                return
            if len(cells) > 1 or (cells and cells[0].strip(dialect.blanks)):
                yield start, cells
            start = reader.line_num + 1


def _check_widths(rows: Iterator[Row], file: str, width: int, header: bool) -> Iterator[Row]:
    bad_lines = BadLines(file, lambda lines: remedies(lines, _REMEDIES))
    for place, (number, cells) in enumerate(_collect_errors(rows, bad_lines)):
        if place == 0 and header:
            continue
        if len(cells) == width:
            yield number, cells
        else:
            bad_lines.add(number, f"expected {width} columns, found {len(cells)}", " ".join(cells))
    bad_lines.settle()


def _collect_errors(rows: Iterator[Row], bad_lines: BadLines) -> Iterator[Row]:
    """Yield the rows; add a final stray quote to the earlier bad lines."""
    try:
        yield from rows
    except DataError as error:
        for line in error.lines:
            bad_lines.add(line.line, line.problem, line.value)
