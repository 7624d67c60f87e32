"""Positions of documents in the lists: ranks in every system, exposure received, and neighbours."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.evaluation.choices import aligned, chosen_queries, chosen_systems
from fairviz.evaluation.scores import bias_of
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study
from fairviz.study.tables import expanded

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Occurrences:
    """The places of all lists, sorted by document, so that those of one document are a slice.

    order (N,): indices of the flattened (K, S, Q), by document, then by rank, without -1. starts
    (D + 1,): the start of each document in `order`.
    """

    rankings: AlignedRankings
    order: Array
    starts: Array

    def of(self, doc_id: str) -> pd.DataFrame:
        """Return the document's positions: system, query_id, rank, best rank first; empty if no run retrieved it."""
        lists = self.rankings.lists
        document = int(lists.doc_ids.get_indexer(pd.Index([doc_id], dtype="str"))[0])
        flat = self.order[self.starts[document] : self.starts[document + 1]] if document >= 0 else self.order[:0]
        rank, system, query = np.unravel_index(flat, lists.documents.shape)
        return pd.DataFrame(
            {
                "system": np.array(lists.systems, dtype=object)[system],
                "query_id": np.array(lists.queries, dtype=object)[query],
                "rank": rank + 1,
            }
        )

    def best(self, doc_ids: list[str]) -> list[tuple[str, int]]:
        """Return each document's best rank and its query; "" and 0 if it was not retrieved."""
        lists = self.rankings.lists
        best_ranks = []
        for document in lists.doc_ids.get_indexer(pd.Index(doc_ids, dtype="str")):
            if document < 0 or self.starts[document] == self.starts[document + 1]:
                best_ranks.append(("", 0))
                continue
            rank, _, query = np.unravel_index(self.order[self.starts[document]], lists.documents.shape)
            best_ranks.append((lists.queries[query], int(rank) + 1))
        return best_ranks


def occurrences(rankings: AlignedRankings) -> Occurrences:
    """Return the places of all lists by document, from one stable sort."""
    flat = rankings.lists.documents.ravel()
    order = np.argsort(flat, kind="stable")[int((flat < 0).sum()) :]
    kind = np.int32 if flat.size < np.iinfo(np.int32).max else np.int64
    counts = np.bincount(flat[flat >= 0], minlength=len(rankings.lists.doc_ids))
    return Occurrences(rankings, order.astype(kind), np.concatenate([[0], np.cumsum(counts)]))


def shares(settings: Settings, rankings: AlignedRankings, documents: Array) -> Array:
    """Return the share of its list's attention that each place receives within the cutoff, in the shape of documents.

    documents (K, …): document indices by rank, -1 for none. Shares of a list sum to 1, those below the cutoff are 0; a
    list shorter than the cutoff is normalised by its own length.
    """
    weights = np.zeros(len(documents))
    depth = min(settings.cutoff, len(documents))
    weights[:depth] = bias_of(rankings, settings, settings.cutoff).weights(settings.cutoff)[:depth]
    list_weights = weights.reshape(-1, *[1] * (documents.ndim - 1)) * (documents >= 0)
    total = list_weights.sum(axis=0)
    return np.divide(list_weights, total, out=np.zeros_like(list_weights), where=total > 0)


def exposure(study: Study, settings: Settings, rankings: AlignedRankings, doc_ids: pd.Index, query: str = "") -> Array:
    """Return the mean share of attention of each of doc_ids over the settings' systems and queries, or one query, (D,).

    Only lists with the document count; 0 for ranks below the cutoff, NaN without any list.
    """
    orders = aligned(study, settings, rankings).lists
    systems = [row for name in chosen_systems(study, settings) for row in orders.rows_of(name)]
    names = (query,) if query in orders.queries else chosen_queries(study, settings)
    queries = [orders.queries.index(name) for name in names]
    top = orders.documents[: settings.cutoff][:, systems][:, :, queries]
    documents, share = top.ravel(), shares(settings, rankings, top).ravel()
    has_document = documents >= 0
    lists = int((orders.lengths[np.ix_(systems, queries)] > 0).sum())
    total = np.bincount(documents[has_document], share[has_document], minlength=len(orders.doc_ids)) / max(lists, 1)
    rows = orders.doc_ids.get_indexer(doc_ids)
    return np.where(rows >= 0, total[rows], 0.0) if lists else np.full(len(doc_ids), np.nan)


def reached(rankings: AlignedRankings, doc_ids: pd.Index, system: str, first: int, last: int, query: str = "") -> Array:
    """Return whether each of doc_ids is at ranks first..last (0: to the end) of the system (any if empty), (D,).

    query: only in its lists.
    """
    lists = rankings.lists
    systems = lists.rows_of(system) if system in lists.names else list(range(len(lists.systems)))
    queries = [lists.queries.index(query)] if query in lists.queries else list(range(len(lists.queries)))
    stop = last if last > 0 else lists.depth
    documents = lists.documents[max(first, 1) - 1 : stop][:, systems][:, :, queries]
    is_reached = np.zeros(len(lists.doc_ids) + 1, dtype=bool)
    is_reached[documents.ravel()] = True
    is_reached[-1] = False  # where -1 points: no document
    return is_reached[lists.doc_ids.get_indexer(doc_ids)]


def ranks_in(rankings: AlignedRankings, doc_ids: pd.Index, system: str, query: str) -> Array:
    """Return the rank of each of doc_ids in one list, from 1, (D,); NaN for documents that are not in it."""
    lists = rankings.lists
    documents = lists.list_of(system, query)
    ranks = np.full(len(lists.doc_ids) + 1, np.nan)
    ranks[documents] = np.arange(1, len(documents) + 1)
    ranks[-1] = np.nan  # where -1 points: no document of a list
    return ranks[lists.doc_ids.get_indexer(doc_ids)]


def neighbours(rankings: AlignedRankings, system: str, query: str, rank: int, around: int = 2) -> pd.DataFrame:
    """Return the documents around a rank of one list: rank, doc_id; from `around` before it to `around` after."""
    lists = rankings.lists
    documents = lists.list_of(system, query)
    low, high = max(rank - around, 1), min(rank + around, len(documents))
    return pd.DataFrame(
        {"rank": np.arange(low, high + 1), "doc_id": lists.doc_ids[documents[low - 1 : high]].to_numpy()}
    )


def received(
    study: Study, settings: Settings, rankings: AlignedRankings, frame: pd.DataFrame, query: str
) -> pd.DataFrame:
    """Return what a document receives for one query: system, rank (0 if not retrieved), share of the list's attention.

    A row per shown system. frame: from `Occurrences.of`.
    """
    rows = frame[frame["query_id"] == query].drop_duplicates("system").set_index("system")["rank"]
    share = shares(settings, rankings, rankings.lists.documents[:, :, rankings.lists.queries.index(query)])
    table = []
    for system in expanded(chosen_systems(study, settings), study.run_names):
        rank = int(rows.get(system, 0))
        at = share[rank - 1, rankings.lists.systems.index(system)] if 0 < rank <= len(share) else 0.0
        table.append((system, rank, float(at)))
    return pd.DataFrame(table, columns=["system", "rank", "share"])
