"""The ranker `bm25`: Lucene's BM25, by bm25s."""

import numpy as np

from fairviz.parameters import Parameter
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    import bm25s

    texts = collection.texts
    index = bm25s.BM25(method="lucene", k1=parameters["k1"], b=parameters["b"])
    index.index(texts.terms, show_progress=False)

    def find(query: Query) -> Found:
        terms = [term for term in query.terms if term in index.vocab_dict]
        scores = index.get_scores(terms) if terms else np.zeros(len(texts.names), dtype=np.float32)
        return texts.scored(scores, scores > 0)

    return find


BM25 = Ranker(
    name="bm25",
    summary="BM25 (Lucene's, English stop words out, Porter stemmer)",
    prepare=_prepare,
    parameters=(
        Parameter("k1", 0.9, "how soon repeating a word stops to count", 0.0, 10.0),
        Parameter("b", 0.4, "how much long documents are held back", 0.0, 1.0),
    ),
)
