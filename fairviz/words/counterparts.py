"""Counterfactual data substitution: every gender word and first name of a text replaced by its counterpart; the
packaged pairs, and pairs as text.

Maudslay, Gonen, Cotterell, Teufel: It's All in the Name (EMNLP-IJCNLP 2019), as the TExFAIR paper uses it (section 5
iii). All words are replaced at once and each once, so that no pair replaces the result of another. Of overlapping
matches the leftmost counts, and of matches with the same start the longest: `Mary Ann` before `Mary`. Case is kept.
Coordinated counterparts, as in `his or her` and `men and women`, are not replaced: only their order would change. At
the start of a sentence, a capital alone is no evidence of a name; `saw her` ends a phrase, and `saw her house` does
not.
"""

import csv
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from fairviz.errors import FairvizError, UsageError
from fairviz.normal_form import normal_form
from fairviz.words.counting import escaped

Pairs = tuple[tuple[str, str], ...]
KINDS = ("both", "words", "names")
HEADER = ("female", "male")
MOST_PAIRS = 5_000
LONGEST = 100  # characters of a word
REMEDY = "Write female-male pairs: she-he, Mary-James; a hyphen or a space inside a word as %2D or %20."
_FOLDER = Path(__file__).with_name("pairs")
_PARTS = re.compile(r"[%,-]|\s")
_NAMES = """
    amber angel april art august autumn basil bill bob buck chance chase chip chuck clay cliff dale daisy dawn dean
    dick don drew earl earnest faith fern frank gene ginger grace grant guy harmony hazel holly hope hunter iris ivy
    jade jasmine jay joy june lance lily lucky mark mason may melody mercy miles misty olive opal pat patience pearl
    peg penny pepper pierce pip poppy prudence rain randy ray reed rich rob robin rocky rod rose ruby rusty sage
    sandy skip sky sonny stew storm summer sue trip violet wade ward warren will willow winter woody
"""
COMMON_WORDS = frozenset(_NAMES.split())
_BEFORE = 40  # characters that are read before a word
_TITLES = "mr|mrs|ms|dr|st|prof|sen|rep|gov|gen|col|capt|lt|sgt|rev|hon|sir|jr|[a-z]"
_ABBREVIATED = re.compile(rf"\b(?:{_TITLES})\.\s*$", re.IGNORECASE)
_OPENING = r"[\"“‘'(\[]*$"
_START = re.compile(rf"(?:^\s*|[.!?:;…][\"”’')\]]*\s+|\n\s*\n\s*|(?:^|\n)\s*[-*•–]\s*){_OPENING}")
_FOLLOWED = re.compile(r"(?:['’]s?\b|\s+(?:[^\W\d_a-z]|(?:said|says|told|asked|added|replied)\b))")
_FUNCTION_WORDS = """
    a an the this that these those some any every each either neither both all no none nothing something anything
    i you he she it we they me him us them myself yourself himself herself itself ourselves themselves my your our their
    who whom whose which what when where why how while whether whenever wherever
    and or but nor so yet if because although though unless until till since than as like
    of to in on at by for with from into onto upon over under about after before behind between among against during
    through throughout without within across along around beyond despite except inside near off out outside per toward
    towards up down via away back
    am is are was were be been being has have had having do does did doing will would shall should can could may might
    must not n't won't
    again alone anymore anyway already also almost always even ever here there now then too just still soon together
    today tomorrow yesterday tonight twice once instead later far
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
_NEXT = re.compile(r"[\s\"“”‘(\[£$€#]*(?P<word>\w+)?")
_WORD = re.compile(r"[\w\u0300-\u036f]+")  # with the marks that an accent may be written by
_GENITIVE = re.compile(r"(['’])([sS]?)(?![\w\u0300-\u036f])")
_COORDINATED = re.compile(r"\s*(?:/|&)\s*|\s+(?:and|or|nor|and/or|or\s+(?:a|an|the))\s+", re.IGNORECASE)
BY_CONTEXT = {"her": ("him", "his"), "his": ("hers", "her")}  # at the end of a phrase, and before a noun


@dataclass(frozen=True)
class Counterparts:
    """Pairs (female, male) of gender words, matched in any case, and of names, matched where they have a capital."""

    words: Pairs
    names: Pairs

    def only(self, kind: str) -> "Counterparts":
        """Return the pairs of `both`, `words` or `names`.

        Raises UsageError for another kind, FairvizError if no pair is left.
        """
        if kind not in KINDS:
            raise UsageError(f"substitute is {kind!r}", f"Use one of {', '.join(KINDS)}.")
        counterparts = Counterparts(self.words if kind != "names" else (), self.names if kind != "words" else ())
        if not counterparts.words and not counterparts.names:
            kind_text = {"both": "words and names", "words": "words", "names": "names"}[kind]
            raise FairvizError(f"the list of {kind_text} with their counterparts is empty", "Give one pair or more.")
        return counterparts

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every word of the pairs in lower case; of a name of several words also each of these."""
        words = {word.lower() for pair in (*self.words, *self.names) for word in pair}
        return frozenset(words | {part for word in words for part in word.split()})


