"""TREC runs: `query_id Q0 doc_id rank score tag`, columns between spaces or tabs, one system a file; and MS MARCO's of
three columns, `query_id doc_id rank`, whose score is minus the rank.

The system's name is the file's, not the tag: people name files with care and copy tags without.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import BadLines, display_path
from fairviz.files import open_regular
from fairviz.study.loaders.categories import categorical, constant, encoded_ids, encoded_runs, stacked
from fairviz.study.loaders.columns import (
    NUMBER,
    CarefulRows,
    careful_rows,
    fast_table,
    fields_of,
    note_repeated_pairs,
    remedies,
    whole_number_problem,
)
from fairviz.study.loaders.packing import packed_names, packing_of, plain_name, unpacked
from fairviz.study.loaders.source import BOM, attempted, check_file, decode, read_bytes
from fairviz.study.tables import RUNS, empty

SUFFIXES = packed_names(".run", ".txt", ".trec", ".tsv", ".res")
TREC_PREFIX = "input."  # as TREC names the runs of its archives: input.NAME.gz
_FIRST = 1 << 16  # bytes of a file in which its first line is looked for
_COLUMNS = {
    6: "Write a run line as: query_id Q0 doc_id rank score tag.",
    3: "Write every line as: query_id doc_id rank; or every one as: query_id Q0 doc_id rank score tag.",
}
REMEDIES = {
    "score": "Write the score as a finite number, such as 8.5.",
    "rank": "Write the rank as a whole number.",
    "document": "Keep one line for each document of a query.",
    "tag": "Put each system into a file of its own.",
}


def system_name(path: str | Path) -> str:
    """The name of the system whose run the file holds: `runs/bm25.run.gz`, `bm25.xz` and `input.bm25.gz` hold bm25."""
    from fairviz.study.loaders import suffixes_of

    name = Path(path).name
    suffix = max((suffix for suffix in suffixes_of("runs") if name.lower().endswith(suffix)), key=len, default="")
    if suffix:
        return name[: len(name) - len(suffix)] or name
    plain = plain_name(name)
    return (plain[len(TREC_PREFIX) :] if plain.lower().startswith(TREC_PREFIX) else plain) or name


def read_run(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """A run file as a runs table. Raises DataError that names every bad line."""
    check_file(path, root)
    system = system_name(path)
    table = None if packing_of(path) else _fast(Path(path), system)
    if table is not None:
        return table
    data = read_bytes(path, root)
    width = 3 if _kind(data) == 3 else 6
    table = _fast(data, system, width)
    return table if table is not None else _careful(data, display_path(path, root), system, width)


def begins_as_run(path: Path) -> bool:
    """Whether the first line of the file, unpacked, is one of a run; False where it cannot be read."""
    return bool(_kind(attempted(lambda: _beginning(path)) or b""))


def _beginning(path: Path) -> bytes:
    with open_regular(path) as stream:
        ending = packing_of(path)
        return next(filter(None, unpacked(stream, ending, _FIRST)), b"") if ending else stream.read(_FIRST)


def _kind(data: bytes) -> int:
    """The columns of the run that begins so: 6 as TREC has them, 3 as MS MARCO has them, 0 for no run."""
    line = next((line for line in data[:_FIRST].removeprefix(BOM).splitlines() if line.strip()), b"")
    fields = fields_of(line.decode("utf-8", "replace"))
    if len(fields) == 6 and not _wrong(fields):
        return 6
    if len(fields) == 3 and fields[1].upper() != "Q0" and not whole_number_problem("rank", fields[2]):
        return 3
    return 0


def stack_runs(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Runs tables one below another, over common categories. Systems keep the order of the tables."""
    if not tables:
        return empty(RUNS)
    if len(tables) == 1:
        return tables[0]
    columns: dict[str, Any] = {
        name: stacked([table[name] for table in tables]) for name in ("system", "query_id", "doc_id")
    }
    for name in ("rank", "score"):
        columns[name] = np.concatenate([table[name].to_numpy() for table in tables])
    extra = [table.drop(columns=list(columns)) for table in tables]
    stack = pd.DataFrame(columns)
    return stack.join(pd.concat(extra, ignore_index=True)) if any(len(rest.columns) for rest in extra) else stack


