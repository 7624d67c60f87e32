"""Training data of annotators that learn: the labels of a reference, and folds by query."""

import numpy as np
import pandas as pd

from fairviz.annotation.annotators.record import Array, Work
from fairviz.annotation.counted import counted_annotator, is_consensus, labels_of
from fairviz.annotation.voters import is_machine
from fairviz.errors import FairvizError
from fairviz.parameters import Parameter

FOLDS = 10
REFERENCE = Parameter("reference", "", "whose labels it learns from; those of people that count in the study otherwise")


def gold_codes(work: Work, reference: str) -> Array:
    """Return the reference's label of each document, (D,) codes into the classes, -1 for none.

    The default reference is the study's counted annotator, if its labels are by people. Raises FairvizError without
    labels, and for labels of a single class.
    """
    name = reference_of(work, reference)
    if not name:
        raise FairvizError(
            f"{work.study.name} has no labels by people to learn from",
            "Add labels.csv, or name whose labels to learn from: reference='NAME'.",
        )
    labels = labels_of(work.study, name)
    reference_labels = pd.Series(labels["label"].to_numpy(), index=labels["doc_id"].to_numpy()).reindex(work.doc_ids)
    codes = pd.Index(work.classes).get_indexer(pd.Index(reference_labels))
    if len(np.unique(codes[codes >= 0])) < 2:
        raise FairvizError(
            f"{name} gave fewer than two different labels to documents of {work.study.name} that have text",
            "Label more of them first, or name another reference.",
        )
    return codes


def reference_of(work: Work, reference: str) -> str:
    """Return the reference's name; empty where none is named and no person labelled. Raises FairvizError for an unknown
    name."""
    name = counted_annotator(work.study, reference)
    is_by_people = name and (is_consensus(work.study, name) or not is_machine(work.study, name))
    return name if reference or is_by_people else ""


def shared_queries(work: Work) -> tuple[Array, Array]:
    """Return the pairs of documents and queries, as two arrays of places: by the judgements, else by the runs."""
    table = work.study.qrels if work.study.has("qrels") else work.study.runs
    pairs = table[["doc_id", "query_id"]].astype("str").drop_duplicates()
    documents = pd.Index(work.doc_ids).get_indexer(pd.Index(pairs["doc_id"]))
    queries, _ = pd.factorize(pairs["query_id"])
    return documents[documents >= 0], queries[documents >= 0]


def folds(work: Work, codes: Array) -> tuple[Array, Array]:
    """Return the fold of each document, (D,), and for each fold a mask of its training documents, (F, D).

    Queries are dealt to the folds, and no training document shares a query with a held-out one. A document of several
    queries is in the fold of the first. Where a fold then lacks training documents (every document is listed for every
    query, or there are no queries), single documents are dealt, and a message reports it.
    """
    documents, queries = shared_queries(work)
    size = len(codes)
    count = int(min(FOLDS, queries.max(initial=-1) + 1))
    if count > 1:
        belongs = np.zeros((count, size), dtype=bool)
        belongs[queries % count, documents] = True
        fold_of_document = np.where(belongs.any(axis=0), belongs.argmax(axis=0), np.arange(size) % count)
        belongs[fold_of_document, np.arange(size)] = True
        training_masks = ~belongs & (codes >= 0)
        if _has_every_class(training_masks, codes):
            return fold_of_document, training_masks
    work.say(f"{work.study.name}: queries share their documents, so folds are of documents and not of queries.")
    fold_of_document = np.arange(size) % min(FOLDS, max(size, 2))
    training_masks = (fold_of_document != np.arange(fold_of_document.max(initial=0) + 1)[:, None]) & (codes >= 0)
    if not _has_every_class(training_masks, codes):
        raise FairvizError(
            f"{work.study.name} has too few labels of each class to learn from", "Label more documents first."
        )
    return fold_of_document, training_masks


def _has_every_class(training_masks: Array, codes: Array) -> bool:
    """Return whether the training documents of each fold have every class of the reference."""
    return all((training_masks & (codes == code)).any(axis=1).all() for code in np.unique(codes[codes >= 0]))
