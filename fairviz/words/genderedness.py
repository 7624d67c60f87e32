"""Genderedness: the position of words and texts between male (negative) and female (positive) in word vectors.

Fabris, Purpura, Silvello, Susto: Gender Stereotype Reinforcement, sections 3.2.1 and 3.2.2. Axis letters: P pairs,
V words of the vocabulary, n dimensions, B bootstrap draws, D texts.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import unquote

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError
from fairviz.words.counting import GSR_LEXICON, escaped
from fairviz.words.gsr_words import count_words
from fairviz.words.vectors import Embedding

Array = np.ndarray
Pairs = tuple[tuple[str, str], ...]
PAIRS: Pairs = (
    ("she", "he"),
    ("her", "his"),
    ("woman", "man"),
    ("Mary", "John"),
    ("herself", "himself"),
    ("daughter", "son"),
    ("mother", "father"),
    ("gal", "guy"),
    ("girl", "boy"),
    ("female", "male"),
)
FEWEST_PAIRS = 3
MOST_PAIRS = 64  # a bootstrap allocates their square a thousand times
PAIRS_REMEDY = "Write female-male pairs: she-he, her-his; a hyphen inside a word as %2D."
_PARTS_PAIRS = re.compile(r"[%,-]|\s")
DRAWS = 1000
FREQUENT = 20_000  # the vocabulary's first words, whose mean is its offset: files list frequent words first
_BLOCK = 50_000
DEBIASINGS = ("none", "regular", "strong")
_SPELLINGS: tuple[Callable[[str], str], ...] = (str, str.lower, str.capitalize, str.upper)
_ROWS = 4_096  # vectors at a time
_NOTHING_LEFT = 1e-5  # float32: the remainder of a vector along the direction is rounding
GENDER_SPECIFIC = frozenset(word for word, _ in GSR_LEXICON.words) | {word for pair in PAIRS for word in pair}
"""Words that keep their gender in regular debiasing: the paper's Appendix B and the ten pairs."""


@dataclass(frozen=True, eq=False)
class GenderDirection:
    """The direction from male to female in an embedding.

    pairs: the (female, male) pairs it was computed from; missing: those left out because a word has no vector.
    vector (n,): float64, unit length, female positive. explained (min(P, n),): share of the variance of the pairs'
    words about their midpoints along each principal direction, descending, summing to 1; the first is `vector`'s.
    """

    embedding: Embedding
    pairs: Pairs
    missing: Pairs
    vector: Array
    explained: Array

    def of(self, words: Iterable[str]) -> Array:
        """Return g of each word (N,), its cosine with the direction, in [-1, 1]; NaN if the word has no vector."""
        vectors, in_vocabulary = self.embedding.lookup(words)
        return np.where(in_vocabulary, vectors.astype(np.float64) @ self.vector, np.nan)


def parse_pairs(text: str) -> Pairs:
    """Return `she-he, her-his` as pairs (female, male), each once.

    A hyphen, comma or space inside a word is written as in a URL: `ex%2Dwife-ex%2Dhusband`. Raises UsageError for a
    malformed pair and for more than 64 pairs.
    """
    pairs = []
    for part in filter(None, (piece.strip() for piece in text.replace("\n", ",").split(","))):
        words = [word.strip() for word in part.split("-")]
        if len(words) != 2 or not all(words) or any(" " in word for word in words):
            raise UsageError(f"{part[:60]!r} is not a pair of words", PAIRS_REMEDY)
        female, male = map(unquote, words)
        if female.lower() == male.lower():
            raise UsageError(f"the pair {part[:60]!r} holds one word twice", "Write female-male pairs: she-he.")
        pairs.append((female, male))
    pairs = list(dict.fromkeys(pairs))
    if len(pairs) > MOST_PAIRS:
        raise UsageError(f"{len(pairs):,} pairs are too many", f"Give {MOST_PAIRS} or fewer.")
    return tuple(pairs)


def format_pairs(pairs: Pairs) -> str:
    """Return the pairs as one line for `parse_pairs`."""
    return ", ".join("-".join(escaped(word, _PARTS_PAIRS) for word in pair) for pair in pairs)


