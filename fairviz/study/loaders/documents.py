"""Documents: `doc_id, text` and perhaps `title` with a header, MS MARCO's TSV without one, BEIR's JSON lines."""

from pathlib import Path

import pandas as pd

from fairviz.errors import DataError
from fairviz.study.loaders.queries import find_non_text
from fairviz.study.loaders.rows import Layout, read_ids, read_rows, repeated_ids
from fairviz.study.tables import DOCUMENTS, conform

ALIASES = (("_id", "doc_id"), ("d_id", "doc_id"), ("document", "text"), ("doc_title", "title"))  # BEIR, Grep-BiasIR
LAYOUT = Layout("documents", ("doc_id", "text"), ALIASES, ("doc_id", "text"))


def read_documents(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a file of documents as a documents table, extra columns kept. Raises DataError that names every bad line.

    An empty cell is a document with empty text; null, in JSON lines and Parquet, is missing text.
    """
    rows = read_rows(path, LAYOUT, root)
    frame = read_ids(rows, ("doc_id",))
    bad_lines = find_non_text(rows, "text", missing=True)
    if "title" in frame:
        bad_lines += find_non_text(rows, "title", missing=True)
        frame["title"] = frame["title"].fillna("")
    if bad_lines:
        raise DataError(bad_lines, "Write texts and titles as text, in quotes in JSON.")
    bad_lines = repeated_ids(rows, frame, "doc_id")
    if bad_lines:
        raise DataError(bad_lines, "Keep one line for each document.")
    return conform(frame, DOCUMENTS)
