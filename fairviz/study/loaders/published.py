"""The tables of Grep-BiasIR as its authors publish them: documents, labels and relevance in the same rows."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import DataError
from fairviz.study.loaders.columns import whole_number_problem
from fairviz.study.loaders.labels import read_labels
from fairviz.study.loaders.queries import not_text
from fairviz.study.loaders.rows import Layout, Rows, identified, read_rows
from fairviz.study.tables import DOCUMENTS, LABELS, QRELS, conform

PARTS = ("documents", "qrels", "labels")
ANNOTATOR = "gold"  # the labels of the authors
LAYOUT = Layout("documents", ("d_id", "q_id", "relevant", "doc_title", "document", "content_gender", "exp_stereotype"))
_DOCUMENTS = {"d_id": "doc_id", "doc_title": "title", "document": "text", "q_id": "query_id", "exp_stereotype": ""}


def read_tables(
    paths: Sequence[Path], root: Path, groups: Sequence[str] | None, warnings: list[str]
) -> dict[str, pd.DataFrame]:
    """The documents, qrels and labels of these files together, in the order of the files.

    Raises DataError that names every bad line, a document that stands twice among them.
    """
    read = [_checked(read_rows(path, LAYOUT, root)) for path in paths]
    _check_once(read)
    frame = pd.concat([rows.frame for rows in read], ignore_index=True)
    names = {old: new or "stereotype" for old, new in _DOCUMENTS.items()}
    qrels = frame[["q_id", "d_id", "relevant"]].set_axis(list(QRELS.column_names), axis="columns")
    labels = [read_labels(path, root, groups, warnings)[["doc_id", "label"]] for path in paths]
    return {
        "documents": conform(frame[list(names)].rename(columns=names), DOCUMENTS),
        "qrels": conform(qrels, QRELS),
        "labels": conform(pd.concat(labels, ignore_index=True).assign(annotator=ANNOTATOR), LABELS),
    }


def _checked(rows: Rows) -> Rows:
    """The rows with ids as text. Raises DataError for what is no id, no text and no relevance."""
    frame = identified(rows, ("d_id", "q_id"))
    bad = not_text(rows, "document", missing=True) + not_text(rows, "doc_title", missing=True)
    for place, value in enumerate(frame["relevant"].astype("str")):
        wrong = whole_number_problem("relevance", value)
        bad += rows.bad(np.array([place]), wrong, "relevant") if wrong else []
    if bad:
        raise DataError(bad, "Take the file again from where it is published.")
    return Rows(frame, rows.file, rows.lines, rows.named)


def _check_once(read: Sequence[Rows]) -> None:
    """Raises DataError where a document stands twice in a file or in two of them."""
    first: dict[str, str] = {}
    bad = []
    for rows in read:
        for place, name in enumerate(rows.frame["d_id"]):
            if name in first:
                bad += rows.bad(np.array([place]), f"this d_id stands in {first[name]} already", "d_id")
            first.setdefault(name, rows.file)
    if bad:
        raise DataError(bad, "Keep one row for each document.")
