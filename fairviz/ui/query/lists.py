"""The lists of one query side by side: ranks aligned, moves drawn, gender words marked, labels and relevance beside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd
import streamlit as st

from fairviz.evaluation import recipes
from fairviz.figures.style import SystemStyle, Theme
from fairviz.inspection.side_by_side import side_by_side
from fairviz.ui.kit import charts, highlight, html
from fairviz.ui.query import moves, state
from fairviz.ui.query.excerpts import marked
from fairviz.ui.query.state import Desk

MOST_CELLS, FEWEST_RANKS = 600, 10  # documents that are shown at once; the table holds all
ROOMY = 3  # lists that have room for longer texts
LEGEND = (
    "★ relevant, ☆ judged not relevant. ω: how neutral the words are, 1 is neutral. Lines lead to where a document "
    "stands in the next list: ▲ up, ▼ down, + new there, × gone. Click a document to read it on Inspect."
)
WIDE, NARROW = 300, 216  # pixels that a list takes at least
PAGES = {False: "#ffffff", True: "#12161d"}  # what lies behind the lists, for what stays while they are scrolled
STYLE = Path(__file__).with_name("query.css")


@cache
def style_sheet() -> str:
    """The style sheet of the lists and of the steps below the waterfall."""
    return f"<style>{STYLE.read_text(encoding='utf-8')}</style>"


@dataclass(frozen=True)
class Look:
    """How the lists are drawn: the labels in order, the systems' colours, and whether there is room for long texts."""

    labels: Sequence[str]
    styles: Mapping[str, SystemStyle]
    theme: Theme
    roomy: bool

    @property
    def row_height(self) -> int:
        """Pixels of every row, so that lines meet their documents."""
        return 92 if self.roomy else 76


