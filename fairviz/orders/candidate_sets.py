"""The candidates of each list: the documents that a reordering may rank."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation import validation
from fairviz.evaluation.choices import aligned, judgements
from fairviz.evaluation.questions import questions_of, wants_collection
from fairviz.evaluation.selection import Selection, selection_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.rankings import candidate_lists
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study

Array = np.ndarray
CandidateSource = Literal["study", "run", "judged"]
SOURCES: tuple[CandidateSource, ...] = ("study", "run", "judged")


def needs_collection(questions: Sequence[Question], settings: Settings, source: str) -> bool:
    """Return whether rankings must be aligned with the whole collection, for a background or judged candidates."""
    return wants_collection(questions, settings) or source == "judged"


def lists_requested(
    study: Study, measures: object, settings: Settings, source: str, places: AlignedRankings | None, reason: str
) -> tuple[list[Question], Selection]:
    """Return the questions of measures and the lists of the systems and queries shown, aligned for these candidates.

    places: to align from, if they exist already. reason: why a measure without a value for one list is refused, after
    its name. Raises FairvizError for such a measure, and for one whose inputs the study lacks.
    """
    questions = questions_of(validation.measures_of(measures), settings)
    validation.refuse_slopes(questions, reason)
    validation.refuse_missing(study, questions, settings)
    places = aligned(study, settings, places, collection=needs_collection(questions, settings, source))
    return questions, selection_of(study, settings, places)


def candidate_sets(study: Study, places: AlignedRankings, source: CandidateSource = "study") -> list[list[Array]]:
    """Return the candidates by system and query, as places in doc_ids: one row for all systems, or one a system.

    source: `study`, the documents that any system retrieved for the query (see `Rankings.candidates`); `run`, those of
    the system's own list; `judged`, those with a relevance judgement for the query, for which `places` must be aligned
    with the collection (judged documents without text or labels are left out). A query without candidates has none,
    (0,). Raises UsageError for another source, FairvizError for `judged` in a study without judgements.

    >>> import fairviz
    >>> from fairviz.evaluation.choices import align
    >>> football = fairviz.open_study("football")
    >>> sets = candidate_sets(football, align(football, fairviz.Settings()), "run")
    >>> len(sets) == len(football.systems)
    True
    """
    rankings = places.rankings
    if source == "study":
        return [rankings.candidates]
    if source == "run":
        return [candidate_lists(rankings, [system]) for system in range(len(rankings.systems))]
    if source != "judged":
        raise UsageError(f"there is no source of candidates {source!r}", use_one_of(SOURCES, str(source)))
    if not len(study.qrels):
        raise FairvizError(
            f"{study.name} has no relevance judgements to take candidates from",
            "Use the candidates `study` or `run`, or add qrels.txt.",
        )
    judged = judgements(study)
    by_query = [
        rankings.doc_ids.get_indexer(pd.Index(list(judged.get(query, ())), dtype="str")) for query in rankings.queries
    ]
    return [[documents[documents >= 0] for documents in by_query]]
