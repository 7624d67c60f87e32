"""The editable list: rows that are dragged, moved by keys, relabelled and rewritten; and the same edits by widgets.

The script sends its actions as a numbered line, repeatedly until the page confirms them: no action is lost or applied
twice if the user is faster than a run.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.what_if.experiment import NO_LABEL, Experiment, changed, replaced_texts, restricted
from fairviz.errors import UsageError
from fairviz.evaluation.choices import chosen_lexicon, judgements
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import Theme, group_colour
from fairviz.measures.neutrality import neutrality
from fairviz.study.record import Study
from fairviz.ui.kit import charts, highlight, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.components import component
from fairviz.ui.what_if.state import BENCH, Bench, history, take
from fairviz.words.counting import Lexicon, document_text, find_entries

KEY = "laboratory_list"
SCRIPT = Path(__file__).with_suffix(".js")
DONE = "laboratory_done"  # number of the last action applied
ROWS = ("20", "50", "100", "all")
BEGINNING = 150  # characters shown of a document
AFTER = 8  # gender words shown of the remaining text
HTML = (
    '<div class="bar"><span class="hint"></span><button type="button" class="swap" disabled>Swap the two</button></div>'
    '<ol aria-label="Documents, best first"></ol><div class="said" role="status" aria-live="polite"></div>'
)
HINT = "Drag rows to reorder them."
KEYS = "Alt ↑ ↓ moves a row, Alt Home moves it to the top. Enter opens its text. Space ticks it; two ticked rows swap."
Piece = tuple[str, int]  # text, and the index of its gender group, -1 for none


def list_card(bench: Bench) -> None:
    """Draw undo and redo, the rows, and below them the widgets."""
    with st.container(border=True, gap="xsmall", key="laboratory_card_list"):
        with st.container(horizontal=True, gap="xsmall"):
            history()
        rows_place = st.container()
        with st.container(horizontal=True, gap="xsmall"):
            row_count = _choose_row_count(bench)
            signs = f"★ relevant, ☆ not. ω: neutrality (1 = neutral). Dashed: cutoff {bench.settings.cutoff:,}."
            with st.popover("Edit without the mouse", help=signs):
                _draw_widgets(bench)
        with rows_place:
            _draw_rows(bench, row_count)


def _choose_row_count(bench: Bench) -> int:
    """Draw the selection of the number of rows, by default the first that shows the cutoff; return the number."""
    length = len(bench.experiment.order)
    offered = tuple(text for text in ROWS[:-1] if int(text) < length) + ROWS[-1:]
    usual = next((text for text in offered if text == "all" or int(text) > bench.settings.cutoff), "all")
    texts = {text: f"{text} ranks" for text in offered} | {"all": f"all {length:,} ranks"}
    chosen = pick.select("laboratory_rows", "Rows", offered, usual, texts=texts, hide_label=True, width=130)
    return length if chosen == "all" else int(chosen)


def _draw_rows(bench: Bench, row_count: int) -> None:
    """Draw the script's list."""
    experiment, theme = bench.experiment, charts.theme()
    component("laboratory", SCRIPT, HTML, SCRIPT.with_suffix(".css"))(
        key=KEY,
        data={
            "list": experiment.mark,
            "done": st.session_state.setdefault(DONE, 0),
            "rows": rows(bench, row_count),
            "length": len(experiment.order),
            "cutoff": bench.settings.cutoff,
            "hint": HINT,
            "keys": KEYS,
            "nolabel": NO_LABEL,
            "relabels": bool(experiment.labels),
            "dark": theme.dark,
            **looks(experiment.labels, bench.study.groups, theme),
        },
        on_asked_change=guarded(_apply_actions),
    )


def looks(labels: Sequence[str], groups: Sequence[str], theme: Theme) -> dict[str, list[dict[str, str]]]:
    """Return the shape and colour of each label, and the marks of each group's words."""
    return {
        "labels": [
            {"name": name, "shape": highlight.shape(name, labels), "colour": group_colour(name, labels, theme)}
            for name in labels
        ],
        "groups": [
            {"line": highlight.line(group, groups), "colour": group_colour(group, groups, theme)} for group in groups
        ],
    }


