"""TREC runs: `query_id Q0 doc_id rank score tag`, columns between spaces or tabs, one system a file; MS MARCO's of
three columns, `query_id doc_id rank`, whose score is minus the rank; three columns with scores; tables with a header;
JSON of scores by query and document, as of ranx and BEIR; and archives of such files.

The system's name is the file's, not the tag: files are named with care, and tags are copied without.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from fairviz.errors import (
    MOST_BAD_LINES,
    BadLine,
    BadLines,
    DataError,
    FairvizError,
    attempt,
    display_path,
    notice,
    problem,
)
from fairviz.files import open_regular
from fairviz.installed import has_layer
from fairviz.normal_form import normal_form
from fairviz.study.loaders.archive import MOST_FILES, packed_names, packing_of, pieces_of, plain_name, read_archive
from fairviz.study.loaders.columns import (
    LARGEST,
    NUMBER,
    fields_of,
    finite_number,
    first_cells,
    has_comments,
    read_blocks,
    whole_number_problem,
    without_comments,
)
from fairviz.study.loaders.lines import DOCUMENT_IDS, QUERY_IDS, Layout, column_key, decode, repeated_names
from fairviz.study.loaders.rows import THE_FILE, numbers_by_query, rows_of, whole_json
from fairviz.study.loaders.source import (
    BOM,
    FAIR_RUN,
    VALUES,
    Source,
    check_file,
    most_unpacked,
    read_raw,
    refusal,
    source_of,
)
from fairviz.study.tables import RUNS, categorical, conform, empty, encode

SUFFIXES = (*packed_names(".run", ".txt", ".trec", ".tsv", ".res", ".csv", ".jsonl", ".json"), ".xlsx", ".parquet")
CHECKED = packed_names(".csv", ".jsonl", ".json")  # of other files, too: read if they begin as a run
ARCHIVES = (".zip", ".tar", ".tgz", *packed_names(".tar")[1:])
LAYOUT = Layout("runs", ("query_id", "doc_id"), (*QUERY_IDS, *DOCUMENT_IDS), ids=("query_id", "doc_id"))
_SCORES = ("score", "scores", "similarity", "sim", "value")
TREC_PREFIX = "input."  # of runs in TREC's archives: input.NAME.gz
COMPILED_FROM = 1 << 24  # bytes: a smaller file is read before numba is imported
_FIRST = 1 << 16  # bytes of a file that are searched for its first line
_COLUMNS = {
    6: "Write a run line as: query_id Q0 doc_id rank score tag.",
    3: "Write every line as: query_id doc_id rank; or every one as: query_id Q0 doc_id rank score tag.",
}
_SIX = "Write six columns: query_id Q0 doc_id rank score tag."
_NESTED = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*(?:\}|"(?:[^"\\]|\\.)*"\s*:\s*[-0-9.])')
REMEDIES = {
    "score": "Write the score as a finite number, such as 8.5.",
    "rank": "Write the rank as a whole number.",
    "document": "Keep one line for each document of a query.",
    "tag": "Put each system into a file of its own.",
}
_NO_NUMBER = {"score": "the score is not a finite number", "rank": "the rank is not a whole number"}


class RunColumns(NamedTuple):
    """The columns of one run of N rows. query: codes of `queries`, Arrow texts in order of appearance. document: codes
    of `documents`, Arrow texts in order of appearance, or ascending whole numbers as an array where all ids are numbers
    in their only spelling, as in MS MARCO; these become texts only when they are shown."""

    system: str
    query: np.ndarray
    queries: Any
    document: np.ndarray
    documents: Any
    rank: np.ndarray
    score: np.ndarray

    def table(self) -> pd.DataFrame:
        """Return the runs table."""
        columns = {
            "system": constant(self.system, len(self.rank)),
            "query_id": categorical(self.query, self.queries),
            "doc_id": categorical(self.document, id_texts(self.documents)),
            "rank": self.rank,
            "score": self.score,
        }
        return pd.DataFrame(columns, copy=False)

    def without(self, rows: Sequence[int]) -> "RunColumns":
        """Return the columns without these rows."""
        if not rows:
            return self
        columns: dict[str, Any] = {
            name: np.delete(getattr(self, name), rows) for name in ("query", "document", "rank", "score")
        }
        return self._replace(**columns)

    def query_text(self, row: int) -> str:
        """Return the query of a row."""
        return self.queries[int(self.query[row])].as_py()

    def document_text(self, row: int) -> str:
        """Return the document of a row."""
        return str(self.documents[int(self.document[row])])


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
    """Return a run file as a runs table, of an archive the runs in it. Raises DataError that names every bad line."""
    return as_table(read_columns(path, root))


def read_columns(path: str | Path, root: str | Path | None = None, data: bytes = b"") -> RunColumns | pd.DataFrame:
    """Return the columns of a run file of lines, or the table that `read_run` returns for any other file. data: what
    `read_raw` returned of it, if that was read before."""
    check_file(path, root)
    if is_archive(path):
        return _read_archive(Path(path), root)
    data, file, system = data or read_raw(path, root), display_path(path, root), system_name(path)
    if len(data) >= COMPILED_FROM and has_layer("fast") and not packing_of(path):
        found = attempt(lambda: _read_compiled(data, system))
        if found is not None:
            columns, wrong = found
            numbers, bad_lines = np.arange(1, len(columns.rank) + 1), BadLines(file, REMEDIES)
            for row, text in wrong.items():
                bad_lines.add(int(numbers[row]), _NO_NUMBER["score"], text)
            columns, numbers = columns.without([*wrong]), np.delete(numbers, [*wrong])
            _check_pairs(columns, numbers, bad_lines)
            bad_lines.raise_collected()
            return columns
    return _read_source(source_of(data, file), system)


def as_table(found: RunColumns | pd.DataFrame) -> pd.DataFrame:
    """Return a runs table."""
    return found.table() if isinstance(found, RunColumns) else found


def is_archive(path: str | Path) -> bool:
    """Return whether the file has the name of an archive, which holds a run in each of its files."""
    return Path(path).name.lower().endswith(ARCHIVES)


def _read_archive(path: Path, root: str | Path | None) -> pd.DataFrame:
    """Return the runs in an archive, each called as its file there. Raises DataError with the bad lines of all."""
    file, tables, lines, remedies = display_path(path, root), [], list[BadLine](), list[str]()
    try:
        members = read_archive(path, most_unpacked(path.stat().st_size), MOST_FILES)
    except FairvizError as error:
        raise problem(file, error.message, "Pack run files alone, each under its own name.") from error
    for name, content in members.items():
        if Path(name).name.startswith("."):
            continue
        try:
            tables.append(as_table(_read_source(source_of(content, f"{file}/{name}"), system_name(name))))
        except DataError as error:
            lines, remedies = [*lines, *error.lines], [*remedies, *error.remedy.split("\n")]
    if lines:
        raise DataError(lines, remedies)
    if not tables:
        raise problem(file, "the archive holds no file", "Put a run into it, or remove it.")
    try:
        return stack_files(tables)
    except FairvizError as error:
        raise problem(file, error.message, error.remedy) from error


def read_run_bytes(data: bytes, path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return the bytes of a run file as a runs table. Raises DataError that names every bad line."""
    return as_table(_read_source(source_of(data, display_path(path, root)), system_name(path)))


