"""Tables of one row a line, in CSV, TSV, JSON, a workbook or Parquet: `source` opens the file, and bad rows are
collected with their lines. JSON and Parquet are read here, delimited text by `lines`.
"""

import json
import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import MOST_BAD_LINES, BadLine, BadLines, DataError, attempt, cap_lines, parsing, problem, raise_bad
from fairviz.study.loaders.archive import packed_names
from fairviz.study.loaders.lines import SET_APART, Layout, decode, decoded_lines, read_delimited
from fairviz.study.loaders.source import MOST_COLUMNS, Source, open_source
from fairviz.study.tables import EXACT
from fairviz.words.sentences import with_article

SUFFIXES = (*packed_names(".tsv", ".csv", ".jsonl", ".json"), ".xlsx", ".parquet")  # the last two are packed inside
JSON_REMEDY = 'Write one JSON object a line, such as {"doc_id": "1", "text": "..."}.'
FREE_CELLS = 10_000_000  # of JSON lines, many possibly empty; a larger file may have one for each byte
THE_FILE = "the file"
_BETWEEN = re.compile(r"[\s,]*")
LOOK = "Check its contents, or save them as CSV."
_UNNAMED_INDEX = "__index_level_"  # in pandas
_ROWS = 1 << 20
_FEW_ROWS = 256
_DATED = (-62_104_060_800, 253_370_764_800)  # seconds from 1970 to the years 2 and 9999: within 1 to 9999 in any zone
_UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}  # in a second
_OBJECT_BYTES = 64  # at least, of a value that Arrow converts to a Python object


@dataclass(frozen=True)
class Rows:
    """A file's rows. `file`: its name for errors; `lines()`: the line of each row (0 in Parquet); `named`: the columns'
    names in the file; `foreign`: whether they are those of a program's export.
    """

    frame: pd.DataFrame
    file: str
    lines: Callable[[], list[int]]
    named: tuple[str, ...] = ()
    foreign: bool = False

    @property
    def is_guarded(self) -> bool:
        """True if the file marks its texts as guarded."""
        return SET_APART in self.named

    def bad(self, defects: Iterable[tuple[int, str]], column: str | None = None) -> list[BadLine]:
        """Return a bad line for each (row, defect), at most a hundred, with the row's value of the column."""
        first = list(islice(defects, MOST_BAD_LINES))
        if not first:
            return []
        lines, bad_lines = self.lines(), []
        for row, message in first:
            value = None if column is None else self.frame[column].iloc[row]
            is_empty = value is None or (isinstance(value, float) and np.isnan(value))
            bad_lines.append(BadLine(self.file, lines[row], message, None if is_empty else str(value)))
        return cap_lines(bad_lines)

    def bad_where(self, is_bad: Any, message: str, column: str | None = None) -> list[BadLine]:
        """Return a bad line for each row where the mask (N,) is true: see `bad`."""
        places = np.flatnonzero(np.asarray(is_bad, dtype=bool))
        return self.bad(((row, message) for row in places.tolist()), column)

    def check(self, is_bad: Any, message: str, column: str, remedy: str) -> None:
        """Raise DataError with each row where the mask (N,) is true."""
        raise_bad(self.bad_where(is_bad, message, column), remedy)

    def check_pairs(self, relation: str, remedy: str) -> None:
        """Raise DataError with each row that repeats the query and document of an earlier one; relation: `judged`."""
        repeated = self.frame[["query_id", "doc_id"]].astype("str").duplicated()
        self.check(repeated, f"this document is {relation} for this query already", "doc_id", remedy)


def read_rows(path: str | Path, layout: Layout, root: str | Path | None = None) -> Rows:
    """Return the rows of the file, columns under the layout's names, ids as text.

    Raises DataError for an unreadable file, and for an empty or fractional id, true or false.
    """
    return rows_of(open_source(path, root), layout)


