"""Conversion of tables to aligned arrays: the only border between pandas and numpy; and the places of tied documents.

Axis letters: S systems, Q queries, K ranks, G gender groups, D documents, M tied places in all lists. Arrays over ranks
are rank-major, (K, S, Q): a cutoff is one contiguous slice, and a running sum adds whole rows. The tie rule, not the
run, orders documents of equal score: only a tied group that reaches into the cutoff can change a value.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.installed import read_only
from fairviz.study.attributes import shares_of
from fairviz.study.loaders.stored import (
    LARGE,
    MappedArray,
    StoredArrays,
    key_of,
    packed_texts,
    text_index,
    unpacked_texts,
)
from fairviz.study.loaders.stored_runs import StoredRuns
from fairviz.study.record import Study, table_hash
from fairviz.study.tables import Ties, list_order, ranked, runs_by_system, score_groups, system_of_run
from fairviz.words.counting import Counts, Lexicon, count_groups, document_text

Array = np.ndarray
_NAMES = ("systems", "queries", "doc_ids")
QUERIES_AT_ONCE = 64  # whose lists lie beside one another in memory
MOST_ORDERS = 24  # of a list: up to this number, all are evaluated
_LARGEST = 4  # 4! is 24


@dataclass(frozen=True, eq=False)
class SharedArrays:
    """A record with read-only arrays: all measures of a process share them."""

    def __post_init__(self) -> None:
        for name, value in vars(self).copy().items():
            if isinstance(value, np.ndarray):
                object.__setattr__(self, name, read_only(value))

    @property
    def nbytes(self) -> int:
        """Size of the arrays in bytes."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))


def arrays_of(record: SharedArrays) -> dict[str, Array]:
    """Return the arrays of a record by name."""
    return {name: value for name, value in vars(record).items() if isinstance(value, np.ndarray)}


@dataclass(frozen=True, eq=False)
class Rankings(SharedArrays):
    """The runs of a study as arrays.

    systems (S,), queries (Q,) and doc_ids (D,): names by axis. documents (K, S, Q): the document at each rank, as a
    place in doc_ids; -1 below the end of a list. lengths (S, Q): number of documents of each list; 0 if a system lacks
    the query. doc_ids: the retrieved documents, then the rest of the collection. added: runs that were added to the
    study, which do not change the values of the others.
    """

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    doc_ids: pd.Index
    documents: Array
    lengths: Array
    added: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Equal for equal lists that are in the cache, so that what is aligned with them is kept beside them; empty for
        others."""
        return self.documents.key if isinstance(self.documents, MappedArray) else ""

    def beside(
        self, inputs: tuple, make: Callable[[], Mapping[str, Array]], table: pd.DataFrame
    ) -> Mapping[str, Array]:
        """Return the arrays that `make` returns: for lists in the cache kept beside them. inputs: what they depend on,
        with the contents of the table."""
        return StoredArrays((*inputs, self.key, table_hash(table)), make) if self.key else make()

    @property
    def candidates(self) -> list[Array]:
        """For each query, the documents that any system retrieved for it, added systems left out unless all are added;
        as places in doc_ids."""
        own = [place for place, name in enumerate(self.systems) if name not in self.added]
        return candidate_lists(self, own or range(len(self.systems)))

    @property
    def names(self) -> frozenset[str]:
        """Names of the runs, and of the stochastic systems whose draws they are."""
        return frozenset((*self.systems, *map(system_of_run, self.systems)))

    def rows_of(self, system: str) -> list[int]:
        """Return the places of a system's runs in `systems`: one, or those of its draws. Raises ValueError for none."""
        runs = runs_by_system(self.systems).get(system, (system,))
        return [self.systems.index(run) for run in runs]

    def row_of(self, system: str) -> int:
        """Return the place in `systems` of the one list of a system for each query.

        Raises ValueError for no such system, FairvizError for a stochastic one, whose draws have a list each.
        """
        runs = runs_by_system(self.systems).get(system, (system,))
        if runs != (system,):
            raise FairvizError(
                f"{system} is the mean of {len(runs)} draws, each with lists of its own", f"Name a draw: {runs[0]}."
            )
        return self.systems.index(system)

    @property
    def depth(self) -> int:
        """K, the length of the longest list."""
        return self.documents.shape[0]

    def list_of(self, system: str, query: str) -> Array:
        """Return the documents of a list, best first, (N,); none where the system or the query is not here."""
        if system not in self.names or query not in self.queries:
            return np.zeros(0, dtype=np.int32)
        at = self.row_of(system), self.queries.index(query)
        return self.documents[: self.lengths[at], at[0], at[1]]


