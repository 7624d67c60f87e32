"""The lists of one query side by side: aligned ranks, moves, marked gender words, labels and relevance."""

from functools import cache
from pathlib import Path

import pandas as pd
import streamlit as st

from fairviz.analyses.reading.side_by_side import side_by_side
from fairviz.output.recipes import recipe
from fairviz.ui.kit import charts, highlight, html, pick
from fairviz.ui.kit.highlight import marked
from fairviz.ui.kit.side_by_side import Look, lists_html
from fairviz.ui.kit.side_by_side import style_sheet as lists_style_sheet
from fairviz.ui.query import bars, state
from fairviz.ui.query.state import Desk
from fairviz.words.sentences import counted

MOST_CELLS, FEWEST_RANKS = 600, 10  # documents that are shown at once; the table contains all
ROOMY = 3  # lists with room for longer texts
LEGEND = (
    "★ relevant, ☆ not. ω: neutrality (1 = neutral). Lines lead to a document's rank in the next list: ▲ up, ▼ down, "
    "+ new, × gone."
)
STYLE = Path(__file__).with_name("query.css")


@cache
def style_sheet() -> str:
    """Return the style sheet of the bars, the steps and the strip."""
    return f"<style>{STYLE.read_text(encoding='utf-8')}</style>"


def deepest(cutoff: int, lists: int) -> int:
    """Return the number of ranks to show: the cutoff, or fewer for many long lists."""
    return min(cutoff, max(FEWEST_RANKS, MOST_CELLS // max(lists, 1)))


def lists_card(desk: Desk) -> tuple[str, ...]:
    """Draw a column a system, a row a rank, the moves between them, the parts of the measure beside them, and the lost
    documents below. Return the documents; the lists refer to them by their positions in it."""
    systems = desk.lists
    rank_count = deepest(desk.settings.cutoff, len(systems))
    table = side_by_side(desk.study, desk.settings.changed(cutoff=rank_count), desk.query, systems, desk.places)
    names = tuple(dict.fromkeys(table["doc_id"]))
    with st.container(border=True, gap="xsmall", key="query_card_lists"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            state.choose_lists(desk)
            excerpts = pick.toggle("query_excerpts", "Excerpts", help="Four lines a document, with its gender words.")
            _draw_table(desk, table, rank_count)
        labels = (desk.places.neutral, *desk.places.groups)
        look = Look(labels, desk.styles, charts.theme(), len(systems) <= ROOMY, excerpts)
        texts = marked(desk.study, desk.settings, names, roomy=look.roomy)
        styles = lists_style_sheet() + style_sheet() + highlight.style_sheet(desk.study.groups, look.theme)
        margin = bars.margin_of(desk, rank_count, look.theme)
        st.html(styles + lists_html(table, systems, texts, look, bars.notes(desk), margin))
        html.quiet(LEGEND)
    return names


def _draw_table(desk: Desk, table: pd.DataFrame, rank_count: int) -> None:
    """Draw the table of the lists, which has all ranks up to the cutoff."""
    if rank_count < desk.settings.cutoff:
        table = side_by_side(desk.study, desk.settings, desk.query, desk.lists, desk.places)
    alt = f"The lists of {counted(len(desk.lists), 'system')} for {desk.query}, rank by rank."
    code = recipe(side_by_side, desk.study, desk.settings, desk.query, desk.lists)
    charts.table(table, alt, "query_lists", code, figure=False)
