"""The reading room, as one fragment: filters, the list of documents ten at a time, the file of decisions, and the open
document."""

import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.analyses.annotator_accuracy.raters import GENDERED
from fairviz.analyses.reading.filters import ANY, PAIR_SIGN, TIED, Catalogue, chosen_names, label_columns
from fairviz.annotation import adjudications
from fairviz.annotation.agreement import Votes
from fairviz.annotation.voters import votes_of
from fairviz.errors import FairvizError
from fairviz.evaluation.exports import Origin, file_name, today
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import disagreement_text, names_text
from fairviz.figures.style import LIGHT, group_colour  # the text of these chips is white in both themes
from fairviz.study.record import Study
from fairviz.ui.kept import reading as inspect_cache
from fairviz.ui.kit import grids, highlight, html, pick
from fairviz.ui.kit.boundary import fragment, guarded
from fairviz.ui.kit.editors import as_file
from fairviz.ui.kit.glossary import term
from fairviz.ui.read import document, state
from fairviz.ui.read import effects as inspect_effects
from fairviz.ui.read.effects import Contest
from fairviz.ui.read.state import LIST, PREFIX, Room
from fairviz.ui.shell.controls import MEANINGS
from fairviz.ui.state import choices
from fairviz.words.sentences import Sentence, Span, counted

ROWS = 10
MOST_ANNOTATORS = 4
TABLE, NAMES = "inspect_rows", "inspect_names"
COMPARED = 6  # annotators whose pairs are listed; of more, two are selected
DECIDED = {"": "decided or not", "undecided": "not decided yet", "decided": "decided"}
LABELLED = {"": "labelled or not", "unlabelled": "without a label", "labelled": "with a label"}
MERGED = {"": "every label", GENDERED: "neutral or gendered"}
ORDERS = {
    "study": "order: the study's",
    "disagreement": "order: disagreement (entropy)",
    "exposure": "order: exposure received",
    "effect": "order: effect on the measure",
}


@fragment
def reading_room(study: Study, settings: Settings, contest: Contest | None) -> None:
    """Draw the filters, and below them the list and the document. A filter redraws only these."""
    document.read_cookie()
    effects = inspect_effects.effects(study, settings, contest)
    catalogue = inspect_cache.catalogue(study, settings)
    reader = state.reader(study, settings, state.chosen_filters(catalogue))
    _draw_filters(catalogue, effects is not None, reader)
    _draw_desk(study, settings, contest, effects)


@fragment
def _draw_desk(study: Study, settings: Settings, contest: Contest | None, effects: pd.DataFrame | None) -> None:
    """Draw the list and the open document, the only parts that Next and a decision redraw."""
    key = () if contest is None else (contest.text, contest.first, contest.second)
    room = state.room(study, settings, effects, key)
    left, right = st.columns([12, 10], gap="small")
    with left:
        text_column, menu_column = st.columns([7, 2.2], vertical_alignment="center", gap="xsmall")
        with text_column:
            votes = votes_of(study, settings.voters)
            html.lines("fv-listing", listing_sentence(len(room.passing), len(room.catalogue.doc_ids), votes))
        with menu_column:
            _draw_decisions_menu(room)
        _draw_list(room, effects)
        document.draw_sum_of_decisions(room, contest)
        if study.has("runs") and room.document >= 0:
            with st.expander("Ranks and neighbours", key="inspect_ranks", type="compact"):
                document.standing_card(room)
    with right, st.container(border=True, gap="xsmall"):
        document.document_card(room, contest)
    document.write_cookie()
    state.remember()


def listing_sentence(passing: int, total: int, votes: Votes) -> Sentence:
    """Return the counts of documents that pass the filters, and on which the voters disagree, if there are several."""
    spans = (Span(f"{passing:,}", True), Span(f" of {counted(total, 'document')}"))
    if len(votes.annotators) < 2:
        return (*spans, Span("."))
    return (*spans, Span("; "), Span(f"{disagreement_text(votes)}."))


