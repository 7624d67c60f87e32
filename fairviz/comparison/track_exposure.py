"""Expected exposure of genders as the TREC Fair Ranking track of 2022 computes it: EE-L, EE-D and EE-R."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.measures.rankings import Rankings
from fairviz.measures.rankings import targets as study_targets
from fairviz.measures.track_awrf import exposure_target, soft_exposure, track_expected_exposure, work_exposure
from fairviz.statistics.bootstrap import mean_over_queries
from fairviz.study.loaders.trec_fair import QUALITIES
from fairviz.study.record import Study

Array = np.ndarray
QUALITY = "quality"
LENGTH = 20  # of the sequences of 2022


def relevant_places(study: Study, rankings: Rankings) -> dict[str, Array]:
    """The places of the documents that are relevant for each query; those without a place left out."""
    judged = study.qrels[study.qrels["relevance"] > 0]
    judged_places = judged.assign(place=rankings.doc_ids.get_indexer(pd.Index(judged["doc_id"])))
    judged_places = judged_places[judged_places["place"] >= 0]
    places_by_query = {str(query): part["place"].to_numpy() for query, part in judged_places.groupby("query_id")}
    return {query: places_by_query.get(query, np.zeros(0, dtype=np.int64)) for query in rankings.queries}


def work_levels(study: Study, rankings: Rankings) -> Array | None:
    """Return the work that each document needs, (D,), 0 the most, -1 if unknown; None for a study without qualities."""
    if QUALITY not in study.documents.columns or not study.has("qrels"):
        return None
    levels = study.documents.set_index("doc_id")[QUALITY].map({name: at for at, name in enumerate(QUALITIES)})
    return levels.reindex(rankings.doc_ids).fillna(-1).to_numpy(dtype=np.int64)


def gender_exposure(
    study: Study, rankings: Rankings, memberships: Array, is_known: Array, runs: Sequence[str], level: Array | None
) -> dict[str, Array]:
    """Return EE-L, EE-D and EE-R of the track of 2022 for gender, (S, Q) each, equal for the sequences of a run; none
    for a study without qualities. Relevant articles alone receive exposure, down to rank LENGTH.

    memberships (D, G): the share of each article in each group. is_known (G,): False for the group of unknown gender.
    runs (S,): whose sequence a ranking is. level (D,): see `work_levels`.
    """
    if level is None:
        return {}
    background = np.append(study_targets(study), 0.0)[: len(is_known)]
    exposure = np.full((*rankings.lengths.shape, len(is_known)), np.nan)
    target = np.full((len(rankings.queries), len(is_known)), np.nan)
    for column, places in enumerate(relevant_places(study, rankings).values()):
        judged = places[level[places] >= 0]
        if len(judged):
            target[column] = exposure_target(memberships[judged], work_exposure(level[judged]), background, is_known)
        lists = rankings.documents[:LENGTH, :, column : column + 1]
        relevant_lists = np.where(np.isin(lists, places), lists, -1)
        exposure[:, column] = soft_exposure(relevant_lists, memberships, LENGTH)[:, 0]
    exposure[rankings.lengths == 0] = np.nan
    for run in dict.fromkeys(runs):  # of all sequences together
        rows = np.array(runs) == run
        exposure[rows] = mean_over_queries(np.moveaxis(exposure[rows], 0, -1))
    names = (f"track EE-L@{LENGTH}", f"track EE-D@{LENGTH}", f"track EE-R@{LENGTH}")
    return dict(zip(names, track_expected_exposure(exposure, target, LENGTH), strict=True))