def rows(bench: Bench, first: int) -> list[dict[str, Any]]:
    """Return the first documents of the edited list in the script's format; all texts are data."""
    experiment, study = bench.experiment, bench.study
    names = experiment.order[:first]
    column = np.array([bench.rankings.lists.queries.index(experiment.query)])
    rankings = changed(study, bench.settings, restricted(bench.rankings, column), experiment)
    omega = neutrality(rankings, bench.settings.tau)
    at = rankings.lists.doc_ids.get_indexer(pd.Index(names, dtype="str"))
    texts = _texts(study, bench.settings, experiment.reworded, names)
    grades = judgements(study).get(experiment.query, {})
    was = {name: rank for rank, name in enumerate(experiment.start, start=1)}
    labels = dict(experiment.known)
    return [
        {
            "id": name,
            "was": was[name],
            "label": experiment.label(name),
            "relabelled": name in experiment.relabelled,
            "before": labels.get(name, "") or NO_LABEL,
            "omega": "no text" if np.isnan(omega[row]) else f"ω {omega[row]:.2f}",
            "grade": _grade_text(grades.get(name)),
            "pieces": texts[name],
            "words": bool(texts[name]),
            "reworded": name in experiment.reworded,
        }
        for name, row in zip(names, at.tolist(), strict=True)
    ]


def _grade_text(grade: int | None) -> str:
    """Return `★ 2` for a relevant document with its grade, `☆ 0` for one judged not relevant, "" without a
    judgement."""
    if grade is None:
        return ""
    return f"{'★' if grade > 0 else '☆'} {grade}".replace("-", "−")


def _texts(
    study: Study, settings: Settings, reworded: frozenset[str], names: Sequence[str]
) -> Mapping[str, list[Piece]]:
    """Return the pieces shown of each document; none for one without text."""
    documents = study.documents[study.documents["doc_id"].isin(list(names))]
    text_by_id = dict(zip(documents["doc_id"].astype("str"), document_text(documents), strict=True))
    text_by_id |= replaced_texts(study, [name for name in names if name in reworded])
    lexicon = chosen_lexicon(study, settings)
    return {name: _shown_pieces(text_by_id.get(name), lexicon, settings.tokenizer, study.groups) for name in names}


def _shown_pieces(text: object, lexicon: Lexicon, tokenizer: str, groups: tuple[str, ...]) -> list[Piece]:
    """Return the pieces shown of a text; none where there is no text."""
    if not isinstance(text, str):
        return []
    found = find_entries(text, lexicon, tokenizer, groups)
    return list(_pieces(text, [(one.start, one.end, groups.index(one.group)) for one in found]))


def _pieces(text: str, marks: Sequence[tuple[int, int, int]]) -> Iterator[Piece]:
    """Yield the beginning of a text, and the first gender words of the rest. marks: start, end and group of each."""
    end, at = len(highlight.cut(text, BEGINNING)), 0
    later_marks = [mark for mark in marks if mark[0] >= end]
    for start, stop, group in marks:
        if start >= end:
            break
        yield text[at:start], -1
        yield text[start:stop], group
        at = stop
    yield text[at:end] if at < end else "", -1
    if end < len(text):
        yield " … ", -1
    for start, stop, group in later_marks[:AFTER]:
        yield text[start:stop], group
        yield " … ", -1
    if len(later_marks) > AFTER:
        yield f"and {len(later_marks) - AFTER:,} more gender words", -1


def _apply_actions() -> None:
    """Apply the new actions in order. An invalid action is reported, and the others are applied."""
    request: dict[str, Any] = st.session_state[KEY].asked or {}
    problem: UsageError | None = None
    for action in request.get("actions", []):
        number = int(action["number"])
        if request.get("list") != st.session_state[BENCH].mark or number <= st.session_state.get(DONE, 0):
            continue
        st.session_state[DONE] = number
        try:
            take(partial(_apply_action, action=action))
        except UsageError as error:
            problem = error
    if problem is not None:
        raise problem


