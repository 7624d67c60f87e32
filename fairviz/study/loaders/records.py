"""JSON lines and Parquet as frames: one object or row for each query, document or label."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from fairviz.errors import BadLines, display_path
from fairviz.study.loaders.source import (
    MOST_COLUMNS,
    decode,
    most_unpacked,
    numbered_lines,
    parsing,
    problem,
    read_raw,
)

JSON_REMEDY = 'Write one JSON object a line, such as {"doc_id": "1", "text": "..."}.'
FREE_CELLS = 10_000_000  # of JSON lines, of which many may be empty; a larger file may have one for each byte
LOOK = "Look at what it holds; CSV says the same in the open."
_UNNAMED_INDEX = "__index_level_"  # as pandas calls it
_EXACT = 2**53  # the largest whole number up to which every one is a fraction's, too
_ROWS = 1 << 20
_FEW_ROWS = 256
_OBJECT_BYTES = 64  # of a value that Arrow hands over as a Python object, at the least


class _JSONError(ValueError):
    """What is wrong with a line of JSON, in words."""


def read_json_lines(data: bytes, file: str) -> tuple[pd.DataFrame, list[int]]:
    """The objects as a frame, and the line of each. Numbers stay numbers; lists and objects become JSON text.

    Raises DataError that names every line that is no JSON object, and where there are more than 1,000 keys.
    """
    objects, lines, bad = [], [], BadLines(file, JSON_REMEDY)
    names: dict[str, None] = {}
    for number, line in numbered_lines(decode(data, file)):
        try:
            found = _object(line)
        except _JSONError as error:
            bad.add(number, str(error), line)
            continue
        objects.append(found)
        lines.append(number)
        names.update(dict.fromkeys(found))
        if len(names) > MOST_COLUMNS:
            raise problem(
                file, f"more than {MOST_COLUMNS:,} different keys", "Keep those that are needed.", None, number
            )
    bad.settle()
    if len(names) * len(objects) > max(FREE_CELLS, len(data)):
        what = f"{len(objects):,} objects with {len(names):,} different keys, of which most are absent"
        raise problem(file, what, "Keep those keys that are needed.")
    return pd.DataFrame({name: _column([found.get(name) for found in objects]) for name in names}), lines


def _column(values: list[Any]) -> pd.Series:
    """The values as a column that holds each as it is: text as text, numbers with gaps not turned into fractions."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {str}:
        return pd.Series(values, dtype="str")
    mixed = kinds == {int, float} and all(abs(value) <= _EXACT for value in values if type(value) is int)
    same = mixed or kinds == {float} or (len(kinds) == 1 and None not in values)
    return pd.Series(values) if same else pd.Series(values, dtype="object")


