"""Word vectors without their gender direction (GSR paper, section 4.2.3): regular and strong debiasing.

Regular (Bolukbasi and others 2016): every word but the gender-specific ones loses its component along the gender
direction, and the two words of an equalised pair get equal distances on its two sides. Strong (Prost and
others 2019): every word loses it. All vectors have unit length again.
"""

from collections.abc import Callable, Iterable, Set
from dataclasses import replace
from functools import lru_cache

import numpy as np

from fairviz.errors import UsageError
from fairviz.words.counting import GSR_LEXICON
from fairviz.words.genderedness import PAIRS, GenderDirection, Pairs, gender_direction, parse_pairs
from fairviz.words.vectors import Embedding

Array = np.ndarray
DEBIASINGS = ("none", "regular", "strong")
_NOTHING_LEFT = 1e-5  # float32: the remainder of a vector along the direction is rounding

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

GENDER_SPECIFIC = frozenset(word for word, _ in GSR_LEXICON.words) | {word for pair in PAIRS for word in pair}
"""Words that keep their gender in regular debiasing: the paper's Appendix B and the ten pairs."""


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
    rows = _rows(embedding, specific)
    vectors[rows] = embedding.vectors[rows]
    if kind == "regular":
        _equalise(vectors, embedding, direction, tuple(dict.fromkeys((*pairs, *EQUALISED))))
    has_vector = np.asarray(vectors.any(axis=1))
    rows_by_word = (
        embedding.rows if has_vector.all() else {word: row for word, row in embedding.rows.items() if has_vector[row]}
    )
    return replace(
        embedding,
        name=f"{embedding.name} ({kind} debiasing)",
        rows=rows_by_word,
        vectors=vectors,
        subword=_neutral_subword(embedding.subword, direction, {word.lower() for word in specific}),
    )


def _neutral(vectors: Array, direction: Array) -> Array:
    """Return unit vectors (V, n) without their component along the direction, rescaled to unit length or zero."""
    axis = direction.astype(np.float32)
    residuals = vectors - np.outer(vectors @ axis, axis)
    lengths = np.linalg.norm(residuals, axis=1)
    residuals *= np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > _NOTHING_LEFT)[:, None]
    return residuals.astype(np.float32, copy=False)


def _equalise(vectors: Array, embedding: Embedding, direction: Array, pairs: Pairs) -> None:
    """Move each pair to ν ± √(1 − |ν|²)·direction, in place: ν is the pair's midpoint without the direction.

    The side of each word is that of its vector, not of its place in the pair.
    """
    for female, male in _spelled(embedding, pairs):
        first, second = embedding.vectors[[female, male]].astype(float)
        middle = (first + second) / 2
        middle -= (middle @ direction) * direction
        reach = np.copysign(np.sqrt(max(0.0, 1 - middle @ middle)), (first - second) @ direction)
        vectors[female], vectors[male] = middle + reach * direction, middle - reach * direction


def _spelled(embedding: Embedding, pairs: Pairs) -> list[tuple[int, int]]:
    """Return the rows of the pairs in each spelling that both words have, each row once."""
    row_pairs: dict[int, int] = {}
    used_rows: set[int] = set()
    for female, male in pairs:
        for spell in _SPELLINGS:
            first, second = embedding.rows.get(spell(female), -1), embedding.rows.get(spell(male), -1)
            if first >= 0 and second >= 0 and not {first, second} & used_rows:
                row_pairs[first] = second
                used_rows |= {first, second}
    return list(row_pairs.items())


_SPELLINGS: tuple[Callable[[str], str], ...] = (str, str.lower, str.capitalize, str.upper)


def _rows(embedding: Embedding, words: Iterable[str]) -> Array:
    """Return the rows of these words in all spellings with a vector."""
    spellings = {spell(word) for word in words for spell in _SPELLINGS}
    return np.array(sorted(embedding.rows[word] for word in spellings if word in embedding.rows), dtype=np.int64)


def _neutral_subword(
    subword: Callable[[str], Array | None] | None, direction: Array, specific: Set[str]
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
