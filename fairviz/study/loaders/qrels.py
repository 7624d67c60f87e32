"""Judgements: TREC's `query_id 0 doc_id relevance` between spaces or tabs, BEIR's three columns under a header in any
spelling, tables of any format with these columns, and JSON of numbers by query and document.
"""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import BadLines, DataError
from fairviz.study.loaders.archive import packed_names
from fairviz.study.loaders.columns import (
    add_repeated_pairs,
    first_cells,
    read_careful_rows,
    read_fast_table,
    whole_number_problem,
    without_comments,
)
from fairviz.study.loaders.lines import DOCUMENT_IDS, QUERY_IDS, Layout, decode
from fairviz.study.loaders.rows import SUFFIXES as ROW_SUFFIXES
from fairviz.study.loaders.rows import THE_FILE, numbers_by_query, rows_of, whole_json
from fairviz.study.loaders.source import Source, open_source, refusal
from fairviz.study.tables import QRELS, conform

_NAMES = ("relevance", "score", "rel", "label", "grade", "judgment", "judgement", "value", "relevance_label")
LAYOUT = Layout(
    "qrels",
    ("query_id", "doc_id", "relevance"),
    (*(("_id", "query_id"), *QUERY_IDS), *DOCUMENT_IDS, *((name, "relevance") for name in _NAMES[1:])),
    ids=("query_id", "doc_id"),
)
SUFFIXES = (*packed_names(".txt", ".qrels"), *ROW_SUFFIXES)
REMEDIES = {
    "columns": "Write a relevance line as: query_id 0 doc_id relevance; or three columns under a header: query-id, "
    "corpus-id, score.",
    "relevance": "Write the relevance as a whole number, 0 for not relevant.",
    "document": "Keep one line for each document of a query.",
}


def read_qrels(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a relevance file as a qrels table. Raises DataError that names every bad line."""
    source = open_source(path, root)
    if source.data.lstrip()[:1] == b"{":
        content = whole_json(source.data)
        if isinstance(content, dict) and content and all(isinstance(value, dict) for value in content.values()):
            return _table_of_numbers(content, source.file)
    if source.ending in (".parquet", ".json", ".jsonl"):
        return _table_of_rows(source)
    data = without_comments(source.data, source.file)
    width = _header_width(data)
    if width == 0 or (width is None and source.ending == ".csv"):
        return _table_of_rows(replace(source, data=data))
    if width:
        data = re.sub(rb"[^\r\n]+", b"", data, count=1)  # the header stays, as an empty line, for the line numbers
    beir = width == 3
    table = _read_fast(data, beir)
    return table if table is not None else _read_careful(data, source.file, beir)


def _table_of_numbers(content: dict, file: str) -> pd.DataFrame:
    bad_lines, rows = BadLines(file, REMEDIES | {"table": 'Write it as {"query": {"document": relevance}}.'}), []
    for query, document, value in numbers_by_query(content, THE_FILE, "relevance", bad_lines):
        if not value.is_integer():
            message = f"the relevance of document {document!r} for query {query!r} is not a whole number"
            bad_lines.add(0, message, str(value))
        rows.append((query, document, value))
    bad_lines.raise_collected()
    frame = pd.DataFrame(rows, columns=list(QRELS.column_names))
    return conform(frame.astype({"relevance": np.int32}), QRELS)


def _table_of_rows(source: Source) -> pd.DataFrame:
    """Return the judgements of a table with a header. Raises DataError with every bad line."""
    rows = rows_of(source, LAYOUT)
    texts = [str(value).strip().removesuffix(".0") for value in rows.frame["relevance"]]
    is_bad = [bool(whole_number_problem("relevance", text)) for text in texts]
    rows.check(is_bad, "the relevance is not a whole number", "relevance", REMEDIES["relevance"])
    rows.check_pairs("judged", REMEDIES["document"])
    whole = np.array([int(float(text)) for text in texts], dtype=np.int32)
    return conform(rows.frame[["query_id", "doc_id"]].assign(relevance=whole), QRELS)


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
    defect = whole_number_problem("relevance", fields[-1].removesuffix(".0"))
    return [(defect, fields[-1])] if defect else []


def _read_careful(data: bytes, file: str, beir: bool = False) -> pd.DataFrame:
    document = 1 if beir else 2
    bad_lines = BadLines(file, REMEDIES)
    try:
        careful = read_careful_rows(decode(data, file), document + 2, _find_defects, bad_lines)
        add_repeated_pairs(careful, document, "is judged for", bad_lines)
        bad_lines.raise_collected()
    except DataError as error:
        raise refusal(file, data) or error from error
    frame = pd.DataFrame(
        {
            "query_id": [row[0] for row in careful.rows],
            "doc_id": [row[document] for row in careful.rows],
            "relevance": np.array([int(float(row[-1])) for row in careful.rows], dtype=np.int32),
        }
    )
    return conform(frame, QRELS)


def _header_width(data: bytes) -> int | None:
    """Return the columns of TREC's or BEIR's lines under a header, 0 for another header, None without one."""
    line, cells = first_cells(data)
    cells = cells or [cell.strip('"') for cell in line.split()]
    if not LAYOUT.fits(cells):
        return None
    names = LAYOUT.own_names(cells)
    places = [names.index(name) for name in LAYOUT.required]
    is_plain = not re.search(r'[",;|]', line)
    return len(names) if is_plain and (places, len(names)) in (([0, 1, 2], 3), ([0, 2, 3], 4)) else 0
