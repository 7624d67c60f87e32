"""Which query, systems, measure and order the page Query shows, and the way from one query to the next."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from fairviz.evaluation.choices import chosen_systems, missing_part
from fairviz.evaluation.scores import ask
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import SystemStyle
from fairviz.inspection.side_by_side import ORDERS, By
from fairviz.measures import MEASURES, Question
from fairviz.measures.sums import Places
from fairviz.study.study import Study
from fairviz.ui.kept import query as kept
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices

ALONE = ""
OVER, OVERS = "query_over", ("this query", "all queries")
LISTS, MOST_LISTS = "query_lists", 12  # that stand side by side until a reader chooses others
LISTS_HELP = "Which systems' lists stand side by side, in this order after the first two; none chosen: those shown."
BY_TEXTS = {
    "study": "as in the study",
    "value": "unfairest first",
    "difference": "largest difference first",
    "disagreement": "where two measures part most",
}


@dataclass(frozen=True, eq=False)
class Desk:
    """What the cards of the page draw from.

    systems: the one looked at, and the one beside it where there is one. lists: those whose lists stand side by side,
    these two first. questions: every measure with a value for one
    query that the study can feed. question: the chosen one; other: the one whose disagreement with it orders. order:
    query_id and by.
    """

    study: Study
    settings: Settings
    places: Places
    systems: tuple[str, ...]
    lists: tuple[str, ...]
    styles: Mapping[str, SystemStyle]
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
    """The measures of fairness, those that have a value for one query first and effectiveness last, and for each other
    what is missing."""
    ordered = sorted(MEASURES, key=lambda name: not MEASURES[name].per_query)
    texts = [f"{name}@{settings.cutoff}" for name in ordered]
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
    chosen = (known[name], known[against])
    asked = tuple(question for question in questions if query_has(question) or question in chosen)
    values = kept.values(study, settings, asked, systems)
    ordered = kept.order(study, settings, asked, systems, by, *chosen)
    names = ordered["query_id"].tolist()
    query = settings.query if settings.query in names else names[0]
    places = cache.places(study, settings, settings.background == "collection")
    lists, styles = _lists(study, settings, systems), charts.styles(study)
    return Desk(study, settings, places, systems, lists, styles, asked, *chosen, by, ordered, values, query)


def query_has(question: Question) -> bool:
    """Whether the measure has a value for one query by itself; of GSR a query has what it adds to the slope."""
    return question.measure is None or question.measure.per_query


def choose_lists(desk: Desk) -> None:
    """In a box of its own, as many names take room: whose lists stand side by side."""
    offered = offered_lists(desk.study, desk.settings, desk.systems)
    with st.popover(f"{len(desk.lists):,} of {len(offered):,} lists", width="stretch"):
        st.multiselect("Lists side by side", offered, key=LISTS, help=LISTS_HELP)


def offered_lists(study: Study, settings: Settings, systems: tuple[str, ...]) -> tuple[str, ...]:
    """The systems shown, the one looked at and the one beside it first."""
    return tuple(dict.fromkeys((*systems, *chosen_systems(study, settings))))


def _lists(study: Study, settings: Settings, systems: tuple[str, ...]) -> tuple[str, ...]:
    """The systems whose lists are shown: the one looked at and the one beside it, then the others that are chosen."""
    offered = offered_lists(study, settings, systems)
    usual = offered[:MOST_LISTS] if len(systems) > 1 else systems  # who wants no other beside it sees one list
    chosen = choices.several(LISTS, offered, usual)
    return tuple(dict.fromkeys((*systems, *chosen)))


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
