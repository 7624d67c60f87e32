"""Word counts of a whole collection, as `fairviz score` writes them: read for the documents that a study names."""

import hashlib
import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.files import open_regular, parse_json
from fairviz.home import expand_path, named_path
from fairviz.study.loaders.hashes import Look, look, present_hash
from fairviz.study.loaders.stored import LARGE, StoredArrays, packed_texts
from fairviz.words.counting import Counts, Lexicon
from fairviz.words.tokenizers import TOKENIZERS

Array = np.ndarray
Refusal = tuple[str, ...]  # a message and its remedy; empty for none
FOLDER = "word_counts"  # of a study
MANIFEST = "manifest.json"
FORMAT = 3
G_COLUMNS = ("g", "g_words", "g_known")  # sum of g; words by GSR's rules; how many of them have a vector
QUERY_COLUMNS = ("query_words", "query_counts")  # those of any query in a document, and how often
MOST_BYTES = 1 << 28  # of a manifest
CLOSE = 1e-9  # between two computations of one gender direction
CHECKSUM = "sha256"  # in a manifest: of everything else in it
MAKE_THEM = "Run `fairviz score COLLECTION --out {folder}` to its end."
_SOUND: dict[tuple[Path, str], Look] = {}  # files that had this SHA-256, and their state then


@dataclass(frozen=True)
class Genderedness:
    """The way g was summed. embedding: the vectors' name. pairs, stop_words: as in Settings. direction: the vector from
    male to female. queries: all words of the queries that can be left out of documents; empty for none."""

    embedding: str
    pairs: str
    stop_words: str
    direction: tuple[float, ...]
    queries: frozenset[str]


@dataclass(frozen=True, eq=False)
class QueryWords:
    """For D documents: totals (D, 3), the sum of g, words, and words that have a vector; vocabulary (V,), words of
    queries; counts (D, V), scipy.sparse CSR of float64."""

    totals: Array
    vocabulary: list[str]
    counts: Any


