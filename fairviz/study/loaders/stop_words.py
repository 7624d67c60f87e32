"""Stop lists: a word a line."""

from pathlib import Path

from fairviz.errors import BadLines, display_path, problem
from fairviz.study.loaders.lines import decoded_lines
from fairviz.study.loaders.source import read_bytes
from fairviz.words.stop_lists import MOST_STOP_WORDS

REMEDY = "Write one word a line, and nothing else."


def read_stop_words(path: str | Path, root: str | Path | None = None) -> tuple[str, ...]:
    """Return the words of a stop list in lower case, each once, without white space and empty lines.

    Raises DataError that names every line of more than one word, and for a file with none or too many.
    """
    file = display_path(path, root)
    words: dict[str, None] = {}
    bad_lines = BadLines(file, REMEDY)
    for number, line in decoded_lines(read_bytes(path, root), file):
        parts = line.split()
        if len(parts) > 1:
            bad_lines.add(number, f"expected 1 word, found {len(parts)}", line)
        words.update(dict.fromkeys(part.lower() for part in parts))
    bad_lines.settle()
    if not words:
        raise problem(file, "the stop list holds no word", REMEDY)
    if len(words) > MOST_STOP_WORDS:
        raise problem(file, f"the stop list holds {len(words):,} words", f"Give {MOST_STOP_WORDS:,} or fewer.")
    return tuple(words)
