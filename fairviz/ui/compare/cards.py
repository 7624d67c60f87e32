"""The figure of the page Two systems, a bar for each query with the finding above it, and the slices."""

from functools import partial

import pandas as pd
import streamlit as st

from fairviz.comparison.compare import Comparison
from fairviz.comparison.ranking_sentences import family_text, interval_note
from fairviz.figures import query_differences
from fairviz.output.recipes import query_recipe
from fairviz.ui.compare.deck import SLICE, Deck, Testing, slice_columns, testing_fields
from fairviz.ui.compare.systems import compared_with_baseline, how_made
from fairviz.ui.compare.wording import details, finding
from fairviz.ui.kept import tables
from fairviz.ui.kit import charts, grids, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.state import choices, going
from fairviz.ui.state.registry import REGISTRY

HEIGHT = 300
MEASURES_PAGE = "pages/measures.py"
SLICES_ALT = "Every system against the baseline, slice by slice."
COMMON = "Mean over the queries that both systems have a value for."
ALL = "Mean over all queries that this system has a value for."


def queries_card(deck: Deck, comparison: Comparison) -> pd.DataFrame:
    """Draw the finding and the difference of every query, sorted; a click selects the query. Return the table."""
    table = tables.by_query(deck.study, deck.asked.texts, deck.settings, *deck.pair)
    table = table[table["measure"] == deck.measure.text]
    info = query_differences.info(table, deck.measure, deck.pair, deck.texts, deck.settings.query)
    with st.container(border=True, gap="xsmall", key="compare_queries_card"):
        text_column, details_column, table_column = st.columns([10, 1.5, 1.3], gap="small", vertical_alignment="center")
        with text_column:
            html.findings(finding(comparison, deck.measure, deck.pair))
        with details_column, st.popover("Details", key="compare_details_popover"):
            html.lines("fv-details", *details(comparison, deck.measure, deck.pair))
            testing_fields()
        with table_column:
            query_texts = table["query_id"].map(deck.texts).fillna("")
            code = query_recipe(deck.study, deck.settings, [deck.measure.text], deck.pair)
            open_lists = partial(charts.open_queries, table, {deck.measure.text: deck.measure.name})
            charts.table(table.assign(query=query_texts), info.alt, "compare_queries", code, open_lists)
        figure = query_differences.draw(info, deck.styles, deck.theme, HEIGHT)
        charts.chart(figure, info.alt, "compare_by_query", select_query)
    return table


def moved_link() -> None:
    """Draw a link to the page Measures if the address has choices of its cards that it has not read."""
    unread = st.session_state.get(choices.UNREAD_KEYS, ())
    if any(choice.key in unread for choice in REGISTRY["measures"]):
        st.button("Open the choices of this link on Measures", key="compare_moved",
                  on_click=guarded(partial(going.to_page, MEASURES_PAGE)))  # fmt: skip


def select_query(name: str) -> None:
    """Select the query, on other pages too. For callbacks, which run before the widgets."""
    st.session_state["query"] = name


def slices_card(deck: Deck, how: Testing) -> None:
    """Draw the two systems by the chosen measure, a row for each value of a column of the queries."""
    columns = slice_columns(deck.study)
    if len(columns) < 2:
        html.quiet("The queries of this study have no column to slice by, such as category.")
        return
    choice_column, table_column = st.columns([10, 1.3], vertical_alignment="bottom")
    column = pick.select(SLICE, "Apart by", columns, texts={"": "nothing: all queries together"}, place=choice_column)
    comparison = compared_with_baseline(deck, how, column)
    rows = comparison.table[
        (comparison.table["measure"] == deck.measure.text) & (comparison.table["system"] == deck.pair[0])
    ]
    names = ["slice", "queries", "value", "baseline_value", "difference", "ci_low", "ci_high", "p_corrected", "verdict",
            "equivalence", "minimum_detectable", "value_all", "baseline_value_all"]  # fmt: skip
    slices = rows[[name for name in names if name in rows.columns]]
    with table_column:
        code = how_made(deck, how, comparison, column)
        charts.table(comparison.table, SLICES_ALT, "compare_slices", code, figure=False)
    grids.grid(slices, SLICES_ALT, "compare_slices_grid", most=10, column_config=_heads(), placeholder=grids.NONE)
    family_note = " All slices of a measure are one family." if column else ""
    with st.expander("Tests and intervals", key="compare_slices_notes", type="compact"):
        html.quiet(f"Tests: {family_text(comparison)}.{family_note} Intervals: {interval_note(comparison)}.")


def _heads() -> dict:
    number = partial(st.column_config.NumberColumn, format="%.3f")
    return {
        "value": number("system", help=COMMON), "baseline_value": number("baseline", help=COMMON),
        "value_all": number("system (all)", help=ALL), "baseline_value_all": number("baseline (all)", help=ALL),
        "difference": number("difference"),
        "ci_low": number("95 % from", help=term("interval")), "ci_high": number("95 % to", help=term("interval")),
        "p_corrected": st.column_config.NumberColumn("p corrected", format="%.4f", help=term("corrected p")),
        "minimum_detectable": number("min. detectable", help=term("minimum detectable difference")),
    }  # fmt: skip
