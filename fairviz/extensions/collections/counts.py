"""The counts of one part of a collection: made whole or not at all, and known again.

The parts are the files of the collection, large plain ones in pieces, in an order that every machine finds; or ranges
of the documents of a data set of ir_datasets. A sound file is read by Arrow, any other line by line with every defect.
"""

import glob
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property, lru_cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from fairviz.errors import SHOWN_LINES, BadLine, UsageError, attempt, parsing, problem
from fairviz.files import check_regular, is_utf8, open_regular, parse_json
from fairviz.home import new_file, write_whole
from fairviz.installed import has_layer
from fairviz.study.collection_counts import (
    FORMAT,
    G_COLUMNS,
    QUERY_COLUMNS,
    Genderedness,
    is_sound,
    manifest_of,
    schema_of,
)
from fairviz.study.loaders.archive import packed_names, packing_of, plain_name
from fairviz.study.loaders.collection import line_blocks
from fairviz.study.loaders.hashes import present_hash
from fairviz.study.loaders.packaged import load_ir_dataset
from fairviz.study.loaders.source import BOM, CHECK
from fairviz.words.counting import GSR_LEXICON, Lexicon, count_groups
from fairviz.words.genderedness import PAIRS, GenderDirection, gender_direction, parse_pairs
from fairviz.words.gsr_words import count_words, of_query, text_words, word_values
from fairviz.words.vectors import load_embedding

PIECE = 1 << 25  # bytes of a plain file in one part
RANGE = 500_000  # documents of ir_datasets in one part: it reads a file from its beginning to reach a range
PACKAGE = "ir_datasets:"
TSV, JSON, PARQUET = packed_names(".tsv", ".txt"), packed_names(".jsonl", ".json"), (".parquet",)
LAYOUTS = "Write doc_id, a tab and the text on each line, an object with doc_id and text, or those columns in Parquet."
BATCH = 20_000  # documents at a time
COLUMNS = ["doc_id", "text"]
IDS = ("doc_id", "docid", "docno", "_id", "id", "pid")
TEXTS = ("text", "contents", "body", "passage", "segment")
HALF = "half a character (a lone surrogate)"
Document = tuple[str, str]  # doc_id, text
KEY = b"fairviz"  # of the metadata in a file of counts


@dataclass(frozen=True)
class Part:
    """A file of a collection, or the lines of it that begin in the bytes from `start` to `end`.

    end: 0 for the whole file. size, changed: bytes and time of change of the file, by which a part is known again. Of a
    data set of ir_datasets (path: `ir_datasets:NAME`) start, end and size are numbers of documents.
    """

    number: int
    path: str
    start: int
    end: int
    size: int
    changed: int

    @property
    def file(self) -> str:
        """The name of the part's counts."""
        return f"part-{self.number:05}.parquet"

    @property
    def package(self) -> str:
        """The data set's name in ir_datasets; empty for a file."""
        return self.path.removeprefix(PACKAGE) if self.path.startswith(PACKAGE) else ""

    @property
    def source(self) -> str:
        """The name of the file, without its folder, or of the data set."""
        return self.path if self.package else Path(self.path).name