_MORE_PAIRS = """actress-actor actresses-actors aunt-uncle aunts-uncles businesswoman-businessman
businesswomen-businessmen chairwoman-chairman chairwomen-chairmen congresswoman-congressman congresswomen-congressmen
councilwoman-councilman councilwomen-councilmen daughters-sons females-males gals-guys girls-boys girlfriend-boyfriend
girlfriends-boyfriends godmother-godfather granddaughter-grandson granddaughters-grandsons grandma-grandpa
grandmother-grandfather grandmothers-grandfathers lady-gentleman ladies-gentlemen mom-dad mommy-daddy moms-dads
mothers-fathers niece-nephew nieces-nephews nun-monk nuns-monks princess-prince princesses-princes queen-king
queens-kings schoolgirl-schoolboy schoolgirls-schoolboys sister-brother sisters-brothers spokeswoman-spokesman
spokeswomen-spokesmen stepdaughter-stepson waitress-waiter waitresses-waiters wife-husband wives-husbands women-men"""
EQUALISED = (*PAIRS, *parse_pairs(",".join(_MORE_PAIRS.split())))
"""Pairs (female, male): the ten that span the direction, and the words of the paper's Appendix B with a plain
counterpart in it."""


def gender_direction(embedding: Embedding, pairs: Iterable[tuple[str, str]] = PAIRS) -> GenderDirection:
    """Return the gender direction of these vectors: the first principal component of the pairs about their midpoints.

    Centring each pair on its midpoint gives the rows +d/2 and -d/2, d = female - male; their principal components
    are the uncentred singular vectors of the differences d, (P, n). (Subtracting the differences' mean, as PCA on
    them would, removes the direction itself.) Oriented so that the female words' sum is positive. GSR paper,
    section 3.2.1, after Bolukbasi and others (2016).

    Raises FairvizError if fewer than three pairs have both words among the vectors.
    """
    requested_pairs = tuple((female, male) for female, male in pairs)
    differences, completeness = _differences(embedding, requested_pairs)
    used_pairs = tuple(pair for pair, complete in zip(requested_pairs, completeness, strict=True) if complete)
    missing = tuple(pair for pair, complete in zip(requested_pairs, completeness, strict=True) if not complete)
    if len(used_pairs) < FEWEST_PAIRS:
        missing_text = ", ".join("-".join(pair) for pair in missing) or "none"
        raise FairvizError(
            f"the gender direction needs {FEWEST_PAIRS} pairs of words, and {embedding.name} has vectors for "
            f"{len(used_pairs)} of {len(requested_pairs)} (it lacks {missing_text})",
            "Give other pairs, or use other word vectors.",
        )
    _, singular, rows = np.linalg.svd(differences, full_matrices=False)
    if not singular[0] > 0:
        raise FairvizError(
            f"the words of every pair have the same vector in {embedding.name}", "Give other pairs of words."
        )
    vector = rows[0] * (1 if (differences @ rows[0]).sum() >= 0 else -1)
    return GenderDirection(embedding, used_pairs, missing, vector, singular**2 / (singular**2).sum())


def _differences(embedding: Embedding, pairs: Pairs) -> tuple[Array, Array]:
    """Return female - male of the complete pairs, float64 (P, n), and a mask of the complete pairs."""
    female, female_known = embedding.lookup(female for female, _ in pairs)
    male, male_known = embedding.lookup(male for _, male in pairs)
    complete = female_known & male_known
    return female[complete].astype(np.float64) - male[complete].astype(np.float64), complete


def bootstrap_directions(direction: GenderDirection, draws: int = DRAWS, seed: int = 0) -> Array:
    """Return the direction of each bootstrap draw of the pairs, with replacement: (B, n), unit length, female positive.

    A draw of pair i c_i times has the principal direction of the differences times √c_i. It is in the span of the P
    differences and is solved from the P × P inner products of the rows, not in n dimensions.
    """
    differences, _ = _differences(direction.embedding, direction.pairs)  # (P, n)
    count = len(differences)
    multiplicities = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=draws)  # (B, P)
    roots = np.sqrt(multiplicities)
    inner = roots[:, :, None] * (differences @ differences.T) * roots[:, None, :]  # (B, P, P)
    leading = np.linalg.eigh(inner)[1][:, :, -1]  # (B, P)
    directions = (leading * roots) @ differences  # (B, n)
    projected = (multiplicities * (directions @ differences.T)).sum(axis=1)
    lengths = np.linalg.norm(directions, axis=1)
    return directions * (np.where(projected >= 0, 1, -1) / np.where(lengths > 0, lengths, 1))[:, None]