def _draw_filters(catalogue: Catalogue, effects: bool, reader: str) -> None:
    """Draw disagreement, query, order and search in a row, the other filters in a popover.

    effects: whether the order by effect is available. reader: the system whose order is that of the chosen query.
    """
    study, names = catalogue.study, chosen_names(catalogue)
    pair_column, query_column, order_column, search_column, more_column, clear_column = st.columns(
        [3, 3, 3, 2.4, 1.5, 0.9], gap="xsmall"
    )
    _draw_disagreement(pair_column, catalogue, names)
    _draw_query(query_column, study)
    orders = [name for name in ORDERS if (name != "effect" or effects) and (name != "exposure" or study.has("runs"))]
    order_texts = ORDERS | ({"study": f"order: rank in {reader}"} if reader else {})
    _select(order_column, "Order", orders, "order", order_texts)
    pick.text(PREFIX + "search", "Search", place=search_column, placeholder="search text", label_visibility="collapsed")
    with more_column.popover("More filters", width="stretch"):
        _draw_more(study, names, catalogue.labels)
    clear_column.button(
        "Clear", on_click=guarded(state.reset), help="Every document again, in the study's order.", width="stretch"
    )


def _draw_disagreement(place: DeltaGenerator, catalogue: Catalogue, names: Sequence[str]) -> None:
    """Draw the choice of documents on which the voters, or two of these annotators, disagree."""
    pairs = [PAIR_SIGN.join(pair) for pair in combinations(names, 2)] if len(names) <= COMPARED else []
    current = st.session_state.get(PREFIX + "disagreement", "")
    if PAIR_SIGN in current and current not in pairs and set(current.split(PAIR_SIGN)) <= set(names):
        pairs.append(current)
    several = [ANY, TIED] if len(catalogue.voters) > 1 else []
    whose = names_text(catalogue.voters) if several else ""
    texts = {"": "all documents", ANY: f"{whose} disagree", TIED: f"no majority of {whose}"}
    _select(place, "Which documents?", ["", *several, *pairs], "disagreement", texts)


def _draw_query(place: DeltaGenerator, study: Study) -> None:
    """Draw the choice of the query whose documents are listed."""
    ids = study.query_ids
    texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    texts[""] = "all queries" if ids else "no queries"
    _select(place, "Query", ["", *ids], "query", texts)


def _draw_more(study: Study, names: tuple[str, ...], labels: tuple[str, ...]) -> None:
    """Draw the filters of the popover. A filter that the study has no values for is set to none."""
    if len(names) > COMPARED:
        _draw_pair(names)
    left, right = st.columns(2)
    _select(left, "Label", ["", *labels], "label", {"": "any label"}, hide_label=False)
    _select(right, "given by", ["", *names], "annotator", {"": "anybody"}, hide_label=False)
    if study.label_kind == "gender":  # which labels count where annotators disagree, as on the page Agreement
        _select(left, "Labels that disagree", list(MERGED), "merged", MERGED)
    else:
        choices.among(PREFIX + "merged", ("",))
    if empty := inspect_cache.partly_empty(study):
        texts = {"": "with every label"} | {name: f"without empty {name}" for name in empty}
        _select(right, "Leave out labels without", list(texts), "filled", texts)
    else:
        choices.among(PREFIX + "filled", ("",))
    if columns := inspect_cache.columns(study):
        _select(left, "Column", ["", *columns], "column", {"": "no column"}, hide_label=False)
        values = columns.get(st.session_state[PREFIX + "column"], ())
        _select(right, "holds", ["", *values], "value", {"": "anything"}, hide_label=False)
    else:
        choices.among(PREFIX + "column", ("",))
    _select(left, "Labelled", list(LABELLED), "labelled", LABELLED)
    _select(right, "Decided", list(DECIDED), "decided", DECIDED)
    if study.has("runs"):
        _draw_ranked_by(study)
    else:
        choices.among(PREFIX + "system", ("",))


def _draw_pair(names: tuple[str, ...]) -> None:
    """Draw the selection of two annotators, for more pairs than can be listed."""
    first_column, second_column, button_column = st.columns([2, 2, 1], vertical_alignment="bottom")
    first = first_column.selectbox("These two disagree", names, key="inspect_pair_first")
    second = second_column.selectbox("and", names, index=1, key="inspect_pair_second")
    button_column.button(
        "Show", on_click=guarded(_compare), args=(first, second), disabled=first == second, width="stretch"
    )