@dataclass(frozen=True, eq=False)
class LabelEvidence(SharedArrays):
    """Labels of one annotator. largest (D,): -1 unlabelled, 0 neutral, 1.. the groups in their order; of a document
    with shares of several groups, that of the largest share. shares (D, 1 + G): of each label, neutral first; zeros
    for an unlabelled document. None if every document has one label."""

    largest: Array
    shares: Array | None = None

    @property
    def codes(self) -> Array:
        """The labels, (D,), as `largest`. Raises FairvizError if a document has shares of several groups."""
        if self.shares is not None:
            raise FairvizError(
                "documents belong to several groups in shares, and this needs one label for each",
                "Choose an annotator without shares.",
            )
        return self.largest

    @property
    def labelled(self) -> Array:
        """Mask (D,) of documents with a label."""
        return self.largest >= 0

    def belonging(self, label: int, unlabelled: int = -1) -> Array:
        """Return the share of each document in a label, (D,). unlabelled: the label of documents without one."""
        if self.shares is None:
            return np.where(self.labelled, self.largest, unlabelled) == label
        return np.where(self.labelled, self.shares[:, label], float(unlabelled == label))

    def memberships(self, documents: Array, labels: int, unlabelled: int = -1) -> Array:
        """Return the shares of these documents (n,) in each of `labels` labels, (n, labels); see `belonging`."""
        rows = self.take(documents)
        return np.stack([rows.belonging(label, unlabelled) for label in range(labels)], axis=1).astype(np.float64)

    def take(self, documents: Array) -> "LabelEvidence":
        """Return the labels of these documents, as places in D."""
        return LabelEvidence(self.largest[documents], None if self.shares is None else self.shares[documents])

    def changed(self, codes_by_document: Mapping[int, int]) -> "LabelEvidence":
        """Return the labels with one label each for these documents."""
        documents, codes = list(codes_by_document), np.array(list(codes_by_document.values()), dtype=np.int64)
        largest, shares = self.largest.copy(), None if self.shares is None else self.shares.copy()
        largest[documents] = codes
        if shares is not None:
            shares[documents] = codes[:, None] == np.arange(shares.shape[1])
        return LabelEvidence(largest, shares)


@dataclass(frozen=True, eq=False)
class WordEvidence(SharedArrays):
    """Gender words by document: counts (D, G), tokens (D,), known (D,): see fairviz.words.counting.Counts.
    in_collection (D,): whether it is in the documents table."""

    counts: Array
    tokens: Array
    known: Array
    in_collection: Array


def align_runs(
    runs: pd.DataFrame, ties: Ties = "file", collection: Sequence[str] = (), query_ids: Sequence[str] | None = None
) -> Rankings:
    """Return the runs as Rankings, each list in the order of the tie rule (`fairviz.study.tables.ranked`).

    `query_ids` are the queries in their order, with those that no run answers; lists of others are left out. By default
    they are those that occur, in the order of their categories. `collection` adds the ids of documents that no run
    retrieved, for the background set `collection`.
    """
    ordered = ranked(runs, ties)
    _, systems = _occurring(ordered["system"])
    queries = _occurring(ordered["query_id"])[1] if query_ids is None else pd.Index(list(query_ids), dtype="str")
    query = queries.get_indexer(ordered["query_id"].cat.categories)[ordered["query_id"].cat.codes]
    if (query < 0).any():
        ordered, query = ordered[query >= 0], query[query >= 0]
    system = systems.get_indexer(ordered["system"].cat.categories)[ordered["system"].cat.codes]
    doc, names = _occurring(ordered["doc_id"])
    rank = ordered["rank"].to_numpy()
    depth = int(rank.max()) if len(rank) else 0
    place = system.astype(np.int64) * len(queries) + query
    documents = np.full((depth, len(systems) * len(queries)), -1, dtype=np.int32)
    documents[rank - 1, place] = doc
    lengths = np.bincount(place, minlength=documents.shape[1]).astype(np.int32)
    doc_ids, shape = _with_others(pd.Index(names, dtype="str"), collection), (len(systems), len(queries))
    return Rankings(tuple(systems), tuple(queries), doc_ids, documents.reshape(depth, *shape), lengths.reshape(shape))


