"""The lines of a text file with their numbers, and those of CSV and TSV as columns: a fast reader and a careful one.

CSV is quoted as usual, and a file with a quote is read only by Python's strict reader: Arrow's reads a stray quote as
the beginning of a cell and loses the lines up to the next one. In TSV a quote is an ordinary character, as in MS MARCO,
except around a whole cell of a file with a header (written by pandas and spreadsheets) and in files that are invalid
without quoting.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import BadLine, BadLines, DataError, cap_lines, display_path, notice, parsing, problem
from fairviz.study.loaders.source import AS_UTF8, BOM, MOST_COLUMNS, Source, read_bytes
from fairviz.words.sentences import agreeing, counted

MARK = "guarded_by_apostrophe"
MARK_VALUE = "yes"
LONGEST_CELL = 2**31 - 1  # characters
_BLOCK = 1 << 24
_PIECE = 1 << 20  # characters made into lines at a time
_WHOLE_CELL = re.compile(r'"(?:[^"]|"")*+"', re.DOTALL)
_LONGEST_HEADER = 1 << 16
_SEPARATOR = re.compile(rb'"?sep=([;,|\t])"?(?=[\r\n])', re.IGNORECASE)
_COMMENTS = re.compile(rb"(?:#[^\r\n]*+[\r\n]+)+")
_LINE_END = re.compile(rb"[\r\n]")
COLUMNS_REMEDY = "Give every line as many cells as the first one; put a cell that holds the separator into quotes."
QUOTES_REMEDY = "Close every quote, and write a quote inside a quoted cell twice."
_REMEDIES = {"columns": COLUMNS_REMEDY, "quote": QUOTES_REMEDY, "cell": "Cut it into several."}
_AS_GUARDED = f"Write {MARK_VALUE} in each of its rows if apostrophes precede cells, or give the column another name."
Row = tuple[int, list[str]]


_SAME = re.compile(r"[\s_.-]+")
_HEADER_WORDS = {"id", "did", "pid", "title", "label", "annotator", "word", "group", "passage", "document", "question"}
_HEADER_WORDS |= {"genderbias", "contentgender"}
QUERY_IDS = tuple((name, "query_id") for name in ("qid", "q_id", "topic_id", "topic", "query"))
DOCUMENT_IDS = tuple(
    (name, "doc_id")
    for name in ("docno", "docid", "did", "d_id", "corpus_id", "cid", "pid", "passage_id", "document_id", "document")
)


SET_APART = f"{MARK} "  # the mark's name while a file is read: a study's column may have the name, but never the blank
_STARTS = tuple("=+-@＝＋－＠'\t\r\n")


# --- Texts that a spreadsheet would run as a formula: marked by an apostrophe in a CSV file, and restored on
# reading. If a text of a table begins with = + - @ (also wide ones), an apostrophe, a tab or a line end, each of
# these texts in the file gets one apostrophe in front, and the file a last column `guarded_by_apostrophe` with `yes`
# in every row. Readers remove one apostrophe from each cell that begins with it, and drop the column; a file without
# the column is read unchanged. Numbers are never guarded.


def guard_rows(names: Sequence[str], rows: Iterable[Sequence[object]]) -> list[list[object]]:
    """Return the first line and the rows for a CSV writer, guarded and marked if any text needs it."""
    lines: list[list[object]] = [list(names), *(list(row) for row in rows)]
    if not any(_is_formula(cell) for line in lines for cell in line):
        return lines
    guarded = [list(map(_guard_cell, line)) for line in lines]
    return [[*line, MARK_VALUE if place else MARK] for place, line in enumerate(guarded)]


def guard_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame for a CSV file; itself if no text needs guarding."""
    texts = [place for place, kind in enumerate(frame.dtypes) if not pd.api.types.is_numeric_dtype(kind)]
    columns = {place: frame.iloc[:, place].astype("object") for place in texts}
    if not any(map(_is_formula, frame.columns)) and not any(
        _is_formula(cell) for column in columns.values() for cell in column
    ):
        return frame
    guarded = {
        place: columns[place].map(_guard_cell) if place in columns else frame.iloc[:, place]
        for place in range(frame.shape[1])
    }
    marked = pd.DataFrame(guarded, index=frame.index).assign(mark=MARK_VALUE)
    return marked.set_axis([*(_guard_cell(name) for name in frame.columns), MARK], axis="columns")


def is_guarded(names: Sequence[str]) -> bool:
    """Return whether the columns are those of a guarded file."""
    return bool(names) and names[-1] == MARK


