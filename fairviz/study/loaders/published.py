"""Grep-BiasIR's tables as published: documents, labels and relevance in the same rows."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import DataError
from fairviz.study.loaders.columns import whole_number_problem
from fairviz.study.loaders.labels import read_labels
from fairviz.study.loaders.layouts import Layout
from fairviz.study.loaders.rows import Rows, find_non_text, read_rows
from fairviz.study.tables import DOCUMENTS, LABELS, QRELS, conform

PARTS = ("documents", "qrels", "labels")
ANNOTATOR = "gold"  # the labels of the authors
COLUMNS = ("d_id", "q_id", "relevant", "doc_title", "document", "content_gender", "exp_stereotype")
LAYOUT = Layout("documents", COLUMNS, ids=("d_id", "q_id"))
_DOCUMENTS = {"d_id": "doc_id", "doc_title": "title", "document": "text", "q_id": "query_id", "exp_stereotype": ""}


def read_tables(paths: Sequence[Path], root: Path, groups: Sequence[str] | None) -> dict[str, pd.DataFrame]:
    """Return the documents, qrels and labels of these files together, in the order of the files.

    Raises DataError that names every bad line, including repeated documents.
    """
    row_tables = [_check_rows(read_rows(path, LAYOUT, root)) for path in paths]
    _check_once(row_tables)
    frame = pd.concat([rows.frame for rows in row_tables], ignore_index=True)
    names = {old: new or "stereotype" for old, new in _DOCUMENTS.items()}
    qrels = frame[["q_id", "d_id", "relevant"]].set_axis(list(QRELS.column_names), axis="columns")
    labels = [read_labels(path, root, groups)[["doc_id", "label"]] for path in paths]
    return {
        "documents": conform(frame[list(names)].rename(columns=names), DOCUMENTS),
        "qrels": conform(qrels, QRELS),
        "labels": conform(pd.concat(labels, ignore_index=True).assign(annotator=ANNOTATOR), LABELS),
    }


def _check_rows(rows: Rows) -> Rows:
    """Return the rows. Raises DataError for invalid texts and relevance."""
    bad_lines = find_non_text(rows, "document", missing=True) + find_non_text(rows, "doc_title", missing=True)
    for place, value in enumerate(rows.frame["relevant"].astype("str")):
        defect = whole_number_problem("relevance", value)
        bad_lines += rows.bad(np.array([place]), defect, "relevant") if defect else []
    if bad_lines:
        raise DataError(bad_lines, "Take the file again from where it is published.")
    return rows


def _check_once(row_tables: Sequence[Rows]) -> None:
    """Raise DataError for a repeated document, in one file or in two."""
    first: dict[str, str] = {}
    bad_lines = []
    for rows in row_tables:
        for place, name in enumerate(rows.frame["d_id"]):
            if name in first:
                bad_lines += rows.bad(np.array([place]), f"this d_id is in {first[name]} already", "d_id")
            first.setdefault(name, rows.file)
    if bad_lines:
        raise DataError(bad_lines, "Keep one row for each document.")
