"""The cards of the page Compare: every query, all systems against the baseline, slices, and measures on measures."""

from functools import partial

import pandas as pd
import streamlit as st

from fairviz.comparison import atlas as atlases
from fairviz.comparison.compare import Comparison, family_text, interval_note
from fairviz.errors import FairvizError
from fairviz.evaluation.exports import file_name, origin
from fairviz.figures import measure_matrix, query_differences
from fairviz.output.comparison_tables import cells, legend, notes, to_wide
from fairviz.output.recipes import comparison_recipe, query_recipe, recipe
from fairviz.ui.compare.deck import SLICE, Deck, Testing, slice_columns
from fairviz.ui.kept import compared, tables
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import going
from fairviz.words.sentences import shortest

HEIGHT, ROW_HEIGHT = 330, 35
FILES = {"LaTeX": ("latex", "tex", "application/x-tex"), "Markdown": ("markdown", "md", "text/markdown"),
         "CSV": ("csv", "csv", "text/csv")}  # fmt: skip
KINDS = {"Pearson": "pearson", "Kendall": "kendall", "order of systems": "order"}
ATLAS = "compare_atlas"
OPPOSED = "compare_opposed"
PARTED_HEADS = {
    "query": "query", "first": "by", "first_fairer": "fairer is", "second": "and by", "second_fairer": "it is",
    "strength": "strength",
}  # fmt: skip
COMMON = "Mean over the queries that both systems have a value for."
ALL = "Mean over all queries that this system has a value for."
STRENGTH = "The smaller of the two differences, each in standard deviations of its measure's differences."


def queries_card(deck: Deck) -> pd.DataFrame:
    """Draw the difference of every query, sorted; a click selects the query. Return the table."""
    table = tables.by_query(deck.study, deck.asked.texts, deck.settings, *deck.pair)
    table = table[table["measure"] == deck.measure.text]
    info = query_differences.info(table, deck.measure, deck.pair, deck.texts, deck.settings.query)
    with st.container(border=True, gap="xsmall", key="compare_queries_card"):
        text_column, table_column = st.columns([8, 2], gap="small", vertical_alignment="center")
        with text_column:
            html.quiet("A bar a query. Click one to read its two lists; sort all in the table.")
        with table_column:
            query_texts = table["query_id"].map(deck.texts).fillna("")
            code = query_recipe(deck.study, deck.settings, deck.asked.texts, deck.pair, deck.measure.text)
            open_lists = partial(charts.open_queries, table, {deck.measure.text: deck.measure.name})
            charts.table(table.assign(query=query_texts), info.alt, "compare_queries", code, open_lists)
        figure = query_differences.draw(info, deck.styles, deck.theme, HEIGHT)
        charts.chart(figure, info.alt, "compare_by_query", select_query)
    return table


def select_query(name: str) -> None:
    """Select the query, on other pages too. For callbacks, which run before the widgets."""
    st.session_state["query"] = name


def systems_card(deck: Deck, how: Testing) -> Comparison:
    """Draw every system against the baseline by every measure, with verdicts and files; return the comparison."""
    comparison = _compared(deck, how, "")
    header, rows = cells(comparison)
    with st.container(gap="xsmall", key="compare_systems"):
        frame = pd.DataFrame(rows, columns=[_short(head) for head in header])
        st.dataframe(
            frame,
            hide_index=True,
            height=(min(len(frame), 12) + 1) * ROW_HEIGHT + 3,
            row_height=ROW_HEIGHT,
            key="compare_systems_grid",
            column_config={frame.columns[0]: st.column_config.TextColumn(pinned=True)},
            alt=legend(comparison),
        )
        html.quiet(legend(comparison))
        html.quiet(" ".join(notes(comparison)))
        _files(deck, comparison, how)
    return comparison


def _short(head: str) -> str:
    """Return the name of a measure without its parameters, which are in the legend and the files."""
    name, _, arrow = head.partition(" ")
    return f"{name.split('(')[0].split('@')[0]} {arrow}".strip()


def _files(deck: Deck, comparison: Comparison, how: Testing) -> None:
    margins = ", ".join(f"{name}={shortest(value)}" if name else shortest(value) for name, value in how.margins)
    more = (("family", family_text(comparison)), ("margins", margins), ("power", how.power))
    about = origin(deck.study, deck.settings, tuple(comparison.table["measure"].unique()), more)
    columns = st.columns([2, 2, 2, 2], gap="small")
    for column, (label, (form, suffix, kind)) in zip(columns, FILES.items(), strict=False):
        column.download_button(
            label, partial(to_wide, comparison, form, about), file_name(about, "compared", suffix), kind,
            key=f"compare_file_{form}", on_click="ignore", width="stretch",
        )  # fmt: skip
    with columns[3]:
        limits, power = dict(how.margins), how.power
        code = comparison_recipe(
            deck.study, deck.settings, deck.asked.texts, deck.pair[1], comparison.how,
            **({"margin": limits} if limits else {}), **({"power": power} if power else {}),
        )  # fmt: skip
        alt = "Every system against the baseline, with intervals, p, equivalence and minimum detectable difference."
        charts.table(comparison.table, alt, "compare_table", code, figure=False)


