"""Coefficients of agreement as array functions of counts of votes by document, and of two annotators' table; the table
of those of all annotators; and the units that their intervals draw.

Wordings of one text, and documents of one query, may be alike and no independent draws: then queries are to be drawn.
Letters: M patterns of votes (documents with the same counts), L labels, B resamples (1 for the value itself).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.votes import read_votes
from fairviz.errors import UsageError
from fairviz.statistics import intervals
from fairviz.statistics.intervals import RESAMPLES
from fairviz.study.record import Study

Array = np.ndarray
QUERIES, DOCUMENTS, BOTH = "queries", "documents", "queries, and documents without one"
COLUMNS = ("coefficient", "value", "ci_low", "ci_high", "documents", "annotators", "votes", "reason")
LEVEL = 0.95
_CELLS = 4_000_000  # weights in memory at a time


def query_of(study: Study, doc_ids: pd.Series) -> Array:
    """Return the first query for which each document is judged, else ranked, (D,); its own id if there is none."""
    table = study.qrels if study.has("qrels") else study.runs
    pairs = table[["doc_id", "query_id"]].astype("str").drop_duplicates("doc_id")
    queries = doc_ids.map(dict(zip(pairs["doc_id"], pairs["query_id"], strict=True)))
    return np.where(queries.isna(), "document " + doc_ids.astype("str"), "query " + queries.astype("str"))


def queries_of(study: Study, doc_ids: Sequence[str] | pd.Series, unit: str = QUERIES) -> dict[str, str] | None:
    """Return the query of each document that has one; None, so that documents are drawn, if none has or the unit is
    `documents`. Raises UsageError for another unit than `documents` or `queries`."""
    if unit not in (DOCUMENTS, QUERIES):
        raise UsageError(f"intervals cannot draw {unit!r}", f"Draw {DOCUMENTS} or {QUERIES}.")
    if unit == DOCUMENTS:
        return None
    names = pd.Series(doc_ids, dtype="str").drop_duplicates()
    queries = dict(zip(names, query_of(study, names), strict=True))
    of_queries = {name: query for name, query in queries.items() if query.startswith("query ")}
    return of_queries or None


def drawn(study: Study, doc_ids: Sequence[str] | pd.Series, unit: str = DOCUMENTS) -> str:
    """Return what is drawn for intervals of these documents' labels: QUERIES, DOCUMENTS, or BOTH."""
    queries = queries_of(study, doc_ids, unit)
    if queries is None:
        return DOCUMENTS
    return QUERIES if len(queries) == pd.Series(doc_ids).nunique() else BOTH


def cluster_codes(doc_ids: Sequence[str], queries: dict[str, str]) -> Array:
    """Return the cluster of each document (D,); a document without a query is one by itself."""
    return pd.factorize(np.array([queries.get(name, f"document {name}") for name in doc_ids], dtype=object))[0]


def tables_by_query(queries: Array, true: Array, answers: Array, labels: int) -> Array:
    """Return the counts of documents by query, the reference's label and the annotator's, (Q, L, L); arguments are
    codes (D,).
    """
    places, _ = pd.factorize(queries)
    shape = (int(places.max(initial=-1)) + 1, labels, labels)
    if not len(places):
        return np.zeros((0, labels, labels))
    cells = np.ravel_multi_index((places, true, answers), shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)


@dataclass(frozen=True)
class Tally:
    """The sums that every coefficient of all annotators is computed from, for weights (B, M) of the patterns.

    agreement (B,): mean over documents with two votes or more of the share of pairs of votes that agree. shares
    (B, L): mean over all documents of the share of votes for each label. pairable (B, L): votes for each label in
    documents with two or more. matched (B,): sum over those documents of Σ n(n−1) / (votes − 1).
    """

    agreement: Array
    shares: Array
    pairable: Array
    matched: Array


def tally(patterns: Array, weights: Array) -> Tally:
    """Return the sums over patterns (M, L) of counts, weighted by the number of documents of each, (B, M)."""
    votes = patterns.sum(axis=1)  # (M,)
    is_pairable = votes >= 2
    counts, vote_totals = patterns[is_pairable].astype(np.float64), votes[is_pairable].astype(np.float64)
    agreeing = (counts * (counts - 1)).sum(axis=1)  # (M',): ordered pairs of votes that agree
    pairable_weights = weights[:, is_pairable]  # (B, M')
    return Tally(
        agreement=_over(
            pairable_weights @ (agreeing / (vote_totals * (vote_totals - 1))), pairable_weights.sum(axis=1)
        ),
        shares=_over(weights @ (patterns / votes[:, None]), weights.sum(axis=1)[:, None]),
        pairable=pairable_weights @ counts,
        matched=pairable_weights @ (agreeing / (vote_totals - 1)),
    )


