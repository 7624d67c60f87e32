"""Cosine of TF-IDF vectors, by scikit-learn."""

from collections.abc import Mapping

import numpy as np

from fairviz.rankers.record import Ranker, Scorer, Tokens


def _scorer(documents: list[Tokens], _: Mapping[str, float]) -> Scorer:
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer=_terms)
    matrix = vectorizer.fit_transform(documents)

    def scores(query: Tokens) -> np.ndarray:
        return np.asarray((matrix @ vectorizer.transform([query]).T).todense()).ravel()

    return scores


def _terms(tokens: Tokens) -> Tokens:
    return tokens


TFIDF = Ranker(name="tfidf", summary="cosine of TF-IDF vectors (same words as bm25)", scorer=_scorer)
