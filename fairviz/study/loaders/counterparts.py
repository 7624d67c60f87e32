"""Pairs of words with their counterparts: `female, male`, with or without that header."""

from pathlib import Path

from fairviz.errors import BadLines, display_path, problem
from fairviz.study.loaders.lines import QUOTES_REMEDY, decode, numbered_cells
from fairviz.study.loaders.source import read_bytes
from fairviz.words.counterparts import HEADER, MOST_PAIRS, Pairs, check_pair

REMEDY = "Write a line as: female,male, such as: she,he."


def read_counterparts(path: str | Path, root: str | Path | None = None) -> Pairs:
    """Return the pairs (female, male) of a file, each once.

    Raises DataError that names every bad line: not two columns, a word without a counterpart; and for a file with no
    pair or too many.
    """
    file = display_path(path, root)
    pairs: dict[tuple[str, str], None] = {}
    bad_lines = BadLines(
        file, lambda lines: [QUOTES_REMEDY, REMEDY] if any("quot" in x.problem for x in lines) else [REMEDY]
    )
    for number, line, row in numbered_cells(decode(read_bytes(path, root), file), bad_lines, [list(HEADER)]):
        cells = [" ".join(cell.split()) for cell in row]
        defect = f"expected 2 columns, found {len(cells)}" if len(cells) != 2 else check_pair(cells[0], cells[1])
        if defect:
            bad_lines.add(number, defect, line)
        else:
            pairs[cells[0], cells[1]] = None
    bad_lines.settle()
    if not pairs:
        raise problem(file, "the list holds no pair", REMEDY)
    if len(pairs) > MOST_PAIRS:
        raise problem(file, f"the list holds {len(pairs):,} pairs", f"Give {MOST_PAIRS:,} or fewer.")
    return tuple(pairs)
