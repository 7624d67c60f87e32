"""Queries: `query_id, text` with a header, MS MARCO's TSV without one, BEIR's JSON lines."""

from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import DataError
from fairviz.study.loaders.rows import Layout, Rows, read_ids, read_rows, repeated_ids
from fairviz.study.tables import QUERIES, conform

ALIASES = (("_id", "query_id"), ("q_id", "query_id"), ("query", "text"))  # of BEIR and of Grep-BiasIR
LAYOUT = Layout("queries", ("query_id", "text"), ALIASES, ("query_id", "text"))


def read_queries(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a file of queries as a queries table, extra columns kept. Raises DataError that names every bad line."""
    rows = read_rows(path, LAYOUT, root)
    frame = read_ids(rows, ("query_id",))
    bad_lines = find_non_text(rows, "text", missing=False)
    if bad_lines:
        raise DataError(bad_lines, "Give every query a text.")
    bad_lines = repeated_ids(rows, frame, "query_id")
    if bad_lines:
        raise DataError(bad_lines, "Keep one line for each query.")
    return conform(frame, QUERIES)


def find_non_text(rows: Rows, column: str, *, missing: bool) -> list:
    """Return a bad line for each row whose cell is not text, or is missing without permission."""
    values = rows.frame[column]
    if isinstance(values.dtype, pd.StringDtype) and not values.isna().any():
        return []
    is_missing = values.isna()
    invalid = ~values.map(lambda value: isinstance(value, str)) & ~is_missing
    invalid = invalid if missing else invalid | is_missing
    return rows.bad(np.flatnonzero(invalid.to_numpy(dtype=bool)), f"the {column} is no text", column)
