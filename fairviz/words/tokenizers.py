"""Tokenizers: rules that cut a text into words. To add one: a `Tokenizer` record, and a line in TOKENIZERS.

Whatever counts or marks words reads these records. A word list is cut by the rule that cuts the texts
(`fairviz.words.counting.Entries`).
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from fairviz.errors import PackageError, UsageError, use_one_of
from fairviz.installed import Owner, Registry, contained, owner_of
from fairviz.normal_form import folded, normal_form

if TYPE_CHECKING:
    import regex

Spans = Sequence[tuple[int, int]]


class Token(NamedTuple):
    """A token of a text: its start, its end (one past its last character), and its folded form."""

    start: int
    end: int
    word: str


@dataclass(frozen=True)
class Tokenizer:
    """A rule that cuts a text into tokens, under a name of the setting `tokenizer`.

    summary: what a token is, in a few words. spans: from a text to start and end of each token, in order, without
    overlap. accents: whether é and e differ in words. by_character: whether a run of ASCII or Latin characters is one
    token if `spans` finds a token in each of them alone, and no token if it finds none; such texts are counted at ten
    times the speed. package: name and version of the package that adds it.
    """

    name: str
    summary: str
    spans: Callable[[str], Spans]
    accents: bool = True
    by_character: bool = False
    package: str = ""

    def tokens(self, text: str) -> list[Token]:
        """Return the tokens with their positions in the text as it is written.

        >>> TOKENIZERS["word"].tokens("Her X")
        [Token(start=0, end=3, word='her'), Token(start=4, end=5, word='x')]
        """
        form = _folded if self.accents else unaccented
        tokens = (Token(start, end, form(text[start:end])) for start, end in self.spans(text))
        return [token for token in tokens if token.word]

    def words(self, text: str) -> list[str]:
        """Return the folded tokens (`fairviz.normal_form.folded`).

        >>> [TOKENIZERS[name].words("Man, his") for name in ("word", "whitespace")]
        [['man', 'his'], ['man,', 'his']]
        """
        return [token.word for token in self.tokens(text)]


_folded = lru_cache(maxsize=1 << 16)(folded)  # words of a text recur


@lru_cache(maxsize=1 << 16)
def unaccented(text: str) -> str:
    """Return the folded text without accents and without the vowel signs of Hebrew and Arabic.

    Vowels of Indic and South-East Asian scripts stay.

    >>> [unaccented(word) for word in ("Élève", "הִיא", "महिला")]
    ['eleve', 'היא', 'महिला']
    """
    letters = []
    for letter in unicodedata.normalize("NFD", unpointed(folded(text))):
        kind = unicodedata.combining(letter)
        if not (10 <= kind <= 36 or kind >= 200):  # points; accents above, below and beside a letter
            letters.append(letter)
    return normal_form("".join(letters))


# Vowel points and cantillation of Hebrew, vowel signs and lengthening of Arabic: a writer may leave them out.
_POINTS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e8\u06ea-\u06ed]+"
)


def unpointed(word: str) -> str:
    """Return a word without the vowel signs of Hebrew and Arabic."""
    return _POINTS.sub("", word)


# Unicode's word boundaries (Standard Annex #29) by its property Word_Break: letters and numbers with their marks,
# joiners and invisible characters. Two tailorings: an apostrophe or full stop inside a word divides it, so that "she's"
# counts as she (a list's own "ma'am" is matched as a sequence); scripts without blanks have rules of their own.
_LETTER = r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}\p{WB=Numeric}\p{Pc}]"
_MARK = r"[\p{M}\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]"
_UNSPACED = rf"[[\p{{Alphabetic}}\p{{WB=Katakana}}]--{_LETTER}--\p{{M}}]"  # Han, kana, Thai, Lao, Khmer, Burmese
_PATTERNS = {
    "word": rf"[{_LETTER}--{_MARK}][{_LETTER}{_MARK}]*|{_UNSPACED}[{_UNSPACED}{_MARK}]*",
    "character": rf"[{_LETTER}--{_MARK}][{_LETTER}{_MARK}]*|{_UNSPACED}{_MARK}*",
    "unspaced": _UNSPACED,
    "blanks": r"[^\s\x1c-\x1f]+",  # as str.split
}


# The same tokens of ASCII text, at three times the speed.
_ASCII = {"word": re.compile(r"\w+"), "character": re.compile(r"\w+"), "blanks": re.compile(r"\S+")}


@cache
def _pattern(name: str) -> "regex.Pattern[str]":
    import regex

    return regex.compile(_PATTERNS[name], regex.V1)


def is_unspaced(text: str) -> bool:
    """Return whether the text has letters of a script that is written without blanks between words."""
    return not text.isascii() and _pattern("unspaced").search(text) is not None


def _matches(name: str, text: str) -> Spans:
    pattern = _ASCII[name] if text.isascii() else _pattern(name)
    return [match.span() for match in pattern.finditer(text)]


def written_words(text: str) -> list[str]:
    """Return the words of the tokenizer `word` as they are written, for rankers and word vectors.

    >>> written_words("Woman's हिन्दी")
    ['Woman', 's', 'हिन्दी']
    """
    return (_ASCII["word"] if text.isascii() else _pattern("word")).findall(text)


WORD = Tokenizer("word", "Unicode's words", partial(_matches, "word"), by_character=True)
WHITESPACE = Tokenizer("whitespace", "the papers' code", partial(_matches, "blanks"), by_character=True)
CHARACTERS = Tokenizer(
    "characters",
    "words, and characters in Chinese, Thai …",
    partial(_matches, "character"),
    by_character=True,
)
UNACCENTED = Tokenizer("unaccented", "without accents", partial(_matches, "word"), accents=False, by_character=True)


def _adopt(record: Tokenizer) -> Tokenizer:
    """Return a tokenizer of a package with spans that are checked. Raises ValueError for one that cannot be used."""
    if not record.name.isidentifier() or not isinstance(record.summary, str):
        raise ValueError(f"its name is {record.name!r}, and not letters, digits and underscores")
    adopted = replace(
        record,
        summary=f"{record.summary} (package {record.package})",
        spans=partial(_checked, record.spans, owner_of(record)),
    )
    if record.by_character:
        runs = "".join(first + second for first in _SAMPLE for second in _SAMPLE)
        is_in = {letter: bool(adopted.spans(letter)) for letter in _SAMPLE}
        expected = [match.span() for match in re.finditer("1+", "".join("01"[is_in[letter]] for letter in runs))]
        if is_in[" "] or list(adopted.spans(runs)) != expected:
            raise ValueError("it is by_character, and its tokens depend on more than single characters")
    return adopted


_SAMPLE = "aZ09_-'. ,\n/é"


def _checked(spans: Callable[[str], Iterable[tuple[int, int]]], owner: Owner, text: str) -> Spans:
    """Return the spans of a tokenizer of others. Raises PackageError for those that are not in order in the text."""
    found = contained(lambda: [(int(start), int(end)) for start, end in spans(text)], owner)
    bounds = [0, *(place for span in found for place in span), len(text)]
    if sorted(bounds) != bounds or any(start == end for start, end in found):
        raise PackageError(f"{owner} gives no tokens of a text", "Give start and end of each, in order, in the text.")
    return found


TOKENIZERS: Registry[Tokenizer] = Registry(
    "fairviz.tokenizers", Tokenizer, {one.name: one for one in (WORD, WHITESPACE, CHARACTERS, UNACCENTED)}, _adopt
)


def tokenizer_named(name: str) -> Tokenizer:
    """Return the tokenizer of this name. Raises UsageError for none.

    >>> tokenizer_named("whitespace").summary
    "the papers' code"
    """
    try:
        return TOKENIZERS[name]
    except KeyError:
        raise UsageError(f"there is no tokenizer {name!r}", use_one_of(TOKENIZERS, name)) from None