def rows_of(source: Source, layout: Layout) -> Rows:
    """Return the rows of an opened file: see `read_rows`."""
    if source.ending == ".parquet":
        frame, lines = read_parquet(source.data, source.file, source.most_bytes)
    elif source.ending in (".jsonl", ".json"):
        frame, lines = read_json(source.data, source.file, source.ending)
    else:
        return _with_ids(Rows(*read_delimited(source, layout)), layout)
    header = layout.columns(list(frame.columns), source.file)
    rows = Rows(frame.set_axis(header.names, axis="columns"), source.file, lambda: lines, header.named, header.foreign)
    return _with_ids(rows, layout)


def _with_ids(rows: Rows, layout: Layout) -> Rows:
    """Return the rows with the layout's ids as text. Raises DataError for an empty or fractional id, true or false."""
    if rows.foreign:
        return rows

    def id_text(value: object) -> str | None:
        """Return the id as text, of a float with its point, which `settled` drops; None unless text or a number."""
        if isinstance(value, (str, int, np.integer)) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, (float, np.floating)) and value == value:
            return f"{int(value)}.0" if np.isfinite(value) and not _is_fraction(value) else str(value)
        return None

    frame = rows.frame.copy(deep=False)
    columns = [name for name in layout.ids if name in frame]
    bad_lines = []
    for name in columns:
        texts = values = frame[name]
        if not isinstance(values.dtype, pd.StringDtype):
            message = f"the {name} is a fraction, not text or a whole number"
            bad_lines += rows.bad_where(values.map(_is_fraction), message, name)
            texts = values.map(id_text).astype("str")
        frame[name] = texts
        bad_lines += rows.bad_where(texts.isna() | (texts == ""), f"the {name} is empty or not text")
    bad_lines.sort(key=lambda bad: bad.line)
    raise_bad(bad_lines, f"Give every row {' and '.join(map(with_article, columns))}.")
    return replace(rows, frame=frame)


def _is_fraction(value: Any) -> bool:
    """Return whether the id is a float that is no whole number, or beyond those that floats hold."""
    number = float(value) if isinstance(value, (float, np.floating)) else 0.0
    return number == number and not (number.is_integer() and abs(number) <= EXACT)


def find_non_text(rows: Rows, column: str, *, missing: bool) -> list[BadLine]:
    """Return a bad line for each row whose cell is not text, or is missing without permission."""
    values = rows.frame[column]
    if isinstance(values.dtype, pd.StringDtype) and not values.isna().any():
        return []
    is_missing = values.isna()
    invalid = ~values.map(lambda value: isinstance(value, str)) & ~is_missing
    invalid = invalid if missing else invalid | is_missing
    return rows.bad_where(invalid, f"the {column} is not text", column)


def repeated_ids(rows: Rows, name: str) -> list[BadLine]:
    """Return a bad line for each row that repeats an earlier row's id."""
    if not rows.frame[name].duplicated().any():
        return []
    first: dict[str, int] = {}
    bad_lines = []
    for line, value in zip(rows.lines(), rows.frame[name], strict=True):
        if value in first:
            earlier = f"in line {first[value]} already" if line else "in an earlier row already"
            bad_lines.append(BadLine(rows.file, line, f"this {name} is {earlier}", value))
        first.setdefault(value, line)
    return cap_lines(bad_lines)


# --- JSON and Parquet: one object or row for each query, document or label; and JSON of numbers by query and
# document, as ranx and BEIR write runs and judgements.


class _JSONError(ValueError):
    """A defect of a line of JSON."""


def read_json(data: bytes, file: str, ending: str) -> tuple[pd.DataFrame, list[int]]:
    """Return the objects of a JSON file as a frame, and the line of each (0 for objects by id): an array, one object a
    line, or an object of objects or texts by id, which becomes the column `_id`. Raises DataError.
    """
    if data.lstrip()[:1] == b"[":
        return _frame_of(_array(decode(data, file), file), data, file)
    if ending == ".json" and isinstance(content := whole_json(data), dict):
        rows = next((value for value in content.values() if isinstance(value, list) and len(content) == 1), None)
        by_id = [
            {"_id": name, **(value if isinstance(value, dict) else {"text": value})} for name, value in content.items()
        ]
        objects = [row for row in rows if isinstance(row, dict)] if rows else by_id
        return _frame_of(((0, {name: _plain(value) for name, value in row.items()}) for row in objects), data, file)
    return read_json_lines(data, file)


