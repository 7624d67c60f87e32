"""Words of a document that are the query's own and are dropped: equal forms, or forms of one noun.

Lemmas are a rule for regular plurals and a table of the other nouns, `noun_lemmas.csv`: all nouns of the SPECIALIST
Lexicon (US National Library of Medicine, English) whose lemmas the rule does not give, as lemminflect 0.2.3 (MIT) lists
them. docs/fidelity.md compares them with the GSR paper's.
"""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

QUERY_TERMS = ("exact", "lemma")
AlignedRankings = Mapping[str, Sequence[int]]
_TABLE = Path(__file__).with_name("noun_lemmas.csv")
_SINGULAR = re.compile("(ss|us|is)$")
_SIBILANT = re.compile("(sh|ch|x|ss|zz)es$")


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


def by_form(vocabulary: Sequence[str], query_terms: str) -> AlignedRankings:
    """Return the places of the words with each form in a vocabulary, for `columns_of`."""
    if query_terms == "exact":
        return {word: (place,) for place, word in enumerate(vocabulary)}
    places: dict[str, list[int]] = {}
    for place, word in enumerate(vocabulary):
        for lemma in noun_lemmas(word):
            places.setdefault(lemma, []).append(place)
    return places


def columns_of(query_words: Iterable[str], places: AlignedRankings, query_terms: str) -> list[int]:
    """Return the places, ascending, of the vocabulary's words that are dropped for these query words."""
    return sorted(
        {place for word in query_words for form in forms(word, query_terms) for place in places.get(form, ())}
    )
