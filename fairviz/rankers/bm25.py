"""BM25 as Lucene computes it, by bm25s."""

from collections.abc import Mapping

import numpy as np

from fairviz.rankers.record import Ranker, RankerParameter, Scorer, Tokens


def _scorer(documents: list[Tokens], parameters: Mapping[str, float]) -> Scorer:
    import bm25s

    index = bm25s.BM25(method="lucene", k1=parameters["k1"], b=parameters["b"])
    index.index(documents, show_progress=False)

    def scores(query: Tokens) -> np.ndarray:
        known = [term for term in query if term in index.vocab_dict]
        return index.get_scores(known) if known else np.zeros(len(documents), dtype=np.float32)

    return scores


BM25 = Ranker(
    name="bm25",
    summary="BM25 (Lucene's, English stop words out, Porter stemmer)",
    scorer=_scorer,
    parameters=(
        RankerParameter("k1", 0.9, 0.0, 10.0, "how soon repeating a word stops to count"),
        RankerParameter("b", 0.4, 0.0, 1.0, "how much long documents are held back"),
    ),
)
