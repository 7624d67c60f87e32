"""The cards of the page Query: navigation through the queries, the strip, and the parts of a value."""

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.comparison.compare import query_values
from fairviz.errors import FairvizError
from fairviz.evaluation.contributions import Anatomy, contributions
from fairviz.figures import strip
from fairviz.figures.cutoff_curve import CHANCE
from fairviz.measures import Question
from fairviz.orders.chance import beside, chance_of_query
from fairviz.output.recipes import Recipe, call, recipe, scored
from fairviz.ui.kept import orders as chances
from fairviz.ui.kept import reading as kept
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.query import state, steps, stripes
from fairviz.ui.query.state import OVER, OVERS, Desk
from fairviz.ui.state import choices
from fairviz.words.sentences import decimal, out_of
from fairviz.words.sentences import significant as number

QUERY, PART = "query_query", "query_part"
SMALL = 0.001  # values below it are 0 with three decimals
PARTS = ("first", "second", "difference")


def draw_navigation(desk: Desk) -> DeltaGenerator:
    """Draw Back and Next with their keys, the selection of a query, and its position in the order. Return the column
    at the right, for a link."""
    names = desk.order["query_id"].tolist()
    texts = dict(zip(desk.study.queries["query_id"], desk.study.queries["text"], strict=True))
    back_column, next_column, query_column, text_column, link_column = st.columns(
        [1.4, 1.4, 6, 4, 2.2], vertical_alignment="center", gap="small"
    )
    for column, step, label, key in ((back_column, -1, "Back", "P"), (next_column, 1, "Next", "N")):
        target = names[(desk.at + step) % len(names)]
        column.button(
            label, key=f"query_go_{key}", shortcut=key, on_click=guarded(state.go), args=(target,), width="stretch"
        )
    st.session_state[QUERY] = desk.query
    query_column.selectbox(
        "Query",
        names,
        key=QUERY,
        format_func=lambda name: " · ".join(filter(None, (name, texts.get(name, "")))),
        on_change=guarded(_open_picked),
        label_visibility="collapsed",
    )
    with text_column:
        html.quiet(f"{out_of(desk.at + 1, len(names), 'query')}{_order_text(desk)}")
    return link_column


def _open_picked() -> None:
    state.go(st.session_state[QUERY])


def _order_text(desk: Desk) -> str:
    """Return the value that this query is ordered by, as text."""
    value = float(desk.order["by"].iloc[desk.at])
    if desk.order_name == "study":
        return ""
    value_text = "undefined" if np.isnan(value) else decimal(value) if abs(value) >= SMALL else number(value)
    if desk.order_name == "disagreement":
        return f" · rank gap {value_text}, {desk.question.name} against {desk.other.name}"
    kind = "difference in " if desk.order_name == "difference" else ""
    return f" · {kind}{desk.question.name} {value_text}"


def strip_card(desk: Desk) -> None:
    """Draw the query's value of every measure against those of all queries."""
    with st.expander("This query among all, in every measure", key="query_card_strip", type="compact"):
        all_queries = kept.strip(desk.study, desk.settings, desk.questions, desk.systems)
        band = _chance(desk)
        query_strip = strip.of_query(all_queries, desk.scores, desk.query, band)
        text_column, table_column = st.columns([8, 2], vertical_alignment="center")
        with text_column:
            grey = f" Grey: {CHANCE}." if band is not None else ""
            html.quiet(
                f"Faint marks: all queries in these systems. Each row has its own ends.{grey}{_slopes_text(desk)}"
            )
        with table_column:
            table, code = _values_and_recipe(desk, band)
            charts.table(table, query_strip.alt, "query_strip", code, figure=False)
        st.html(stripes.strip_html(query_strip, desk.styles, charts.theme()))


def _chance(desk: Desk) -> pd.DataFrame | None:
    """Return the bands of random orders of the first system's list, None if the reader wants none."""
    candidates = chances.candidates_of(desk.study)
    measures = _with_bands(desk)
    if candidates == chances.NONE or not measures or not desk.systems:
        return None
    return chances.of_query(desk.study, desk.settings, measures, desk.systems[0], desk.query, candidates)


def _with_bands(desk: Desk) -> tuple[Question, ...]:
    return tuple(question for question in desk.questions if question.per_query)


def _values_and_recipe(desk: Desk, band: pd.DataFrame | None) -> tuple[pd.DataFrame, Recipe]:
    """Return the query's values, beside the bands of random orders if there are any, and their Python."""
    texts = [question.text for question in desk.questions]
    code = call(query_values, scored(desk.study, desk.settings, texts), desk.query, desk.systems, texts)
    if band is None:
        return values(desk), recipe(code)
    arguments = (desk.study, _with_bands(desk), desk.settings, desk.systems[0], desk.query)
    bands = call(chance_of_query, *arguments, candidates=chances.candidates_of(desk.study))
    return beside(values(desk), band), recipe(beside, code, bands)


def _slopes_text(desk: Desk) -> str:
    slopes = [question.name for question in desk.questions if not question.per_query]
    return f" {slopes[0]}: what the query adds to the slope." if slopes else ""


def values(desk: Desk) -> pd.DataFrame:
    """Return a table: measure, a column a system, and with two systems their difference."""
    return query_values(desk.scores, desk.query, desk.systems, [question.text for question in desk.questions])


def waterfall_card(desk: Desk) -> None:
    """Draw the parts of the chosen measure: the ranks of this query's list, or the queries of the whole system; of one
    system, of the other, or of their difference."""
    is_open = st.session_state.setdefault("query_steps_open", bool(choices.changed((PART, OVER))))  # by a link
    with st.expander("The calculation, step by step", is_open, key="query_card_steps", type="compact"):
        names = dict(zip(PARTS, desk.systems, strict=False))
        parts = PARTS if len(names) > 1 else PARTS[:1]
        controls_column, table_column = st.columns([10, 2.2], vertical_alignment="top", gap="small")
        with controls_column, st.container(horizontal=True, gap="small"):  # long names take a line of their own
            part = pick.segmented(
                PART, "Of", parts, width="content", texts=lambda part: html.literal(names.get(str(part), str(part)))
            )
            reach = pick.segmented(OVER, "Over", OVERS, width="content")
        system, baseline = desk.systems if part == PARTS[2] else (names[part], None)
        query = desk.query if reach == OVERS[0] else None
        try:
            anatomy = kept.anatomy(desk.study, desk.settings, desk.question, system, query, baseline)
        except FairvizError as error:
            html.message("info", error.message, error.remedy)
            return
        alt = f"{anatomy.heading}, the sum of the column {anatomy.column}."
        with table_column:
            arguments = (desk.study, desk.question.text, system, query, desk.settings)
            code = recipe(contributions, *arguments, against=baseline or None)
            _draw_table(anatomy, alt, code)
        st.html(steps.steps_html(anatomy, charts.theme(), desk.order["query_id"].tolist()))


def _draw_table(anatomy: Anatomy, alt: str, code: Recipe) -> None:
    """Draw the table of the parts; a tick beside a query's row opens the query."""
    on_row = (lambda place: state.go(str(anatomy.table["query_id"].iloc[place]))) if anatomy.query is None else None
    charts.table(
        anatomy.table, alt, "query_parts" if anatomy.query else "query_parts_of_all", code, on_row, figure=False
    )
