"""From text to terms, the same for every ranker here."""

import re
from collections.abc import Callable
from functools import lru_cache

STOP_WORDS = frozenset(  # Lucene's English ones, which bm25s has too
    re.findall(
        r"\w+",
        """a an and are as at be but by for if in into is it no not of on or such that the their then there these they
        this to was will with""",
    )
)
_POSSESSIVE = re.compile(r"['’]s\b")
_TERM = re.compile(r"\w+")


def without_possessives(text: str) -> str:
    """The text without the 's of possession, which is no word."""
    return _POSSESSIVE.sub("", text)


def analyser() -> Callable[[str], list[str]]:
    """A function from text to terms: lower case, possessive 's off, words, stop words out, Porter's stems."""
    from gensim.parsing.porter import PorterStemmer

    stem = lru_cache(maxsize=500_000)(PorterStemmer().stem)

    def terms(text: str) -> list[str]:
        words = _TERM.findall(without_possessives(text.lower()))
        return [stem(word) for word in words if word not in STOP_WORDS]

    return terms
