"""The two lists of a query side by side, with the moves between them and the documents of only one list."""

from functools import partial

import pandas as pd
import streamlit as st

from fairviz.comparison.conditions import ranks_of
from fairviz.measures.sums import AlignedRankings
from fairviz.study.tables import expanded
from fairviz.ui.compare.deck import Deck
from fairviz.ui.kept import tables
from fairviz.ui.kit import highlight, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.highlight import beginnings
from fairviz.ui.kit.side_by_side import Side, compact_html
from fairviz.ui.state import going
from fairviz.words.sentences import decimal

LONGEST = 110  # characters of a document
MOST_ROWS = 50


def lists_card(deck: Deck, by_query: pd.DataFrame) -> None:
    """Draw the two lists of the chosen query, or of the one with the largest difference."""
    with st.container(gap="xsmall", key="compare_lists_card"):
        picker_column, text_column, button_column = st.columns([5, 6, 2], gap="small", vertical_alignment="bottom")
        with picker_column:
            query = _picker(deck, by_query)
        if not query:
            html.quiet("No query has a value of this measure for both systems.")
            return
        with text_column:
            html.quiet(_values(deck, by_query, query))
        open_query = partial(going.to_query, query, deck.pair, deck.measure.name)
        button_column.button("Open on Query", key="compare_to_query", on_click=guarded(open_query), width="stretch")
        places = tables.places(deck.study, deck.settings)
        st.html(_side_by_side(deck, places, query))


def _picker(deck: Deck, by_query: pd.DataFrame) -> str:
    """Draw the select box of queries, the largest difference first, and return the query; empty if none has a value."""
    ordered = by_query.reindex(by_query["difference"].abs().sort_values(ascending=False, kind="stable").index)
    differences = dict(zip(ordered["query_id"].astype("str"), ordered["difference"], strict=True))
    widest = next(iter(differences), "")
    names = {name: f"{decimal(value, sign='+')}  {_named(deck, name)}" for name, value in differences.items()}
    first_text = f"the widest difference: {_named(deck, widest)}" if widest else "none"
    pick.query("Query", names, first_text, f"no value  {_named(deck, deck.settings.query)}")
    return deck.settings.query or widest


def _named(deck: Deck, query: str) -> str:
    return deck.texts.get(query, "") or query


def _values(deck: Deck, by_query: pd.DataFrame, query: str) -> str:
    rows = by_query[by_query["query_id"] == query]
    if rows.empty:
        return f"{deck.measure.text} has no value here for one of the two, or for both."
    row = rows.iloc[0]
    values = f"{deck.pair[0]} {decimal(row['value'])}, {deck.pair[1]} {decimal(row['baseline_value'])}"
    return f"{deck.measure.text}: {values}. ↑ ↓ moved, ✳ only here."


def _side_by_side(deck: Deck, places: AlignedRankings, query: str) -> str:
    """Return both lists, each with the moves against the other and the documents' labels."""
    ids, cutoff = places.rankings.doc_ids, min(deck.measure.cutoff or deck.settings.cutoff, MOST_ROWS)
    pair = [expanded([name], deck.study.run_names)[0] for name in deck.pair]  # of a stochastic system the first draw
    ranks_by_code = [ranks_of(places.rankings, name, query) for name in pair]
    ranks = [{str(ids[code]): rank for code, rank in side.items()} for side in ranks_by_code]
    labels = {
        str(ids[code]): _label(places, int(places.labels.largest[code])) for side in ranks_by_code for code in side
    }
    documents = [{rank: name for name, rank in side.items() if rank <= cutoff} for side in ranks]
    texts = beginnings(deck.study, {name for side in documents for name in side.values()}, LONGEST)
    return compact_html([Side(pair[place], documents[place], texts, ranks[1 - place], labels) for place in (0, 1)])


def _label(places: AlignedRankings, code: int) -> tuple[str, str]:
    """Return symbol and name of a label; code −1 means no label."""
    groups = (places.neutral, *places.groups)
    return (highlight.shape(groups[code], groups), groups[code]) if code >= 0 else ("", "no label")
