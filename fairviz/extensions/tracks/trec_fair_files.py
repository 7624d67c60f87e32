"""TREC Fair Ranking 2021 and 2022: topics in JSON lines, and runs of `id, page_id` or `id, seq_no, page_id`.

The order of lines is the order of a ranking, as in the track's own reader; a column `rank` may repeat it, counted from
0 or from 1. A file of sequences contains a ranking for each topic and seq_no.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import BadLines, display_path, problem
from fairviz.study.attributes import BETWEEN, SHARE_SIGN
from fairviz.study.loaders.collection import line_blocks
from fairviz.study.loaders.lines import numbered_lines, read_text
from fairviz.study.loaders.rows import read_json_lines
from fairviz.study.loaders.runs import constant, stack_runs, system_name
from fairviz.study.loaders.source import read_bytes

TOPIC_REMEDY = 'Write a topic as: {"id": 1, "title": "...", "keywords": ["..."], "rel_docs": [12, 25]}.'
RUN_REMEDIES = {
    "columns": "Write a run line as: id, a tab, page_id; or: id, a tab, seq_no, a tab, page_id.",
    "whole": "Write ids, seq_no and ranks as whole numbers, such as 1205.",
    "ranking": "Keep the lines of a ranking together, each page once.",
    "next": "Sort the lines of each ranking by rank, counted from 0 or from 1 without a gap, alike in all rankings.",
}
_NEEDED, _POSSIBLE = ("id", "page_id"), ("seq_no", "rank")
_HEADERLESS = {2: ("id", "page_id"), 3: ("id", "seq_no", "page_id")}


FEMALE, MALE, NON_BINARY, UNKNOWN = "female", "male", "non-binary", "unknown"
GENDERS = (FEMALE, MALE, NON_BINARY)
QUALITIES = ("Stub", "Start", "C", "B", "GA", "FA")  # the most work first
REMEDY = 'Write an article as: {"page_id": 12, "gender": ["female"]}, with an empty list where it has no gender.'
_PAGE = re.compile(rb'"page_id"\s*:\s*"?([0-9]+)')
_NAMED = re.compile(r"(?:(?:trans|cis)gender\s+)?((?:fe)?male)")
_UNSAID = ("", "unknown", "@unknown", "unk")


DIMENSIONS = {
    "sub-geo": "page_subcont_regions",
    "src-geo": "source_subcont_regions",
    "occ": "occupations",
    "alpha": "first_letter_category",
    "age": "creation_date_category",
    "pop": "relative_pageviews_category",
    "langs": "num_sitelinks_category",
}
KINDS = {"sub-geo": list, "occ": list, "src-geo": dict}  # of JSON; text for the others
_DESCRIBED = {list: "a list of texts", dict: "a table of numbers by region", str: "text"}
_RESERVED = {BETWEEN, SHARE_SIGN}


@dataclass(frozen=True)
class Topic:
    """A topic: its text (empty if missing), its keywords, and the relevant pages, None for a file without relevance."""

    query_id: str
    text: str
    keywords: str
    relevant: tuple[str, ...] | None


def read_topics(path: str | Path, root: str | Path | None = None) -> list[Topic]:
    """Return the topics of a file. Raises DataError that names every bad line."""
    file = display_path(path, root)
    frame, lines = read_json_lines(read_bytes(path, root), file)
    bad_lines, topics = BadLines(file, TOPIC_REMEDY), []
    first: dict[str, int] = {}
    for line, row in zip(lines, frame.astype(object).to_dict("records"), strict=True):
        topic = _topic({str(name): cell for name, cell in row.items()}, line, bad_lines)
        if topic is None:
            continue
        earlier = first.setdefault(topic.query_id, line)
        if earlier != line:
            bad_lines.add(line, f"this topic is in line {earlier} already", topic.query_id)
        topics.append(topic)
    bad_lines.raise_collected()
    return topics


def _topic(row: dict[str, Any], line: int, bad_lines: BadLines) -> Topic | None:
    number = _whole_number_text(row.get("id"))
    if number is None:
        value = None if _is_missing(row.get("id")) else str(row["id"])
        bad_lines.add(line, "the id is missing or not a whole number", value)
        return None
    title, words = row.get("title"), _parse_list(row.get("keywords"))
    if not (_is_missing(title) or isinstance(title, str)):
        bad_lines.add(line, "the title is not text", str(title))
    if words is None or not all(isinstance(word, str) for word in words):
        bad_lines.add(line, "keywords is not a list of texts", str(row["keywords"]))
        words = []
    pages = _parse_list(row.get("rel_docs"))
    relevant = None if pages is None else [_whole_number_text(page) for page in pages]
    if relevant is None or None in relevant:
        bad_lines.add(line, "rel_docs is not a list of page ids", str(row["rel_docs"]))
        relevant = []
    text = title.strip() if isinstance(title, str) else ""
    judged = None if _is_missing(row.get("rel_docs")) else tuple(dict.fromkeys(str(page) for page in relevant))
    return Topic(number, text or " ".join(words), ", ".join(words), judged)


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def _whole_number_text(value: object) -> str | None:
    """Return the number as text, or None unless it is a whole number of 0 or more."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    text = str(value).strip()
    return text if text.isascii() and text.isdigit() else None


