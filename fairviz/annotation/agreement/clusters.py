"""Units that intervals of agreement draw: documents, or queries with all their documents where that is chosen.

Wordings of one text, and documents of one query, may be alike and no independent draws: then queries are to be drawn.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.errors import UsageError
from fairviz.study.record import Study

Array = np.ndarray
QUERIES, DOCUMENTS, BOTH = "queries", "documents", "queries, and documents without one"


def query_of(study: Study, doc_ids: pd.Series) -> Array:
    """Return the first query for which each document is judged, else ranked, (D,); its own id if there is none."""
    table = study.qrels if study.has("qrels") else study.runs
    pairs = table[["doc_id", "query_id"]].astype("str").drop_duplicates("doc_id")
    queries = doc_ids.map(dict(zip(pairs["doc_id"], pairs["query_id"], strict=True)))
    return np.where(queries.isna(), "document " + doc_ids.astype("str"), "query " + queries.astype("str"))


def queries_of(study: Study, doc_ids: Sequence[str] | pd.Series, unit: str = QUERIES) -> dict[str, str] | None:
    """Return the query of each document that has one; None, so that documents are drawn, if none has or the unit is
    `documents`. Raises UsageError for another unit than `documents` or `queries`."""
    if unit not in (DOCUMENTS, QUERIES):
        raise UsageError(f"intervals cannot draw {unit!r}", f"Draw {DOCUMENTS} or {QUERIES}.")
    if unit == DOCUMENTS:
        return None
    names = pd.Series(doc_ids, dtype="str").drop_duplicates()
    queries = dict(zip(names, query_of(study, names), strict=True))
    of_queries = {name: query for name, query in queries.items() if query.startswith("query ")}
    return of_queries or None


def drawn(study: Study, doc_ids: Sequence[str] | pd.Series, unit: str = DOCUMENTS) -> str:
    """Return what is drawn for intervals of these documents' labels: QUERIES, DOCUMENTS, or BOTH."""
    queries = queries_of(study, doc_ids, unit)
    if queries is None:
        return DOCUMENTS
    return QUERIES if len(queries) == pd.Series(doc_ids).nunique() else BOTH


def cluster_codes(doc_ids: Sequence[str], queries: dict[str, str]) -> Array:
    """Return the cluster of each document (D,); a document without a query is one by itself."""
    return pd.factorize(np.array([queries.get(name, f"document {name}") for name in doc_ids], dtype=object))[0]


def tables_by_query(queries: Array, true: Array, answers: Array, labels: int) -> Array:
    """Return the counts of documents by query, the reference's label and the annotator's, (Q, L, L); arguments are
    codes (D,).
    """
    places, _ = pd.factorize(queries)
    shape = (int(places.max(initial=-1)) + 1, labels, labels)
    if not len(places):
        return np.zeros((0, labels, labels))
    cells = np.ravel_multi_index((places, true, answers), shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