@lru_cache(maxsize=1)
def packaged() -> Counterparts:
    """Return the packaged pairs."""
    texts = ((_FOLDER / f"{name}.csv").read_text(encoding="utf-8") for name in ("words", "names"))
    return Counterparts(
        *(tuple((female, male) for female, male in [*csv.reader(text.splitlines())][1:]) for text in texts)
    )


def check_pair(female: str, male: str) -> str:
    """Return the defect of a pair, empty if it has none."""
    if not female or not male:
        return "a word has no counterpart"
    if max(len(female), len(male)) > LONGEST:
        return f"a word has more than {LONGEST} characters"
    if female.lower() == male.lower():
        return "the word is its own counterpart"
    if not all(re.search(r"\w", word) for word in (female, male)):
        return "there is no letter in it"
    return ""


def pairs_of(rows: Iterable[tuple[object, object]]) -> Pairs:
    """Return rows of a table (female, male) as pairs, each once, without empty rows.

    Raises FairvizError for a row that is not a pair, for too many pairs and for none.
    """
    pairs: dict[tuple[str, str], None] = {}
    for row in rows:
        female, male = (" ".join(word.split()) if isinstance(word, str) else "" for word in row)
        if not female and not male:
            continue
        defect = check_pair(female, male)
        if defect:
            raise FairvizError(f"the pair {female[:60]!r}, {male[:60]!r} cannot be: {defect}", "Give two words a row.")
        pairs[female, male] = None
    if not pairs:
        raise FairvizError("the list of pairs is empty", "Give one pair or more.")
    if len(pairs) > MOST_PAIRS:
        raise FairvizError(f"{len(pairs):,} pairs are too many", f"Give {MOST_PAIRS:,} or fewer.")
    return tuple(pairs)


def parse_counterparts(text: str) -> Pairs:
    """Return `she-he, Mary%20Ann-John` as pairs (female, male), each once. Raises UsageError for a malformed pair.

    >>> parse_counterparts("she-he, ex%2Dwife-ex%2Dhusband")
    (('she', 'he'), ('ex-wife', 'ex-husband'))
    """
    rows: list[tuple[str, str]] = []
    for part in filter(None, (piece.strip() for piece in text.replace("\n", ",").split(","))):
        words = [unquote(word.strip()) for word in part.split("-")]
        if len(words) != 2:
            raise UsageError(f"{part[:60]!r} is not a pair of words", REMEDY)
        rows.append((words[0], words[1]))
    try:
        return pairs_of(rows)
    except FairvizError as error:
        raise UsageError(error.message, REMEDY) from error


def format_counterparts(pairs: Pairs) -> str:
    """Return the pairs as one line for `parse_counterparts`."""
    return ", ".join("-".join(escaped(word, _PARTS) for word in pair) for pair in pairs)