def parts_of(collection: str) -> list[Part]:
    """Return the parts of a file, a folder or a glob of files, by name, or of `ir_datasets:NAME`. Raises UsageError for
    none, and for a file of another ending; FairvizError for an unknown data set.
    """
    if collection.startswith(PACKAGE):
        name = collection.removeprefix(PACKAGE)
        data = load_ir_dataset(name)
        if not data.has_docs():
            raise UsageError(f"the data set {name!r} of ir_datasets has no documents", "Name another one.")
        count = data.docs_count() or sum(1 for _ in data.docs_iter())
        starts = range(0, count, RANGE)
        return [
            Part(number, collection, start, min(start + RANGE, count), count, 0) for number, start in enumerate(starts)
        ]
    path = Path(collection)
    if path.is_dir():
        paths = sorted(path.iterdir())
    else:
        paths = [path] if path.exists() else [Path(name) for name in sorted(glob.glob(collection))]
    files = [file for file in paths if file.is_file() and not file.name.startswith(".")]
    if not files:
        raise UsageError(f"{collection} is not a file, a folder or a pattern of files", "Name the collection's files.")
    for file in files:
        if not file.name.lower().endswith((*TSV, *JSON, *PARQUET)):
            raise UsageError(
                f"{file.name} is neither .tsv, .jsonl nor .parquet", f"{LAYOUTS} Name other files by a glob."
            )
    parts: list[Part] = []
    for file in files:
        size = file.stat().st_size
        is_whole = packing_of(file) or file.suffix.lower() in PARQUET or size <= PIECE
        ranges = [(0, 0)] if is_whole else [(start, min(start + PIECE, size)) for start in range(0, size, PIECE)]
        for start, end in ranges:
            status = check_regular(file)
            parts.append(Part(len(parts), str(file.absolute()), start, end, status.st_size, status.st_mtime_ns))
    return parts


class BrokenDocumentError(ValueError):
    """A document that cannot be read: the defect and the line's beginning."""

    def __init__(self, line: int, problem: str, value: str) -> None:
        super().__init__(problem)
        self.line, self.problem, self.value = line, problem, value


def batches(part: Part, broken: list[BrokenDocumentError]) -> Iterator[Any]:
    """Yield the documents of a part in its order, BATCH at a time, as Arrow tables of doc_id and text; what cannot be
    read is added to `broken`.

    Raises DataError for a file that cannot be read, or that has no column of ids or of texts.
    """
    if part.package:
        yield from map(_table, _packaged(part, broken))
        return
    name = plain_name(part.path).lower()
    if name.endswith(".parquet"):
        yield from map(_table, _parquet(Path(part.path), broken))
        return
    read = _json_line if name.endswith((".jsonl", ".json")) else _tab_reader(part)
    sound = attempt(lambda: _read_sound(part)) if read is _tab_line else None
    if sound is not None:
        yield from (sound.slice(start, BATCH) for start in range(0, len(sound), BATCH))
        return
    documents = _documents(_lines(part), read, broken)
    while batch := list(islice(documents, BATCH)):
        yield _table(batch)


def _table(documents: list[Document]) -> Any:
    import pyarrow as pa

    columns = zip(*documents, strict=True) if documents else ((), ())
    return pa.table([pa.array(column, type=pa.large_string()) for column in columns], names=COLUMNS)


def _read_sound(part: Part) -> Any | None:
    """Return the documents of a plain file whose every line is doc_id, one tab and the text; else None, or an error of
    Arrow."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    content = b"" if packing_of(Path(part.path)) else _read_lines(part)
    if not content or b"\r" in content:
        return None
    has_header = not part.start and _is_header(content[: content.find(b"\n")])
    table: Any = csv.read_csv(
        pa.BufferReader(content),
        csv.ReadOptions(column_names=COLUMNS, skip_rows=int(has_header), block_size=PIECE, use_threads=False),
        csv.ParseOptions(delimiter="\t", quote_char=False, escape_char=False),
        csv.ConvertOptions(
            column_types=dict.fromkeys(COLUMNS, pa.large_string()), null_values=[], strings_can_be_null=False
        ),
    )
    is_sound = pc.all(pc.match_substring_regex(table["doc_id"], "[!-~]"))  # the careful reader decides on other ids
    return table if is_sound.as_py() else None


def _read_lines(part: Part) -> bytes:
    """Return the lines that begin in the part, without a mark of UTF-8 at the file's beginning."""
    with open_regular(part.path) as stream, parsing(part.path, "the file cannot be read to its end", CHECK):
        if not part.end:
            return stream.read().removeprefix(BOM)
        stream.seek(max(part.start - 1, 0))
        if part.start:
            stream.readline()  # the end of a line of the part before
        content = stream.read(max(part.end - stream.tell(), 0))
        if content and not content.endswith(b"\n"):
            content += stream.readline()
        return content if part.start else content.removeprefix(BOM)


