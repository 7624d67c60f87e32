"""The cards of the page Query: the way through the queries, the strip, and what a value is made of."""

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation import recipes
from fairviz.evaluation.contributions import Anatomy
from fairviz.figures import strip
from fairviz.measures.contributions import number
from fairviz.ui.kept import query as kept
from fairviz.ui.kit import charts, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.query import state, steps, stripes
from fairviz.ui.query.state import BY_TEXTS, OVER, OVERS, Desk
from fairviz.ui.state import choices

QUERY, PART = "query_query", "query_part"
SMALL = 0.001  # what three decimals do not tell
PARTS = ("first", "second", "difference")


def way(desk: Desk) -> None:
    """Back and Next with their keys, the query to choose, and where it stands in the order."""
    names = desk.order["query_id"].tolist()
    texts = dict(zip(desk.study.queries["query_id"], desk.study.queries["text"], strict=True))
    back, on, pick, told = st.columns([1, 1, 6, 5], vertical_alignment="center", gap="small")
    for place, by, label, key in ((back, -1, "Back", "P"), (on, 1, "Next", "N")):
        to = names[(desk.at + by) % len(names)]
        place.button(
            label, key=f"query_go_{key}", shortcut=key, on_click=guarded(state.go), args=(to,), width="stretch"
        )
    st.session_state[QUERY] = desk.query
    pick.selectbox(
        "Query",
        names,
        key=QUERY,
        format_func=lambda name: " · ".join(filter(None, (name, texts.get(name, "")))),
        on_change=guarded(_picked),
        label_visibility="collapsed",
    )
    with told:
        html.quiet(f"{desk.at + 1:,} of {len(names):,} queries, {BY_TEXTS[desk.by]}{_by(desk)}. Keys: P, N.")


def _picked() -> None:
    state.go(st.session_state[QUERY])


def _by(desk: Desk) -> str:
    """What this query is ordered by."""
    value = float(desk.order["by"].iloc[desk.at])
    if desk.by == "study":
        return ""
    said = "undefined" if np.isnan(value) else strip.number_text(value) if abs(value) >= SMALL else number(value)
    if desk.by == "disagreement":
        return f": its places by {desk.question.name} and {desk.other.name} lie {said} of the queries apart"
    return f": {'a difference of ' if desk.by == 'difference' else ''}{said} by {desk.question.text}"


def strip_card(desk: Desk) -> None:
    """The query's value of every measure against those of all queries."""
    with st.container(border=True, gap="xsmall", key="query_card_strip"):
        everyone = kept.strip(desk.study, desk.settings, desk.questions, desk.systems)
        shown = strip.of_query(everyone, desk.scores, desk.query)
        words, more = st.columns([8, 2], vertical_alignment="center")
        with words:
            html.quiet(
                f"Faint marks: where queries stand in these systems. Each row has its own ends.{_of_slopes(desk)}"
            )
        with more:
            code = recipes.one_query(desk.study, desk.settings, [one.text for one in desk.questions], desk.query,
                                     desk.systems)  # fmt: skip
            charts.table(values(desk), shown.alt, "query_strip", code, figure=False)
        st.html(stripes.strip_html(shown, desk.styles, charts.theme()))


def _of_slopes(desk: Desk) -> str:
    slopes = [question.name for question in desk.questions if not state.query_has(question)]
    return f" {slopes[0]}: what the query adds to the slope." if slopes else ""


def values(desk: Desk) -> pd.DataFrame:
    """measure and a column a system; with two, their difference."""
    held = desk.scores[desk.scores["query_id"] == desk.query]
    table = pd.DataFrame({"measure": [question.text for question in desk.questions]})
    for name in desk.systems:
        mine = held[held["system"] == name]
        by_measure = pd.Series(mine["value"].to_numpy(), index=mine["measure"].astype("str"))
        table[name] = by_measure.reindex(table["measure"]).to_numpy()
    if len(desk.systems) == 2:
        table["difference"] = table[desk.systems[0]] - table[desk.systems[1]]
    return table


def waterfall_card(desk: Desk) -> None:
    """The chosen measure taken apart: of this query's list rank by rank, or of the whole system query by query; of one
    system, of the other, or their difference."""
    with st.container(border=True, gap="xsmall", key="query_card_steps"):
        names = dict(zip(PARTS, desk.systems, strict=False))
        parts = PARTS if len(names) > 1 else PARTS[:1]
        controls, more = st.columns([10, 2.2], vertical_alignment="top", gap="small")
        part, reach = choices.among(PART, parts), choices.among(OVER, OVERS)
        with controls, st.container(horizontal=True, gap="small"):  # long names take a line of their own
            st.segmented_control(
                "Of", parts, format_func=lambda one: html.literal(names.get(str(one), str(one))), required=True,
                key=PART, label_visibility="collapsed", width="content",
            )  # fmt: skip
            st.segmented_control(
                "Over", OVERS, required=True, key=OVER, label_visibility="collapsed", width="content"
            )  # fmt: skip
        system, against = desk.systems if part == PARTS[2] else (names[part], None)
        query = desk.query if reach == OVERS[0] else None
        try:
            found = kept.anatomy(desk.study, desk.settings, desk.question, system, query, against)
        except FairvizError as error:
            html.message("info", error.message, error.remedy)
            return
        told = f"{found.heading}, the sum of the column {found.column}."
        with more:
            code = recipes.parts(desk.study, desk.settings, desk.question.text, system, query, against)
            _table(found, told, code)
        st.html(steps.steps_html(found, charts.theme(), desk.order["query_id"].tolist()))


def _table(found: Anatomy, alt: str, code: str) -> None:
    """The table of the parts; a tick beside a query's row opens it."""
    on_row = (lambda place: state.go(str(found.table["query_id"].iloc[place]))) if found.query is None else None
    charts.table(found.table, alt, "query_parts" if found.query else "query_parts_of_all", code, on_row, figure=False)
