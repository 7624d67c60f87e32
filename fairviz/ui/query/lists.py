"""The lists of one query side by side: aligned ranks, moves, marked gender words, labels and relevance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
import streamlit as st

from fairviz.analyses.reading.side_by_side import side_by_side
from fairviz.figures.style import SystemStyle, Theme
from fairviz.output.recipes import recipe
from fairviz.ui.kit import charts, highlight, html
from fairviz.ui.query import moves, state
from fairviz.ui.query.excerpts import marked
from fairviz.ui.query.state import Desk

MOST_CELLS, FEWEST_RANKS = 600, 10  # documents that are shown at once; the table contains all
ROOMY = 3  # lists with room for longer texts
LEGEND = (
    "★ relevant, ☆ judged not relevant. ω: how neutral the words are, 1 is neutral. Lines lead to where a document "
    "stands in the next list: ▲ up, ▼ down, + new there, × gone. Click a document to read it on Inspect."
)
WIDE, NARROW = 300, 216  # minimum width of a list in pixels
PAGES = {False: "#ffffff", True: "#12161d"}  # background of the cells that stay in place while scrolling
STYLE = Path(__file__).with_name("query.css")


@cache
def style_sheet() -> str:
    """Return the style sheet of the lists and of the steps."""
    return f"<style>{STYLE.read_text(encoding='utf-8')}</style>"


@dataclass(frozen=True)
class Look:
    """The look of the lists: labels in order, styles of the systems, and whether there is room for long texts."""

    labels: Sequence[str]
    styles: Mapping[str, SystemStyle]
    theme: Theme
    roomy: bool

    @property
    def row_height(self) -> int:
        """Height of every row in pixels, so that lines meet their documents."""
        return 92 if self.roomy else 76


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
        styles = style_sheet() + highlight.style_sheet(desk.study.groups, look.theme)
        st.html(styles + lists_html(table, systems, texts, look))
    return names


def lists_html(table: pd.DataFrame, systems: Sequence[str], texts: Mapping[str, str], look: Look) -> str:
    """Return the lists as one HTML table with escaped data; `texts` are HTML already."""
    ranks = int(table["rank"].max()) if table["rank"].notna().any() else 0
    rows_by_system = {str(name): rows for name, rows in table.groupby("system", sort=False)}
    rows_by_system |= {name: table.iloc[:0] for name in systems if name not in rows_by_system}
    ranked_rows = table[table["rank"].notna()]
    keys = zip(ranked_rows["system"].tolist(), ranked_rows["rank"].tolist(), strict=True)
    cells = dict(zip(keys, ranked_rows.itertuples(), strict=True))
    places = {name: place for place, name in enumerate(dict.fromkeys(table["doc_id"]))}
    head, rows = _head(systems, rows_by_system, look), []
    for rank in range(1, ranks + 1):
        row = [f"<td>{rank}</td>"]
        for place, name in enumerate(systems):
            if place and rank == 1:
                image = moves.picture(rows_by_system[name], look.row_height, ranks, look.theme)
                row.append(f'<td class="fv-gap" rowspan="{ranks}">{image}</td>')
            row.append(_cell(cells.get((name, rank)), places, place > 0, texts, look))
        rows.append(f"<tr>{''.join(row)}</tr>")
    foot = ""
    if len(systems) > 1:
        lost_cells = [f'<td class="fv-gap"></td><td>{_lost_html(rows_by_system[name])}</td>' for name in systems[1:]]
        foot = f"<tr><td></td><td></td>{''.join(lost_cells)}</tr>"
    table_html = f'<table class="fv-lists">{head}{"".join(rows)}{foot}</table>'
    return f'<div class="fv-scroll" style="{_style(look)}">{table_html}</div>'


def _head(systems: Sequence[str], rows_by_system: Mapping[str, pd.DataFrame], look: Look) -> str:
    """Return the row of the systems' names in their colours, with a note for a system without a list."""
    parts = []
    for place, name in enumerate(systems):
        gap = '<th class="fv-gap"></th>' if place else ""
        colour = look.styles[name].colour if name in look.styles else look.theme.muted
        note = "" if rows_by_system[name]["rank"].notna().any() else " <i>no list for this query</i>"
        parts.append(f'{gap}<th style="border-top:3px solid {colour}">{html.escape(name)}{note}</th>')
    return f"<tr><th>rank</th>{''.join(parts)}</tr>"


def _style(look: Look) -> str:
    """Return the CSS variables that depend on the theme and the available room."""
    theme = look.theme
    page = PAGES[theme.dark]
    width = WIDE if look.roomy else NARROW
    values = {
        "wide": f"{width}px", "high": f"{look.row_height}px", "gap": f"{moves.WIDTH}px", "grid": theme.grid,
        "muted": theme.muted, "ink": theme.text, "page": page, "found": moves.NEW_COLOUR[theme.dark],
        "lines": "4" if look.roomy else "3",
    }  # fmt: skip
    return ";".join(f"--{name}:{value}" for name, value in values.items())


def _cell(row, places: Mapping[str, int], has_move: bool, texts: Mapping[str, str], look: Look) -> str:
    """Return one document at one rank, identified by its position, as browsers drop attributes that look like
    scripts."""
    if row is None:
        return "<td></td>"
    judged = not pd.isna(row.relevance)
    relevant = judged and row.relevance > 0
    sign = "★ " if relevant else "☆ " if judged else ""
    omega = "no text" if pd.isna(row.omega) else f"ω {row.omega:.2f}"
    move = f" <b>{_move(row)}</b>" if has_move else ""
    name = html.escape(row.doc_id)
    facts = f'{sign}<button type="button">{name}</button> {highlight.chip(row.label, look.labels, look.theme)} {omega}'
    classes = "fv-hit fv-relevant" if relevant else "fv-hit"
    text = texts.get(str(row.doc_id), "<i>no text</i>")
    body = f'<div>{facts}{move}</div><div class="fv-words">{text}</div>'
    return f'<td><div class="{classes}" data-document="{places[row.doc_id]}">{body}</div></td>'


def _move(row) -> str:
    """Return the move of a document against the list before."""
    if pd.isna(row.before_rank):
        return "+ new"
    rise = int(row.before_rank) - int(row.rank)
    return "=" if rise == 0 else f"{'▲' if rise > 0 else '▼'} {abs(rise)}"


def _lost_html(rows: pd.DataFrame) -> str:
    """Return the documents that only the list before shows."""
    lost_rows = rows[rows["rank"].isna()]
    if lost_rows.empty:
        return "<i>nothing lost</i>"
    texts = (
        html.escape(f"{row.doc_id} (from rank {row.before_rank}{_later_rank(row)})") for row in lost_rows.itertuples()
    )
    return f"<i>lost:</i> {', '.join(texts)}"


def _later_rank(row) -> str:
    return "" if pd.isna(row.whole_rank) else f" to {row.whole_rank}"
