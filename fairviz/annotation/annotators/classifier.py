"""`classifier`: logistic regression, its labels out of fold by query."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairviz.annotation.annotators.gold import REFERENCE, folds, gold_codes
from fairviz.annotation.annotators.record import Array, Labelled, Method, Parameter, Values, Work, labelled
from fairviz.annotation.annotators.words import word_counts
from fairviz.models.sentence_encoder import MINILM
from fairviz.models.sentence_vectors import sentence_vectors

SENTENCES, TFIDF, WORDS = "sentences", "tfidf", "words"


def _label(work: Work, values: Values, _: Sequence[Labelled]) -> Labelled:
    codes = gold_codes(work, values["reference"])
    place, learnt = folds(work, codes)
    vectors = sentence_vectors(work.texts, values["model"], work.encoding) if values["features"] == SENTENCES else None
    counts = word_counts(work) if values["features"] == WORDS else None
    found = np.full(len(codes), -1)
    for fold, own in enumerate(learnt):
        asked = place == fold
        if asked.any():
            known, new = (vectors[own], vectors[asked]) if vectors is not None else _words(work, own, asked, counts)
            found[asked] = _regression(values["C"]).fit(known, codes[own]).predict(new)
    return labelled(found)


def _regression(strength: float) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=strength, max_iter=2000)


def _words(work: Work, own: Array, asked: Array, counts: Array | None) -> tuple[Any, Any]:
    """tf-idf of the words as the learnt documents (D,) have them, and beside it which gender's words prevail and
    whether there are any, for the learnt and for the asked documents."""
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer

    weights = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b")
    known = weights.fit_transform([work.texts[row] for row in np.flatnonzero(own).tolist()])
    new = weights.transform([work.texts[row] for row in np.flatnonzero(asked).tolist()])
    if counts is None:
        return known, new
    beside = sparse.csr_array(counts.astype(np.float64))
    return sparse.hstack([known, beside[own]], format="csr"), sparse.hstack([new, beside[asked]], format="csr")


CLASSIFIER = Method(
    "classifier",
    "logistic regression that learns from a reference's labels; each document's label comes from a fold that learnt "
    "from no document of its queries",
    _label,
    (
        Parameter("features", SENTENCES, "what it sees", choices=(SENTENCES, TFIDF, WORDS)),
        Parameter("C", 1.0, "how little it is held back", 1e-4, 1e4),
        Parameter("model", MINILM, "the sentence encoder: minilm, or any other's name or path"),
        REFERENCE,
    ),
)
