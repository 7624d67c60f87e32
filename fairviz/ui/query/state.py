"""The query, systems, measure and order of the page Query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.analyses.reading.side_by_side import ORDERS, By
from fairviz.comparison.family import how_on_pages, preferred
from fairviz.evaluation.choices import chosen_runs
from fairviz.evaluation.questions import Asked, of_lists, split_by_data
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import SystemStyle
from fairviz.measures import MEASURES, Question
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study
from fairviz.ui.kept import reading as kept
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, pick
from fairviz.ui.state import choices, pair
from fairviz.words.sentences import out_of

ALONE = ""
OVER, OVERS = "query_over", ("this query", "all queries")
LISTS = "query_lists"
LISTS_HELP = "The lists after the selected systems', in this order."
BY_TEXTS = {
    "study": "as in the study",
    "value": "unfairest first",
    "difference": "largest difference first",
    "disagreement": "largest disagreement",
}


@dataclass(frozen=True, eq=False)
class Desk:
    """The data of the page's cards.

    systems: the selected one, and the one to compare, if any. lists: the systems whose lists are side by side, these
    two first. questions: every computable measure with a value for one query. question: the chosen one; other: the one
    for the order by disagreement. order: query_id and by.
    """

    study: Study
    settings: Settings
    rankings: AlignedRankings
    systems: tuple[str, ...]
    lists: tuple[str, ...]
    styles: Mapping[str, SystemStyle]
    questions: tuple[Question, ...]
    question: Question
    other: Question
    order_name: By
    order: pd.DataFrame
    scores: pd.DataFrame
    query: str

    @property
    def at(self) -> int:
        """Position of the query in the order, from 0."""
        return self.order["query_id"].tolist().index(self.query)

    @property
    def baseline(self) -> str | None:
        """The system to compare, if any."""
        return self.systems[1] if len(self.systems) > 1 else None


def offered(study: Study, settings: Settings) -> Asked:
    """Return the computable measures, those with a value for one query first and effectiveness last, and the reasons
    for the others."""
    names = sorted(of_lists(study), key=lambda name: not MEASURES[name].per_query)
    return split_by_data(study, settings, (*names, settings.effectiveness))


def choose(study: Study, settings: Settings, questions: tuple[Question, ...]) -> Desk:
    """Draw the row of choices, and return the data of the page."""
    questions_by_name = {question.name: question for question in questions}
    first_column, second_column, measure_column, *order_columns = _columns()
    systems = _choose_systems(study, settings, (first_column, second_column))
    name = pick.select(pair.MEASURE, "Measure", tuple(questions_by_name), place=measure_column)
    orders = tuple(order_name for order_name in ORDERS if len(systems) > 1 or order_name != "difference")
    usual = "difference" if len(systems) > 1 else "value"
    order_name = pick.select("query_order", "Order of queries", orders, usual, place=order_columns[0], texts=BY_TEXTS)
    other_names = tuple(other for other in questions_by_name if other != name) or (name,)
    if order_name == "disagreement":
        other_name = pick.select("query_other", "Disagreement with", other_names, place=order_columns[-1])
    else:
        other_name = str(choices.among("query_other", other_names))
    both = (questions_by_name[name], questions_by_name[other_name])
    page_questions = tuple(question for question in questions if question.per_query or question in both)
    values = kept.values(study, settings, page_questions, systems)
    ordered = kept.order(study, settings, page_questions, systems, order_name, *both)
    names = ordered["query_id"].tolist()
    query = settings.query if settings.query in names else names[0]
    rankings = cache.aligned(study, settings, settings.background == "collection")
    lists = _chosen_lists(study, settings, systems)
    styles = charts.styles(study)
    return Desk(
        study, settings, rankings, systems, lists, styles, page_questions, *both, order_name, ordered, values, query
    )


def _columns() -> list[DeltaGenerator]:
    """Return the columns of the choices, one more for the second measure of a disagreement."""
    is_disagreement = st.session_state.get("query_order") == "disagreement"
    return st.columns([3, 3, 3, 4, 3] if is_disagreement else [3, 3, 3, 4], gap="small")


def _choose_systems(study: Study, settings: Settings, columns: Sequence[DeltaGenerator]) -> tuple[str, ...]:
    """Draw the two select boxes; return the system, and the one to compare, if any."""
    visible = chosen_runs(study, settings)
    chosen = pair.chosen(visible, preferred(visible, how_on_pages(study, settings)), (ALONE,))
    texts = (str, {ALONE: "no other"})
    pick.pair(visible, chosen, ("System", "Against"), columns, others=(ALONE,), texts=texts)
    return tuple(name for name in chosen if name != ALONE)


def _chosen_lists(study: Study, settings: Settings, systems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the systems whose lists are shown: those of the page, then the chosen ones."""
    chosen_lists = choices.several(LISTS, offered_lists(study, settings, systems), systems)
    return tuple(dict.fromkeys((*systems, *chosen_lists)))


def choose_lists(desk: Desk) -> None:
    """Draw the selection of lists in a popover, as many names need room."""
    options = offered_lists(desk.study, desk.settings, desk.systems)
    with st.popover(f"{out_of(len(desk.lists), len(options), 'list')}"):
        st.multiselect("Lists side by side", options, key=LISTS, help=LISTS_HELP)


def offered_lists(study: Study, settings: Settings, systems: tuple[str, ...]) -> tuple[str, ...]:
    """Return the systems shown, those of the page first."""
    return tuple(dict.fromkeys((*systems, *chosen_runs(study, settings))))


def go(query: str) -> None:
    """Open the query. For callbacks."""
    st.session_state["query"] = query
