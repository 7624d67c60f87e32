"""Rankers by the terms that query and document share: `bm25`, `tfidf` and `qlm`."""

import numpy as np

from fairviz.parameters import Parameter
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker, Tokens


def _prepare_bm25(collection: Collection, parameters: Parameters) -> Lister:
    import bm25s

    texts = collection.texts
    index = bm25s.BM25(method="lucene", k1=parameters["k1"], b=parameters["b"])
    index.index([list(terms) for terms in texts.terms], show_progress=False)  # a pair of tuples has another meaning

    def find(query: Query) -> Found:
        terms = [term for term in query.terms if term in index.vocab_dict]
        scores = index.get_scores(terms) if terms else np.zeros(len(texts.names), dtype=np.float32)
        return texts.scored(scores, scores > 0)

    return find


def _prepare_tfidf(collection: Collection, _: Parameters) -> Lister:
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


def _prepare_qlm(collection: Collection, parameters: Parameters) -> Lister:
    """Score by query likelihood with Dirichlet smoothing (Zhai and Lafferty 2004).

    The score is Σ over the query's terms of ln((tf + mu·p) / (|d| + mu)), p the term's share of the collection.
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


BM25 = Ranker(
    name="bm25",
    summary="BM25 (Lucene's, English stop words out, Porter stemmer)",
    prepare=_prepare_bm25,
    parameters=(
        Parameter("k1", 0.9, "how soon repeating a word stops to count", 0.0, 10.0),
        Parameter("b", 0.4, "how much long documents are held back", 0.0, 1.0),
    ),
)
TFIDF = Ranker(name="tfidf", summary="cosine of TF-IDF vectors (same words as bm25)", prepare=_prepare_tfidf)
QLM = Ranker(
    name="qlm",
    summary="query likelihood with Dirichlet smoothing (same words as bm25)",
    prepare=_prepare_qlm,
    parameters=(Parameter("mu", 1000.0, "words of the collection's mix added to each document; Anserini's", 1.0, 1e6),),
)
