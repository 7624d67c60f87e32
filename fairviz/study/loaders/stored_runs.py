"""Runs of large files as columns in the cache, one entry a file: a file is parsed once, also where another is added.

Runs of one study share ids, which are merged once and stored under the hash of the files' hashes. Columns are mapped:
what reads ten ranks of each list reads these alone, and the table of all runs is made for those who ask for it.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.study.loaders import stored
from fairviz.study.loaders.hashes import SMALL
from fairviz.study.loaders.runs import RunColumns, id_texts
from fairviz.study.loaders.stored import DamagedError, Entry, StoredArrays, packed_texts, text_index, unpacked_texts
from fairviz.study.tables import RUNS, categorical, encode

_TEXTS = ("queries", "documents")
_COLUMNS = ("query", "document", "rank", "score")


def is_large(paths: Sequence[Path]) -> bool:
    """Return whether these run files are worth a cache. Raises OSError."""
    return sum(path.stat().st_size for path in paths) >= SMALL


def as_columns(found: RunColumns | pd.DataFrame) -> RunColumns | None:
    """Return one run as columns; None for a table of several, or with further columns."""
    import pyarrow as pa

    if isinstance(found, RunColumns):
        return found
    names = found["system"].cat.categories
    if tuple(found.columns) != RUNS.column_names or len(names) != 1:
        return None
    query, document = (found[name].cat for name in ("query_id", "doc_id"))
    queries, documents = (pa.array(one.categories.array, type=pa.large_string()) for one in (query, document))
    codes = query.codes.to_numpy(), document.codes.to_numpy()
    rank, score = (found[name].to_numpy() for name in ("rank", "score"))
    return RunColumns(str(names[0]), codes[0], queries, codes[1], documents, rank, score)


class StoredRun:
    """A run in the cache, which is mapped while it is read. key: what it is stored under. read: reads its file again,
    where the entry is damaged."""

    def __init__(self, key: tuple, read: Callable[[], RunColumns]) -> None:
        self.key, self._read = key, read
        entry = stored.load(key)
        self._note: dict[str, Any] | None = entry.note if entry else None

    @property
    def is_there(self) -> bool:
        """Whether there is a sound entry."""
        return self._note is not None

    @property
    def notices(self) -> list[str]:
        """Sentences of the reader on what it noticed."""
        return list(self._note["notices"]) if self._note else []

    @property
    def is_plain(self) -> bool:
        """Whether all ids are of ASCII and none has a point, so that no other part of a study changes them."""
        return bool(self._note and self._note["plain"])

    def columns(self, system: str) -> RunColumns:
        """Return the columns of the run, called so. Raises FairvizError if they have to be read again and differ."""
        if (entry := stored.load(self.key)) is not None:
            try:
                return _columns_of(entry, system)
            except DamagedError:
                stored.remove(entry.folder)
        columns = self._read()
        self.save(columns, self.notices)
        return columns._replace(system=system)

    def save(self, columns: RunColumns, notices: Sequence[str]) -> None:
        """Store the columns, if that is possible."""
        arrays = {"query": columns.query, "document": columns.document, "rank": columns.rank, "score": columns.score}
        note: dict[str, Any] = {"notices": list(notices), "plain": True}
        for name, ids in zip(_TEXTS, (columns.queries, columns.documents), strict=True):
            if isinstance(ids, np.ndarray):
                arrays[name] = ids
            else:
                arrays[f"{name}_texts"], arrays[f"{name}_offsets"] = packed_texts(ids)
                note["plain"] &= _are_plain(arrays[f"{name}_texts"])
        stored.save(self.key, arrays, note)
        entry = stored.load(self.key)
        self._note = entry.note if entry else None


def _are_plain(content: np.ndarray) -> bool:
    return not len(content) or bool(content.max() < 128 and not (content == ord(".")).any())


def _columns_of(entry: Entry, system: str) -> RunColumns:
    """Return the columns in an entry. Raises DamagedError."""
    names = entry.names()
    ids = (
        entry[name] if name in names else unpacked_texts(entry[f"{name}_texts"], entry[f"{name}_offsets"])
        for name in _TEXTS
    )
    queries, documents = ids
    numbers = (entry[name] for name in ("query", "document", "rank", "score"))
    query, document, rank, score = numbers
    return RunColumns(system, query, queries, document, documents, rank, score)


class StoredRuns:
    """The runs of a study, all in the cache, by name in their order."""

    def __init__(self, runs: dict[str, StoredRun]) -> None:
        self._runs = runs
        self.names = tuple(runs)
        self.key = [(name, run.key) for name, run in runs.items()]

    def __len__(self) -> int:
        """The number of rows of all runs."""
        return int(self.lengths.sum())

    @cached_property
    def _shared(self) -> StoredArrays:
        """The ids of all runs together, and the places of each run's ids among them."""
        return StoredArrays(("ids of runs", self.key), self._merged)

    def _merged(self) -> dict[str, np.ndarray]:
        """Return the texts of queries and documents and their offsets, the places of each run's ids, and the lengths of
        the lists (S, Q)."""
        runs = [run.columns(name) for name, run in self._runs.items()]
        arrays: dict[str, np.ndarray] = {}
        for name, ids in (("queries", [run.queries for run in runs]), ("documents", [run.documents for run in runs])):
            places, merged = _merged_ids(ids)
            arrays |= {f"{name}_{number}": place for number, place in enumerate(places)}
            arrays[f"{name}_texts"], arrays[f"{name}_offsets"] = packed_texts(id_texts(merged))
        lengths = np.zeros((len(runs), len(arrays["queries_offsets"]) - 1), dtype=np.int32)
        for number, run in enumerate(runs):
            lengths[number, arrays[f"queries_{number}"]] = np.bincount(run.query, minlength=len(run.queries))
        return arrays | {"lengths": lengths}

    @property
    def lengths(self) -> np.ndarray:
        """The number of documents of each list, (S, Q), by run and query."""
        return self._shared["lengths"]

    @cached_property
    def queries(self) -> pd.Index:
        """The ids of the queries that a run answers."""
        return text_index(unpacked_texts(self._shared["queries_texts"], self._shared["queries_offsets"]))

    @cached_property
    def documents(self) -> pd.Index:
        """The ids of the documents that a run retrieved."""
        return text_index(unpacked_texts(self._shared["documents_texts"], self._shared["documents_offsets"]))

    def run(self, number: int) -> RunColumns:
        """Return one run with codes of `queries` and `documents`, which are left out."""
        name = self.names[number]
        run, shared = self._runs[name].columns(name), self._shared
        query, document = shared[f"queries_{number}"][run.query], shared[f"documents_{number}"][run.document]
        return RunColumns(name, query, None, document, None, run.rank, run.score)

    def table(self) -> pd.DataFrame:
        """Return the table of all runs, over mapped columns."""
        columns = StoredArrays(("table of runs", self.key), self._stacked)
        systems = np.repeat(np.arange(len(self.names), dtype=np.int16), self.lengths.sum(axis=1))
        return self._table(systems, *(columns[name] for name in _COLUMNS))

    def tables(self) -> Iterator[pd.DataFrame]:
        """Yield the table of each run, with the categories of all."""
        for number in range(len(self.names)):
            run = self.run(number)
            systems = np.full(len(run.rank), number, dtype=np.int16)
            yield self._table(systems, *(getattr(run, name) for name in _COLUMNS))

    def _table(
        self, systems: np.ndarray, query: np.ndarray, document: np.ndarray, rank: np.ndarray, score: np.ndarray
    ) -> pd.DataFrame:
        queries, documents = (
            unpacked_texts(self._shared[f"{name}_texts"], self._shared[f"{name}_offsets"]) for name in _TEXTS
        )
        table = {
            "system": pd.Categorical.from_codes(systems, pd.Index(list(self.names), dtype="str")),
            "query_id": categorical(query, queries),
            "doc_id": categorical(document, documents),
            "rank": rank,
            "score": score,
        }
        return pd.DataFrame(table, copy=False)

    def _stacked(self) -> dict[str, np.ndarray]:
        """Return the columns of all runs in sequence."""
        runs = [self.run(number) for number in range(len(self.names))]
        width = np.min_scalar_type(-max(len(self.queries), 1))
        return {
            "query": np.concatenate([run.query for run in runs]).astype(width, copy=False),
            "document": np.concatenate([run.document for run in runs]),
            "rank": np.concatenate([run.rank for run in runs]),
            "score": np.concatenate([run.score for run in runs]),
        }


def _merged_ids(ids: Sequence[Any]) -> tuple[list[np.ndarray], Any]:
    """Return the places (N,) of each run's ids among all, and these: ascending numbers, or texts in order of
    appearance."""
    import pyarrow as pa

    if all(isinstance(one, np.ndarray) for one in ids):
        is_used = np.zeros(max((int(one.max(initial=0)) for one in ids), default=0) + 1, dtype=bool)
        for one in ids:
            is_used[one] = True
        place = np.cumsum(is_used, dtype=np.int32) - np.int32(1)
        return [place[one] for one in ids], np.flatnonzero(is_used).astype(np.int32)
    texts = [id_texts(one) for one in ids]
    codes, merged = encode(pa.chunked_array(texts, type=pa.large_string()))
    return np.split(codes, np.cumsum([len(one) for one in texts])[:-1]), merged
