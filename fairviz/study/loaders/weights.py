"""A user's position bias: a table of rank and weight, such as measured click-through rates."""

import re
from pathlib import Path

from fairviz.errors import BadLine, BadLines, DataError
from fairviz.study.loaders.columns import finite_number
from fairviz.study.loaders.lines import numbered_cells
from fairviz.study.loaders.source import read_bytes

REMEDY = "Give two columns, rank and weight, such as: 1,0.42"
MOST_RANKS = 1000
_RANK = re.compile("0{0,9}[0-9]{1,4}")


def read_weights(path: str | Path) -> tuple[float, ...]:
    """Return the weights in the file: see `parse_weights`."""
    return parse_weights(Path(path).name, read_bytes(path))


def parse_weights(name: str, content: bytes) -> tuple[float, ...]:
    """Return the weights of the ranks 1, 2, … from lines `rank,weight` with or without a header; missing ranks weigh 0.

    Raises DataError with every bad line: not two columns, a rank that is repeated or not a whole number from 1 to 1000,
    a weight that is not a number of 0 or more; and for a file without a weight above 0.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError([BadLine(name, 0, "not UTF-8 text")], "Save it as UTF-8.") from error
    weights: dict[int, float] = {}
    bad_lines = BadLines(name, REMEDY)
    for number, line, row in numbered_cells(text, bad_lines, [["rank", "weight"]]):
        defect = _problem(row, weights)
        if defect:
            bad_lines.add(number, defect, line)
        else:
            weights[int(row[0])] = float(row[1])
    bad_lines.raise_collected()
    if not any(weights.values()):
        raise DataError([BadLine(name, 0, "no weight above 0")], REMEDY)
    return tuple(weights.get(rank, 0.0) for rank in range(1, max(weights) + 1))


def _problem(row: list[str], weights: dict[int, float]) -> str:
    """Return the defect of a row of stripped cells, or empty."""
    if len(row) != 2:
        return f"expected 2 columns, found {len(row)}"
    rank, weight = row
    if not _RANK.fullmatch(rank) or not 1 <= int(rank) <= MOST_RANKS:
        return f"the rank is not a whole number from 1 to {MOST_RANKS}"
    if int(rank) in weights:
        return f"rank {int(rank)} appears twice"
    return "" if finite_number(weight) >= 0 else "the weight is not a number of 0 or more"
