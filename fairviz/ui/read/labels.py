"""Every annotator's label of the open document; below, labels of automatic annotators that no measure uses."""

import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy.raters import WORD_LIST, kind_of
from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.annotators.accounts import lost_answer
from fairviz.annotation.voters import annotator_names, labels_alongside
from fairviz.annotation.voters import kind_of as named_kind
from fairviz.models.replies import Read
from fairviz.ui.kit import charts, highlight, html
from fairviz.ui.read.state import Room
from fairviz.ui.state import going

LONG, LONGEST = 240, 5000  # characters of a rationale that are shown at first, and after a click
BESIDE = "Other machine labels (unused):"


def labels_card(room: Room) -> None:
    """Draw every annotator's label of the open document, with its rationale if there is one."""
    labels = room.study.labels
    lines = _lines(room, labels[(labels["doc_id"] == room.doc_id) & (labels["annotator"] != ADJUDICATED)])
    is_listed = WORD_LIST in room.catalogue.annotators and WORD_LIST not in annotator_names(room.study)
    if is_listed and (code := room.catalogue.codes(WORD_LIST)[room.document]) >= 0:
        label = room.catalogue.labels[code]
        settings = room.settings
        kind = f"rule · live: {settings.tokenizer} tokens, τ = {settings.tau}"
        lines.append(_label_line(WORD_LIST, _chip(room, label), kind=kind))
    lines += [_label_line(name, "no label", _lost_remark(read)) for name, read in _lost(room)]
    if lines:
        st.html(f'<div class="fv-labels">{"".join(lines)}</div>')
    else:
        html.quiet("Nobody has labelled this document yet.")
    _draw_beside(room)


def _draw_beside(room: Room) -> None:
    """Draw the counts of the labels stored beside the study; after a click, or a tick on the page Annotate, each of
    these labels."""
    labels = labels_alongside(room.study)
    labels = labels[labels["doc_id"] == room.doc_id]
    if labels.empty:
        return
    counts = labels["label"].value_counts()
    counts_html = " ".join(
        f"{_chip(room, label)}&nbsp;×{counts[label]}" for label in room.catalogue.labels if label in counts
    )
    open_attribute = " open" if st.session_state.get(going.TICKED) == room.doc_id else ""
    lines = "".join(_lines(room, labels, with_kinds=True))
    st.html(
        f'<details class="fv-beside"{open_attribute}><summary><span class="fv-quiet">{BESIDE}</span> {counts_html}'
        f'</summary><div class="fv-labels">{lines}</div></details>'
    )


def _lines(room: Room, labels: pd.DataFrame, *, with_kinds: bool = False) -> list[str]:
    """Return a line for each of these labels: annotator, label and remarks. with_kinds: the kind of annotator among the
    remarks; else it is the tooltip."""
    lines = []
    for _, row in labels.iterrows():
        name, remarks = str(row["annotator"]), _remarks(row)
        kind = kind_of(room.study, name)
        shown_remarks = " · ".join(filter(None, (kind, remarks))) if with_kinds else remarks
        lines.append(_label_line(name, _chip(room, str(row["label"])), shown_remarks, kind))
    return lines


def _lost(room: Room) -> list[tuple[str, Read]]:
    """Return the study's language models whose answers on this document contain no label, with their answers."""
    labels = room.study.labels
    labelling_annotators = set(labels.loc[labels["doc_id"] == room.doc_id, "annotator"])
    models = [
        name
        for name in annotator_names(room.study)
        if named_kind(room.study, name) == "model" and name not in labelling_annotators
    ]
    answers = [(name, lost_answer(room.study, name, room.doc_id)) for name in models]
    return [(name, read) for name, read in answers if read is not None]


def _lost_remark(read: Read) -> str:
    return f"language model · {read.outcome}: {read.text}" if read.text else f"language model · {read.outcome}"


def _chip(room: Room, label: str) -> str:
    return highlight.chip(label, room.catalogue.labels, charts.theme())


def _label_line(name: str, chip: str, remark: str = "", kind: str = "") -> str:
    title = f' title="{html.escape(kind)}"' if kind else ""
    return f"<span{title}><bdi>{html.escape(highlight.cut(name, 60))}</bdi> {chip} {_remark_html(remark)}</span>"


def _remark_html(remark: str) -> str:
    """Return a remark as HTML; of a long one the beginning, and the whole after a click."""
    if len(remark) <= LONG:
        return f'<span class="fv-quiet">{html.escape(remark)}</span>' if remark else ""
    beginning, whole = html.escape(highlight.cut(remark, LONG)), html.escape(highlight.cut(remark, LONGEST))
    return f'<details class="fv-quiet"><summary>{beginning}</summary>{whole}</details>'


def _remarks(row: pd.Series) -> str:
    """Return the extra columns of a label as text: rationale, confidence."""
    columns = row.drop(labels=["doc_id", "annotator", "label"]).dropna()
    texts = {str(name): str(value) for name, value in columns.items() if str(value)}
    return " · ".join(text if name == "rationale" else f"{name}: {text}" for name, text in texts.items())