def _compared(deck: Deck, how: Testing, column: str) -> Comparison:
    texts = deck.asked.texts
    try:
        return compared.comparison(deck.study, texts, deck.settings, deck.pair[1], column, how.margins, how.power)
    except FairvizError as error:  # a margin for a measure that this page does not have
        html.message("warning", error.message, error.remedy)
        return compared.comparison(deck.study, texts, deck.settings, deck.pair[1], column, (), how.power)


def slices_card(deck: Deck, how: Testing) -> None:
    """Draw the two systems by the chosen measure, a row for each value of a column of the queries."""
    columns = slice_columns(deck.study)
    if len(columns) < 2:
        html.quiet("The queries of this study have no column to slice by, such as category.")
        return
    column = pick.select(SLICE, "Apart by", columns, texts={"": "nothing: all queries together"})
    comparison = _compared(deck, how, column)
    rows = comparison.table[
        (comparison.table["measure"] == deck.measure.text) & (comparison.table["system"] == deck.pair[0])
    ]
    names = ["slice", "queries", "value", "baseline_value", "difference", "ci_low", "ci_high", "p_corrected", "verdict",
            "equivalence", "minimum_detectable", "value_all", "baseline_value_all"]  # fmt: skip
    slices = rows[[name for name in names if name in rows.columns]]
    st.dataframe(
        slices,
        hide_index=True,
        key="compare_slices_grid",
        column_config=_heads(),
        height=(min(len(slices), 10) + 1) * ROW_HEIGHT + 3,
        row_height=ROW_HEIGHT,
        alt="The two systems, slice by slice.",
    )
    family_note = " All slices of a measure are one family." if column else ""
    tests_note = (
        f"{deck.measure.text}: {deck.pair[0]} against {deck.pair[1]}. Tests: {family_text(comparison)}.{family_note}"
    )
    html.quiet(f"{tests_note} Intervals: {interval_note(comparison)}.")


def _heads() -> dict:
    number = partial(st.column_config.NumberColumn, format="%.3f")
    return {
        "value": number("system", help=COMMON), "baseline_value": number("baseline", help=COMMON),
        "value_all": number("system (all)", help=ALL), "baseline_value_all": number("baseline (all)", help=ALL),
        "difference": number("difference"),
        "ci_low": number("95 % from"), "ci_high": number("95 % to"),
        "p_corrected": st.column_config.NumberColumn("p corrected", format="%.4f"),
        "minimum_detectable": number("min. detectable", help="Minimum detectable difference in the family."),
    }  # fmt: skip


def atlas_card(deck: Deck) -> None:
    """Draw measures against measures, and the queries on which they disagree about the fairer system."""
    if len(deck.asked.questions) < 2:
        html.quiet("Two measures make a pair: this study feeds one.")
        return
    atlas = compared.atlas(deck.study, deck.asked.texts, deck.settings)
    left, right = st.columns([5, 6], gap="small")
    with left:
        _matrix(deck, atlas)
    with right:
        _opposed(deck, atlas)


def _matrix(deck: Deck, atlas: atlases.Atlas) -> None:
    kind_column, table_column = st.columns([8, 3], gap="small", vertical_alignment="center")
    kind = pick.segmented(ATLAS, "By", tuple(KINDS), place=kind_column)
    table = atlas.orders if KINDS[kind] == "order" else atlas.correlations
    info = measure_matrix.info(table if table is atlas.orders else atlas.counted, atlas.measures, KINDS[kind])
    with table_column:
        name = "orders" if KINDS[kind] == "order" else "correlations"
        code = recipe(atlases.atlas, deck.study, deck.asked.texts, deck.settings, table=f"found.{name}")
        charts.table(table, info.alt, "compare_atlas", code)
    charts.chart(measure_matrix.draw(info, deck.theme, 400), info.alt, "compare_matrix")
    html.quiet("Fairer counts as more by every measure, whatever its direction: agreement is blue.")


def _opposed(deck: Deck, atlas: atlases.Atlas) -> None:
    table = atlas.queries(*deck.pair)
    table = table[table["first"].eq(deck.measure.text) | table["second"].eq(deck.measure.text)].reset_index(drop=True)
    names = {question.text: question.name for question in deck.asked.questions}
    html.strong(f"Queries on which {deck.measure.name} and another measure find different ones fairer")
    rows = table.assign(
        query=table["query_id"].map(deck.texts).fillna(table["query_id"]),
        first=table["first"].map(names),
        second=table["second"].map(names),
    )
    if rows.empty:
        html.quiet("There is none: wherever they differ, all measures find the same one fairer.")
        return
    st.dataframe(
        rows[list(PARTED_HEADS)],
        hide_index=True,
        height=400,
        key=OPPOSED,
        on_select=guarded(partial(_row_selected, deck, tuple(table["query_id"]))),
        selection_mode="single-row",
        column_config={
            **PARTED_HEADS,
            "query": st.column_config.TextColumn("query", width=190),
            "strength": st.column_config.NumberColumn(format="%.2f", help=STRENGTH),
        },
        alt="Queries on which two measures find different systems fairer, the clearest first.",
    )
    html.quiet(f"{len(table):,} rows, the clearest first; a tick opens the query's lists on Query.")


def _row_selected(deck: Deck, queries: tuple[str, ...]) -> None:
    rows = st.session_state[OPPOSED]["selection"]["rows"]
    if rows and rows[0] < len(queries):
        going.to_query(queries[rows[0]], deck.pair, deck.measure.name)
