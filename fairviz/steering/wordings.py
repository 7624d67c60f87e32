"""The same text told of one gender and of another: how far a ranker's scores of the two lie apart."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pandas as pd

from fairviz.counterfactuals.triples import triples
from fairviz.errors import FairvizError
from fairviz.study.study import Study
from fairviz.words.counterparts import packaged
from fairviz.words.counting import document_text
from fairviz.words.substitution import apply_edits, find_edits

Array = np.ndarray
TRIPLES, SWAPPED = "wordings that the study's authors wrote", "texts with every gender word and name swapped"
ROUNDING = 1e-6  # of a cosine in single precision
MOST = 2_000  # documents that are swapped, drawn alike at every call


def _none() -> Array:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Wordings:
    """Pairs of texts that differ in gender alone.

    kind: TRIPLES, SWAPPED, or empty where there are none. Of triples: N pairs, each of a query and two documents, by
    their places. Of swapped texts: `changed` (C,) the documents' places, and `others` the swapped texts, which every
    query is asked about. left_out: documents that could have been swapped as well.
    """

    kind: str = ""
    query: Array = field(default_factory=_none)
    first: Array = field(default_factory=_none)
    second: Array = field(default_factory=_none)
    changed: Array = field(default_factory=_none)
    others: tuple[str, ...] = ()
    left_out: int = 0

    def gap(self, scores: Array) -> Array:
        """How far the scores of the two wordings lie apart, in standard deviations of the query's scores of all
        documents: the mean over a query's pairs, (Q,) from (Q, D + C). NaN where a query has no pair or no spread."""
        documents = scores.shape[1] - len(self.others)
        spread = scores[:, :documents].std(axis=1)
        if self.kind == SWAPPED:
            apart = _apart(scores[:, self.changed], scores[:, documents:]).mean(axis=1)
        elif self.kind == TRIPLES:
            each = _apart(scores[self.query, self.first], scores[self.query, self.second])
            count = np.bincount(self.query, minlength=len(scores))
            total = np.bincount(self.query, each, minlength=len(scores))
            apart = np.divide(total, count, out=np.full(len(scores), np.nan), where=count > 0)
        else:
            return np.full(len(scores), np.nan)
        return np.divide(apart, spread, out=np.full(len(scores), np.nan), where=spread > 0)


def _apart(one: Array, other: Array) -> Array:
    """How far scores lie apart; 0 for what the rounding of a text read in another batch leaves."""
    found = np.abs(one - other)
    return np.where(found > ROUNDING, found, 0)


def wordings_of(study: Study, queries: Sequence[str], documents: Sequence[str]) -> Wordings:
    """The pairs of the study: its authors' own where it has them, else each document and itself with genders swapped.

    queries and documents: their ids, by place; documents without text are none of them.
    """
    found = triples(study)
    if len(found):
        return _written(found, study.groups, queries, documents)
    return _swapped(study, documents)


def _written(found: pd.DataFrame, groups: Sequence[str], queries: Sequence[str], documents: Sequence[str]) -> Wordings:
    asked, names = pd.Index(list(queries)), pd.Index(list(documents))
    query = asked.get_indexer(pd.Index(found["query_id"]))
    parts = []
    for one, other in combinations(groups, 2):
        places = np.stack([query, *(names.get_indexer(pd.Index(found[each])) for each in (one, other))])
        parts.append(places[:, (places >= 0).all(axis=0)])
    rows = np.concatenate(parts, axis=1)
    return Wordings(TRIPLES, *rows) if rows.shape[1] else Wordings()


def _swapped(study: Study, documents: Sequence[str]) -> Wordings:
    texts = pd.Series(document_text(study.documents).to_numpy(), index=study.documents["doc_id"].to_numpy())
    counterparts = packaged()
    texts = texts.reindex(list(documents))
    found = [(place, text, find_edits(text, counterparts)) for place, text in enumerate(texts) if isinstance(text, str)]
    held = [(place, apply_edits(text, pieces)) for place, text, pieces in found if pieces]
    if not held:
        return Wordings()
    rows = np.arange(len(held))
    if len(held) > MOST:
        rows = np.sort(np.random.default_rng(0).permutation(len(held))[:MOST])
    kept = [held[row] for row in rows]
    return Wordings(
        SWAPPED,
        changed=np.array([place for place, _ in kept], dtype=np.int64),
        others=tuple(text for _, text in kept),
        left_out=len(held) - len(kept),
    )


def lacking(study: Study) -> tuple[str, str]:
    """What the study lacks for a ranker to read it, and how to add it; two empty texts where it lacks nothing."""
    if not study.has("queries") or not study.queries["text"].str.strip().any():
        return f"{study.name} has no text of queries to rank for.", "Add queries.csv with the columns query_id, text."
    if not study.has("documents") or study.documents["text"].isna().all():
        return (
            f"{study.name} has no text of documents to read.",
            "Add documents.csv (or .tsv, .jsonl, .parquet) with the columns doc_id and text.",
        )
    return "", ""


def refuse_lacking(study: Study) -> None:
    """Raises FairvizError where the study lacks text."""
    what, remedy = lacking(study)
    if what:
        raise FairvizError(what.removesuffix("."), remedy)
