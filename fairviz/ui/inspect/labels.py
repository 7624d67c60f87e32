"""What every annotator says of the open document; below it what machines say whose labels count in nothing."""

import pandas as pd
import streamlit as st

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.alongside import labels_alongside
from fairviz.annotation.annotators.accounts import lost_answer
from fairviz.annotation.annotators.parsing import Read
from fairviz.annotation.electorate import annotator_names
from fairviz.annotation.electorate import kind_of as named_kind
from fairviz.inspection.raters import WORD_LIST, kind_of
from fairviz.ui.inspect.state import Room
from fairviz.ui.kit import charts, highlight, html
from fairviz.ui.state import going

LONG, LONGEST = 240, 5000  # characters of a rationale that stand there at once, and with a click
BESIDE = "By machines, beside the study, and counted in nothing:"


def labels_card(room: Room) -> None:
    """Every annotator's label of the open document, with rationale where there is one."""
    given = room.study.labels
    lines = _lines(room, given[(given["doc_id"] == room.doc_id) & (given["annotator"] != ADJUDICATED)])
    if room.listed.word_list is not None and room.listed.word_list[room.document] >= 0:
        label = room.listed.labels[room.listed.word_list[room.document]]
        settings = room.settings
        remark = f"rule · live: {settings.tokenizer} tokens, τ = {settings.tau}"
        lines.append(_label_line(WORD_LIST, _chip(room, label), remark))
    lines += [_label_line(name, "no label", _told_lost(read)) for name, read in _lost(room)]
    if lines:
        st.html(f'<div class="fv-labels">{"".join(lines)}</div>')
    else:
        html.quiet("Nobody has labelled this document yet.")
    _beside(room)


def _beside(room: Room) -> None:
    """How many machines say what, those that lie beside the study; with a click, and for whom a tick of the page
    Annotators brought here, who says it."""
    given = labels_alongside(room.study)
    given = given[given["doc_id"] == room.doc_id]
    if given.empty:
        return
    counts = given["label"].value_counts()
    told = " ".join(f"{_chip(room, label)}&nbsp;×{counts[label]}" for label in room.listed.labels if label in counts)
    opened = " open" if st.session_state.get(going.TICKED) == room.doc_id else ""
    lines = "".join(_lines(room, given))
    st.html(
        f'<details class="fv-beside"{opened}><summary><span class="fv-quiet">{BESIDE}</span> {told}</summary>'
        f'<div class="fv-labels">{lines}</div></details>'
    )


def _lines(room: Room, given: pd.DataFrame) -> list[str]:
    """A line for each of these labels: who, what, and what that is, with all that was said beside it."""
    return [
        _label_line(
            str(row["annotator"]),
            _chip(room, str(row["label"])),
            " · ".join(filter(None, (kind_of(room.study, str(row["annotator"])), _remarks(row)))),
        )
        for _, row in given.iterrows()
    ]


def _lost(room: Room) -> list[tuple[str, Read]]:
    """The language models of the study that were asked about this document and gave no label, with their answers."""
    given = room.study.labels
    said = set(given.loc[given["doc_id"] == room.doc_id, "annotator"])
    models = [
        name for name in annotator_names(room.study) if named_kind(room.study, name) == "model" and name not in said
    ]
    found = [(name, lost_answer(room.study, name, room.doc_id)) for name in models]
    return [(name, read) for name, read in found if read is not None]


def _told_lost(read: Read) -> str:
    return f"language model · {read.outcome}: {read.text}" if read.text else f"language model · {read.outcome}"


def _chip(room: Room, label: str) -> str:
    return highlight.chip(label, room.listed.labels, charts.theme())


def _label_line(name: str, chip: str, remark: str) -> str:
    return f"<span><bdi>{html.escape(highlight.cut(name, 60))}</bdi> {chip} {_remark_html(remark)}</span>"


def _remark_html(remark: str) -> str:
    """A remark; of a long one its beginning, and the rest under it with a click."""
    if len(remark) <= LONG:
        return f'<span class="fv-quiet">{html.escape(remark)}</span>' if remark else ""
    begins, whole = html.escape(highlight.cut(remark, LONG)), html.escape(highlight.cut(remark, LONGEST))
    return f'<details class="fv-quiet"><summary>{begins}</summary>{whole}</details>'


def _remarks(row: pd.Series) -> str:
    """The extra columns of a label: rationale, confidence."""
    extra = row.drop(labels=["doc_id", "annotator", "label"]).dropna()
    held = {str(name): str(value) for name, value in extra.items() if str(value)}
    return " · ".join(text if name == "rationale" else f"{name}: {text}" for name, text in held.items())
