"""Queries and documents with a header, MS MARCO's TSV without one, JSON of BEIR and others, TREC's markup.

A file is read by its content: text that begins with `<` is markup, whatever its name.

Queries have `query_id, text`, documents `doc_id, text` and perhaps `title`.
"""

import re
from pathlib import Path

import pandas as pd

from fairviz.errors import DataError
from fairviz.study.loaders import sgml
from fairviz.study.loaders.layouts import DOCUMENT_IDS, Layout
from fairviz.study.loaders.rows import find_non_text, repeated_ids, rows_of
from fairviz.study.loaders.source import Source, open_source
from fairviz.study.tables import DOCUMENTS, QUERIES, conform

_QUERY_ALIASES = (  # of BEIR, of Grep-BiasIR, and others
    *(("_id", "query_id"), ("q_id", "query_id"), ("qid", "query_id"), ("topic_id", "query_id"), ("id", "query_id")),
    *((name, "text") for name in ("query", "contents", "content", "question", "title")),
)
_DOCUMENT_ALIASES = (
    *(("_id", "doc_id"), ("d_id", "doc_id")),
    *(each for each in DOCUMENT_IDS if each[0] != "document"),
    ("id", "doc_id"),
    *((name, "text") for name in ("document", "contents", "content", "body", "passage")),
    ("doc_title", "title"),
)
_QUERY_COLUMNS, _DOCUMENT_COLUMNS = ("query_id", "text"), ("doc_id", "text")
QUERY_LAYOUT = Layout("queries", _QUERY_COLUMNS, _QUERY_ALIASES, _QUERY_COLUMNS, ids=("query_id",))
DOCUMENT_LAYOUT = Layout("documents", _DOCUMENT_COLUMNS, _DOCUMENT_ALIASES, _DOCUMENT_COLUMNS, ids=("doc_id",))

_TAG = re.compile(rb"<(?:top|doc)[ \t]*>", re.IGNORECASE)


def _is_markup(source: Source) -> bool:
    """Return whether the file is SGML or XML: by its name or, in .txt, by its first sign or a tag of TREC's."""
    if source.ending != ".txt":
        return source.ending in sgml.SUFFIXES
    return source.data.lstrip()[:1] == b"<" or bool(_TAG.search(source.data))


def read_queries(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a file of queries as a queries table, extra columns kept. Raises DataError that names every bad line."""
    source = open_source(path, root)
    if _is_markup(source):
        return sgml.topics_of(source)
    rows = rows_of(source, QUERY_LAYOUT)
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
    source = open_source(path, root)
    if _is_markup(source):
        return sgml.documents_of(source)
    rows = rows_of(source, DOCUMENT_LAYOUT)
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
