"""Texts as means of word vectors, for w2v_add, w2v_si and fasttext_add (GSR paper, section 2.1)."""

import re
from collections import Counter
from collections.abc import Callable

import numpy as np

from fairviz.parameters import Parameter
from fairviz.rankers.analysis import STOP_WORDS, without_possessives
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query
from fairviz.study.record import Study
from fairviz.words.counting import document_text
from fairviz.words.debiasing import DEBIASINGS, debias
from fairviz.words.vectors import Embedding, load_embedding

NOTHING = "hold no word that has a vector"
EMBEDDING = Parameter("embedding", "glove", help="glove, google-news-subset or the path of a vector file")
DEBIAS = Parameter(
    "debias", DEBIASINGS[0], help="none, regular (gender-specific words keep their gender) or strong (no word does)"
)
Weights = Callable[[str], float]
_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Return the words of the text as written, without possessive 's and stop words, not stemmed."""
    return [word for word in _WORD.findall(without_possessives(text)) if word.lower() not in STOP_WORDS]


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
    weigh_word = weigh(_totals(vocabulary, np.asarray(counts.sum(axis=0)).ravel())) if weigh else _equal_weight
    means = _normalise(counts @ _weigh_vectors(embedding, vocabulary, weigh_word))
    has_mean = np.asarray(means.any(axis=1))

    def find(query: Query) -> Found:
        counts_of_query = Counter(words(query.text))
        total = np.array([*counts_of_query.values()], dtype=float) @ _weigh_vectors(
            embedding, list(counts_of_query), weigh_word
        )
        mean = _normalise(total[None, :])[0]
        return collection.texts.scored(means @ mean, has_mean if mean.any() else np.zeros_like(has_mean))

    return find


def _equal_weight(_: str) -> float:
    return 1.0


def _totals(vocabulary: list[str], counts: np.ndarray) -> Counter:
    totals: Counter = Counter()
    for word, count in zip(vocabulary, counts.tolist(), strict=True):
        totals[word.lower()] += count
    return totals


def _weigh_vectors(embedding: Embedding, vocabulary: list[str], weight: Weights) -> np.ndarray:
    """Return the vector of each word times its weight (V, n), zero without a vector."""
    vectors, _ = embedding.lookup(vocabulary)
    return vectors.astype(float) * np.array([weight(word) for word in vocabulary]).reshape(-1, 1)


def _normalise(sums: np.ndarray) -> np.ndarray:
    """Return sums of weighted vectors (N, n) at length 1; zero where no word has a vector."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return sums / np.where(lengths > 0, lengths, 1)


def study_vocabulary(study: Study) -> set[str]:
    """Return the different words of the study's queries and of its documents' titles and texts, as written."""
    texts = [*study.queries["text"], *document_text(study.documents).dropna()]
    return {word for text in texts for word in words(text)}
