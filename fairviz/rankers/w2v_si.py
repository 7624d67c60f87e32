"""The GSR paper's w2v_si: as w2v_add, each word weighted by its self-information in the collection."""

import math
from collections import Counter

from fairviz.rankers.record import Collection, Lister, Parameters, Ranker
from fairviz.rankers.word_vectors import DEBIAS, EMBEDDING, NOTHING, Weights, mean_cosine


def self_information(held: Counter) -> Weights:
    """-ln of a word's share of all words of the documents, in any case.

    A word that the documents lack, which only a query can hold, counts as one that stands in them once.
    """
    total = max(held.total(), 1)
    return lambda word: -math.log(max(held[word.lower()], 1) / total)


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    return mean_cosine(collection, parameters, "w2v_si", self_information)


W2V_SI = Ranker(
    name="w2v_si",
    summary="as w2v_add, each word weighted by its self-information: rare words count more",
    prepare=_prepare,
    parameters=(EMBEDDING, DEBIAS),
    nothing=NOTHING,
)
