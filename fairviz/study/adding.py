"""Studies with more documents, queries and judgements."""

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.study.record import Study
from fairviz.study.study import settled_beside, with_rows
from fairviz.study.tables import DOCUMENTS, QRELS, QUERIES, conform


def add_documents(study: Study, documents: pd.DataFrame) -> Study:
    """Return the study with more documents. Raises FairvizError for another text of an existing id."""
    added, study = settled_beside(study, "documents", conform(documents, DOCUMENTS))
    return _with_new_texts(study, "documents", added, "doc_id", "document")


def add_queries(study: Study, queries: pd.DataFrame) -> Study:
    """Return the study with more queries. Raises FairvizError for another text of an existing id."""
    added, study = settled_beside(study, "queries", conform(queries, QUERIES))
    return _with_new_texts(study, "queries", added, "query_id", "query")


def add_qrels(study: Study, qrels: pd.DataFrame) -> Study:
    """Return the study with more judgements. Raises FairvizError for another relevance of a judged document."""
    added, study = settled_beside(study, "qrels", conform(qrels, QRELS))
    keys = ["query_id", "doc_id"]
    changed, new = _compare_rows(study.qrels, added, keys)
    if len(changed):
        query, document = changed.iloc[0][keys]
        raise FairvizError(
            f"{study.name} has another relevance of document {document!r} for query {query!r} already "
            f"({len(changed):,} such judgements)",
            "Keep one judgement of each document for a query, or open the file in a study of its own.",
        )
    return with_rows(study, "qrels", conform(pd.concat([study.qrels, new], ignore_index=True), QRELS), added)


def _with_new_texts(study: Study, part: str, added: pd.DataFrame, key: str, noun: str) -> Study:
    """Return the study with the rows of new ids. Raises FairvizError for another text of an existing id."""
    table = getattr(study, part)
    changed, new = _compare_rows(table, added, [key])
    if len(changed):
        name = changed[key].iloc[0]
        raise FairvizError(
            f"{study.name} has another text for {noun} {name!r} already ({len(changed):,} such {part})",
            f"Give the new {part} other ids, or open them as a study of their own.",
        )
    return with_rows(study, part, pd.concat([table, new], ignore_index=True), added)


def _compare_rows(table: pd.DataFrame, added: pd.DataFrame, keys: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the added rows whose keys the table has with other values, and those whose keys it lacks."""
    values = [name for name in added.columns if name not in keys]
    both = added[[*keys, *values]].merge(table, on=keys, how="left", suffixes=("", "_before"), indicator=True)
    is_known = (both["_merge"] == "both").to_numpy()
    is_equal = np.ones(len(both), dtype=bool)
    for name in values:
        before, after = both[f"{name}_before"], both[name]
        is_equal &= ((before == after) | (before.isna() & after.isna())).fillna(False).to_numpy(dtype=bool)
    return added[is_known & ~is_equal], added[~is_known]
