"""Files of NTCIR's FairWeb tasks: relevance levels, memberships of groups, gold distributions, and runs.

As NTCIREVAL documents them (README.groupfair, January 2023) and its ntcir_eval.c and NTCIR-GFReval read them:

- qrels: `topic document L2`, L0 for judged and not relevant;
- SET.gmemb, one file for each attribute set: `topic document p1 … pG`, shares of groups that sum to 1;
- SET.golddistr: the target share of each group, one a line;
- runs: TREC's six columns, with a first line `<SYSDESC>…</SYSDESC>`.

None of them names the groups: they are numbered from 1, in the order of the columns.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.errors import BadLines, problem
from fairviz.study.attributes import TOLERANCE
from fairviz.study.loaders.archive import plain_name
from fairviz.study.loaders.columns import add_repeated_pairs, fields_of, finite_number, read_careful_rows
from fairviz.study.loaders.lines import numbered_lines, read_text
from fairviz.study.loaders.runs import read_run_bytes
from fairviz.study.loaders.source import read_bytes
from fairviz.study.tables import QRELS, conform

MEMBERSHIPS_ENDING, GOLD_ENDING = ".gmemb", ".golddistr"
QRELS_REMEDIES = {
    "columns": "Write a relevance line as: topic document L2.",
    "level": "Write the relevance level as L and a number, L0 for not relevant.",
    "document": "Keep one line for each document of a topic.",
}
MEMBERSHIP_REMEDIES = {
    "columns": "Write a line as: topic document p1 … pG, with the share of each group.",
    "share": "Write shares as numbers from 0 to 1.",
    "shares": "Give shares that sum to 1.",
    "document": "Keep one line for each document of a topic.",
}
GOLD_REMEDY = "Write the target share of each group on a line of its own, from 0 to 1, with the sum 1."
_LEVEL = re.compile(r"L[0-9]{1,2}")
_DESCRIPTION = re.compile(rb"\A(?:\xef\xbb\xbf)?[ \t]*<SYSDESC>[^\n]*")


@dataclass(frozen=True)
class Memberships:
    """The shares of documents in the groups of an attribute set, (G,) each, by topic and document."""

    name: str
    shares: dict[tuple[str, str], tuple[float, ...]]
    groups: int

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of the file, in its order."""
        return tuple(dict.fromkeys(topic for topic, _ in self.shares))


def set_name(path: str | Path, ending: str) -> str:
    """Return the name of the attribute set of a file.

    >>> set_name("pilot.R-HINDEX.gmemb", ".gmemb"), set_name("R-HINDEX.golddistr.gz", ".golddistr")
    ('R-HINDEX', 'R-HINDEX')
    """
    return plain_name(Path(path).name).removesuffix(ending).rpartition(".")[2]


def read_levels(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a file of relevance levels as a qrels table. Raises DataError that names every bad line."""
    file, text = read_text(path, root)
    bad_lines = BadLines(file, QRELS_REMEDIES)
    careful = read_careful_rows(text, 3, _level_defects, bad_lines)
    add_repeated_pairs(careful, 1, "is judged for", bad_lines)
    bad_lines.raise_collected()
    frame = pd.DataFrame(careful.rows, columns=["query_id", "doc_id", "level"], dtype="str")
    grades = frame.pop("level").str.removeprefix("L").astype(np.int32)
    return conform(frame.assign(relevance=grades), QRELS)


def _level_defects(fields: list[str]) -> list[tuple[str, str]]:
    return [] if _LEVEL.fullmatch(fields[2]) else [("the level is not L and a number", fields[2])]


def read_memberships(path: str | Path, root: str | Path | None = None) -> Memberships:
    """Return a file of group memberships. Raises DataError that names every bad line."""
    file, text = read_text(path, root)
    number, first = next(numbered_lines(text))
    width = len(fields_of(first))
    if width < 4:
        message = f"expected 4 columns or more, found {width}"
        raise problem(file, message, MEMBERSHIP_REMEDIES["columns"], first, number)
    bad_lines = BadLines(file, MEMBERSHIP_REMEDIES)
    careful = read_careful_rows(text, width, _share_defects, bad_lines)
    add_repeated_pairs(careful, 1, "has memberships for", bad_lines)
    bad_lines.raise_collected()
    shares = {(row[0], row[1]): tuple(map(float, row[2:])) for row in careful.rows}
    return Memberships(set_name(path, MEMBERSHIPS_ENDING), shares, width - 2)


def _share_defects(fields: list[str]) -> list[tuple[str, str]]:
    invalid = [text for text in fields[2:] if not _is_share(text)]
    if invalid:
        return [("a share is not a number from 0 to 1", invalid[0])]
    total = sum(map(float, fields[2:]))
    if abs(total - 1) > TOLERANCE:
        return [(f"the shares sum to {total:.6g}, and not to 1", " ".join(fields))]
    return []


def _is_share(text: str) -> bool:
    return 0 <= finite_number(text) <= 1


def read_gold(path: str | Path, root: str | Path | None = None) -> tuple[float, ...]:
    """Return the target share of each group, (G,), scaled to sum to 1. Raises DataError that names every bad line."""
    file, text = read_text(path, root)
    bad_lines, lines = BadLines(file, GOLD_REMEDY), list(numbered_lines(text))
    for number, line in lines:
        if not _is_share(line.strip()):
            bad_lines.add(number, "the line is not a number from 0 to 1", line)
    bad_lines.raise_collected()
    shares = [float(line) for _, line in lines]
    if abs(sum(shares) - 1) > TOLERANCE or len(shares) < 2:
        raise problem(file, f"{len(shares)} target shares that sum to {sum(shares):.6g}, and not to 1", GOLD_REMEDY)
    return tuple(share / sum(shares) for share in shares)


def read_described_run(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a run as a runs table, its description left out. Raises DataError that names every bad line."""
    return read_run_bytes(_DESCRIPTION.sub(b"", read_bytes(path, root)), path, root)