def deepest(cutoff: int, lists: int) -> int:
    """How many ranks are shown: all down to the cutoff, fewer where many long lists stand side by side."""
    return min(cutoff, max(FEWEST_RANKS, MOST_CELLS // max(lists, 1)))


def lists_card(desk: Desk) -> tuple[str, ...]:
    """A column a system, a row a rank, what moved between them, and below what a list has lost. Gives the documents,
    by whose places in it the lists call them."""
    cutoff, systems = desk.settings.cutoff, desk.lists
    shown = deepest(cutoff, len(systems))
    table = side_by_side(desk.study, desk.settings.changed(cutoff=shown), desk.query, systems, desk.places)
    look = Look((desk.study.neutral, *desk.study.groups), desk.styles, charts.theme(), len(systems) <= ROOMY)
    names = tuple(dict.fromkeys(table["doc_id"]))
    with st.container(border=True, gap="xsmall", key="query_card_lists"):
        chosen, words, more = st.columns([4, 8, 2], vertical_alignment="center", gap="small")
        with chosen:
            state.choose_lists(desk)
        with words:
            depth = f"The first {shown:,} ranks" + (
                f" of k = {cutoff:,}; all are in the table" if shown < cutoff else ""
            )
            html.quiet(f"{depth}. {LEGEND}")
        with more:
            whole = table
            if shown < cutoff:
                whole = side_by_side(desk.study, desk.settings, desk.query, systems, desk.places)
            told = f"The lists of {len(systems):,} systems for {desk.query}, rank by rank."
            code = recipes.calling(
                desk.study, desk.settings, side_by_side.__module__, "side_by_side", desk.query, list(systems)
            )
            charts.table(whole, told, "query_lists", code, figure=False)
        texts = marked(desk.study, desk.settings, names, roomy=look.roomy)
        styles = style_sheet() + highlight.style_sheet(desk.study.groups, look.theme)
        st.html(styles + lists_html(table, systems, texts, look))
    return names


def lists_html(table: pd.DataFrame, systems: Sequence[str], texts: Mapping[str, str], look: Look) -> str:
    """The lists as one table of HTML, everything from data escaped; texts are HTML already."""
    ranks = int(table["rank"].max()) if table["rank"].notna().any() else 0
    own = {str(name): rows for name, rows in table.groupby("system", sort=False)}
    own |= {name: table.iloc[:0] for name in systems if name not in own}
    there = table[table["rank"].notna()]
    keys = zip(there["system"].tolist(), there["rank"].tolist(), strict=True)
    cells = dict(zip(keys, there.itertuples(), strict=True))
    places = {name: place for place, name in enumerate(dict.fromkeys(table["doc_id"]))}
    head, rows = _head(systems, own, look), []
    for rank in range(1, ranks + 1):
        row = [f"<td>{rank}</td>"]
        for place, name in enumerate(systems):
            if place and rank == 1:
                image = moves.picture(own[name], look.row_height, ranks, look.theme)
                row.append(f'<td class="fv-gap" rowspan="{ranks}">{image}</td>')
            row.append(_cell(cells.get((name, rank)), places, place > 0, texts, look))
        rows.append(f"<tr>{''.join(row)}</tr>")
    foot = ""
    if len(systems) > 1:
        lost = [f'<td class="fv-gap"></td><td>{_lost(own[name])}</td>' for name in systems[1:]]
        foot = f"<tr><td></td><td></td>{''.join(lost)}</tr>"
    drawn = f'<table class="fv-lists">{head}{"".join(rows)}{foot}</table>'
    return f'<div class="fv-scroll" style="{_style(look)}">{drawn}</div>'


def _head(systems: Sequence[str], own: Mapping[str, pd.DataFrame], look: Look) -> str:
    """The systems' names in their colours; one without a list says so."""
    parts = []
    for place, name in enumerate(systems):
        gap = '<th class="fv-gap"></th>' if place else ""
        colour = look.styles[name].colour if name in look.styles else look.theme.muted
        none = "" if own[name]["rank"].notna().any() else " <i>no list for this query</i>"
        parts.append(f'{gap}<th style="border-top:3px solid {colour}">{html.escape(name)}{none}</th>')
    return f"<tr><th>rank</th>{''.join(parts)}</tr>"


def _style(look: Look) -> str:
    """What the style sheet takes from the theme and from how much room there is."""
    theme = look.theme
    page = PAGES[theme.dark]
    wide = WIDE if look.roomy else NARROW
    values = {
        "wide": f"{wide}px", "high": f"{look.row_height}px", "gap": f"{moves.WIDTH}px", "grid": theme.grid,
        "muted": theme.muted, "ink": theme.text, "page": page, "found": moves.FOUND[theme.dark],
        "lines": "4" if look.roomy else "3",
    }  # fmt: skip
    return ";".join(f"--{name}:{value}" for name, value in values.items())


def _cell(row, places: Mapping[str, int], moved: bool, texts: Mapping[str, str], look: Look) -> str:
    """One document at one rank, called by its place: a browser drops an attribute that looks like a script."""
    if row is None:
        return "<td></td>"
    judged = not pd.isna(row.relevance)
    relevant = judged and row.relevance > 0
    sign = "★ " if relevant else "☆ " if judged else ""
    omega = "no text" if pd.isna(row.omega) else f"ω {row.omega:.2f}"
    move = f" <b>{_move(row)}</b>" if moved else ""
    name = html.escape(row.doc_id)
    said = f'{sign}<button type="button">{name}</button> {highlight.chip(row.label, look.labels, look.theme)} {omega}'
    kind = "fv-hit fv-relevant" if relevant else "fv-hit"
    text = texts.get(str(row.doc_id), "<i>no text</i>")
    body = f'<div>{said}{move}</div><div class="fv-words">{text}</div>'
    return f'<td><div class="{kind}" data-document="{places[row.doc_id]}">{body}</div></td>'


def _move(row) -> str:
    """How a document moved against the list before."""
    if pd.isna(row.before_rank):
        return "+ new"
    by = int(row.before_rank) - int(row.rank)
    return "=" if by == 0 else f"{'▲' if by > 0 else '▼'} {abs(by)}"


def _lost(rows: pd.DataFrame) -> str:
    """What the list before shows and this one does not."""
    gone = rows[rows["rank"].isna()]
    if gone.empty:
        return "<i>nothing lost</i>"
    named = (html.escape(f"{row.doc_id} (from rank {row.before_rank}{_sunk(row)})") for row in gone.itertuples())
    return f"<i>lost:</i> {', '.join(named)}"


def _sunk(row) -> str:
    return "" if pd.isna(row.whole_rank) else f" to {row.whole_rank}"
