"""Buttons for the data sets that can be fetched, with size, licence and citation."""

import streamlit as st

from fairviz.datasets import DATASETS, Dataset, fetch
from fairviz.errors import FairvizError
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import library, session


def datasets() -> None:
    """Draw every data set with its state and button."""
    for dataset in DATASETS.values():
        with st.container(border=True):
            offer(dataset)


def offer(dataset: Dataset) -> None:
    """Draw a data set with its state and button."""
    html.strong(dataset.title)
    facts = {
        "Size": f"{dataset.size / 1e6:.1f} MB to download",
        "Licence": dataset.licence,
        "Cite": dataset.citation,
        "Published at": dataset.homepage,
    }
    html.definitions(facts.items())
    if dataset.kind == "vectors" and dataset.is_fetched:
        html.quiet("They are fetched already: name them where word vectors are asked for.")
        return
    if dataset.name in library.stored():
        st.button("Open it", key=f"open_{dataset.name}", on_click=guarded(session.open_named), args=(dataset.name,))
        html.quiet("It is fetched already, and in the study picker.")
        return
    if st.button(f"Fetch {dataset.name}", key=f"fetch_{dataset.name}", type="primary"):
        _fetch(dataset)


def _fetch(dataset: Dataset) -> None:
    bar = st.progress(0.0, "Asking for it …")
    notes: list[str] = []

    def show(bytes_done: int, total: int) -> None:
        share = bytes_done / total if total else 0.0
        bar.progress(min(share, 1.0), f"{bytes_done / 1e6:.1f} of {total / 1e6:.1f} MB")

    try:
        fetch(dataset.name, progress=show, report=notes.append)
    except FairvizError as error:
        bar.empty()
        html.message("error", error.message, error.remedy)
        return
    st.session_state["outcome"] = ("good", f"{dataset.name} is fetched.", "\n".join(notes))
    if dataset.kind == "study":
        session.choose(study=dataset.name)
    st.rerun()
