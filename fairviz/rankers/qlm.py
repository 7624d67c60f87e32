"""Query likelihood with Dirichlet smoothing (Zhai and Lafferty 2004)."""

import numpy as np

from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker, RankerParameter, Tokens


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    """Scores are Σ over the query's terms of ln((tf + mu·p) / (|d| + mu)), p the term's share of the collection.

    Terms that the collection lacks are left out; documents that hold no term of the query are not in its list.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    texts, mu = collection.texts, parameters["mu"]
    vectorizer = CountVectorizer(analyzer=_terms)
    counts = vectorizer.fit_transform(texts.terms).tocsc()
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    shares = np.asarray(counts.sum(axis=0)).ravel() / counts.sum()

    def found(query: Query) -> Found:
        known = [vectorizer.vocabulary_[term] for term in query.terms if term in vectorizer.vocabulary_]
        frequencies = counts[:, known].toarray()
        kept = frequencies.any(axis=1)
        likely = np.log((frequencies + mu * shares[known]) / (lengths[:, None] + mu))
        return texts.scored(likely.sum(axis=1), kept)

    return found


def _terms(tokens: Tokens) -> Tokens:
    return tokens


QLM = Ranker(
    name="qlm",
    summary="query likelihood with Dirichlet smoothing (same words as bm25)",
    prepare=_prepare,
    parameters=(
        RankerParameter("mu", 1000.0, 1.0, 1e6, "words of the collection's mix added to each document; Anserini's"),
    ),
)
