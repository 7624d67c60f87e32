"""CSV and TSV files as columns of text: the fast reader, and the careful one that knows line numbers.

CSV is quoted as everywhere, and a file that holds a quote is read by Python's strict reader alone: Arrow's takes a
stray quote for the beginning of a cell and loses the lines up to the next one. In TSV a quote is an ordinary
character, as MS MARCO has it, save around a whole cell of a file with a header (what pandas and spreadsheets write)
and in files that make no sense without quoting.
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
from fairviz.study.loaders.source import BOM, MOST_COLUMNS, attempted, decode, numbered_lines, problem

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
    """How cells are separated; `quoted` says whether a quote at the start of a cell opens a quoted one."""

    delimiter: str
    quoted: bool

    @property
    def blanks(self) -> str:
        """What a line may hold and yet count as empty: in TSV a tab makes a row of empty cells."""
        return " \t".replace(self.delimiter, "")

    def start(self, data: bytes) -> int:
        """Where the first line that is not empty begins."""
        found = re.match(rb"(?:[%s]*+[\r\n])*+" % self.blanks.encode(), data)
        return found.end() if found else 0


CSV = Dialect(",", True)
TSV = Dialect("\t", False)
QUOTED_TSV = Dialect("\t", True)


def first_row(data: bytes, file: str, dialect: Dialect) -> list[str]:
    """The cells of the first line that holds anything. Raises DataError where they are more than 1,000."""
    start = dialect.start(data)
    end = found.start() if (found := _LINE_END.search(data, start)) else len(data)
    line = decode(data[:end], file)[start:]
    if dialect.quoted and '"' in line:
        decode(data, file)
        cells = next(_quoted_rows(data, file, dialect), (0, []))[1]
    else:
        cells = line.split(dialect.delimiter, MOST_COLUMNS)
    if len(cells) > MOST_COLUMNS:
        *_, (number, _) = numbered_lines(decode(data[:start], file) + "x")
        what = f"the first line has more than {MOST_COLUMNS:,} columns"
        raise problem(file, what, "Keep the columns that are needed.", line[:200], number)
    return cells


def read_columns(data: bytes, file: str, names: list[str], *, header: bool, dialect: Dialect) -> pd.DataFrame:
    """The file as text columns of these names. Raises DataError that names every line that is wrong."""
    quotes = b'"' in data
    frame = None if dialect.quoted and quotes else attempted(lambda: _fast(data, names, header, dialect))
    if frame is not None:
        return frame.map(_unquoted) if header and quotes else frame
    rows = numbered_rows(data, file, len(names), header=header, dialect=dialect)
    return pd.DataFrame([tuple(cells) for _, cells in rows], columns=names, dtype="str")


def _unquoted(cell: str) -> str:
    if cell[:1] == '"' and len(cell) > 1 and _WHOLE_CELL.fullmatch(cell):
        return cell[1:-1].replace('""', '"')
    return cell


def _fast(data: bytes, names: list[str], header: bool, dialect: Dialect) -> pd.DataFrame | None:
    """The columns of a file without quoted cells, None where a byte-order mark follows empty lines, which Arrow would
    drop. Raises what Arrow raises where it is in doubt."""
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
    """The rows after the header with the number of the line each begins in, one by one.

    Raises DataError with every bad line, once all lines were looked at or a hundred of them are bad.
    """
    text = decode(data, file)  # says which byte is wrong, and in which line
    if dialect.quoted:
        return _sound(_quoted_rows(data, file, dialect), file, width, header)
    unquoted = header and '"' in text
    if unquoted and any(len(cells) != width for _, cells in _plain_rows(text, dialect)):
        try:
            return iter(list(_sound(_quoted_rows(data, file, QUOTED_TSV), file, width, header)))
        except DataError:
            unquoted = False  # no way to read it: the lines are named as they stand
    rows = _plain_rows(text, dialect)
    if unquoted:
        rows = ((number, [_unquoted(cell) for cell in cells]) for number, cells in rows)
    return _sound(rows, file, width, header)


def _plain_rows(text: str, dialect: Dialect) -> Iterator[Row]:
    return ((number, line.split(dialect.delimiter)) for number, line in numbered_lines(text, dialect.blanks))


def strict_reader(lines: Iterable[str], delimiter: str) -> Any:
    """Python's CSV reader that takes cells of any length and no stray quote."""
    csv.field_size_limit(LONGEST_CELL)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def reason_of(error: csv.Error) -> str:
    """What the strict reader found, in words."""
    if "end of data" in str(error):
        return "a quote is opened and never closed"
    return "a cell is too long" if "limit" in str(error) else "text after a closing quote"


def _quoted_rows(data: bytes, file: str, dialect: Dialect) -> Iterator[Row]:
    """The rows of a file with quotes; line ends inside quotes are text. Raises DataError at the first stray quote."""
    with io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="") as lines:
        reader = strict_reader(lines, dialect.delimiter)
        start = 1
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                where = f" in line {reader.line_num}" if reader.line_num > start and "after" in str(error) else ""
                raise problem(file, reason_of(error) + where, QUOTES_REMEDY, line=start) from error
            if cells is None:
                return
            if len(cells) > 1 or (cells and cells[0].strip(dialect.blanks)):
                yield start, cells
            start = reader.line_num + 1


def _sound(rows: Iterator[Row], file: str, width: int, header: bool) -> Iterator[Row]:
    bad = BadLines(file, lambda lines: remedies(lines, _REMEDIES))
    for place, (number, cells) in enumerate(_all_named(rows, bad)):
        if place == 0 and header:
            continue
        if len(cells) == width:
            yield number, cells
        else:
            bad.add(number, f"expected {width} columns, found {len(cells)}", " ".join(cells))
    bad.settle()


def _all_named(rows: Iterator[Row], bad: BadLines) -> Iterator[Row]:
    """The rows; the stray quote that ends them is added to the bad lines before it."""
    try:
        yield from rows
    except DataError as error:
        for line in error.lines:
            bad.add(line.line, line.problem, line.value)