def _read_source(source: Source, system: str) -> RunColumns | pd.DataFrame:
    """Return the run of a file by its content: JSON, a table under a header, or lines of six or three columns."""
    if source.ending in (".json", ".jsonl") or _NESTED.match(source.data):
        content = whole_json(source.data) if source.data.lstrip()[:1] == b"{" else None
        if isinstance(content, dict) and not LAYOUT.fits([*content]):
            return table_of_scores(content, source.file, system)
        return _table_of_rows(source, system)
    if source.ending == ".parquet":
        return _table_of_rows(source, system)
    data = without_comments(source.data, source.file)
    if source.ending == ".csv" or _has_header(data):
        if error := refusal(source.file, data, FAIR_RUN):
            raise error
        return _table_of_rows(replace(source, data=data), system)
    width = 3 if _column_count(data) == 3 else 6
    if width == 3 and (error := refusal(source.file, data, VALUES)):
        raise error
    return _read_lines(data, source.file, system, width)


def _has_header(data: bytes) -> bool:
    """Return whether the first line names the columns of a run."""
    _, cells = first_cells(data)
    return LAYOUT.fits(cells) and bool({*map(column_key, cells)} & {"rank", *_SCORES})


def _table_of_rows(source: Source, system: str) -> pd.DataFrame:
    """Return the run of a table with a header: query_id, doc_id, and score, rank or both. Raises DataError."""

    def number(value: object, whole: bool) -> float:
        text = str(value).strip()
        found = finite_number(text.replace(",", ".") if "." not in text and not whole else text)
        return found if not whole or found % 1 == 0 else math.nan

    rows = rows_of(source, LAYOUT)
    plain = {column_key(str(name)): name for name in reversed(list(rows.frame.columns))}
    score, rank = next((plain[name] for name in _SCORES if name in plain), None), plain.get("rank")
    if score is None and rank is None:
        columns = ", ".join(map(str, rows.named))
        raise problem(source.file, "a run has a column score or rank", "Name it in the first line.", columns)
    numbers: dict[str, np.ndarray] = {}
    for name, column in (("score", score), ("rank", rank)):
        if column is None:
            continue
        values = rows.frame[column].map(partial(number, whole=name == "rank")).to_numpy(dtype=np.float64)
        rows.check(np.isnan(values), _NO_NUMBER[name], column, REMEDIES[name])
        numbers[name] = values
    numbers.setdefault("score", -numbers.get("rank", np.zeros(0)))
    rows.check_pairs("ranked", REMEDIES["document"])
    return ranked(rows.frame[["query_id", "doc_id"]].astype("str").assign(**numbers), system)


