"""TREC Fair Ranking 2021 and 2022: topics in JSON lines, and runs of `id, page_id` or `id, seq_no, page_id`.

The order of lines is the order of a ranking, as the track's own reader takes it; a column `rank` may say so too,
counted from 0 or from 1. A file of sequences holds a ranking for each topic and seq_no.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import BadLines, display_path
from fairviz.study.loaders.categories import constant
from fairviz.study.loaders.columns import remedies
from fairviz.study.loaders.records import read_json_lines
from fairviz.study.loaders.runs import stack_runs, system_name
from fairviz.study.loaders.source import decode, numbered_lines, problem, read_bytes

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
    """A topic: its text (empty where the file has none), its keywords, and the pages judged relevant, None where the
    file says nothing of relevance."""

    query_id: str
    text: str
    keywords: str
    relevant: tuple[str, ...] | None


def read_topics(path: str | Path, root: str | Path | None = None) -> list[Topic]:
    """The topics of a file. Raises DataError that names every bad line."""
    file = display_path(path, root)
    frame, lines = read_json_lines(read_bytes(path, root), file)
    bad, topics = BadLines(file, TOPIC_REMEDY), []
    first: dict[str, int] = {}
    for line, row in zip(lines, frame.astype(object).to_dict("records"), strict=True):
        topic = _topic({str(name): cell for name, cell in row.items()}, line, bad)
        if topic is None:
            continue
        earlier = first.setdefault(topic.query_id, line)
        if earlier != line:
            bad.add(line, f"this topic stands in line {earlier} already", topic.query_id)
        topics.append(topic)
    bad.settle()
    return topics


def _topic(row: dict[str, Any], line: int, bad: BadLines) -> Topic | None:
    number = _whole(row.get("id"))
    if number is None:
        bad.add(line, "the id is missing or no whole number", None if _absent(row.get("id")) else str(row["id"]))
        return None
    title, words = row.get("title"), _list(row.get("keywords"))
    if not (_absent(title) or isinstance(title, str)):
        bad.add(line, "the title is no text", str(title))
    if words is None or not all(isinstance(word, str) for word in words):
        bad.add(line, "keywords is no list of texts", str(row["keywords"]))
        words = []
    pages = _list(row.get("rel_docs"))
    relevant = None if pages is None else [_whole(page) for page in pages]
    if relevant is None or None in relevant:
        bad.add(line, "rel_docs is no list of page ids", str(row["rel_docs"]))
        relevant = []
    text = title.strip() if isinstance(title, str) else ""
    judged = None if _absent(row.get("rel_docs")) else tuple(dict.fromkeys(str(page) for page in relevant))
    return Topic(number, text or " ".join(words), ", ".join(words), judged)


def _absent(value: object) -> bool:
    return value is None or (isinstance(value, float) and np.isnan(value))


def _whole(value: object) -> str | None:
    """The number as text, or None where it is no whole number of 0 or more."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    text = str(value).strip()
    return text if text.isascii() and text.isdigit() else None


def _list(value: object) -> list[Any] | None:
    """The list that stands in a cell as JSON; empty where there is nothing, None where there is anything else."""
    if _absent(value):
        return []
    if not isinstance(value, str) or not value.startswith("["):
        return None
    return list(json.loads(value))


@dataclass
class _Rankings:
    """The rankings of a run file while it is read: by (topic, seq_no) the line each page stands in.

    counted_from: the rank of the file's first line, 0 or 1, from which every ranking counts: one that begins with
    another has lost a line. unsorted: rankings of which a rank is named already.
    """

    bad: BadLines
    pages: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    counted_from: int | None = None
    unsorted: set[tuple[str, str]] = field(default_factory=set)
    last: tuple[str, str] | None = None

    def add(self, line: int, cells: dict[str, str]) -> None:
        """Adds a line to its ranking, or notes what is wrong with it."""
        key, page = (cells["id"], cells.get("seq_no", "")), cells["page_id"]
        held = self.pages.setdefault(key, {})
        if held and key != self.last:
            start = min(held.values())
            self.bad.add(line, f"the ranking of {_shown(key)} began in line {start}, and another stands between")
            return
        self.last = key
        earlier = held.setdefault(page, line)
        if earlier != line:
            self.bad.add(line, f"the ranking of {_shown(key)} has this page in line {earlier} already", page)
            return
        if "rank" in cells:
            self._check_rank(line, key, int(cells["rank"]), len(held))

    def _check_rank(self, line: int, key: tuple[str, str], rank: int, place: int) -> None:
        if self.counted_from is None:
            self.counted_from = min(rank, 1)
        wanted = place - 1 + self.counted_from
        if rank != wanted and key not in self.unsorted:
            self.unsorted.add(key)
            self.bad.add(line, f"{wanted} is the next rank of {_shown(key)}", str(rank))


