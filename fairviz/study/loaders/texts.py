"""Queries and documents with a header, MS MARCO's TSV without one, BEIR's JSON lines.

Queries have `query_id, text`, documents `doc_id, text` and perhaps `title`.
"""

from pathlib import Path

import pandas as pd

from fairviz.errors import DataError
from fairviz.study.loaders.layouts import Layout
from fairviz.study.loaders.rows import find_non_text, read_rows, repeated_ids
from fairviz.study.tables import DOCUMENTS, QUERIES, conform

_QUERY_ALIASES = (("_id", "query_id"), ("q_id", "query_id"), ("query", "text"))  # of BEIR and of Grep-BiasIR
_DOCUMENT_ALIASES = (("_id", "doc_id"), ("d_id", "doc_id"), ("document", "text"), ("doc_title", "title"))
_QUERY_COLUMNS, _DOCUMENT_COLUMNS = ("query_id", "text"), ("doc_id", "text")
QUERY_LAYOUT = Layout("queries", _QUERY_COLUMNS, _QUERY_ALIASES, _QUERY_COLUMNS, ids=("query_id",))
DOCUMENT_LAYOUT = Layout("documents", _DOCUMENT_COLUMNS, _DOCUMENT_ALIASES, _DOCUMENT_COLUMNS, ids=("doc_id",))


def read_queries(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a file of queries as a queries table, extra columns kept. Raises DataError that names every bad line."""
    rows = read_rows(path, QUERY_LAYOUT, root)
    bad_lines = find_non_text(rows, "text", missing=False)
    if bad_lines:
        raise DataError(bad_lines, "Give every query a text.")
    bad_lines = repeated_ids(rows, "query_id")
    if bad_lines:
        raise DataError(bad_lines, "Keep one line for each query.")
    return conform(rows.frame, QUERIES)


def read_documents(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a file of documents as a documents table, extra columns kept. Raises DataError that names every bad line.

    An empty cell is a document with empty text; null, in JSON lines and Parquet, is missing text.
    """
    rows = read_rows(path, DOCUMENT_LAYOUT, root)
    bad_lines = find_non_text(rows, "text", missing=True)
    if "title" in rows.frame:
        bad_lines += find_non_text(rows, "title", missing=True)
    if bad_lines:
        raise DataError(bad_lines, "Write texts and titles as text, in quotes in JSON.")
    bad_lines = repeated_ids(rows, "doc_id")
    if bad_lines:
        raise DataError(bad_lines, "Keep one line for each document.")
    titles = {"title": rows.frame["title"].fillna("")} if "title" in rows.frame else {}
    return conform(rows.frame.assign(**titles), DOCUMENTS)
