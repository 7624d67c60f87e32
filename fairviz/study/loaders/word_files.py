"""Files of words: lexicons, pairs of counterparts and stop lists.

A lexicon has `word, group` a line, with or without a header, the group in full or as f, m, n; counterparts have
`female, male`, and a stop list a word.
"""

from collections.abc import Sequence
from pathlib import Path

from fairviz.errors import BadLine, BadLines, problem
from fairviz.normal_form import folded, normal_form
from fairviz.study.loaders.archive import packed_names, plain_name
from fairviz.study.loaders.labels import GROUPS, group_of
from fairviz.study.loaders.lines import QUOTES_REMEDY, numbered_cells, numbered_lines, read_text
from fairviz.words.counterparts import HEADER, MOST_PAIRS, Pairs, check_pair
from fairviz.words.counting import Lexicon, entry_text
from fairviz.words.gsr_words import MOST_STOP_WORDS

LEXICON_HEADERS = (["word", "group"], ["word", "gender"])
PREFIX = "lexicon-"
SUFFIXES = (*packed_names(".csv"), ".xlsx")
LEXICON_REMEDIES = {
    "columns": "Write a line as: word,group.",
    "word": "Give every line a word.",
    "group": "Use one of {groups} (or the first letter, in any case).",
    "line": "Keep each word in one group.",
    "quote": QUOTES_REMEDY,
}
STOP_WORDS_REMEDY = "Write one word a line, and nothing else."
COUNTERPARTS_REMEDY = "Write a line as: female,male, such as: she,he."


def lexicon_name(path: str | Path) -> str:
    """Return the name of the lexicon in the file: gsr for `lexicon-gsr.csv`, words for `words.txt`."""
    stem = Path(plain_name(path)).stem
    return stem.removeprefix(PREFIX) or stem


def read_lexicon(path: str | Path, root: str | Path | None = None, groups: Sequence[str] | None = GROUPS) -> Lexicon:
    """Return a word list as a Lexicon: words in lower case, spellings of one word once. `groups`: the allowed groups,
    None for any.

    Raises DataError that names every bad line: not two columns, an unknown group, a word in two groups.
    """

    def remedies(bad: list[BadLine]) -> list[str]:
        words = " ".join(line.problem for line in bad).replace(",", " ").split()
        names = ", ".join(groups or GROUPS)
        return [text.format(groups=names) for kind, text in LEXICON_REMEDIES.items() if kind in words]

    file, text = read_text(path, root)
    words: dict[str, tuple[str, str, int]] = {}  # the word, its group and its line, by the folded word
    bad_lines = BadLines(file, remedies)
    for number, line, cells in numbered_cells(text, bad_lines, LEXICON_HEADERS):
        if len(cells) != 2:
            bad_lines.add(number, f"expected 2 columns, found {len(cells)}", line)
            continue
        word, name = entry_text(cells[0]), cells[1]
        group = group_of(name, groups or GROUPS) or (name if groups is None and name else None)
        if not folded(word):
            bad_lines.add(number, "the word is empty", line)
        elif group is None:
            bad_lines.add(number, "unknown group", line)
        else:
            _, earlier, first = words.setdefault(folded(word), (word, group, number))
            if earlier != group:
                bad_lines.add(number, f"{word!r} is {earlier} in line {first}", line)
    bad_lines.raise_collected()
    if not words:
        raise problem(file, "the lexicon holds no word", LEXICON_REMEDIES["columns"])
    return Lexicon(lexicon_name(path), tuple((word, group) for word, group, _ in words.values()))


def read_stop_words(path: str | Path, root: str | Path | None = None) -> tuple[str, ...]:
    """Return the words of a stop list in lower case, each once, without white space and empty lines.

    Raises DataError that names every line of more than one word, and for a file with none or too many.
    """
    file, text = read_text(path, root)
    words: dict[str, None] = {}
    bad_lines = BadLines(file, STOP_WORDS_REMEDY)
    for number, line in numbered_lines(text):
        parts = line.split()
        if len(parts) > 1:
            bad_lines.add(number, f"expected 1 word, found {len(parts)}", line)
        words.update(dict.fromkeys(normal_form(part).lower() for part in parts))
    bad_lines.raise_collected()
    _check_count(file, "stop list", len(words), "word", MOST_STOP_WORDS, STOP_WORDS_REMEDY)
    return tuple(words)


def read_counterparts(path: str | Path, root: str | Path | None = None) -> Pairs:
    """Return the pairs (female, male) of a file, each once.

    Raises DataError that names every bad line: not two columns, a word without a counterpart; and for a file with no
    pair or too many.
    """
    file, text = read_text(path, root)
    pairs: dict[tuple[str, str], None] = {}
    bad_lines = BadLines(file, lambda bad: with_quotes(bad, COUNTERPARTS_REMEDY))
    for number, line, row in numbered_cells(text, bad_lines, [list(HEADER)]):
        cells = [" ".join(cell.split()) for cell in row]
        defect = f"expected 2 columns, found {len(cells)}" if len(cells) != 2 else check_pair(cells[0], cells[1])
        if defect:
            bad_lines.add(number, defect, line)
        else:
            pairs[cells[0], cells[1]] = None
    bad_lines.raise_collected()
    _check_count(file, "list", len(pairs), "pair", MOST_PAIRS, COUNTERPARTS_REMEDY)
    return tuple(pairs)


def _check_count(file: str, what: str, count: int, noun: str, most: int, remedy: str) -> None:
    """Raise DataError for a file without any entry, and for one with too many."""
    if not count:
        raise problem(file, f"the {what} holds no {noun}", remedy)
    if count > most:
        raise problem(file, f"the {what} holds {count:,} {noun}s", f"Give {most:,} or fewer.")


def with_quotes(bad: list[BadLine], remedy: str) -> list[str]:
    """Return the remedy, and before it that of quotes where a line has a fault of these."""
    has_quotes = any("quot" in line.problem for line in bad)
    return [QUOTES_REMEDY, remedy] if has_quotes else [remedy]
