"""TREC runs: `query_id Q0 doc_id rank score tag`, columns between spaces or tabs, one system a file; and MS MARCO's of
three columns, `query_id doc_id rank`, whose score is minus the rank.

The system's name is the file's, not the tag: files are named with care, and tags are copied without.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import BadLines, FairvizError, attempt, display_path
from fairviz.files import open_regular
from fairviz.installed import has_layer
from fairviz.normal_form import normal_form
from fairviz.study.loaders.categories import (
    categorical,
    constant,
    encode,
    encode_ids,
    encode_numbers,
    encode_runs,
    stack_columns,
)
from fairviz.study.loaders.columns import (
    NUMBER,
    CarefulRows,
    add_repeated_pairs,
    fields_of,
    read_careful_rows,
    read_fast_table,
    whole_number_problem,
)
from fairviz.study.loaders.hashes import read_and_hash
from fairviz.study.loaders.lines import decode
from fairviz.study.loaders.packing import packed_names, packing_of, plain_name, unpack
from fairviz.study.loaders.source import BOM, check_file, read_bytes
from fairviz.study.tables import RUNS, empty

SUFFIXES = packed_names(".run", ".txt", ".trec", ".tsv", ".res")
TREC_PREFIX = "input."  # of runs in TREC's archives: input.NAME.gz
COMPILED_FROM = 1 << 24  # bytes: a smaller file is read before numba is imported
_FIRST = 1 << 16  # bytes of a file that are searched for its first line
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


def system_name(path: str | Path, suffixes: Sequence[str] = SUFFIXES) -> str:
    """Return the name of the system of a run file: bm25 for `runs/bm25.run.gz`, `bm25.xz` and `input.bm25.gz`.

    suffixes: the endings that are no part of a name, by default those of this format.
    """
    name = normal_form(Path(path).name)
    suffix = max((suffix for suffix in suffixes if name.lower().endswith(suffix)), key=len, default="")
    if suffix:
        return name[: len(name) - len(suffix)] or name
    plain = plain_name(name)
    return (plain[len(TREC_PREFIX) :] if plain.lower().startswith(TREC_PREFIX) else plain) or name


def read_run(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return a run file as a runs table. Raises DataError that names every bad line."""
    check_file(path, root)
    system = system_name(path)
    table = None
    if not packing_of(path):
        is_long = has_layer("fast") and Path(path).stat().st_size >= COMPILED_FROM
        table = attempt(lambda: _read_compiled(Path(path), system)) if is_long else None
        table = _read_fast(Path(path), system) if table is None else table
    if table is not None:
        return table
    return read_run_bytes(read_bytes(path, root), path, root)


