"""The articles' attributes of TREC Fair Ranking: JSON lines of six million articles, of which the named ones are kept.

Gender is a list of texts, as Wikidata has them. It is read as the track does: a trans or cis woman is female, a trans
or cis man male, every other identity stands together as non-binary (the track's `third` of 2021 and `NB` of 2022), and
an article without gender, or with a gender nobody knows, is unknown.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fairviz.errors import BadLines
from fairviz.study.loaders.collection import line_blocks
from fairviz.study.loaders.source import problem

FEMALE, MALE, NON_BINARY, UNKNOWN = "female", "male", "non-binary", "unknown"
GENDERS = (FEMALE, MALE, NON_BINARY)
REMEDY = 'Write an article as: {"page_id": 12, "gender": ["female"]}, with an empty list where it has no gender.'
_PAGE = re.compile(rb'"page_id"\s*:\s*"?([0-9]+)')
_NAMED = re.compile(r"(?:(?:trans|cis)gender\s+)?((?:fe)?male)")
_UNSAID = ("", "unknown", "@unknown", "unk")


@dataclass(frozen=True)
class Articles:
    """Genders of each article that was asked for and found, in the order of GENDERS and unknown, one at the least;
    and how often another word was read as one of these."""

    genders: dict[str, tuple[str, ...]]
    read_as: dict[tuple[str, str], int]


@dataclass
class _Kept:
    bad: BadLines
    genders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    words: Counter[str] = field(default_factory=Counter)
    says_gender: bool = False


def gender_of(text: str) -> str:
    """The group that a gender of Wikidata is counted with.

    >>> [gender_of(text) for text in ("transgender female", "cisgender male", "genderfluid", "unknown")]
    ['female', 'male', 'non-binary', 'unknown']
    """
    plain = text.strip().lower()
    if plain in _UNSAID:
        return UNKNOWN
    named = _NAMED.fullmatch(plain)
    return named[1] if named else NON_BINARY


def read_articles(path: str | Path, wanted: set[str], progress: Callable[[int, int], None]) -> Articles:
    """The genders of the wanted articles, read as a stream: memory holds the wanted ones and a block.

    progress(bytes read, bytes of the file); it may raise to stop. An article that stands twice is read once. Raises
    DataError with the bad lines, and where no wanted article has the attribute gender.
    """
    path = Path(path)
    kept = _Kept(BadLines(path.name, REMEDY))
    keys = {page.encode() for page in wanted}
    with line_blocks(path, progress) as blocks:
        for number, block in blocks:
            for line, content in enumerate(block, start=number):
                named = _PAGE.search(content)
                if content.strip() and (named is None or named[1] in keys):
                    _note(kept, line, content)
    kept.bad.settle()
    if not kept.genders:
        what = f"the file holds none of the {len(wanted):,} articles that the runs and topics name"
        raise problem(path.name, what, "Check that it is the attributes of the same year's articles.")
    if not kept.says_gender:
        remedy = "Name the file with the attribute gender; that of 2021 came with the evaluation topics."
        raise problem(path.name, "no article that the runs and topics name has the attribute gender", remedy)
    read_as = {(word, gender_of(word)): count for word, count in kept.words.items() if word != gender_of(word)}
    return Articles(kept.genders, read_as)


def _note(kept: _Kept, line: int, content: bytes) -> None:
    found = _object(kept.bad, line, content)
    if found is None:
        return
    page, said = found.get("page_id"), found.get("gender")
    if isinstance(page, bool) or not str(page).isdigit():
        kept.bad.add(line, "the page_id is missing or no whole number", None if page is None else str(page))
        return
    words = [said] if isinstance(said, str) else ([] if said is None else said)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        kept.bad.add(line, "the gender is no list of texts", json.dumps(said))
        return
    kept.says_gender |= "gender" in found
    groups = {gender_of(word) for word in words} or {UNKNOWN}
    genders = tuple(group for group in (*GENDERS, UNKNOWN) if group in groups)
    earlier = kept.lines.setdefault(str(page), line)
    if earlier == line:
        kept.genders[str(page)] = genders
        kept.words.update(words)
    elif kept.genders[str(page)] != genders:
        kept.bad.add(line, f"this article has another gender in line {earlier}", str(page))


def _object(bad: BadLines, line: int, content: bytes) -> dict | None:
    try:
        found = json.loads(content.decode())
    except ValueError:  # also where it is no UTF-8
        found = None
    if isinstance(found, dict):
        return found
    bad.add(line, "not a JSON object", content.decode("utf-8", "replace"))
    return None