def _documents(lines: Iterator[tuple[int, bytes]], read: Any, broken: list[BrokenDocumentError]) -> Iterator[Document]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            yield read(number, line)
        except UnicodeDecodeError as error:
            broken.append(
                BrokenDocumentError(number, f"not UTF-8 text: byte 0x{line[error.start]:02X}", _beginning(line))
            )
        except BrokenDocumentError as error:
            broken.append(error)


def _lines(part: Part) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a part with their numbers in the part; a header line is left out at the file's beginning."""
    if not part.end:
        with line_blocks(Path(part.path), lambda *_: None) as blocks:
            for number, block in blocks:
                is_header = number == 1 and bool(block) and _is_header(block[0])
                yield from enumerate(block[is_header:], start=number + is_header)
        return
    for number, line in enumerate(BytesIO(_read_lines(part)), start=1):
        if number > 1 or part.start or not _is_header(line):
            yield number, line.rstrip(b"\r\n")


def _is_header(line: bytes) -> bool:
    return line.lower().split(b"\t")[0].strip().decode("latin-1") in IDS


def _tab_reader(part: Part) -> Callable[[int, bytes], Document]:
    """Return the reader of a line: by the columns that the file's first line names, else doc_id, a tab and the text."""
    cells = [cell.strip().lower() for cell in _first_line(Path(part.path)).decode("utf-8", "replace").split("\t")]
    if cells[0] not in IDS or len(cells) < 3:
        return _tab_line
    at = [next((cells.index(name) for name in offered if name in cells), -1) for offered in (IDS, TEXTS, ("title",))]
    if at[1] < 0:
        raise problem(Path(part.path).name, "no column of texts", f"Name it {TEXTS[0]}.", line=1)

    def read(number: int, line: bytes) -> Document:
        values = line.decode().split("\t")
        if len(values) != len(cells) or not values[at[0]].strip():
            message = f"expected {len(cells)} columns, found {len(values)}"
            raise BrokenDocumentError(number, message, _beginning(line))
        title = values[at[2]] if at[2] >= 0 else ""
        return values[at[0]], _with_title(title, values[at[1]])

    return read


def _first_line(file: Path) -> bytes:
    """Return the first line of a file, packed or plain, without its end; empty for an empty file."""
    if packing_of(file):
        with line_blocks(file, lambda *_: None) as blocks:
            return next((line for _, block in blocks for line in block[:1]), b"")
    with open_regular(file) as stream:
        return stream.readline().removeprefix(BOM).rstrip(b"\n").split(b"\r")[0]


def _tab_line(number: int, line: bytes) -> Document:
    name, tab, text = line.decode().partition("\t")
    if not tab or not name.strip():
        raise BrokenDocumentError(number, "expected doc_id, a tab and the text", _beginning(line))
    return name, text


def _json_line(number: int, line: bytes) -> Document:
    try:
        entry = parse_json(line)
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        raise BrokenDocumentError(number, "not a JSON object", _beginning(line)) from error
    fields = entry if isinstance(entry, dict) else {}
    name = next((fields[key] for key in IDS if isinstance(fields.get(key), (str, int))), "")
    text = next((fields[key] for key in TEXTS if isinstance(fields.get(key), str)), None)
    if text is None or not str(name).strip():
        raise BrokenDocumentError(number, "an object without doc_id or text", _beginning(line))
    document = str(name), _with_title(fields.get("title"), text)
    if not all(map(is_utf8, document)):
        raise BrokenDocumentError(number, HALF, _beginning(line))
    return document


