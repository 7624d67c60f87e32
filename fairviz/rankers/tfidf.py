"""Cosine of TF-IDF vectors, by scikit-learn."""

import numpy as np

from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker, Tokens


def _prepare(collection: Collection, _: Parameters) -> Lister:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = collection.texts
    vectorizer = TfidfVectorizer(analyzer=_terms)
    matrix = vectorizer.fit_transform(texts.terms)

    def find(query: Query) -> Found:
        scores = np.asarray((matrix @ vectorizer.transform([query.terms]).T).todense()).ravel()
        return texts.scored(scores, scores > 0)

    return find


def _terms(tokens: Tokens) -> Tokens:
    return tokens


TFIDF = Ranker(name="tfidf", summary="cosine of TF-IDF vectors (same words as bm25)", prepare=_prepare)
