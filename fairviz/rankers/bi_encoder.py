"""A sentence encoder: query and document as one vector each, compared by their cosine."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from fairviz.models.sentence_encoder import MINILM
from fairviz.models.sentence_vectors import sentence_vectors
from fairviz.rankers.gender_directions import MOST_DIRECTIONS, counterparts_of_texts, directions_of, without
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker, RankerParameter


def _prepare(collection: Collection, parameters: Parameters, learnt_from: Sequence[str] | None = None) -> Lister:
    """Queries are encoded with the documents, so that the whole is one piece of work. An empty text is no query.

    learnt_from: texts that directions of gender are estimated from; the collection's where there are none.
    """
    texts = collection.texts
    queries = [text for text in dict.fromkeys(collection.study.queries["text"]) if text.strip()]
    written = np.array([bool(text.strip()) for text in texts.texts])

    vectors = _vectors(collection, [*texts.texts, *queries], parameters, learnt_from)
    documents = vectors[: len(texts.texts)]
    asked = dict(zip(queries, vectors[len(texts.texts) :], strict=True))
    nothing = np.zeros(len(texts.texts), dtype=bool)

    def found(query: Query) -> Found:
        if query.text not in asked:
            return texts.scored(np.zeros(len(nothing)), nothing)
        return texts.scored(documents @ asked[query.text], written)

    return found


def _vectors(
    collection: Collection, texts: list[str], parameters: Parameters, learnt_from: Sequence[str] | None
) -> np.ndarray:
    """The unit vector of each text, with the directions of gender taken out where that is asked for."""
    model, adapter, number = parameters["model"], parameters["adapter"], int(parameters["project"])
    if not number:
        if parameters["keep"]:
            collection.say(f"bi_encoder: keep={parameters['keep']:g} does nothing without project.")
        return sentence_vectors(texts, model, collection.encoding, adapter)
    pairs = counterparts_of_texts(collection.texts.texts if learnt_from is None else learnt_from)
    both = [text for pair in pairs for text in pair]
    vectors = sentence_vectors([*texts, *both], model, collection.encoding, adapter)
    wordings = vectors[len(texts) :]
    gender = directions_of(wordings[::2] - wordings[1::2], number, collection.study.name)
    collection.say(
        f"bi_encoder: {number:,} directions of gender from {gender.pairs:,} documents in both wordings hold "
        f"{gender.share:.0%} of what these differ by; the share {parameters['keep']:g} of them is kept."
    )
    return without(vectors[: len(texts)], gender.vectors, parameters["keep"])


BI_ENCODER = Ranker(
    name="bi_encoder",
    summary="cosine of a sentence encoder's vectors of query and document",
    prepare=_prepare,
    parameters=(
        RankerParameter("model", MINILM, help="minilm (all-MiniLM-L6-v2, installed), or any other's name or path"),
        RankerParameter(
            "project", 0.0, 0.0, MOST_DIRECTIONS, "how many directions of gender to take out of all vectors", whole=True
        ),
        RankerParameter("keep", 0.0, 0.0, 1.0, "the share of these directions that is kept"),
        RankerParameter("adapter", "", help="the name or folder of what `fairviz mend` trained"),
    ),
    nothing="are empty",
)


def learning_from(texts: Sequence[str]) -> Ranker:
    """The ranker that estimates its directions of gender from these texts alone, such as those of training queries."""
    return replace(BI_ENCODER, prepare=partial(_prepare, learnt_from=tuple(texts)))