def word_genderedness(direction: GenderDirection, words: Iterable[str], draws: int = DRAWS) -> pd.DataFrame:
    """Return g of each word with its 95 % interval over bootstrap draws of the pairs: word, g, ci_low, ci_high.

    NaN for a word out of vocabulary. The interval covers the choice of pairs only.
    """
    return _with_intervals(direction, list(words), np.zeros(len(direction.vector)), draws)


def relative_genderedness(direction: GenderDirection, words: Iterable[str], draws: int = DRAWS) -> pd.DataFrame:
    """Return g of each word minus the vocabulary's mean g, as in `word_genderedness`: word, g, ci_low, ci_high.

    Every draw of the pairs has its own direction, and thereby its own mean.
    """
    return _with_intervals(direction, list(words), _mean_vector(direction.embedding), draws)


def _with_intervals(direction: GenderDirection, words: list[str], origin: Array, draws: int) -> pd.DataFrame:
    """Return g of each word's vector minus `origin` (n,), with its interval."""
    vectors, in_vocabulary = direction.embedding.lookup(words)
    vectors = vectors.astype(np.float64) - origin
    low, high = np.full(len(words), np.nan), np.full(len(words), np.nan)
    if in_vocabulary.any():
        resampled = bootstrap_directions(direction, draws) @ vectors[in_vocabulary].T  # (B, N)
        low[in_vocabulary], high[in_vocabulary] = np.quantile(resampled, [0.025, 0.975], axis=0)
    g = np.where(in_vocabulary, vectors @ direction.vector, np.nan)
    return pd.DataFrame({"word": pd.Series(words, dtype="str"), "g": g, "ci_low": low, "ci_high": high})


def vocabulary_genderedness(direction: GenderDirection) -> Array:
    """Return g of every row of the embedding, (V,) float64, in the file's order."""
    vectors = direction.embedding.vectors
    blocks = (vectors[start : start + _BLOCK].astype(np.float64) for start in range(0, len(vectors), _BLOCK))
    return np.concatenate([block @ direction.vector for block in blocks] or [np.zeros(0)])


def vocabulary_mean(direction: GenderDirection) -> float:
    """Return the embedding's offset: the mean g of its first 20,000 words, the frequent ones in most files."""
    return float(_mean_vector(direction.embedding) @ direction.vector)


def _mean_vector(embedding: Embedding) -> Array:
    """Return the mean (n,) of the vectors of the first 20,000 words, without zero vectors."""
    vectors = embedding.vectors[:FREQUENT].astype(np.float64)
    return vectors[vectors.any(axis=1)].mean(axis=0)


def text_genderedness(direction: GenderDirection, texts: Sequence[str | None], stop_list: str = "") -> pd.DataFrame:
    """Return g of each text, the mean g of its words in the vocabulary, one row a text: g, words, known.

    words: the number of words from `text_words`; known: the number of these with a vector. g is NaN for none and for a
    missing text. Each text is computed by itself: a collection of any size can be split into partitions.
    stop_list: in place of the built-in one: see `text_words`.
    """
    word_counts = count_words(texts, stop_list)
    g = direction.of(word_counts.vocabulary)
    value_sums = word_counts.totals(np.nan_to_num(g))
    known_counts = word_counts.totals((~np.isnan(g)).astype(np.float64))
    return pd.DataFrame(
        {
            "g": np.divide(value_sums, known_counts, out=np.full(len(value_sums), np.nan), where=known_counts > 0),
            "words": word_counts.totals(np.ones(len(g))).astype(np.int64),
            "known": known_counts.astype(np.int64),
        }
    )


def unknown_words(embedding: Embedding, texts: Sequence[str | None], stop_list: str = "") -> pd.DataFrame:
    """Return the words of these texts without a vector: word, count (occurrences); the most frequent first.

    stop_list: in place of the built-in one: see `text_words`.
    """
    word_counts = count_words(texts, stop_list)
    in_vocabulary = embedding.lookup(word_counts.vocabulary)[1]
    count = np.asarray(word_counts.counts.sum(axis=0)).ravel().astype(np.int64)
    table = pd.DataFrame({"word": pd.Series(word_counts.vocabulary, dtype="str"), "count": count})[~in_vocabulary]
    return table.sort_values(["count", "word"], ascending=[False, True]).reset_index(drop=True)