def is_name(text: str, start: int, end: int) -> bool:
    """Return whether the capitalised word text[start:end], listed as a name, is used as a name.

    Every word is a name, except a common word at the start of a sentence: this is a name before a capitalised word, a
    genitive or a verb of speaking, or if it has a capital within another sentence of the text.

    >>> [is_name(text, 0, 4) for text in ("Mark the page", "Mark Twain", "Mark said so", "Mark it. Ask Mark")]
    [False, True, True, True]
    """
    word = text[start:end]
    if word.lower() not in COMMON_WORDS or not starts_sentence(text, start):
        return True
    if _FOLLOWED.match(text, end):
        return True
    capitalised = re.compile(rf"\b{word[0]}(?i:{word[1:]})\b")
    return any(not starts_sentence(text, match.start()) for match in capitalised.finditer(text))


def starts_sentence(text: str, start: int) -> bool:
    """Return whether a sentence, a paragraph or a list item begins at `start`; not after `Mr.` or an initial."""
    window_start = max(0, start - _BEFORE)
    preceding_text = ("" if window_start == 0 else "x") + text[window_start:start]
    return _START.search(preceding_text) is not None and _ABBREVIATED.search(preceding_text) is None


def ends_phrase(text: str, end: int) -> bool:
    """Return whether the word ending at `end` precedes a function word, punctuation or the text's end, not its noun.

    >>> [ends_phrase(text, len("saw her")) for text in ("saw her", "saw her.", "saw her in it", "saw her house")]
    [True, True, True, False]
    """
    match = _NEXT.match(text, end)
    word = match["word"] if match is not None else None
    return word is None or word.lower() in FUNCTION_WORDS