@dataclass(frozen=True, eq=False)
class CollectionCounts:
    """The counts of a collection's documents in a folder.

    collection: where its text was. files: names of the Parquet files, with their SHA-256. genderedness: None for counts
    without vectors. fingerprint: equal for equal counts. options: of the command that made them.
    """

    folder: Path
    collection: str
    documents: int
    tokenizer: str
    lexicon: Lexicon
    files: Mapping[str, str]
    genderedness: Genderedness | None
    fingerprint: str
    options: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command that counts missing and broken parts again, and no others."""
        return shlex.join(["fairviz", "score", self.collection, "--out", str(self.folder), *self.options])

    def counts(self, doc_ids: pd.Index, groups: Sequence[str], key: str = "") -> Counts:
        """Return the gender words of these documents; `known` is False for one that was not counted. Those of many
        documents are kept in the cache. key: equal for equal doc_ids, if there is one."""
        if len(doc_ids) < LARGE:
            return self._read_counts(doc_ids, groups)
        documents = key or [hashlib.sha256(part.data).hexdigest() for part in packed_texts(doc_ids)]
        inputs = ("counts", self.fingerprint, documents, tuple(groups))
        return Counts(**StoredArrays(inputs, lambda: vars(self._read_counts(doc_ids, groups))))

    def _read_counts(self, doc_ids: pd.Index, groups: Sequence[str]) -> Counts:
        places, table = self._rows(doc_ids, ("tokens", *groups))
        counts = np.zeros((len(doc_ids), len(groups)), dtype=np.int32)
        tokens, is_counted = np.zeros(len(doc_ids), dtype=np.int32), np.zeros(len(doc_ids), dtype=bool)
        for column, group in enumerate(groups):
            counts[places, column] = table[group].to_numpy()
        tokens[places], is_counted[places] = table["tokens"].to_numpy(), True
        return Counts(counts, tokens, is_counted)

    def query_words(self, doc_ids: pd.Index) -> QueryWords:
        """Return the sums of g of these documents, and the words of queries in them; zeros for one not counted."""
        import pyarrow.compute as pc
        from scipy.sparse import csr_matrix

        places, table = self._rows(doc_ids, (*G_COLUMNS, *QUERY_COLUMNS))
        totals = np.zeros((len(doc_ids), len(G_COLUMNS)))
        for column, name in enumerate(G_COLUMNS):
            totals[places, column] = table[name].to_numpy()
        words, counts = (table[name].combine_chunks() for name in QUERY_COLUMNS)
        encoded = words.flatten().dictionary_encode()
        rows = np.repeat(places, pc.list_value_length(words).to_numpy(zero_copy_only=False))
        vocabulary = encoded.dictionary.to_pylist()
        entries = counts.flatten().to_numpy().astype(np.float64), (rows, encoded.indices.to_numpy())
        return QueryWords(totals, vocabulary, csr_matrix(entries, shape=(len(doc_ids), len(vocabulary))))

    def documents_with_words(self, groups: Sequence[str], enough: int) -> int:
        """Return the number of documents with a word of these groups; counting stops at `enough`."""
        found = 0
        for file in self.files:
            table = self._read(file, groups)
            counts = np.stack([table[group].to_numpy() for group in groups]) if groups else np.zeros((1, 0))
            found += int(np.count_nonzero(counts.any(axis=0)))
            if found >= enough:
                break
        return found

    @cached_property
    def doc_ids(self) -> list[str]:
        """The ids of all documents of the collection, in its order."""
        return [name for file in self.files for name in self._read(file, ["doc_id"])["doc_id"].to_pylist()]

    def refusal(self, lexicon: Lexicon, tokenizer: str, groups: Sequence[str]) -> Refusal:
        """Return why these counts cannot answer a choice, and the command that makes others; empty if they can."""
        if tokenizer != self.tokenizer:
            return f"its word counts are of the tokenizer {self.tokenizer}", self._remedy(f"--tokenizer {tokenizer}")
        wanted, counted = ({pair for pair in one.words if pair[1] in groups} for one in (lexicon, self.lexicon))
        if wanted != counted or not set(groups) <= set(self.lexicon.groups):
            option = "" if lexicon.name == "gsr" else "--lexicon FILE"
            return f"its word counts are of another word list, {self.lexicon.name!r}", self._remedy(option)
        return ()

    def refusal_of_g(self) -> Refusal:
        """Return why these counts cannot answer GSR, and the command that makes others; empty if they can."""
        if self.genderedness is not None and self.genderedness.queries:
            return ()
        return "its word counts have no sums of g without a query's words", self._remedy("--queries queries.tsv")

    def check_g(self, embedding: str, direction: Array, stop_words: str, query_words: Iterable[str]) -> None:
        """Raise FairvizError for g by other vectors, pairs or stop words, or without these queries' words."""
        stored = self.genderedness
        if stored is None or not stored.queries:
            message, remedy = self.refusal_of_g()
            raise FairvizError(f"GSR cannot be computed: {message}", remedy)
        is_same = embedding == stored.embedding and len(direction) == len(stored.direction)
        if not is_same or np.abs(np.asarray(stored.direction) - direction).max() > CLOSE:
            pairs = f" and pairs {stored.pairs}" if stored.pairs else ""
            options = f"--queries queries.tsv --embedding {shlex.quote(embedding)} --pairs PAIRS"
            raise FairvizError(f"the word counts have g by {stored.embedding}{pairs} alone", self._remedy(options))
        if stop_words != stored.stop_words:
            message = f"the word counts are of {'other' if stored.stop_words else 'the built-in'} stop words"
            raise FairvizError(message, self._remedy("--queries queries.tsv --stop-words FILE"))
        missing = sorted(set(query_words) - stored.queries)
        if missing:
            message = f"the word counts were made without queries that have the word {missing[0]!r}"
            raise FairvizError(message, self._remedy("--queries queries.tsv"))

    def _remedy(self, options: str) -> str:
        command = " ".join(filter(None, ("fairviz score", shlex.quote(self.collection), "--out NEW_FOLDER", options)))
        return f"Choose that, or make others: `{command}`."

    def _read(self, file: str, columns: Sequence[str]) -> Any:
        """Return columns of a part, an Arrow table. Arrow gets the open file: it reads a path as an address, and only
        in UTF-8. Raises FairvizError for a file that is not what was written: it is compared before anything in it is
        parsed."""
        from pyarrow import ArrowException, parquet

        path = self.folder / file
        try:
            if is_sound(path, self.files[file]):
                with open_regular(path) as stream:
                    return parquet.read_table(stream, columns=[*columns])
            trouble = "its SHA-256 is not the one in the manifest"
        except (OSError, ArrowException) as error:
            trouble = " ".join(str(error).split())[:200]
        raise FairvizError(
            f"{path} is not what was counted ({trouble})", f"Count this part again: `{self.command}` leaves the others."
        )

    def _rows(self, doc_ids: pd.Index, columns: Sequence[str]) -> tuple[Array, Any]:
        """Return the places in doc_ids of the counted documents (N,), and their columns, an Arrow table of N rows.

        Files are read one by one, and of one without a wanted document only the ids.
        """
        import pyarrow as pa

        schema, lookup = schema_of(columns), Lookup(doc_ids)
        places, tables = [np.zeros(0, dtype=np.int64)], [schema.empty_table()]
        for file in self.files:
            file_places = lookup.places(self._read(file, ["doc_id"])["doc_id"])
            if (is_wanted := file_places >= 0).any():
                table = self._read(file, ["doc_id", *columns]).filter(pa.array(is_wanted))
                places.append(file_places[is_wanted])
                tables.append(table.cast(schema))
        return np.concatenate(places), pa.concat_tables(tables)


