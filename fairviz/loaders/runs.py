"""TREC runs: `query_id Q0 doc_id rank score tag`, columns between spaces or tabs, one system a file.

The system's name is the file's, not the tag: people name files with care and copy tags without.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import BadLine, DataError, display_path
from fairviz.loaders.categories import categorical, constant, encoded, stacked
from fairviz.loaders.columns import NUMBER, WHOLE_NUMBER, careful_rows, fast_table, repeated_pairs
from fairviz.loaders.source import decode, read_bytes
from fairviz.tables import RUNS, duplicated_rows, empty

SUFFIXES = tuple(f".{name}{packed}" for name in ("run", "txt", "trec", "tsv") for packed in ("", ".gz"))
REMEDIES = {
    "columns": "Write a run line as: query_id Q0 doc_id rank score tag.",
    "score": "Write the score as a finite number, such as 8.5.",
    "rank": "Write the rank as a whole number.",
    "document": "Keep one line for each document of a query.",
    "tag": "Put each system into a file of its own.",
}


def system_name(path: str | Path) -> str:
    """The name of the system whose run the file holds: `runs/bm25.run.gz` holds bm25."""
    name = Path(path).name
    suffix = max((suffix for suffix in SUFFIXES if name.lower().endswith(suffix)), key=len, default="")
    return name[: len(name) - len(suffix)] or name


def read_run(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """A run file as a runs table. Raises DataError that names every bad line."""
    data = read_bytes(path, root)
    table = _fast(data, system_name(path))
    return table if table is not None else _careful(data, display_path(path, root), system_name(path))


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


def _fast(data: bytes, system: str) -> pd.DataFrame | None:
    """The table of a sound file, or None where the careful reader has to look."""
    import pyarrow as pa

    text = pa.dictionary(pa.int32(), pa.string())
    types = {
        "query_id": text,
        "q0": text,
        "doc_id": pa.string(),
        "rank": pa.int32(),
        "score": pa.float64(),
        "tag": text,
    }
    columns = fast_table(data, types)
    if columns is None:
        return None
    (_, q0), (_, tags) = encoded(columns["q0"]), encoded(columns["tag"])
    queries, query_texts = encoded(columns["query_id"])
    documents, document_texts = encoded(columns["doc_id"])
    score = columns["score"].to_numpy()
    if len(tags) != 1 or not np.isfinite(score).all():
        return None
    if any("" in texts.to_pylist() for texts in (q0, tags, query_texts)) or _holds_empty(document_texts):
        return None
    table = pd.DataFrame(
        {
            "system": constant(system, len(score)),
            "query_id": categorical(queries, query_texts),
            "doc_id": categorical(documents, document_texts),
            "rank": columns["rank"].to_numpy(),
            "score": score,
        },
        copy=False,
    )
    return None if len(duplicated_rows(table, ("query_id", "doc_id"))) else table


def _holds_empty(texts: Any) -> bool:
    import pyarrow.compute as pc

    return bool(len(texts)) and pc.min(pc.binary_length(texts)).as_py() == 0


def _wrong(fields: list[str]) -> Iterator[tuple[str, str | None]]:
    if not WHOLE_NUMBER.fullmatch(fields[3]):
        yield "the rank is not a whole number", fields[3]
    if not NUMBER.fullmatch(fields[4]) or not np.isfinite(float(fields[4])):
        yield "the score is not a finite number", fields[4]


def _careful(data: bytes, file: str, system: str) -> pd.DataFrame:
    rows, bad = careful_rows(decode(data, file), file, 6, _wrong)
    bad += repeated_pairs(rows, file, "stands for")
    bad += _other_tags(rows, file)
    if bad:
        raise DataError(sorted(bad, key=lambda line: line.line), _remedies(bad))
    fields = [row for _, row in rows]
    return pd.DataFrame(
        {
            "system": constant(system, len(fields)),
            "query_id": pd.Categorical([row[0] for row in fields]),
            "doc_id": pd.Categorical([row[2] for row in fields]),
            "rank": np.array([int(row[3]) for row in fields], dtype=np.int32),
            "score": np.array([float(row[4]) for row in fields]),
        }
    )


def _other_tags(rows: list[tuple[int, list[str]]], file: str) -> list[BadLine]:
    first: dict[str, int] = {}
    for number, fields in rows:
        first.setdefault(fields[5], number)
    tags = list(first)
    return [BadLine(file, first[tag], f"a second tag in a file whose tag is {tags[0]!r}", tag) for tag in tags[1:]]


def _remedies(bad: list[BadLine]) -> list[str]:
    return [remedy for word, remedy in REMEDIES.items() if any(word in _kind(line) for line in bad)]


def _kind(line: BadLine) -> str:
    """The part of a problem that names its kind, without the values in it."""
    return line.problem.split("'")[0]
