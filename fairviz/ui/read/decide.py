"""A reader's decision on a document: the effect of each label, the keys, the history, and undo."""

from functools import partial

import pandas as pd
import streamlit as st

from fairviz.analyses.label_effects.label_effects import what_if
from fairviz.annotation import adjudications
from fairviz.annotation.adjudications import Row
from fairviz.errors import FairvizError
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, highlight, html, keys
from fairviz.ui.kit.boundary import dialog, guarded
from fairviz.ui.read import name as inspect_name
from fairviz.ui.read import state as inspect_state
from fairviz.ui.read import wording as inspect_words
from fairviz.ui.read.contest import Contest
from fairviz.ui.read.state import PREFIX, Room

OUTCOME = "inspect_outcome"
AUTHORS = "inspect_authors"  # names under which this session has decided
KEYS = 9  # labels with a digit as their key
ONWARD = PREFIX + "onward"
WAITING = "inspect_waiting"  # a decision without its reader's name yet: document, label


def decide_card(room: Room, contest: Contest | None) -> None:
    """Draw buttons with their keys, the effect of each label, reason and author, and earlier decisions."""
    if WAITING in st.session_state:
        _ask_name(room.study)
    if room.document < 0:
        return
    labels = room.catalogue.labels
    current_label = labels[room.decided[room.document]] if room.decided[room.document] >= 0 else ""
    with st.container(key="inspect_keys", horizontal=True, gap="xsmall", vertical_alignment="center"):
        for number, label in enumerate(labels, start=1):
            key = str(number) if number <= KEYS else None
            st.button(
                f"{highlight.shape(label, labels)} {html.literal(label)}",
                key=f"decide_{number}_{room.doc_id}",  # of this document: a late key press has no effect on another
                shortcut=key,
                type="primary" if label == current_label else "secondary",
                on_click=guarded(_decide),
                args=(room.study, room.doc_id, label),
            )
        last = _last_decision(room.study)
        st.button(
            "Undo", key="inspect_undo", shortcut="U", disabled=last is None,
            on_click=guarded(_undo), args=(room.study,),
            help=f"Takes back {last.label} for {last.doc_id}." if last else "You have decided nothing.",
        )  # fmt: skip
        st.button("Back", key="inspect_previous", shortcut="P", on_click=guarded(inspect_state.step), args=(-1,))
        st.button("Next", key="inspect_next", shortcut="N", on_click=guarded(inspect_state.step), args=(1,))
    keys.hand_over("".join(map(str, range(1, min(len(labels), KEYS) + 1))) + "upn")
    if message := st.session_state.pop(OUTCOME, None):
        html.message(*message)
    if contest is not None:
        _draw_consequences(room, contest)
    _draw_fields(room)
    _draw_history(room)


def _draw_fields(room: Room) -> None:
    """Draw the fields for reason and author, and the switch to open the next document after a decision."""
    reason_column, author_column, onward_column = st.columns([3.8, 2.3, 2.4], vertical_alignment="center", gap="xsmall")
    reason_column.text_input(
        "Reason", key=_reason_key(room.doc_id), placeholder="reason (optional)",
        label_visibility="collapsed", max_chars=2000,
    )  # fmt: skip
    with author_column:
        inspect_name.field()
    onward_column.toggle("then next", key=ONWARD, help="A decision opens the next document.")


def _reason_key(doc_id: str) -> str:
    return f"inspect_reason_{doc_id}"


def _decide(study: Study, doc_id: str, label: str) -> None:
    """Store the decision, or first open the dialog for the reader's name, once a session."""
    if inspect_name.to_be_asked() and _can_be_stored(study):
        st.session_state[WAITING] = (doc_id, label)
        return
    _store(study, doc_id, label)


def _can_be_stored(study: Study) -> bool:
    """Return whether decisions can be stored; if not, no name is requested."""
    try:
        adjudications.store_path(study)
    except FairvizError:
        return False
    return True


def _drop_waiting() -> None:
    """Drop the waiting decision after the dialog was closed, and set the message about it."""
    doc_id, label = st.session_state.pop(WAITING)
    message = f"Not stored: {label} for {doc_id}. The question for your name was left."
    st.session_state[OUTCOME] = ("info", message, "Decide again; you can store it without a name.")


@dialog("Who decides?", on_dismiss=guarded(_drop_waiting))
def _ask_name(study: Study) -> None:
    """Draw the dialog for the name; its answer stores the waiting decision."""
    if WAITING not in st.session_state:
        st.rerun()
    doc_id, label = st.session_state[WAITING]
    inspect_name.question(label, doc_id, partial(_store_waiting, study))