def unguard(cell: str) -> str:
    """Return the original text of a guarded file's cell."""
    return cell.removeprefix("'")


def unguard_names(names: Sequence[str]) -> list[str]:
    """Return the original columns of a guarded file, and the mark's, set apart; columns of another file unchanged."""
    return [*map(unguard, names[:-1]), SET_APART] if is_guarded(names) else list(names)


def _is_formula(cell: object) -> bool:
    return isinstance(cell, str) and (cell.startswith(_STARTS) or cell == MARK)


def _guard_cell(cell: object) -> object:
    return f"'{cell}" if _is_formula(cell) else cell


# --- The columns that a file of rows must have: their names, other names for them, and the first line of CSV and
# TSV. Names are the same in any case of letters and with any of `-`, `_`, `.` and blanks: "Query-ID" is query_id.


@dataclass(frozen=True)
class Header:
    """The columns under the names of the layout and as the file names them; `in_file`: whether its first line does;
    `foreign`: whether they are those of a program's export."""

    names: list[str]
    named: tuple[str, ...]
    in_file: bool = True
    foreign: bool = False


@dataclass(frozen=True)
class Layout:
    """The requirements of a file: required columns, other names for them, the order of a TSV without a header, and the
    columns of ids. foreign: columns of the exports of programs, of each those that tell it apart; such a file may
    lack all others, as its rows are made into others later. foreign_if_lacking: those that do so in a file that lacks a
    required one.
    """

    part: str
    required: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...] = ()
    headerless: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    foreign: tuple[tuple[str, ...], ...] = ()
    foreign_if_lacking: tuple[tuple[str, ...], ...] = ()

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether these are columns of a sound file."""
        return self.is_foreign(names) or {*self.required} <= {*self.own_names(list(names))}

    def is_foreign(self, names: Sequence[str]) -> bool:
        """Return whether these are the columns of a program's export."""
        if any({*columns} <= {*names} for columns in self.foreign):
            return True
        lacks = not {*self.required} <= {*self.own_names(list(names))}
        return lacks and any({*columns} <= {*names} for columns in self.foreign_if_lacking)

    def columns(self, names: list, file: str) -> Header:
        """Return the header of a file that names its columns elsewhere. Raises DataError for an invalid one."""
        named = tuple(map(str, names))
        if self.is_foreign(named):
            return Header(list(named), named, foreign=True)
        own_names = self.own_names(names)
        self._check(own_names, named, file, 0)
        return Header(own_names, named)

    def header(self, rows: Sequence[list[str]], quoted: Sequence[bool], file: str) -> tuple[int, Header]:
        """Return the place and the header of the first line, split in several ways, of which the first counts unless
        another one alone fits. quoted: of each way, whether it is that of CSV. Raises DataError for an invalid line.

        A TSV without a header begins with as many cells as in MS MARCO, and none like a column's name.
        """
        place = next((place for place, cells in enumerate(rows) if self.fits(cells)), 0)
        cells, is_csv = rows[place], quoted[place]
        without = not is_csv and len(cells) == len(self.headerless)
        if without and not {*map(column_key, cells)} & self._header_words():
            return place, Header(list(self.headerless), self.headerless, in_file=False)
        cells = unguard_names(cells) if is_csv else cells
        if self.is_foreign(cells) and not repeated_names(cells):
            return place, Header(cells, tuple(cells), foreign=True)
        own_names = self.own_names(cells)
        names = [cell or f"column_{number}" for number, cell in enumerate(own_names, start=1)]
        for number, (cell, name) in enumerate(zip(own_names, names, strict=True), start=1):
            if not cell and name in own_names:
                message = f"column {number} has no name, and {name} is another's"
                raise problem(file, message, "Give each column its own name.", line=1)
        self._check(names, cells, file, 1)
        return place, Header(names, tuple(cells))

    def _header_words(self) -> set[str]:
        """Return the words that show a line to be a header, as `column_key` has them."""
        names = (*self.required, *self.ids, *(old for old, _ in self.aliases))
        return _HEADER_WORDS | {*map(column_key, names)}

    @cached_property
    def _pairs(self) -> tuple[list[str], list[tuple[str, str]]]:
        """Return the columns that are looked for, and each of the names compared with its column."""
        wanted = [*dict.fromkeys((*self.required, *self.ids, *(new for _, new in self.aliases)))]
        # PyTerrier's docid is a number beside the id docno
        before = [pair for pair in self.aliases if pair[0] == "docno"]
        pairs = [*before, *((name, name) for name in wanted), *self.aliases]
        return wanted, [(column_key(old), new) for old, new in pairs]

    def own_names(self, names: list) -> list:
        """Return the columns under the names of the layout: a missing one replaces itself in another spelling, or else
        its first alias that is present.
        """
        own_names, plain = list(names), [column_key(str(name)) for name in names]
        spelt = [_SAME.sub("_", str(name)).casefold() for name in names]
        wanted, keyed = self._pairs
        for old, new, keys in (
            *((name, name, spelt) for name in wanted),
            *((key, name, plain) for key, name in keyed),
        ):
            if new not in own_names and old in keys:
                place = keys.index(old)
                if own_names[place] == names[place]:
                    own_names[place] = new
        return own_names

    def _check(self, names: list[str], named: Sequence[str], file: str, line: int) -> None:
        """Raise DataError for too many, missing or repeated columns; `named`: their names in the file."""
        if len(names) > MOST_COLUMNS:
            message = f"the file has {len(names):,} columns, more than {MOST_COLUMNS:,}"
            raise problem(file, message, "Keep the columns that are needed.")
        missing = [name for name in self.required if name not in names]
        if missing:
            missing_text = " and ".join(repr(name) for name in missing)
            columns_text, verb = agreeing(len(missing), "column"), agreeing(len(missing), "is", "are")
            columns = ", ".join(self.required)
            remedy = f"Name the columns {columns} in the first line."
            remedy = remedy if line else f"Call the columns or keys {columns}."
            message = f"the {columns_text} {missing_text} {verb} missing"
            raise problem(file, message, remedy, ", ".join(map(str, named)), line)
        # one of two `_id` becomes the query_id
        twice = repeated_names(names) or repeated_names([name for name in named if name])
        if twice:
            remedy = "Give each column its own name."
            raise problem(file, "two columns have the same name", remedy, twice[0], line)