def ranked(frame: pd.DataFrame, system: str) -> pd.DataFrame:
    """Return a run with its system, and ranks by falling score within each query where it has none."""
    if "rank" not in frame:
        frame = frame.sort_values("score", ascending=False, kind="stable").sort_values("query_id", kind="stable")
        frame = frame.assign(rank=frame.groupby("query_id", sort=False).cumcount() + 1)
    return conform(frame.assign(system=constant(system, len(frame)), rank=frame["rank"].astype(np.int32)), RUNS)


def table_of_scores(content: dict, file: str, system: str) -> pd.DataFrame:
    """Return `{query: {document: score}}` as a runs table, each list by falling score. Raises DataError with every bad
    one.
    """
    bad_lines = BadLines(file, {"score": REMEDIES["score"], "table": 'Write a run as {"query": {"document": score}}.'})
    rows = list(numbers_by_query(content, THE_FILE, "score", bad_lines))
    bad_lines.raise_collected()
    if not rows:
        raise problem(file, "there is no list of a query", 'Write a run as {"query": {"document": score}}.')
    return ranked(pd.DataFrame(rows, columns=["query_id", "doc_id", "score"]), system)


def begins_as_run(path: Path) -> bool:
    """Return whether the beginning of the file, unpacked, is that of a run; False for an unreadable file."""
    data = attempt(lambda: read_beginning(path)) or b""
    first = data.lstrip()[:1]
    if first == b"{":
        line = whole_json(data.lstrip().partition(b"\n")[0])
        return bool(_NESTED.match(data)) or (isinstance(line, dict) and LAYOUT.fits([*line]))
    if first == b"[":
        names = re.findall(rb'"([^"]+)"\s*:', data[:_FIRST])
        return LAYOUT.fits([name.decode("utf-8", "replace") for name in dict.fromkeys(names)])
    return bool(first) and (bool(_column_count(data)) or _has_header(data))


