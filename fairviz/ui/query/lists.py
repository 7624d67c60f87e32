"""The lists of one query side by side: ranks aligned, moves drawn, gender words marked, labels and relevance beside."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from fairviz.figures.style import Theme
from fairviz.inspection.side_by_side import side_by_side
from fairviz.ui.kit import charts, highlight, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.query.state import Desk
from fairviz.words.counting import Lexicon, document_text

BEGINNING = 110  # characters of a document
AROUND = 32  # characters on either side of a gender word that stands further down
MOST = 260  # characters of a document in all
HEIGHT, MOST_RANKS = 930, 6  # a longer list scrolls
LEGEND = (
    "★ relevant, ☆ judged not relevant. ω: how neutral the words are, 1 is neutral. ▲ ▼ ranks moved against the first "
    "list; new: not in the whole first list."
)


def lists_card(desk: Desk) -> None:
    """A column a system, a row a rank, and below what a list has lost."""
    table = side_by_side(desk.study, desk.settings, desk.query, desk.systems, desk.places)
    with st.container(border=True, gap="xsmall"):
        html.quiet(f"The first {desk.settings.cutoff:,} ranks. {LEGEND}")
        texts = _texts(desk, table)
        theme = charts.theme()
        ranks = table["rank"].dropna()
        with st.container(height=HEIGHT if len(ranks) and int(ranks.max()) > MOST_RANKS else "content", border=False):
            st.html(highlight.style_sheet(desk.study.groups, theme))
            st.html(lists_html(table, desk.systems, texts, (desk.study.neutral, *desk.study.groups), theme))
        _reader(table, desk.query)


def _texts(desk: Desk, table: pd.DataFrame) -> dict[str, str]:
    """The beginning of each document with its gender words marked, as HTML."""
    from fairviz.evaluation.choices import chosen_lexicon

    lexicon, settings = chosen_lexicon(desk.study, desk.settings), desk.settings
    held = desk.study.documents[desk.study.documents["doc_id"].isin(table["doc_id"])]
    pairs = zip(held["doc_id"], document_text(held), strict=True)
    return {
        str(name): _marked(text, lexicon, settings.tokenizer, desk.study.groups)
        for name, text in pairs
        if isinstance(text, str)
    }


def _marked(text: str, lexicon: Lexicon, tokenizer: str, groups: Sequence[str]) -> str:
    pieces = [
        highlight.marked_html(text[a:b], lexicon, tokenizer, groups)
        for a, b in excerpts(text, lexicon, tokenizer, groups)
    ]
    return " … ".join(pieces)


def excerpts(text: str, lexicon: Lexicon, tokenizer: str, groups: Sequence[str]) -> list[tuple[int, int]]:
    """Where the pieces of a text that are shown begin and end: its beginning, and what stands around its first gender
    words, from space to space, MOST characters in all; the last piece is empty where the text goes on."""
    shown = [(0, len(highlight.cut(text, BEGINNING)))]
    tokens = highlight.tokens(text, tokenizer)
    for token, group in zip(tokens, highlight.group_of_tokens(tokens, lexicon, groups), strict=True):
        if not group or token.end <= shown[-1][1] or sum(b - a for a, b in shown) >= MOST:
            continue
        begin = text.rfind(" ", 0, max(token.start - AROUND, 0)) + 1
        end = text.find(" ", token.end + AROUND)
        piece = begin, len(text) if end < 0 else end
        if begin <= shown[-1][1]:
            shown[-1] = shown[-1][0], piece[1]
        else:
            shown.append(piece)
    return shown if shown[-1][1] >= len(text) else [*shown, (len(text), len(text))]


def lists_html(
    table: pd.DataFrame, systems: Sequence[str], texts: dict[str, str], labels: Sequence[str], theme: Theme
) -> str:
    """The lists as one table of HTML, everything from data escaped; texts are HTML already."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in systems)
    ranks = int(table["rank"].max()) if table["rank"].notna().any() else 0
    there = table[table["rank"].notna()]
    places = zip(there["system"].tolist(), there["rank"].tolist(), strict=True)
    cells = dict(zip(places, there.itertuples(), strict=True))
    rows = [
        f"<tr><td>{rank}</td>"
        + "".join(_cell(cells.get((name, rank)), name != systems[0], texts, labels, theme) for name in systems)
        + "</tr>"
        for rank in range(1, ranks + 1)
    ]
    lost = "".join(f"<td>{_lost(table, name) if name != systems[0] else ''}</td>" for name in systems)
    foot = f"<tr><td></td>{lost}</tr>" if len(systems) > 1 else ""
    style = (
        "<style>.fv-lists{width:100%;border-collapse:collapse;font-size:.84rem;table-layout:fixed}"
        ".fv-lists td,.fv-lists th{vertical-align:top;text-align:left;padding:.3rem .5rem;"
        f"border-bottom:1px solid {theme.grid};overflow-wrap:anywhere}}"
        ".fv-lists td:first-child,.fv-lists th:first-child{width:3.2rem}</style>"
    )
    return f'{style}<table class="fv-lists"><tr><th>rank</th>{head}</tr>{"".join(rows)}{foot}</table>'


def _cell(row, moved: bool, texts: dict[str, str], labels: Sequence[str], theme: Theme) -> str:
    """One document at one rank."""
    if row is None:
        return "<td></td>"
    relevant = "" if pd.isna(row.relevance) else "★ " if row.relevance > 0 else "☆ "
    omega = "no text" if pd.isna(row.omega) else f"ω {row.omega:.2f}"
    move = f" <b>{_move(row)}</b>" if moved else ""
    text = texts.get(str(row.doc_id), "<i>no text</i>")
    head = f"{relevant}<b>{html.escape(row.doc_id)}</b> {highlight.chip(row.label, labels, theme)} {omega}{move}"
    return f"<td>{head}<br>{text}</td>"


def _move(row) -> str:
    """How a document moved against the first list."""
    if pd.isna(row.first_rank):
        return "new"
    by = int(row.first_rank) - int(row.rank)
    return "=" if by == 0 else f"{'▲' if by > 0 else '▼'} {abs(by)}"


def _lost(table: pd.DataFrame, system: str) -> str:
    rows = table[(table["system"] == system) & table["rank"].isna()]
    if rows.empty:
        return "<i>nothing lost</i>"
    named = ", ".join(f"{html.escape(row.doc_id)} (from rank {row.first_rank})" for row in rows.itertuples())
    return f"<i>lost:</i> {named}"


def _reader(table: pd.DataFrame, query: str) -> None:
    """A document of the lists, opened on Inspect; another query begins with its own first."""
    names = tuple(dict.fromkeys(table["doc_id"]))
    if not names:
        return
    pick, go = st.columns([4, 2], vertical_alignment="bottom", gap="small")
    name = pick.selectbox("Document", names, key=f"query_document_{query}", label_visibility="collapsed")
    if go.button("Read on Inspect", key="query_inspect", on_click=guarded(_select), args=(name,), width="stretch"):
        st.switch_page("pages/inspect.py")


def _select(name: str) -> None:
    st.session_state["document"] = name