def _store_waiting(study: Study, has_name: bool) -> None:
    if WAITING in st.session_state and inspect_name.read_form(has_name):
        _store(study, *st.session_state.pop(WAITING))


def _store(study: Study, doc_id: str, label: str) -> None:
    reason = st.session_state.get(_reason_key(doc_id), "")
    author = inspect_name.current()
    try:
        adjudications.decide(study, doc_id, label, reason=reason, author=author)
    except FairvizError as error:
        st.session_state[OUTCOME] = ("error", f"Not stored: {error.message}", error.remedy)
        return
    st.session_state.setdefault(AUTHORS, set()).add(author)
    st.session_state[_reason_key(doc_id)] = ""
    if st.session_state.get(ONWARD):
        inspect_state.step(1)


def _last_decision(study: Study) -> Row | None:
    """Return the reader's latest decision in this study, under the name of now or an earlier one of this session."""
    return adjudications.last_decision(study, {inspect_name.current(), *st.session_state.get(AUTHORS, ())})


def _undo(study: Study) -> None:
    """Take back the reader's latest decision, wherever it was, and open its document."""
    try:
        last = _last_decision(study)
        if last is None:
            return
        adjudications.undo(study, last.doc_id, author=last.author)
    except FairvizError as error:
        st.session_state[OUTCOME] = ("error", f"Not undone: {error.message}", error.remedy)
        return
    inspect_state.open_document(last.doc_id)
    st.session_state[OUTCOME] = ("info", f"Taken back: {last.label} for {last.doc_id}.")


def _draw_consequences(room: Room, contest: Contest) -> None:
    """Draw a line with the effect on the measure for each label but the current one, and a popover with the table."""
    places = cache.places(room.study, room.settings)
    current_label = contest.label_of(room)
    line_htmls, tables = [], []
    for label in room.catalogue.labels:
        table = what_if(room.study, room.settings, contest.text, {room.doc_id: label}, places=places)
        tables.append(table.assign(label=label))
        if label != current_label:
            line_htmls.append(
                f"<div>If <b>{html.escape(label)}</b>: {inspect_words.consequence(table, contest.name)}</div>"
            )
    current_chip = highlight.chip(current_label, room.catalogue.labels, charts.theme())
    text_column, popover_column = st.columns([7, 3], vertical_alignment="top", gap="xsmall")
    with text_column:
        head = f"<div>Now {current_chip} ({html.escape(contest.annotator)})</div>"
        st.html(f'<div class="fv-if">{head}{"".join(line_htmls)}</div>')
    with popover_column.popover("All systems", on_change="rerun", key="inspect_figures") as popover:
        if popover.open:
            _draw_figures(room, contest)


def draw_sum_of_decisions(room: Room, contest: Contest | None) -> None:
    """Draw the effect of all decisions together, in place of the current annotator's labels."""
    if contest is None or room.decisions.empty:
        return
    changes = dict(zip(room.decisions["doc_id"], room.decisions["label"], strict=True))
    table = what_if(room.study, room.settings, contest.text, changes, places=cache.places(room.study, room.settings))
    text = f"With every decision in place of {html.escape(contest.annotator)}: "
    st.html(f'<div class="fv-quiet">{text}{inspect_words.consequence(table, contest.name)}</div>')


def _draw_figures(room: Room, contest: Contest) -> None:
    """Draw measure and exposures of every system, before and after a change to another label."""
    labels = [label for label in room.catalogue.labels if label != contest.label_of(room)]
    label = st.segmented_control(
        "If the label were",
        labels,
        default=labels[0],
        required=True,
        key="inspect_if",
        format_func=html.literal,
    )
    places = cache.places(room.study, room.settings)
    names = (contest.text, *contest.exposures)
    parts = [
        what_if(room.study, room.settings, name, {room.doc_id: label or labels[0]}, places=places).assign(measure=name)
        for name in names
    ]
    order = ["measure", "system", "before", "after", "difference", "rank_before", "rank_after"]
    st.dataframe(pd.concat(parts)[order], hide_index=True, key="inspect_if_table", alt="Measures before and after.")


def _draw_history(room: Room) -> None:
    """Draw every decision on the open document, the latest first."""
    past = adjudications.history(room.study, room.doc_id)
    if past.empty:
        return
    lines = [
        inspect_words.decision_html(row, room.catalogue.labels, charts.theme()) for _, row in past.iloc[::-1].iterrows()
    ]
    st.html(f'<div class="fv-history">{"".join(lines)}</div>')
