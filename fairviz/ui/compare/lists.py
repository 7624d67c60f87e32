"""The two lists of a query side by side: what stands where, what moved, and what only one of them found."""

from functools import partial

import pandas as pd
import streamlit as st

from fairviz.comparison.moved import ranks_of
from fairviz.measures.sums import Places
from fairviz.ui.compare.deck import Deck
from fairviz.ui.kept import tables
from fairviz.ui.kit import highlight, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.html import escape
from fairviz.ui.state import going

LONGEST = 88  # characters of a document
MOST_ROWS = 50
QUERY = "query"
_TABLE = "width:100%;table-layout:fixed;border-collapse:collapse;font-size:.84rem"
_CELL = "padding:.12rem .35rem;vertical-align:top;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;border:0"

_WIDTHS = '<colgroup><col style="width:2rem"><col style="width:2.6rem"><col><col style="width:2.6rem"><col></colgroup>'


def lists_card(deck: Deck, by_query: pd.DataFrame) -> None:
    """The query that is chosen, or the one that moves most, and its two lists."""
    with st.container(border=True, gap="xsmall", key="compare_lists_card"):
        query = _picker(deck, by_query)
        if not query:
            html.quiet("No query has a value of this measure for both systems.")
            return
        words, go = st.columns([8, 3], gap="small", vertical_alignment="center")
        with words:
            html.quiet(_values(deck, by_query, query))
        opened = partial(going.to_query, query, deck.pair, deck.measure.name)
        go.button("All lists on Query", key="compare_to_query", on_click=guarded(opened), width="stretch")
        places = tables.places(deck.study, deck.settings)
        st.html(_side_by_side(deck, places, query))


def _picker(deck: Deck, by_query: pd.DataFrame) -> str:
    """The query: by name, the widest difference first; empty for the widest."""
    ordered = by_query.reindex(by_query["difference"].abs().sort_values(ascending=False, kind="stable").index)
    apart = dict(zip(ordered["query_id"].astype("str"), ordered["difference"], strict=True))
    widest = next(iter(apart), "")
    names = {"": f"the widest difference: {_named(deck, widest)}"} if widest else {"": "none"}
    names |= {name: f"{value:+.3f}  {_named(deck, name)}".replace("-", "−") for name, value in apart.items()}
    if deck.settings.query not in names:
        names[deck.settings.query] = f"no value  {_named(deck, deck.settings.query)}"
    st.selectbox("Query", names, key=QUERY, format_func=lambda name: names.get(name, name))
    return deck.settings.query or widest


def _named(deck: Deck, query: str) -> str:
    return deck.texts.get(query, "") or query


def _values(deck: Deck, by_query: pd.DataFrame, query: str) -> str:
    rows = by_query[by_query["query_id"] == query]
    if rows.empty:
        return f"{deck.measure.text} has no value here for one of the two, or for both."
    row = rows.iloc[0]
    values = f"{deck.pair[0]} {row['value']:.3f}, {deck.pair[1]} {row['baseline_value']:.3f}".replace("-", "−")
    return f"{deck.measure.text}: {values}. ↑ ↓ places that a document moved against the other list; ✳ only here."


def _side_by_side(deck: Deck, places: Places, query: str) -> str:
    ranked = [ranks_of(places.rankings, name, query) for name in deck.pair]
    cutoff = min(deck.measure.cutoff or deck.settings.cutoff, MOST_ROWS)
    shown = [{rank: code for code, rank in one.items() if rank <= cutoff} for one in ranked]
    deepest = max((max(one, default=0) for one in shown), default=0)
    if not deepest:
        return '<div class="fv-quiet">Neither list holds a document for this query.</div>'
    texts = _texts(deck, {str(places.rankings.doc_ids[code]) for one in shown for code in one.values()})
    head = "".join(f'<th colspan="2" style="{_CELL};text-align:left">{escape(name)}</th>' for name in deck.pair)
    rows = []
    for rank in range(1, deepest + 1):
        both = (_cells(deck, places, texts, shown[side].get(rank), ranked[1 - side], rank) for side in (0, 1))
        rows.append(f'<tr><td style="{_CELL};opacity:.7">{rank}</td>{"".join(both)}</tr>')
    return (
        f'<table style="{_TABLE}" aria-label="The two lists">{_WIDTHS}<tr><th style="{_CELL}"></th>{head}</tr>'
        f"{''.join(rows)}</table>"
    )


def _cells(
    deck: Deck, places: Places, texts: dict[str, str], code: int | None, others: dict[int, int], rank: int
) -> str:
    """A document's mark against the other list, and its label and text."""
    if code is None:
        return f'<td style="{_CELL}"></td><td style="{_CELL};opacity:.6">no document</td>'
    name, label = str(places.rankings.doc_ids[code]), int(places.labels.codes[code])
    groups = (deck.study.neutral, *deck.study.groups)
    sign, said = (highlight.shape(groups[label], groups), groups[label]) if label >= 0 else ("", "no label")
    text = texts.get(name, "")
    return (
        f'<td style="{_CELL}">{_moved(others.get(code), rank)}</td>'
        f'<td style="{_CELL}" title="{escape(f"{name}, {said}: {text}")}">'
        f"{escape(sign)} <b>{escape(name)}</b> {escape(text)}</td>"
    )


def _moved(other: int | None, rank: int) -> str:
    if other is None:
        return "✳"
    return f"↑{other - rank}" if other > rank else f"↓{rank - other}" if other < rank else "="


def _texts(deck: Deck, names: set[str]) -> dict[str, str]:
    """Title and the beginning of the text of these documents."""
    rows = deck.study.documents[deck.study.documents["doc_id"].isin(names)]
    bodies = rows["text"].fillna("").astype("str")
    told = (rows["title"].astype("str") + " " + bodies).str.strip()
    return {name: highlight.cut(text, LONGEST) for name, text in zip(rows["doc_id"], told, strict=True)}
