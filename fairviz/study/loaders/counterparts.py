"""Pairs of words with their counterparts: `female, male`, with or without that header."""

import csv
from pathlib import Path

from fairviz.errors import BadLines, display_path
from fairviz.study.loaders.delimited import QUOTES_REMEDY, reason_of, strict_reader
from fairviz.study.loaders.source import decode, numbered_lines, problem, read_bytes
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
    for place, (number, line) in enumerate(numbered_lines(decode(read_bytes(path, root), file))):
        try:
            cells = [" ".join(cell.split()) for cell in next(strict_reader([line.replace("\t", ",")], ","))]
        except csv.Error as error:
            bad_lines.add(number, reason_of(error), line)
            continue
        if place == 0 and tuple(cell.lower() for cell in cells) == HEADER:
            continue
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
