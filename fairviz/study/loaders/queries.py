"""Queries: `query_id, text` with a header, MS MARCO's TSV without one, BEIR's JSON lines."""

from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import DataError
from fairviz.study.loaders.rows import Layout, Rows, identified, read_rows, repeated_ids
from fairviz.study.tables import QUERIES, conform

ALIASES = (("_id", "query_id"), ("q_id", "query_id"), ("query", "text"))  # of BEIR and of Grep-BiasIR
LAYOUT = Layout("queries", ("query_id", "text"), ALIASES, ("query_id", "text"))


def read_queries(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """A file of queries as a queries table, extra columns kept. Raises DataError that names every bad line."""
    rows = read_rows(path, LAYOUT, root)
    frame = identified(rows, ("query_id",))
    bad = not_text(rows, "text", missing=False)
    if bad:
        raise DataError(bad, "Give every query a text.")
    bad = repeated_ids(rows, frame, "query_id")
    if bad:
        raise DataError(bad, "Keep one line for each query.")
    return conform(frame, QUERIES)


def not_text(rows: Rows, column: str, *, missing: bool) -> list:
    """A bad line for each row whose cell is a number or the like, or is missing where it must not be."""
    values = rows.frame[column]
    if isinstance(values.dtype, pd.StringDtype) and not values.isna().any():
        return []
    absent = values.isna()
    wrong = ~values.map(lambda value: isinstance(value, str)) & ~absent
    wrong = wrong if missing else wrong | absent
    return rows.bad(np.flatnonzero(wrong.to_numpy(dtype=bool)), f"the {column} is no text", column)
