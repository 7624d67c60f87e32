"""A ranker's preferences between versions of a document: by its scores and the places they give, or by its answers."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from fairviz.analyses.audit.attribution_versions import CONTRASTS, Versions
from fairviz.analyses.audit.judging import WORK, Judged, Progress, by_scores, judged
from fairviz.analyses.audit.scoring import scored_lists, spread_of
from fairviz.errors import UsageError
from fairviz.models.asking import Spent
from fairviz.rankers.grammar import Choice
from fairviz.rankers.pairwise import NAME as ASKED
from fairviz.rankers.record import Found

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Attributed:
    """A ranker's preferences in the P comparisons of versions. judged: see `Judged`. moved: places by which the first
    version stands higher than the second in the query's list of the documents as they are, (P,); NaN for a language
    model, which orders no list."""

    judged: Judged
    moved: Array

    def values(self, quantity: str) -> Array:
        """Return what a quantity is of each comparison, (P,): `preference` 1 for the first, 0 for the second, `gap` in
        the unit, `places`, and the sizes of both."""
        if quantity == "preference":
            return np.asarray(self.judged.wins.mean(axis=1))
        signed = self.moved if quantity.startswith("places") else self.judged.gaps.mean(axis=1)
        return np.abs(signed) if quantity in ("size", "places_size") else np.asarray(signed)

    def by_contrast(self, quantity: str, contrast: str) -> Array:
        """Return the means over the comparisons of this contrast, (N,), of each query and document; NaN where one of
        them is unknown."""
        columns = [place for place, name in enumerate(CONTRASTS) if name == contrast]
        return np.asarray(self.values(quantity).reshape(-1, len(CONTRASTS))[:, columns].mean(axis=1))


def check_reads(choice: Choice) -> None:
    """Raise UsageError for a ranker that reads no text of documents."""
    if "documents" not in choice.ranker.needs:
        raise UsageError(
            f"{choice.system} reads no text of documents, so no name can move one",
            "Name rankers that do, as bm25,bi_encoder.",
        )


def attributed(
    versions: Versions, choice: Choice, progress: Progress, say: Callable[[str], None], spent: Spent
) -> Attributed:
    """Return the ranker's preferences. Raises: see `judged`."""
    pairs = versions.pairs
    if choice.ranker.name == ASKED:
        answers = judged(versions.study, choice, pairs, progress, say, spent)
        return Attributed(answers, np.full(len(pairs), np.nan))
    _, scoring, encoding = (partial(progress, f"{choice.system}: {what}") for what in WORK)
    table = scored_versions(versions, choice, say, scoring, encoding)
    scores, other, spread = (table[name].to_numpy() for name in ("score", "other_score", "spread"))
    preferences = by_scores(choice.system, scores, other, spread)
    equal = preferences.wins[:, 0] == 0.5
    return Attributed(preferences, np.where(equal, 0.0, (table["other_place"] - table["place"]).to_numpy()))


def scored_versions(
    versions: Versions,
    choice: Choice,
    say: Callable[[str], None],
    progress: Callable[[int, int], None],
    encoding: Callable[[int, int], None],
) -> pd.DataFrame:
    """Return a row for each comparison: score and other_score, place and other_place of its two versions, and spread,
    the standard deviation of the scores of the query's list.

    The list has the documents that the ranker finds, as they are. A version's place is in it without its own document.
    """
    pairs = versions.pairs
    names_by_query = {
        str(query): {*part["doc_id"], *part["other_doc_id"]} for query, part in pairs.groupby("query_id", sort=False)
    }
    codes, queries = pd.factorize(pairs["query_id"])
    rows_by_query = {str(query): np.flatnonzero(codes == place) for place, query in enumerate(queries)}
    columns = {name: np.full(len(pairs), np.nan)
               for name in ("score", "other_score", "place", "other_place", "spread")}  # fmt: skip
    for query, hits in scored_lists(versions.study, choice, names_by_query, say, progress, encoding, versions.names):
        rows = rows_by_query[query]
        _fill(columns, rows, pairs.iloc[rows], hits, versions.names)
    return pd.DataFrame(columns)


def _fill(columns: dict[str, Array], rows: Array, pairs: pd.DataFrame, hits: Found, versions: frozenset[str]) -> None:
    """Fill the rows of one query."""
    names, scores = hits.documents.astype(str), hits.scores.astype(np.float64)
    score_of = dict(zip(names.tolist(), scores.tolist(), strict=True))
    is_original = np.array([name not in versions for name in names.tolist()], dtype=bool)
    listed = np.sort(scores[is_original])
    columns["spread"][rows] = spread_of(listed)
    own = np.array([score_of.get(name, np.nan) for name in pairs["document"]])
    for score, place, key in (("score", "place", "doc_id"), ("other_score", "other_place", "other_doc_id")):
        version_scores = np.array([score_of.get(name, np.nan) for name in pairs[key]])
        columns[score][rows] = version_scores
        columns[place][rows] = places_of(version_scores, listed, own)


def places_of(scores: Array, listed: Array, own: Array) -> Array:
    """Return the place of each score (N,) among the sorted scores of a list (L,) less the document's own (N,), NaN
    where that is not in it; ties count half, and a document that is not found has the place behind the last.

    >>> places_of(np.array([2.5, 2.0, np.nan]), np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, np.nan])).tolist()
    [2.0, 2.5, 4.0]
    """
    is_listed = ~np.isnan(own)
    other_counts = len(listed) - is_listed
    filled_scores = np.nan_to_num(scores)
    above = len(listed) - np.searchsorted(listed, filled_scores, side="right") - (is_listed & (own > filled_scores))
    equal = np.searchsorted(listed, filled_scores, side="right") - np.searchsorted(listed, filled_scores, side="left")
    equal = equal - (is_listed & (own == filled_scores))
    return np.where(np.isnan(scores), other_counts + 1.0, 1 + above + equal / 2)
