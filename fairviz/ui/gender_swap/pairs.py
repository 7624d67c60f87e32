"""The two lists of pairs in popovers: look at them, change them, take them from a file, go back."""

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from fairviz.errors import FairvizError
from fairviz.study.loaders.word_files import read_counterparts
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices
from fairviz.words.counterparts import (
    HEADER,
    Counterparts,
    Pairs,
    format_counterparts,
    packaged,
    pairs_of,
    parse_counterparts,
)

PROBLEM = "counterfactual_pairs_problem"
LABELS = {"words": "Words", "names": "Names"}
ABOUT = {
    "words": "Of several counterparts the first row counts. Her and his: the next word decides.",
    "names": "Names count where they begin with a capital. They are paired by how frequent they are.",
}


def _key(kind: str) -> str:
    return f"counterfactual_{kind}"


def usual(kind: str) -> Pairs:
    """The packaged list of this kind."""
    return packaged().words if kind == "words" else packaged().names


def pairs_of_kind(kind: str) -> Pairs:
    """The list that counts: the reader's, else the packaged one. Raises UsageError for a text that is no list."""
    text = choices.value_of(_key(kind))
    return parse_counterparts(text) if text else usual(kind)


def chosen_pairs() -> Counterparts:
    """Both lists that count. Raises as `pairs_of_kind`."""
    return Counterparts(pairs_of_kind("words"), pairs_of_kind("names"))


def pairs_editor(kind: str) -> None:
    """A popover with the pairs in an editable table."""
    try:
        current, problem = pairs_of_kind(kind), st.session_state.pop(f"{PROBLEM}_{kind}", None)
    except FairvizError as error:
        current, problem = usual(kind), error
    own = " (own)" if current != usual(kind) else ""
    with st.popover(f"{LABELS[kind]}: {len(current):,}{own}", width="stretch"):
        html.quiet(ABOUT[kind])
        version = f"counterfactual_edited_{kind}_{abs(hash(current))}"
        edited = st.data_editor(
            pd.DataFrame(list(current), columns=list(HEADER)),
            num_rows="dynamic",
            hide_index=True,
            key=version,
            height=300,
        )
        rows = list(zip(edited["female"], edited["male"], strict=True))
        use, back = st.columns(2)
        use.button("Use these pairs", on_click=guarded(_use), args=(kind, rows), type="primary", key=f"{version}_use")
        back.button(
            "The packaged ones",
            on_click=guarded(_choose),
            args=(kind, usual(kind)),
            disabled=not own,
            key=f"{version}_back",
        )
        file = f"counterfactual_file_{kind}"
        st.file_uploader(
            "female,male", type=["csv", "tsv", "txt"], key=file, on_change=guarded(partial(_take, kind, file))
        )
        if problem is not None:
            html.message("error", problem.message, problem.remedy)


def _use(kind: str, rows: Sequence[tuple[object, object]]) -> None:
    try:
        _choose(kind, pairs_of(rows))
    except FairvizError as error:
        st.session_state[f"{PROBLEM}_{kind}"] = error


def _take(kind: str, file: str) -> None:
    upload = st.session_state[file]
    if upload is None:
        return
    try:
        _choose(kind, pairs_in(upload.name, upload.getvalue()))
    except FairvizError as error:
        st.session_state[f"{PROBLEM}_{kind}"] = error


def pairs_in(name: str, content: bytes) -> Pairs:
    """The pairs of a file. Raises DataError that names every bad line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        return read_counterparts(path, folder)


def _choose(kind: str, pairs: Pairs) -> None:
    st.session_state[_key(kind)] = "" if pairs == usual(kind) else format_counterparts(pairs)