class Edit(NamedTuple):
    """A replacement in a text: text[start:end] becomes `new`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class _Entry:
    """A listed word: its pattern, its spelling in the list, whether it is a name, and its counterparts."""

    pattern: re.Pattern[str]
    written: str
    name: bool
    counterparts: tuple[str, ...]


class _Hit(NamedTuple):
    """A listed word in a text: its edit, its entry and the word as `_plain` gives it."""

    edit: Edit
    entry: _Entry
    word: str


def find_edits(text: str, counterparts: Counterparts) -> list[Edit]:
    """Return the replacements in the text, from left to right, none overlapping another.

    >>> pairs = Counterparts((("she", "he"), ("her", "him"), ("her", "his")), (("Mary", "James"),))
    >>> [edit.new for edit in find_edits("He gave her Mary's book.", pairs)]
    ['She', 'his', "James's"]
    """
    hits = _hits(text, counterparts)
    coordinated: set[int] = set()
    for place, (first, second) in enumerate(pairwise(hits)):
        if _are_coordinated(text, first, second):
            coordinated |= {place, place + 1}
    return [hit.edit for place, hit in enumerate(hits) if place not in coordinated]


def _hits(text: str, counterparts: Counterparts) -> list[_Hit]:
    """Return every listed word of the text with its edit, from left to right, none overlapping another."""
    entries = _entries(counterparts)
    hits: list[_Hit] = []
    next_start = 0
    for match in _WORD.finditer(text):
        if match.start() < next_start:
            continue
        for entry in entries.get(_plain(match[0]), ()):
            hit = entry.pattern.match(text, match.start())
            if hit is not None and (not entry.name or (hit[0][0].isupper() and is_name(text, *hit.span()))):
                hits.append(_Hit(_edit(text, *hit.span(), entry), entry, _plain(hit[0])))
                next_start = hit.end()
                break
    return hits


def _are_coordinated(text: str, first: _Hit, second: _Hit) -> bool:
    """Return whether two counterparts of each other are joined by only `and`, `or` or a slash."""
    if first.entry.name or second.word not in map(_plain, first.entry.counterparts):
        return False
    return _COORDINATED.fullmatch(text, first.edit.end, second.edit.start) is not None


def apply_edits(text: str, changes: Iterable[Edit]) -> str:
    """Return the text after these replacements.

    >>> apply_edits("a man", [Edit(2, 5, "woman")])
    'a woman'
    """
    parts, text_position = [], 0
    for edit in changes:
        parts += [text[text_position : edit.start], edit.new]
        text_position = edit.end
    return "".join([*parts, text[text_position:]])


def swap_words(text: str, counterparts: Counterparts) -> str:
    """Return the text with every word of the pairs replaced by its counterpart."""
    return apply_edits(text, find_edits(text, counterparts))


def _plain(text: str) -> str:
    """Return the text in lower case, each accent in one character with its letter."""
    return normal_form(text).lower()


@lru_cache(maxsize=8)
def _entries(counterparts: Counterparts) -> dict[str, tuple[_Entry, ...]]:
    """Return the entries by their first part, the longest first; a word in both lists is not a name."""
    entries_by_word: dict[str, tuple[str, bool, list[str]]] = {}
    for pairs, name in ((counterparts.words, False), (counterparts.names, True)):
        for pair in pairs:
            for word, counterpart in (pair, pair[::-1]):
                spelling, is_name, others = entries_by_word.setdefault(_plain(word), (word, name, []))
                if is_name == name and counterpart not in others:
                    others.append(counterpart)
    entries_by_part: dict[str, list[_Entry]] = {}
    for key, (spelling, name, others) in entries_by_word.items():
        first = _WORD.search(key)
        if first is not None:
            entry = _Entry(_pattern(key), spelling, name, tuple(others))
            entries_by_part.setdefault(first[0], []).append(entry)
    return {
        first: tuple(sorted(entries, key=lambda entry: -len(entry.written)))
        for first, entries in entries_by_part.items()
    }


def _pattern(word: str) -> re.Pattern[str]:
    """Return a pattern of the word in any case, with composed or decomposed accents and any white space inside."""
    parts = []
    for letter in normal_form(word):
        decomposed = unicodedata.normalize("NFD", letter)
        parts.append(re.escape(letter) if decomposed == letter else f"(?:{re.escape(letter)}|{re.escape(decomposed)})")
    pattern = "".join(parts).replace(r"\ ", r"\s+").replace("'", "['’]")
    return re.compile(pattern + r"(?![\w\u0300-\u036f])", re.IGNORECASE)


def _edit(text: str, start: int, end: int, entry: _Entry) -> Edit:
    """Return the replacement of the word by its counterpart, with the genitive that follows it."""
    word, counterpart = text[start:end], entry.counterparts[0]
    plain_word = _plain(word)
    if plain_word in BY_CONTEXT and set(BY_CONTEXT[plain_word]) <= {one.lower() for one in entry.counterparts}:
        counterpart = BY_CONTEXT[plain_word][0 if ends_phrase(text, end) else 1]
    replacement = _cased(counterpart, word, entry.written)
    genitive = _GENITIVE.match(text, end)
    if genitive is None:
        return Edit(start, end, replacement)
    bare_genitive = not entry.name and replacement.lower().endswith("s") and not replacement.lower().endswith("ss")
    ending = genitive[1] if bare_genitive else genitive[0]
    if not genitive[2] and word.lower().endswith("s") and not replacement.lower().endswith("s"):
        ending += _before_noun(text[genitive.end() :][:2], replacement)
    return Edit(start, genitive.end(), replacement + ending)


def _cased(counterpart: str, word: str, listed_spelling: str) -> str:
    """Return the counterpart in the case of the word it replaces; as listed if that word is in its listed spelling."""
    if word == listed_spelling:
        return counterpart
    if word.isupper() and len(word) > 1:
        return counterpart.upper()
    if all(part[:1].isupper() for part in word.split()):
        return re.sub(r"(?:^|(?<=\s))\w", lambda first: first[0].upper(), counterpart)
    return counterpart.lower() if word.islower() else counterpart


def _before_noun(behind: str, replacement: str) -> str:
    """Return the `s` that a plural's genitive needs for its counterpart: `ladies' hats`, `gentlemen's hats`.

    behind: the two characters after the genitive.
    """
    if len(behind) < 2 or behind[0] != " " or not behind[1].isalpha():
        return ""
    return "S" if replacement.isupper() else "s"