def align_stored(stored: StoredRuns, ties: Ties, collection: Sequence[str], query_ids: Sequence[str]) -> Rankings:
    """Return runs in the cache as `align_runs` returns their table: one run after the other, so that memory is bounded
    by the longest."""
    queries = pd.Index(list(query_ids), dtype="str")
    place = queries.get_indexer(stored.queries)
    kept = place >= 0
    lengths = np.zeros((len(stored.names), len(queries)), dtype=np.int32)
    lengths[:, place[kept]] = stored.lengths[:, kept]
    depth = int(lengths.max(initial=0))
    documents = np.full((depth, *lengths.shape), -1, dtype=np.int32)
    for number in range(len(stored.names)):
        run = stored.run(number)
        order, rank = list_order(run.query, run.rank, run.score, run.document, stored.documents, ties)
        query, document = (run.query, run.document) if order is None else (run.query[order], run.document[order])
        if not kept.all():
            is_kept = kept[query]
            query, document, rank = query[is_kept], document[is_kept], rank[is_kept]
        documents[rank - 1, number, place[query]] = document
    doc_ids, occurs = stored.documents, np.ones(len(stored.documents), dtype=bool)
    if not kept.all():
        occurs[:] = False
        for at_rank in documents:
            occurs[at_rank[at_rank >= 0]] = True
    if not occurs.all():
        codes = np.append(np.cumsum(occurs, dtype=np.int32) - np.int32(1), np.int32(-1))
        documents, doc_ids = codes[documents], doc_ids[occurs]
    return Rankings(stored.names, tuple(queries), _with_others(doc_ids, collection), documents, lengths)


def _with_others(retrieved: pd.Index, collection: Sequence[str]) -> pd.Index:
    """Return the retrieved documents, then the rest of the collection."""
    others = pd.Index(list(collection), dtype="str")
    return retrieved.append(others[retrieved.get_indexer(others) < 0]) if len(others) else retrieved


def _occurring(column: pd.Series) -> tuple[Array, pd.Index]:
    """Return a column of categories as codes over the occurring ones, and these in their order.

    Counting takes a tenth of the time of pandas' `remove_unused_categories`, which sorts the codes.
    """
    codes, names = column.cat.codes.to_numpy(), column.cat.categories
    occurs = np.bincount(codes, minlength=len(names)) > 0
    if occurs.all():
        return codes, names
    return (np.cumsum(occurs, dtype=np.int32) - 1)[codes], names[occurs]


def one_list(length: int) -> Rankings:
    """Return one system's ranking of `length` documents d1, d2, … for one query, for examples."""
    names = pd.Index([f"d{rank}" for rank in range(1, length + 1)], dtype="str")
    documents = np.arange(length, dtype=np.int32).reshape(length, 1, 1)
    return Rankings(("system",), ("query",), names, documents, np.array([[length]], dtype=np.int32))


