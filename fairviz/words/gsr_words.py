"""The words of texts by the rules of the GSR paper, without stop words, and their counts: a sparse matrix."""

import csv
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fairviz.errors import UsageError
from fairviz.normal_form import normal_form
from fairviz.words.tokenizers import written_words

Array = np.ndarray
_BATCH = 20_000  # texts at a time
GENDERED_STOP_WORDS = frozenset(["she", "her", "hers", "herself", "he", "him", "his", "himself", "mr", "mrs", "ms"])
MOST_STOP_WORDS = 10_000
REMEDY = "Give the words with white space between them, as 'the a of'."
QUERY_TERMS = ("exact", "lemma")
Places = Mapping[str, Sequence[int]]
_TABLE = Path(__file__).with_name("noun_lemmas.csv")
_STOP_WORDS = Path(__file__).with_name("stop_words.txt")
_SINGULAR = re.compile("(ss|us|is)$")
_SIBILANT = re.compile("(sh|ch|x|ss|zz)es$")
# The replacement of each ASCII byte: the lower case of a letter or digit, a space for anything else.
_LOWER = bytes(ord(chr(byte).lower()) if chr(byte).isalnum() and byte < 128 else ord(" ") for byte in range(256))


def text_words(text: str, stop_list: str = "") -> list[str]:
    """Return the words that enter genderedness, in order. GSR paper, section 3.2.2.

    Lower case, punctuation to spaces, words of two letters or more without digits, no stop words but the gendered.
    stop_list: in place of the built-in one, in the format of `Settings.stop_words`.

    >>> text_words("The woman's 2nd job: she is an X-ray-technician!")
    ['woman', 'job', 'she', 'ray', 'technician']
    >>> text_words("The woman's 2nd job", "job she")
    ['the', 'woman']
    """
    stopped = stop_words(stop_list)
    return [word for word in _runs(text) if _counts(word, stopped)]


def _runs(text: str) -> list[str]:
    return written_words(normal_form(text).lower().replace("_", " "))


def _counts(word: str, stopped: frozenset[str]) -> bool:
    """Return whether a word of two letters or more, or their marks, is no stop word."""
    return (
        len(word) > 1
        and word not in stopped
        and (word.isalpha() or all(sign.isalpha() or unicodedata.category(sign) in ("Mn", "Mc", "Cf") for sign in word))
    )


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Counts of V words in D texts. vocabulary (V,); counts (D, V), scipy.sparse CSR of float64."""

    vocabulary: list[str]
    counts: Any

    def totals(self, values: Array) -> Array:
        """Return the sum over each text's words of the word's value: (V,) or (V, N) to (D,) or (D, N)."""
        return self.counts @ values

    @property
    def nbytes(self) -> int:
        """Size of the matrix in bytes."""
        return self.counts.data.nbytes + self.counts.indices.nbytes + self.counts.indptr.nbytes


def word_values(g: Array) -> Array:
    """Return what a word adds to the totals of a text, (V, 3) from g (V,): g or 0, one word, and whether it has a g."""
    return np.column_stack([np.nan_to_num(g), np.ones(len(g)), ~np.isnan(g)])


def count_words(texts: Sequence[str | None], stop_list: str = "") -> WordCounts:
    """Count the words of every text from `text_words`; a missing text has none. stop_list: see `text_words`.

    ASCII texts are split by Arrow's kernels, others by `text_words`' rules, and both agree (tests compare them).
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from scipy.sparse import csr_matrix

    column = pa.array(texts, type=pa.large_string(), from_pandas=True)
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    ascii_only = pc.fill_null(pc.string_is_ascii(column), False).to_numpy(False)
    columns = _Columns(stop_words(stop_list))
    words, rows = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for start in range(0, len(column), _BATCH):
        plain = np.flatnonzero(ascii_only[start : start + _BATCH]) + start
        if len(plain):
            word, text = _ascii_words(column.take(pa.array(plain)), columns)
            words.append(word)
            rows.append(plain[text])
    for place in np.flatnonzero(~ascii_only & pc.is_valid(column).to_numpy(False)):
        text_columns = np.array([columns[word] for word in _runs(column[int(place)].as_py())], dtype=np.int64)
        words.append(text_columns[text_columns >= 0])
        rows.append(np.full(len(words[-1]), place))
    word, row = np.concatenate(words), np.concatenate(rows)
    vocabulary = [word for word, place in columns.items() if place >= 0]
    shape = (len(column), len(vocabulary))
    return WordCounts(vocabulary, csr_matrix((np.ones(len(word)), (row, word)), shape=shape))


class _Columns(dict[str, int]):
    """The column of every word so far: the next free one for a new word that counts, -1 for any other word."""

    def __init__(self, stopped: frozenset[str]) -> None:
        super().__init__()
        self.stopped = stopped
        self.column_count = 0

    def __missing__(self, word: str) -> int:
        counted = _counts(word, self.stopped)
        self[word] = self.column_count if counted else -1
        self.column_count += counted
        return self[word]


