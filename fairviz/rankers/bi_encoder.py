"""The ranker `bi_encoder`: cosine of a sentence encoder's vectors of query and document."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from fairviz.models.sentence_encoder import MINILM
from fairviz.models.sentence_vectors import sentence_vectors
from fairviz.parameters import Parameter
from fairviz.rankers.gender_directions import MOST_DIRECTIONS, counterparts_of_texts, directions_of, without
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker


def _prepare(collection: Collection, parameters: Parameters, learnt_from: Sequence[str] | None = None) -> Lister:
    """Encode queries with the documents, as one job. An empty text is not a query.

    learnt_from: the texts for directions of gender (default: the collection's).
    """
    texts = collection.texts
    queries = [text for text in dict.fromkeys(collection.study.queries["text"]) if text.strip()]
    has_text = np.array([bool(text.strip()) for text in texts.texts])

    vectors = _vectors(collection, [*texts.texts, *queries], parameters, learnt_from)
    documents = vectors[: len(texts.texts)]
    vectors_by_query = dict(zip(queries, vectors[len(texts.texts) :], strict=True))
    no_documents = np.zeros(len(texts.texts), dtype=bool)

    def find(query: Query) -> Found:
        if query.text not in vectors_by_query:
            return texts.scored(np.zeros(len(no_documents)), no_documents)
        return texts.scored(documents @ vectors_by_query[query.text], has_text)

    return find


def _vectors(
    collection: Collection, texts: list[str], parameters: Parameters, learnt_from: Sequence[str] | None
) -> np.ndarray:
    """Return the unit vector of each text, without the directions of gender where `project` is above 0."""
    model, adapter, number = parameters["model"], parameters["adapter"], int(parameters["project"])
    if not number:
        if parameters["keep"]:
            collection.say(f"bi_encoder: keep={parameters['keep']:g} does nothing without project.")
        return sentence_vectors(texts, model, collection.encoding, adapter)
    pairs = counterparts_of_texts(collection.texts.texts if learnt_from is None else learnt_from)
    wordings = [text for pair in pairs for text in pair]
    vectors = sentence_vectors([*texts, *wordings], model, collection.encoding, adapter)
    first, second = vectors[len(texts) :: 2], vectors[len(texts) + 1 :: 2]
    gender = directions_of(first - second, number, collection.study.name)
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
        Parameter("model", MINILM, help="minilm (all-MiniLM-L6-v2, installed), or any other's name or path"),
        Parameter(
            "project", 0.0, "how many directions of gender to take out of all vectors", 0.0, MOST_DIRECTIONS, whole=True
        ),
        Parameter("keep", 0.0, "the share of these directions that is kept", 0.0, 1.0),
        Parameter("adapter", "", help="the name or folder of what `fairviz mend` trained"),
    ),
    nothing="are empty",
    mitigates=("project", "adapter"),
    extent=("keep",),
    bench=("project=3,keep=0.5",),
    layer="models",
)


def learning_from(texts: Sequence[str]) -> Ranker:
    """Return the ranker with directions of gender from these texts only, such as those of training queries."""
    return replace(BI_ENCODER, prepare=partial(_prepare, learnt_from=tuple(texts)))