def rows_of(ids: Any, doc_ids: pd.Index) -> Array:
    """Return the row of each document of doc_ids (D,) among these ids, each there once; -1 for one that is not there.

    The few ids are hashed, not the millions that doc_ids may have.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = (pa.array(pd.Index(one, dtype="str").array, type=pa.large_string()) for one in (doc_ids, ids))
    documents, known = texts
    rows = pc.index_in(documents, value_set=known)
    return rows.fill_null(-1).to_numpy(zero_copy_only=False)


def label_evidence(labels: pd.DataFrame, doc_ids: pd.Index, neutral: str, groups: Sequence[str]) -> LabelEvidence:
    """Return the labels of one annotator (columns doc_id, label; one row a document) as codes over doc_ids, with the
    shares of documents that have some (`fairviz.study.attributes`)."""
    if not len(labels):
        return LabelEvidence(np.full(len(doc_ids), -1, dtype=np.int8))
    names = {neutral: 0, **{group: place for place, group in enumerate(groups, start=1)}}
    codes = labels["label"].map(names).fillna(-1).to_numpy(dtype=np.int64)
    rows = rows_of(labels["doc_id"], doc_ids)
    largest = np.where(rows >= 0, codes[rows], -1).astype(np.int8)
    shares = shares_of(labels, list(names))
    if shares is None:
        return LabelEvidence(largest)
    shares = np.where(np.isnan(shares), codes[:, None] == np.arange(len(names)), shares)  # one label: all of it
    return LabelEvidence(largest, np.where((largest >= 0)[:, None], shares[rows], 0.0))


def word_evidence(
    documents: pd.DataFrame, doc_ids: pd.Index, lexicon: Lexicon, tokenizer: str, groups: Sequence[str]
) -> WordEvidence:
    """Return the gender words of every document of doc_ids; title and text are counted together."""
    if not len(documents):
        return no_words(doc_ids, groups)
    rows = rows_of(documents["doc_id"], doc_ids)
    has_row = rows >= 0
    found: Counts = count_groups(document_text(documents).take(rows[has_row]), lexicon, tokenizer, groups)
    counts, tokens, known = np.zeros((len(rows), len(groups)), np.int32), np.zeros(len(rows), np.int32), has_row.copy()
    counts[has_row], tokens[has_row], known[has_row] = found.counts, found.tokens, found.known
    return WordEvidence(counts, tokens, known, has_row)


def no_words(doc_ids: pd.Index, groups: Sequence[str], collection: Sequence[str] = ()) -> WordEvidence:
    """Return the evidence of documents without text or counts: zeros, and none of them known. collection: the ids of
    the documents that are in it."""
    count = len(doc_ids)
    counts, tokens = np.zeros((count, len(groups)), dtype=np.int32), np.zeros(count, dtype=np.int32)
    in_collection = doc_ids.isin(collection) if len(collection) else np.zeros(count, dtype=bool)
    return WordEvidence(counts, tokens, np.zeros(count, dtype=bool), in_collection)


def collection_of(study: Study) -> list[str]:
    """Return the ids of all documents of the study: those with word counts if it has them."""
    return study.word_counts.doc_ids if study.word_counts else study.documents["doc_id"].tolist()


def labelled_beyond(study: Study, collection: Sequence[str]) -> list[str]:
    """Return the ids of labelled documents that are not in the collection, as of a study without texts."""
    labelled = pd.Index(study.labels["doc_id"], dtype="str").unique()
    return labelled[~labelled.isin(collection)].tolist()


def words_of(study: Study, doc_ids: pd.Index, lexicon: Lexicon, tokenizer: str, key: str = "") -> WordEvidence:
    """Return the gender words of every document of doc_ids: from the study's word counts if it has them, else counted
    in its texts. key: of the rankings, if doc_ids are those of rankings that have one.

    Raises FairvizError for word counts by another lexicon or tokenizer.
    """
    stored = study.word_counts
    if stored is None:
        return word_evidence(study.documents, doc_ids, lexicon, tokenizer, study.groups)
    if refusal := stored.refusal(lexicon, tokenizer, study.groups):
        message, remedy = refusal
        raise FairvizError(f"gender words of {study.name!r} cannot be counted: {message}", remedy)
    words = stored.counts(doc_ids, study.groups, key)
    return WordEvidence(words.counts, words.tokens, words.known, words.known)


def candidate_lists(rankings: Rankings, systems: Sequence[int]) -> list[Array]:
    """Return, for each query, the documents that any of these systems retrieved, each once, as places in doc_ids."""
    if not rankings.key:
        return _candidate_lists(rankings, systems)

    def make() -> dict[str, Array]:
        lists = _candidate_lists(rankings, systems)
        return {"documents": np.concatenate(lists), "ends": np.cumsum([len(one) for one in lists])}

    arrays = StoredArrays(("candidates", rankings.key, list(systems)), make)
    return np.split(arrays["documents"], arrays["ends"][:-1])


def _candidate_lists(rankings: Rankings, systems: Sequence[int]) -> list[Array]:
    last_place = np.full(len(rankings.doc_ids) + 1, -1, dtype=np.int64)
    lists = []
    for start in range(0, len(rankings.queries), QUERIES_AT_ONCE):
        together = rankings.documents[:, list(systems), start : start + QUERIES_AT_ONCE]
        for of_query in np.ascontiguousarray(np.moveaxis(together, 2, 0)):
            documents = of_query[of_query >= 0]
            order = np.arange(len(documents))
            last_place[documents] = order  # the last place of each document wins, so each occurs once
            lists.append(documents[last_place[documents] == order])
    return lists


def targets(study: Study) -> Array:
    """Return the wished share of each gender group, (G,), summing to 1; by default equal shares."""
    if not study.targets:
        return np.full(len(study.groups), 1 / len(study.groups))
    shares = np.array([study.targets.get(group, 0.0) for group in study.groups], dtype=np.float64)
    return shares / shares.sum()


def relevance_by_query(qrels: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Return judgements in the format of ir_measures: query to document to relevance."""
    judged: dict[str, dict[str, int]] = {}
    for query, document, relevance in zip(qrels["query_id"], qrels["doc_id"], qrels["relevance"], strict=True):
        judged.setdefault(query, {})[document] = int(relevance)
    return judged


