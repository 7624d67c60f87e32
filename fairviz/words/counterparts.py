"""Gender words replaced by their counterparts: what a text would be, were it written of the other gender."""

import re
from collections.abc import Mapping
from functools import lru_cache

from fairviz.words.debiasing import EQUALISED
from fairviz.words.genderedness import Pairs, parse_pairs

_WORD = re.compile(r"\w+")
_MORE = parse_pairs("her-him, hers-his, ms-mr, mrs-mr, miss-mr, bride-groom, hostess-host, housewife-househusband")

PAIRS: Pairs = (*EQUALISED, *_MORE)
"""Pairs (female, male) that are used where the reader has given none of her own: those that debiasing equalises, and
some that vectors have no plain pair for."""


def counterparts(pairs: str = "") -> Mapping[str, str]:
    """The counterpart of each word, both in lower case; of a word in several pairs that of the first.

    pairs: as `she-he, her-his`, empty for PAIRS. Her becomes his, as in the list, for no list can tell it from him.
    Raises UsageError for what is no pair.

    >>> held = counterparts()
    >>> held["she"], held["his"], held["him"], held["her"]
    ('he', 'her', 'her', 'his')
    """
    return _counterparts(pairs)


@lru_cache(maxsize=8)
def _counterparts(pairs: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for female, male in parse_pairs(pairs) or PAIRS:
        found.setdefault(female.lower(), male.lower())
        found.setdefault(male.lower(), female.lower())
    return found


def replaced(text: str, words: Mapping[str, str]) -> tuple[str, int]:
    r"""The text with every run of `\w` that has a counterpart replaced by it, and how many were; case is kept.

    >>> replaced("She said: HIS mother's a man.", counterparts())
    ("He said: HER father's a woman.", 4)
    """
    count = 0

    def other(found: re.Match[str]) -> str:
        nonlocal count
        word = found.group()
        counterpart = words.get(word.lower())
        if counterpart is None:
            return word
        count += 1
        return _in_case(counterpart, word)

    return _WORD.sub(other, text), count


def _in_case(word: str, like: str) -> str:
    """The word in capitals, capitalised or small, as the other one is."""
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word.capitalize() if like[:1].isupper() else word
