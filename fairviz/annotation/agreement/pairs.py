"""Two annotators: accuracy, Cohen's kappa and their confusion, one against a reference or every pair."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.coefficients import (
    accuracy,
    cluster_codes,
    cohen_kappa,
    interval,
    resample_tables,
    tables_by_query,
)
from fairviz.annotation.agreement.votes import Array, Fit, Votes, fit, majority, read_votes
from fairviz.statistics.intervals import RESAMPLES, resampling_weights

COMMON = 20  # documents in common below which a pair's kappa is too uncertain
MOST_REFITS = 20  # voters up to which Dawid and Skene's model is fitted again without each
MOST_LISTED = 20  # voters up to which all of their pairs are listed
MOST_INTERVALS = 2000  # pairs with intervals, those with the most documents first
VALUES = ("accuracy", "accuracy_low", "accuracy_high", "kappa", "kappa_low", "kappa_high")


def against(
    labels: pd.DataFrame,
    reference: str,
    domain: Sequence[str] = (),
    resamples: int = RESAMPLES,
    seed: int = 0,
    queries: dict[str, str] | None = None,
    voters: Sequence[str] = (),
    consensuses: Sequence[str] = (),
) -> pd.DataFrame:
    """Return annotator, documents, accuracy and kappa with their intervals, and reason: each other annotator against
    the reference.

    documents: the number that both labelled; at 0 all values are NaN. Annotators in order of appearance, and after
    them the consensuses. queries: of documents; intervals then draw queries with all their documents, else documents.
    NaN bounds with fewer than two. reason: of an undefined value or interval, in words, else empty. consensuses:
    `majority`, `dawid-skene` or both, each of the voters without the annotator that it is compared with; see `_Sides`.
    """
    sides = _Sides(labels, domain, voters, consensuses)
    names = sides.compared_with(reference)
    codes = [sides.both(reference, name) for name in names]
    size = len(sides.votes.labels)
    tables = _tables(codes, size)
    frame = pd.DataFrame({"annotator": names, "documents": tables.sum(axis=(1, 2))}).astype({"annotator": "str"})
    clusters = None if queries is None else cluster_codes(sides.votes.doc_ids, queries)
    by_query = None if clusters is None else lambda place: _by_query(clusters, codes[place][0], codes[place][1], size)
    every = np.ones(len(tables), dtype=bool)
    values = coefficients_of(tables, every, resamples, seed, by_query)
    unit = "documents" if queries is None else "queries"
    is_consensus = [bool({name, reference} & {*consensuses}) for name in names]
    alone = f"{'one annotator' if voters else 'no annotator'}: a majority needs two"
    reasons = [
        alone if one and not documents and len(voters) < 2 else text
        for one, documents, text in zip(
            is_consensus, frame["documents"], _reasons(tables, values, unit, every), strict=True
        )
    ]
    return frame.join(values).assign(reason=pd.Series(reasons, dtype="str"))


def pairwise(
    labels: pd.DataFrame,
    domain: Sequence[str] = (),
    common: int = COMMON,
    resamples: int = RESAMPLES,
    seed: int = 0,
    queries: dict[str, str] | None = None,
    voters: Sequence[str] = (),
) -> pd.DataFrame:
    """Return first, second, documents, accuracy and kappa with intervals, and reason: every pair with `common`
    documents or more, and all pairs of up to 20 voters, whose values are NaN below.

    Pairs in order of the annotators' appearance. queries, reason: see `against`. Beyond 2,000 pairs, those with the
    fewest documents have no interval.
    """
    sides = _Sides(labels, domain)
    votes = sides.votes
    first, second = np.triu_indices(len(votes.annotators), k=1)
    tables = _tables_of_pairs(votes)[:, :, first, second].transpose(2, 0, 1)  # (P, L, L)
    sizes = tables.sum(axis=(1, 2))
    names = np.array(votes.annotators, dtype=object)
    votes_too = np.isin(names, list(voters)) & (len(voters) <= MOST_LISTED)
    pairs = np.flatnonzero((sizes >= max(common, 1)) | (votes_too[first] & votes_too[second]))
    frame = pd.DataFrame(
        {"first": names[first[pairs]], "second": names[second[pairs]], "documents": sizes[pairs].astype(np.int64)}
    ).astype({"first": "str", "second": "str"})
    has_interval = np.zeros(len(pairs), dtype=bool)
    has_interval[np.argsort(-sizes[pairs], kind="stable")[:MOST_INTERVALS]] = True
    by_query = None
    if queries is not None:
        clusters = cluster_codes(votes.doc_ids, queries)

        def by_query(place: int) -> Array:
            one, other = (sides.codes(names[each[pairs[place]]], "") for each in (first, second))
            return _by_query(clusters, one, other, len(votes.labels))

    values = coefficients_of(tables[pairs], has_interval, resamples, seed, by_query)
    unit = "documents" if queries is None else "queries"
    reasons = _reasons(tables[pairs], values, unit, has_interval)
    few = (frame["documents"] > 0) & (frame["documents"] < common)
    values[few], reasons[few] = np.nan, f"fewer than {common} common documents"
    return frame.join(values).assign(reason=reasons)


def _tables_of_pairs(votes: Votes) -> Array:
    """Return the number of documents by label of each annotator and label of each other, (L, L, A, A)."""
    from scipy import sparse

    size, shape = len(votes.labels), (len(votes.annotators), len(votes.doc_ids))
    votes_by_label = []
    for label in range(size):
        rows = votes.label == label
        ones = np.ones(int(rows.sum()), dtype=np.int32)
        votes_by_label.append(sparse.csr_array((ones, (votes.annotator[rows], votes.document[rows])), shape=shape))
    products = [(one @ other.T).toarray() for one in votes_by_label for other in votes_by_label]
    return np.array(products, dtype=np.int32).reshape(size, size, shape[0], shape[0])


def confusions(
    labels: pd.DataFrame,
    reference: str,
    domain: Sequence[str] = (),
    voters: Sequence[str] = (),
    consensuses: Sequence[str] = (),
) -> pd.DataFrame:
    """Return annotator, reference, said, documents: the confusion of every other annotator with the reference. voters,
    consensuses: see `against`."""
    sides = _Sides(labels, domain, voters, consensuses)
    others = sides.compared_with(reference)
    tables = _tables((sides.both(reference, name) for name in others), len(sides.votes.labels))
    annotator_codes, reference_codes, label_codes = np.indices(tables.shape).reshape(3, -1)
    names, label_names = np.array(others, dtype=object), np.array(sides.votes.labels, dtype=object)
    frame = pd.DataFrame(
        {
            "annotator": names[annotator_codes],
            "reference": label_names[reference_codes],
            "said": label_names[label_codes],
        }
    )
    return frame.astype("str").assign(documents=tables.ravel())


def consensus_beside(labels: pd.DataFrame, method: str, voters: Sequence[str], name: str) -> pd.DataFrame:
    """Return doc_id, annotator, label of a consensus of the voters without this annotator, who is compared with it.

    Documents with one vote of the others have none; of two voters, each is compared with the other. labels: of voters.
    """
    sides = _Sides(labels, (), voters, (method,))
    codes = sides.codes(method, name)
    doc_ids, label_names = (np.array(texts, dtype=object) for texts in (sides.votes.doc_ids, sides.votes.labels))
    rows = {"doc_id": doc_ids[codes >= 0], "annotator": method, "label": label_names[codes[codes >= 0]]}
    return pd.DataFrame(rows).astype("str")


class _Sides:
    """The labels by document of annotators, and of consensuses of the voters without the annotator beside.

    A majority needs two votes and no tie. Of two voters, each is compared with the other; a machine beside them is
    compared with what both gave. Dawid and Skene's model is fitted to the others' votes alone; with more than
    MOST_REFITS voters it is fitted once, and the own votes are taken out of its posterior.
    """

    def __init__(
        self, labels: pd.DataFrame, domain: Sequence[str], voters: Sequence[str] = (), consensuses: Sequence[str] = ()
    ) -> None:
        self.votes = read_votes(labels, domain)
        self._voters, self._consensuses = tuple(voters), tuple(consensuses)
        self._order = np.argsort(self.votes.annotator, kind="stable")
        self._ends = np.searchsorted(self.votes.annotator[self._order], np.arange(len(self.votes.annotators) + 1))
        self._places = {name: place for place, name in enumerate(self.votes.annotators)}

    def compared_with(self, reference: str) -> list[str]:
        """Return the names that are compared with a reference: annotators and consensuses, but not two consensuses of
        the same votes."""
        consensuses = () if reference in self._consensuses else self._consensuses
        return [name for name in (*self.votes.annotators, *consensuses) if name != reference]

    def both(self, reference: str, name: str) -> tuple[Array, Array]:
        """Return the labels of a reference and of a name that is compared with it, (D,) each, -1 without one."""
        return self.codes(reference, name), self.codes(name, reference)

    def codes(self, name: str, beside: str) -> Array:
        """Return the labels of an annotator or consensus, (D,), -1 without one."""
        codes = np.full(len(self.votes.doc_ids), -1)
        if name not in self._consensuses:
            rows = self._rows(name)
            codes[self.votes.document[rows]] = self.votes.label[rows]
            return codes
        if beside in self._voters and len(self._voters) == 2:
            return self.codes(next(one for one in self._voters if one != beside), "")
        counts, own = self._all_votes.counts, self._rows(beside if beside in self._voters else "")
        if len(own):
            counts = counts.copy()
            counts[self.votes.document[own], self.votes.label[own]] -= 1
        has_majority = counts.sum(axis=1) >= 2
        if name == "majority" or not has_majority.any():
            return np.where(has_majority, majority(counts), -1)
        posterior = self._posterior(beside, own)
        codes[pd.Index(self.votes.doc_ids).get_indexer(posterior.index)] = pd.Index(self.votes.labels).get_indexer(
            pd.Index(posterior.idxmax(axis=1))
        )
        return np.where(has_majority, codes, -1)

    def _posterior(self, beside: str, own: Array) -> pd.DataFrame:
        """Return Dawid and Skene's probabilities of the documents that others than the annotator beside labelled.

        own: the rows of this annotator's votes; without one, all votes are fitted.
        """
        if not len(own):
            return self._fit.posterior
        if len(self._voters) <= MOST_REFITS:
            return fit(self._votes_by([name for name in self._voters if name != beside])).posterior
        posterior, errors = self._fit.posterior.copy(), self._fit.confusions
        given = errors[errors["annotator"] == beside].pivot(index="said", columns="true", values="probability")
        doc_ids = [self.votes.doc_ids[place] for place in self.votes.document[own]]
        labels = [self.votes.labels[code] for code in self.votes.label[own]]
        likelihood = given.reindex(index=labels, columns=posterior.columns).to_numpy()
        posterior.loc[doc_ids] = posterior.loc[doc_ids].to_numpy() / likelihood
        return posterior

    @cached_property
    def _all_votes(self) -> Votes:
        return self._votes_by(self._voters)

    @cached_property
    def _fit(self) -> Fit:
        return fit(self._all_votes)

    def _votes_by(self, names: Sequence[str]) -> Votes:
        return self.votes.at(np.concatenate([np.empty(0, dtype=int), *map(self._rows, names)]))

    def _rows(self, name: str) -> Array:
        """Return the places of an annotator's votes; none for another name."""
        place = self._places.get(name)
        return self._order[:0] if place is None else self._order[self._ends[place] : self._ends[place + 1]]