def _ascii_words(texts: Any, columns: _Columns) -> tuple[Array, Array]:
    """Return the column of every counted word of these ASCII texts, and the place of its text, (N,) each.

    texts: an Arrow array of its own, whose buffers begin with its first text.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    _, offsets, data = texts.buffers()
    spaced = pa.py_buffer(b"" if data is None else bytes(data).translate(_LOWER))
    tokens = pc.ascii_split_whitespace(pa.LargeStringArray.from_buffers(len(texts), offsets, spaced))
    text = np.repeat(np.arange(len(texts)), np.diff(tokens.offsets.to_numpy()))
    encoded = tokens.flatten().dictionary_encode()
    word_columns = np.array([columns[word] for word in encoded.dictionary.to_pylist()], dtype=np.int64)
    word = word_columns[encoded.indices.to_numpy()] if len(word_columns) else np.zeros(0, np.int64)
    return word[word >= 0], text[word >= 0]


@lru_cache(maxsize=16)
def stop_words(stop_list: str = "") -> frozenset[str]:
    """Return the stop words without gendered words: the listed ones, by default scikit-learn's English ones.

    Raises: see `parse_stop_words`.
    """
    words = frozenset(parse_stop_words(stop_list)) if stop_list else english_stop_words()
    return words - GENDERED_STOP_WORDS


@cache
def english_stop_words() -> frozenset[str]:
    """Return scikit-learn's English stop words; the library itself takes half a second to load."""
    return frozenset(_STOP_WORDS.read_text(encoding="ascii").split())


def parse_stop_words(text: str) -> tuple[str, ...]:
    """Return the words of `the a of` in lower case, each once. Raises UsageError for none and for more than 10,000."""
    words = tuple(dict.fromkeys(normal_form(text).lower().split()))
    if not words:
        raise UsageError("the stop list holds no word", REMEDY)
    if len(words) > MOST_STOP_WORDS:
        raise UsageError(f"the stop list holds {len(words):,} words", f"Give {MOST_STOP_WORDS:,} or fewer.")
    return words


def format_stop_words(words: Iterable[str]) -> str:
    """Return the words as one line for `parse_stop_words`, in the format of `Settings.stop_words`."""
    return " ".join(words)


@cache
def _table() -> dict[str, frozenset[str]]:
    with _TABLE.open(encoding="ascii", newline="") as stream:
        return {row["word"]: frozenset(row["lemmas"].split()) for row in csv.DictReader(stream)}


@lru_cache(maxsize=65_536)
def noun_lemmas(word: str) -> frozenset[str]:
    """Return the lemmas of a word in lower case, read as a noun; the word itself if it has none.

    A word outside the table loses the ending of a plural, if it is written in a to z: the rule is for English alone.

    >>> sorted(noun_lemmas("nurses")), sorted(noun_lemmas("women")), sorted(noun_lemmas("leaves"))
    (['nurse'], ['woman'], ['leaf', 'leave'])
    >>> sorted(noun_lemmas("driving")), sorted(noun_lemmas("cafés"))  # verbs are not reduced to their stems
    (['driving'], ['cafés'])
    """
    lemmas = _table().get(word)
    if lemmas is not None:
        return lemmas
    if not (word.isascii() and word.isalpha()) or len(word) < 4 or not word.endswith("s") or _SINGULAR.search(word):
        return frozenset([word])
    if word.endswith("ies") and len(word) > 4:
        return frozenset([word[:-3] + "y"])
    return frozenset([word[:-2] if _SIBILANT.search(word) else word[:-1]])


def forms(word: str, query_terms: str) -> frozenset[str]:
    """Return the forms by which words count as equal: the word itself (`exact`), or its lemmas as a noun (`lemma`)."""
    return noun_lemmas(word) if query_terms == "lemma" else frozenset([word])


def of_query(query_words: Iterable[str], query_terms: str) -> Callable[[str], bool]:
    """Return a predicate: whether a document's word is one of the query's words."""
    query_forms = frozenset(form for word in query_words for form in forms(word, query_terms))
    return lambda word: not query_forms.isdisjoint(forms(word, query_terms))


def by_form(vocabulary: Sequence[str], query_terms: str) -> Places:
    """Return the places of the words with each form in a vocabulary, for `columns_of`."""
    if query_terms == "exact":
        return {word: (place,) for place, word in enumerate(vocabulary)}
    places: dict[str, list[int]] = {}
    for place, word in enumerate(vocabulary):
        for lemma in noun_lemmas(word):
            places.setdefault(lemma, []).append(place)
    return places


def columns_of(query_words: Iterable[str], places: Places, query_terms: str) -> list[int]:
    """Return the places, ascending, of the vocabulary's words that are dropped for these query words."""
    return sorted(
        {place for word in query_words for form in forms(word, query_terms) for place in places.get(form, ())}
    )