def whole_json(data: bytes) -> Any:
    """Return the content of a file that is one value of JSON; None for any other. Raises nothing."""
    return attempt(lambda: _DECODER.decode(data.decode()))


def _array(text: str, file: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each object of an array of JSON with its line. Raises DataError where there is none."""
    place = text.index("[") + 1
    line = 1 + text.count("\n", 0, place)
    while True:
        start = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]
        line += text.count("\n", place, start)
        if text.startswith("]", start) and not text[start + 1 :].strip():
            return
        try:
            record, place = _DECODER.raw_decode(text, start)
            plain_record = _checked(record, text[start:place])
        except (ValueError, RecursionError) as error:
            raise problem(file, _defect(error), JSON_REMEDY, text[start : start + 80], line) from error
        yield line, plain_record
        line += text.count("\n", start, place)


def read_json_lines(data: bytes, file: str) -> tuple[pd.DataFrame, list[int]]:
    """Return the objects as a frame, and the line of each. Numbers stay numbers; lists and objects become JSON text.

    Raises DataError that names every line that is not a JSON object, and for more than 1,000 keys.
    """
    bad_lines = BadLines(file, JSON_REMEDY)

    def objects() -> Iterator[tuple[int, dict[str, Any]]]:
        for number, line in decoded_lines(data, file):
            try:
                yield number, _checked(_DECODER.decode(line), line)
            except (ValueError, RecursionError) as error:
                bad_lines.add(number, _defect(error), line)
        bad_lines.raise_collected()

    return _frame_of(objects(), data, file)


def _frame_of(numbered: Iterable[tuple[int, dict[str, Any]]], data: bytes, file: str) -> tuple[pd.DataFrame, list[int]]:
    """Return the objects as a frame, and the line of each. Raises DataError for too many keys or cells."""
    objects, lines, names = [], [], dict[str, None]()
    for number, record in numbered:
        objects.append(record)
        lines.append(number)
        names.update(dict.fromkeys(record))
        if len(names) > MOST_COLUMNS:
            raise problem(
                file, f"more than {MOST_COLUMNS:,} different keys", "Keep those that are needed.", None, number
            )
    if len(names) * len(objects) > max(FREE_CELLS, len(data)):
        problem_text = f"{len(objects):,} objects with {len(names):,} different keys, of which most are absent"
        raise problem(file, problem_text, "Keep those keys that are needed.")
    return pd.DataFrame({name: _column([record.get(name) for record in objects]) for name in names}), lines


def _column(values: list[Any]) -> pd.Series:
    """Return the values as a column that keeps their types: text as text, integers with gaps as integers."""
    types = {type(value) for value in values if value is not None}
    if types <= {str}:
        return pd.Series(values, dtype="str")
    mixed_numbers = types == {int, float} and all(abs(value) <= EXACT for value in values if type(value) is int)
    is_plain = mixed_numbers or types == {float} or (len(types) == 1 and None not in values)
    return pd.Series(values) if is_plain else pd.Series(values, dtype="object")


def _checked(record: Any, text: str) -> dict[str, Any]:
    """Return the object with lists and objects in it as text. Raises ValueError for anything else, and for half a
    character."""
    if not isinstance(record, dict):
        raise _JSONError("not a JSON object")
    plain_record = {name: _plain(value) for name, value in record.items()}
    if "\\u" in text:
        json.dumps(plain_record, ensure_ascii=False).encode()
    return plain_record


def _defect(error: Exception) -> str:
    if isinstance(error, _JSONError):
        return str(error)
    if isinstance(error, UnicodeEncodeError):
        return "half a character (a lone surrogate)"
    if isinstance(error, RecursionError):
        return "too many brackets inside one another"
    return "a number of too many digits" if "digits" in str(error) else "not a JSON object"


def numbers_by_query(content: Any, place: str, number: str, bad_lines: BadLines) -> Iterator[tuple[str, str, float]]:
    """Yield query, document and number of `{query: {document: number}}`; add what is none to `bad_lines`. place: the
    split, or THE_FILE, for messages; number: the word for it, as score.
    """
    whole = place == THE_FILE
    for query, numbers in items_of(content, place if whole else f"split {place!r}", bad_lines):
        for document, value in items_of(numbers, f"query {query!r}{'' if whole else f' of {place}'}", bad_lines):
            if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value):
                yield query, document, float(value)
            else:
                what = f"the {number} of document {document!r} for query {query!r} is not a finite number"
                bad_lines.add(0, what, str(value))


def items_of(content: Any, place: str, bad_lines: BadLines) -> Iterator[tuple[str, Any]]:
    """Yield the items of an object; add anything else to `bad_lines`."""
    if isinstance(content, dict):
        yield from content.items()
    else:
        bad_lines.add(0, f"no table for {place}", str(content))


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs as an object. Raises _JSONError for a repeated key, of which a parser would keep one value."""
    record = dict(pairs)
    if len(record) < len(pairs):
        seen_keys: set[str] = set()
        repeated_key = next(key for key, _ in pairs if key in seen_keys or seen_keys.add(key))  # type: ignore[func-returns-value]
        raise _JSONError(f"the key {repeated_key!r} appears twice")
    return record


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys)  # `json.loads` would make one for each line