def read_run_bytes(data: bytes, path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return the bytes of a run file as a runs table. Raises DataError that names every bad line."""
    system = system_name(path)
    width = 3 if _column_count(data) == 3 else 6
    table = _read_fast(data, system, width)
    return table if table is not None else _read_careful(data, display_path(path, root), system, width)


def begins_as_run(path: Path) -> bool:
    """Return whether the first line of the file, unpacked, is one of a run; False for an unreadable file."""
    return bool(_column_count(attempt(lambda: _read_beginning(path)) or b""))


def _read_beginning(path: Path) -> bytes:
    with open_regular(path) as stream:
        ending = packing_of(path)
        return next(filter(None, unpack(stream, ending, _FIRST)), b"") if ending else stream.read(_FIRST)


def _column_count(data: bytes) -> int:
    """Return the number of columns of the run that begins with this data: 6 for TREC's, 3 for MS MARCO's, 0 for no
    run."""
    line = next((line for line in data[:_FIRST].removeprefix(BOM).splitlines() if line.strip()), b"")
    fields = fields_of(line.decode("utf-8", "replace"))
    if len(fields) == 6 and not _find_defects(fields):
        return 6
    if len(fields) == 3 and fields[1].upper() != "Q0" and not whole_number_problem("rank", fields[2]):
        return 3
    return 0


def stack_runs(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return runs tables in sequence, over common categories. Systems keep the order of the tables."""
    if not tables:
        return empty(RUNS)
    if len(tables) == 1:
        return tables[0]
    columns: dict[str, Any] = {
        name: stack_columns([table[name] for table in tables]) for name in ("system", "query_id", "doc_id")
    }
    for name in ("rank", "score"):
        columns[name] = np.concatenate([table[name].to_numpy() for table in tables])
    extra = [table.drop(columns=list(columns)) for table in tables]
    stack = pd.DataFrame(columns)
    return (
        stack.join(pd.concat(extra, ignore_index=True))
        if any(len(extra_table.columns) for extra_table in extra)
        else stack
    )


def stack_files(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the runs tables of separate files in sequence. Raises FairvizError if two files name the same system."""
    names = [name for table in tables for name in table["system"].cat.categories]
    repeated = [name for place, name in enumerate(names) if name in names[:place]]
    if repeated:
        raise FairvizError(
            f"two runs would be called {repeated[0]!r}", "Rename one of the files: the system takes its name."
        )
    return stack_runs(tables)


def _read_fast(source: bytes | Path, system: str, width: int = 6) -> pd.DataFrame | None:
    """Return the table of a sound file, or None for a file that needs the careful reader."""
    columns = read_fast_table(source, _types(width))
    if columns is None:
        return None
    score = columns["score"].to_numpy() if width == 6 else -columns["rank"].to_numpy().astype(np.float64)
    if not np.isfinite(score).all() or (width == 6 and not _is_constant(columns["tag"])):
        return None
    queries, query_texts = encode_runs(columns["query_id"])
    documents, document_texts = encode_ids(columns["doc_id"])
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


def _read_compiled(path: Path, system: str) -> pd.DataFrame | None:
    """Return the table of a sound file by the compiled parser, or None for a file that needs another reader."""
    from fairviz.study.loaders import compiled_runs as compiled

    data = read_and_hash(path)
    lines = compiled.parse(data)
    if lines is None:
        return None
    if len(lines.hard):
        rows, starts, ends = lines.hard.T
        scores = attempt(lambda: compiled.texts(data, starts, ends).cast("float64").to_numpy())
        if scores is None or not np.isfinite(scores).all():
            return None
        lines.scores[rows] = scores
    queries, query_texts = encode(compiled.texts(data, lines.query_starts, lines.query_ends))
    lengths = np.diff(lines.changes, append=len(lines.ranks))
    queries = np.repeat(queries, lengths)
    coded = encode_numbers(lines.numbers) if lines.numbers.min() >= 0 else None
    documents, texts = coded or encode(compiled.texts(data, lines.starts, lines.ends))
    if compiled.repeats(queries, documents, len(texts)):
        return None
    table = {
        "system": constant(system, len(documents)),
        "query_id": categorical(queries, query_texts),
        "doc_id": categorical(documents, texts),
        "rank": lines.ranks,
        "score": lines.scores,
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
    """Return whether a (query, document) is repeated; only repeated documents are compared."""
    rows = np.flatnonzero((np.bincount(documents, minlength=count) > 1)[documents])
    pairs = queries[rows].astype(np.int64) * count + documents[rows]
    return bool(pd.Series(pairs).duplicated().any())


def _find_defects(fields: list[str]) -> list[tuple[str, str]]:
    defects = []
    rank = whole_number_problem("rank", fields[3])
    if rank:
        defects.append((rank, fields[3]))
    if not NUMBER.fullmatch(fields[4]) or not math.isfinite(float(fields[4])):
        defects.append(("the score is not a finite number", fields[4]))
    return defects


def _find_rank_defects(fields: list[str]) -> list[tuple[str, str]]:
    defect = whole_number_problem("rank", fields[2])
    return [(defect, fields[2])] if defect else []


def _read_careful(data: bytes, file: str, system: str, width: int = 6) -> pd.DataFrame:
    document, rank = (2, 3) if width == 6 else (1, 2)
    bad_lines = BadLines(file, {"columns": _COLUMNS[width]} | REMEDIES)
    careful = read_careful_rows(
        decode(data, file), width, _find_defects if width == 6 else _find_rank_defects, bad_lines
    )
    add_repeated_pairs(careful, document, "is ranked for", bad_lines)
    if width == 6:
        _add_other_tags(careful, bad_lines)
    bad_lines.raise_collected()
    return pd.DataFrame(
        {
            "system": constant(system, len(careful.rows)),
            "query_id": pd.Categorical([row[0] for row in careful.rows]),
            "doc_id": pd.Categorical([row[document] for row in careful.rows]),
            "rank": np.array([int(float(row[rank])) for row in careful.rows], dtype=np.int32),
            "score": np.array([float(row[4]) if width == 6 else -float(row[2]) for row in careful.rows]),
        }
    )


def _add_other_tags(careful: CarefulRows, bad_lines: BadLines) -> None:
    first: dict[str, int] = {}
    for number, row in zip(careful.numbers, careful.rows, strict=True):
        first.setdefault(row[5], number)
    tags = list(first)
    for tag in tags[1:]:
        bad_lines.add(first[tag], f"a second tag in a file whose tag is {tags[0]!r}", tag)
