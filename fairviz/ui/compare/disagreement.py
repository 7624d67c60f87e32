"""Measures against measures: how they correlate, and the queries on which they contradict one another."""

from functools import partial

import streamlit as st

from fairviz.comparison import atlas as atlases
from fairviz.figures import measure_matrix
from fairviz.output.recipes import recipe
from fairviz.ui.compare.deck import Deck
from fairviz.ui.kept import tables
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.state import going
from fairviz.words.sentences import counted

KINDS = {"Pearson": "pearson", "Kendall": "kendall", "order of systems": "order"}
ATLAS = "compare_atlas"
OPPOSED = "compare_opposed"
OPPOSED_ALT = "Queries on which two measures find different systems fairer, the clearest first."
OPPOSED_HEADS = {
    "query": "query", "first": "by", "first_fairer": "fairer is", "second": "and by", "second_fairer": "it is",
    "strength": "strength",
}  # fmt: skip
HEIGHT = 400
BLUE = "Blue is agreement: by every measure, more counts as fairer, whatever its direction."


def atlas_card(deck: Deck) -> None:
    """Draw measures against measures, and the queries on which they disagree about the fairer system."""
    if len(deck.asked.questions) < 2:
        html.quiet("Two measures make a pair: this study feeds one.")
        return
    atlas = tables.atlas(deck.study, deck.asked.texts, deck.settings)
    left, right = st.columns([5, 6], gap="small")
    with left:
        _matrix(deck, atlas)
    with right:
        _opposed(deck, atlas)


def _matrix(deck: Deck, atlas: atlases.Atlas) -> None:
    kind_column, table_column = st.columns([8, 3], gap="small", vertical_alignment="center")
    kind = pick.segmented(ATLAS, "By", tuple(KINDS), place=kind_column, help=BLUE)
    info = measure_matrix.info(atlas.counted, atlas.measures, KINDS[kind])
    with table_column:
        code = recipe(atlases.atlas, deck.study, deck.asked.texts, deck.settings, table="found.correlations")
        charts.table(atlas.correlations, info.alt, "compare_atlas", code)
    charts.chart(measure_matrix.draw(info, deck.theme, HEIGHT), info.alt, "compare_matrix")


def _opposed(deck: Deck, atlas: atlases.Atlas) -> None:
    table = atlas.queries(*deck.pair)
    is_measure = table["first"].eq(deck.measure.text) | table["second"].eq(deck.measure.text)
    table = table[is_measure & table["query_id"].ne("")].reset_index(drop=True)
    names = {question.text: question.name for question in deck.asked.questions}
    texts, lines = deck.asked.texts, [f"measure = {deck.measure.text!r}", f"rows = found.queries(*{deck.pair!r})"]
    lines.append("rows = rows[rows['query_id'] != '']")
    where = "rows[rows['first'].eq(measure) | rows['second'].eq(measure)].reset_index(drop=True)"
    code = recipe(atlases.atlas, deck.study, texts, deck.settings, lines=lines, table=where)
    title = f"Queries where measures contradict {deck.measure.name}"
    charts.headed(title, table, OPPOSED_ALT, "compare_opposed_numbers", code, figure=False)
    rows = table.assign(
        query=table["query_id"].map(deck.texts).fillna(table["query_id"]),
        first=table["first"].map(names),
        second=table["second"].map(names),
    )
    if rows.empty:
        html.quiet("None: on every query, the measures that differ find the same system fairer.")
        return
    st.dataframe(
        rows[list(OPPOSED_HEADS)],
        hide_index=True,
        height=HEIGHT,
        key=OPPOSED,
        on_select=guarded(partial(_row_selected, deck, tuple(table["query_id"]))),
        selection_mode="single-row",
        column_config={
            **OPPOSED_HEADS,
            "query": st.column_config.TextColumn("query", width=190),
            "strength": st.column_config.NumberColumn(format="%.2f", help=term("strength")),
        },
        alt=OPPOSED_ALT,
    )
    html.quiet(f"{counted(len(table), 'row')}, the clearest first. Tick one to open its lists on Query.")


def _row_selected(deck: Deck, queries: tuple[str, ...]) -> None:
    rows = st.session_state[OPPOSED]["selection"]["rows"]
    if rows and rows[0] < len(queries):
        going.to_query(queries[rows[0]], deck.pair, deck.measure.name)
