"""A ranker's preference among three wordings of a document: neutral, female and male.

Such triples, as Grep-BiasIR has them, need no substitution. A triple is the documents that were written for one query
(the column query_id of the documents) and judged alike for it, where the labels of these are all different.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.voters import counted_annotator, labels_of
from fairviz.comparison.family import How
from fairviz.comparison.pairs import compare_rows
from fairviz.rankers.grammar import RankerChoice
from fairviz.rankers.ranking import rank
from fairviz.statistics.contrasts import sign_of
from fairviz.statistics.intervals import mean_interval, mean_over_queries
from fairviz.study.record import Study

Array = np.ndarray
ALL, RELEVANT, IRRELEVANT = "all", "relevant", "not relevant"
COLUMNS = ("system", "judged", "wording", "share", "share_low", "share_high", "difference", "ci_low", "ci_high", "p",
           "p_corrected", "queries", "triples", "not_found")  # fmt: skip


def triples(study: Study, annotator: str = "", voters: Sequence[str] = ()) -> pd.DataFrame:
    """query_id, relevance, and a column of doc_ids for neutral and each gender group; empty where there are none.
    annotator: whose labels count, the study's default where it is empty; voters: of a consensus."""
    groups = [study.neutral, *study.groups]
    nothing = pd.DataFrame(columns=["query_id", "relevance", *groups])
    if (
        "query_id" not in study.documents
        or study.label_kind != "gender"
        or not (study.has("labels") and study.has("qrels"))
    ):
        return nothing
    labels = labels_of(study, counted_annotator(study, annotator), voters)[["doc_id", "label"]]
    written = study.documents[["doc_id", "query_id"]].astype({"query_id": "str"})
    rows = written.merge(labels, on="doc_id").merge(study.qrels, on=["doc_id", "query_id"])
    rows = rows.drop_duplicates(["query_id", "relevance", "label"], keep=False)
    wide = rows.pivot(index=["query_id", "relevance"], columns="label", values="doc_id")
    if any(group not in wide for group in groups):
        return nothing
    return wide[groups].dropna().reset_index().rename_axis(columns=None)


def triple_scores(study: Study, choices: Sequence[RankerChoice]) -> pd.DataFrame:
    """system, query_id, relevance, and the scores of the neutral wording and of each group's; NaN for a document that
    the ranker does not find. Empty where the study has no triples."""
    table = triples(study)
    if table.empty:
        return table.assign(system=[])
    runs = rank(study, choices, depth=len(study.documents)).runs
    scores = pd.Series(
        runs["score"].to_numpy(), pd.MultiIndex.from_frame(runs[["system", "query_id", "doc_id"]].astype("str"))
    )
    parts = []
    for choice in choices:
        part = table.assign(system=choice.system)
        for group in (study.neutral, *study.groups):
            keys = zip(part["system"], part["query_id"], part[group], strict=True)
            part[group] = scores.reindex(pd.MultiIndex.from_tuples(list(keys))).to_numpy(dtype=np.float64)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def preferences(
    scores: pd.DataFrame, groups: Sequence[str], queries: Sequence[str], how: How | None = None
) -> pd.DataFrame:
    """Return each system's preference for each wording over the mean of the others: COLUMNS.

    judged: the triples, `all` or those that are `relevant` to their query, or `not relevant`. share: of a query's
    triples in which its score is higher than the mean of the others' (equal counts half), with its t interval;
    difference: its score less that mean, in the ranker's own scores. Both are averaged within a query, then over
    queries. The differences of the table are one family, whose intervals and p_corrected agree. Triples with a document
    that the ranker does not find are left out: not_found.
    """
    heads: list[tuple] = []
    shares, differences, counts = [], [], []
    rows = scores[scores["query_id"].isin(queries)]
    for system, table in rows.groupby("system", sort=False):
        relevant = table["relevance"] > 0
        for judged, part in ((ALL, table), (RELEVANT, table[relevant]), (IRRELEVANT, table[~relevant])):
            for group in groups if judged == ALL or len(part) else ():
                share, difference, triple_count = _by_query(part, groups, group, queries)
                heads.append((str(system), judged, group, triple_count, len(part) - triple_count))
                shares.append(share)
                differences.append(difference)
                counts.append(part["query_id"].nunique())
    if not heads:
        return pd.DataFrame(columns=list(COLUMNS))
    share, apart = np.stack(shares), np.stack(differences)  # a row a wording, (N, Q)
    low, high = mean_interval(share)
    tested = compare_rows(apart, np.zeros_like(apart), how, counts=counts)
    table = pd.DataFrame(heads, columns=["system", "judged", "wording", "triples", "not_found"]).assign(
        share=mean_over_queries(share), share_low=np.maximum(low, 0), share_high=np.minimum(high, 1),
        difference=tested.difference, ci_low=tested.low, ci_high=tested.high, p=tested.p,
        p_corrected=tested.p_corrected, queries=tested.queries,
    )  # fmt: skip
    return table[list(COLUMNS)]


def _by_query(
    part: pd.DataFrame, groups: Sequence[str], group: str, queries: Sequence[str]
) -> tuple[Array, Array, int]:
    """Return the share and the difference of a wording in each query, (Q,) each, NaN where there is none, and how many
    triples are found."""
    values = part[list(groups)].to_numpy(dtype=np.float64)  # (T, G)
    whole = ~np.isnan(values).any(axis=1)
    place = list(groups).index(group)
    apart = (values[:, place] - np.delete(values, place, axis=1).mean(axis=1))[whole]
    table = pd.DataFrame({"query_id": part["query_id"][whole], "d": apart, "share": 0.5 + sign_of(apart) / 2})
    means = table.groupby("query_id", sort=False).mean().reindex(list(queries))
    return means["share"].to_numpy(), means["d"].to_numpy(), int(whole.sum())
