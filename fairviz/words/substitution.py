"""Counterfactual data substitution: every gender word and first name of a text replaced by its counterpart.

Maudslay, Gonen, Cotterell, Teufel: It's All in the Name (EMNLP-IJCNLP 2019), as the TExFAIR paper uses it (section 5
iii). All words are replaced at once and each once, so that what one pair puts in, no other takes out. Of what
overlaps, the leftmost counts, and of what begins together the longest: `Mary Ann` before `Mary`. Case is kept.
Coordinated counterparts, as in `his or her` and `men and women`, stay: swapping both changes only their order.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from fairviz.words.counterparts import Counterparts
from fairviz.words.function_words import ends_phrase
from fairviz.words.name_evidence import is_name

_WORD = re.compile(r"[\w\u0300-\u036f]+")  # with the marks that an accent may be written by
_GENITIVE = re.compile(r"(['’])([sS]?)(?![\w\u0300-\u036f])")
_COORDINATED = re.compile(r"\s*(?:/|&)\s*|\s+(?:and|or|nor|and/or|or\s+(?:a|an|the))\s+", re.IGNORECASE)
BY_CONTEXT = {"her": ("him", "his"), "his": ("hers", "her")}  # where a phrase ends behind it, and before a noun


class Edit(NamedTuple):
    """A piece of a text and what stands in its place: text[start:end] becomes `new`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class _Entry:
    """One listed word: its parts in lower case, as it is written, whether it is a name, and its counterparts."""

    pattern: re.Pattern[str]
    written: str
    name: bool
    counterparts: tuple[str, ...]


_Hit = tuple[Edit, _Entry, str]  # its edit, the entry, the word in lower case


def edits(text: str, counterparts: Counterparts) -> list[Edit]:
    """What is replaced in the text, from left to right, none overlapping another.

    >>> [one.new for one in edits("He gave her Mary's book.", Counterparts((("she", "he"), ("her", "him"), ("her", \
"his")), (("Mary", "James"),)))]
    ['She', 'his', "James's"]
    """
    hits = _hits(text, counterparts)
    both = {
        side for pair in pairwise(range(len(hits))) if _coordinated(text, *(hits[i] for i in pair)) for side in pair
    }
    return [edit for place, (edit, _, _) in enumerate(hits) if place not in both]


def _hits(text: str, counterparts: Counterparts) -> list[_Hit]:
    """Every listed word of the text with its edit, from left to right, none overlapping another."""
    entries, found, at = _entries(counterparts), list[_Hit](), 0
    for match in _WORD.finditer(text):
        if match.start() < at:
            continue
        for entry in entries.get(_plain(match[0]), ()):
            hit = entry.pattern.match(text, match.start())
            if hit is not None and (not entry.name or (hit[0][0].isupper() and is_name(text, *hit.span()))):
                found.append((_edit(text, hit.end(), match.start(), entry), entry, _plain(hit[0])))
                at = hit.end()
                break
    return found


def _coordinated(text: str, first: _Hit, second: _Hit) -> bool:
    """Whether two words are counterparts of each other with nothing but `and`, `or` or a slash between them."""
    (one, entry, _), (other, _, word) = first, second
    joined = _COORDINATED.fullmatch(text, one.end, other.start) is not None
    return joined and not entry.name and word in map(_plain, entry.counterparts)


def applied(text: str, changes: Iterable[Edit]) -> str:
    """The text with these pieces replaced.

    >>> applied("a man", [Edit(2, 5, "woman")])
    'a woman'
    """
    parts, at = [], 0
    for one in changes:
        parts += [text[at : one.start], one.new]
        at = one.end
    return "".join([*parts, text[at:]])


def swapped(text: str, counterparts: Counterparts) -> str:
    """The text with every word of the pairs replaced by its counterpart."""
    return applied(text, edits(text, counterparts))


def _plain(text: str) -> str:
    """In lower case, an accent as one sign with its letter."""
    return unicodedata.normalize("NFC", text).lower()


@lru_cache(maxsize=8)
def _entries(counterparts: Counterparts) -> dict[str, tuple[_Entry, ...]]:
    """The listed words by their first part, long ones first; a word that is in both lists is no name."""
    listed: dict[str, tuple[str, bool, list[str]]] = {}
    for pairs, name in ((counterparts.words, False), (counterparts.names, True)):
        for pair in pairs:
            for word, other in (pair, pair[::-1]):
                written, is_name, others = listed.setdefault(_plain(word), (word, name, []))
                if is_name == name and other not in others:
                    others.append(other)
    found: dict[str, list[_Entry]] = {}
    for key, (written, name, others) in listed.items():
        first = _WORD.search(key)
        if first is not None:
            found.setdefault(first[0], []).append(_Entry(_pattern(key), written, name, tuple(others)))
    return {first: tuple(sorted(ones, key=lambda one: -len(one.written))) for first, ones in found.items()}


def _pattern(word: str) -> re.Pattern[str]:
    """The word in any case and with its accents written either way, its parts with any white space between them."""
    parts = []
    for sign in unicodedata.normalize("NFC", word):
        apart = unicodedata.normalize("NFD", sign)
        parts.append(re.escape(sign) if apart == sign else f"(?:{re.escape(sign)}|{re.escape(apart)})")
    pattern = "".join(parts).replace(r"\ ", r"\s+").replace("'", "['’]")
    return re.compile(pattern + r"(?![\w\u0300-\u036f])", re.IGNORECASE)


def _edit(text: str, end: int, start: int, entry: _Entry) -> Edit:
    old, other = text[start:end], entry.counterparts[0]
    key = _plain(old)
    if key in BY_CONTEXT and set(BY_CONTEXT[key]) <= {one.lower() for one in entry.counterparts}:
        other = BY_CONTEXT[key][0 if ends_phrase(text, end) else 1]
    new = _cased(other, old, entry.written)
    genitive = _GENITIVE.match(text, end)
    if genitive is None:
        return Edit(start, end, new)
    plural = not entry.name and new.lower().endswith("s") and not new.lower().endswith("ss")
    mark = genitive[1] if plural else genitive[0]
    if not genitive[2] and old.lower().endswith("s") and not new.lower().endswith("s"):
        mark += _before_noun(text[genitive.end() :][:2], new)
    return Edit(start, genitive.end(), new + mark)


def _cased(new: str, old: str, written: str) -> str:
    """The counterpart in the case of what it replaces; as it is listed where that stands as listed."""
    if old == written:
        return new
    if old.isupper() and len(old) > 1:
        return new.upper()
    if all(part[:1].isupper() for part in old.split()):
        return re.sub(r"(?:^|(?<=\s))\w", lambda first: first[0].upper(), new)
    return new.lower() if old.islower() else new


def _before_noun(behind: str, new: str) -> str:
    """What the genitive of a plural lacks as that of its counterpart: `the ladies' hats` is `the gentlemen's hats`."""
    if len(behind) < 2 or behind[0] != " " or not behind[1].isalpha():
        return ""
    return "S" if new.isupper() else "s"
