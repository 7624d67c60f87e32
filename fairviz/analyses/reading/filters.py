"""Filters and orders of documents, as pure functions of a catalogue's arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.analyses.annotator_accuracy.raters import GENDERED, MOST_VALUES, without_empty
from fairviz.analyses.reading.catalogue import Catalogue, spread
from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import majority, ordinary
from fairviz.annotation.voters import annotator_names
from fairviz.study.record import Study
from fairviz.words.counting import document_text

Array = np.ndarray
PAIR_SIGN = " ≠ "
ANY, TIED = "any", "tied"  # of the voters: different labels, no majority
ORDERS = ("study", "disagreement", "exposure", "effect")


@dataclass(frozen=True)
class Filters:
    """Filters and the order of documents. Empty fields keep everything.

    disagreement: `any` among the voters, `tied` (no majority of theirs), or two annotators or more as `gold ≠ word
    list`. merged: `gendered` if all groups count as one label there, but for `tied`. filled: labels whose column of
    this name is empty are left out there, likewise. label, by `annotator` (any if empty). column and value: a column of
    queries, documents or labels as named by `columns`. query: retrieved for it. system, first and last rank (0: to the
    end): retrieved at such a rank, by any system if empty. search: text in title, text or id, ignoring case. labelled:
    `unlabelled` or `labelled`. decided: `decided` or `undecided`. order: of ORDERS.
    """

    disagreement: str = ""
    merged: str = ""
    filled: str = ""
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
    documents: Catalogue, filters: Filters, decided: Array, reach: Array | None = None, weights: Array | None = None
) -> Array:
    """Return the rows of the documents that pass every filter, in the requested order.

    decided (D,): readers' decisions as codes, -1 without. reach (D,): whether a document matches the filters' query,
    system and ranks (see fairviz.analyses.reading.occurrences), None for all. weights (D,): the sort key of the orders
    `exposure` and `effect`, and of `study` if a query is read in a system's order; the largest first, NaN last. Equal
    documents keep the study's order.
    """
    keep = _match_labels(documents, filters, decided)
    if reach is not None:
        keep &= reach
    if filters.column:
        keep &= _match_column(documents, filters)
    if filters.search.strip():
        keep &= holding(documents, filters.search.strip())
    places = np.flatnonzero(keep)
    key = documents.disagreement if filters.order == "disagreement" else weights
    if key is None or (filters.order == "study" and not filters.query):
        return places
    return places[np.argsort(-np.nan_to_num(key[places], nan=-np.inf), kind="stable")]


def _match_labels(documents: Catalogue, filters: Filters, decided: Array) -> Array:
    keep = np.ones(len(documents.doc_ids), dtype=bool)
    if filters.disagreement == TIED:
        keep &= (documents.votes.sum(axis=1) > 0) & (majority(documents.votes) < 0)
    elif filters.disagreement == ANY and not (filters.merged or filters.filled):
        keep &= documents.disagreement > 0
    elif filters.disagreement:
        names = documents.voters if filters.disagreement == ANY else filters.disagreement.split(PAIR_SIGN)
        codes_by_name = [_compared_codes(documents, name, filters, decided) for name in names]
        keep &= differing(*codes_by_name) if codes_by_name else False
    if filters.label in documents.labels:
        code = documents.labels.index(filters.label)
        own = documents.study.labels
        if filters.annotator:
            keep &= codes_or_decisions(documents, filters.annotator, decided) == code
        else:
            keep &= marked(
                documents, own.loc[(own["label"] == filters.label) & (own["annotator"] != ADJUDICATED), "doc_id"]
            )
    if filters.labelled:
        has_label = marked(documents, documents.study.labels["doc_id"])
        keep &= has_label if filters.labelled == "labelled" else ~has_label
    if filters.decided:
        keep &= (decided >= 0) == (filters.decided == "decided")
    return keep


def codes_or_decisions(documents: Catalogue, annotator: str, decided: Array) -> Array:
    """Return the codes of an annotator, or of the readers' current decisions."""
    return decided if annotator == ADJUDICATED else documents.codes(annotator)


