"""Texts in two genders' wordings, and the gap between a ranker's scores of the two."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pandas as pd

from fairviz.analyses.counterfactuals.triples import triples
from fairviz.errors import FairvizError
from fairviz.study.record import Study
from fairviz.words.counterparts import apply_edits, find_edits, packaged
from fairviz.words.counting import document_text

Array = np.ndarray
TRIPLES, SWAPPED = "wordings that the study's authors wrote", "texts with every gender word and name swapped"
ROUNDING = 1e-6  # rounding error of a cosine in single precision
MOST = 2_000  # documents with swapped genders at most, drawn with a fixed seed


def _no_indices() -> Array:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Wordings:
    """Pairs of texts that differ in gender only.

    kind: TRIPLES, SWAPPED, or "" without pairs. Of triples: N pairs, each of a query and two documents, by index. Of
    swapped texts: the documents' indices `changed` (C,), and the swapped texts `others`, which are scored for every
    query. left_out: number of further documents that could be swapped.
    """

    kind: str = ""
    query: Array = field(default_factory=_no_indices)
    first: Array = field(default_factory=_no_indices)
    second: Array = field(default_factory=_no_indices)
    changed: Array = field(default_factory=_no_indices)
    others: tuple[str, ...] = ()
    left_out: int = 0

    def gap(self, scores: Array) -> Array:
        """Return the gap between the scores of the two wordings in standard deviations of the query's scores of all
        documents: the mean over a query's pairs, (Q,) from (Q, D + C).

        NaN if a query has no pair or no spread.
        """
        documents = scores.shape[1] - len(self.others)
        spread = scores[:, :documents].std(axis=1)
        if self.kind == SWAPPED:
            gaps = _distance(scores[:, self.changed], scores[:, documents:]).mean(axis=1)
        elif self.kind == TRIPLES:
            pair_gaps = _distance(scores[self.query, self.first], scores[self.query, self.second])
            count = np.bincount(self.query, minlength=len(scores))
            total = np.bincount(self.query, pair_gaps, minlength=len(scores))
            gaps = np.divide(total, count, out=np.full(len(scores), np.nan), where=count > 0)
        else:
            return np.full(len(scores), np.nan)
        return np.divide(gaps, spread, out=np.full(len(scores), np.nan), where=spread > 0)


def _distance(scores: Array, other_scores: Array) -> Array:
    """Return the absolute difference of scores; 0 for rounding errors of another batch."""
    difference = np.abs(scores - other_scores)
    return np.where(difference > ROUNDING, difference, 0)


def wordings_of(study: Study, queries: Sequence[str], documents: Sequence[str]) -> Wordings:
    """Return the pairs of the study: documents in three wordings if it has them, else documents and their
    gender-swapped texts.

    queries and documents: ids of those with text, by index.
    """
    triples_table = triples(study)
    if len(triples_table):
        return _pairs_of_triples(triples_table, study.groups, queries, documents)
    return _pairs_of_swaps(study, documents)


def _pairs_of_triples(
    triples_table: pd.DataFrame, groups: Sequence[str], queries: Sequence[str], documents: Sequence[str]
) -> Wordings:
    query_index, names = pd.Index(list(queries)), pd.Index(list(documents))
    query = query_index.get_indexer(pd.Index(triples_table["query_id"]))
    tables = []
    for one, other in combinations(groups, 2):
        places = np.stack([query, *(names.get_indexer(pd.Index(triples_table[each])) for each in (one, other))])
        tables.append(places[:, (places >= 0).all(axis=0)])
    rows = np.concatenate(tables, axis=1)
    return Wordings(TRIPLES, *rows) if rows.shape[1] else Wordings()


def _pairs_of_swaps(study: Study, documents: Sequence[str]) -> Wordings:
    texts = pd.Series(document_text(study.documents).to_numpy(), index=study.documents["doc_id"].to_numpy())
    counterparts = packaged()
    texts = texts.reindex(list(documents))
    edits_by_document = [
        (place, text, find_edits(text, counterparts)) for place, text in enumerate(texts) if isinstance(text, str)
    ]
    swapped = [(place, apply_edits(text, pieces)) for place, text, pieces in edits_by_document if pieces]
    if not swapped:
        return Wordings()
    rows = np.arange(len(swapped))
    if len(swapped) > MOST:
        rows = np.sort(np.random.default_rng(0).permutation(len(swapped))[:MOST])
    sample = [swapped[row] for row in rows]
    return Wordings(
        SWAPPED,
        changed=np.array([place for place, _ in sample], dtype=np.int64),
        others=tuple(text for _, text in sample),
        left_out=len(swapped) - len(sample),
    )


def lacking(study: Study) -> tuple[str, str]:
    """Return what the study lacks for a ranker, and how to add it; two empty texts if nothing is missing."""
    if not study.has("queries") or not study.queries["text"].str.strip().any():
        return f"{study.name} has no text of queries to rank for.", "Add queries.csv with the columns query_id, text."
    if not study.has("documents") or study.documents["text"].isna().all():
        return (
            f"{study.name} has no text of documents to read.",
            "Add documents.csv (or .tsv, .jsonl, .parquet) with the columns doc_id and text.",
        )
    return "", ""


def refuse_lacking(study: Study) -> None:
    """Raise FairvizError if the study lacks text."""
    message, remedy = lacking(study)
    if message:
        raise FairvizError(message.removesuffix("."), remedy)
