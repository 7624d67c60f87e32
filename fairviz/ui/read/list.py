"""The list of documents: ten rows at a time, with the labels as chips and the open document selected."""

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.reading.filters import label_columns
from fairviz.figures.style import LIGHT, group_colour  # the text of these chips is white in both themes
from fairviz.ui.kept import reading as inspect_cache
from fairviz.ui.kit import highlight, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.html import literal
from fairviz.ui.read import state as inspect_state
from fairviz.ui.read.state import LIST, Room
from fairviz.ui.shell.controls import MEANINGS

ROWS = 10
MOST_ANNOTATORS = 4
ROW_HEIGHT = 35
TABLE = "inspect_rows"


def listing(room: Room, effects: pd.DataFrame | None) -> None:
    """Draw the page of the list with the open document, and buttons to other pages."""
    count = len(room.passing)
    if not count:
        html.message("info", "No document passes these filters.", "Choose other filters, or Clear.")
        return
    page = min(room.at, count - 1) // ROWS
    places = room.passing[page * ROWS : (page + 1) * ROWS]
    table = rows(room, places, effects)
    st.session_state[TABLE] = {
        "selection": {"rows": [room.at % ROWS] if room.inside else [], "columns": [], "cells": []}
    }
    names = tuple(str(name) for name in room.catalogue.doc_ids[places])
    st.dataframe(
        table,
        hide_index=True,
        column_config=_columns(room, table),
        key=TABLE,
        height=ROW_HEIGHT * (ROWS + 1) + 3 if count > ROWS else "content",
        row_height=ROW_HEIGHT,
        on_select=guarded(_open),
        selection_mode="single-row",
        alt="Documents that pass the filters, with every annotator's label; the selected row is open.",
    )
    st.session_state["inspect_names"] = names
    _draw_pages(page, count, _order_text(room))


def _open() -> None:
    """Open the document of the selected row."""
    selected_rows = st.session_state[TABLE]["selection"]["rows"]
    names = st.session_state.get("inspect_names", ())
    if selected_rows and selected_rows[0] < len(names):
        inspect_state.open_document(names[selected_rows[0]])


def rows(room: Room, places: np.ndarray, effects: pd.DataFrame | None) -> pd.DataFrame:
    """Return the table: document, its rank for the chosen query or else the query of its best rank, labels, decision,
    and the column of the list's order."""
    names = [str(name) for name in room.catalogue.doc_ids[places]]
    table = pd.DataFrame({"document": names})
    if (room.decided >= 0).any():
        table["decided"] = [[room.catalogue.labels[code]] if code >= 0 else [] for code in room.decided[places]]
    if room.filters.query and inspect_state.reader(room.study, room.settings, room.filters):
        table["rank"] = _ranks(room, places)
    elif room.study.has("runs") and not room.filters.query:
        texts = dict(zip(room.study.queries["query_id"], room.study.queries["text"], strict=True))
        best_queries = inspect_cache.all_occurrences(room.study, room.settings).best(names)
        table["query"] = [texts.get(query, query) for query, _ in best_queries]
    labels = label_columns(room.catalogue, list(places), MOST_ANNOTATORS)
    for name, document_labels in labels.items():
        table[_header(name, table)] = (
            document_labels if name == "labels" else [[label] if label else [] for label in document_labels]
        )
    _add_order(table, room, places, effects)
    return table


def _ranks(room: Room, places: np.ndarray) -> pd.Series:
    ranks = inspect_state.ranks(room.study, room.settings, room.catalogue, room.filters)[places]
    return pd.Series(ranks).astype("Int64")


def _order_text(room: Room) -> str:
    """Return a text on the system that orders the query's documents, and on choosing another; empty without one."""
    reader = inspect_state.reader(room.study, room.settings, room.filters)
    if not reader or room.filters.order != "study":
        return ""
    return f", in the order of {reader} (More filters, Ranked by)"


def _header(name: str, table: pd.DataFrame) -> str:
    """Return the annotator's name, with a suffix if the table has a column of this name."""
    return f"{name} (annotator)" if name in (*table.columns, "decided", "rank", "effect", "exposure") else name


def _add_order(table: pd.DataFrame, room: Room, places: np.ndarray, effects: pd.DataFrame | None) -> None:
    """Add the column of the list's order."""
    order = room.filters.order
    if order == "effect" and effects is not None:
        effects_by_document = effects.set_index("doc_id")["effect"]
        table["effect"] = effects_by_document.reindex(table["document"]).to_numpy()
    elif order == "exposure" and room.study.has("runs"):
        table["exposure"] = inspect_cache.exposure(room.study, room.settings, room.filters.query)[places] * 100
    elif order == "disagreement":
        table["disagreement"] = room.catalogue.disagreement[places]


def _columns(room: Room, table: pd.DataFrame) -> dict:
    labels = room.catalogue.labels
    config: dict = {
        "document": st.column_config.TextColumn("document", width=68),
        "rank": st.column_config.NumberColumn(
            "rank",
            width=60,
            help=literal(
                f"In the list of {inspect_state.reader(room.study, room.settings, room.filters)} for this query; "
                "empty where it does not retrieve the document."
            ),
        ),
        "query": st.column_config.TextColumn("query", width=96, help="The query in which it has its best rank."),
        "effect": st.column_config.NumberColumn("effect", format="%+.4f", width=80, help=term("effect of a label")),
        "exposure": st.column_config.NumberColumn("exposure", format="%.2f %%", width=80),
        "disagreement": st.column_config.NumberColumn("entropy", format="%.2f", width=70, help=term("entropy")),
    }
    for name in (column for column in table.columns if table[column].map(lambda cell: isinstance(cell, list)).all()):
        config[name] = st.column_config.MultiselectColumn(
            name,
            options=list(labels),
            color=[group_colour(label, labels, LIGHT) for label in labels],
            format_func=lambda label: f"{highlight.shape(label, labels)} {label}",
            width=84,
            help=_help(name, room),
        )
    return config


def _help(name: str, room: Room) -> str | None:
    if name in MEANINGS:
        return MEANINGS[name]
    return term("adjudication") if name == "decided" else None


def _draw_pages(page: int, count: int, order: str) -> None:
    last = (count - 1) // ROWS
    text_column, back_column, next_column = st.columns([6, 1.4, 1.4], vertical_alignment="center", gap="xsmall")
    with text_column:
        first = page * ROWS + 1
        html.quiet(f"{first:,} to {min(first + ROWS - 1, count):,} of {count:,}{order}")
    back_column.button(
        "‹ ten",
        on_click=guarded(turn),
        args=(-1,),
        disabled=page == 0,
        help="Ten back",
        key="inspect_back",
        width="stretch",
    )
    next_column.button(
        "ten ›",
        on_click=guarded(turn),
        args=(1,),
        disabled=page == last,
        help="Ten on",
        key="inspect_on",
        width="stretch",
    )


def turn(step: int) -> None:
    """Open the first document of the page before (-1) or after (1)."""
    listing = st.session_state[LIST]
    page = min(listing.at, len(listing.passing) - 1) // ROWS
    place = min(max((page + step) * ROWS, 0), len(listing.passing) - 1)
    inspect_state.open_document(str(listing.doc_ids[listing.passing[place]]))