def _apply_action(experiment: Experiment, action: dict[str, Any]) -> Experiment:
    """Return the experiment after an action of the script: kind, document, and the rank, other document or label."""
    kind, name = str(action.get("kind")), str(action.get("id"))
    if kind == "move":
        return experiment.moved(name, int(action["to"]))
    if kind == "swap":
        return experiment.swapped(name, str(action["other"]))
    if kind == "label":
        return experiment.labelled(name, str(action["label"]))
    return experiment.words_replaced(name)


def _draw_widgets(bench: Bench) -> None:
    """Draw the widgets for edits by document and rank: its place, label and words, and the words of all documents."""
    experiment = bench.experiment
    ranks = {name: rank for rank, name in enumerate(experiment.order, start=1)}
    name = st.selectbox(
        "Document", experiment.order, key="laboratory_document", format_func=lambda one: f"{ranks.get(one, 0)} · {one}"
    )
    rank = ranks[name]
    up, down, number, go = st.columns([2, 2, 3, 2], vertical_alignment="bottom", gap="small")
    up.button("Up", key="laboratory_up", on_click=guarded(_move), args=(name, rank - 1), width="stretch")
    down.button("Down", key="laboratory_down", on_click=guarded(_move), args=(name, rank + 1), width="stretch")
    to = number.number_input("To rank", 1, len(experiment.order), value=1, key="laboratory_to")
    go.button("Move", key="laboratory_move", on_click=guarded(_move), args=(name, int(to)), width="stretch")
    other_column, swap = st.columns([7, 2], vertical_alignment="bottom", gap="small")
    other = other_column.selectbox("Swap it with", experiment.order, key="laboratory_other")
    swap.button("Swap", key="laboratory_swap", on_click=guarded(_swap), args=(name, other), width="stretch")
    if experiment.labels:
        _draw_label_widgets(experiment, name)
    _draw_word_buttons(bench, name)


def _draw_label_widgets(experiment: Experiment, name: str) -> None:
    label_column, flip = st.columns([7, 2], vertical_alignment="bottom", gap="small")
    options = (*experiment.labels, "")
    label = label_column.selectbox(
        "Its label",
        options,
        index=options.index(experiment.label(name)),
        key=f"laboratory_label_{name}",
        format_func=lambda one: one or NO_LABEL,
    )
    flip.button("Flip", key="laboratory_flip", on_click=guarded(_label), args=(name, label), width="stretch")


def _draw_word_buttons(bench: Bench, name: str) -> None:
    """Draw the buttons that replace the gender words of this document, and of every document of the list."""
    experiment, has_text = bench.experiment, bench.study.has("documents")
    if has_text:
        caption = "Put its gender words back" if name in experiment.reworded else "Replace its gender words"
        st.button(caption, key="laboratory_words", on_click=guarded(_words), args=(name,), width="stretch")
    are_all_reworded = experiment.reworded.issuperset(experiment.start)
    st.button(
        "Put the words of all back" if are_all_reworded else "Replace gender words of all",
        key="laboratory_words_all",
        help="She becomes he, his becomes her. Gender swap lists the pairs of words.",
        on_click=guarded(_words),
        args=(None,),
        disabled=not has_text,
        width="stretch",
    )


def _move(name: str, rank: int) -> None:
    take(lambda experiment: experiment.moved(name, rank))


def _swap(name: str, other: str) -> None:
    take(lambda experiment: experiment.swapped(name, other))


def _label(name: str, label: str) -> None:
    take(lambda experiment: experiment.labelled(name, label))


def _words(name: str | None) -> None:
    """Replace the gender words of a document, of all without a name, or put them back."""
    take(lambda experiment: experiment.words_replaced(name))