def _fast(source: bytes | Path, system: str, width: int = 6) -> pd.DataFrame | None:
    """The table of a sound file, or None where the careful reader has to look."""
    columns = fast_table(source, _types(width))
    if columns is None:
        return None
    score = columns["score"].to_numpy() if width == 6 else -columns["rank"].to_numpy().astype(np.float64)
    if not np.isfinite(score).all() or (width == 6 and not _is_constant(columns["tag"])):
        return None
    queries, query_texts = encoded_runs(columns["query_id"])
    documents, document_texts = encoded_ids(columns["doc_id"])
    if _repeats(queries, documents, len(document_texts)):
        return None
    table = {
        "system": constant(system, len(score)),
        "query_id": categorical(queries, query_texts),
        "doc_id": categorical(documents, document_texts),
        "rank": columns["rank"].to_numpy(),
        "score": score,
    }
    return pd.DataFrame(table, copy=False)


def _types(width: int) -> dict[str, Any]:
    import pyarrow as pa

    text, rank = pa.string(), pa.int32()
    if width == 3:
        return {"query_id": text, "doc_id": text, "rank": rank}
    return {"query_id": text, "q0": text, "doc_id": text, "rank": rank, "score": pa.float64(), "tag": text}


def _is_constant(texts: Any) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.equal(texts, texts[0])).as_py())


def _repeats(queries: np.ndarray, documents: np.ndarray, count: int) -> bool:
    """Whether a (query, document) stands twice; only documents that stand twice at all are looked at."""
    rows = np.flatnonzero((np.bincount(documents, minlength=count) > 1)[documents])
    pairs = queries[rows].astype(np.int64) * count + documents[rows]
    return bool(pd.Series(pairs).duplicated().any())


def _wrong(fields: list[str]) -> list[tuple[str, str]]:
    wrong = []
    rank = whole_number_problem("rank", fields[3])
    if rank:
        wrong.append((rank, fields[3]))
    if not NUMBER.fullmatch(fields[4]) or not math.isfinite(float(fields[4])):
        wrong.append(("the score is not a finite number", fields[4]))
    return wrong


def _wrong_rank(fields: list[str]) -> list[tuple[str, str]]:
    wrong = whole_number_problem("rank", fields[2])
    return [(wrong, fields[2])] if wrong else []


def _careful(data: bytes, file: str, system: str, width: int = 6) -> pd.DataFrame:
    document, rank = (2, 3) if width == 6 else (1, 2)
    bad = BadLines(file, lambda lines: remedies(lines, {"columns": _COLUMNS[width]} | REMEDIES))
    found = careful_rows(decode(data, file), width, _wrong if width == 6 else _wrong_rank, bad)
    note_repeated_pairs(found, document, "stands for", bad)
    if width == 6:
        _note_other_tags(found, bad)
    bad.settle()
    return pd.DataFrame(
        {
            "system": constant(system, len(found.rows)),
            "query_id": pd.Categorical([row[0] for row in found.rows]),
            "doc_id": pd.Categorical([row[document] for row in found.rows]),
            "rank": np.array([int(float(row[rank])) for row in found.rows], dtype=np.int32),
            "score": np.array([float(row[4]) if width == 6 else -float(row[2]) for row in found.rows]),
        }
    )


def _note_other_tags(found: CarefulRows, bad: BadLines) -> None:
    first: dict[str, int] = {}
    for number, row in zip(found.numbers, found.rows, strict=True):
        first.setdefault(row[5], number)
    tags = list(first)
    for tag in tags[1:]:
        bad.add(first[tag], f"a second tag in a file whose tag is {tags[0]!r}", tag)
