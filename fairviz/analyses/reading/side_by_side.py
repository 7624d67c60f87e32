"""One query in several systems: their lists by rank, movements between them, and the order of queries."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import pandas as pd

from fairviz.comparison.atlas import fairness
from fairviz.evaluation.choices import aligned, judgements
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.neutrality import neutrality
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study

Array = np.ndarray
By = Literal["study", "value", "difference", "disagreement"]
ORDERS: tuple[By, ...] = get_args(By)
COLUMNS = ("system", "rank", "doc_id", "label", "omega", "relevance", "before_rank", "whole_rank")


def side_by_side(
    study: Study, settings: Settings, query: str, systems: Sequence[str], rankings: AlignedRankings | None = None
) -> pd.DataFrame:
    """Return the documents down to the settings' cutoff of each system's list, in the order of systems and ranks.

    Returns system, rank, doc_id, label ("" without one), omega (by the settings' τ; NaN without text), relevance (NA
    without a judgement), before_rank: the rank in the whole list of the previous system, NA if it is not in it and for
    the first system; and whole_rank: the rank in this system's whole list. Then, with a rank of NA, documents within
    the cutoff of the previous system only. A system without a list for the query has no other rows.
    """
    rankings = aligned(study, settings, rankings)
    orders, names = rankings.lists, (rankings.neutral, *rankings.groups)
    lists = [orders.list_of(system, query) for system in systems]
    omega, relevance = neutrality(rankings, settings.tau), judgements(study).get(query, {})
    rows: list[tuple] = []
    previous: list[int] = []
    for system, doc_ids in zip(systems, (found.tolist() for found in lists), strict=True):
        top, ranks, previous_ranks = doc_ids[: settings.cutoff], _ranks(doc_ids), _ranks(previous)
        top_ids = set(top)
        removed = [document for document in previous[: settings.cutoff] if document not in top_ids]
        for rank, document in [*enumerate(top, start=1), *((None, document) for document in removed)]:
            code, name = int(rankings.labels.largest[document]), str(orders.doc_ids[document])
            label, grade = names[code] if code >= 0 else "", relevance.get(name)
            rank_pair = (previous_ranks.get(document), ranks.get(document))
            rows.append((system, rank, name, label, omega[document], grade, *rank_pair))
        previous = doc_ids
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(
        {
            **dict.fromkeys(("system", "doc_id", "label"), "str"),
            **dict.fromkeys(("rank", "relevance", "before_rank", "whole_rank"), "Int64"),
            "omega": "float64",
        }
    )


def _ranks(documents: Sequence[int]) -> dict[int, int]:
    return {document: rank for rank, document in enumerate(documents, start=1)}


def order_of_queries(
    scores: pd.DataFrame, by: By, question: Question, systems: Sequence[str], other: Question | None = None
) -> pd.DataFrame:
    """Return query_id and by, the sort key of the queries, in order; NaN last.

    scores: from `fairviz.evaluate`. `study`: in the order of the scores, by is NaN. `value`: the measure in the first
    system, the unfairest first. `difference`: |first system − second|, the largest first. `disagreement`: the
    difference of the query's relative ranks by the two measures in the first system, from 0 to 1, the largest first.
    """
    queries = pd.Index(scores.loc[scores["measure"] == question.text, "query_id"].unique().astype("str"))
    first_values = _values(scores, question, systems[0], queries)
    if by == "study":
        return pd.DataFrame({"query_id": queries.astype("str"), "by": np.nan})
    if by == "value":
        keys = -fairness(question, first_values)
        sort_keys = first_values
    elif by == "difference":
        keys = sort_keys = np.abs(first_values - _values(scores, question, systems[1], queries))
    else:
        second_question = question if other is None else other
        both = (question, second_question)
        places = [_place(-fairness(one, _values(scores, one, systems[0], queries))) for one in both]
        keys = sort_keys = np.abs(places[0] - places[1])
    order = np.argsort(-keys, kind="stable")
    return pd.DataFrame({"query_id": queries[order].astype("str"), "by": sort_keys[order]})


def _values(scores: pd.DataFrame, question: Question, system: str, queries: pd.Index) -> Array:
    rows = scores[(scores["measure"] == question.text) & (scores["system"] == system)]
    values = pd.Series(rows["value"].to_numpy(dtype=np.float64), index=rows["query_id"].astype("str"))
    return values.reindex(queries).to_numpy()


def _place(values: Array) -> Array:
    """Return the relative rank of each value, from 0 to 1; equal values share a rank, NaN stays."""
    ranks = pd.Series(values).rank().to_numpy()
    count = int((~np.isnan(values)).sum())
    return (ranks - 1) / max(count - 1, 1)