def _plain(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value


def read_parquet(data: bytes, file: str, most_bytes: int) -> tuple[pd.DataFrame, list[int]]:
    """Return a Parquet file as a frame, and line 0 for each row: a named index becomes a column, a category its text.

    Raises DataError for a damaged file, and for one of more than `most_bytes` unpacked.
    """
    import pyarrow as pa
    from pyarrow import parquet

    with _parsing_parquet(file):
        source = parquet.ParquetFile(pa.BufferReader(data))
        schema, names, count = source.schema_arrow, source.schema_arrow.names, source.metadata.num_rows
    _check_size(schema, count, data, file, most_bytes)
    table = _read_table(data, schema, file, most_bytes)
    _check_times(table, file)
    with _parsing_parquet(file):
        if len(table) != count:
            raise ValueError(f"{count} rows are announced, {len(table)} found")
        frame = table.to_pandas(ignore_metadata=True, integer_object_nulls=True, date_as_object=False)
    column_places = [place for place, name in enumerate(names) if not name.startswith(_UNNAMED_INDEX)]
    return frame.iloc[:, column_places], [0] * count


def _check_size(schema: Any, count: int, data: bytes, file: str, most_bytes: int) -> None:
    """Raise DataError for too many columns or values, before any value is read."""
    import pyarrow.types as kinds

    if len(schema) > MOST_COLUMNS:
        message = f"the file has {len(schema):,} columns, more than {MOST_COLUMNS:,}"
        raise problem(file, message, "Keep the columns that are needed.")
    objects = any(kinds.is_nested(field.type) or kinds.is_decimal(field.type) for field in schema)
    values = abs(count) * len(schema)
    if any(kinds.is_nested(field.type) for field in schema):
        values = max(values, _count_nested(data, file))
    if values * (_OBJECT_BYTES if objects else 8) > most_bytes:
        raise problem(file, f"the file unpacks out of all proportion, to {values:,} values", LOOK)


def _count_nested(data: bytes, file: str) -> int:
    """Return the number of values in the columns' chunks: for lists in columns it differs from the number of rows.

    They are counted in a separate process: a damaged description of a chunk makes Arrow end the process.
    """
    process = subprocess.run([sys.executable, "-c", _COUNT], input=data, capture_output=True, check=False)
    with _parsing_parquet(file):
        return int(process.stdout)


_COUNT = """
import sys, pyarrow as pa
from pyarrow import parquet
footer = parquet.ParquetFile(pa.BufferReader(sys.stdin.buffer.read())).metadata
groups = [footer.row_group(place) for place in range(footer.num_row_groups)]
print(sum(abs(group.column(place).num_values) for group in groups for place in range(group.num_columns)))
"""


def _check_times(table: Any, file: str) -> None:
    """Raise DataError for a time with a zone outside Python's calendar: pandas can store but not print it."""
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    for field, column in zip(table.schema, table.columns, strict=True):
        if not kinds.is_timestamp(field.type) or not field.type.tz:
            continue
        span = pc.min_max(column.cast("int64")).as_py().values()
        if any(value is not None and not _DATED[0] <= value // _UNITS[field.type.unit] < _DATED[1] for value in span):
            message = f"the column {field.name!r} holds a time with a zone outside the years 2 to 9998"
            raise problem(file, message, "Write its times as text.")


def _parsing_parquet(file: str) -> Any:
    return parsing(file, "the file is not a sound Parquet file", "Write it again, or save it as CSV.")


def _read_table(data: bytes, schema: Any, file: str, most_bytes: int) -> Any:
    """Return the file as an Arrow table without dictionaries.

    Texts are read as dictionaries, so that their unpacked size is known before unpacking. If Arrow cannot do that
    (texts written as differences), and for columns of lists, few rows are read at a time.
    """
    import pyarrow as pa
    import pyarrow.types as kinds
    from pyarrow import parquet

    def read(texts: list[str], rows: int) -> list[Any]:
        with _parsing_parquet(file):
            source = parquet.ParquetFile(pa.BufferReader(data), read_dictionary=texts, page_checksum_verification=True)
            batches = source.iter_batches(rows)
        return _unpack_batches(batches, file, most_bytes)

    has_lists = any(kinds.is_nested(field.type) for field in schema)
    try:
        batches = read([field.name for field in schema if _is_text(field.type)], _FEW_ROWS if has_lists else _ROWS)
    except DataError as error:
        if "Not yet implemented" not in str(error.__cause__):
            raise
        batches = read([], _FEW_ROWS)
    return pa.Table.from_batches(batches, _unpacked_schema(schema))


def _unpack_batches(batches: Iterator[Any], file: str, most_bytes: int) -> list[Any]:
    """Return the batches with every dictionary unpacked. Raises DataError if they are too large together."""
    import pyarrow as pa

    byte_count = 0
    unpacked_batches: list[Any] = []
    while True:
        with _parsing_parquet(file):
            batch = next(batches, None)
        if batch is None:
            return unpacked_batches
        with _parsing_parquet(file):
            batch.validate(full=True)
        byte_count += sum(map(_unpacked_size, batch.columns))
        if byte_count > most_bytes:
            raise problem(
                file, f"the file unpacks to more than {most_bytes / 1024**2:,.0f} MB, out of all proportion", LOOK
            )
        schema = _unpacked_schema(batch.schema)
        columns = [_unpacked(column, field.type) for column, field in zip(batch.columns, schema, strict=True)]
        unpacked_batches.append(pa.RecordBatch.from_arrays(columns, schema=schema))


def _unpacked_size(column: Any) -> int:
    """Return the bytes of the unpacked column."""
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    if not kinds.is_dictionary(column.type) or not _is_text(column.type):
        return column.nbytes
    lengths = pc.take(pc.binary_length(column.dictionary), column.indices)
    return (pc.sum(pc.cast(lengths, "int64")).as_py() or 0) + 8 * len(column)


def _unpacked_schema(schema: Any) -> Any:
    """Return the schema without dictionaries, and with texts of any length."""
    import pyarrow as pa

    fields = []
    for field in schema:
        kind = getattr(field.type, "value_type", field.type) if pa.types.is_dictionary(field.type) else field.type
        fields.append(pa.field(field.name, pa.large_string() if _is_text(kind) else kind))
    return pa.schema(fields)


def _unpacked(column: Any, kind: Any) -> Any:
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    if kinds.is_dictionary(column.type):
        return pc.take(column.dictionary.cast(kind), column.indices)
    return column if column.type == kind else column.cast(kind)


def _is_text(kind: Any) -> bool:
    """Return whether the Arrow type is text, or a category of text."""
    import pyarrow.types as kinds

    kind = kind.value_type if kinds.is_dictionary(kind) else kind
    return kinds.is_string(kind) or kinds.is_large_string(kind)
