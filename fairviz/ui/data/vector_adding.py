"""Adding word vectors from a local file under a name for pages and links."""

from functools import partial
from pathlib import Path

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.home import is_shared, refuse_path
from fairviz.home.access import is_server_owner
from fairviz.ui.data.uploads import OUTCOME
from fairviz.ui.kit import html, jobs
from fairviz.ui.kit.boundary import guarded
from fairviz.words.vectors import (
    NAMES,
    add_vectors,
    added_names,
    added_path,
    check_name,
    load_embedding,
    regular_file,
    remove_vectors,
)

PATH, NAME = "vectors_path", "vectors_name"
KEY = ("word vectors",)
STOPPED = ("Reading the vectors was stopped; they were not added.",)


def panel() -> None:
    """Draw fields for path and name, and the added vectors with buttons that remove them: for an owner of the
    server."""
    if not is_server_owner():
        return
    html.strong("Word vectors from a file of this machine")
    html.quiet(
        "A word2vec, fastText or GloVe file: .bin, .vec or .txt, also as .gz. It stays where it is and is offered by "
        "name wherever word vectors are chosen. A link holds the name alone, never a path."
    )
    if is_shared():
        html.quiet("Others can open this page, so it takes no path: fairviz app without --address does.")
    else:
        _fields()
    for name in added_names():
        words, button = st.columns([8, 1], vertical_alignment="center")
        with words:
            try:
                file = added_path(name)
                html.definitions([(name, file.name if file and is_shared() else str(file))])
            except FairvizError as error:
                html.message("warning", error.message, error.remedy)
        button.button("Forget", key=f"vectors_forget_{name}", on_click=guarded(_forget), args=(name,), width="stretch")


def _fields() -> None:
    path, name, button = st.columns([5, 3, 1], vertical_alignment="bottom")
    path.text_input("Path of the file", key=PATH, placeholder="/home/me/wiki-news-300d.vec")
    name.text_input("Name of the vectors", key=NAME, placeholder="as the file", max_chars=60)
    button.button("Add", key="vectors_add", width="stretch", disabled=jobs.is_running(KEY), on_click=guarded(_begin))
    jobs.follow(KEY, "vectors", STOPPED)
    if job := jobs.completed(KEY):
        jobs.forget(KEY)
        st.session_state[OUTCOME] = ("good", job.outcome, "")
        st.rerun()


def _begin() -> None:
    """Start a job that adds the vectors. Raises FairvizError for a path or a name that cannot be used."""
    path, name = st.session_state[PATH].strip(), st.session_state[NAME].strip()
    if not path:
        raise FairvizError("There is no path to add.", "Give the path of a word2vec or fastText file.")
    name = name or Path(path).name.partition(".")[0]
    refuse_path(path, "word vectors")
    check_name(name, NAMES)
    jobs.start(KEY, partial(_add, path, name))


def _add(path: str, name: str, progress: jobs.Progress) -> str:
    """Load the vectors once, in a thread, which reports a bad file, and store their name; return a message."""
    progress("Reading the vectors", 0, 0)
    words, numbers = load_embedding(str(regular_file(path))).vectors.shape
    progress("Reading the vectors", 1, 1)  # the last place to stop at
    file = add_vectors(name, path, NAMES)
    return f"{name}: {words:,} words of {numbers:,} numbers, from {file}."


def _forget(name: str) -> None:
    remove_vectors(name)
    st.session_state[OUTCOME] = ("good", f"The word vectors {name!r} are no longer offered; the file stays.", "")
