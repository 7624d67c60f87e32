"""Words of a document that are the query's own and are dropped: equal forms, or forms of one noun.

Lemmas are those of lemminflect 0.2.3 (MIT; its dictionary is the SPECIALIST Lexicon of the US National Library of
Medicine, English). docs/fidelity.md compares them with the GSR paper's.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

QUERY_TERMS = ("exact", "lemma")
AlignedRankings = Mapping[str, Sequence[int]]


@lru_cache(maxsize=65_536)
def noun_lemmas(word: str) -> frozenset[str]:
    """Return the lemmas of a word in lower case, read as a noun; the word itself if it has none.

    A word outside the dictionary is shortened like words of the same ending, but only if written in a to z: the rules
    would remove other letters.

    >>> sorted(noun_lemmas("nurses")), sorted(noun_lemmas("women")), sorted(noun_lemmas("leaves"))
    (['nurse'], ['woman'], ['leaf', 'leave'])
    >>> sorted(noun_lemmas("driving")), sorted(noun_lemmas("café"))  # verbs are not reduced to their stems
    (['driving'], ['café'])
    """
    from lemminflect import getLemma

    lemmas = getLemma(word, "NOUN") if word.isascii() and word.isalpha() else ()
    return frozenset(lemma.lower() for lemma in lemmas if lemma) or frozenset([word])


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
