"""What annotators that learn may learn from: the labels of a reference, and which documents share a query."""

import numpy as np
import pandas as pd

from fairviz.annotation.annotators.record import Array, Parameter, Work
from fairviz.annotation.counted import counted_annotator, is_consensus, labels_of
from fairviz.annotation.electorate import by_hand
from fairviz.errors import FairvizError

FOLDS = 10
REFERENCE = Parameter("reference", "", "whose labels it learns from; those of people that count in the study otherwise")


def gold_codes(work: Work, reference: str) -> Array:
    """The reference's label of each document, (D,) codes into the classes, -1 where it gave none.

    Unless a reference is named, it is whose labels count in the study, if people had a hand in them. Raises
    FairvizError where there are no such labels, or they hold a single class.
    """
    name = reference_of(work, reference)
    if not name:
        raise FairvizError(
            f"{work.study.name} has no labels by people to learn from",
            "Add labels.csv, or name whose labels to learn from: reference='NAME'.",
        )
    labels = labels_of(work.study, name)
    given = pd.Series(labels["label"].to_numpy(), index=labels["doc_id"].to_numpy()).reindex(work.doc_ids)
    codes = pd.Index(work.classes).get_indexer(pd.Index(given))
    if len(np.unique(codes[codes >= 0])) < 2:
        raise FairvizError(
            f"{name} gave fewer than two different labels to documents of {work.study.name} that have text",
            "Label more of them first, or name another reference.",
        )
    return codes


def reference_of(work: Work, reference: str) -> str:
    """The reference's name; empty where nobody is named and no person labelled. Raises FairvizError for an unknown
    name."""
    name = counted_annotator(work.study, reference)
    people = name and (is_consensus(work.study, name) or by_hand(work.study, name))
    return name if reference or people else ""


def shared_queries(work: Work) -> tuple[Array, Array]:
    """Which document belongs to which query, as two arrays of places: by the judgements, else by the runs."""
    table = work.study.qrels if work.study.has("qrels") else work.study.runs
    pairs = table[["doc_id", "query_id"]].astype("str").drop_duplicates()
    documents = pd.Index(work.doc_ids).get_indexer(pd.Index(pairs["doc_id"]))
    queries, _ = pd.factorize(pairs["query_id"])
    return documents[documents >= 0], queries[documents >= 0]


def folds(work: Work, codes: Array) -> tuple[Array, Array]:
    """Which fold labels each document, (D,), and for each fold the documents it may learn from, (F, D).

    Queries are dealt to the folds, and no fold learns from a document of a query that it labels. A document of several
    queries is labelled with the first. Where that leaves a fold too little to learn from (every document is listed for
    every query, or there are no queries), single documents are dealt, which is said.
    """
    documents, queries = shared_queries(work)
    size = len(codes)
    count = int(min(FOLDS, queries.max(initial=-1) + 1))
    if count > 1:
        inside = np.zeros((count, size), dtype=bool)
        inside[queries % count, documents] = True
        place = np.where(inside.any(axis=0), inside.argmax(axis=0), np.arange(size) % count)
        inside[place, np.arange(size)] = True
        learnt = ~inside & (codes >= 0)
        if _enough(learnt, codes):
            return place, learnt
    work.say(f"{work.study.name}: queries share their documents, so folds are of documents and not of queries.")
    place = np.arange(size) % min(FOLDS, max(size, 2))
    learnt = (place != np.arange(place.max(initial=0) + 1)[:, None]) & (codes >= 0)
    if not _enough(learnt, codes):
        raise FairvizError(
            f"{work.study.name} has too few labels of each class to learn from", "Label more documents first."
        )
    return place, learnt


def _enough(learnt: Array, codes: Array) -> bool:
    """Whether each fold may learn every class that was given at all."""
    return all((learnt & (codes == code)).any(axis=1).all() for code in np.unique(codes[codes >= 0]))
