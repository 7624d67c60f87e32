"""The list of documents: ten rows of it at a time, the labels as chips, the open document selected."""

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.figures.style import LIGHT  # the text of these chips is white on either page
from fairviz.inspection.catalogue import label_columns
from fairviz.ui.inspect import ranked
from fairviz.ui.inspect import state as inspect_state
from fairviz.ui.inspect.state import LIST, Room
from fairviz.ui.kept import inspect as inspect_cache
from fairviz.ui.kit import highlight, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.html import literal
from fairviz.ui.shell.annotators import MEANINGS

ROWS = 10
MOST_ANNOTATORS = 4
ROW_HEIGHT = 35
TABLE = "inspect_rows"


def listing(room: Room, effects: pd.DataFrame | None) -> None:
    """The page of the list on which the open document stands, and buttons to other pages."""
    count = len(room.chosen)
    if not count:
        html.message("info", "No document passes these filters.", "Choose others, or All to see every document again.")
        return
    page = min(room.at, count - 1) // ROWS
    places = room.chosen[page * ROWS : (page + 1) * ROWS]
    table = rows(room, places, effects)
    st.session_state[TABLE] = {
        "selection": {"rows": [room.at % ROWS] if room.inside else [], "columns": [], "cells": []}
    }
    names = tuple(str(name) for name in room.listed.doc_ids[places])
    st.dataframe(
        table,
        hide_index=True,
        column_config=_columns(room, table),
        key=TABLE,
        height=ROW_HEIGHT * (ROWS + 1) + 3 if count > ROWS else "content",
        row_height=ROW_HEIGHT,
        on_select=guarded(_open),
        selection_mode="single-row",
        alt="Documents that pass the filters, with every annotator's label; the selected row lies open.",
    )
    st.session_state["inspect_names"] = names
    _pages(page, count, _order_told(room))


def _open() -> None:
    """Opens the document of the selected row."""
    picked = st.session_state[TABLE]["selection"]["rows"]
    names = st.session_state.get("inspect_names", ())
    if picked and picked[0] < len(names):
        inspect_state.open_document(names[picked[0]])


def rows(room: Room, places: np.ndarray, effects: pd.DataFrame | None) -> pd.DataFrame:
    """The table: document, its rank for the chosen query or else the query where it stands highest, labels, decision,
    and what the list is ordered by."""
    names = [str(name) for name in room.listed.doc_ids[places]]
    table = pd.DataFrame({"document": names})
    if (room.decided >= 0).any():
        table["decided"] = [[room.listed.labels[code]] if code >= 0 else [] for code in room.decided[places]]
    if room.filters.query and ranked.reader(room.study, room.settings, room.filters):
        table["rank"] = _ranks(room, places)
    elif room.study.has("runs") and not room.filters.query:
        texts = dict(zip(room.study.queries["query_id"], room.study.queries["text"], strict=True))
        best = inspect_cache.found(room.study, room.settings).best(names)
        table["query"] = [texts.get(query, query) for query, _ in best]
    labels = label_columns(room.listed, list(places), MOST_ANNOTATORS)
    for name, given in labels.items():
        table[_header(name, table)] = given if name == "labels" else [[label] if label else [] for label in given]
    _ordered_by(table, room, places, effects)
    return table


def _ranks(room: Room, places: np.ndarray) -> pd.Series:
    ranks = ranked.ranks(room.study, room.settings, room.listed, room.filters)[places]
    return pd.Series(ranks).astype("Int64")


def _order_told(room: Room) -> str:
    """Whose order it is that a query's documents stand in, and how to read another's."""
    reader = ranked.reader(room.study, room.settings, room.filters)
    if not reader or room.filters.order != "study":
        return ""
    return f", as {reader} ranks them; another system: More filters, Ranked by"


def _header(name: str, table: pd.DataFrame) -> str:
    """The annotator's name; told apart from the table's own columns."""
    return f"{name} (annotator)" if name in (*table.columns, "decided", "rank", "effect", "exposure") else name


def _ordered_by(table: pd.DataFrame, room: Room, places: np.ndarray, effects: pd.DataFrame | None) -> None:
    """Adds the column that the list is ordered by."""
    order = room.filters.order
    if order == "effect" and effects is not None:
        by_document = effects.set_index("doc_id")["effect"]
        table["effect"] = by_document.reindex(table["document"]).to_numpy()
    elif order == "exposure" and room.study.has("runs"):
        table["exposure"] = inspect_cache.exposure(room.study, room.settings, room.filters.query)[places] * 100
    elif order == "disagreement":
        table["disagreement"] = room.listed.disagreement[places]


def _columns(room: Room, table: pd.DataFrame) -> dict:
    labels = room.listed.labels
    config: dict = {
        "document": st.column_config.TextColumn("document", width=68),
        "rank": st.column_config.NumberColumn(
            "rank",
            width=60,
            help=literal(
                f"In the list of {ranked.reader(room.study, room.settings, room.filters)} for this query; empty where "
                "it does not retrieve the document."
            ),
        ),
        "query": st.column_config.TextColumn("query", width=96, help="The query for which it stands highest."),
        "effect": st.column_config.NumberColumn("effect", format="%+.4f", width=80),
        "exposure": st.column_config.NumberColumn("exposure", format="%.2f %%", width=80),
        "disagreement": st.column_config.NumberColumn("entropy", format="%.2f", width=70),
    }
    for name in (column for column in table.columns if table[column].map(lambda cell: isinstance(cell, list)).all()):
        config[name] = st.column_config.MultiselectColumn(
            name,
            options=list(labels),
            color=[highlight.label_colour(label, labels, LIGHT) for label in labels],
            format_func=lambda label: f"{highlight.shape(label, labels)} {label}",
            width=84,
            help=_help(name, room),
        )
    return config


def _help(name: str, room: Room) -> str | None:
    if name in MEANINGS:
        return MEANINGS[name]
    return "Readers' decisions, the latest of each document." if name == "decided" else None


def _pages(page: int, count: int, order: str) -> None:
    last = (count - 1) // ROWS
    words, back, on = st.columns([6, 1.4, 1.4], vertical_alignment="center", gap="xsmall")
    with words:
        first = page * ROWS + 1
        html.quiet(f"{first:,} to {min(first + ROWS - 1, count):,} of {count:,} documents{order}")
    back.button(
        "‹ ten",
        on_click=guarded(turn),
        args=(-1,),
        disabled=page == 0,
        help="Ten back",
        key="inspect_back",
        width="stretch",
    )
    on.button(
        "ten ›",
        on_click=guarded(turn),
        args=(1,),
        disabled=page == last,
        help="Ten on",
        key="inspect_on",
        width="stretch",
    )


def turn(by: int) -> None:
    """Opens the first document of the page before (-1) or after (1)."""
    held = st.session_state[LIST]
    page = min(held.at, len(held.chosen) - 1) // ROWS
    at = min(max((page + by) * ROWS, 0), len(held.chosen) - 1)
    inspect_state.open_document(str(held.doc_ids[held.chosen[at]]))
