"""The lists of one query side by side: aligned ranks, moves, marked gender words, labels and relevance."""

from functools import cache
from pathlib import Path

import streamlit as st

from fairviz.analyses.reading.side_by_side import side_by_side
from fairviz.output.recipes import recipe
from fairviz.ui.kit import charts, highlight, html
from fairviz.ui.kit.excerpts import marked
from fairviz.ui.kit.side_by_side import Look, lists_html
from fairviz.ui.kit.side_by_side import style_sheet as lists_style_sheet
from fairviz.ui.query import state
from fairviz.ui.query.state import Desk

MOST_CELLS, FEWEST_RANKS = 600, 10  # documents that are shown at once; the table contains all
ROOMY = 3  # lists with room for longer texts
LEGEND = (
    "★ relevant, ☆ judged not relevant. ω: how neutral the words are, 1 is neutral. Lines lead to where a document "
    "stands in the next list: ▲ up, ▼ down, + new there, × gone. Click a document to read it."
)
STYLE = Path(__file__).with_name("query.css")


@cache
def style_sheet() -> str:
    """Return the style sheet of the steps and of the strip."""
    return f"<style>{STYLE.read_text(encoding='utf-8')}</style>"


def deepest(cutoff: int, lists: int) -> int:
    """Return the number of ranks to show: the cutoff, or fewer for many long lists."""
    return min(cutoff, max(FEWEST_RANKS, MOST_CELLS // max(lists, 1)))


def lists_card(desk: Desk) -> tuple[str, ...]:
    """Draw a column a system, a row a rank, the moves between them, and the lost documents below. Return the documents;
    the lists refer to them by their positions in it."""
    cutoff, systems = desk.settings.cutoff, desk.lists
    rank_count = deepest(cutoff, len(systems))
    table = side_by_side(desk.study, desk.settings.changed(cutoff=rank_count), desk.query, systems, desk.places)
    look = Look((desk.study.neutral, *desk.study.groups), desk.styles, charts.theme(), len(systems) <= ROOMY)
    names = tuple(dict.fromkeys(table["doc_id"]))
    with st.container(border=True, gap="xsmall", key="query_card_lists"):
        choice_column, text_column, table_column = st.columns([4, 8, 2], vertical_alignment="center", gap="small")
        with choice_column:
            state.choose_lists(desk)
        with text_column:
            depth = f"The first {rank_count:,} ranks" + (
                f" of k = {cutoff:,}; all are in the table" if rank_count < cutoff else ""
            )
            html.quiet(f"{depth}. {LEGEND}")
        with table_column:
            full_table = table
            if rank_count < cutoff:
                full_table = side_by_side(desk.study, desk.settings, desk.query, systems, desk.places)
            alt = f"The lists of {len(systems):,} systems for {desk.query}, rank by rank."
            code = recipe(side_by_side, desk.study, desk.settings, desk.query, systems)
            charts.table(full_table, alt, "query_lists", code, figure=False)
        texts = marked(desk.study, desk.settings, names, roomy=look.roomy)
        styles = lists_style_sheet() + style_sheet() + highlight.style_sheet(desk.study.groups, look.theme)
        st.html(styles + lists_html(table, systems, texts, look))
    return names