def column_key(name: str) -> str:
    """Return a column's name as it is compared with others: `Query-ID` as queryid."""
    return _SAME.sub("", name).casefold()


def repeated_names(names: Sequence[str]) -> list[str]:
    """Return the names that occur before, in their order."""
    return [name for place, name in enumerate(names) if name in names[:place]]


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


def read_delimited(
    source: Source, layout: Layout
) -> tuple[pd.DataFrame, str, Callable[[], list[int]], tuple[str, ...], bool]:
    """Return the rows of CSV or TSV, the file's name, a function for the line of each row, the columns' names in the
    file, and whether they are those of a program's export.

    The separator of the file's ending counts, unless the first line names the columns of the layout between others, or
    the separator itself (`sep=;`). Raises DataError that names every bad line.
    """
    data, file, own = source.data, source.file, CSV if source.ending == ".csv" else TSV
    if named := _SEPARATOR.match(data):
        own, data = Dialect(named[1].decode(), True), data[named.end() :]
    comments = _COMMENTS.match(data)
    if comments and _names_columns(_first_line(data[comments.end() :]), layout):
        notice_comments(file, sum(map(bool, comments[0].splitlines())))
        data = re.sub(rb"[^\r\n]+", b"", comments[0]) + data[comments.end() :]  # empty lines keep the numbers of lines

    dialects = [own, *(dialect for dialect in (CSV, TSV, Dialect(";", True), Dialect("|", True)) if dialect != own)]
    first = _first_line(data[own.start(data) :].lstrip(b"\r\n"))
    rows = [[first], *(first.split(each.delimiter, MOST_COLUMNS) for each in dialects[1:])]
    cleaned = [[cell.strip().strip('"') for cell in cells] for cells in rows]
    if not any(map(layout.fits, cleaned[1:])) or layout.fits(first.split(own.delimiter)):
        cleaned[0] = [cell.strip().strip('"') for cell in first_row(data, file, own)]
    place, header = layout.header(cleaned, [dialect.quoted for dialect in dialects], file)
    dialect = dialects[place]

    frame = read_columns(data, file, header.names, header=header.in_file, dialect=dialect)
    row_lines = partial(_row_lines, data, file, header, dialect)
    if SET_APART in header.named:
        unmarked = np.flatnonzero((frame[SET_APART] != MARK_VALUE).to_numpy(dtype=bool))
        if len(unmarked):
            _refuse_unmarked(file, np.array(row_lines())[unmarked], frame[SET_APART].iloc[unmarked])
        frame = frame.drop(columns=SET_APART).apply(lambda column: column.str.removeprefix("'"))
    return frame, file, row_lines, header.named, header.foreign


