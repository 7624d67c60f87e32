"""`classifier`: logistic regression, its labels out-of-fold by query."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairviz.annotation.annotators.gold import REFERENCE, folds, gold_codes
from fairviz.annotation.annotators.record import Array, Labelled, Method, Values, Work, labelled
from fairviz.annotation.annotators.rules import word_counts
from fairviz.models.sentence_encoder import MINILM, sentence_vectors
from fairviz.parameters import Parameter

SENTENCES, TFIDF, WORDS = "sentences", "tfidf", "words"


def _label(work: Work, values: Values, _: Sequence[Labelled]) -> Labelled:
    codes = gold_codes(work, values["reference"])
    fold_of_document, training_masks = folds(work, codes)
    vectors = sentence_vectors(work.texts, values["model"], work.encoding) if values["features"] == SENTENCES else None
    counts = word_counts(work) if values["features"] == WORDS else None
    predictions = np.full(len(codes), -1)
    for fold, training in enumerate(training_masks):
        held_out = fold_of_document == fold
        if held_out.any():
            x_training, x_held_out = (
                (vectors[training], vectors[held_out])
                if vectors is not None
                else _word_features(work, training, held_out, counts)
            )
            predictions[held_out] = _regression(values["C"]).fit(x_training, codes[training]).predict(x_held_out)
    return labelled(predictions)


def _regression(strength: float) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=strength, max_iter=2000)


def _word_features(work: Work, training: Array, held_out: Array, counts: Array | None) -> tuple[Any, Any]:
    """Return tf-idf weights, fitted to the training documents (D,), followed by the counts of gender words if any, of
    the training and of the held-out documents."""
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer

    weights = TfidfVectorizer(token_pattern=r"(?u)\b\w+\b")
    training_features = weights.fit_transform([work.texts[row] for row in np.flatnonzero(training).tolist()])
    held_out_features = weights.transform([work.texts[row] for row in np.flatnonzero(held_out).tolist()])
    if counts is None:
        return training_features, held_out_features
    count_features = sparse.csr_array(counts.astype(np.float64))
    return sparse.hstack([training_features, count_features[training]], format="csr"), sparse.hstack(
        [held_out_features, count_features[held_out]], format="csr"
    )


CLASSIFIER = Method(
    "classifier",
    "logistic regression that learns from a reference's labels; each document's label comes from a fold that learnt "
    "from no document of its queries",
    _label,
    (
        Parameter("features", SENTENCES, "the features", choices=(SENTENCES, TFIDF, WORDS)),
        Parameter("C", 1.0, "the inverse of the regularisation strength", 1e-4, 1e4),
        Parameter("model", MINILM, "the sentence encoder: minilm, or any other's name or path"),
        REFERENCE,
    ),
)
