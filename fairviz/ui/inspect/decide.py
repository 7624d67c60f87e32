"""A reader's decision: what each label would change, the keys that give it, its history, and undo."""

from functools import partial

import pandas as pd
import streamlit as st

from fairviz.annotation import adjudications
from fairviz.effects.what_if import what_if
from fairviz.errors import FairvizError
from fairviz.study.study import Study
from fairviz.ui.inspect import name as inspect_name
from fairviz.ui.inspect import state as inspect_state
from fairviz.ui.inspect import wording as inspect_words
from fairviz.ui.inspect.contest import Contest
from fairviz.ui.inspect.state import PREFIX, Room
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import charts, highlight, html
from fairviz.ui.kit.boundary import dialog, guarded

OUTCOME = "inspect_outcome"
KEYS = 9  # labels that a digit gives
ONWARD = PREFIX + "onward"
WAITING = "inspect_waiting"  # a decision that waits for its reader's name: document, label


def decide_card(room: Room, contest: Contest | None) -> None:
    """Buttons with their keys, what each label would change, reason and author, and what was decided before."""
    if WAITING in st.session_state:
        _who(room.study)
    if room.document < 0:
        return
    labels = room.listed.labels
    standing = labels[room.decided[room.document]] if room.decided[room.document] >= 0 else ""
    with st.container(key="inspect_keys", horizontal=True, gap="xsmall", vertical_alignment="center"):
        for number, label in enumerate(labels, start=1):
            key = str(number) if number <= KEYS else None
            st.button(
                f"{highlight.shape(label, labels)} {html.literal(label)}",
                key=f"decide_{number}_{room.doc_id}",  # of this document: a late key never decides another
                shortcut=key,
                type="primary" if label == standing else "secondary",
                on_click=guarded(_decide),
                args=(room.study, room.doc_id, label),
            )
        st.button(
            "Undo", key=f"undo_{room.doc_id}", shortcut="U", on_click=guarded(_undo), args=(room.study, room.doc_id),
            disabled=not standing, help="Takes your last decision on this document back; it stays in the history.",
        )  # fmt: skip
        st.button("Back", key="inspect_previous", shortcut="P", on_click=guarded(inspect_state.step), args=(-1,))
        st.button("Next", key="inspect_next", shortcut="N", on_click=guarded(inspect_state.step), args=(1,))
    if told := st.session_state.pop(OUTCOME, None):
        html.message(*told)
    if contest is not None:
        _consequences(room, contest)
    _particulars(room)
    _history(room)


def _particulars(room: Room) -> None:
    """Reason, author, and whether a decision opens the next document."""
    reason, author, onward = st.columns([3.8, 2.3, 2.4], vertical_alignment="center", gap="xsmall")
    reason.text_input(
        "Reason", key=_reason_key(room.doc_id), placeholder="reason, before you decide (optional)",
        label_visibility="collapsed", max_chars=2000,
    )  # fmt: skip
    with author:
        inspect_name.field()
    onward.toggle("then next", key=ONWARD, help="A decision opens the next document.")


def _reason_key(doc_id: str) -> str:
    return f"inspect_reason_{doc_id}"


def _decide(study: Study, doc_id: str, label: str) -> None:
    """Stores the decision at once, or asks first whose it is, once; says so where it could not be stored."""
    if inspect_name.to_be_asked() and _can_be_stored(study):
        st.session_state[WAITING] = (doc_id, label)
        return
    _store(study, doc_id, label)


def _can_be_stored(study: Study) -> bool:
    """Whether there is a place for decisions; where there is none, nobody need say who decides."""
    try:
        adjudications.store_path(study)
    except FairvizError:
        return False
    return True


def _give_up() -> None:
    """The question was left: nothing is stored, and that is said."""
    doc_id, label = st.session_state.pop(WAITING)
    told = f"Not stored: {label} for {doc_id}, as the question for your name was left."
    st.session_state[OUTCOME] = ("info", told, "Decide again; you can store it without a name.")


@dialog("Who decides?", on_dismiss=guarded(_give_up))
def _who(study: Study) -> None:
    """Asks for the name; the answer stores the decision that waits for it."""
    if WAITING not in st.session_state:
        st.rerun()
    doc_id, label = st.session_state[WAITING]
    inspect_name.question(label, doc_id, partial(_answered, study))


def _answered(study: Study, named: bool) -> None:
    if WAITING in st.session_state and inspect_name.given(named):
        _store(study, *st.session_state.pop(WAITING))


def _store(study: Study, doc_id: str, label: str) -> None:
    reason = st.session_state.get(_reason_key(doc_id), "")
    try:
        adjudications.decide(study, doc_id, label, reason=reason, author=inspect_name.current())
    except FairvizError as error:
        st.session_state[OUTCOME] = ("error", f"Not stored: {error.message}", error.remedy)
        return
    st.session_state[_reason_key(doc_id)] = ""
    if st.session_state.get(ONWARD):
        inspect_state.step(1)


def _undo(study: Study, doc_id: str) -> None:
    try:
        adjudications.undo(study, doc_id, author=inspect_name.current())
    except FairvizError as error:
        st.session_state[OUTCOME] = ("error", f"Not undone: {error.message}", error.remedy)


def _consequences(room: Room, contest: Contest) -> None:
    """A line for each label that is not the present one: what it would do to the measure; and the whole table."""
    places = cache.places(room.study, room.settings)
    present = contest.label_of(room)
    lines, tables = [], []
    for label in room.listed.labels:
        table = what_if(room.study, room.settings, contest.text, {room.doc_id: label}, places=places)
        tables.append(table.assign(label=label))
        if label != present:
            lines.append(f"<div>If <b>{html.escape(label)}</b>: {inspect_words.consequence(table, contest.name)}</div>")
    now = highlight.chip(present, room.listed.labels, charts.theme())
    words, more = st.columns([8, 2], vertical_alignment="top", gap="xsmall")
    with words:
        head = f"<div>{html.escape(contest.annotator)} says {now} at present.</div>"
        st.html(f'<div class="fv-if">{head}{"".join(lines)}</div>')
    with more.popover("Figures", on_change="rerun", key="inspect_figures") as opened:
        if opened.open:
            _figures(room, contest)


def sum_of_decisions(room: Room, contest: Contest | None) -> None:
    """What all decisions together change, where the labels of the annotator that counts gave way to them."""
    if contest is None or room.decisions.empty:
        return
    changes = dict(zip(room.decisions["doc_id"], room.decisions["label"], strict=True))
    table = what_if(room.study, room.settings, contest.text, changes, places=cache.places(room.study, room.settings))
    told = f"With every decision in place of {html.escape(contest.annotator)}: "
    st.html(f'<div class="fv-quiet">{told}{inspect_words.consequence(table, contest.name)}</div>')


def _figures(room: Room, contest: Contest) -> None:
    """Measure and exposures of every system, before and after, for one other label."""
    labels = [label for label in room.listed.labels if label != contest.label_of(room)]
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


def _history(room: Room) -> None:
    """Every decision on the open document, the latest first; earlier ones stay visible."""
    past = adjudications.history(room.study, room.doc_id)
    if past.empty:
        return
    lines = [
        inspect_words.decision_html(row, room.listed.labels, charts.theme()) for _, row in past.iloc[::-1].iterrows()
    ]
    st.html(f'<div class="fv-history">{"".join(lines)}</div>')
