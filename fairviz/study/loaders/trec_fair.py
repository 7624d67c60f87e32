"""TREC Fair Ranking 2021 and 2022: topics in JSON lines, and runs of `id, page_id` or `id, seq_no, page_id`.

The order of lines is the order of a ranking, as in the track's own reader; a column `rank` may repeat it, counted from
0 or from 1. A file of sequences contains a ranking for each topic and seq_no.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import BadLines, display_path, problem
from fairviz.study.loaders.categories import constant
from fairviz.study.loaders.lines import decode, numbered_lines
from fairviz.study.loaders.records import read_json_lines
from fairviz.study.loaders.runs import stack_runs, system_name
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
        bad_lines.add(
            line, "the id is missing or not a whole number", None if _is_missing(row.get("id")) else str(row["id"])
        )
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
    judged_pages = None if _is_missing(row.get("rel_docs")) else tuple(dict.fromkeys(str(page) for page in relevant))
    return Topic(number, text or " ".join(words), ", ".join(words), judged_pages)


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
            self.bad.add(
                line, f"the ranking of {_ranking_name(key)} began in line {start}, and another ranking is in between"
            )
            return
        self.last = key
        earlier = pages.setdefault(page, line)
        if earlier != line:
            self.bad.add(line, f"the ranking of {_ranking_name(key)} has this page in line {earlier} already", page)
            return
        if "rank" in cells:
            self._check_rank(line, key, int(cells["rank"]), len(pages))

    def _check_rank(self, line: int, key: tuple[str, str], rank: int, place: int) -> None:
        if self.counted_from is None:
            self.counted_from = min(rank, 1)
        next_rank = place - 1 + self.counted_from
        if rank != next_rank and key not in self.unsorted:
            self.unsorted.add(key)
            self.bad.add(line, f"{next_rank} is the next rank of {_ranking_name(key)}", str(rank))


def _ranking_name(key: tuple[str, str]) -> str:
    return f"topic {key[0]}" + (f", seq_no {key[1]}" if key[1] else "")


def read_fair_run(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a run of the track as a runs table: the score is minus the rank, counted from 1.

    The system has the name of the file; in a file of sequences each is a draw, NAME/seedSEQ_NO. Raises DataError that
    names every bad line.
    """
    file = display_path(path, root)
    text = decode(read_bytes(path, root), file)
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
    return _build_table(rankings.pages, system_name(path))


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
    if len(cells) != len(names):
        rankings.bad.add(number, f"expected {len(names)} columns, found {len(cells)}", " ".join(cells))
        return
    row = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
    invalid_columns = [name for name, cell in row.items() if not (cell.isascii() and cell.isdigit() and len(cell) < 19)]
    for name in invalid_columns:
        rankings.bad.add(number, f"the {name} is not a whole number", row[name])
    if not invalid_columns:
        rankings.add(number, row)


def _build_table(rankings: dict[tuple[str, str], dict[str, int]], name: str) -> pd.DataFrame:
    sequences = list(dict.fromkeys(sequence for _, sequence in rankings))
    return stack_runs([_system_table(rankings, name, sequence) for sequence in sequences])


def _system_table(rankings: dict[tuple[str, str], dict[str, int]], name: str, sequence: str) -> pd.DataFrame:
    lists = {topic: pages for (topic, number), pages in rankings.items() if number == sequence}
    topics = [topic for topic, pages in lists.items() for _ in pages]
    rank = np.array([place for pages in lists.values() for place in range(1, len(pages) + 1)], dtype=np.int32)
    return pd.DataFrame(
        {
            "system": constant(f"{name}/seed{sequence}" if sequence else name, len(rank)),
            "query_id": pd.Categorical(topics),
            "doc_id": pd.Categorical([page for pages in lists.values() for page in pages]),
            "rank": rank,
            "score": -rank.astype(np.float64),
        }
    )
