"""Annotators that learn from the labels of a reference: `prototypes`, the class with the most similar examples by a
sentence encoder, and `classifier`, logistic regression with its labels out-of-fold by query.
"""

import csv
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from fairviz.annotation.annotators.record import Array, Labelled, Method, Values, Work, labelled
from fairviz.annotation.annotators.rules import word_counts
from fairviz.annotation.voters import counted_annotator, is_consensus, is_machine, labels_of
from fairviz.errors import FairvizError
from fairviz.models.sentence_encoder import MINILM, sentence_vectors
from fairviz.parameters import Parameter
from fairviz.words.vectors import unit

FOLDS = 10
REFERENCE = Parameter("reference", "", "whose labels it learns from; those of people that count in the study otherwise")
_FILE = "examples.csv"
SENTENCES, TFIDF, WORDS = "sentences", "tfidf", "words"


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


def examples() -> list[tuple[str, str]]:
    """Return (label, text): the CWEx paper's examples for models (table 1) and for people (its guideline)."""
    text = (files("fairviz.annotation.annotators") / "prompts" / _FILE).read_text(encoding="utf-8")
    return [(row["label"], row["text"]) for row in csv.DictReader(text.splitlines())]


def _prototypes(work: Work, values: Values, _: Sequence[Labelled]) -> Labelled:
    if reference_of(work, values["reference"]):
        codes = gold_codes(work, values["reference"])
        vectors = sentence_vectors(work.texts, values["model"], work.encoding)
        return labelled(nearest_class(vectors, codes, *shared_queries(work), len(work.classes)))
    shots = [(label, text) for label, text in examples() if label in work.classes]
    if {label for label, _ in shots} != set(work.classes):
        raise FairvizError(
            f"{work.study.name} has no labels by people, and there are no examples of {', '.join(work.classes)}",
            "Name whose labels are the examples: reference='NAME'.",
        )
    work.say(f"{work.study.name} has no labels by people: prototypes goes by {len(shots)} examples of the CWEx paper.")
    vectors = sentence_vectors([*work.texts, *(text for _, text in shots)], values["model"], work.encoding)
    codes = np.array([work.classes.index(label) for label, _ in shots])
    means = _class_sums(vectors[len(work.texts) :], codes, len(work.classes))
    return labelled((vectors[: len(work.texts)] @ unit(means).T).argmax(axis=1))


def nearest_class(vectors: Array, codes: Array, documents: Array, queries: Array, classes: int) -> Array:
    """Return the class of the mean vector with the largest cosine to each document's, (D,).

    vectors (D, n) of length 1; codes (D,) of the reference, -1 for none; `documents` and `queries` are pairs. The means
    leave out the document itself and all documents that share a query with it. A class without other documents is not
    chosen.
    """
    sums, counts = _class_sums(vectors, codes, classes), np.bincount(codes[codes >= 0], minlength=classes)
    order = np.argsort(queries, kind="stable")
    members = np.split(documents[order], np.flatnonzero(np.diff(queries[order])) + 1) if len(order) else []
    neighbours: dict[int, set[int]] = {}
    for group in members:
        for document in group.tolist():
            neighbours.setdefault(document, set()).update(group.tolist())
    classes_of_documents = np.empty(len(vectors), dtype=np.int64)
    for document in range(len(vectors)):
        excluded = np.fromiter(neighbours.get(document, {document}) | {document}, dtype=np.int64)
        excluded = excluded[codes[excluded] >= 0]
        remaining = counts - np.bincount(codes[excluded], minlength=classes)
        means = sums.copy()
        np.subtract.at(means, codes[excluded], vectors[excluded])
        classes_of_documents[document] = np.where(remaining > 0, unit(means) @ vectors[document], -np.inf).argmax()
    return classes_of_documents


def _class_sums(vectors: Array, codes: Array, classes: int) -> Array:
    """Return the sum of the vectors of each class, (C, n): the mean up to its length, which a cosine ignores."""
    sums = np.zeros((classes, vectors.shape[1]))
    np.add.at(sums, codes[codes >= 0], vectors[codes >= 0])
    return sums


PROTOTYPES = Method(
    "prototypes",
    "the class whose examples are most alike to a sentence encoder: labels of documents that share no query with this "
    "one, or without labels the examples of the CWEx paper",
    _prototypes,
    (
        Parameter("model", MINILM, "minilm (all-MiniLM-L6-v2, installed), or any other's name or path"),
        REFERENCE,
    ),
)


def _classifier(work: Work, values: Values, _: Sequence[Labelled]) -> Labelled:
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    codes = gold_codes(work, values["reference"])
    fold_of_document, training_masks = folds(work, codes)
    vectors = sentence_vectors(work.texts, values["model"], work.encoding) if values["features"] == SENTENCES else None
    counts = sparse.csr_array(word_counts(work).astype(np.float64)) if values["features"] == WORDS else None
    predictions = np.full(len(codes), -1)
    for fold, training in enumerate(training_masks):
        held_out = fold_of_document == fold
        if not held_out.any():
            continue
        features: list[Any]  # of the training and of the held-out documents
        if vectors is not None:
            features = [vectors[training], vectors[held_out]]
        else:  # tf-idf weights, fitted to the training documents, followed by the counts of gender words if any
            weights = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b")
            texts = [[work.texts[row] for row in np.flatnonzero(rows).tolist()] for rows in (training, held_out)]
            features = [weights.fit_transform(texts[0]), weights.transform(texts[1])]
            if counts is not None:
                both = zip(features, (training, held_out), strict=True)
                features = [sparse.hstack([part, counts[rows]], format="csr") for part, rows in both]
        regression = LogisticRegression(C=values["C"], max_iter=2000).fit(features[0], codes[training])
        predictions[held_out] = regression.predict(features[1])
    return labelled(predictions)


CLASSIFIER = Method(
    "classifier",
    "logistic regression that learns from a reference's labels; each document's label comes from a fold that learnt "
    "from no document of its queries",
    _classifier,
    (
        Parameter("features", SENTENCES, "the features", choices=(SENTENCES, TFIDF, WORDS)),
        Parameter("C", 1.0, "the inverse of the regularisation strength", 1e-4, 1e4),
        Parameter("model", MINILM, "the sentence encoder: minilm, or any other's name or path"),
        REFERENCE,
    ),
)
