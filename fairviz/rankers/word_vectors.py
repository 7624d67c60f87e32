"""Texts as means of word vectors: what w2v_add, w2v_si and fasttext_add share (GSR paper, section 2.1)."""

import re
from collections import Counter
from collections.abc import Callable

import numpy as np

from fairviz.rankers.analysis import STOP_WORDS, without_possessives
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, RankerParameter
from fairviz.study.study import Study
from fairviz.words.counting import document_text
from fairviz.words.debiasing import DEBIASINGS, debias
from fairviz.words.vectors import Embedding, load_embedding

NOTHING = "hold no word that has a vector"
EMBEDDING = RankerParameter("embedding", "glove", help="glove, google-news-subset or the path of a vector file")
DEBIAS = RankerParameter(
    "debias", DEBIASINGS[0], help="none, regular (gender-specific words keep their gender) or strong (no word does)"
)
Weights = Callable[[str], float]
_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """The words of the text as written, possessive 's off, stop words out; none is stemmed, as vectors are of words."""
    return [word for word in _WORD.findall(without_possessives(text)) if word.lower() not in STOP_WORDS]


def mean_cosine(
    collection: Collection, parameters: Parameters, system: str, weigh: Callable[[Counter], Weights] | None = None
) -> Lister:
    """Documents by the cosine of their mean word vector with the query's.

    parameters: `embedding`, the vectors' name or path, and `debias`, how their gender direction is taken out.
    weigh(how often each word in lower case stands in the collection) gives the weight of a word; None weighs all
    alike. A text without a word that has a vector has no mean: such a document is in no list, such a query has none.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    embedding = debias(load_embedding(parameters["embedding"]), parameters["debias"])
    vectorizer = CountVectorizer(analyzer=words)
    counts = vectorizer.fit_transform(collection.texts.texts)
    vocabulary = vectorizer.get_feature_names_out().tolist()
    known, total = embedding.coverage(vocabulary)
    rest = "" if embedding.subword is None else " and makes the others of their parts"
    collection.say(f"{system}: {embedding.name} has a vector for {known:,} of the {total:,} different words{rest}.")
    weight = weigh(_totals(vocabulary, np.asarray(counts.sum(axis=0)).ravel())) if weigh else _alike
    means = _unit_length(counts @ _weighted(embedding, vocabulary, weight))
    with_mean = np.asarray(means.any(axis=1))

    def found(query: Query) -> Found:
        asked = Counter(words(query.text))
        total = np.array([*asked.values()], dtype=float) @ _weighted(embedding, list(asked), weight)
        mean = _unit_length(total[None, :])[0]
        return collection.texts.scored(means @ mean, with_mean if mean.any() else np.zeros_like(with_mean))

    return found


def _alike(_: str) -> float:
    return 1.0


def _totals(vocabulary: list[str], counts: np.ndarray) -> Counter:
    totals: Counter = Counter()
    for word, count in zip(vocabulary, counts.tolist(), strict=True):
        totals[word.lower()] += count
    return totals


def _weighted(embedding: Embedding, vocabulary: list[str], weight: Weights) -> np.ndarray:
    """The vector of each word times its weight (V, n), zero where it has none."""
    vectors, _ = embedding.lookup(vocabulary)
    return vectors.astype(float) * np.array([weight(word) for word in vocabulary]).reshape(-1, 1)


def _unit_length(sums: np.ndarray) -> np.ndarray:
    """Sums of weighted vectors (N, n) as directions; zero where no word has a vector."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return sums / np.where(lengths > 0, lengths, 1)


def study_vocabulary(study: Study) -> set[str]:
    """The different words of the study's queries and of its documents' titles and texts, as written."""
    texts = [*study.queries["text"], *document_text(study.documents).dropna()]
    return {word for text in texts for word in words(text)}