def _draw_ranked_by(study: Study) -> None:
    """Draw the selection of a system, and of the ranks at which it has a document."""
    system_column, first_column, last_column = st.columns([2, 1, 1])
    systems = ["", *study.run_names]
    _select(system_column, "Ranked by", systems, "system", {"": "any system"}, hide_label=False)
    pick.number(PREFIX + "first_rank", "from rank", place=first_column, min_value=1, step=1)
    to_end = "0: to the end of the list."
    pick.number(PREFIX + "last_rank", "to rank", place=last_column, min_value=0, step=1, help=to_end)


def _select(column, label: str, options, name: str, texts: pick.Texts, *, hide_label: bool = True) -> None:
    """Draw a select box of one filter, which falls back to its first option if the study lacks the chosen one."""
    pick.select(PREFIX + name, label, options, place=column, texts=texts, hide_label=hide_label)


def _compare(first: str, second: str) -> None:
    st.session_state[PREFIX + "disagreement"] = PAIR_SIGN.join((first, second))


def _draw_list(room: Room, effects: pd.DataFrame | None) -> None:
    """Draw the page of the list with the open document, and buttons to other pages."""
    count = len(room.passing)
    if not count:
        html.message("info", "No document passes these filters.", "Choose other filters, or Clear.")
        return
    page = min(room.at, count - 1) // ROWS
    places = room.passing[page * ROWS : (page + 1) * ROWS]
    table = _rows(room, places, effects)
    st.session_state[TABLE] = {
        "selection": {"rows": [room.at % ROWS] if room.inside else [], "columns": [], "cells": []}
    }
    st.dataframe(
        table, hide_index=True, column_config=_column_config(room, table), key=TABLE,
        height=grids.height(ROWS, ROWS) if count > ROWS else "content", row_height=grids.ROW_HEIGHT,
        on_select=guarded(_open), selection_mode="single-row",
        alt="Documents that pass the filters, with every annotator's label; the selected row is open.",
    )  # fmt: skip
    st.session_state[NAMES] = tuple(str(name) for name in room.catalogue.doc_ids[places])
    text_column, back_column, next_column = st.columns([6, 1.4, 1.4], vertical_alignment="center", gap="xsmall")
    with text_column:
        first = page * ROWS + 1
        order = room.reader and room.filters.order == "study"
        order_text = f", in the order of {room.reader} (More filters, Ranked by)" if order else ""
        html.quiet(f"{first:,} to {min(first + ROWS - 1, count):,} of {count:,}{order_text}")
    for column, label, step, end, about, name in (
        (back_column, "‹ ten", -1, 0, "Ten back", "back"),
        (next_column, "ten ›", 1, (count - 1) // ROWS, "Ten on", "on"),
    ):
        column.button(
            label, on_click=guarded(_turn), args=(step,), disabled=page == end, help=about, key=f"inspect_{name}",
            width="stretch",
        )  # fmt: skip


def _open() -> None:
    """Open the document of the selected row."""
    selected_rows = st.session_state[TABLE]["selection"]["rows"]
    names = st.session_state.get(NAMES, ())
    if selected_rows and selected_rows[0] < len(names):
        state.open_document(names[selected_rows[0]])


def _turn(step: int) -> None:
    """Open the first document of the page before (-1) or after (1)."""
    listing = st.session_state[LIST]
    page = min(listing.at, len(listing.passing) - 1) // ROWS
    place = min(max((page + step) * ROWS, 0), len(listing.passing) - 1)
    state.open_document(str(listing.doc_ids[listing.passing[place]]))


def _rows(room: Room, places: np.ndarray, effects: pd.DataFrame | None) -> pd.DataFrame:
    """Return the table: document, its rank for the chosen query or else the query of its best rank, labels, decision,
    and the column of the list's order."""
    study, settings, catalogue, filters = room.study, room.settings, room.catalogue, room.filters
    names = [str(name) for name in catalogue.doc_ids[places]]
    table = pd.DataFrame({"document": names})
    if (room.decided >= 0).any():
        table["decided"] = [[catalogue.labels[code]] if code >= 0 else [] for code in room.decided[places]]
    if room.reader:
        ranks = state.ranks(study, settings, catalogue, filters, room.reader)[places]
        table["rank"] = pd.Series(ranks).astype("Int64")
    elif study.has("runs") and not filters.query:
        texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
        best_queries = inspect_cache.all_occurrences(study, settings).best(names)
        table["query"] = [texts.get(query, query) for query, _ in best_queries]
    for name, labels in label_columns(catalogue, list(places), MOST_ANNOTATORS).items():
        is_taken = name in (*table.columns, "decided", "rank", "effect", "exposure")
        head = f"{name} (annotator)" if is_taken else name
        table[head] = labels if name == "labels" else [[label] if label else [] for label in labels]
    if filters.order == "effect" and effects is not None:
        table["effect"] = effects.set_index("doc_id")["effect"].reindex(table["document"]).to_numpy()
    elif filters.order == "exposure" and study.has("runs"):
        table["exposure"] = inspect_cache.exposure(study, settings, filters.query)[places] * 100
    elif filters.order == "disagreement":
        table["disagreement"] = catalogue.disagreement[places]
    return table


def _column_config(room: Room, table: pd.DataFrame) -> dict:
    labels, numbers = room.catalogue.labels, st.column_config.NumberColumn
    rank_help = html.literal(
        f"In the list of {room.reader} for this query; empty where it does not retrieve the document."
    )
    config: dict = {
        "document": st.column_config.TextColumn("document", width=68),
        "rank": numbers("rank", width=60, help=rank_help),
        "query": st.column_config.TextColumn("query", width=96, help="The query in which it has its best rank."),
        "effect": numbers("effect", format="%+.4f", width=80, help=term("effect of a label")),
        "exposure": numbers("exposure", format="%.2f %%", width=80),
        "disagreement": numbers("entropy", format="%.2f", width=70, help=term("entropy")),
    }
    for name in (column for column in table.columns if table[column].map(lambda cell: isinstance(cell, list)).all()):
        config[name] = st.column_config.MultiselectColumn(
            name, options=list(labels), color=[group_colour(label, labels, LIGHT) for label in labels],
            format_func=lambda label: f"{highlight.shape(label, labels)} {label}", width=84,
            help=MEANINGS.get(name, term("adjudication") if name == "decided" else None),
        )  # fmt: skip
    return config


def _draw_decisions_menu(room: Room) -> None:
    """Draw the popover with the number of decisions, their export and their import."""
    study, count = room.study, len(room.decisions)
    try:
        place = f"Stored beside the study: {adjudications.store_path(study)}"
    except FairvizError as error:
        place = f"{error.message}. {error.remedy}"
    with st.popover(f"{count:,} decided", width="stretch", help=html.tooltip(place)):
        document.name_switch()
        if count:
            origin = Origin(study.name, room.settings, date=today())
            for label, name, suffix in (
                ("Every decision, CSV", "adjudications", "csv"),
                ("Every decision, JSONL", "adjudications", "jsonl"),
                ("The long table of labels", "labels", "csv"),
            ):
                export = partial(_file, study, name, suffix)
                st.download_button(
                    label, export, file_name(origin, name, suffix), on_click="ignore", width="stretch",
                    key=f"inspect_{label}",
                )  # fmt: skip
            st.dataframe(
                room.decisions, hide_index=True, key="inspect_decisions", height=220, alt="The current decisions."
            )
        st.file_uploader(
            "Decisions from a file (CSV or JSONL)", ["csv", "jsonl"], key="inspect_import", on_change=guarded(_import),
            args=(study,),
        )  # fmt: skip


def _file(study: Study, name: str, suffix: str) -> bytes:
    """Return the file of the decisions, or of all labels with the current decisions, not those at the opening of the
    page."""
    export: Callable[[Study, Path], object] = adjudications.export_decisions
    if name == "labels":
        study, export = adjudications.with_adjudications(study), adjudications.export_labels
    with tempfile.TemporaryDirectory(prefix="fairviz-export-") as folder:
        path = Path(folder, f"{name}.{suffix}")
        export(study, path)
        return path.read_bytes()


def _import(study: Study) -> None:
    upload = st.session_state["inspect_import"]
    if upload is None:
        return
    try:
        with as_file(f"decisions.{upload.name.rpartition('.')[2].lower()}", upload.getvalue()) as path:
            count = adjudications.import_decisions(study, path)
    except FairvizError as error:
        st.session_state[document.OUTCOME] = ("error", error.message, error.remedy)
        return
    count_text = counted(count, "decision was", "decisions were")
    st.session_state[document.OUTCOME] = ("good", f"{count_text} added from the file.", "")