def _parquet(path: Path, broken: list[BrokenDocumentError]) -> Iterator[list[Document]]:
    from pyarrow import parquet

    with open_regular(path) as stream, parsing(path.name, "this is not a Parquet file that can be read", CHECK):
        file = parquet.ParquetFile(stream)
        columns = _columns_to_read(path.name, set(file.schema_arrow.names))
        row = 0
        for batch in file.iter_batches(BATCH, columns=columns):
            documents = []
            for name, text, *title in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                row += 1
                if name is None or not str(name).strip() or not isinstance(text, str):
                    broken.append(BrokenDocumentError(row, "a row without doc_id or text", str(name)))
                else:
                    documents.append((str(name), _with_title(title[0] if title else "", text)))
            yield documents


def _columns_to_read(file: str, names: set[str]) -> list[str]:
    """Return the columns of ids and texts, and of titles if there are any. Raises DataError without ids or texts."""
    chosen = [next((name for name in offered if name in names), "") for offered in (IDS, TEXTS)]
    if "" in chosen:
        raise problem(file, "no column of ids or of texts", f"Name them {IDS[0]} and {TEXTS[0]}.")
    return [*chosen, "title"] if "title" in names else chosen


def _packaged(part: Part, broken: list[BrokenDocumentError]) -> Iterator[list[Document]]:
    """Yield the documents of a range of a data set of ir_datasets, BATCH at a time."""
    data = load_ir_dataset(part.package)
    with parsing(part.path, "the documents cannot be read", "Check the connection and try again."):
        rows = enumerate(data.docs_iter()[part.start : part.end], start=part.start + 1)
        while numbered := list(islice(rows, BATCH)):
            documents = []
            for row, one in numbered:
                name, text = one.doc_id, one.default_text()
                if name.strip() and is_utf8(name + text):
                    documents.append((name, text))
                else:
                    broken.append(BrokenDocumentError(row, HALF if name.strip() else "no doc_id", text[:200]))
            yield documents


def _with_title(title: object, text: str) -> str:
    """Return title and text as `document_text` joins them."""
    return f"{title} {text}" if isinstance(title, str) and title else text


def _beginning(line: bytes) -> str:
    return line[:200].decode("utf-8", "replace")


