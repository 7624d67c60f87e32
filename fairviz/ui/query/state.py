"""Which query, systems, measure and order the page Query shows, and the way from one query to the next."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from fairviz.evaluation.choices import chosen_queries, chosen_systems, missing_part
from fairviz.evaluation.scores import ask
from fairviz.evaluation.settings import Settings
from fairviz.inspection.side_by_side import ORDERS, By, order_of_queries
from fairviz.measures import MEASURES, Question
from fairviz.measures.sums import Places
from fairviz.study.study import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices

ALONE = ""
BY_TEXTS = {
    "study": "as in the study",
    "value": "unfairest first",
    "difference": "largest difference first",
    "disagreement": "where two measures part most",
}


@dataclass(frozen=True, eq=False)
class Desk:
    """What the cards of the page draw from.

    systems: the one looked at, and the one beside it where there is one. questions: every measure with a value for one
    query that the study can feed. question: the chosen one; other: the one whose disagreement with it orders. order:
    query_id and by.
    """

    study: Study
    settings: Settings
    places: Places
    systems: tuple[str, ...]
    questions: tuple[Question, ...]
    question: Question
    other: Question
    by: By
    order: pd.DataFrame
    scores: pd.DataFrame
    query: str

    @property
    def at(self) -> int:
        """The query's place in the order, from 0."""
        return self.order["query_id"].tolist().index(self.query)


def offered(study: Study, settings: Settings) -> tuple[tuple[Question, ...], tuple[tuple[str, str], ...]]:
    """The measures that have a value for one query, effectiveness last, and for each other what is missing."""
    texts = [f"{name}@{settings.cutoff}" for name, record in MEASURES.items() if record.per_query]
    texts.append(f"{settings.effectiveness}@{settings.cutoff}")
    asked = [ask(text, settings) for text in texts]
    lacking = {question.text: missing_part(study, question, settings) for question in asked}
    missing = tuple((question.name, lacking[question.text]) for question in asked if lacking[question.text])
    return tuple(question for question in asked if not lacking[question.text]), missing


def choose(study: Study, settings: Settings, questions: tuple[Question, ...]) -> Desk:
    """The row of choices, and what they come to."""
    known = {question.name: question for question in questions}
    first, second, measure, order, other = st.columns([3, 3, 3, 3.4, 3], gap="small")
    systems = _systems(study, settings, first, second)
    choices.among("query_measure", tuple(known))
    name = measure.selectbox("Measure", tuple(known), key="query_measure")
    ways = tuple(by for by in ORDERS if len(systems) > 1 or by != "difference")
    by = choices.among("query_order", ways, "difference" if len(systems) > 1 else "value")
    order.selectbox("Queries in order", ways, key="query_order", format_func=lambda way: BY_TEXTS[way])
    others = tuple(one for one in known if one != name) or (name,)
    choices.among("query_other", others)
    against = other.selectbox("Disagreement with", others, key="query_other", disabled=by != "disagreement")
    scores = cache.scores(study, [question.text for question in questions], settings.changed(systems=()))
    ordered = order_of_queries(scores, by, known[name], systems, known[against])
    places = cache.places(study, settings, settings.background == "collection")
    kept = chosen_queries(study, settings, places.rankings.queries)
    ordered = ordered[ordered["query_id"].isin(kept)].reset_index(drop=True)
    names = ordered["query_id"].tolist()
    query = settings.query if settings.query in names else names[0]
    return Desk(study, settings, places, systems, questions, known[name], known[against], by, ordered, scores, query)


def _systems(study: Study, settings: Settings, first, second) -> tuple[str, ...]:
    """The selected system, else the first of those shown, and another beside it."""
    shown = chosen_systems(study, settings)
    st.session_state["query_system"] = settings.system if settings.system in shown else shown[0]
    system = first.selectbox("System", shown, key="query_system", on_change=guarded(_select))
    beside = (*(name for name in shown if name != system), ALONE)
    choices.among("query_beside", beside)
    other = second.selectbox("Beside it", beside, key="query_beside", format_func=lambda name: name or "no other")
    return (system,) if other == ALONE else (system, other)


def _select() -> None:
    st.session_state["system"] = st.session_state["query_system"]


def go(query: str) -> None:
    """Opens the query. For callbacks."""
    st.session_state["query"] = query