def _shown(key: tuple[str, str]) -> str:
    return f"topic {key[0]}" + (f", seq_no {key[1]}" if key[1] else "")


def read_fair_run(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """A run of the track as a runs table: the score is minus the rank, counted from 1.

    The system has the name of the file; a file of sequences gives a system NAME#SEQ_NO for each of them. Raises
    DataError that names every bad line.
    """
    file = display_path(path, root)
    text = decode(read_bytes(path, root), file)
    start, first = next(numbered_lines(text))
    separator = "," if "," in first and "\t" not in first else "\t"
    cells = [cell.strip().strip('"').lower() for cell in first.split(separator)]
    headed = "id" in cells or (len(cells) > 1 and not any(cell.isdigit() for cell in cells))
    names = _header(cells, file, start) if headed else _HEADERLESS.get(len(cells), ())
    if not names:
        what = f"expected 2 or 3 columns, found {len(cells)}"
        raise problem(file, what, RUN_REMEDIES["columns"], first, start)
    found = _Rankings(BadLines(file, lambda lines: remedies(lines, RUN_REMEDIES)))
    for number, line in numbered_lines(text):
        if number > start or not headed:
            _note(found, number, line.split(separator), names)
    found.bad.settle()
    if not found.pages:
        raise problem(file, "the file has a header and no line below it", RUN_REMEDIES["columns"])
    return _table(found.pages, system_name(path))


def _header(cells: list[str], file: str, line: int) -> tuple[str, ...]:
    """The names of the columns. Raises DataError for one that is missing, unknown or there twice."""
    missing = [name for name in _NEEDED if name not in cells]
    unknown = [name for name in cells if name not in (*_NEEDED, *_POSSIBLE)]
    if missing or unknown or len(set(cells)) < len(cells):
        what = f"the column {missing[0]!r} is missing" if missing else "a column that the track has not, or one twice"
        remedy = "Name the columns id and page_id, between them seq_no where there are sequences, and perhaps rank."
        raise problem(file, what, remedy, ", ".join(cells), line)
    return tuple(cells)


def _note(found: _Rankings, number: int, cells: list[str], names: tuple[str, ...]) -> None:
    if len(cells) != len(names):
        found.bad.add(number, f"expected {len(names)} columns, found {len(cells)}", " ".join(cells))
        return
    row = {name: cell.strip() for name, cell in zip(names, cells, strict=True)}
    wrong = [name for name, cell in row.items() if not (cell.isascii() and cell.isdigit() and len(cell) < 19)]
    for name in wrong:
        found.bad.add(number, f"the {name} is no whole number", row[name])
    if not wrong:
        found.add(number, row)


def _table(rankings: dict[tuple[str, str], dict[str, int]], name: str) -> pd.DataFrame:
    sequences = list(dict.fromkeys(sequence for _, sequence in rankings))
    return stack_runs([_system(rankings, name, sequence) for sequence in sequences])


def _system(rankings: dict[tuple[str, str], dict[str, int]], name: str, sequence: str) -> pd.DataFrame:
    lists = {topic: pages for (topic, number), pages in rankings.items() if number == sequence}
    topics = [topic for topic, pages in lists.items() for _ in pages]
    rank = np.array([place for pages in lists.values() for place in range(1, len(pages) + 1)], dtype=np.int32)
    return pd.DataFrame(
        {
            "system": constant(f"{name}#{sequence}" if sequence else name, len(rank)),
            "query_id": pd.Categorical(topics),
            "doc_id": pd.Categorical([page for pages in lists.values() for page in pages]),
            "rank": rank,
            "score": -rank.astype(np.float64),
        }
    )
