"""Tables of made-up studies, from lists and mappings."""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

RUN_COLUMNS = ["system", "query_id", "doc_id", "rank", "score"]


def runs_of(lists: Mapping[Any, Iterable[str]], query: str = "q") -> pd.DataFrame:
    """Runs from lists of documents, the best first, by system for one query or by (system, query). A text is a list
    with blanks between its documents. Scores fall with the rank."""
    rows = [
        (*((key, query) if isinstance(key, str) else key), document, rank, -float(rank))
        for key, documents in lists.items()
        for rank, document in enumerate(documents.split() if isinstance(documents, str) else documents, start=1)
    ]
    return pd.DataFrame(rows, columns=RUN_COLUMNS)


def labels_of(labels: Mapping[str, str | None], annotator: str = "ann") -> pd.DataFrame:
    """Labels of one annotator by document; None or an empty text is none."""
    return labels_by({annotator: labels})


def labels_by(annotators: Mapping[str, Mapping[str, str | None]]) -> pd.DataFrame:
    """Labels of several annotators, each by document; None or an empty text is none."""
    rows = [(name, who, label) for who, labels in annotators.items() for name, label in labels.items() if label]
    return pd.DataFrame(rows, columns=["doc_id", "annotator", "label"])


def documents_of(texts: Mapping[str, str | None], **columns: Any) -> pd.DataFrame:
    """Documents by their texts, with other columns."""
    return pd.DataFrame({"doc_id": list(texts), "text": list(texts.values()), **columns})


def queries_of(texts: Mapping[str, str], **columns: Any) -> pd.DataFrame:
    """Queries by their texts, with other columns."""
    return documents_of(texts, **columns).rename(columns={"doc_id": "query_id"})


def qrels_of(judged: Mapping[str, Any]) -> pd.DataFrame:
    """Judgements by query: a grade by document, where None is none, or the relevant documents, as `runs_of` lists
    them."""
    rows = []
    for query, grades in judged.items():
        documents = grades.split() if isinstance(grades, str) else grades
        graded = documents if isinstance(documents, Mapping) else dict.fromkeys(documents, 1)
        rows += [(query, name, grade) for name, grade in graded.items() if grade is not None]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])


def scores_of(measure: str, systems: Mapping[str, Iterable[float]]) -> pd.DataFrame:
    """Scores of one measure: the values of each system for the queries q00, q01, …"""
    rows = [(name, f"q{at:02}", measure, value) for name, values in systems.items() for at, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"])
