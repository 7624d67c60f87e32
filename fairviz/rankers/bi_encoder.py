"""A sentence encoder: query and document as one vector each, compared by their cosine."""

import numpy as np

from fairviz.models.sentence_encoder import MINILM
from fairviz.models.sentence_vectors import sentence_vectors
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker, RankerParameter


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    """Queries are encoded with the documents, so that the whole is one piece of work. An empty text is no query."""
    texts = collection.texts
    queries = [text for text in dict.fromkeys(collection.study.queries["text"]) if text.strip()]
    written = np.array([bool(text.strip()) for text in texts.texts])

    vectors = sentence_vectors([*texts.texts, *queries], parameters["model"], collection.encoding)
    documents = vectors[: len(texts.texts)]
    asked = dict(zip(queries, vectors[len(texts.texts) :], strict=True))
    nothing = np.zeros(len(texts.texts), dtype=bool)

    def found(query: Query) -> Found:
        if query.text not in asked:
            return texts.scored(np.zeros(len(nothing)), nothing)
        return texts.scored(documents @ asked[query.text], written)

    return found


BI_ENCODER = Ranker(
    name="bi_encoder",
    summary="cosine of a sentence encoder's vectors of query and document",
    prepare=_prepare,
    parameters=(
        RankerParameter("model", MINILM, help="minilm (all-MiniLM-L6-v2, installed), or any other's name or path"),
    ),
    nothing="are empty",
)