def rankings_of(study: Study, ties: Ties, collection: Sequence[str]) -> Rankings:
    """Return the runs of a study for its queries as `align_runs` does; from the cache for a large one with a
    fingerprint, of which the ranks alone are read that are asked for."""
    if study.size("runs") < LARGE or not study.fingerprint:
        return _aligned(study, ties, collection)

    def make() -> dict[str, Array]:
        rankings = _aligned(study, ties, collection)
        texts = {}
        for name in _NAMES:
            texts[name], texts[f"{name}_offsets"] = packed_texts(pd.Index(getattr(rankings, name), dtype="str"))
        return {"documents": rankings.documents, "lengths": rankings.lengths, **texts}

    own = study.fingerprint
    if study.stored_runs is not None and not collection:  # labels and texts do not change them
        own = key_of((study.stored_runs.key, study.query_ids))
    inputs = ("rankings of queries, with labelled documents", own, ties, bool(collection))
    arrays = StoredArrays(inputs, make)
    systems, queries, doc_ids = (text_index(unpacked_texts(arrays[name], arrays[f"{name}_offsets"])) for name in _NAMES)
    documents = arrays.by_rows("documents")
    return Rankings(tuple(systems), tuple(queries), doc_ids, documents, arrays["lengths"], study.added_runs)


def _aligned(study: Study, ties: Ties, collection: Sequence[str]) -> Rankings:
    stored = study.stored_runs
    if stored is not None:
        rankings = align_stored(stored, ties, collection, study.query_ids)
    else:
        rankings = align_runs(study.runs, ties, collection, study.query_ids)
    return replace(rankings, added=study.added_runs)


@dataclass(frozen=True, eq=False)
class Tied(SharedArrays):
    """The places of tied groups that reach the cutoff, group by group and in each by rank.

    rank (M,): from 1. list (M,): system * Q + query. group (M,): 0, 1, … document (M,): a place in
    doc_ids. shape: S, Q.
    """

    rank: Array
    list: Array
    group: Array
    document: Array
    shape: tuple[int, int]

    @property
    def lists(self) -> Array:
        """Mask of lists with a tied group, (S, Q)."""
        has_ties = np.zeros(self.shape, dtype=bool)
        has_ties.ravel()[self.list] = True
        return has_ties


