"""The cache of the values of random orders."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from fairviz.comparison.curves import chance_over_cutoffs
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.orders.candidate_sets import SOURCES, needs_collection
from fairviz.orders.chance import chance_of_query
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kept.entries import Entries, kept

KEY, NONE = "chance", "none"
_ENTRIES = Entries("chance", session=100)


def offered(study: Study) -> tuple[str, ...]:
    """Return the sources of candidates that the study has, and `none`."""
    return (*(source for source in SOURCES if source != "judged" or study.has("qrels")), NONE)


def candidates_of(study: Study) -> str:
    """Return the chosen source of candidates, `study` unless it is offered; `none` for no band."""
    chosen = st.session_state.get(KEY)
    return str(chosen) if chosen in offered(study) else SOURCES[0]


def over_cutoffs(
    study: Study, settings: Settings, measures: Sequence[Question], system: str, candidates: str
) -> pd.DataFrame:
    """measure, cutoff, chance, low, high of one system's means, for any cutoff: see `chance_over_cutoffs`."""
    resting = settings.changed(cutoff=Settings.cutoff)
    questions = tuple(question.changed(cutoff=resting.cutoff) for question in measures)
    return _over_cutoffs(study, resting, questions, system, candidates)


@kept(_ENTRIES, reads=tables.SCORES)
def _over_cutoffs(
    study: Study, settings: Settings, measures: tuple[Question, ...], system: str, candidates: str
) -> pd.DataFrame:
    places = tables.places(study, settings, needs_collection(measures, settings, candidates))
    texts = [question.text for question in measures]
    return chance_over_cutoffs(study, texts, settings, system, candidates=candidates, places=places)  # type: ignore[arg-type]


@kept(_ENTRIES, reads=tables.SCORES)
def of_query(
    study: Study,
    settings: Settings,
    measures: tuple[Question, ...],
    system: str,
    query: str,
    candidates: str,
) -> pd.DataFrame:
    """The rows of `fairviz.chance` for one list."""
    places = tables.places(study, settings, needs_collection(measures, settings, candidates))
    return chance_of_query(study, measures, settings, system, query, candidates=candidates, places=places)  # type: ignore[arg-type]
