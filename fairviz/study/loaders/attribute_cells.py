"""Cells of attribute sets in a file of documents, checked with their lines."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import BadLine, DataError, cap_lines
from fairviz.study.attributes import CELL_REMEDY, Attribute, cell_defects
from fairviz.study.loaders.metadata import FILE
from fairviz.study.loaders.rows import SUFFIXES, Rows, read_rows
from fairviz.study.loaders.texts import DOCUMENT_LAYOUT


def check_attribute_cells(
    documents: pd.DataFrame | None, attributes: Mapping[str, Attribute], path: Path | None, folder: Path
) -> None:
    """Raise DataError with every set that has no column of the documents, and every invalid cell of one.

    path: the file of the documents; None for another source, whose lines have no numbers.
    """
    missing = [name for name in attributes if documents is None or name not in documents]
    if missing or documents is None:
        lines = [BadLine(FILE, 0, f"attributes.{name}: the documents have no column {name!r}") for name in missing]
        if lines:
            raise DataError(lines, "Add the column to the documents, or remove the table [attributes.NAME].")
        return
    bad_lines: list[BadLine] = []
    for name, attribute in attributes.items():
        defects = cell_defects(documents[name], attribute.levels)
        rows = _rows(path, folder, documents) if defects else None
        for row, reason in defects:
            bad_lines += _bad(rows, row, f"the column {name!r}: {reason}", documents, name)
    if bad_lines:
        raise DataError(cap_lines(bad_lines), CELL_REMEDY)


def _rows(path: Path | None, folder: Path, documents: pd.DataFrame) -> Rows | None:
    """Return the rows of the file with their lines; None for a file that is no table of one row a document."""
    if path is None or not path.name.lower().endswith(SUFFIXES):
        return None
    rows = read_rows(path, DOCUMENT_LAYOUT, folder)
    return rows if len(rows.frame) == len(documents) else None


def _bad(rows: Rows | None, row: int, reason: str, documents: pd.DataFrame, name: str) -> list[BadLine]:
    if rows is not None:
        return rows.bad(np.array([row]), reason, name)
    value = str(documents[name].iloc[row])
    return [BadLine("documents", 0, f"document {documents['doc_id'].iloc[row]!r} in {reason}", value)]