def _parse_list(value: object) -> list[Any] | None:
    """Return the list in a cell of JSON; empty for an empty cell, None for any other content."""
    if _is_missing(value):
        return []
    if not isinstance(value, str) or not value.startswith("["):
        return None
    return list(json.loads(value))


@dataclass
class _Rankings:
    """The rankings of a run file while it is read: the line of each page by (topic, seq_no).

    counted_from: the first rank of every ranking, 0 or 1, from the file's first line: a ranking with another first rank
    has lost a line. unsorted: rankings with a reported rank.
    """

    bad: BadLines
    pages: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    counted_from: int | None = None
    unsorted: set[tuple[str, str]] = field(default_factory=set)
    last: tuple[str, str] | None = None

    def add(self, line: int, cells: dict[str, str]) -> None:
        """Add a line to its ranking, or record its defect."""
        key, page = (cells["id"], cells.get("seq_no", "")), cells["page_id"]
        pages = self.pages.setdefault(key, {})
        if pages and key != self.last:
            start = min(pages.values())
            message = f"the ranking of {_ranking_name(key)} began in line {start}, and another ranking is in between"
            self.bad.add(line, message)
            return
        self.last = key
        earlier = pages.setdefault(page, line)
        if earlier != line:
            self.bad.add(line, f"the ranking of {_ranking_name(key)} has this page in line {earlier} already", page)
            return
        if "rank" in cells:
            self._check_rank(line, key, int(cells["rank"]), len(pages))

    def _check_rank(self, line: int, key: tuple[str, str], rank: int, place: int) -> None:
        """Record the first line of a ranking whose rank is not that of its place, counted from 1."""
        if self.counted_from is None:
            self.counted_from = min(rank, 1)
        next_rank = place - 1 + self.counted_from
        if rank != next_rank and key not in self.unsorted:
            self.unsorted.add(key)
            self.bad.add(line, f"{next_rank} is the next rank of {_ranking_name(key)}", str(rank))


def _ranking_name(key: tuple[str, str]) -> str:
    topic, sequence = key
    return f"topic {topic}, seq_no {sequence}" if sequence else f"topic {topic}"


