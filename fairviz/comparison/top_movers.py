"""The queries that make the difference of two systems, and the documents of them that changed places."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.comparison.conditions import Condition
from fairviz.comparison.mover_rows import (
    DOCUMENT_COLUMNS,
    QUERY_COLUMNS,
    attention,
    has_one_list_each,
    ranks_of,
    snippet,
)
from fairviz.comparison.points import points_of
from fairviz.evaluation.gsr import split_parts
from fairviz.evaluation.scores import bias_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study


def moved_queries(
    study: Study, scores: pd.DataFrame, pair: tuple[str, str], conditions: Sequence[Condition], most: int
) -> pd.DataFrame:
    """For each condition the queries that move the difference most in its direction: QUERY_COLUMNS.

    pair: baseline and candidate. difference: of this query; share: what it adds to the difference of the two systems,
    all shares summing to it. For GSR the values are those of the lists. Queries that move the other way and conditions
    on other quantities than measures are left out.
    """
    parts = dict(split_parts(scores))
    texts = study.queries.set_index("query_id")["text"]
    rows = []
    for condition in conditions:
        if not isinstance(condition.question, Question):
            continue
        points = points_of(parts[condition.question.text])
        if not set(pair) <= set(points.systems):
            continue
        apart = points.apart(condition.question, pair[1], pair[0])
        shares = points.shares(apart)
        before, after = (points.values[points.systems.index(name)] for name in pair)
        towards = np.where(np.isnan(shares), 0.0, -shares if condition.below else shares)
        for place in np.argsort(-towards, kind="stable")[:most]:
            if towards[place] > 0:
                query = points.queries[place]
                names = (condition.text, query, str(texts.get(query, "")), condition.question.cutoff)
                rows.append((*names, before[place], after[place], apart[place], shares[place]))
    return pd.DataFrame(rows, columns=list(QUERY_COLUMNS)).astype({"cutoff": "Int64"})


def moved_documents(
    study: Study, places: AlignedRankings, settings: Settings, pair: tuple[str, str], queries: pd.DataFrame, most: int
) -> pd.DataFrame:
    """For each query of `moved_queries` the documents whose attention changed most within the cutoff: DOCUMENT_COLUMNS.

    rank_before and rank_after: in the lists of baseline and candidate, missing where a list lacks the document.
    attention: position bias after less before, 0 beyond the cutoff. label: whose counts, empty where there is none. No
    rows for a stochastic system, which has no one list.
    """
    bias, rankings = bias_of(places, settings, settings.cutoff), places.rankings
    bodies = study.documents.set_index("doc_id")["text"]
    names = ("", places.neutral, *places.groups)
    rows = []
    for row in queries.to_dict("records") if has_one_list_each(rankings, pair) else ():
        condition, query = str(row["condition"]), str(row["query_id"])
        cutoff = settings.cutoff if pd.isna(row["cutoff"]) else int(row["cutoff"])
        weights = bias.weights(min(cutoff, bias.curves.shape[1]))
        before, after = (ranks_of(rankings, name, query) for name in pair)
        change = {code: attention(weights, after.get(code)) - attention(weights, before.get(code))
                  for code in dict.fromkeys([*before, *after])}  # fmt: skip
        for code in sorted(change, key=lambda code: -abs(change[code]))[:most]:
            if change[code]:
                name = str(rankings.doc_ids[code])
                text = bodies.get(name)
                cells = (condition, query, name, before.get(code), after.get(code), change[code])
                rows.append((*cells, names[int(places.labels.largest[code]) + 1], snippet(text)))
    return pd.DataFrame(rows, columns=list(DOCUMENT_COLUMNS)).astype({"rank_before": "Int64", "rank_after": "Int64"})
