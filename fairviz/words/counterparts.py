"""Gender words and first names with their counterparts: the packaged pairs, and pairs as text.

`substitution` chooses the counterpart of a word in a text.
"""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from fairviz.errors import FairvizError, UsageError
from fairviz.words.counting import escaped

Pairs = tuple[tuple[str, str], ...]
KINDS = ("both", "words", "names")
HEADER = ("female", "male")
MOST_PAIRS = 5_000
LONGEST = 100  # characters of a word
REMEDY = "Write female-male pairs: she-he, Mary-James; a hyphen or a space inside a word as %2D or %20."
_FOLDER = Path(__file__).with_name("pairs")
_PARTS = re.compile(r"[%,-]|\s")


@dataclass(frozen=True)
class Counterparts:
    """Pairs (female, male) of gender words, matched in any case, and of names, matched where they have a capital."""

    words: Pairs
    names: Pairs

    def only(self, kind: str) -> "Counterparts":
        """Return the pairs of `both`, `words` or `names`.

        Raises UsageError for another kind, FairvizError if no pair is left.
        """
        if kind not in KINDS:
            raise UsageError(f"substitute is {kind!r}", f"Use one of {', '.join(KINDS)}.")
        counterparts = Counterparts(self.words if kind != "names" else (), self.names if kind != "words" else ())
        if not counterparts.words and not counterparts.names:
            kind_text = {"both": "words and names", "words": "words", "names": "names"}[kind]
            raise FairvizError(f"the list of {kind_text} with their counterparts is empty", "Give one pair or more.")
        return counterparts

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every word of the pairs in lower case; of a name of several words also each of these."""
        words = {word.lower() for pair in (*self.words, *self.names) for word in pair}
        return frozenset(words | {part for word in words for part in word.split()})


@lru_cache(maxsize=1)
def packaged() -> Counterparts:
    """Return the packaged pairs."""
    return Counterparts(_packaged("words"), _packaged("names"))


def _packaged(name: str) -> Pairs:
    with (_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return tuple((female, male) for female, male in list(csv.reader(stream))[1:])


def check_pair(female: str, male: str) -> str:
    """Return the defect of a pair, empty if it has none."""
    if not female or not male:
        return "a word has no counterpart"
    if max(len(female), len(male)) > LONGEST:
        return f"a word has more than {LONGEST} characters"
    if female.lower() == male.lower():
        return "the word is its own counterpart"
    if not all(re.search(r"\w", word) for word in (female, male)):
        return "there is no letter in it"
    return ""


def pairs_of(rows: Iterable[tuple[object, object]]) -> Pairs:
    """Return rows of a table (female, male) as pairs, each once, without empty rows.

    Raises FairvizError for a row that is not a pair, for too many pairs and for none.
    """
    pairs: dict[tuple[str, str], None] = {}
    for row in rows:
        female, male = (" ".join(word.split()) if isinstance(word, str) else "" for word in row)
        if not female and not male:
            continue
        defect = check_pair(female, male)
        if defect:
            raise FairvizError(f"the pair {female[:60]!r}, {male[:60]!r} cannot be: {defect}", "Give two words a row.")
        pairs[female, male] = None
    if not pairs:
        raise FairvizError("the list of pairs is empty", "Give one pair or more.")
    if len(pairs) > MOST_PAIRS:
        raise FairvizError(f"{len(pairs):,} pairs are too many", f"Give {MOST_PAIRS:,} or fewer.")
    return tuple(pairs)


def parse_counterparts(text: str) -> Pairs:
    """Return `she-he, Mary%20Ann-John` as pairs (female, male), each once. Raises UsageError for a malformed pair.

    >>> parse_counterparts("she-he, ex%2Dwife-ex%2Dhusband")
    (('she', 'he'), ('ex-wife', 'ex-husband'))
    """
    rows: list[tuple[str, str]] = []
    for part in filter(None, (piece.strip() for piece in text.replace("\n", ",").split(","))):
        words = [unquote(word.strip()) for word in part.split("-")]
        if len(words) != 2:
            raise UsageError(f"{part[:60]!r} is not a pair of words", REMEDY)
        rows.append((words[0], words[1]))
    try:
        return pairs_of(rows)
    except FairvizError as error:
        raise UsageError(error.message, REMEDY) from error


def format_counterparts(pairs: Pairs) -> str:
    """Return the pairs as one line for `parse_counterparts`."""
    return ", ".join("-".join(escaped(word, _PARTS) for word in pair) for pair in pairs)
