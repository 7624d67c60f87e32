"""The cards of the page Query: the way through the queries, the strip, and what a value is made of."""

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation import recipes
from fairviz.evaluation.contributions import anatomy
from fairviz.figures import strip, waterfall
from fairviz.ui.kit import charts, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.query import state
from fairviz.ui.query.state import BY_TEXTS, Desk

QUERY, PART = "query_query", "query_part"
PARTS = ("first", "second", "difference")
HEIGHT = 330


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
    said = "undefined" if np.isnan(value) else f"{value:.3f}".replace("-", "−")
    if desk.by == "disagreement":
        return f": its places by {desk.question.name} and {desk.other.name} lie {said} of the queries apart"
    return f": {'a difference of ' if desk.by == 'difference' else ''}{said} by {desk.question.text}"


def strip_card(desk: Desk) -> None:
    """The query's value of every measure against those of all queries."""
    with st.container(border=True, gap="xsmall"):
        shown = strip.info(desk.scores, desk.questions, desk.systems, desk.query)
        words, more = st.columns([8, 2], vertical_alignment="center")
        with words:
            html.quiet("Faint marks: where queries stand in these systems. Each row has its own ends.")
        with more:
            code = recipes.one_query(desk.study, desk.settings, [one.text for one in desk.questions], desk.query,
                                     desk.systems)  # fmt: skip
            charts.table(values(desk), shown.alt, "query_strip", code)
        charts.chart(strip.draw(shown, charts.styles(desk.study), charts.theme()), shown.alt, "query_strip_chart")


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
    """The chosen measure taken apart, rank by rank: of one system, of the other, or their difference."""
    with st.container(border=True, gap="xsmall"):
        names = dict(zip(PARTS, desk.systems, strict=False))
        parts = PARTS if len(names) > 1 else PARTS[:1]
        which, more = st.columns([8, 2], vertical_alignment="center")
        if st.session_state.get(PART) not in parts:
            st.session_state[PART] = parts[0]
        part = which.segmented_control(
            "Of", parts, format_func=lambda one: names.get(one, one), required=True, key=PART,
            label_visibility="collapsed",
        )  # fmt: skip
        system, against = desk.systems if part == PARTS[2] else (names[part or parts[0]], None)
        settings = desk.settings.changed(cutoff=desk.question.cutoff or desk.settings.cutoff)
        try:
            found = anatomy(
                desk.study, desk.question.text, system, desk.query, settings, against=against, places=desk.places
            )
        except FairvizError as error:
            html.message("info", error.message, error.remedy)
            return
        drawn = waterfall.info(found.table, found.column, found.heading)
        with more:
            code = recipes.parts(desk.study, settings, desk.question.text, system, desk.query, against)
            charts.table(found.table, drawn.alt, "query_parts", code)
        charts.chart(waterfall.draw(drawn, charts.theme(), HEIGHT), drawn.alt, "query_waterfall")
        html.quiet(found.sentence)