class Lookup:
    """The places of ids: by Arrow where fewer are wanted than a file has, else by sorted hashes of 8 bytes and the ids
    themselves."""

    def __init__(self, ids: pd.Index) -> None:
        import pyarrow as pa

        self.index = ids
        self.ids = pa.array(ids, type=pa.large_string())

    def places(self, ids: Any) -> Array:
        """Return the place of each id of an Arrow column (N,), -1 for one that is not wanted."""
        import pyarrow as pa
        import pyarrow.compute as pc

        ids = ids.cast(pa.large_string())
        if len(self.ids) <= len(ids):
            return pc.fill_null(pc.index_in(ids, value_set=self.ids), -1).to_numpy()
        ordered, order = self._sorted
        if (ordered[1:] == ordered[:-1]).any():
            return self.index.get_indexer(ids.to_pandas())
        hashes, nearest = _hashes(ids), np.empty(len(ids), dtype=np.int64)
        ascending = np.argsort(hashes)  # a search in this order stays in the processor's cache
        nearest[ascending] = np.searchsorted(ordered, hashes[ascending])
        candidates = order[np.minimum(nearest, len(ordered) - 1)]
        is_same = pc.equal(self.ids.take(pa.array(candidates)), ids)
        return np.where(is_same.to_numpy(), candidates, -1)

    @cached_property
    def _sorted(self) -> tuple[Array, Array]:
        """The hashes in ascending order, and the place of each."""
        hashes = _hashes(self.ids)
        order = np.argsort(hashes)
        return hashes[order], order


def _hashes(ids: Any) -> Array:
    return pd.util.hash_array(ids.to_pandas().to_numpy(dtype=object), categorize=False)


def schema_of(columns: Iterable[str]) -> Any:
    """Return the Arrow schema of doc_id and these columns; all but those of g and of queries are numbers of words."""
    import pyarrow as pa

    types = {"g": pa.float64(), "query_words": pa.list_(pa.string()), "query_counts": pa.list_(pa.int32())}
    return pa.schema([("doc_id", pa.string()), *((name, types.get(name, pa.int32())) for name in columns)])


def counts_folder(study_folder: Path, path: str) -> Path:
    """Return the folder of a study's word counts: its own, or the one at this path. Raises: see `named_path`."""
    return (
        named_path(study_folder / expand_path(path), "word counts", own=study_folder) if path else study_folder / FOLDER
    )


def read_collection_counts(folder: Path) -> CollectionCounts:
    """Return the counts in a folder. Raises FairvizError for a folder without complete ones."""
    remedy = MAKE_THEM.format(folder=folder)
    try:
        stored = manifest_of(folder)
        if stored["format"] != FORMAT:
            raise FairvizError(f"the word counts in {folder} are of another version of fairviz", remedy)
        if stored.get(CHECKSUM) != checksum_of(stored):
            message = f"{folder / MANIFEST} is not what was written: its checksum is of other content"
            raise FairvizError(message, f"{remedy} It checks the parts, and writes the manifest again.")
        if not isinstance(stored["documents"], int) or stored["tokenizer"] not in TOKENIZERS:
            raise ValueError("documents or tokenizer")
        content = repr([stored["plan"], *(part["sha256"] for part in stored["parts"])])
        counts = CollectionCounts(
            folder=folder,
            collection=stored["collection"],
            documents=stored["documents"],
            tokenizer=stored["tokenizer"],
            lexicon=Lexicon(stored["lexicon"], tuple(stored["words"].items())),
            files={part["file"]: part["sha256"] for part in stored["parts"]},
            genderedness=_genderedness(stored["genderedness"]),
            fingerprint=hashlib.sha256(content.encode()).hexdigest(),
            options=tuple(stored["options"]),
        )
    except OSError as error:
        raise FairvizError(f"{folder} has no complete word counts ({error.strerror})", remedy) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FairvizError(f"{folder / MANIFEST} is not a manifest of word counts", remedy) from error
    for file in counts.files:
        if Path(file).name != file or not (folder / file).is_file():
            raise FairvizError(f"{folder} lacks {file}", f"Count it again: `{counts.command}`.")
    return counts


def manifest_of(folder: Path) -> Any:
    """Return what the folder's manifest has, unchecked. Raises OSError, and ValueError for what is not JSON."""
    with open_regular(folder / MANIFEST) as stream:
        return parse_json(stream.read(MOST_BYTES))


def _genderedness(stored: dict[str, Any] | None) -> Genderedness | None:
    """Return the manifest's way of summing g; None for counts without vectors."""
    if stored is None:
        return None
    return Genderedness(
        embedding=stored["embedding"],
        pairs=stored["pairs"],
        stop_words=stored["stop_words"],
        direction=tuple(stored["direction"]),
        queries=frozenset(stored["queries"]),
    )


def checksum_of(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a manifest's values but its own."""
    values = {name: value for name, value in manifest.items() if name != CHECKSUM}
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def is_sound(path: Path, sha256: str) -> bool:
    """Return whether the file has this SHA-256. Raises OSError for a missing file.

    It is hashed when it is first asked for in this process, and again after any change of its size, times or place.
    """
    state = look(path)
    if state.settled and _SOUND.get((path, sha256)) == state:
        return True
    if present_hash(path) != sha256:
        return False
    _SOUND[path, sha256] = state
    return True
