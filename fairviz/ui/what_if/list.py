"""The editable list: rows that are dragged, moved by keys, relabelled and rewritten; and the same edits by widgets.

The script sends its actions as a numbered line, repeatedly until the page confirms them: no action is lost or applied
twice if the user is faster than a run.
"""

from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from fairviz.analyses.what_if.experiment import NO_LABEL, Experiment
from fairviz.errors import UsageError
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.components import component
from fairviz.ui.what_if import rows
from fairviz.ui.what_if.state import Bench, history, take

KEY = "laboratory_list"
SCRIPT = Path(__file__).with_suffix(".js")
DONE = "laboratory_done"  # number of the last action applied
ROWS = ("20", "50", "100", "all")
HTML = (
    '<div class="bar"><span class="hint"></span><button type="button" class="swap" disabled>Swap the two</button></div>'
    '<ol aria-label="Documents, best first"></ol><div class="said" role="status" aria-live="polite"></div>'
)
HINT = "Drag rows to reorder them."
KEYS = "Alt ↑ ↓ moves a row, Alt Home moves it to the top. Enter opens its text. Space ticks it; two ticked rows swap."


def list_card(bench: Bench) -> None:
    """Draw undo and redo, the rows, and below them the widgets."""
    experiment = bench.experiment
    with st.container(border=True, gap="xsmall", key="laboratory_card_list"):
        with st.container(horizontal=True, gap="xsmall"):
            history()
        rows_place = st.container()
        html.quiet(f"★ relevant, ☆ not. ω: neutrality (1 = neutral). Dashed: cutoff {bench.settings.cutoff:,}.")
        with st.container(horizontal=True, gap="xsmall"):
            row_count = _choose_rows(bench)
            _draw_widgets(bench)
        with rows_place:
            _draw(bench, len(experiment.order) if row_count == "all" else int(row_count))


def _choose_rows(bench: Bench) -> str:
    """Draw the selection of the number of rows; by default those with the cutoff in sight."""
    length = len(bench.experiment.order)
    offered = tuple(text for text in ROWS[:-1] if int(text) < length) + ROWS[-1:]
    usual = next((text for text in offered if text == "all" or int(text) > bench.settings.cutoff), "all")
    texts = {text: f"{text} ranks" for text in offered} | {"all": f"all {length:,} ranks"}
    return pick.select("laboratory_rows", "Rows", offered, usual, texts=texts, hide_label=True, width=130)


def _draw(bench: Bench, row_count: int) -> None:
    experiment, theme = bench.experiment, charts.theme()
    component("laboratory", SCRIPT, HTML, SCRIPT.with_suffix(".css"))(
        key=KEY,
        data={
            "list": experiment.mark,
            "done": st.session_state.setdefault(DONE, 0),
            "rows": rows.rows(bench, row_count),
            "length": len(experiment.order),
            "cutoff": bench.settings.cutoff,
            "hint": HINT,
            "keys": KEYS,
            "nolabel": NO_LABEL,
            "relabels": bool(experiment.labels),
            "dark": theme.dark,
            **rows.looks(bench.study, experiment.labels, theme),
        },
        on_asked_change=guarded(_apply_actions),
    )


def _apply_actions() -> None:
    """Apply the new actions in order. An invalid action is reported, and the others are applied."""
    request: dict[str, Any] = st.session_state[KEY].asked or {}
    problem: UsageError | None = None
    for action in request.get("actions", []):
        number = int(action["number"])
        if request.get("list") != st.session_state["laboratory_bench"].mark or number <= st.session_state.get(DONE, 0):
            continue
        st.session_state[DONE] = number
        try:
            take(partial(_apply_action, action=action))
        except UsageError as error:
            problem = error
    if problem is not None:
        raise problem


def _apply_action(experiment: Experiment, action: dict[str, Any]) -> Experiment:
    kind, name = str(action.get("kind")), str(action.get("id"))
    if kind == "move":
        return experiment.moved(name, int(action["to"]))
    if kind == "swap":
        return experiment.swapped(name, str(action["other"]))
    if kind == "label":
        return experiment.labelled(name, str(action["label"]))
    return experiment.words_replaced(name)


def _draw_widgets(bench: Bench) -> None:
    """Draw the widgets for edits by document and rank, and of all documents."""
    experiment = bench.experiment
    with st.popover("Edit without the mouse"):
        ranks = {name: rank for rank, name in enumerate(experiment.order, start=1)}
        name = st.selectbox(
            "Document",
            experiment.order,
            key="laboratory_document",
            format_func=lambda one: f"{ranks.get(one, 0)} · {one}",
        )
        up, down, number, go = st.columns([2, 2, 3, 2], vertical_alignment="bottom", gap="small")
        at = ranks[name]
        up.button("Up", key="laboratory_up", on_click=guarded(_move), args=(name, at - 1), width="stretch")
        down.button("Down", key="laboratory_down", on_click=guarded(_move), args=(name, at + 1), width="stretch")
        to = number.number_input("To rank", 1, len(experiment.order), value=1, key="laboratory_to")
        go.button("Move", key="laboratory_move", on_click=guarded(_move), args=(name, int(to)), width="stretch")
        other_column, swap = st.columns([7, 2], vertical_alignment="bottom", gap="small")
        other = other_column.selectbox("Swap it with", experiment.order, key="laboratory_other")
        swap.button("Swap", key="laboratory_swap", on_click=guarded(_swap), args=(name, other), width="stretch")
        _draw_text_widgets(bench, name)
        _words_of_all(bench)


def _draw_text_widgets(bench: Bench, name: str) -> None:
    """Draw the widgets for a document's label and words, and for all words."""
    experiment = bench.experiment
    if experiment.labels:
        label_column, flip = st.columns([7, 2], vertical_alignment="bottom", gap="small")
        options = (*experiment.labels, "")
        label = label_column.selectbox(
            "Its label", options, index=options.index(experiment.label(name)), key=f"laboratory_label_{name}",
            format_func=lambda one: one or NO_LABEL,
        )  # fmt: skip
        flip.button("Flip", key="laboratory_flip", on_click=guarded(_label), args=(name, label), width="stretch")
    if bench.study.has("documents"):
        caption = "Put its gender words back" if name in experiment.reworded else "Replace its gender words"
        st.button(caption, key="laboratory_words", on_click=guarded(_words), args=(name,), width="stretch")


def _words_of_all(bench: Bench) -> None:
    """Draw the button that replaces the gender words of every document of the list."""
    experiment = bench.experiment
    all_of_them = experiment.reworded.issuperset(experiment.start)
    st.button(
        "Put the words of all back" if all_of_them else "Replace gender words of all",
        key="laboratory_words_all", disabled=not bench.study.has("documents"), width="stretch",
        help="She becomes he, his becomes her. Gender swap lists the pairs of words.",
        on_click=guarded(_words), args=(None,),
    )  # fmt: skip


def _move(name: str, to: int) -> None:
    take(lambda held: held.moved(name, to))


def _swap(first: str, second: str) -> None:
    take(lambda held: held.swapped(first, second))


def _label(name: str, label: str) -> None:
    take(lambda held: held.labelled(name, label))


def _words(name: str | None) -> None:
    take(lambda held: held.words_replaced(name))