def _names_columns(line: str, layout: Layout) -> bool:
    """Return whether the line names the columns of the layout, between any separators."""
    return any(layout.fits([cell.strip(' "') for cell in line.split(sign)]) for sign in ",\t;|")


def _row_lines(data: bytes, file: str, header: Header, dialect: Dialect) -> list[int]:
    """Return the line of each row."""
    rows = numbered_rows(data, file, len(header.names), header=header.in_file, dialect=dialect)
    return [number for number, _ in rows]


def _refuse_unmarked(file: str, row_lines: np.ndarray, cells: pd.Series) -> None:
    """Raise DataError for the rows of a guarded file without the mark."""
    message = f"the last column is {MARK}, and its value is not {MARK_VALUE}"
    pairs = zip(row_lines.tolist(), cells, strict=True)
    raise DataError(cap_lines(BadLine(file, line, message, cell) for line, cell in pairs), _AS_GUARDED)


def notice_comments(file: str, count: int) -> None:
    """Notice the lines that were skipped since they begin with #, as trec_eval skips them."""
    notice(f"{file}: {counted(count, 'line')} beginning with # {agreeing(count, 'was', 'were')} skipped.")


def _first_line(data: bytes) -> str:
    return next(iter(data[:_LONGEST_HEADER].splitlines()), b"").decode("utf-8", "replace")


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


def read_text(path: str | Path, root: str | Path | None = None) -> tuple[str, str]:
    """Return the name of a file for errors, and its text. Raises DataError: see `open_source` and `decode`."""
    file = display_path(path, root)
    return file, decode(read_bytes(path, root), file)


def decoded_lines(data: bytes, file: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of these bytes with their numbers: see `decode` and `numbered_lines`."""
    yield from numbered_lines(decode(data, file))


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
    frame = None
    if not (dialect.quoted and quotes):
        with suppress(DataError), parsing(file, "", ""):  # the careful reader finds the reason of any error
            frame = _read_fast(data, names, header, dialect)
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


def _strict_reader(lines: Iterable[str], delimiter: str) -> Any:
    """Return Python's CSV reader for cells of any length, which rejects stray quotes."""
    csv.field_size_limit(LONGEST_CELL)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def _reason_of(error: csv.Error) -> str:
    """Return the strict reader's error in words."""
    if "end of data" in str(error):
        return "a quote is opened and never closed"
    return "a cell is too long" if "limit" in str(error) else "text after a closing quote"


def numbered_cells(
    text: str, bad_lines: BadLines, headers: Sequence[list[str]]
) -> Iterator[tuple[int, str, list[str]]]:
    """Yield each line between commas, tabs or semicolons, with its number and cells, but no first line like a header.

    Lines with a stray quote are added to `bad_lines`.
    """
    for place, (number, line) in enumerate(numbered_lines(text)):
        try:
            separator = ";" if ";" in line and not {",", "\t"} & {*line} else ","
            cells = [cell.strip() for cell in next(_strict_reader([line.replace("\t", ",")], separator))]
        except csv.Error as error:
            bad_lines.add(number, _reason_of(error), line)
            continue
        if place or [cell.lower() for cell in cells] not in headers:
            yield number, line, cells


def _quoted_rows(data: bytes, file: str, dialect: Dialect) -> Iterator[Row]:
    """Yield the rows of a file with quotes; line ends inside quotes are text.

    Raises DataError at the first stray quote.
    """
    with io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="") as lines:
        reader = _strict_reader(lines, dialect.delimiter)
        start = 1
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                line_text = f" in line {reader.line_num}" if reader.line_num > start and "after" in str(error) else ""
                raise problem(file, _reason_of(error) + line_text, QUOTES_REMEDY, line=start) from error
            if cells is None:
                return
            if len(cells) > 1 or (cells and cells[0].strip(dialect.blanks)):
                yield start, cells
            start = reader.line_num + 1


def _check_widths(rows: Iterator[Row], file: str, width: int, header: bool) -> Iterator[Row]:
    bad_lines = BadLines(file, _REMEDIES)
    for place, (number, cells) in enumerate(_collect_errors(rows, bad_lines)):
        if place == 0 and header:
            continue
        if len(cells) == width:
            yield number, cells
        else:
            bad_lines.add(number, f"expected {width} columns, found {len(cells)}", " ".join(cells))
    bad_lines.raise_collected()


def _collect_errors(rows: Iterator[Row], bad_lines: BadLines) -> Iterator[Row]:
    """Yield the rows; add a final stray quote to the earlier bad lines."""
    try:
        yield from rows
    except DataError as error:
        for line in error.lines:
            bad_lines.add(line.line, line.problem, line.value)
