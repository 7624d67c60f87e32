"""Lexicons: `word, group`, with or without a header, the group in full or as f, m, n."""

import csv
from collections.abc import Sequence
from pathlib import Path

from fairviz.errors import BadLine, BadLines, display_path
from fairviz.study.loaders.delimited import QUOTES_REMEDY, reason_of, strict_reader
from fairviz.study.loaders.labels import GROUPS, group_of
from fairviz.study.loaders.packing import packed_names, plain_name
from fairviz.study.loaders.source import decode, numbered_lines, problem, read_bytes
from fairviz.words.counting import Lexicon

HEADERS = (["word", "group"], ["word", "gender"])
PREFIX = "lexicon-"
SUFFIXES = packed_names(".csv")
REMEDIES = {
    "columns": "Write a line as: word,group.",
    "word": "Give every line a word.",
    "group": "Use one of {groups} (or the first letter, in any case).",
    "line": "Keep each word in one group.",
    "quote": QUOTES_REMEDY,
}


def lexicon_name(path: str | Path) -> str:
    """The name of the lexicon in the file: `lexicon-gsr.csv` holds gsr, `words.txt` holds words."""
    stem = Path(plain_name(path)).stem
    return stem.removeprefix(PREFIX) or stem


def read_lexicon(path: str | Path, root: str | Path | None = None, groups: Sequence[str] | None = GROUPS) -> Lexicon:
    """A word list as a Lexicon, words in lower case. `groups` are those allowed, None for any.

    Raises DataError that names every bad line: not two columns, a group that is none, a word in two groups.
    """
    file = display_path(path, root)
    text = decode(read_bytes(path, root), file)
    words: dict[str, tuple[str, int]] = {}
    bad = BadLines(file, lambda lines: _remedies(lines, groups or GROUPS))
    for place, (number, line) in enumerate(numbered_lines(text)):
        try:
            cells = [cell.strip() for cell in next(strict_reader([line.replace("\t", ",")], ","))]
        except csv.Error as error:
            bad.add(number, reason_of(error), line)
            continue
        if place == 0 and [cell.lower() for cell in cells] in HEADERS:
            continue
        wrong = _add(cells, number, words, groups)
        if wrong:
            bad.add(number, wrong, line)
    bad.settle()
    if not words:
        raise problem(file, "the lexicon holds no word", REMEDIES["columns"])
    return Lexicon(lexicon_name(path), tuple((word, group) for word, (group, _) in words.items()))


def _remedies(bad: list[BadLine], groups: Sequence[str]) -> list[str]:
    kinds = " ".join(line.problem for line in bad).replace(",", " ").split()
    return [text.format(groups=", ".join(groups)) for kind, text in REMEDIES.items() if kind in kinds]


def _add(cells: list[str], number: int, words: dict[str, tuple[str, int]], groups: Sequence[str] | None) -> str:
    """Adds the line's word; returns what is wrong with the line, or nothing."""
    if len(cells) != 2:
        return f"expected 2 columns, found {len(cells)}"
    word, named = cells[0].lower(), cells[1]
    if not word:
        return "the word is empty"
    group = group_of(named, groups or GROUPS) or (named if groups is None and named else None)
    if group is None:
        return "unknown group"
    earlier, line = words.setdefault(word, (group, number))
    if earlier != group:
        return f"{word!r} is {earlier} in line {line}"
    return ""
