"""Counterfactual data substitution: every gender word and first name of a text replaced by its counterpart.

Maudslay, Gonen, Cotterell, Teufel: It's All in the Name (EMNLP-IJCNLP 2019), as the TExFAIR paper uses it (section 5
iii). All words are replaced at once and each once, so that no pair replaces the result of another. Of overlapping
matches the leftmost counts, and of matches with the same start the longest: `Mary Ann` before `Mary`. Case is kept.
Coordinated counterparts, as in `his or her` and `men and women`, are not replaced: only their order would change.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from fairviz.normal_form import normal_form
from fairviz.words.counterparts import Counterparts
from fairviz.words.word_contexts import ends_phrase, is_name

_WORD = re.compile(r"[\w\u0300-\u036f]+")  # with the marks that an accent may be written by
_GENITIVE = re.compile(r"(['’])([sS]?)(?![\w\u0300-\u036f])")
_COORDINATED = re.compile(r"\s*(?:/|&)\s*|\s+(?:and|or|nor|and/or|or\s+(?:a|an|the))\s+", re.IGNORECASE)
BY_CONTEXT = {"her": ("him", "his"), "his": ("hers", "her")}  # at the end of a phrase, and before a noun


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


_Hit = tuple[Edit, _Entry, str]  # the edit, the entry, the word in lower case


def find_edits(text: str, counterparts: Counterparts) -> list[Edit]:
    """Return the replacements in the text, from left to right, none overlapping another.

    >>> pairs = Counterparts((("she", "he"), ("her", "him"), ("her", "his")), (("Mary", "James"),))
    >>> [edit.new for edit in find_edits("He gave her Mary's book.", pairs)]
    ['She', 'his', "James's"]
    """
    hits = _hits(text, counterparts)
    coordinated_places = {
        hit_place
        for hit_pair in pairwise(range(len(hits)))
        if _coordinated(text, *(hits[hit_number] for hit_number in hit_pair))
        for hit_place in hit_pair
    }
    return [edit for place, (edit, _, _) in enumerate(hits) if place not in coordinated_places]


def _hits(text: str, counterparts: Counterparts) -> list[_Hit]:
    """Return every listed word of the text with its edit, from left to right, none overlapping another."""
    entries, hits, next_start = _entries(counterparts), list[_Hit](), 0
    for match in _WORD.finditer(text):
        if match.start() < next_start:
            continue
        for entry in entries.get(_plain(match[0]), ()):
            hit = entry.pattern.match(text, match.start())
            if hit is not None and (not entry.name or (hit[0][0].isupper() and is_name(text, *hit.span()))):
                hits.append((_edit(text, hit.end(), match.start(), entry), entry, _plain(hit[0])))
                next_start = hit.end()
                break
    return hits


def _coordinated(text: str, first: _Hit, second: _Hit) -> bool:
    """Return whether two counterparts of each other are joined by only `and`, `or` or a slash."""
    (edit, entry, _), (next_edit, _, word) = first, second
    joined = _COORDINATED.fullmatch(text, edit.end, next_edit.start) is not None
    return joined and not entry.name and word in map(_plain, entry.counterparts)


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
            entries_by_part.setdefault(first[0], []).append(_Entry(_pattern(key), spelling, name, tuple(others)))
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


def _edit(text: str, end: int, start: int, entry: _Entry) -> Edit:
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


def _cased(new: str, old: str, listed_spelling: str) -> str:
    """Return the counterpart in the case of the word it replaces; as listed if that word is in its listed spelling."""
    if old == listed_spelling:
        return new
    if old.isupper() and len(old) > 1:
        return new.upper()
    if all(part[:1].isupper() for part in old.split()):
        return re.sub(r"(?:^|(?<=\s))\w", lambda first: first[0].upper(), new)
    return new.lower() if old.islower() else new


def _before_noun(behind: str, new: str) -> str:
    """Return the `s` that a plural's genitive needs for its counterpart: `ladies' hats`, `gentlemen's hats`."""
    if len(behind) < 2 or behind[0] != " " or not behind[1].isalpha():
        return ""
    return "S" if new.isupper() else "s"
