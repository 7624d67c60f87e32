"""Lexicons: `word, group`, with or without a header, the group in full or as f, m, n."""

from collections.abc import Sequence
from pathlib import Path

from fairviz.errors import BadLine, BadLines, display_path, problem
from fairviz.study.loaders.labels import GROUPS, group_of
from fairviz.study.loaders.lines import QUOTES_REMEDY, decode, numbered_cells
from fairviz.study.loaders.packing import packed_names, plain_name
from fairviz.study.loaders.source import read_bytes
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
    """Return the name of the lexicon in the file: gsr for `lexicon-gsr.csv`, words for `words.txt`."""
    stem = Path(plain_name(path)).stem
    return stem.removeprefix(PREFIX) or stem


def read_lexicon(path: str | Path, root: str | Path | None = None, groups: Sequence[str] | None = GROUPS) -> Lexicon:
    """Return a word list as a Lexicon, words in lower case. `groups`: the allowed groups, None for any.

    Raises DataError that names every bad line: not two columns, an unknown group, a word in two groups.
    """
    file = display_path(path, root)
    text = decode(read_bytes(path, root), file)
    words: dict[str, tuple[str, int]] = {}
    bad_lines = BadLines(file, lambda lines: _remedies(lines, groups or GROUPS))
    for number, line, cells in numbered_cells(text, bad_lines, HEADERS):
        defect = _add_word(cells, number, words, groups)
        if defect:
            bad_lines.add(number, defect, line)
    bad_lines.settle()
    if not words:
        raise problem(file, "the lexicon holds no word", REMEDIES["columns"])
    return Lexicon(lexicon_name(path), tuple((word, group) for word, (group, _) in words.items()))


def _remedies(bad: list[BadLine], groups: Sequence[str]) -> list[str]:
    words = " ".join(line.problem for line in bad).replace(",", " ").split()
    return [text.format(groups=", ".join(groups)) for kind, text in REMEDIES.items() if kind in words]


def _add_word(cells: list[str], number: int, words: dict[str, tuple[str, int]], groups: Sequence[str] | None) -> str:
    """Add the line's word and return the line's defect, or empty."""
    if len(cells) != 2:
        return f"expected 2 columns, found {len(cells)}"
    word, group_name = cells[0].lower(), cells[1]
    if not word:
        return "the word is empty"
    group = group_of(group_name, groups or GROUPS) or (group_name if groups is None and group_name else None)
    if group is None:
        return "unknown group"
    earlier, line = words.setdefault(word, (group, number))
    if earlier != group:
        return f"{word!r} is {earlier} in line {line}"
    return ""