def debias(embedding: Embedding, kind: str, direction: GenderDirection | None = None) -> Embedding:
    """Return the embedding without its gender direction: `regular`, `strong`, or `none` for the embedding itself.

    direction: by default that of the ten pairs; the pairs of another are gender-specific and equalised too. The last
    results are cached. Words match in lower case, in capitals and capitalised. A word whose whole vector is along the
    direction loses its vector. Raises UsageError for another kind, FairvizError for an embedding without a gender
    direction.
    """
    if kind not in DEBIASINGS:
        raise UsageError(f"there is no debiasing {kind!r}", f"Use one of {', '.join(DEBIASINGS)}.")
    return embedding if kind == "none" else _debiased(embedding, kind, direction)


@lru_cache(maxsize=2)
def _debiased(embedding: Embedding, kind: str, custom_direction: GenderDirection | None) -> Embedding:
    gender = custom_direction or gender_direction(embedding)
    direction, pairs = gender.vector, gender.pairs
    vectors = _neutral(embedding.vectors, direction)
    specific = (GENDER_SPECIFIC | {word for pair in pairs for word in pair}) if kind == "regular" else frozenset()
    rows = _spelled_rows(embedding, specific)
    vectors[rows] = embedding.vectors[rows]
    if kind == "regular":
        _equalise(vectors, embedding, direction, tuple(dict.fromkeys((*pairs, *EQUALISED))))
    has_vector = np.asarray(vectors.any(axis=1))
    rows_by_word = embedding.rows
    if not has_vector.all():
        rows_by_word = {word: row for word, row in embedding.rows.items() if has_vector[row]}
    return replace(
        embedding,
        name=f"{embedding.name} ({kind} debiasing)",
        rows=rows_by_word,
        vectors=vectors,
        subword=_neutral_subword(embedding.subword, direction, {word.lower() for word in specific}),
    )


def _spelled_rows(embedding: Embedding, words: Iterable[str]) -> Array:
    """Return the rows of these words in all spellings with a vector."""
    spellings = {spell(word) for word in words for spell in _SPELLINGS}
    return np.array(sorted(embedding.rows[word] for word in spellings if word in embedding.rows), dtype=np.int64)


def _equalise(vectors: Array, embedding: Embedding, direction: Array, pairs: Pairs) -> None:
    """Move each pair to ν ± √(1 − |ν|²)·direction, in place: ν is the pair's midpoint without the direction.

    The side of each word is that of its vector, not of its place in the pair.
    """
    for female, male in _spelled_pairs(embedding, pairs):
        first, second = embedding.vectors[[female, male]].astype(float)
        middle = (first + second) / 2
        middle -= (middle @ direction) * direction
        reach = np.copysign(np.sqrt(max(0.0, 1 - middle @ middle)), (first - second) @ direction)
        vectors[female], vectors[male] = middle + reach * direction, middle - reach * direction


def _spelled_pairs(embedding: Embedding, pairs: Pairs) -> list[tuple[int, int]]:
    """Return the rows of the pairs in each spelling that both words have, each row once."""
    row_pairs: list[tuple[int, int]] = []
    used_rows: set[int] = set()
    for female, male in pairs:
        for spell in _SPELLINGS:
            rows = embedding.rows.get(spell(female), -1), embedding.rows.get(spell(male), -1)
            if min(rows) >= 0 and used_rows.isdisjoint(rows):
                row_pairs.append(rows)
                used_rows.update(rows)
    return row_pairs


def _neutral_subword(
    subword: Callable[[str], Array | None] | None, direction: Array, specific: Collection[str]
) -> Callable[[str], Array | None] | None:
    """Return a function for debiased vectors of unknown words; `specific` words, in lower case, keep theirs."""
    if subword is None:
        return None

    def neutral(word: str) -> Array | None:
        vector = subword(word)
        if vector is None or word.lower() in specific:
            return vector
        residual = _neutral(vector[None, :], direction)[0]
        return residual if residual.any() else None

    return neutral


def _neutral(vectors: Array, direction: Array) -> Array:
    """Return unit vectors (V, n) without their component along the direction, rescaled to unit length or zero."""
    axis = direction.astype(np.float32)
    along, residuals = vectors @ axis, np.empty(vectors.shape, dtype=np.float32)
    for start in range(0, len(vectors), _ROWS):  # each part stays in the processor's cache
        rows = slice(start, start + _ROWS)
        part = vectors[rows] - np.outer(along[rows], axis)
        lengths = np.linalg.norm(part, axis=1)
        part *= np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > _NOTHING_LEFT)[:, None]
        residuals[rows] = part
    return residuals
