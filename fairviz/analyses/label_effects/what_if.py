"""Hypothetical labels: every system's mean and rank with and without them."""

from collections.abc import Mapping

import pandas as pd

from fairviz.analyses.label_effects.lists import Lists, fairness, lists_of
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study


def what_if(
    study: Study, settings: Settings, measure: str, changes: Mapping[str, str], *, places: AlignedRankings | None = None
) -> pd.DataFrame:
    """Return each system's mean of a measure of labels, with the original labels and with these documents relabelled.

    changes: document to label. Returns system, before, after, difference, rank_before, rank_after in the settings'
    order of systems; rank 1 is fairest (for a measure that only describes, highest), ties share the better rank, NaN if
    the mean is undefined. Raises FairvizError for an unknown label or document.
    """
    lists = lists_of(study, settings, measure, places)
    rows = lists.doc_ids.get_indexer(pd.Index(list(changes), dtype="str"))
    codes = lists.codes.copy()
    for row, (doc_id, label) in zip(rows, changes.items(), strict=True):
        code = lists.code_of(label)
        if row >= 0:
            codes[row] = code
        elif not knows(study, lists, doc_id):
            raise FairvizError(f"the study {study.name!r} has no document {doc_id!r}", "Check the id.")
    before, after = lists.means(lists.codes), lists.means(codes)
    return pd.DataFrame(
        {
            "system": pd.Series(lists.systems, dtype="str"),
            "before": before,
            "after": after,
            "difference": after - before,
            "rank_before": pd.Series(fairness(lists, before)).rank(ascending=False, method="min"),
            "rank_after": pd.Series(fairness(lists, after)).rank(ascending=False, method="min"),
        }
    )


def knows(study: Study, lists: Lists, doc_id: str) -> bool:
    """Return whether the document is in any run, among the documents, or labelled."""
    if doc_id in lists.places.rankings.doc_ids:
        return True
    return bool((study.documents["doc_id"] == doc_id).any() or (study.labels["doc_id"] == doc_id).any())
