"""The use of a word list in texts: entries that are phrases or beginnings, and those that match nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairviz.words.counting import GSR_LEXICON, Lexicon, count_groups, entries_of
from fairviz.words.sentences import agreeing, counted, first_listed, out_of
from fairviz.words.tokenizers import CHARACTERS, UNACCENTED, is_unspaced

NAMED = 5  # entries that are named one by one
_CELLS = 4_000_000  # counts of entries in texts at a time
_MOST_UNACCENTED = 100_000  # texts that are searched once more without accents


@dataclass(frozen=True)
class ListUse:
    """How a tokenizer matches the entries of a word list.

    tokenizer: the name of the one that cuts the texts. entries: their number. phrases: those of several tokens.
    beginnings: those that end in `*`. unspaced: those in a script without blanks. lost: those that no text can contain.
    absent: those that none of these texts contains. unaccented: of the absent, those that a text contains with other
    accents or vowel signs.
    """

    tokenizer: str
    entries: int
    phrases: int
    beginnings: int
    unspaced: int
    lost: tuple[str, ...]
    absent: tuple[str, ...] = ()
    unaccented: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[str, ...]:
        """A sentence for each way of matching that is not of single words."""
        sentences = []
        if self.unspaced and self.tokenizer == CHARACTERS.name:
            sentences.append(
                f"{counted(self.unspaced, 'entry', 'entries')} in scripts without blanks "
                f"{agreeing(self.unspaced, 'matches', 'match')} inside sentences: tokenizer {CHARACTERS.name}."
            )
        if self.phrases:
            sentences.append(
                f"{counted(self.phrases, 'phrase')} {agreeing(self.phrases, 'matches', 'match')} as sequences of "
                "words, the longest first."
            )
        if self.beginnings:
            sentences.append(
                f"{counted(self.beginnings, 'entry', 'entries')} with * "
                f"{agreeing(self.beginnings, 'matches', 'match')} every word that begins so."
            )
        return tuple(sentences)

    @property
    def misses(self) -> tuple[str, ...]:
        """A sentence for the entries that match nothing, and for those that accents keep from it."""
        sentences = []
        if self.lost:
            sentences.append(
                f"{out_of(len(self.lost), self.entries, 'entry', 'entries')} can never match with the tokenizer "
                f"{self.tokenizer}: {first_listed(self.lost, NAMED)}."
            )
        if self.absent:
            sentences.append(
                f"{out_of(len(self.absent), self.entries, 'entry', 'entries')} "
                f"{agreeing(len(self.absent), 'occurs', 'occur')} in no document: {first_listed(self.absent, NAMED)}."
            )
        if self.unaccented:
            sentences.append(
                f"{counted(len(self.unaccented), 'entry', 'entries')} of these would match without accents: tokenizer "
                f"{UNACCENTED.name}."
            )
        return tuple(sentences)


def no_hits(lexicon: Lexicon, documents: int) -> tuple[str, str]:
    """Return what it means that no word of the list is in any of so many documents, and the remedy."""
    occurs = f"no word of the list {lexicon.name!r} occurs in any of {counted(documents, 'document')}"
    if lexicon == GSR_LEXICON:
        remedy = "Add words in the language of the documents: lexicon.csv with the columns word, group."
    else:
        remedy = "Write words in the language and spelling of the documents: `fairviz check` counts those that match."
    return f"{occurs}, so that all would count as neutral", remedy


def list_use(lexicon: Lexicon, tokenizer: str, groups: Sequence[str], texts: Any = None) -> ListUse:
    """Return how the entries of these groups are matched. texts: None leaves out which are absent from them.

    >>> from fairviz.words.counting import parse_lexicon
    >>> use = list_use(parse_lexicon("female:she|ex-wife|*a"), "word", ["female"], ["She left", None])
    >>> use.phrases, use.lost, use.absent
    (1, ('*a',), ('ex-wife',))
    """
    entries = entries_of(lexicon, tokenizer, tuple(groups))
    possible = [word for word, group in lexicon.words if group in groups and word not in entries.lost]
    absent = [] if texts is None else _absent(texts, possible, entries.tokenizer.name)
    keeps_accents = bool(absent) and entries.tokenizer.accents
    first_texts = next(_parts(texts, 0, _MOST_UNACCENTED), ()) if keeps_accents else ()
    still_absent = set(_absent(first_texts, absent, UNACCENTED.name))
    return ListUse(
        entries.tokenizer.name,
        len(possible) + len(entries.lost),
        sum(len(entries.tokenizer.words(word)) > 1 for word in possible if not is_unspaced(word)),
        sum(word.endswith("*") for word in possible),
        sum(map(is_unspaced, possible)),
        tuple(entries.lost),
        tuple(absent),
        tuple(word for word in absent if word not in still_absent),
    )


def _absent(texts: Any, entries: Sequence[str], tokenizer: str) -> list[str]:
    """Return the entries that are in none of the texts, as they are counted: each is a group of its own."""
    groups = [str(place) for place in range(len(entries))]
    lexicon, found = Lexicon("each", tuple(zip(entries, groups, strict=True))), set[str]()
    for part in _parts(texts, len(entries)):
        if found.issuperset(entries):
            break
        counts = count_groups(part, lexicon, tokenizer, groups).counts
        found.update(entry for entry, count in zip(entries, counts.sum(axis=0), strict=True) if count)
    return [entry for entry in entries if entry not in found]


def _parts(texts: Any, width: int, most: int = 50_000) -> Iterator[Any]:
    """Yield the texts, a list or a column of a table, in parts of `most` at most, fewer the more entries there are."""
    step = min(max(_CELLS // max(width, 1), 100), most)
    for start in range(0, len(texts), step):
        yield getattr(texts, "iloc", texts)[start : start + step]


def documents_with_entries(texts: Any, lexicon: Lexicon, tokenizer: str, groups: Sequence[str], enough: int) -> int:
    """Return the number of texts with an entry of these groups; counting stops at `enough`."""
    found = 0
    for part in _parts(texts, len(groups), 5_000):
        found += int(np.count_nonzero(count_groups(part, lexicon, tokenizer, groups).counts.any(axis=1)))
        if found >= enough:
            break
    return found
