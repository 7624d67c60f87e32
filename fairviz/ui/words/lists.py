"""The words of the page Words: the paper's lists and the reader's own, and their table of genderedness."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.evaluation.gsr import direction_of
from fairviz.evaluation.settings import Settings
from fairviz.output.recipes import Recipe, call, recipe
from fairviz.words.genderedness import (
    GenderDirection,
    debias,
    relative_genderedness,
    vocabulary_mean,
    word_genderedness,
)
from fairviz.words.stereotype_lists import WORD_LISTS, WordLists

DEFAULT = ("agency-communion", "jobs")
OWN, AGAINST = "my words", "set against"
MOST = 200
LONGEST = 100
_BETWEEN = re.compile(r"[\s,;]+")


def parse_words(text: str) -> tuple[str, ...]:
    """Return the words separated by commas, semicolons or white space, each once.

    Raises: FairvizError for more than 200 words, and for a word of more than 100 characters.
    """
    words = tuple(dict.fromkeys(filter(None, _BETWEEN.split(text))))
    longest = max(map(len, words), default=0)
    if longest > LONGEST:
        raise FairvizError(f"a word of {longest:,} characters is too long", f"Give words of {LONGEST} or fewer.")
    if len(words) > MOST:
        raise FairvizError(f"{len(words):,} words are more than the page can show", f"Give {MOST} or fewer.")
    return words


def chosen(settings: Settings) -> tuple[WordLists, ...]:
    """Return the pairs of lists to show, the reader's own first; the two default pairs if none is chosen.

    Raises: FairvizError for too many words. Unknown names of lists are left out.
    """
    own_words, other_words = parse_words(settings.words), parse_words(settings.against)
    names = [name for name in settings.word_lists if name in WORD_LISTS]
    own = WordLists("own", AGAINST, OWN, other_words, own_words, float("nan"))
    lists = [own] if own_words or other_words else []
    if not lists and not names:
        names = list(DEFAULT)
    return (*lists, *(WORD_LISTS[name] for name in names))


def single_lists_of(lists: Sequence[WordLists]) -> list[tuple[int, str, tuple[str, ...]]]:
    """Return the pair's number, name and words of each single list, female ones first; a repeated name has its
    edition."""
    both = [((each.female_name, each.female), (each.male_name, each.male)) for each in lists]
    names = [name for sides in both for name, words in sides if words]
    return [
        (place, f"{name} ({lists[place].edition})" if names.count(name) > 1 else name, words)
        for place, sides in enumerate(both)
        for name, words in sides
        if words
    ]


def slips(lists: Sequence[WordLists]) -> str:
    """Return the errors of the paper in the tables shown, of any edition; empty without any."""
    tables = dict.fromkeys(each.table for each in lists)
    errors = {each.table: each.slip for each in WORD_LISTS.values() if each.slip}
    return " ".join(f"{table}: {errors[table]}" for table in tables if table in errors)


def word_table(direction: GenderDirection, kind: str, lists: Sequence[WordLists]) -> pd.DataFrame:
    """Return a table: pair, list, word, g, ci_low, ci_high, before (g without debiasing), and g minus the vocabulary's
    mean with its interval (from_mean, from_mean_low, from_mean_high); NaN out of vocabulary.

    Intervals are over the defining pairs. Debiased vectors have none, as their g is set by the debiasing.
    """
    rows = [(place, name, word) for place, name, words in single_lists_of(lists) for word in words]
    table = pd.DataFrame(rows, columns=["pair", "list", "word"]).astype({"list": "str", "word": "str"})
    words = table["word"].tolist()
    original = values = word_genderedness(direction, words)
    if kind == "none":
        relative = relative_genderedness(direction, words)
    else:
        remaining = debiased(direction, kind)
        values = original.assign(g=remaining.of(words), ci_low=np.nan, ci_high=np.nan)
        relative = values.assign(g=values["g"] - vocabulary_mean(remaining))
    columns = {"from_mean": "g", "from_mean_low": "ci_low", "from_mean_high": "ci_high"}
    table = table.assign(g=values["g"], ci_low=values["ci_low"], ci_high=values["ci_high"], before=original["g"])
    return table.assign(**{name: relative[column] for name, column in columns.items()})


def debiased(direction: GenderDirection, kind: str) -> GenderDirection:
    """Return the same direction over debiased vectors, which measures the remaining genderedness."""
    return replace(direction, embedding=debias(direction.embedding, kind, direction))


def words_recipe(settings: Settings, words: Sequence[str]) -> Recipe:
    """Return the Python of the words' genderedness; with a debiasing without intervals."""
    arguments = (call(direction_of, _vectors(settings)), list(words))
    if settings.debias == "none":
        return recipe(word_genderedness, *arguments)
    lines = [f"vectors = debias(direction.embedding, {settings.debias!r}, direction)"]
    table = "found[['word']].assign(g=replace(direction, embedding=vectors).of(words))"
    return recipe(word_genderedness, *arguments, lines=lines, table=table, uses=(debias, replace))


def variance_recipe(settings: Settings) -> Recipe:
    """Return the Python of the share of the pairs' variance that each direction explains."""
    table = "pd.DataFrame({'direction': range(1, len(found.explained) + 1), 'share': found.explained})"
    return recipe(direction_of, _vectors(settings), table=table, uses=("import pandas as pd",))


def _vectors(settings: Settings) -> Settings:
    """Return the settings of gender directions alone."""
    return Settings(embedding=settings.embedding, pairs=settings.pairs)
