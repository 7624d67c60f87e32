"""The counts of one part: made whole or not at all, and known again."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from fairviz.errors import SHOWN_LINES, BadLine
from fairviz.files import open_regular
from fairviz.home import new_file, write_whole
from fairviz.installed import has_layer
from fairviz.scoring.documents import BrokenDocumentError, batches
from fairviz.scoring.parts import Part
from fairviz.study.collection_counts import (
    FORMAT,
    G_COLUMNS,
    QUERY_COLUMNS,
    Genderedness,
    is_sound,
    schema_of,
    sum_file,
    sum_of,
)  # fmt: skip
from fairviz.study.loaders.hashes import present_hash
from fairviz.words.counting import GSR_LEXICON, Lexicon, count_groups
from fairviz.words.genderedness import PAIRS, GenderDirection, gender_direction, parse_pairs
from fairviz.words.gsr_words import count_words, of_query, text_words, word_values
from fairviz.words.vectors import load_embedding

KEY = b"fairviz"  # of the metadata in a file of counts


@dataclass(frozen=True)
class Plan:
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
        words = () if self.lexicon == GSR_LEXICON else ("--lexicon", "FILE")
        tokenizer = () if self.tokenizer == "word" else ("--tokenizer", self.tokenizer)
        g = self.genderedness
        vectors = () if g is None else ("--embedding", g.embedding, *(("--pairs", g.pairs) if g.pairs else ()))
        files = () if g is None else (*(("--queries", "FILE") if g.queries else ()),
                                      *(("--stop-words", "FILE") if g.stop_words else ()))  # fmt: skip
        return (*words, *tokenizer, *vectors, *files, *(("--skip-broken",) if self.skip_broken else ()))

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


def score_part(part: Part, plan: Plan, folder: Path) -> Counted:
    """Write the counts of a part into the folder, unless they are there, and return their number.

    The file has the columns doc_id, tokens (int32) and one of words a group (int32), in the part's order. It is written
    under a temporary name and renamed when complete; without `plan.skip_broken` there is no file if a document cannot
    be read. Raises FairvizError for a part that cannot be read, OSError for a folder that cannot be written.
    """
    path = folder / part.file
    if (part_counts := counted(path, part, plan)) is not None:
        return part_counts
    try:
        with new_file(path) as stream:
            part_counts = _write(stream, part, plan)
        write_whole(sum_file(path), present_hash(path))
        return part_counts
    except _RefusedError as refused:
        return refused.counted


class _RefusedError(Exception):
    """A part with documents that cannot be read: its file is removed."""

    def __init__(self, counted: Counted) -> None:
        super().__init__(counted)
        self.counted = counted


def _write(stream: Any, part: Part, plan: Plan) -> Counted:
    from pyarrow import parquet

    broken: list[BrokenDocumentError] = []
    rows = 0
    with parquet.ParquetWriter(stream, _schema(plan), compression="zstd") as writer:
        for batch in batches(part, broken):
            if broken and not plan.skip_broken:
                continue  # the others of the part are still to be named
            writer.write_table(_table(batch, plan))
            rows += len(batch)
        result = Counted(part.number, rows, len(broken), _bad_lines(part, broken))
        if broken and not plan.skip_broken:
            raise _RefusedError(result)
        writer.add_key_value_metadata({KEY: json.dumps(_about(part, plan, result)).encode()})
    return result


def counted(path: Path, part: Part, plan: Plan) -> Counted | None:
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


def _about(part: Part, plan: Plan, result: Counted) -> dict[str, Any]:
    return {"part": _identity(part), "plan": plan.fingerprint, "rows": result.rows, "broken": result.broken}


def _identity(part: Part) -> str:
    """Return a hash of a part: the file's name, size and time of change, and the bytes."""
    return _hash({**asdict(part), "path": part.source})


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:20]


def _schema(plan: Plan) -> Any:
    extra = () if plan.genderedness is None else (*G_COLUMNS, *QUERY_COLUMNS)
    return schema_of(["tokens", *plan.groups, *extra])


def _table(documents: Any, plan: Plan) -> Any:
    """Return the counts of some documents, in columns."""
    import pyarrow as pa

    words = count_groups(documents["text"], plan.lexicon, plan.tokenizer, plan.groups, fast=has_layer("fast"))
    columns = [pa.array(column) for column in (words.tokens, *words.counts.T)]
    if plan.genderedness is not None:
        columns += _g_columns(documents["text"].to_pylist(), plan.genderedness)
    schema = _schema(plan)
    return pa.table([documents["doc_id"].cast(schema.field("doc_id").type), *columns], schema=schema)


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
    """Return the number of lines that begin before the part."""
    with open_regular(part.path) as stream:
        ends = sum(piece.count(b"\n") for piece in _pieces(stream, part.start - 1))
        return ends + 1


def _pieces(stream: Any, count: int) -> Iterator[bytes]:
    while count > 0 and (piece := stream.read(min(count, 1 << 20))):
        yield piece
        count -= len(piece)
