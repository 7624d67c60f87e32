"""One query in several systems: their lists rank by rank, what moved between them, and the order in which queries are
gone through."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import pandas as pd

from fairviz.evaluation.choices import aligned, judgements
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, unfairness
from fairviz.measures.neutrality import neutrality
from fairviz.measures.sums import Places
from fairviz.study.study import Study

Array = np.ndarray
By = Literal["study", "value", "difference", "disagreement"]
ORDERS: tuple[By, ...] = get_args(By)
COLUMNS = ("system", "rank", "doc_id", "label", "omega", "relevance", "before_rank", "whole_rank")


def side_by_side(
    study: Study, settings: Settings, query: str, systems: Sequence[str], places: Places | None = None
) -> pd.DataFrame:
    """The documents down to the settings' cutoff of each system's list, in the order of systems and ranks.

    Returns system, rank, doc_id, label (empty without one), omega (by the settings' τ; NaN without text), relevance
    (NA where nobody judged it), before_rank: where it stands in the whole list of the system before this one, NA where
    it is not there and for the first system; and whole_rank: where it stands in this system's whole list. Then, with a
    rank of NA, what the system before has within the cutoff and this one has not. A system without a list for the query
    has no row but those.
    """
    places = aligned(study, settings, places)
    rankings, names = places.rankings, (study.neutral, *study.groups)
    known = query in rankings.queries
    lists = [_list(places, system, query) if known else np.zeros(0, dtype=np.int64) for system in systems]
    omega, judged = neutrality(places, settings.tau), judgements(study).get(query, {})
    rows: list[tuple] = []
    before: list[int] = []
    for system, listed in zip(systems, (found.tolist() for found in lists), strict=True):
        shown, where, stood = listed[: settings.cutoff], _ranks(listed), _ranks(before)
        there = set(shown)
        lost = [document for document in before[: settings.cutoff] if document not in there]
        for rank, document in [*enumerate(shown, start=1), *((None, document) for document in lost)]:
            code, name = int(places.labels.codes[document]), str(rankings.doc_ids[document])
            label, grade = names[code] if code >= 0 else "", judged.get(name)
            stands = (stood.get(document), where.get(document))
            rows.append((system, rank, name, label, omega[document], grade, *stands))
        before = listed
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(
        {
            **dict.fromkeys(("system", "doc_id", "label"), "str"),
            **dict.fromkeys(("rank", "relevance", "before_rank", "whole_rank"), "Int64"),
            "omega": "float64",
        }
    )


def _ranks(listed: list[int]) -> dict[int, int]:
    return {document: rank for rank, document in enumerate(listed, start=1)}


def _list(places: Places, system: str, query: str) -> Array:
    rankings = places.rankings
    at = rankings.systems.index(system), rankings.queries.index(query)
    return rankings.documents[: rankings.lengths[at], at[0], at[1]]


def order_of_queries(
    scores: pd.DataFrame, by: By, question: Question, systems: Sequence[str], other: Question | None = None
) -> pd.DataFrame:
    """query_id and by, what the queries are ordered by, in the order to go through them; NaN stands last.

    scores: as fairviz.evaluate gives them. `study`: as the scores have them, by is NaN. `value`: the measure in the
    first system, the unfairest first. `difference`: |first system − second|, the largest first. `disagreement`: how far
    the query's place among the first system's queries differs by the two measures, from 0 to 1, the farthest first.
    """
    queries = pd.Index(scores.loc[scores["measure"] == question.text, "query_id"].unique().astype("str"))
    first = _values(scores, question, systems[0], queries)
    if by == "study":
        return pd.DataFrame({"query_id": queries.astype("str"), "by": np.nan})
    if by == "value":
        keys = _unfair(question, first)
        shown = first
    elif by == "difference":
        keys = shown = np.abs(first - _values(scores, question, systems[1], queries))
    else:
        second = question if other is None else other
        places = [_place(_unfair(one, _values(scores, one, systems[0], queries))) for one in (question, second)]
        keys = shown = np.abs(places[0] - places[1])
    order = np.argsort(-keys, kind="stable")
    return pd.DataFrame({"query_id": queries[order].astype("str"), "by": shown[order]})


def _values(scores: pd.DataFrame, question: Question, system: str, queries: pd.Index) -> Array:
    rows = scores[(scores["measure"] == question.text) & (scores["system"] == system)]
    values = pd.Series(rows["value"].to_numpy(dtype=np.float64), index=rows["query_id"].astype("str"))
    return values.reindex(queries).to_numpy()


def _unfair(question: Question, values: Array) -> Array:
    """More is less fair; of a measure that only describes, less is shown first."""
    return -values if question.direction == "none" else unfairness(question, values)


def _place(values: Array) -> Array:
    """The place of each value among all, from 0 to 1; equal ones share a place, NaN stays."""
    ranks = pd.Series(values).rank().to_numpy()
    count = int((~np.isnan(values)).sum())
    return (ranks - 1) / max(count - 1, 1)
