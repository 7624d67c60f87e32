"""The GSR paper's w2v_si: w2v_add with each word weighted by its self-information in the collection."""

import math
from collections import Counter

from fairviz.rankers.record import Collection, Lister, Parameters, Ranker
from fairviz.rankers.word_vectors import DEBIAS, EMBEDDING, NOTHING, Weights, mean_cosine


def self_information(counts: Counter) -> Weights:
    """Return -ln of a word's share of all words of the documents, in any case, as a function of the word.

    A query's word that is in no document counts as one occurrence.
    """
    total = max(counts.total(), 1)
    return lambda word: -math.log(max(counts[word.lower()], 1) / total)


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    return mean_cosine(collection, parameters, "w2v_si", self_information)


W2V_SI = Ranker(
    name="w2v_si",
    summary="as w2v_add, each word weighted by its self-information: rare words count more",
    prepare=_prepare,
    parameters=(EMBEDDING, DEBIAS),
    nothing=NOTHING,
)