@dataclass(frozen=True)
class CountingPlan:
    """The word list and the way to count.

    groups: names of the columns of counts, in their order. genderedness: how g is summed, None without. skip_broken:
    whether documents that cannot be read are left out; else a part with one is not written. options: those of the
    command line that give this plan, for the command that a manifest names.
    """

    lexicon: Lexicon
    groups: tuple[str, ...]
    tokenizer: str = "word"
    genderedness: Genderedness | None = None
    skip_broken: bool = False
    options: tuple[str, ...] = ()

    @property
    def command_options(self) -> tuple[str, ...]:
        """The options, with FILE for each file of a plan that was made in Python."""
        if self.options:
            return self.options
        options = [] if self.lexicon == GSR_LEXICON else ["--lexicon", "FILE"]
        options += [] if self.tokenizer == "word" else ["--tokenizer", self.tokenizer]
        if (g := self.genderedness) is not None:
            options += ["--embedding", g.embedding]
            options += ["--pairs", g.pairs] if g.pairs else []
            options += ["--queries", "FILE"] if g.queries else []
            options += ["--stop-words", "FILE"] if g.stop_words else []
        return (*options, *(["--skip-broken"] if self.skip_broken else []))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that a count depends on but its text."""
        words = sorted(self.lexicon.words)
        return _hash([FORMAT, words, self.groups, self.tokenizer, described(self.genderedness)])


def described(one: Genderedness | None) -> dict[str, Any] | None:
    """Return the record as a manifest has it, the words of queries in order."""
    return None if one is None else {**asdict(one), "queries": sorted(one.queries)}


def genderedness(embedding: str, pairs: str = "", stop_words: str = "", queries: Sequence[str] = ()) -> Genderedness:
    """Return how g is summed with these word vectors. queries: texts whose words can be left out of documents.

    Raises FairvizError for vectors that are missing or give no direction.
    """
    words = frozenset(word for text in queries for word in text_words(text, stop_words))
    return Genderedness(embedding, pairs, stop_words, tuple(_direction(embedding, pairs).vector.tolist()), words)


@lru_cache(maxsize=1)
def _direction(embedding: str, pairs: str) -> GenderDirection:
    return gender_direction(load_embedding(embedding), parse_pairs(pairs) or PAIRS)


@lru_cache(maxsize=1)
def _is_query_word(queries: frozenset[str]) -> Callable[[str], bool]:
    """Return whether a word is one of the queries' words or shares a noun's lemma with one, each decided once."""
    return cache(of_query(queries, "lemma"))


@dataclass(frozen=True)
class Counted:
    """The result of a part: documents counted, documents that cannot be read, and the first of these."""

    number: int
    rows: int
    broken: int = 0
    lines: tuple[BadLine, ...] = field(default=())


def score_part(part: Part, plan: CountingPlan, folder: Path) -> Counted:
    """Write the counts of a part into the folder, unless they are there, and return their number.

    The file has the columns doc_id, tokens (int32) and one of words a group (int32), in the part's order. It is written
    under a temporary name and renamed when complete; without `plan.skip_broken` there is no file if a document cannot
    be read. Raises FairvizError for a part that cannot be read, OSError for a folder that cannot be written.
    """
    path = folder / part.file
    if (known := counted(path, part, plan)) is not None:
        return known
    try:
        with new_file(path) as stream:
            result = _write(stream, part, plan)
    except _RefusedError as refused:
        return refused.counted
    write_whole(sum_file(path), present_hash(path))
    return result


class _RefusedError(Exception):
    """A part with documents that cannot be read: its file is removed."""

    def __init__(self, counted: Counted) -> None:
        super().__init__(counted)
        self.counted = counted


def _write(stream: Any, part: Part, plan: CountingPlan) -> Counted:
    """Write the counts of a part as a Parquet file. Raises _RefusedError if a document cannot be read, unless the plan
    leaves it out."""
    from pyarrow import parquet

    broken: list[BrokenDocumentError] = []
    rows = 0
    with parquet.ParquetWriter(stream, _schema(plan), compression="zstd") as writer:
        for batch in batches(part, broken):
            if broken and not plan.skip_broken:
                continue  # the others of the part are still to be named
            writer.write_table(_counts_of(batch, plan))
            rows += len(batch)
        result = Counted(part.number, rows, len(broken), _bad_lines(part, broken))
        if broken and not plan.skip_broken:
            raise _RefusedError(result)
        about = {"part": _identity(part), "plan": plan.fingerprint, "rows": rows, "broken": len(broken)}
        writer.add_key_value_metadata({KEY: json.dumps(about).encode()})
    return result


def _schema(plan: CountingPlan) -> Any:
    """Return the columns of a file of counts by this plan, as Arrow's schema."""
    g_columns = () if plan.genderedness is None else (*G_COLUMNS, *QUERY_COLUMNS)
    return schema_of(["tokens", *plan.groups, *g_columns])


def _counts_of(documents: Any, plan: CountingPlan) -> Any:
    """Return the counts of some documents as an Arrow table. documents: the table of doc_id and text."""
    import pyarrow as pa

    words = count_groups(documents["text"], plan.lexicon, plan.tokenizer, plan.groups, fast=has_layer("fast"))
    columns = [pa.array(column) for column in (words.tokens, *words.counts.T)]
    if plan.genderedness is not None:
        columns += _g_columns(documents["text"].to_pylist(), plan.genderedness)
    schema = _schema(plan)
    return pa.table([documents["doc_id"].cast(schema.field("doc_id").type), *columns], schema=schema)


