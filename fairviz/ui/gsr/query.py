"""One query of the page GSR: its words coloured by genderedness, and the documents of its list."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.ui.gsr import wording as stereotypes_text
from fairviz.ui.gsr.cards import CARDS, WIDE, Deck, select_system
from fairviz.ui.kept import gsr as cache
from fairviz.ui.kit import coloured_words, highlight, html, wide
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.state import going
from fairviz.words.counting import GSR_LEXICON, document_text
from fairviz.words.genderedness import GenderDirection
from fairviz.words.gsr_words import of_query, text_words

SYSTEM = "stereotypes_system"
TO_QUERY = "Each system's list of this query, with its contribution to the slope by word."
G_HELP = f"{term('genderedness')} Shaded words count; point at one for its own g."
MOST_CHARACTERS = 420  # characters of a document that are shown
HEIGHT = 430


def query_card(deck: Deck) -> None:
    """Draw the query's words, its influence on the slope, and its ranked documents."""
    with wide.place(WIDE, "gsr", "query"):
        query_column, system_column = wide.head(WIDE, CARDS, "query", [7, 4], "bottom")
        with query_column:
            _query_picker(deck)
        with system_column:
            _system_picker(deck)
        text_column, button_column = st.columns([8, 2.4], gap="small", vertical_alignment="top")
        systems = (deck.system,) if deck.settings.debias == "none" else ()  # the page Query has no debiased variants
        open_query = partial(going.to_query, deck.query, systems, "GSR")
        button_column.button(
            "On Query", key="stereotypes_to_query", on_click=guarded(open_query), width="stretch", help=TO_QUERY
        )
        rows = deck.points[deck.points["query_id"] == deck.query]
        text = deck.texts.get(deck.query, "")
        stop_words = deck.settings.stop_words
        words_html = coloured_words.coloured_words(
            text, deck.using.direction, deck.using.centre, deck.theme, stop_words
        )
        text_column.html(words_html)
        html.quiet(_genderedness_text(deck, rows))
        _draw_documents(deck)


def _query_picker(deck: Deck) -> None:
    """Draw the selection of a query, from female to male; empty for the most influential one."""
    genderedness = deck.points.drop_duplicates("query_id").set_index("query_id")["query"]
    ordered_genderedness = genderedness.sort_values(ascending=False, na_position="last")
    names = {
        str(name): f"{coloured_words.signed(g)}  {deck.texts.get(str(name), name)}"
        for name, g in ordered_genderedness.items()
    }
    current_text = deck.texts.get(deck.query, deck.query)
    names = {"": "the one that moves the slope most" + ("" if deck.settings.query else f": {current_text}")} | names
    if deck.settings.query not in names:  # left out by the filter in the sidebar
        names[deck.settings.query] = deck.texts.get(deck.settings.query, deck.settings.query)
    st.selectbox("Query, from female to male", names, key="query", format_func=lambda name: names.get(name, name))


def _system_picker(deck: Deck) -> None:
    st.session_state[SYSTEM] = deck.system
    st.selectbox("System", deck.systems, key=SYSTEM, on_change=guarded(_choose_system))


def _choose_system() -> None:
    select_system(st.session_state[SYSTEM])


def _genderedness_text(deck: Deck, rows: pd.DataFrame) -> str:
    """Return a text with g of query and list, and the influence of the query on the slope."""
    row = rows[rows["system"] == deck.system]
    if row.empty:
        return "The filter in the sidebar leaves this query out."
    query_g, list_g = float(row["query"].iloc[0]), float(row["list"].iloc[0])
    list_text = "undefined" if list_g != list_g else coloured_words.signed(list_g)
    parts = [f"g of the query {coloured_words.signed(query_g)}; of its list by {deck.system} {list_text}."]
    if deck.query not in cache.kept_queries(deck.points, deck.settings.left_out):
        parts.append("It is left out of the slopes.")
    parts.append(stereotypes_text.query_influence(deck.influences, deck.system, deck.query))
    return " ".join(filter(None, parts))


def _draw_documents(deck: Deck) -> None:
    """Draw the documents of the list, each with its g without the query's words, and its words shaded."""
    run_rows = deck.study.runs[(deck.study.runs["system"] == deck.system) & (deck.study.runs["query_id"] == deck.query)]
    if run_rows.empty:
        html.note(f"{deck.system} has no list for this query.")
        return
    table = cache.documents(deck.study, deck.settings, deck.system, deck.query)
    documents = deck.study.documents.set_index("doc_id").reindex(table["doc_id"])
    texts = document_text(documents).fillna("")
    rows = [_row(deck, *values) for values in zip(table["rank"], table["doc_id"], table["g"], texts, strict=True)]
    st.caption("Ranked documents with g: + female, − male.", help=G_HELP)
    with st.container(height=HEIGHT, border=False):
        st.html(highlight.style_sheet(deck.study.groups, deck.theme))
        st.html(coloured_words.table_html(("rank", "g", "document"), rows))


def counted_genderedness(
    direction: GenderDirection, words: list[str], is_query_word: Callable[[str], bool], stop_words: str = ""
) -> np.ndarray:
    """Return g of each word (N,) that counts in a document's g; NaN for stop words, query words and unknown words."""
    is_counted = np.array(
        [text_words(word, stop_words) == [word] and not is_query_word(word) for word in words], dtype=bool
    )
    return np.where(is_counted, direction.of(words), np.nan)


def _row(deck: Deck, rank: int, doc_id: str, g: float, text: str) -> tuple[str, str, str]:
    excerpt = highlight.cut(text, MOST_CHARACTERS)
    stop_words = deck.settings.stop_words
    is_query_word = of_query(text_words(deck.texts.get(deck.query, ""), stop_words), deck.settings.query_terms)
    shaded_html = highlight.shaded_html(
        excerpt,
        GSR_LEXICON,
        "word",
        deck.study.groups,
        lambda words: counted_genderedness(deck.using.direction, words, is_query_word, stop_words),
        deck.using.centre,
    )
    rest = " …" if len(excerpt) < len(text) else ""
    body = f"<b>{html.escape(doc_id)}</b> {shaded_html or '<i>no text</i>'}{rest}"
    return str(rank), coloured_words.chip(g, deck.using.centre, deck.theme), body
