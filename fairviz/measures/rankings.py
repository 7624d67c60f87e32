"""Tables in, aligned arrays out: the only border between pandas and numpy.

Axis letters: S systems, Q queries, K ranks, G gender groups, D documents. Arrays over ranks are rank-major,
(K, S, Q): a cutoff is one contiguous slice, and a running sum adds whole rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.study.study import Study
from fairviz.study.tables import Ties, ranked
from fairviz.words.counting import Counts, Lexicon, count_groups, document_text

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Rankings:
    """The runs of a study as arrays.

    systems (S,), queries (Q,) and doc_ids (D,): names by axis. documents (K, S, Q): the document at each rank, as a
    place in doc_ids; -1 below the end of a list. lengths (S, Q): how many documents each list holds; 0 where a system
    lacks the query. doc_ids begins with what was retrieved; the rest of the collection follows. added: systems that
    were added to the study, which move no value of the others.
    """

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    doc_ids: pd.Index
    documents: Array
    lengths: Array
    added: tuple[str, ...] = ()

    @property
    def candidates(self) -> list[Array]:
        """For each query, the documents that any system retrieved for it, added systems left out unless all are added;
        as places in doc_ids."""
        own = [place for place, name in enumerate(self.systems) if name not in self.added]
        return candidate_lists(self, own or range(len(self.systems)))

    @property
    def depth(self) -> int:
        """K, the length of the longest list."""
        return self.documents.shape[0]


@dataclass(frozen=True, eq=False)
class LabelEvidence:
    """Labels of one annotator. codes (D,): -1 unlabelled, 0 neutral, 1.. the gender groups in the study's order."""

    codes: Array


@dataclass(frozen=True, eq=False)
class WordEvidence:
    """Gender words by document: counts (D, G), tokens (D,), known (D,) whether its text is there, as
    fairviz.words.counting.Counts. in_collection (D,): whether the documents table names it."""

    counts: Array
    tokens: Array
    known: Array
    in_collection: Array


def align_runs(runs: pd.DataFrame, ties: Ties = "file", collection: Sequence[str] = ()) -> Rankings:
    """The runs as Rankings, each list in the order of the tie rule (`fairviz.study.tables.ranked`).

    Queries come in the order of their categories, those in no run left out. `collection` adds the ids of documents
    that no run retrieved, which only the background set `collection` needs.
    """
    ordered = ranked(runs, ties)
    (system, systems), (query, queries), (doc, names) = (
        _occurring(ordered[name]) for name in ("system", "query_id", "doc_id")
    )
    rank = ordered["rank"].to_numpy()
    depth = int(rank.max()) if len(rank) else 0
    place = system.astype(np.int64) * len(queries) + query
    documents = np.full((depth, len(systems) * len(queries)), -1, dtype=np.int32)
    documents[rank - 1, place] = doc
    lengths = np.bincount(place, minlength=documents.shape[1]).astype(np.int32)
    retrieved = pd.Index(names, dtype="str")
    others = pd.Index(list(collection), dtype="str")
    others = others[retrieved.get_indexer(others) < 0] if len(others) else others
    shape = (len(systems), len(queries))
    return Rankings(
        tuple(systems),
        tuple(queries),
        retrieved.append(others),
        documents.reshape(depth, *shape),
        lengths.reshape(shape),
    )


def _occurring(column: pd.Series) -> tuple[Array, pd.Index]:
    """A column of categories as codes over those that occur, and these in their order. Counting them takes a tenth of
    the time of pandas' `remove_unused_categories`, which sorts the codes."""
    codes, names = column.cat.codes.to_numpy(), column.cat.categories
    there = np.bincount(codes, minlength=len(names)) > 0
    if there.all():
        return codes, names
    return (np.cumsum(there, dtype=np.int32) - 1)[codes], names[there]


def one_list(length: int) -> Rankings:
    """One system's ranking of `length` documents d1, d2, … for one query: what examples are made of."""
    names = pd.Index([f"d{rank}" for rank in range(1, length + 1)], dtype="str")
    documents = np.arange(length, dtype=np.int32).reshape(length, 1, 1)
    return Rankings(("system",), ("query",), names, documents, np.array([[length]], dtype=np.int32))


def label_evidence(labels: pd.DataFrame, doc_ids: pd.Index, neutral: str, groups: Sequence[str]) -> LabelEvidence:
    """The labels of one annotator (columns doc_id, label; one row a document) as codes over doc_ids."""
    if not len(labels):
        return LabelEvidence(np.full(len(doc_ids), -1, dtype=np.int8))
    names = {neutral: 0, **{group: place for place, group in enumerate(groups, start=1)}}
    codes = labels["label"].map(names).fillna(-1).to_numpy(dtype=np.int64)
    rows = pd.Index(labels["doc_id"], dtype="str").get_indexer(doc_ids)
    return LabelEvidence(np.where(rows >= 0, codes[rows], -1).astype(np.int8))


def word_evidence(
    documents: pd.DataFrame, doc_ids: pd.Index, lexicon: Lexicon, tokenizer: str, groups: Sequence[str]
) -> WordEvidence:
    """The gender words of every document of doc_ids; title and text are counted together."""
    counts = np.zeros((len(doc_ids), len(groups)), dtype=np.int32)
    tokens, known = np.zeros(len(doc_ids), dtype=np.int32), np.zeros(len(doc_ids), dtype=bool)
    if not len(documents):
        return WordEvidence(counts, tokens, known, np.zeros(len(doc_ids), dtype=bool))
    rows = pd.Index(documents["doc_id"], dtype="str").get_indexer(doc_ids)
    there = rows >= 0
    found: Counts = count_groups(document_text(documents).take(rows[there]), lexicon, tokenizer, groups)
    counts[there], tokens[there], known[there] = found.counts, found.tokens, found.known
    return WordEvidence(counts, tokens, known, there)


def candidate_lists(rankings: Rankings, systems: Sequence[int]) -> list[Array]:
    """For each query, the documents that any of these systems retrieved for it, each once, as places in doc_ids."""
    seen_at = np.full(len(rankings.doc_ids) + 1, -1, dtype=np.int64)
    lists = []
    for query in range(len(rankings.queries)):
        documents = rankings.documents[:, list(systems), query].ravel()
        documents = documents[documents >= 0]
        order = np.arange(len(documents))
        seen_at[documents] = order  # the last place of each document wins, so each is kept once
        lists.append(documents[seen_at[documents] == order])
    return lists


def targets(study: Study) -> Array:
    """The wished share of each gender group, (G,), summing to 1; equal unless the study says otherwise."""
    if not study.targets:
        return np.full(len(study.groups), 1 / len(study.groups))
    shares = np.array([study.targets.get(group, 0.0) for group in study.groups], dtype=np.float64)
    return shares / shares.sum()


def relevance_by_query(qrels: pd.DataFrame) -> dict[str, dict[str, int]]:
    """Judgements as ir_measures takes them: query to document to relevance."""
    judged: dict[str, dict[str, int]] = {}
    for query, document, relevance in zip(qrels["query_id"], qrels["doc_id"], qrels["relevance"], strict=True):
        judged.setdefault(query, {})[document] = int(relevance)
    return judged
