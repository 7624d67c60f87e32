"""Which words of a document are the query's own, and are dropped from it: equal forms, or forms of one noun.

Lemmas are those of lemminflect 0.2.3 (MIT; its dictionary is the SPECIALIST Lexicon of the US National Library of
Medicine, English). docs/fidelity.md says how far they are from those of the GSR paper's authors.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

QUERY_TERMS = ("exact", "lemma")
Places = Mapping[str, Sequence[int]]


@lru_cache(maxsize=65_536)
def noun_lemmas(word: str) -> frozenset[str]:
    """The lemmas that a word in lower case has if it is taken for a noun; itself where it has none.

    A word that the dictionary lacks is cut as words that end like it are. One that is not written in a to z is left as
    it is: those rules would take letters from it.

    >>> sorted(noun_lemmas("nurses")), sorted(noun_lemmas("women")), sorted(noun_lemmas("leaves"))
    (['nurse'], ['woman'], ['leaf', 'leave'])
    >>> sorted(noun_lemmas("driving")), sorted(noun_lemmas("café"))  # no verb is brought back to its stem
    (['driving'], ['café'])
    """
    from lemminflect import getLemma

    lemmas = getLemma(word, "NOUN") if word.isascii() and word.isalpha() else ()
    return frozenset(lemma.lower() for lemma in lemmas if lemma) or frozenset([word])


def forms(word: str, query_terms: str) -> frozenset[str]:
    """What two words share that count as one: the word itself (`exact`), or its lemmas as a noun (`lemma`)."""
    return noun_lemmas(word) if query_terms == "lemma" else frozenset([word])


def of_query(asked: Iterable[str], query_terms: str) -> Callable[[str], bool]:
    """Whether a document's word is one of the query's, given the words that count in the query."""
    held = frozenset(form for word in asked for form in forms(word, query_terms))
    return lambda word: not held.isdisjoint(forms(word, query_terms))


def by_form(vocabulary: Sequence[str], query_terms: str) -> Places:
    """The places in a vocabulary of the words that have each form, so that `columns_of` looks up the query's alone."""
    if query_terms == "exact":
        return {word: (place,) for place, word in enumerate(vocabulary)}
    places: dict[str, list[int]] = {}
    for place, word in enumerate(vocabulary):
        for lemma in noun_lemmas(word):
            places.setdefault(lemma, []).append(place)
    return places


def columns_of(asked: Iterable[str], places: Places, query_terms: str) -> list[int]:
    """The places, ascending, of the vocabulary's words that are dropped for a query of these words."""
    return sorted({place for word in asked for form in forms(word, query_terms) for place in places.get(form, ())})
