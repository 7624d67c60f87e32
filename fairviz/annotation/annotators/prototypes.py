"""`prototypes`: the class with the most similar examples, by a sentence encoder."""

import csv
from collections.abc import Sequence
from importlib.resources import files

import numpy as np

from fairviz.annotation.annotators.gold import REFERENCE, gold_codes, reference_of, shared_queries
from fairviz.annotation.annotators.record import Array, Labelled, Method, Values, Work, labelled
from fairviz.errors import FairvizError
from fairviz.models.sentence_encoder import MINILM, sentence_vectors
from fairviz.parameters import Parameter
from fairviz.words.vectors import unit

_FILE = "examples.csv"


def examples() -> list[tuple[str, str]]:
    """Return (label, text): the CWEx paper's examples for models (table 1) and for people (its guideline)."""
    text = (files("fairviz.annotation.annotators") / "prompts" / _FILE).read_text(encoding="utf-8")
    return [(row["label"], row["text"]) for row in csv.DictReader(text.splitlines())]


def _label(work: Work, values: Values, _: Sequence[Labelled]) -> Labelled:
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
    _label,
    (
        Parameter("model", MINILM, "minilm (all-MiniLM-L6-v2, installed), or any other's name or path"),
        REFERENCE,
    ),
)