def percent_agreement(sums: Tally) -> Array:
    """Share of pairs of annotators who gave a document equal labels, averaged over documents, (B,), in [0, 1].

    NaN where no document has two votes.
    """
    return sums.agreement


def fleiss_kappa(sums: Tally) -> Array:
    r"""(p_a − p_e) / (1 − p_e) with p_e = Σ_k π_k², (B,), at most 1; NaN where p_e is 1 or no document has two votes.

    p_a is the percent agreement, π_k the mean over documents of the share of votes for label k. Fleiss (1971) for
    equal numbers of votes; extended to holes by Gwet (2014, Handbook of Inter-Rater Reliability, chapter 2).
    """
    chance = (sums.shares**2).sum(axis=1)
    return _beyond_chance(sums.agreement, chance)


def gwet_ac1(sums: Tally) -> Array:
    r"""(p_a − p_e) / (1 − p_e) with p_e = Σ_k π_k (1 − π_k) / (L − 1), (B,), at most 1; Gwet (2008), equation 11.

    NaN where no document has two votes or there is a single label. Three documents labelled ff, ff and fm by two
    annotators: p_a = 2/3, π = (5/6, 1/6), p_e = 2·(5/36) = 10/36, AC1 = (24/36 − 10/36) / (26/36) = 14/26.

    >>> patterns = np.array([[2, 0], [1, 1]])
    >>> round(float(gwet_ac1(tally(patterns, np.array([[2, 1]])))[0]), 4)
    0.5385
    """
    labels = sums.shares.shape[1]
    if labels < 2:
        return np.full(len(sums.shares), np.nan)
    chance = (sums.shares * (1 - sums.shares)).sum(axis=1) / (labels - 1)
    return _beyond_chance(sums.agreement, chance)


def krippendorff_alpha(sums: Tally) -> Array:
    r"""1 − (n − 1)(n − Σ_d Σ_k n_dk (n_dk − 1) / (n_d − 1)) / (n² − Σ_k n_k²), (B,), at most 1, for nominal labels.

    Over documents with two votes or more, n votes in all; NaN where they have one label only. Krippendorff (2011),
    Computing Krippendorff's Alpha-Reliability, section C.
    """
    total = sums.pairable.sum(axis=1)
    expected = total**2 - (sums.pairable**2).sum(axis=1)
    return 1 - _over((total - 1) * (total - sums.matched), expected)


COEFFICIENTS: dict[str, Callable[[Tally], Array]] = {
    "percent agreement": percent_agreement,
    "Fleiss' kappa": fleiss_kappa,
    "Krippendorff's alpha": krippendorff_alpha,
    "Gwet's AC1": gwet_ac1,
}


def overall(
    labels: pd.DataFrame,
    domain: Sequence[str] = (),
    resamples: int = RESAMPLES,
    seed: int = 0,
    queries: dict[str, str] | None = None,
) -> pd.DataFrame:
    """Return coefficient, value, ci_low, ci_high, documents (with two votes or more), annotators, votes (of all) and
    reason.

    domain: the possible labels, which Gwet's AC1 counts. queries: of documents; intervals then draw queries, else
    documents. Answers to test questions are left out. NaN where undefined; NaN bounds with fewer than two documents.
    reason: of an undefined value or interval, in words, else empty.
    """
    votes = read_votes(labels, domain)
    pairable = int(votes.is_shared.sum())
    counts_of_all = (pairable, len(np.unique(votes.annotator)), len(votes.label))
    if not pairable:
        count = counts_of_all[1]
        reason = "no common documents" if count > 1 else "one annotator" if count else "no annotator"
        return pd.DataFrame(
            [(name, np.nan, np.nan, np.nan, *counts_of_all, reason) for name in COEFFICIENTS], columns=list(COLUMNS)
        )
    patterns, pattern, multiplicity = np.unique(votes.counts, axis=0, return_inverse=True, return_counts=True)
    sums = tally(patterns, multiplicity[None])
    clusters = None if queries is None else cluster_codes(votes.doc_ids, queries)
    frequencies = None if clusters is None else _frequencies(clusters, pattern.ravel(), len(patterns))
    resamples_by_name = resample_coefficients(patterns, multiplicity, resamples, seed, frequencies)
    unit = "documents" if clusters is None else "queries"
    units = pairable if clusters is None else len(np.unique(clusters[votes.is_shared]))
    bounds = {name: interval(resamples_by_name[name]) if units > 1 else (np.nan, np.nan) for name in COEFFICIENTS}
    rows = []
    for name, coefficient in COEFFICIENTS.items():
        value, too_few = float(coefficient(sums)[0]), "" if units > 1 else f"fewer than 2 common {unit}"
        reason = "one label only" if np.isnan(value) else too_few
        rows.append((name, value, *bounds[name], *counts_of_all, reason))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _frequencies(clusters: Array, pattern: Array, count: int) -> Any:
    """Return how often each cluster has each of the patterns, (Q, M), sparse, from those of each document, (D,)."""
    from scipy.sparse import coo_array

    shape = (int(clusters.max()) + 1, count)
    return coo_array((np.ones(len(clusters)), (clusters, pattern)), shape=shape).tocsr()