def _tables(codes: Iterable[tuple[Array, Array]], size: int) -> Array:
    """Return the documents by the first's label, then by the second's, of each pair, (P, L, L); codes (D,) each, -1
    without one."""
    tables = []
    for first, second in codes:
        both = (first >= 0) & (second >= 0)
        tables.append(np.bincount(first[both] * size + second[both], minlength=size * size))
    return np.array(tables, dtype=np.int64).reshape(len(tables), size, size)


def _by_query(clusters: Array, first: Array, second: Array, size: int) -> Array:
    """Return the counts of a pair by query and by both labels, (Q, L, L)."""
    both = (first >= 0) & (second >= 0)
    return tables_by_query(clusters[both], first[both], second[both], size)


def _reasons(tables: Array, values: pd.DataFrame, unit: str, has_interval: Array) -> pd.Series:
    """Return why kappa, or its interval over the unit, is undefined, for each of the tables (P, L, L); else empty."""
    reasons = []
    for table, kappa, low, is_asked in zip(tables, values["kappa"], values["kappa_low"], has_interval, strict=True):
        if not table.sum():
            reasons.append("no common documents")
        elif np.isnan(kappa):
            reasons.append("one label only")
        elif np.isnan(low):
            few, many = f"fewer than 2 common {unit}", f"no interval beyond {MOST_INTERVALS:,} pairs"
            reasons.append(few if is_asked else many)
        else:
            reasons.append("")
    return pd.Series(reasons, dtype="str")


def coefficients_of(
    tables: Array,
    has_interval: Array,
    resamples: int = RESAMPLES,
    seed: int = 0,
    by_query: Callable[[int], Array] | None = None,
) -> pd.DataFrame:
    """Return accuracy and kappa of tables (P, L, L), with intervals where `has_interval` (P,). by_query: from a place
    to its table by query, (Q, L, L), where queries are drawn."""
    values = np.full((len(tables), len(VALUES)), np.nan)
    values[:, 0], values[:, 3] = accuracy(tables), cohen_kappa(tables)
    for place in np.flatnonzero(has_interval & (tables.sum(axis=(1, 2)) > 1)):
        if by_query is None:
            samples = resample_tables(tables[place], resamples, seed)
        elif len(counts := by_query(int(place))) > 1:
            samples = np.tensordot(resampling_weights(len(counts), resamples, seed), counts, axes=1)  # (B, L, L)
        else:
            continue
        values[place, 1:3] = interval(accuracy(samples))
        values[place, 4:6] = interval(cohen_kappa(samples))
    return pd.DataFrame(values, columns=list(VALUES))