def sum_file(path: Path) -> Path:
    """Return the file next to a part that has its SHA-256 from the moment of writing."""
    return path.with_name(f".{path.name}.sha256")


def sum_of(path: Path) -> str:
    """Return the SHA-256 of a part as it was written: from the file next to it, else from the folder's manifest; empty
    without either. A wrong one makes a sound part count as broken, never a broken one as sound."""
    if sum_file(path).exists():
        return sum_file(path).read_text("latin-1")
    try:
        return next(str(part["sha256"]) for part in manifest_of(path.parent)["parts"] if part["file"] == path.name)
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        return ""


def counted(path: Path, part: Part, plan: CountingPlan) -> Counted | None:
    """Return what a file of counts holds if it is as it was written, of this part as it is now, and by this plan; else
    None."""
    from pyarrow import ArrowException

    try:
        if not is_sound(path, sum_of(path)):
            return None
        about, rows = _stored(path)
    except (OSError, ArrowException, ValueError):
        return None
    if about.get("part") != _identity(part) or about.get("plan") != plan.fingerprint or about.get("rows") != rows:
        return None
    if about["broken"] and not plan.skip_broken:
        return None
    return Counted(part.number, rows, about["broken"])


def plan_of(path: Path) -> str:
    """Return the fingerprint of the plan by which a file was counted; empty for a file that cannot be read."""
    from pyarrow import ArrowException

    try:
        return str(_stored(path)[0].get("plan", ""))
    except (OSError, ArrowException, ValueError):
        return ""


def _stored(path: Path) -> tuple[dict[str, Any], int]:
    """Return what a file of counts holds of its making, and its number of rows."""
    from pyarrow import parquet

    with open_regular(path) as stream:
        metadata = parquet.ParquetFile(stream).metadata
        return json.loads((metadata.metadata or {}).get(KEY, b"{}")), metadata.num_rows


def _identity(part: Part) -> str:
    """Return a hash of a part: the file's name, size and time of change, and the bytes."""
    return _hash({**asdict(part), "path": part.source})


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:20]


def _g_columns(texts: Sequence[str], plan: Genderedness) -> list[Any]:
    """Return the columns of G_COLUMNS and QUERY_COLUMNS: sums over all words, and the words of queries by document."""
    import pyarrow as pa

    words = count_words(texts, plan.stop_words)
    sums = words.totals(word_values(_direction(plan.embedding, plan.pairs).of(words.vocabulary)))
    is_query_word = _is_query_word(plan.queries)
    word_indices = (
        np.flatnonzero([is_query_word(word) for word in words.vocabulary]) if plan.queries else np.zeros(0, np.int64)
    )
    counts = words.counts[:, word_indices].tocsr()
    names = np.array(words.vocabulary, dtype=object)[word_indices][counts.indices]
    ends = pa.array(counts.indptr, type=pa.int32())
    listed = (pa.array(names, type=pa.string()), pa.array(counts.data.astype(np.int32)))
    sums_by_name = [sums[:, 0], sums[:, 1].astype(np.int32), sums[:, 2].astype(np.int32)]
    return [*sums_by_name, *(pa.ListArray.from_arrays(ends, values) for values in listed)]


def _bad_lines(part: Part, broken: Sequence[BrokenDocumentError]) -> tuple[BadLine, ...]:
    """Return the first documents that cannot be read, by their lines in the whole file."""
    before = _lines_before(part) if broken and part.start and not part.package else 0
    return tuple(BadLine(part.source, before + one.line, one.problem, one.value) for one in islice(broken, SHOWN_LINES))


def _lines_before(part: Part) -> int:
    """Return the number of lines that begin before the part, which does not begin its file."""
    count, left = 1, part.start - 1
    with open_regular(part.path) as stream:
        while left > 0 and (piece := stream.read(min(left, 1 << 20))):
            count += piece.count(b"\n")
            left -= len(piece)
    return count
