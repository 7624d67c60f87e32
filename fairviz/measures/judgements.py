"""Relevance judgements beside aligned rankings."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fairviz.installed import read_only
from fairviz.study.record import Study

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Judgements:
    """Relevance judgements by name: queries, documents and grades, (J,) each. They do not refer to the study."""

    queries: Array
    documents: Array
    grades: Array

    def __post_init__(self) -> None:
        for name in ("queries", "documents", "grades"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def by_query(self) -> dict[str, dict[str, int]]:
        """Return query to document to grade."""
        judged: dict[str, dict[str, int]] = {}
        for query, document, grade in zip(self.queries, self.documents, self.grades.tolist(), strict=True):
            judged.setdefault(query, {})[document] = grade
        return judged


def judgements_of_one(grades: Mapping[str, int] | None = None) -> Judgements:
    """Return grades of documents for the query of `one_list`; by default none."""
    names, values = list(grades or {}), list((grades or {}).values())
    return Judgements(np.full(len(names), "query", dtype=object), np.array(names, dtype=object), np.array(values, int))


def judgements_of(study: Study) -> Judgements:
    """Return the judgements of a study."""
    queries, documents = (study.qrels[name].to_numpy(dtype=object) for name in ("query_id", "doc_id"))
    return Judgements(queries, documents, study.qrels["relevance"].to_numpy(dtype=np.int64))
