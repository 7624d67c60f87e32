"""TREC relevance: `query_id 0 doc_id relevance`, columns between spaces or tabs."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import DataError, display_path
from fairviz.loaders.columns import WHOLE_NUMBER, careful_rows, fast_table, repeated_pairs
from fairviz.loaders.source import decode, read_bytes
from fairviz.tables import QRELS, conform

SUFFIXES = (".txt", ".qrels", ".tsv")
REMEDIES = {
    "columns": "Write a relevance line as: query_id 0 doc_id relevance.",
    "relevance": "Write the relevance as a whole number, 0 for not relevant.",
    "document": "Keep one line for each document of a query.",
}


def read_qrels(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """A TREC relevance file as a qrels table. Raises DataError that names every bad line."""
    data = read_bytes(path, root)
    table = _fast(data)
    return table if table is not None else _careful(data, display_path(path, root))


def _fast(data: bytes) -> pd.DataFrame | None:
    import pyarrow as pa

    text = pa.large_string()
    columns = fast_table(data, {"query_id": text, "iteration": text, "doc_id": text, "relevance": pa.int32()})
    if columns is None:
        return None
    frame = columns.to_pandas()
    if (frame[["query_id", "iteration", "doc_id"]] == "").any(axis=None):
        return None
    frame = frame.drop(columns="iteration")
    return None if frame.duplicated(["query_id", "doc_id"]).any() else conform(frame, QRELS)


def _wrong(fields: list[str]) -> Iterator[tuple[str, str | None]]:
    if not WHOLE_NUMBER.fullmatch(fields[3]):
        yield "the relevance is not a whole number", fields[3]


def _careful(data: bytes, file: str) -> pd.DataFrame:
    rows, bad = careful_rows(decode(data, file), file, 4, _wrong)
    bad += repeated_pairs(rows, file, "is judged for")
    if bad:
        kinds = [line.problem.split("'")[0] for line in bad]
        remedies = [remedy for word, remedy in REMEDIES.items() if any(word in kind for kind in kinds)]
        raise DataError(sorted(bad, key=lambda line: line.line), remedies)
    frame = pd.DataFrame(
        {
            "query_id": [fields[0] for _, fields in rows],
            "doc_id": [fields[2] for _, fields in rows],
            "relevance": np.array([int(fields[3]) for _, fields in rows], dtype=np.int32),
        }
    )
    return conform(frame, QRELS)
