"""The cache of what other orders of the same candidates give: values of random orders, ranges over all orders with
their scales, and achievable fronts."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from fairviz.comparison.curves import chance_over_cutoffs
from fairviz.comparison.pareto_front import Achievable, achievable, front_choice
from fairviz.evaluation.questions import ask, wants_collection
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.orders.candidates import SOURCES, needs_collection
from fairviz.orders.chance import chance_of_query
from fairviz.orders.ranges import ranges as candidate_ranges
from fairviz.orders.ranges import value_scales
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kept.entries import Entries, kept
from fairviz.ui.kept.tables import SCORES

KEY, NONE = "chance", "none"
_CHANCE = Entries("chance", session=100)
_RANGES = Entries("ranges", session=20)
_FRONTS = Entries("fronts", session=8, spinner="Computing the best orders of each query …")


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


@kept(_CHANCE, reads=SCORES)
def _over_cutoffs(
    study: Study, settings: Settings, measures: tuple[Question, ...], system: str, candidates: str
) -> pd.DataFrame:
    rankings = tables.aligned(study, settings, needs_collection(measures, settings, candidates))
    texts = [question.text for question in measures]
    return chance_over_cutoffs(study, texts, settings, system, candidates=candidates, rankings=rankings)  # type: ignore[arg-type]


@kept(_CHANCE, reads=SCORES)
def of_query(
    study: Study,
    settings: Settings,
    measures: tuple[Question, ...],
    system: str,
    query: str,
    candidates: str,
) -> pd.DataFrame:
    """The rows of `fairviz.chance` for one list."""
    rankings = tables.aligned(study, settings, needs_collection(measures, settings, candidates))
    return chance_of_query(study, measures, settings, system, query, candidates=candidates, rankings=rankings)  # type: ignore[arg-type]


def ranges(study: Study, measures: Sequence[str], settings: Settings) -> pd.DataFrame:
    """Return the range of each list over all orders of the study's candidates, as `fairviz.ranges` does by query."""
    return _ranges(study, settings, tuple(ask(text, settings).text for text in measures))


@kept(_RANGES, reads=SCORES)
def _ranges(study: Study, settings: Settings, texts: tuple[str, ...]) -> pd.DataFrame:
    collection = wants_collection([ask(text, settings) for text in texts], settings)
    rankings = tables.aligned(study, settings, collection)
    return candidate_ranges(study, list(texts), settings, rankings=rankings, per_query=True)


@kept(_RANGES, reads=SCORES)
def scales(study: Study, settings: Settings, questions: tuple[Question, ...], candidates: str) -> pd.DataFrame:
    """Return the table of `value_scales` over these candidates."""
    rankings = tables.aligned(study, settings, needs_collection(questions, settings, candidates))
    texts = [question.text for question in questions]
    return value_scales(study, texts, settings, candidates=candidates, rankings=rankings)  # type: ignore[arg-type]


@kept(_FRONTS, reads=SCORES)
def front(study: Study, question: Question, settings: Settings) -> Achievable:
    """Return the achievable front of a distance, and the distances of the systems shown."""
    return achievable(study, front_choice(question, settings), settings)