def _compared_codes(documents: Catalogue, annotator: str, filters: Filters, decided: Array) -> Array:
    """Return an annotator's codes as the page Agreement compares them: without answers to test questions and labels
    that are left out, with merged groups."""
    study = documents.study
    if annotator in annotator_names(study):
        labels = ordinary(study.labels[study.labels["annotator"] == annotator])
        codes = spread(documents, without_empty(labels, filters.filled) if filters.filled else labels)
    else:
        codes = codes_or_decisions(documents, annotator, decided)
    return np.minimum(codes, 1) if filters.merged == GENDERED else codes  # neutral is 0, groups follow


def differing(*codes: Array) -> Array:
    """Return where two of these annotators or more gave different labels, (D,)."""
    low, high = codes[0], codes[0]
    for other in codes[1:]:
        low = np.where((low < 0) | ((other >= 0) & (other < low)), other, low)
        high = np.maximum(high, other)
    return low != high


def columns(study: Study) -> dict[str, tuple[str, ...]]:
    """Return the columns that can filter documents, as `documents: stereotype`, with up to MOST_VALUES values each."""
    key_columns = {"queries": ("query_id", "text"), "documents": ("doc_id", "title", "text"),
                   "labels": ("doc_id", "annotator", "label")}  # fmt: skip
    values_by_column = {}
    for table_name, keys in key_columns.items():
        table = getattr(study, table_name)
        for name in (str(column) for column in table.columns if column not in keys):
            values = table[name].dropna().astype("str").unique()
            if 1 < len(values) <= MOST_VALUES:
                values_by_column[f"{table_name}: {name}"] = tuple(sorted(values))
    return values_by_column


def _match_column(documents: Catalogue, filters: Filters) -> Array:
    """Return whether the document, any of its labels or any of its queries has the value in the column, (D,)."""
    table_name, _, name = filters.column.partition(": ")
    table = getattr(documents.study, table_name)
    rows = table[table[name].astype("str") == filters.value]
    if table_name == "queries":
        return _match_queries(documents, tuple(rows["query_id"]))
    return marked(documents, rows["doc_id"])


def _match_queries(documents: Catalogue, queries: Sequence[str]) -> Array:
    """Return whether the document was retrieved, judged or written for any of these queries, (D,)."""
    study = documents.study
    keep = np.zeros(len(documents.doc_ids), dtype=bool)
    for table in (study.runs, study.qrels, study.documents):
        if "query_id" in table.columns:
            keep |= marked(documents, table.loc[table["query_id"].isin(queries), "doc_id"])
    return keep


def of_query(documents: Catalogue, query: str) -> Array:
    """Return whether the document was retrieved, judged or written for this query, (D,)."""
    return _match_queries(documents, (query,))


def marked(documents: Catalogue, doc_ids: pd.Series) -> Array:
    """Return whether the document is named, (D,)."""
    keep = np.zeros(len(documents.doc_ids), dtype=bool)
    places = documents.doc_ids.get_indexer(pd.Index(doc_ids.unique(), dtype="str"))
    keep[places[places >= 0]] = True
    return keep


def holding(documents: Catalogue, search: str) -> Array:
    """Return whether id, title or text of the document contains the search text, ignoring case, (D,)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keep = np.zeros(len(documents.doc_ids), dtype=bool)
    texts = document_text(documents.study.documents)
    for column in (documents.doc_ids.to_series(), texts):
        column_array = pa.array(column, type=pa.large_string(), from_pandas=True)
        hits = pc.fill_null(pc.match_substring(column_array, search, ignore_case=True), False)
        keep[: len(column)] |= np.asarray(hits.to_numpy(zero_copy_only=False), dtype=bool)
    return keep