def accuracy(tables: Array) -> Array:
    """Share of documents with equal labels by two annotators, (…, L, L) to (…), in [0, 1]; NaN without documents.

    >>> float(accuracy(np.array([[20, 5], [10, 15]])))
    0.7
    """
    return _over(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-2, -1)))


def cohen_kappa(tables: Array) -> Array:
    """(p_o − p_e) / (1 − p_e), (…, L, L) to (…), in [−1, 1]; NaN where p_e is 1 or there is no document.

    p_o is the accuracy, p_e = Σ_k of the products of both annotators' shares of label k. Cohen (1960), equation 1.
    Of 50 documents both label 20 yes and 15 no; one labels 25 yes in all, the other 30: p_o = 0.7,
    p_e = 0.5·0.6 + 0.5·0.4 = 0.5, kappa = 0.2 / 0.5.

    >>> round(float(cohen_kappa(np.array([[20, 5], [10, 15]]))), 4)
    0.4
    """
    total = tables.sum(axis=(-2, -1))
    chance = _over((tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1), total.astype(np.float64) ** 2)
    return _beyond_chance(accuracy(tables), chance)


def resample_tables(table: Array, resamples: int = RESAMPLES, seed: int = 0) -> Array:
    """Return tables of two annotators (L, L) with their documents drawn with replacement, (B, L, L)."""
    total = int(table.sum())
    generator = np.random.default_rng(seed)
    counts = (
        generator.multinomial(total, table.ravel() / max(total, 1), size=resamples) if total else table.ravel()[None]
    )
    return counts.reshape(-1, *table.shape)


def resample_coefficients(
    patterns: Array,
    multiplicity: Array,
    resamples: int = RESAMPLES,
    seed: int = 0,
    frequencies: Array | None = None,
) -> dict[str, Array]:
    """Return every coefficient of all annotators with documents drawn with replacement: name to (B,).

    A resample is a draw of the frequencies of the patterns, in batches where there are many patterns. frequencies: of
    each pattern in each query (Q, M), sparse; queries are then drawn, each with all its documents.
    """
    weights = None if frequencies is None else intervals.resampling_weights(frequencies.shape[0], resamples, seed)
    generator = np.random.default_rng(seed)
    total = int(multiplicity.sum())
    step = max(1, _CELLS // len(patterns))
    values: dict[str, list[Array]] = {name: [] for name in COEFFICIENTS}
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        if weights is None:
            drawn = generator.multinomial(total, multiplicity / total, size=size)
        else:
            drawn = weights[start : start + size] @ frequencies
        sums = tally(patterns, drawn)
        for name, coefficient in COEFFICIENTS.items():
            values[name].append(coefficient(sums))
    return {name: np.concatenate(parts) for name, parts in values.items()}


def interval(values: Array) -> tuple[float, float]:
    """Return the 95 % percentile interval of resampled values (B,); undefined resamples are left out."""
    low, high = intervals.interval(values, LEVEL)
    return float(low), float(high)


def _beyond_chance(agreement: Array, chance: Array) -> Array:
    return _over(agreement - chance, 1 - chance)


def _over(part: Array, whole: Array) -> Array:
    """Return part / whole, NaN where the whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0)
