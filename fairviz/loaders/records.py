"""JSON lines and Parquet as frames: one object or row for each query, document or label."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import BadLine, DataError, display_path
from fairviz.loaders.source import decode, numbered_lines, problem, read_raw

JSON_REMEDY = 'Write one JSON object a line, such as {"doc_id": "1", "text": "..."}.'


def read_json_lines(data: bytes, file: str) -> tuple[pd.DataFrame, list[int]]:
    """The objects as a frame, and the line of each. Numbers stay numbers; lists and objects become JSON text.

    Raises DataError that names every line that is no JSON object.
    """
    objects, lines, bad = [], [], []
    for number, line in numbered_lines(decode(data, file)):
        found = _object(line)
        if isinstance(found, str):
            bad.append(BadLine(file, number, found, line))
        else:
            objects.append({name: _plain(value) for name, value in found.items()})
            lines.append(number)
    if bad:
        raise DataError(bad, JSON_REMEDY)
    names = list(dict.fromkeys(name for found in objects for name in found))
    return pd.DataFrame({name: _column([found.get(name) for found in objects]) for name in names}), lines


def _column(values: list[Any]) -> pd.Series:
    """The values as a column that holds each as it is: text as text, numbers with gaps not turned into fractions."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {str}:
        return pd.Series(values, dtype="str")
    same = kinds == {int, float} or kinds == {float} or (len(kinds) == 1 and None not in values)
    return pd.Series(values) if same else pd.Series(values, dtype="object")


def _object(line: str) -> dict[str, Any] | str:
    """The object that the line holds, or what is wrong with it."""
    try:
        found = json.loads(line)
        if "\\u" in line:
            json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return "half a character (a lone surrogate)"
    except (ValueError, RecursionError):
        return "not a JSON object"
    return found if isinstance(found, dict) else "not a JSON object"


def _plain(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list)) else value


def read_parquet(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """A Parquet file as a frame. Raises DataError where it is none."""
    import pyarrow as pa
    from pyarrow import parquet

    file = display_path(path, root)
    try:
        return parquet.read_table(pa.BufferReader(read_raw(path, root))).to_pandas()
    except pa.ArrowException as error:
        raise problem(file, "the file is not a sound Parquet file", "Write it again, or save it as CSV.") from error
