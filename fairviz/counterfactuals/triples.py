"""Documents that stand in a study in three wordings, neutral, female and male: which one a ranker prefers.

Such triples, as Grep-BiasIR has them, need no substitution. A triple is the documents that were written for one query
(the column query_id of the documents) and judged alike for it, where the labels of these are all different.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.counted import counted_annotator, labels_of
from fairviz.rankers.grammar import Choice
from fairviz.rankers.ranking import rank
from fairviz.statistics.bootstrap import bootstrap_interval
from fairviz.statistics.paired import corrected, paired_t
from fairviz.study.study import Study

ALL, RELEVANT, IRRELEVANT = "all", "relevant", "not relevant"
COLUMNS = ("system", "judged", "wording", "share", "share_low", "share_high", "difference", "ci_low", "ci_high", "p",
           "p_corrected", "queries", "triples", "not_found")  # fmt: skip


def triples(study: Study, annotator: str = "") -> pd.DataFrame:
    """query_id, relevance, and a column of doc_ids for neutral and each gender group; empty where there are none.
    annotator: whose labels count, the study's default where it is empty."""
    groups = [study.neutral, *study.groups]
    nothing = pd.DataFrame(columns=["query_id", "relevance", *groups])
    if (
        "query_id" not in study.documents
        or study.label_kind != "gender"
        or not (study.has("labels") and study.has("qrels"))
    ):
        return nothing
    labels = labels_of(study, counted_annotator(study, annotator))[["doc_id", "label"]]
    written = study.documents[["doc_id", "query_id"]].astype({"query_id": "str"})
    rows = written.merge(labels, on="doc_id").merge(study.qrels, on=["doc_id", "query_id"])
    rows = rows.drop_duplicates(["query_id", "relevance", "label"], keep=False)
    wide = rows.pivot(index=["query_id", "relevance"], columns="label", values="doc_id")
    if any(group not in wide for group in groups):
        return nothing
    return wide[groups].dropna().reset_index().rename_axis(columns=None)


def triple_scores(study: Study, choices: Sequence[Choice]) -> pd.DataFrame:
    """system, query_id, relevance, and the scores of the neutral wording and of each group's; NaN for a document that
    the ranker does not find. Empty where the study has no triples."""
    found = triples(study)
    if found.empty:
        return found.assign(system=[])
    runs = rank(study, choices, depth=len(study.documents)).runs
    scores = pd.Series(
        runs["score"].to_numpy(), pd.MultiIndex.from_frame(runs[["system", "query_id", "doc_id"]].astype("str"))
    )
    parts = []
    for choice in choices:
        part = found.assign(system=choice.system)
        for group in (study.neutral, *study.groups):
            keys = zip(part["system"], part["query_id"], part[group], strict=True)
            part[group] = scores.reindex(pd.MultiIndex.from_tuples(list(keys))).to_numpy(dtype=np.float64)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def preferences(scores: pd.DataFrame, groups: Sequence[str], queries: Sequence[str]) -> pd.DataFrame:
    """How much each system prefers each wording to the mean of the others: COLUMNS.

    judged: which triples, `all` or those that are `relevant` to their query, or `not relevant`. share: of a query's
    triples in which its score is higher than the mean of the others' (equal counts half); difference: its score less
    that mean, in the ranker's own scores. Both are averaged within a query, then over queries, with bootstrap intervals
    over queries; p is that of a paired t test of the difference over queries, corrected after Holm over the table.
    Triples with a document that the ranker does not find are left out: not_found.
    """
    rows = []
    kept = scores[scores["query_id"].isin(queries)]
    for system, whole in kept.groupby("system", sort=False):
        relevant = whole["relevance"] > 0
        for judged, part in ((ALL, whole), (RELEVANT, whole[relevant]), (IRRELEVANT, whole[~relevant])):
            if judged == ALL or len(part):
                rows += [(str(system), judged, *row) for row in _wordings(part, groups)]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.assign(p_corrected=corrected(table["p"].to_numpy(dtype=float)))


def _wordings(part: pd.DataFrame, groups: Sequence[str]) -> list[tuple]:
    """The row of each wording, from these triples."""
    values = part[list(groups)].to_numpy(dtype=np.float64)  # (T, G)
    whole = ~np.isnan(values).any(axis=1)
    rows = []
    for place, group in enumerate(groups):
        apart = (values[:, place] - np.delete(values, place, axis=1).mean(axis=1))[whole]
        table = pd.DataFrame({"query_id": part["query_id"][whole], "d": apart, "share": 0.5 + np.sign(apart) / 2})
        means = table.groupby("query_id", sort=False).mean().to_numpy().T  # (2, Q)
        rows.append(_row(group, means, len(part), int(whole.sum())))
    return rows


def _row(group: str, means: np.ndarray, triples: int, found: int) -> tuple:
    low, high = bootstrap_interval(means)
    average = means.mean(axis=1) if means.size else np.full(2, np.nan)
    p = float(paired_t(means[:1])[0]) if means.size else np.nan
    share = (average[1], low[1], high[1]) if means.size else (np.nan,) * 3
    apart = (average[0], low[0], high[0]) if means.size else (np.nan,) * 3
    return (group, *share, *apart, p, np.nan, means.shape[1], found, triples - found)
