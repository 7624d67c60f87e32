"""Two annotators: accuracy, Cohen's kappa and their confusion, one against a reference or every pair."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.clusters import cluster_codes, tables_by_query
from fairviz.annotation.agreement.coefficients import accuracy, cohen_kappa, interval, resample_tables
from fairviz.annotation.agreement.votes import Array, Votes, read_votes
from fairviz.statistics.bootstrap import RESAMPLES, resampling_weights

COMMON = 20  # documents in common below which a pair's kappa is too uncertain
MOST_INTERVALS = 2000  # pairs with intervals, those with the most documents first
_VALUES = ("accuracy", "accuracy_low", "accuracy_high", "kappa", "kappa_low", "kappa_high")


def against(
    labels: pd.DataFrame,
    reference: str,
    domain: Sequence[str] = (),
    resamples: int = RESAMPLES,
    seed: int = 0,
    queries: dict[str, str] | None = None,
) -> pd.DataFrame:
    """Return annotator, documents, accuracy and kappa with their intervals: each other annotator against the reference.

    documents: the number that both labelled; at 0 all values are NaN. Annotators in order of appearance. queries: of
    documents; intervals then draw queries with all their documents, else documents. NaN bounds with fewer than two.
    """
    votes = read_votes(labels, domain)
    others = [place for place, name in enumerate(votes.annotators) if name != reference]
    tables = _tables_against(votes, reference)[others]
    rows = [(votes.annotators[place], int(table.sum())) for place, table in zip(others, tables, strict=True)]
    frame = pd.DataFrame(rows, columns=["annotator", "documents"]).astype({"annotator": "str"})
    drawn = None
    if queries is not None and reference in votes.annotators:
        place = votes.annotators.index(reference)
        drawn = _Clusters(votes, queries, [(place, other) for other in others])
    return frame.join(_coefficients(tables, np.ones(len(tables), dtype=bool), resamples, seed, drawn))


def pairwise(
    labels: pd.DataFrame,
    domain: Sequence[str] = (),
    common: int = COMMON,
    resamples: int = RESAMPLES,
    seed: int = 0,
    queries: dict[str, str] | None = None,
) -> pd.DataFrame:
    """Return first, second, documents, accuracy and kappa with intervals: every pair with `common` documents or more.

    Pairs in order of the annotators' appearance. queries: see `against`. Beyond 2,000 pairs, those with the fewest
    documents have no interval.
    """
    votes = read_votes(labels, domain)
    first, second = np.triu_indices(len(votes.annotators), k=1)
    tables = _tables_of_pairs(votes)[:, :, first, second].transpose(2, 0, 1)  # (P, L, L)
    sizes = tables.sum(axis=(1, 2))
    pairs = np.flatnonzero(sizes >= max(common, 1))
    names = np.array(votes.annotators, dtype=object)
    frame = pd.DataFrame(
        {"first": names[first[pairs]], "second": names[second[pairs]], "documents": sizes[pairs].astype(np.int64)}
    ).astype({"first": "str", "second": "str"})
    has_interval = np.zeros(len(pairs), dtype=bool)
    has_interval[np.argsort(-sizes[pairs], kind="stable")[:MOST_INTERVALS]] = True
    annotators = list(zip(first[pairs].tolist(), second[pairs].tolist(), strict=True))
    drawn = None if queries is None else _Clusters(votes, queries, annotators)
    return frame.join(_coefficients(tables[pairs], has_interval, resamples, seed, drawn))


def confusions(labels: pd.DataFrame, reference: str, domain: Sequence[str] = ()) -> pd.DataFrame:
    """Return annotator, reference, said, documents: the confusion of every other annotator with the reference."""
    votes = read_votes(labels, domain)
    others = [place for place, name in enumerate(votes.annotators) if name != reference]
    tables = _tables_against(votes, reference)[others]
    annotator_codes, reference_codes, label_codes = np.indices(tables.shape).reshape(3, -1)
    names, label_names = np.array(votes.annotators, dtype=object)[others], np.array(votes.labels, dtype=object)
    frame = pd.DataFrame(
        {
            "annotator": names[annotator_codes],
            "reference": label_names[reference_codes],
            "said": label_names[label_codes],
        }
    )
    return frame.astype("str").assign(documents=tables.ravel().astype(np.int64))


def _tables_against(votes: Votes, reference: str) -> Array:
    """Return (A, L, L): documents by the reference's label, then by each annotator's."""
    shape = (len(votes.annotators), len(votes.labels), len(votes.labels))
    if reference not in votes.annotators:
        return np.zeros(shape, dtype=np.int64)
    by_reference = votes.annotator == votes.annotators.index(reference)
    reference_codes = np.full(len(votes.doc_ids), -1)
    reference_codes[votes.document[by_reference]] = votes.label[by_reference]
    expected = reference_codes[votes.document]  # (V,)
    has_reference = expected >= 0
    cells = np.ravel_multi_index(
        (votes.annotator[has_reference], expected[has_reference], votes.label[has_reference]), shape
    )
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)


def _tables_of_pairs(votes: Votes) -> Array:
    """Return (L, L, A, A): documents by the labels of the first and the second annotator, by sparse products."""
    from scipy import sparse

    size, shape = len(votes.labels), (len(votes.annotators), len(votes.doc_ids))
    votes_by_label = []
    for label in range(size):
        rows = votes.label == label
        ones = np.ones(int(rows.sum()), dtype=np.int32)
        votes_by_label.append(sparse.csr_array((ones, (votes.annotator[rows], votes.document[rows])), shape=shape))
    tables = [(first @ second.T).toarray() for first in votes_by_label for second in votes_by_label]
    return np.array(tables, dtype=np.int32).reshape(size, size, shape[0], shape[0])


class _Clusters:
    """The documents of pairs of annotators by query. pairs: the places of two annotators each."""

    def __init__(self, votes: Votes, queries: dict[str, str], pairs: Sequence[tuple[int, int]]) -> None:
        self._clusters, self._pairs, self._labels = cluster_codes(votes.doc_ids, queries), pairs, len(votes.labels)
        self._order = np.argsort(votes.annotator, kind="stable")
        self._ends = np.searchsorted(votes.annotator[self._order], np.arange(len(votes.annotators) + 1))
        self._votes = votes

    def tables(self, place: int) -> Array:
        """Return the counts of a pair by query and by both labels, (Q, L, L)."""
        first, second = (self._codes(annotator) for annotator in self._pairs[place])
        both = (first >= 0) & (second >= 0)
        return tables_by_query(self._clusters[both], first[both], second[both], self._labels)

    def _codes(self, annotator: int) -> Array:
        """Return an annotator's label of each document (D,), -1 without one."""
        rows = self._order[self._ends[annotator] : self._ends[annotator + 1]]
        codes = np.full(len(self._votes.doc_ids), -1)
        codes[self._votes.document[rows]] = self._votes.label[rows]
        return codes


def _coefficients(
    tables: Array, has_interval: Array, resamples: int, seed: int, drawn: _Clusters | None
) -> pd.DataFrame:
    """Return accuracy and kappa of tables (P, L, L), with intervals where `has_interval` (P,)."""
    values = np.full((len(tables), len(_VALUES)), np.nan)
    values[:, 0], values[:, 3] = accuracy(tables), cohen_kappa(tables)
    for place in np.flatnonzero(has_interval & (tables.sum(axis=(1, 2)) > 1)):
        if drawn is None:
            samples = resample_tables(tables[place], resamples, seed)
        elif len(by_query := drawn.tables(int(place))) > 1:
            samples = np.tensordot(resampling_weights(len(by_query), resamples, seed), by_query, axes=1)  # (B, L, L)
        else:
            continue
        values[place, 1:3] = interval(accuracy(samples))
        values[place, 4:6] = interval(cohen_kappa(samples))
    return pd.DataFrame(values, columns=list(_VALUES))