def tied_places(runs: pd.DataFrame, rankings: Rankings, rule: Ties, cutoff: int) -> Tied:
    """Return the tied groups that begin within the cutoff; rankings: of the same runs under the same rule."""
    ordered = ranked(runs, rule)
    group = score_groups(ordered, rule)  # (N,): rises with every change of list or score
    rank = ordered["rank"].to_numpy()
    sizes = np.bincount(group) if len(group) else np.zeros(0, dtype=np.int64)
    first = rank[np.flatnonzero(np.diff(group, prepend=-1))] if len(group) else rank
    rows = np.flatnonzero(((sizes > 1) & (first <= cutoff))[group])
    system, query = (
        pd.Index(names, dtype="str").get_indexer(pd.Index(ordered[column].iloc[rows].astype("str")))
        for column, names in (("system", rankings.systems), ("query_id", rankings.queries))
    )
    renumbered = np.unique(group[rows], return_inverse=True)[1]
    places = rank[rows].astype(np.int64)
    documents = rankings.documents[places - 1, system, query]
    return Tied(places, system * len(rankings.queries) + query, renumbered, documents, rankings.lengths.shape)


def arranger(rankings: Rankings, tied: Tied, weights: Array, depth: int) -> Callable[[Array], Rankings]:
    """Return a function of keys (M,), of the document at each tied place, to rankings cut at `depth`.

    In each tied group, the document of the largest key takes the heaviest place. weights (depth,): of each rank, 0
    below.
    """
    heavy = np.append(weights, 0.0)[np.minimum(tied.rank, depth + 1) - 1]
    place_order = np.lexsort((tied.rank, -heavy, tied.group))
    rank, list_codes = tied.rank[place_order], tied.list[place_order]
    within_cutoff = rank <= min(depth, len(rankings.documents))
    rank, list_codes = rank[within_cutoff] - 1, list_codes[within_cutoff]

    def arrange(key: Array) -> Rankings:
        document_order = np.lexsort((-key, tied.group))[within_cutoff]
        documents = rankings.documents[:depth].copy()
        documents.reshape(len(documents), -1)[rank, list_codes] = tied.document[document_order]
        return replace(rankings, documents=documents)

    return arrange


def countable(tied: Tied) -> Array:
    """Return the number of orders of each list, (S * Q,), 0 for more than MOST_ORDERS."""
    _, first, size = np.unique(tied.group, return_index=True, return_counts=True)
    orders = np.ones(np.prod(tied.shape, dtype=int))
    for members, list_code in zip(size.tolist(), tied.list[first].tolist(), strict=True):
        orders[list_code] *= factorial(members) if members <= _LARGEST else MOST_ORDERS + 1
    return np.where(orders <= MOST_ORDERS, orders, 0).astype(np.int64)


def every_order(tied: Tied) -> Iterator[Array]:
    """Yield keys (M,) for all orders of every list with at most MOST_ORDERS."""
    if not len(tied.group):
        return
    _, first, group_numbers, size = np.unique(tied.group, return_index=True, return_inverse=True, return_counts=True)
    position = np.arange(len(tied.group)) - first[group_numbers]
    small = np.minimum(size, _LARGEST)
    number = np.array([factorial(members) for members in small.tolist()])
    stride = _strides(tied.list[first], number)
    table = np.zeros((_LARGEST + 1, MOST_ORDERS, _LARGEST))
    for members in range(1, _LARGEST + 1):
        for place, order in enumerate(permutations(range(members))):
            table[members, place, :members] = order
    for turn in range(int(countable(tied).max(initial=0))):
        digit = turn // stride % number
        yield table[small[group_numbers], digit[group_numbers], np.minimum(position, _LARGEST - 1)]


def _strides(lists: Array, number: Array) -> Array:
    """Return, for each group, the number of joint orders of the earlier groups of its list."""
    joint_orders: dict[int, int] = {}
    strides = []
    for list_code, orders in zip(lists.tolist(), number.tolist(), strict=True):
        stride = min(joint_orders.get(list_code, 1), 10**9)
        strides.append(stride)
        joint_orders[list_code] = stride * orders
    return np.array(strides, dtype=np.int64)