def read_fair_run(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a run of the track as a runs table: the score is minus the rank, counted from 1.

    The system has the name of the file; in a file of sequences each is a draw, NAME/seedSEQ_NO. Raises DataError that
    names every bad line.
    """
    file, text = read_text(path, root)
    start, first = next(numbered_lines(text))
    separator = "," if "," in first and "\t" not in first else "\t"
    cells = [cell.strip().strip('"').lower() for cell in first.split(separator)]
    has_header = "id" in cells or (len(cells) > 1 and not any(cell.isdigit() for cell in cells))
    names = _check_header(cells, file, start) if has_header else _HEADERLESS.get(len(cells), ())
    if not names:
        message = f"expected 2 or 3 columns, found {len(cells)}"
        raise problem(file, message, RUN_REMEDIES["columns"], first, start)
    rankings = _Rankings(BadLines(file, RUN_REMEDIES))
    for number, line in numbered_lines(text):
        if number > start or not has_header:
            _add_line(rankings, number, line.split(separator), names)
    rankings.bad.raise_collected()
    if not rankings.pages:
        raise problem(file, "the file has a header and no line below it", RUN_REMEDIES["columns"])
    return _runs_of(rankings, system_name(path))


def _check_header(cells: list[str], file: str, line: int) -> tuple[str, ...]:
    """Return the names of the columns. Raises DataError for a missing, unknown or repeated one."""
    missing = [name for name in _NEEDED if name not in cells]
    unknown = [name for name in cells if name not in (*_NEEDED, *_POSSIBLE)]
    if missing or unknown or len(set(cells)) < len(cells):
        message = (
            f"the column {missing[0]!r} is missing"
            if missing
            else "a column that the track does not have, or a repeated column"
        )
        remedy = "Name the columns id and page_id, between them seq_no where there are sequences, and perhaps rank."
        raise problem(file, message, remedy, ", ".join(cells), line)
    return tuple(cells)


def _add_line(rankings: _Rankings, number: int, cells: list[str], names: tuple[str, ...]) -> None:
    """Add a line of the file, or record its defects."""
    if len(cells) != len(names):
        rankings.bad.add(number, f"expected {len(names)} columns, found {len(cells)}", " ".join(cells))
        return
    row = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
    invalid = [name for name, cell in row.items() if not (cell.isascii() and cell.isdigit() and len(cell) < 19)]
    for name in invalid:
        rankings.bad.add(number, f"the {name} is not a whole number", row[name])
    if not invalid:
        rankings.add(number, row)


def _runs_of(rankings: _Rankings, system: str) -> pd.DataFrame:
    """Return the rankings as a runs table, each sequence a draw of the system."""
    tables = []
    for sequence in dict.fromkeys(sequence for _, sequence in rankings.pages):
        lists = {topic: pages for (topic, each), pages in rankings.pages.items() if each == sequence}
        rank = np.array([place for pages in lists.values() for place in range(1, len(pages) + 1)], dtype=np.int32)
        columns = {
            "system": constant(f"{system}/seed{sequence}" if sequence else system, len(rank)),
            "query_id": pd.Categorical([topic for topic, pages in lists.items() for _ in pages]),
            "doc_id": pd.Categorical([page for pages in lists.values() for page in pages]),
            "rank": rank,
            "score": -rank.astype(np.float64),
        }
        tables.append(pd.DataFrame(columns))
    return stack_runs(tables)


# --- The articles' attributes of TREC Fair Ranking: JSON lines of six million articles, read for the wanted ones.
# Gender is a list of Wikidata's texts, grouped as in the track: a trans or cis woman is female, a trans or cis man
# male, every other identity non-binary (the track's `third` of 2021 and `NB` of 2022), and an article without gender
# or of unknown gender is unknown.


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
    """Add an article, or record its defect."""
    article = _parse_article(content)
    if article is None:
        state.bad.add(line, "not a JSON object", content.decode("utf-8", "replace"))
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


def _parse_article(content: bytes) -> dict[str, Any] | None:
    """Return the object in a line; None for anything else, also for other bytes than UTF-8."""
    try:
        article = json.loads(content.decode())
    except ValueError:
        return None
    return article if isinstance(article, dict) else None


# --- Further attributes of articles in TREC Fair Ranking 2022: cells of columns that the track's code calls
# dimensions. `page_subcont_regions` and `occupations` are lists of texts, `source_subcont_regions` numbers of
# sources by region, and the others a text each, as the track's published code (PageAlignments, MetricInputs) reads
# them.


def dimension_cells(article: dict[str, Any]) -> tuple[dict[str, str], str]:
    """Return the cell of each dimension that the article has, and an empty text; or the reason why one is invalid.

    >>> dimension_cells({"page_subcont_regions": ["Europe", "Asia"], "source_subcont_regions": {"UNK": 2, "Asia": 1}})
    ({'sub-geo': 'Europe|Asia', 'src-geo': 'UNK=2|Asia=1'}, '')
    """
    cells: dict[str, str] = {}
    for name, key in DIMENSIONS.items():
        if key not in article:
            continue
        value, kind = article[key], KINDS.get(name, str)
        value = kind() if value is None else value
        if not isinstance(value, kind) or not _is_valid(value):
            return {}, f"the {key} is not {_DESCRIBED[kind]} without | and ="
        if isinstance(value, dict):
            value = [f"{one}{SHARE_SIGN}{number}" for one, number in value.items()]
        cells[name] = value if isinstance(value, str) else BETWEEN.join(value)
    return cells, ""


def _is_valid(value: object) -> bool:
    if isinstance(value, dict) and not all(
        isinstance(number, (int, float)) and not isinstance(number, bool) and 0 <= number < float("inf")
        for number in value.values()
    ):
        return False
    names = [value] if isinstance(value, str) else list(value)  # type: ignore[call-overload]
    return all(isinstance(name, str) and not set(name) & _RESERVED for name in names)