def read_beginning(path: Path, size: int = _FIRST) -> bytes:
    """Return the first bytes of a file, unpacked. Raises OSError and errors of unpacking."""
    with open_regular(path) as stream:
        _, pieces = pieces_of(stream, path, size)
        return next(filter(None, pieces), b"")


def _column_count(data: bytes) -> int:
    """Return the number of columns of the run that begins with this data: 6 for TREC's, 3 for MS MARCO's or scores, 0
    for no run."""
    lines = data[:_FIRST].removeprefix(BOM).splitlines()
    line = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"")
    fields = fields_of(line.decode("utf-8", "replace"))
    if len(fields) == 6 and not _find_defects(fields):
        return 6
    return 3 if len(fields) == 3 and fields[1].upper() != "Q0" and NUMBER.fullmatch(fields[2]) else 0


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
    has_more = any(len(more.columns) for more in extra)
    return stack.join(pd.concat(extra, ignore_index=True)) if has_more else stack


def stack_files(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the runs tables of separate files in sequence. Raises FairvizError if two files name the same system."""
    names = [name for table in tables for name in table["system"].cat.categories]
    if repeated := repeated_names(names):
        raise FairvizError(
            f"two runs would be called {repeated[0]!r}", "Rename one of the files: the system takes its name."
        )
    return stack_runs(tables)


def _read_lines(data: bytes, file: str, system: str, width: int) -> RunColumns | pd.DataFrame:
    """Return the run of lines of six or three columns. Raises DataError with every bad line."""
    import pyarrow as pa

    decode(data, file)
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = pa.string()
    types: dict[str, Any] = {"query_id": text, "doc_id": text, "rank": pa.float64()}
    if width == 6:
        types = {"query_id": text, "q0": text, "doc_id": text, "rank": pa.int32(), "score": pa.float64(), "tag": text}
    number, bad_lines = "score" if width == 6 else "rank", BadLines(file, {"columns": _COLUMNS[width]} | REMEDIES)
    try:
        blocks = read_blocks(data, types, lambda one: _sound_rows(one, number), _find_defects, bad_lines)
        numbers = np.concatenate([block.numbers for block in blocks])
        columns = pa.concat_tables([block.columns for block in blocks])
        queries, query_texts = encode_stretches(columns["query_id"])
        documents, document_ids = encode_ids(columns["doc_id"])
        scores, ranks = (columns[name].to_numpy() for name in (number, "rank"))
        run = RunColumns(system, queries, query_texts, documents, document_ids, ranks, scores)
        _check_pairs(run, numbers, bad_lines)
        if width == 6:
            _add_other_tags(columns["tag"], numbers, bad_lines)
        bad_lines.raise_collected()
    except DataError as error:
        raise refusal(file, data) or error from error
    if width == 6:
        return run
    by_score = _falls(queries, scores)
    if by_score is None:
        message = "the third column neither counts 1, 2, 3, … nor falls: it may be a rank or a score"
        raise problem(file, message, _SIX)
    if not by_score:
        return run._replace(rank=scores.astype(np.int32), score=-scores)
    notice(f"run {system!r}: the third column was read as a score; ranks would rise in each list.")
    return ranked(run.table().drop(columns=["system", "rank"]), system)


def _sound_rows(columns: Any, number: str) -> np.ndarray:
    """Return a mask of the rows whose number of this column is finite."""
    return np.isfinite(columns[number].to_numpy())


def _check_pairs(run: RunColumns, numbers: np.ndarray, bad_lines: BadLines) -> None:
    """Add each row that ranks a document of an earlier row again for its query: equal neighbours among the sorted
    pairs of codes. numbers: of the lines, (N,). Raises DataError for a hundred bad lines.
    """
    pairs = run.query.astype(np.int64) * (int(run.document.max(initial=0)) + 1) + run.document
    if (np.diff(np.sort(pairs)) == 0).any():
        order = np.argsort(pairs, kind="stable")
        is_again = np.r_[False, pairs[order][1:] == pairs[order][:-1]]
        first = order[np.flatnonzero(~is_again)[np.cumsum(~is_again) - 1]]  # of each row in this order: its first one
        again, earliest = order[is_again], first[is_again]
        in_file = np.argsort(again)[:MOST_BAD_LINES]
        for row, earlier in zip(again[in_file].tolist(), earliest[in_file].tolist(), strict=True):
            query, document = run.query_text(row), run.document_text(row)
            bad_lines.add(
                int(numbers[row]),
                f"document {document!r} is ranked for query {query!r} in line {numbers[earlier]} already",
            )


def _falls(queries: np.ndarray, numbers: np.ndarray) -> bool | None:
    """Return whether the third column (N,) holds scores rather than ranks; None where neither is plain.

    Fractions and numbers below 0 are scores. Whole numbers are scores if they fall in each list as the file has it;
    ranks if they rise, or are 1, 2, 3, … (or 0, 1, 2, …) in any other order.
    """
    if (numbers % 1 != 0).any() or (numbers < 0).any() or numbers.max() >= LARGEST:
        return True
    together = np.argsort(queries, kind="stable")
    steps = np.diff(numbers[together])[queries[together][1:] == queries[together][:-1]]
    falls, rises = bool((steps < 0).any()), bool((steps > 0).any())
    if not (falls and rises):
        return falls
    in_file = np.arange(len(numbers))
    for rows in (in_file, np.lexsort((numbers, queries))):
        first = np.flatnonzero(np.r_[True, queries[rows][1:] != queries[rows][:-1]])
        place = in_file - np.repeat(first, np.diff(np.r_[first, len(rows)]))
        if any((numbers[rows] == place + begin).all() for begin in (0, 1)):
            return False
    return None


def _read_compiled(data: bytes, system: str) -> tuple[RunColumns, dict[int, str]] | None:
    """Return the columns of a file of plain lines by the compiled parser, and the scores by row that are no finite
    numbers; None for any other file."""
    from fairviz.study.loaders import compiled_runs as compiled

    lines = compiled.parse(data)
    if lines is None:
        return None
    names = compiled.texts(data, lines.query_starts, lines.query_ends)
    if has_comments(names):
        return None
    wrong: dict[int, str] = {}
    if len(lines.hard):
        rows, starts, ends = lines.hard.T
        texts = compiled.texts(data, starts, ends)
        scores = attempt(lambda: texts.cast("float64").to_numpy())
        if scores is None:
            scores = np.array([finite_number(text) for text in texts.to_pylist()])
        lines.scores[rows] = scores
        wrong = {int(rows[place]): texts[int(place)].as_py() for place in np.flatnonzero(~np.isfinite(scores))}
    queries, query_texts = encode(names)
    lengths = np.diff(lines.changes, append=len(lines.ranks))
    queries = np.repeat(queries, lengths)
    coded = encode_numbers(lines.numbers) if lines.numbers.min() >= 0 else None
    documents, ids = coded or encode(compiled.texts(data, lines.starts, lines.ends))
    return RunColumns(system, queries, query_texts, documents, ids, lines.ranks, lines.scores), wrong


def _find_defects(fields: list[str]) -> list[tuple[str, str]]:
    """Return the defects of the numbers in the columns of a line, with their values: of six, or of three."""
    if len(fields) == 3:
        is_bad = math.isnan(finite_number(fields[2]))
        return [("the rank or score is not a finite number", fields[2])] if is_bad else []
    rank = whole_number_problem("rank", fields[3])
    score = _NO_NUMBER["score"] if math.isnan(finite_number(fields[4])) else ""
    return [(defect, value) for defect, value in ((rank, fields[3]), (score, fields[4])) if defect]


def _add_other_tags(tags: Any, numbers: np.ndarray, bad_lines: BadLines) -> None:
    """Add the first line of each tag but the first. numbers: of the lines."""
    codes, texts = encode(tags)
    names = texts.to_pylist()
    for code, row in enumerate(np.unique(codes, return_index=True)[1].tolist()):
        if code:
            bad_lines.add(int(numbers[row]), f"a second tag in a file whose tag is {names[0]!r}", names[code])


# --- Categories of text without a Python string for each, which makes runs of millions of rows small and fast.


def id_texts(ids: Any) -> Any:
    """Return ids, numbers or Arrow texts, as Arrow texts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.cast(pa.array(ids) if isinstance(ids, np.ndarray) else ids, pa.large_string())


def encode_stretches(column: Any) -> tuple[np.ndarray, Any]:
    """Return `encode` of a column whose equal texts are mostly consecutive, as queries are: each stretch is hashed
    once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    stretches = [pc.run_end_encode(chunk) for chunk in column.chunks if len(chunk)]
    lengths = [np.diff(stretch.run_ends.to_numpy(), prepend=0) for stretch in stretches]
    codes, texts = encode(pa.chunked_array([stretch.values for stretch in stretches], type=pa.string()))
    return np.repeat(codes, np.concatenate(lengths) if lengths else 0), texts


def encode_ids(column: Any) -> tuple[np.ndarray, Any]:
    """Return `encode` of ids, or `encode_numbers` if all are plain numbers, as in MS MARCO. "007" and "+7" are not
    plain: ids stay as written."""
    numbers = _plain_numbers(column)
    coded = None if numbers is None else encode_numbers(numbers)
    return coded or encode(column)


def _plain_numbers(column: Any) -> np.ndarray | None:
    """Return the texts as numbers, or None unless each is a number below 100 million in Python's own spelling."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lengths = pc.binary_length(column).to_numpy()
    if not len(lengths) or lengths.max() > 8 or not pc.all(pc.ascii_is_decimal(column)).as_py():
        return None
    numbers = pc.cast(column, pa.int32()).to_numpy()
    digits = np.ones(len(numbers), dtype=np.int32)
    for power in range(1, 8):
        digits += numbers >= 10**power
    return numbers if (digits == lengths).all() else None


def encode_numbers(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the codes (N,) int32 of numbers below 100 million and these once, ascending; None where they are few among
    many possible ones. A table of places replaces the hash."""
    if numbers.max() >= 100 * len(numbers):
        return None
    is_used = np.zeros(int(numbers.max()) + 1, dtype=bool)
    is_used[numbers] = True
    distinct = np.flatnonzero(is_used).astype(np.int32)
    places = np.empty(len(is_used), dtype=np.int32)
    places[distinct] = np.arange(len(distinct), dtype=np.int32)
    return places[numbers], distinct


def constant(text: str, length: int) -> pd.Categorical:
    """Return a categorical of one text, `length` times."""
    return pd.Categorical.from_codes(np.zeros(length, dtype=np.int8), categories=pd.Index([text], dtype="str"))


def stack_columns(columns: Sequence[pd.Series]) -> pd.Categorical:
    """Return categorical columns in sequence, over the union of their categories in order of appearance."""
    import pyarrow as pa

    texts = [pa.array(column.cat.categories.array, type=pa.large_string()) for column in columns]
    places, union = encode(pa.chunked_array(texts, type=pa.large_string()))
    starts = np.cumsum([0, *(len(text) for text in texts)])
    codes = [
        places[start : start + len(text)][column.cat.codes.to_numpy()]
        for column, text, start in zip(columns, texts, starts, strict=False)
        if len(text)
    ]
    return categorical(np.concatenate(codes) if codes else np.zeros(0, dtype=np.int8), union)
