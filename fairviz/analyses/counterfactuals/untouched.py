"""Queries that a swap cannot move: of rankers that read the queries' words alone, where no such word was swapped."""

import numpy as np

from fairviz.analyses.counterfactuals.collection import Collection, texts_of
from fairviz.rankers.analysis import analyser
from fairviz.study.record import Study

QUERY_WORDS_ALONE = ("bm25", "qlm")  # scores rest on counts of the queries' words and on documents' lengths
Array = np.ndarray


def untouched(study: Study, collection: Collection, queries: list[str]) -> Array:
    """Whether no term of each query was taken out of a document or put in, (Q,)."""
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
    asked = dict(zip(study.queries["query_id"], study.queries["text"].fillna(""), strict=True))
    return np.array([swapped.isdisjoint(terms(asked[query])) for query in queries], dtype=bool)


def reads_query_words_alone(system: str) -> bool:
    """Whether a ranker of this name, with its parameters behind it, sees nothing else of a document."""
    return system.partition("-")[0] in QUERY_WORDS_ALONE
