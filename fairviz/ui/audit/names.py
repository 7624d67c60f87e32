"""The list of authors' names in a popover: an editable table, a file, and the packaged list."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from fairviz.errors import FairvizError
from fairviz.study.loaders.word_files import read_names
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import choices
from fairviz.words.author_names import (
    GENDERS,
    HEADER,
    AuthorNames,
    format_names,
    names_of,
    packaged_names,
    parse_names,
)

KEY, FILE, PROBLEM = "audit_names", "audit_names_file", "audit_names_problem"
ABOUT = (
    "Packaged: the most frequent first names of the US census of 1990. Each document gets two names of either gender, "
    "in the order of the list."
)


def chosen_names() -> AuthorNames:
    """The list that counts: the reader's, else the packaged one. Raises UsageError for a text that is no list."""
    text = choices.value_of(KEY)
    return parse_names(str(text)) if text else packaged_names()


def names_editor() -> None:
    """Draw a popover with the names in an editable table."""
    try:
        current, problem = chosen_names(), st.session_state.pop(PROBLEM, None)
    except FairvizError as error:
        current, problem = packaged_names(), error
    own = " (own)" if current != packaged_names() else ""
    with st.popover(f"Names: {len(current.rows):,}{own}", width="stretch"):
        html.quiet(ABOUT)
        version = f"audit_names_edited_{abs(hash(current))}"
        gender = st.column_config.SelectboxColumn("gender", options=list(GENDERS), required=True)
        edited = st.data_editor(
            pd.DataFrame(list(current.rows), columns=list(HEADER)),
            num_rows="dynamic", hide_index=True, key=version, height=300, column_config={"gender": gender},
        )  # fmt: skip
        rows = list(zip(edited["gender"], edited["name"], strict=True))
        use, back = st.columns(2)
        use.button("Use these names", on_click=guarded(_use), args=(rows,), type="primary", key=f"{version}_use")
        back.button("The packaged ones", on_click=guarded(_choose), args=(packaged_names(),), disabled=not own,
                    key=f"{version}_back")  # fmt: skip
        st.file_uploader("gender,name", type=["csv", "tsv", "txt"], key=FILE, on_change=guarded(_take))
        html.problem(problem)


def _use(rows: Sequence[tuple[object, object]]) -> None:
    try:
        _choose(names_of(rows))
    except FairvizError as error:
        st.session_state[PROBLEM] = error


def _take() -> None:
    upload = st.session_state[FILE]
    if upload is None:
        return
    try:
        _choose(names_in(upload.name, upload.getvalue()))
    except FairvizError as error:
        st.session_state[PROBLEM] = error


def names_in(name: str, content: bytes) -> AuthorNames:
    """Return the names of a file. Raises DataError that names every bad line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        return read_names(path, folder)


def _choose(names: AuthorNames) -> None:
    st.session_state[KEY] = "" if names == packaged_names() else format_names(names)
