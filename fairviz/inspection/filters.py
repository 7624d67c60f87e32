"""Which documents are read and in which order: filters over a catalogue, as pure functions of its arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.inspection.catalogue import Catalogue
from fairviz.inspection.raters import MOST_VALUES
from fairviz.study.study import Study
from fairviz.words.counting import document_text

Array = np.ndarray
PAIR_SIGN = " ≠ "
ORDERS = ("study", "disagreement", "exposure", "effect")


@dataclass(frozen=True)
class Filters:
    """Which documents are read, and in which order. Empty fields keep everything.

    disagreement: `any`, or two annotators as `gold ≠ word list`. label, by `annotator` (any where empty). column
    and value: a column of queries, documents or labels as `columns` names it. query: retrieved for it. system, first
    and last rank (0: to the end): retrieved at such a rank, by any system where empty. search: text that title, text
    or id hold, in any case. labelled: `unlabelled` or `labelled`. decided: `decided` or `undecided`. order: of ORDERS.
    """

    disagreement: str = ""
    annotator: str = ""
    label: str = ""
    column: str = ""
    value: str = ""
    query: str = ""
    system: str = ""
    first_rank: int = 1
    last_rank: int = 0
    search: str = ""
    labelled: str = ""
    decided: str = ""
    order: str = "study"


def select(
    listed: Catalogue, filters: Filters, decided: Array, reach: Array | None = None, weights: Array | None = None
) -> Array:
    """The places of the documents that pass every filter, in the order asked for.

    decided (D,): readers' decisions as codes, -1 without. reach (D,): whether a document stands where the filters'
    query, system and ranks say (see fairviz.inspection.occurrences), None for all. weights (D,): what the orders
    `exposure` and `effect` sort by, and `study` where a query is read in a system's order; the largest first, NaN last.
    Equal documents keep the study's order.
    """
    keep = _by_labels(listed, filters, decided)
    if reach is not None:
        keep &= reach
    if filters.column:
        keep &= _by_column(listed, filters)
    if filters.search.strip():
        keep &= holding(listed, filters.search.strip())
    places = np.flatnonzero(keep)
    key = listed.disagreement if filters.order == "disagreement" else weights
    if key is None or (filters.order == "study" and not filters.query):
        return places
    return places[np.argsort(-np.nan_to_num(key[places], nan=-np.inf), kind="stable")]


def _by_labels(listed: Catalogue, filters: Filters, decided: Array) -> Array:
    keep = np.ones(len(listed.doc_ids), dtype=bool)
    if filters.disagreement == "any":
        keep &= listed.disagreement > 0
    first, sign, second = filters.disagreement.partition(PAIR_SIGN)
    if sign:
        keep &= differing(*(codes_or_decisions(listed, name, decided) for name in (first, second)))
    if filters.label in listed.labels:
        wanted = listed.labels.index(filters.label)
        by = codes_or_decisions(listed, filters.annotator, decided) if filters.annotator else None
        keep &= listed.votes[:, wanted] > 0 if by is None else by == wanted
    if filters.labelled:
        given = listed.votes.sum(axis=1) > (0 if listed.word_list is None else listed.word_list >= 0)
        keep &= given if filters.labelled == "labelled" else ~given
    if filters.decided:
        keep &= (decided >= 0) == (filters.decided == "decided")
    return keep


def codes_or_decisions(listed: Catalogue, annotator: str, decided: Array) -> Array:
    """The codes of an annotator, or of the readers' decisions as they stand now."""
    return decided if annotator == ADJUDICATED else listed.codes(annotator)


def differing(first: Array, second: Array) -> Array:
    """Where two annotators both gave a label, and not the same one; (D,)."""
    return (first >= 0) & (second >= 0) & (first != second)


def columns(study: Study) -> dict[str, tuple[str, ...]]:
    """The columns that filter documents, as `documents: stereotype`, with their values: at most MOST_VALUES each."""
    own = {"queries": ("query_id", "text"), "documents": ("doc_id", "title", "text"), "labels": ("doc_id",)}
    own["labels"] = ("doc_id", "annotator", "label")
    found = {}
    for part, known in own.items():
        table = getattr(study, part)
        for name in (str(column) for column in table.columns if column not in known):
            values = table[name].dropna().astype("str").unique()
            if 1 < len(values) <= MOST_VALUES:
                found[f"{part}: {name}"] = tuple(sorted(values))
    return found


def _by_column(listed: Catalogue, filters: Filters) -> Array:
    """(D,) whether the document, any of its labels or any query it belongs to has the value in the column."""
    part, _, name = filters.column.partition(": ")
    table = getattr(listed.study, part)
    rows = table[table[name].astype("str") == filters.value]
    if part == "queries":
        return _of_queries(listed, tuple(rows["query_id"]))
    return marked(listed, rows["doc_id"])


def _of_queries(listed: Catalogue, queries: Sequence[str]) -> Array:
    """(D,) whether the document was retrieved, judged or written for any of these queries."""
    study = listed.study
    keep = np.zeros(len(listed.doc_ids), dtype=bool)
    for table in (study.runs, study.qrels, study.documents):
        if "query_id" in table.columns:
            keep |= marked(listed, table.loc[table["query_id"].isin(queries), "doc_id"])
    return keep


def of_query(listed: Catalogue, query: str) -> Array:
    """(D,) whether the document was retrieved, judged or written for this query."""
    return _of_queries(listed, (query,))


def marked(listed: Catalogue, doc_ids: pd.Series) -> Array:
    """(D,) whether the document is named."""
    keep = np.zeros(len(listed.doc_ids), dtype=bool)
    places = listed.doc_ids.get_indexer(pd.Index(doc_ids.unique(), dtype="str"))
    keep[places[places >= 0]] = True
    return keep


def holding(listed: Catalogue, search: str) -> Array:
    """(D,) whether id, title or text of the document hold the search text, upper or lower case; no pattern."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keep = np.zeros(len(listed.doc_ids), dtype=bool)
    texts = document_text(listed.study.documents)
    for column in (listed.doc_ids.to_series(), texts):
        held = pa.array(column, type=pa.large_string(), from_pandas=True)
        hits = pc.fill_null(pc.match_substring(held, search, ignore_case=True), False)
        keep[: len(column)] |= np.asarray(hits.to_numpy(zero_copy_only=False), dtype=bool)
    return keep
