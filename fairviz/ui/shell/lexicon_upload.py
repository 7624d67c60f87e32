"""The upload of a word list that replaces the study's."""

import tempfile
from pathlib import Path

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.study.loaders import read_lexicon
from fairviz.study.record import Study
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.words.counting import format_lexicon

KEY, PROBLEM = "lexicon_file", "lexicon_file_problem"


def lexicon_upload(study: Study) -> None:
    """Draw a popover with the uploader. It shows the errors of a file; the current words then stay."""
    with st.popover("List from a file"):
        st.file_uploader("word,group", type=["csv", "tsv", "txt"], key=KEY, on_change=guarded(_take), args=(study,))
        html.quiet("The group in full or as its first letter, such as: she,f. It counts on every page until Reset.")
        if problem := st.session_state.get(PROBLEM):
            html.message("error", problem.message, problem.remedy)


def lexicon_text(name: str, content: bytes, groups: tuple[str, ...]) -> str:
    """Return the words of a file as the text of `Settings.lexicon`. Raises: DataError that names every invalid line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        return format_lexicon(read_lexicon(path, folder, groups))


def _take(study: Study) -> None:
    upload = st.session_state[KEY]
    st.session_state[PROBLEM] = None
    if upload is None:
        return
    try:
        text = lexicon_text(upload.name, upload.getvalue(), (study.neutral, *study.groups))
    except FairvizError as error:
        st.session_state[PROBLEM] = error
        return
    st.session_state["lexicon"] = text