def _object(line: str) -> dict[str, Any]:
    """The object that the line holds. Raises _JSONError with what is wrong with it."""
    try:
        found = json.loads(line, object_pairs_hook=_once)
        if not isinstance(found, dict):
            raise _JSONError("not a JSON object")
        plain = {name: _plain(value) for name, value in found.items()}
        if "\\u" in line:
            json.dumps(plain, ensure_ascii=False).encode()
    except _JSONError:
        raise
    except UnicodeEncodeError as error:
        raise _JSONError("half a character (a lone surrogate)") from error
    except RecursionError as error:
        raise _JSONError("too many brackets inside one another") from error
    except ValueError as error:
        raise _JSONError("a number of too many digits" if "digits" in str(error) else "not a JSON object") from error
    return plain


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The pairs as an object. Raises _JSONError where a key stands twice: a parser would keep one of the values."""
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _JSONError(f"the key {repeated!r} stands twice")
    return found


def _plain(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value


def read_parquet(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """A Parquet file as a frame: an index with a name is a column, and a category is what it stands for.

    Raises DataError where it is no sound Parquet file, or would ask for memory out of all proportion.
    """
    import pyarrow as pa
    from pyarrow import parquet

    file, data = display_path(path, root), read_raw(path, root)
    with _sound(file):
        source = parquet.ParquetFile(pa.BufferReader(data))
        schema, names = source.schema_arrow, source.schema_arrow.names
        chunks, count = _chunks(source.metadata), source.metadata.num_rows
    _check_footer(schema, chunks, most_unpacked(len(data)), file)
    texts, rows = _way_to_read(schema, chunks)
    with _sound(file):
        again = parquet.ParquetFile(pa.BufferReader(data), read_dictionary=texts, page_checksum_verification=True)
        batches = again.iter_batches(rows)
    table = pa.Table.from_batches(_unpacked(batches, file, most_unpacked(len(data))), _unpacked_schema(schema))
    with _sound(file):
        if len(table) != count:
            raise ValueError(f"{count} rows are announced, {len(table)} found")
        frame = table.to_pandas(ignore_metadata=True, integer_object_nulls=True, date_as_object=False)
    kept = [place for place, name in enumerate(names) if not name.startswith(_UNNAMED_INDEX)]
    return frame.iloc[:, kept]


def _sound(file: str) -> Any:
    return parsing(file, "the file is not a sound Parquet file", "Write it again, or save it as CSV.")


class _Chunk(NamedTuple):
    """What the footer says of a column in a group of rows."""

    name: str
    values: int
    encodings: tuple[str, ...]


def _chunks(footer: Any) -> list[_Chunk]:
    groups = [footer.row_group(place) for place in range(footer.num_row_groups)]
    columns = [group.column(place) for group in groups for place in range(group.num_columns)]
    return [_Chunk(column.path_in_schema, column.num_values, column.encodings) for column in columns]


def _check_footer(schema: Any, chunks: list[_Chunk], most: int, file: str) -> None:
    """Raises DataError for more columns or values than the file may have, before any of them is read."""
    import pyarrow.types as kinds

    count = max(len(schema), len({chunk.name for chunk in chunks}))
    if count > MOST_COLUMNS:
        what = f"the file has {count:,} columns, more than {MOST_COLUMNS:,}"
        raise problem(file, what, "Keep the columns that are needed.")
    objects = any(kinds.is_nested(field.type) or kinds.is_decimal(field.type) for field in schema)
    values = sum(abs(chunk.values) for chunk in chunks)
    if values * (_OBJECT_BYTES if objects else 8) > most:
        raise problem(file, f"the file unpacks out of all proportion, to {values:,} values", LOOK)


def _way_to_read(schema: Any, chunks: list[_Chunk]) -> tuple[list[str], int]:
    """The texts that are read as dictionaries, so that what they unpack to is known before they are unpacked, and
    the rows read at a time: few, where there are columns of which that cannot be known."""
    import pyarrow.types as kinds

    delta = {chunk.name for chunk in chunks if any("DELTA" in name for name in chunk.encodings)}
    texts = [field.name for field in schema if _is_text(field.type) and field.name not in delta]
    shared = any("DELTA_BYTE_ARRAY" in chunk.encodings for chunk in chunks)
    return texts, _FEW_ROWS if shared or any(kinds.is_nested(field.type) for field in schema) else _ROWS


def _unpacked(batches: Iterator[Any], file: str, most: int) -> list[Any]:
    """The batches with every dictionary unpacked. Raises DataError where they are too large together."""
    import pyarrow as pa

    total = 0
    found: list[Any] = []
    while True:
        with _sound(file):
            batch = next(batches, None)
        if batch is None:
            return found
        with _sound(file):
            batch.validate(full=True)
        total += sum(map(_size, batch.columns))
        if total > most:
            raise problem(file, f"the file unpacks to more than {most / 1024**2:,.0f} MB, out of all proportion", LOOK)
        schema = _unpacked_schema(batch.schema)
        columns = zip(batch.columns, schema, strict=True)
        found.append(
            pa.RecordBatch.from_arrays([_plain_column(column, field.type) for column, field in columns], schema=schema)
        )


def _size(column: Any) -> int:
    """The bytes of the column when it is unpacked."""
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    if not kinds.is_dictionary(column.type) or not _is_text(column.type):
        return column.nbytes
    lengths = pc.take(pc.binary_length(column.dictionary), column.indices)
    return (pc.sum(pc.cast(lengths, "int64")).as_py() or 0) + 8 * len(column)


def _plain_column(column: Any, kind: Any) -> Any:
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    if kinds.is_dictionary(column.type):
        return pc.take(column.dictionary.cast(kind), column.indices)
    return column if column.type == kind else column.cast(kind)


def _unpacked_schema(schema: Any) -> Any:
    """The schema without dictionaries, and with texts of any length."""
    import pyarrow as pa

    kinds = [
        getattr(field.type, "value_type", field.type) if pa.types.is_dictionary(field.type) else field.type
        for field in schema
    ]
    return pa.schema(
        [
            pa.field(field.name, pa.large_string() if _is_text(kind) else kind)
            for field, kind in zip(schema, kinds, strict=True)
        ]
    )


def _is_text(kind: Any) -> bool:
    """Whether the Arrow type is text, or a category of text."""
    import pyarrow.types as kinds

    kind = kind.value_type if kinds.is_dictionary(kind) else kind
    return kinds.is_string(kind) or kinds.is_large_string(kind)
