"""Queries that a swap cannot move: of rankers that read the queries' words alone, where no such word was swapped."""

import numpy as np

from fairviz.analyses.counterfactuals.collection import Collection, texts_of
from fairviz.rankers.record import analyser
from fairviz.study.record import Study

QUERY_WORDS_ALONE = ("bm25", "qlm")  # scores rest on counts of the queries' words and on documents' lengths
Array = np.ndarray


def untouched(study: Study, collection: Collection, queries: list[str]) -> Array:
    """Return True where no term of the query was removed from a document or added to one, (Q,)."""
    terms, texts, swapped = analyser(), texts_of(study), set[str]()
    words = {
        word
        for name, parts in collection.edits.items()
        for text, edits in zip(texts[name], parts, strict=True)
        for edit in edits
        for word in (text[edit.start : edit.end], edit.new)
    }
    for word in words:
        swapped.update(terms(word))
    text_by_query = dict(zip(study.queries["query_id"], study.queries["text"].fillna(""), strict=True))
    return np.array([swapped.isdisjoint(terms(text_by_query[query])) for query in queries], dtype=bool)


def reads_query_words_alone(system: str) -> bool:
    """Return True if a ranker of this name and parameters reads nothing of a document but the query's words."""
    return system.partition("-")[0] in QUERY_WORDS_ALONE
