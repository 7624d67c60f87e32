"""Lexicons: `word, group`, with or without a header, the group in full or as f, m, n."""

import csv
from collections.abc import Sequence
from pathlib import Path

from fairviz.errors import BadLine, DataError, display_path
from fairviz.loaders.labels import GROUPS, group_of
from fairviz.loaders.source import decode, numbered_lines, problem, read_bytes
from fairviz.text import Lexicon

HEADERS = (["word", "group"], ["word", "gender"])
PREFIX = "lexicon-"
REMEDIES = {
    "columns": "Write a line as: word,group.",
    "word": "Give every line a word.",
    "group": "Use one of {groups} (or the first letter, in any case).",
    "line": "Keep each word in one group.",
}


def lexicon_name(path: str | Path) -> str:
    """The name of the lexicon in the file: `lexicon-gsr.csv` holds gsr, `words.txt` holds words."""
    stem = Path(path).stem
    return stem.removeprefix(PREFIX) or stem


def read_lexicon(path: str | Path, root: str | Path | None = None, groups: Sequence[str] | None = GROUPS) -> Lexicon:
    """A word list as a Lexicon, words in lower case. `groups` are those allowed, None for any.

    Raises DataError that names every bad line: not two columns, a group that is none, a word in two groups.
    """
    file = display_path(path, root)
    text = decode(read_bytes(path, root), file)
    words: dict[str, tuple[str, int]] = {}
    bad: list[BadLine] = []
    for place, (number, line) in enumerate(numbered_lines(text)):
        cells = [cell.strip() for cell in next(csv.reader([line.replace("\t", ",")]))]
        if place == 0 and [cell.lower() for cell in cells] in HEADERS:
            continue
        wrong = _add(cells, number, words, groups)
        if wrong:
            bad.append(BadLine(file, number, wrong, line))
    if not bad and not words:
        raise problem(file, "the lexicon holds no word", REMEDIES["columns"])
    if bad:
        named = ", ".join(groups or GROUPS)
        kinds = " ".join(line.problem for line in bad).replace(",", " ").split()
        raise DataError(bad, [text.format(groups=named) for kind, text in REMEDIES.items() if kind in kinds])
    return Lexicon(lexicon_name(path), tuple((word, group) for word, (group, _) in words.items()))


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
