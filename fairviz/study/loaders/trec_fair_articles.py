"""The articles' attributes of TREC Fair Ranking: JSON lines of six million articles, read for the wanted ones.

Gender is a list of Wikidata's texts, grouped as in the track: a trans or cis woman is female, a trans or cis man male,
every other identity non-binary (the track's `third` of 2021 and `NB` of 2022), and an article without gender or of
unknown gender is unknown.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fairviz.errors import BadLines, problem
from fairviz.study.loaders.collection import line_blocks
from fairviz.study.loaders.trec_fair_dimensions import dimension_cells

FEMALE, MALE, NON_BINARY, UNKNOWN = "female", "male", "non-binary", "unknown"
GENDERS = (FEMALE, MALE, NON_BINARY)
QUALITIES = ("Stub", "Start", "C", "B", "GA", "FA")  # the most work first
REMEDY = 'Write an article as: {"page_id": 12, "gender": ["female"]}, with an empty list where it has no gender.'
_PAGE = re.compile(rb'"page_id"\s*:\s*"?([0-9]+)')
_NAMED = re.compile(r"(?:(?:trans|cis)gender\s+)?((?:fe)?male)")
_UNSAID = ("", "unknown", "@unknown", "unk")


@dataclass(frozen=True)
class Articles:
    """Genders of each requested article in the file, in the order of GENDERS and unknown, at least one; the counts of
    other words read as one of these; the quality of the articles that have one, of QUALITIES; and the cells of their
    further attributes, by column of DIMENSIONS.
    """

    genders: dict[str, tuple[str, ...]]
    read_as: dict[tuple[str, str], int]
    quality: dict[str, str] = field(default_factory=dict)
    cells: dict[str, dict[str, str]] = field(default_factory=dict)


@dataclass
class _ReadingState:
    bad: BadLines
    genders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    words: Counter[str] = field(default_factory=Counter)
    quality: dict[str, str] = field(default_factory=dict)
    cells: dict[str, dict[str, str]] = field(default_factory=dict)
    has_gender: bool = False


def gender_of(text: str) -> str:
    """Return the group of a gender in Wikidata.

    >>> [gender_of(text) for text in ("transgender female", "cisgender male", "genderfluid", "unknown")]
    ['female', 'male', 'non-binary', 'unknown']
    """
    plain = text.strip().lower()
    if plain in _UNSAID:
        return UNKNOWN
    match = _NAMED.fullmatch(plain)
    return match[1] if match else NON_BINARY


def read_articles(path: str | Path, wanted: set[str], progress: Callable[[int, int], None]) -> Articles:
    """Return the genders of the wanted articles, read as a stream: memory is bounded by these and a block.

    progress(bytes read, bytes of the file); it may raise to stop. A repeated article is read once. Raises DataError
    with the bad lines, and for a file without gender of any wanted article.
    """
    path = Path(path)
    state = _ReadingState(BadLines(path.name, REMEDY))
    keys = {page.encode() for page in wanted}
    with line_blocks(path, progress) as blocks:
        for number, block in blocks:
            for line, content in enumerate(block, start=number):
                page_match = _PAGE.search(content)
                if content.strip() and (page_match is None or page_match[1] in keys):
                    _add_article(state, line, content)
    state.bad.raise_collected()
    if not state.genders:
        message = f"the file holds none of the {len(wanted):,} articles that the runs and topics name"
        raise problem(path.name, message, "Check that it is the attributes of the same year's articles.")
    if not state.has_gender:
        remedy = "Name the file with the attribute gender; that of 2021 came with the evaluation topics."
        raise problem(path.name, "no article that the runs and topics name has the attribute gender", remedy)
    read_as = {(word, gender_of(word)): count for word, count in state.words.items() if word != gender_of(word)}
    return Articles(state.genders, read_as, state.quality, state.cells)


def _add_article(state: _ReadingState, line: int, content: bytes) -> None:
    article = _parse_article(state.bad, line, content)
    if article is None:
        return
    page, gender = article.get("page_id"), article.get("gender")
    if isinstance(page, bool) or not str(page).isdigit():
        state.bad.add(line, "the page_id is missing or not a whole number", None if page is None else str(page))
        return
    words = [gender] if isinstance(gender, str) else ([] if gender is None else gender)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        state.bad.add(line, "the gender is not a list of texts", json.dumps(gender))
        return
    state.has_gender |= "gender" in article
    cells, defect = dimension_cells(article)
    if (quality := article.get("qual_cat")) is not None and quality not in QUALITIES:
        defect = f"the qual_cat is not one of {', '.join(QUALITIES)}"
    if defect:
        state.bad.add(line, defect, str(quality if "qual_cat" in defect else page))
        return
    groups = {gender_of(word) for word in words} or {UNKNOWN}
    genders = tuple(group for group in (*GENDERS, UNKNOWN) if group in groups)
    earlier = state.lines.setdefault(str(page), line)
    if earlier == line:
        state.genders[str(page)] = genders
        state.words.update(words)
        state.quality |= {str(page): quality} if quality else {}
        state.cells[str(page)] = cells
    elif state.genders[str(page)] != genders:
        state.bad.add(line, f"this article has another gender in line {earlier}", str(page))


def _parse_article(bad_lines: BadLines, line: int, content: bytes) -> dict | None:
    try:
        article = json.loads(content.decode())
    except ValueError:  # also for other bytes than UTF-8
        article = None
    if isinstance(article, dict):
        return article
    bad_lines.add(line, "not a JSON object", content.decode("utf-8", "replace"))
    return None
