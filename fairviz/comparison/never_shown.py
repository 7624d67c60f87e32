"""The documents that appear in no list within the cutoff, the attention that each document gets, and shares by group.

Axis letters: S systems, Q queries, D documents of the pool, R retrieved documents, L links of a document to a query, C
clusters.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.choices import (
    aligned_runs,
    bias_to_depth,
    chosen_labels,
    chosen_queries,
    chosen_systems,
    judgements,
)
from fairviz.evaluation.settings import Settings
from fairviz.measures.rankings import Rankings, collection_of, label_evidence
from fairviz.statistics.intervals import ClusteredShare, clustered_share
from fairviz.study.record import Study

Array = np.ndarray
PoolName = Literal["relevant", "candidates", "all"]
POOLS: tuple[PoolName, ...] = ("relevant", "candidates", "all")


@dataclass(frozen=True, eq=False)
class PoolExposure:
    """The documents of a pool, and where each system shows them.

    systems (S,), queries (Q,), doc_ids (D,): names. codes (D,): -1 without a label, 0 neutral, 1.. the groups; names:
    of the labels, neutral first. best_ranks (S, R + 1): the best rank of a retrieved document over all queries, 0
    without one. exposures (S, R + 1): its attention within the cutoff, summed over queries. place (D,): a document's
    column of these; the last is of documents that no system retrieved. links (2, L): the place of a document, and of a
    query that it is relevant to, or a candidate of.
    """

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    doc_ids: pd.Index
    codes: Array
    names: tuple[str, ...]
    best_ranks: Array
    exposures: Array
    place: Array
    links: Array
    cutoff: int

    def ranks(self, system: str) -> Array:
        """Return the best rank of each document in any list of the system, (D,); 0 without one."""
        return self.best_ranks[self.systems.index(system), self.place]

    def never(self, system: str) -> Array:
        """Return whether each document appears in no list of the system within the cutoff, (D,)."""
        ranks = self.ranks(system)
        return (ranks == 0) | (ranks > self.cutoff)

    def exposure(self, system: str) -> Array:
        """Return the attention that each document gets within the cutoff, summed over queries, (D,)."""
        return self.exposures[self.systems.index(system), self.place]

    def is_in(self, group: str) -> Array:
        """Return whether each document has this label, (D,)."""
        return self.codes == self.names.index(group)


def pool_exposure(
    study: Study, settings: Settings, documents: str = "relevant", queries: Collection[str] = ()
) -> PoolExposure:
    """Return where the systems of the settings show each document of the pool.

    documents: `relevant`, those with a relevance above 0 for a query; `candidates`, those that any system, an added one
    aside, retrieved for a query; `all`, also every other document of the study. Queries are the study's
    that the filter keeps, and of these the ones in `queries` if there are any. Documents without a label are
    neutral if the settings count them so, and else in no group. Raises UsageError for another pool, FairvizError where
    the study lacks runs, labels, or for `relevant` judgements.
    """
    _check(study, documents)
    rankings = aligned_runs(study, settings)
    query_ids = [query for query in chosen_queries(study, settings) if not queries or query in queries]
    doc_ids, links = _pool(study, rankings, query_ids, documents)
    codes = label_evidence(chosen_labels(study, settings), doc_ids, study.neutral, study.groups).codes
    if settings.unlabelled == "neutral":
        codes = np.where(codes < 0, 0, codes)
    systems = chosen_systems(study, settings)
    rows = [rankings.rows_of(name) for name in systems]
    places_of = {query: place for place, query in enumerate(rankings.queries)}
    columns = [places_of[query] for query in query_ids]
    listed = rankings.documents[:, :, columns]  # (K, runs, Q)
    depth = max(rankings.depth, settings.cutoff)
    weights = bias_to_depth(settings, depth).weights(settings.cutoff)
    count = len(rankings.doc_ids)
    ranks, attention = best_ranks(listed, count), exposures(listed, weights, count)
    place = rankings.doc_ids.get_indexer(doc_ids)
    return PoolExposure(
        systems, tuple(query_ids), doc_ids, codes, (study.neutral, *study.groups),
        np.stack([best_of_draws(ranks[row]) for row in rows]), np.stack([attention[row].mean(axis=0) for row in rows]),
        np.where(place < 0, count, place), links, settings.cutoff,
    )  # fmt: skip


def _check(study: Study, pool: str) -> None:
    if pool not in POOLS:
        raise UsageError(f"there is no pool of documents {pool!r}", use_one_of(POOLS, pool))
    for part, what, remedy in (
        ("runs", "runs", "Add runs/NAME.run (TREC format, 6 columns)."),
        ("labels", "gender labels", "Add labels.csv with the columns doc_id, label, or run `fairviz annotate`."),
    ):
        if not study.has(part):
            raise FairvizError(f"{study.name} has no {what}", remedy)
    if pool == "relevant" and not study.has("qrels"):
        raise FairvizError(
            f"{study.name} has no relevance judgements", "Add qrels.txt, or use the documents `candidates` or `all`."
        )


def _pool(study: Study, rankings: Rankings, queries: Sequence[str], pool: str) -> tuple[pd.Index, Array]:
    """Return the documents of the pool (D,), and their links (2, L)."""
    pairs: list[tuple[str, int]] = []
    if pool != "candidates":
        judged = judgements(study)
        pairs += [
            (document, place)
            for place, query in enumerate(queries)
            for document, relevance in judged.get(query, {}).items()
            if relevance > 0
        ]
    documents, places = [np.array([name for name, _ in pairs], dtype=object)], [np.array([at for _, at in pairs], int)]
    if pool != "relevant":
        candidates = dict(zip(rankings.queries, rankings.candidates, strict=True))
        for place, query in enumerate(queries):
            retrieved = candidates[query]
            documents.append(rankings.doc_ids[retrieved].to_numpy(dtype=object))
            places.append(np.full(len(retrieved), place))
    linked = pd.DataFrame({"doc_id": np.concatenate(documents), "query": np.concatenate(places)}).drop_duplicates()
    others = collection_of(study) if pool == "all" else []
    doc_ids = pd.Index(linked["doc_id"], dtype="str").append(pd.Index(others, dtype="str")).unique()
    return doc_ids, np.stack([doc_ids.get_indexer(pd.Index(linked["doc_id"], dtype="str")), linked["query"]])


def best_ranks(listed: Array, count: int) -> Array:
    """Return the best rank of each document over all queries, (K, S, Q) to (S, R + 1); 0 where no list contains it.

    listed: places of documents by rank, system and query, -1 below the end of a list. count: R.

    >>> best_ranks(np.array([[[0, 2]], [[2, -1]]]), 3)  # lists d0, d2 and d2
    array([[1, 0, 1, 0]], dtype=int32)
    """
    ranks = np.zeros((listed.shape[1], count + 1), dtype=np.int32)
    systems = np.arange(listed.shape[1])[:, None]
    for rank in range(len(listed), 0, -1):
        ranks[systems, np.where(listed[rank - 1] < 0, count, listed[rank - 1])] = rank
    ranks[:, count] = 0
    return ranks


def best_of_draws(ranks: Array) -> Array:
    """Return the best rank in any draw of a system, (draws, R + 1) to (R + 1,); 0 where no draw shows the document.

    >>> best_of_draws(np.array([[0, 3, 0], [0, 0, 2]])).tolist()
    [0, 3, 2]
    """
    unseen = np.iinfo(ranks.dtype).max
    best = np.where(ranks == 0, unseen, ranks).min(axis=0)
    return np.where(best == unseen, 0, best)


def exposures(listed: Array, weights: Array, count: int) -> Array:
    """Return each document's attention summed over queries, (K, S, Q) to (S, R + 1). weights (k,): by rank; others as
    in `best_ranks`.

    >>> exposures(np.array([[[0, 2]], [[2, -1]]]), np.array([1.0, 0.5]), 3)
    array([[1. , 0. , 1.5, 0. ]])
    """
    top = listed[: len(weights)]
    sums = np.zeros((top.shape[1], count + 1))
    for system in range(top.shape[1]):
        of_system = np.where(top[:, system] < 0, count, top[:, system])  # (k, Q)
        by_rank = np.broadcast_to(weights[: len(top), None], of_system.shape)
        sums[system] = np.bincount(of_system.ravel(), by_rank.ravel(), minlength=count + 1)
    sums[:, count] = 0
    return sums


# --- shares, with the queries as clusters ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Clusters:
    """The documents of a group by query: a document of several queries counts in each by the same part of 1, and one
    of no query is a cluster of its own.

    document and cluster (L',): places, weights (L',): the part. count: C.
    """

    document: Array
    cluster: Array
    weights: Array
    count: int

    def sums(self, values: Array) -> Array:
        """Return the sum of a number (D,) over the documents of each cluster, (C,)."""
        return np.bincount(self.cluster, self.weights * values[self.document], minlength=self.count)


def clusters_of(pool: PoolExposure) -> Clusters:
    """Return the clusters of all documents of the pool; the first Q are the queries."""
    document, query = pool.links
    links = np.bincount(document, minlength=len(pool.doc_ids))
    alone = np.flatnonzero(links == 0)
    queries = len(pool.queries)
    return Clusters(
        np.concatenate([document, alone]),
        np.concatenate([query, queries + np.arange(len(alone))]),
        np.concatenate([1 / links[document], np.ones(len(alone))]),
        queries + len(alone),
    )


def share_of(clusters: Clusters, is_counted: Array, is_in_group: Array) -> ClusteredShare:
    """Return the share of the counted documents in a group, (D,) flags each."""
    totals = clusters.sums(is_in_group.astype(np.float64))
    return clustered_share(clusters.sums((is_in_group & is_counted).astype(np.float64)), totals)


def lorenz(exposures: Array) -> tuple[Array, Array]:
    """Return the Lorenz curve, (N + 1,) each: cumulative shares of documents, those of least exposure first, and of
    exposure, from 0 to 1 (Lorenz, Publications of the American Statistical Association 9, 1905).

    exposures (N,): 0 or more. Shares of exposure are NaN where the sum is 0, and both arrays are empty for no document.

    >>> documents, exposure = lorenz(np.array([3.0, 0.0, 1.0, 0.0]))
    >>> documents.tolist(), exposure.tolist()
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.0, 0.0, 0.25, 1.0])
    """
    count = len(exposures)
    if not count:
        return np.array([]), np.array([])
    running = np.concatenate([[0.0], np.cumsum(np.sort(exposures))])
    total = running[-1]
    return np.arange(count + 1) / count, running / total if total > 0 else np.full(count + 1, np.nan)


def gini(exposures: Array) -> float:
    """Return the Gini coefficient: twice the area between the Lorenz curve and the diagonal, from 0 (all alike) to
    1 − 1 / N (a single document has all exposure); NaN where the sum is 0.

    G = Σ (2 i − N − 1) x₍ᵢ₎ / (N Σ x), x₍₁₎ ≤ … ≤ x₍N₎.

    >>> gini(np.array([3.0, 0.0, 1.0, 0.0]))  # (-3 · 0 − 1 · 0 + 1 · 1 + 3 · 3) / (4 · 4)
    0.625
    """
    total, count = exposures.sum(), len(exposures)
    if not total > 0:
        return np.nan
    places = 2 * np.arange(1, count + 1) - count - 1
    return float((places * np.sort(exposures)).sum() / (count * total))


def thinned(x: Array, y: Array, most: int) -> tuple[Array, Array]:
    """Return at most about this number of points of a curve, ends and the last point of the flat start included."""
    if len(x) <= most:
        return x, y
    flat = int(np.searchsorted(y, 0.0, side="right")) - 1 if y[0] == 0 else 0
    places = np.unique(np.concatenate([np.linspace(0, len(x) - 1, most).astype(int), [max(flat, 0)]]))
    return x[places], y[places]
