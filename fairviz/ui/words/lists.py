"""Which words the page Words shows: the paper's lists and the reader's own, and their table of genderedness."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.words.debiasing import debias
from fairviz.words.genderedness import GenderDirection, word_genderedness
from fairviz.words.stereotype_lists import WORD_LISTS, WordLists
from fairviz.words.vectors import Embedding

DEFAULT = ("agency-communion", "jobs")
OWN, AGAINST = "my words", "set against"
MOST = 200
LONGEST = 100
_BETWEEN = re.compile(r"[\s,;]+")


def parse_words(text: str) -> tuple[str, ...]:
    """Words separated by commas, semicolons or white space, each once. Raises FairvizError for more than 200, and
    for one of more than 100 characters."""
    words = tuple(dict.fromkeys(filter(None, _BETWEEN.split(text))))
    longest = max(map(len, words), default=0)
    if longest > LONGEST:
        raise FairvizError(f"a word of {longest:,} characters is no word", f"Give words of {LONGEST} or fewer.")
    if len(words) > MOST:
        raise FairvizError(f"{len(words):,} words are more than the page can show", f"Give {MOST} or fewer.")
    return words


def chosen(settings: Settings) -> tuple[WordLists, ...]:
    """The pairs of lists to show, the reader's own first; the two default ones where nothing is chosen at all.

    Raises FairvizError for too many words; names of lists that are not there are left out.
    """
    own, against = parse_words(settings.words), parse_words(settings.against)
    names = [name for name in settings.word_lists if name in WORD_LISTS]
    lists = [] if not own and not against else [WordLists("own", AGAINST, OWN, against, own, float("nan"))]
    if not lists and not names:
        names = list(DEFAULT)
    return (*lists, *(WORD_LISTS[name] for name in names))


def named(lists: Sequence[WordLists]) -> list[tuple[int, str, tuple[str, ...]]]:
    """Number of the pair, name and words of each single list, female ones first; a name that comes twice says its
    edition."""
    every = [
        (place, name, words, each)
        for place, each in enumerate(lists)
        for name, words in ((each.female_name, each.female), (each.male_name, each.male))
        if words
    ]
    names = [name for _, name, _, _ in every]
    return [
        (place, f"{name} ({each.edition})" if names.count(name) > 1 else name, words)
        for place, name, words, each in every
    ]


def slips(lists: Sequence[WordLists]) -> str:
    """What the paper has wrong in the tables shown, whichever edition is; empty where nothing is."""
    tables = dict.fromkeys(each.table for each in lists)
    wrong = {each.table: each.slip for each in WORD_LISTS.values() if each.slip}
    return " ".join(f"{table}: {wrong[table]}" for table in tables if table in wrong)


def word_table(direction: GenderDirection, kind: str, lists: Sequence[WordLists]) -> pd.DataFrame:
    """pair, list, word, g, ci_low, ci_high, before: g under this debiasing, and without any; NaN out of vocabulary.

    The interval is over the defining pairs. Debiased vectors have none: their g is what the debiasing made it.
    """
    rows = [(place, name, word) for place, name, words in named(lists) for word in words]
    table = pd.DataFrame(rows, columns=["pair", "list", "word"]).astype({"list": "str", "word": "str"})
    words = table["word"].tolist()
    plain = word_genderedness(direction, words)
    values = plain if kind == "none" else _without(plain, debiased(direction, kind).of(words))
    return table.assign(g=values["g"], ci_low=values["ci_low"], ci_high=values["ci_high"], before=plain["g"])


def _without(table: pd.DataFrame, values: np.ndarray) -> pd.DataFrame:
    return table.assign(g=values, ci_low=np.nan, ci_high=np.nan)


def debiased(direction: GenderDirection, kind: str) -> GenderDirection:
    """The same direction over debiased vectors: what is left of each word's genderedness."""
    return replace(direction, embedding=embedding_of(direction, kind))


def embedding_of(direction: GenderDirection, kind: str) -> Embedding:
    """The vectors under this debiasing, whose direction is the one at hand."""
    return debias(direction.embedding, kind, direction)
