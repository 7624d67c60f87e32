"""The GSR paper's rankers by the cosine of mean word vectors of query and document (section 2.1)."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from fairviz.errors import UsageError
from fairviz.parameters import Parameter
from fairviz.rankers.record import STOP_WORDS, Collection, Found, Lister, Parameters, Query, Ranker, without_possessives
from fairviz.study.record import Study
from fairviz.words.counting import document_text
from fairviz.words.genderedness import DEBIASINGS, debias
from fairviz.words.tokenizers import written_words
from fairviz.words.vectors import NAMES, Embedding, load_embedding, unit

NOTHING = "hold no word that has a vector"
EMBEDDING = Parameter("embedding", "glove", help="glove, google-news-subset or the path of a vector file")
DEBIAS = Parameter(
    "debias", DEBIASINGS[0], help="none, regular (gender-specific words keep their gender) or strong (no word does)"
)
Weights = Callable[[str], float]


def words(text: str) -> list[str]:
    """Return the words of the text as written, without possessive 's and stop words, not stemmed."""
    return [word for word in written_words(without_possessives(text)) if word.lower() not in STOP_WORDS]


def mean_cosine(
    collection: Collection, parameters: Parameters, system: str, weigh: Callable[[Counter], Weights] | None = None
) -> Lister:
    """Return the ranking of documents by the cosine of their mean word vector with the query's.

    parameters: `embedding`, the vectors' name or path, and `debias`, the removal of their gender direction.
    weigh(counts of words in lower case in the collection) returns the weight function of words; None weighs all
    equally. A text without a word that has a vector has no mean: the document is in no list, the query has no list.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    embedding = debias(load_embedding(parameters["embedding"]), parameters["debias"])
    vectorizer = CountVectorizer(analyzer=words)
    counts = vectorizer.fit_transform(collection.texts.texts)
    vocabulary = vectorizer.get_feature_names_out().tolist()
    covered, total = embedding.coverage(vocabulary)
    subword_text = "" if embedding.subword is None else " and makes the others of their parts"
    collection.say(
        f"{system}: {embedding.name} has a vector for {covered:,} of the {total:,} different words{subword_text}."
    )
    totals: Counter = Counter()
    for word, count in zip(vocabulary, np.asarray(counts.sum(axis=0)).ravel().tolist(), strict=True):
        totals[word.lower()] += count
    weigh_word = weigh(totals) if weigh else lambda _: 1.0
    means = unit(counts @ _weigh_vectors(embedding, vocabulary, weigh_word))
    has_mean = np.asarray(means.any(axis=1))

    def find(query: Query) -> Found:
        occurrences = Counter(words(query.text))
        vectors = _weigh_vectors(embedding, list(occurrences), weigh_word)
        mean = unit(np.array([*occurrences.values()], dtype=float) @ vectors)
        return collection.texts.scored(means @ mean, has_mean if mean.any() else np.zeros_like(has_mean))

    return find


def _weigh_vectors(embedding: Embedding, vocabulary: list[str], weight: Weights) -> np.ndarray:
    """Return the vector of each word times its weight (V, n), zero without a vector."""
    vectors, _ = embedding.lookup(vocabulary)
    return vectors.astype(float) * np.array([weight(word) for word in vocabulary]).reshape(-1, 1)


def study_vocabulary(study: Study) -> set[str]:
    """Return the different words of the study's queries and of its documents' titles and texts, as written."""
    texts = [*study.queries["text"], *document_text(study.documents).dropna()]
    return {word for text in texts for word in words(text)}


def self_information(counts: Counter) -> Weights:
    """Return -ln of a word's share of all words of the documents, in any case, as a function of the word.

    A query's word that is in no document counts as one occurrence.
    """
    total = max(counts.total(), 1)
    return lambda word: -math.log(max(counts[word.lower()], 1) / total)


def _prepare_fasttext(collection: Collection, parameters: Parameters) -> Lister:
    """Rank by fastText's vectors, which are made of the parts of a new word: the paper's ftt_add."""
    source = parameters["embedding"]
    if source in NAMES:
        raise UsageError(
            f"fasttext_add cannot use {source}, which is not fastText's",
            "Give the path of a fastText .bin or .vec file, or use w2v_add.",
        )
    return mean_cosine(collection, parameters, "fasttext_add")


W2V_ADD = Ranker(
    name="w2v_add",
    summary="cosine of the mean word vectors of query and document (stop words out, no stemming)",
    prepare=partial(mean_cosine, system="w2v_add"),
    parameters=(EMBEDDING, DEBIAS),
    nothing=NOTHING,
    mitigates=("debias",),
    bench=("debias='regular'", "debias='strong'"),
)
W2V_SI = Ranker(
    name="w2v_si",
    summary="as w2v_add, each word weighted by its self-information: rare words count more",
    prepare=partial(mean_cosine, system="w2v_si", weigh=self_information),
    parameters=(EMBEDDING, DEBIAS),
    nothing=NOTHING,
    mitigates=("debias",),
)
FASTTEXT_ADD = Ranker(
    name="fasttext_add",
    summary="as w2v_add with fastText's vectors: a .bin file has one for every word",
    prepare=_prepare_fasttext,
    parameters=(replace(EMBEDDING, default="", required=True, help="the path of a fastText .bin or .vec file"), DEBIAS),
    nothing=NOTHING,
    mitigates=("debias",),
)
