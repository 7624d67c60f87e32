"""Analysis of texts into terms, shared by all rankers."""

import re
from collections.abc import Callable
from functools import lru_cache

STOP_WORDS = frozenset(  # Lucene's English list, as in bm25s
    re.findall(
        r"\w+",
        """a an and are as at be but by for if in into is it no not of on or such that the their then there these they
        this to was will with""",
    )
)
_POSSESSIVE = re.compile(r"['’]s\b")
_TERM = re.compile(r"\w+")


def without_possessives(text: str) -> str:
    """Return the text without the possessive 's, which is not a word."""
    return _POSSESSIVE.sub("", text)


def analyser() -> Callable[[str], list[str]]:
    """Return a function from text to terms: lower case, without possessive 's and stop words, Porter's stems."""
    from gensim.parsing.porter import PorterStemmer

    stem = lru_cache(maxsize=500_000)(PorterStemmer().stem)

    def terms(text: str) -> list[str]:
        words = _TERM.findall(without_possessives(text.lower()))
        return [stem(word) for word in words if word not in STOP_WORDS]

    return terms
