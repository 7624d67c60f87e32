"""TREC relevance, `query_id 0 doc_id relevance` between spaces or tabs, or BEIR's three columns under their header."""

from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import BadLines, display_path
from fairviz.study.loaders.columns import (
    add_repeated_pairs,
    read_careful_rows,
    read_fast_table,
    whole_number_problem,
)
from fairviz.study.loaders.lines import decode
from fairviz.study.loaders.packing import packed_names
from fairviz.study.loaders.source import read_bytes
from fairviz.study.tables import QRELS, conform

BEIR_HEADER = b"query-id\tcorpus-id\tscore"
SUFFIXES = packed_names(".txt", ".qrels", ".tsv")
REMEDIES = {
    "columns": "Write a relevance line as: query_id 0 doc_id relevance.",
    "relevance": "Write the relevance as a whole number, 0 for not relevant.",
    "document": "Keep one line for each document of a query.",
}


def read_qrels(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a relevance file as a qrels table. Raises DataError that names every bad line."""
    data = read_bytes(path, root)
    beir = data.startswith(BEIR_HEADER)
    data = data.removeprefix(BEIR_HEADER)  # the line stays, empty, to keep the line numbers
    table = _read_fast(data, beir)
    return table if table is not None else _read_careful(data, display_path(path, root), beir)


def _read_fast(data: bytes, beir: bool = False) -> pd.DataFrame | None:
    import pyarrow as pa

    text = pa.large_string()
    iteration = {} if beir else {"iteration": text}
    columns = read_fast_table(data, {"query_id": text, **iteration, "doc_id": text, "relevance": pa.int32()})
    if columns is None:
        return None
    frame = columns.select(["query_id", "doc_id", "relevance"]).to_pandas()
    return None if frame.duplicated(["query_id", "doc_id"]).any() else conform(frame, QRELS)


def _find_defects(fields: list[str]) -> list[tuple[str, str]]:
    defect = whole_number_problem("relevance", fields[-1])
    return [(defect, fields[-1])] if defect else []


def _read_careful(data: bytes, file: str, beir: bool = False) -> pd.DataFrame:
    document = 1 if beir else 2
    bad_lines = BadLines(file, REMEDIES)
    careful = read_careful_rows(decode(data, file), document + 2, _find_defects, bad_lines)
    add_repeated_pairs(careful, document, "is judged for", bad_lines)
    bad_lines.raise_collected()
    frame = pd.DataFrame(
        {
            "query_id": [row[0] for row in careful.rows],
            "doc_id": [row[document] for row in careful.rows],
            "relevance": np.array([int(float(row[-1])) for row in careful.rows], dtype=np.int32),
        }
    )
    return conform(frame, QRELS)
