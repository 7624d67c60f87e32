"""The choices of GSR on which the paper's text and its authors' code differ: query words, stop words, list weights."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.study.loaders.word_files import read_stop_words
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.words.gsr_words import format_stop_words, parse_stop_words
from fairviz.words.sentences import counted

FILE, PROBLEM = "stop_words_file", "stop_words_problem"
CONTROLS = {"query_terms": "Dropped from documents", "list_weights": "Weights of the list"}
HELP = (
    "The paper's text drops from a document the query's words that “explicitly appear” in it, and weighs ranks by "
    "equation 2. Its authors' code drops all forms of one noun, takes Indri's stop words, and has other weights."
)


def counting_control() -> None:
    """Draw a popover with the three choices; its label and first line report differences from the paper."""
    state = st.session_state
    changes = differences(state)
    with st.popover(f"Counting: {'other' if changes else 'paper'}", width="stretch", help=HELP):
        html.quiet(f"In force: {', '.join(changes)}." if changes else "In force: the paper’s text.")
        for name, label in CONTROLS.items():
            texts = CHOICES[name].texts
            st.selectbox(label, tuple(texts), key=name, format_func=texts.__getitem__)
        st.file_uploader("Stop words from a file", type=["txt", "csv"], key=FILE, on_change=guarded(_take))
        html.quiet("A word a line. Words that mark a gender, such as she and mr, count with any list.")
        st.button("The built-in stop words", on_click=guarded(_built_in), disabled=not state["stop_words"])
        if problem := state.get(PROBLEM):
            html.message("error", problem.message, problem.remedy)


def differences(state: Mapping) -> list[str]:
    """Return the differences from the paper's text: `lemmas`, `the code's weights`, `418 stop words from a file`."""
    parts = ["lemmas"] if state["query_terms"] != Settings.query_terms else []
    parts += ["the code's weights"] if state["list_weights"] != Settings.list_weights else []
    if state["stop_words"]:
        count = len(parse_stop_words(state["stop_words"]))
        parts.append(f"{counted(count, 'stop word')} from a file")
    return parts


def stop_words_text(name: str, content: bytes) -> str:
    """Return the words of a file as the text of `Settings.stop_words`. Raises: DataError that names every invalid
    line."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(content)
        return format_stop_words(read_stop_words(path, folder))


def _take() -> None:
    upload = st.session_state[FILE]
    st.session_state[PROBLEM] = None
    if upload is None:
        return
    try:
        st.session_state["stop_words"] = stop_words_text(upload.name, upload.getvalue())
    except FairvizError as error:
        st.session_state[PROBLEM] = error


def _built_in() -> None:
    st.session_state["stop_words"] = ""
    st.session_state[PROBLEM] = None
