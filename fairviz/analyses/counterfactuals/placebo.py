"""A placebo for a swap of gender: in every document as many content words replaced by near ones.

What a list loses because any text was edited is no effect of gender. Words are drawn at random (seeded, document by
document), and each is replaced by one of its ten nearest neighbours in GloVe, in its case. Gender words stay, and none
is put in.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256

import numpy as np

from fairviz.analyses.counterfactuals.collection import Collection, Edits, texts_of, with_edits
from fairviz.rankers.record import analyser
from fairviz.study.record import Study
from fairviz.words.counterparts import Counterparts, Edit
from fairviz.words.counting import GSR_LEXICON
from fairviz.words.vectors import GLOVE, Embedding, load_embedding

NEIGHBOURS = 10
FREQUENT = 50_000  # GloVe's first words, from which neighbours are taken
_SPARE = 20  # neighbours that are looked at beyond, as some are forms of the word or words of the queries
_BLOCK, _GROUP = 256, 64  # words, and columns of cosines
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, eq=False)
class NearWords:
    """Content words and their nearest neighbours. taboo: words in lower case that are neither replaced nor put in."""

    embedding: Embedding
    taboo: frozenset[str]
    known: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def is_content(self, word: str) -> bool:
        """Return True if the word, in lower case, may be replaced."""
        return word not in self.taboo and word in self.embedding.rows

    def learn(self, words: Iterable[str]) -> None:
        """Looks up the neighbours of these words, many at once."""
        new = [word for word in dict.fromkeys(words) if word not in self.known]
        names, rows = self._candidates
        vectors = self.embedding.vectors[rows]  # (C, n)
        count = min(2 * _SPARE, len(names))
        for start in range(0, len(new), _BLOCK):
            block = new[start : start + _BLOCK]
            cosines = self.embedding.vectors[[self.embedding.rows[word] for word in block]] @ vectors.T  # (B, C)
            best = _largest(cosines, count)
            order = np.argsort(-np.take_along_axis(cosines, best, axis=1), axis=1, kind="stable")
            for word, places in zip(block, np.take_along_axis(best, order, axis=1).tolist(), strict=True):
                stem = stem_of(word)
                self.known[word] = tuple(names[place] for place in places if stem_of(names[place]) != stem)

    @property
    def _candidates(self) -> tuple[list[str], np.ndarray]:
        return _frequent(self.embedding, self.taboo)


def _largest(values: np.ndarray, count: int) -> np.ndarray:
    """Return the places of the largest values of each row, (B, count), in ascending order.

    They are in the `count` groups of columns with the largest maxima, so that few values are sorted. values: (B, C).
    """
    groups = -(-values.shape[1] // _GROUP)
    padded = np.full((len(values), groups * _GROUP), -np.inf, dtype=values.dtype)
    padded[:, : values.shape[1]] = values
    maxima = padded.reshape(len(values), groups, _GROUP).max(axis=2)
    group_places = np.argpartition(maxima, -min(count, groups), axis=1)[:, -min(count, groups) :]
    places = (group_places[:, :, None] * _GROUP + np.arange(_GROUP)).reshape(len(values), -1)
    best = np.argpartition(np.take_along_axis(padded, places, axis=1), -count, axis=1)[:, -count:]
    return np.sort(np.take_along_axis(places, best, axis=1), axis=1)


@lru_cache(maxsize=4)
def _frequent(embedding: Embedding, taboo: frozenset[str]) -> tuple[list[str], np.ndarray]:
    """The words that may be put in, and their rows (C,)."""
    row_by_word = {
        word: row
        for word, row in embedding.rows.items()
        if row < FREQUENT and _WORD.fullmatch(word) and word not in taboo
    }
    return list(row_by_word), np.array(list(row_by_word.values()), dtype=np.int64)


@lru_cache(maxsize=1)
def _analyser():
    return analyser()


@lru_cache(maxsize=200_000)
def stem_of(word: str) -> str:
    """The word's stem, as lexical rankers search for it; empty for one that they do not search for."""
    return "".join(_analyser()(word))


@lru_cache(maxsize=2)
def near_words(counterparts: Counterparts) -> NearWords:
    """The content words of GloVe, without stop words and gender words, with the neighbours looked up so far. Raises
    FairvizError where it is not there."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    gendered = counterparts.vocabulary | {word for word, _ in GSR_LEXICON.words}
    return NearWords(load_embedding(GLOVE), frozenset(ENGLISH_STOP_WORDS) | gendered)


def words_of_queries(study: Study) -> frozenset[str]:
    """The stems of all words of the queries, which a placebo may spare."""
    return frozenset(stem for text in study.queries["text"].fillna("") for stem in _analyser()(text))


@dataclass(frozen=True)
class Place:
    """A word that may be replaced: in the title (0) or the text (1), from where to where, in lower case."""

    part: int
    start: int
    end: int
    word: str


Draw = tuple[list[Place], np.ndarray]  # words to replace, and a number in [0, 1[ for each


def placebos(
    study: Study, counts: Mapping[str, int], near: NearWords, seeds: Sequence[int], spared: frozenset[str] = frozenset()
) -> list[Collection]:
    """Return, for each seed, the study with the given number of content words of each document replaced by near ones.

    spared: stems that are neither replaced nor put in. Where a document has too few content words, all of them are
    replaced: `Collection.counts` has their number.
    """
    texts = texts_of(study)
    draws_by_seed: list[dict[str, Draw]] = [{} for _ in seeds]
    for name, count in counts.items():
        places = _places(texts[name], near, spared)
        for seed, draws in zip(seeds, draws_by_seed, strict=True):
            draws[name] = _draw_places(seed, name, places, count)
    near.learn(place.word for draws in draws_by_seed for places, _ in draws.values() for place in places)
    return [_collection(study, texts, draws, near, spared) for draws in draws_by_seed]


def _places(texts: tuple[str, str], near: NearWords, spared: frozenset[str]) -> list[Place]:
    return [
        Place(part, match.start(), match.end(), word)
        for part, text in enumerate(texts)
        for match in _WORD.finditer(text)
        if near.is_content(word := match[0].lower()) and stem_of(word) not in spared
    ]


def _draw_places(seed: int, name: str, places: list[Place], count: int) -> Draw:
    """Return the positions to replace, in their order, and for each a number in [0, 1[ that selects the neighbour."""
    digest = sha256(name.encode("utf-8", "surrogatepass")).digest()[:8]
    generator = np.random.default_rng([seed, int.from_bytes(digest, "big")])
    chosen = np.sort(generator.permutation(len(places))[:count])
    return [places[place] for place in chosen.tolist()], generator.random(len(chosen))


def _collection(
    study: Study,
    texts: Mapping[str, tuple[str, str]],
    draws: Mapping[str, Draw],
    near: NearWords,
    spared: frozenset[str],
) -> Collection:
    changed: dict[str, Edits] = {}
    for name, (places, numbers) in draws.items():
        parts: Edits = ([], [])
        for place, number in zip(places, numbers.tolist(), strict=True):
            words = [word for word in near.known[place.word] if stem_of(word) not in spared][:NEIGHBOURS]
            if words:
                old = texts[name][place.part][place.start : place.end]
                parts[place.part].append(Edit(place.start, place.end, _cased(words[int(number * len(words))], old)))
        if parts[0] or parts[1]:
            changed[name] = parts
    return Collection(with_edits(study, changed), changed)


def _cased(new: str, old: str) -> str:
    if old.isupper():
        return new.upper()
    return new.capitalize() if old[0].isupper() else new
