"""Query likelihood with Dirichlet smoothing (Zhai and Lafferty 2004)."""

import numpy as np

from fairviz.parameters import Parameter
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker, Tokens


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    """Score by Σ over the query's terms of ln((tf + mu·p) / (|d| + mu)), p the term's share of the collection.

    Terms that are not in the collection are left out; documents without a term of the query are not in its list.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    texts, mu = collection.texts, parameters["mu"]
    vectorizer = CountVectorizer(analyzer=_terms)
    counts = vectorizer.fit_transform(texts.terms).tocsc()
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    shares = np.asarray(counts.sum(axis=0)).ravel() / counts.sum()

    def find(query: Query) -> Found:
        term_columns = [vectorizer.vocabulary_[term] for term in query.terms if term in vectorizer.vocabulary_]
        frequencies = counts[:, term_columns].toarray()
        has_term = frequencies.any(axis=1)
        log_likelihoods = np.log((frequencies + mu * shares[term_columns]) / (lengths[:, None] + mu))
        return texts.scored(log_likelihoods.sum(axis=1), has_term)

    return find


def _terms(tokens: Tokens) -> Tokens:
    return tokens


QLM = Ranker(
    name="qlm",
    summary="query likelihood with Dirichlet smoothing (same words as bm25)",
    prepare=_prepare,
    parameters=(Parameter("mu", 1000.0, "words of the collection's mix added to each document; Anserini's", 1.0, 1e6),),
)
