"""Buttons for the data sets that can be fetched, with size, licence and citation, and the job that fetches one."""

from functools import partial

import streamlit as st

from fairviz.datasets import DATASETS, Dataset, fetch
from fairviz.home.permissions import permissions
from fairviz.ui.kit import html, jobs
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import library, session

BEGUN = "fetches_begun"  # the jobs that this session has begun, by data set
TYPE_THEM = "They are fetched already: type their name wherever word vectors are chosen."
STOPPED = ("Fetching was stopped.", "Files that are complete are kept and are not fetched again.")


def datasets() -> None:
    """Draw every data set with its state and button; a line for those who may not fetch on a server."""
    if not permissions().is_server_owner():
        html.message("info", "The owner of this server fetches data sets.")
        return
    for dataset in DATASETS.values():
        with st.container(border=True):
            offer(dataset)


def offer(dataset: Dataset) -> None:
    """Draw a data set with its state and button."""
    html.strong(dataset.title)
    facts = {
        "Size": f"{dataset.size / 1e6:.1f} MB{'' if dataset.local else ' to download'}",
        "Licence": dataset.licence,
        "Cite": dataset.citation,
        "Published at": dataset.homepage,
    }
    if dataset.local:
        facts["Fetch"] = f"Download it yourself, then run: fairviz fetch {dataset.name} --from FOLDER"
    html.definitions(facts.items())
    key = ("fetch", dataset.name)
    is_running = jobs.follow(key, f"fetch_{dataset.name}", STOPPED)
    job = jobs.completed(key)
    if job is not None and job is st.session_state.setdefault(BEGUN, {}).get(dataset.name):
        jobs.forget(key)
        _receive(dataset, job.outcome)
    if is_running:
        return
    if dataset.kind == "vectors" and dataset.is_fetched:
        st.button("Fetched", key=f"fetch_{dataset.name}", disabled=True, help=TYPE_THEM)
        return
    if dataset.name in library.stored():
        st.button(
            "Open it", key=f"open_{dataset.name}", on_click=guarded(session.open_named), args=(dataset.name,),
            help="It is fetched already, and in the study picker.",
        )  # fmt: skip
        return
    if dataset.local:
        return
    begin = guarded(partial(_begin, dataset, key))
    st.button(f"Fetch {dataset.name}", key=f"fetch_{dataset.name}", type="primary", on_click=begin)


def _begin(dataset: Dataset, key: tuple[str, str]) -> None:
    st.session_state.setdefault(BEGUN, {})[dataset.name] = jobs.start(key, partial(_fetch, dataset))


def _fetch(dataset: Dataset, progress: jobs.Progress) -> str:
    """Fetch the data set in a thread without widgets; return what was cleaned."""
    notes: list[str] = []
    progress("Connecting", 0, 0)
    fetch(dataset.name, progress=lambda done, total: progress("Kilobytes", done // 1000, total // 1000),
          report=notes.append)  # fmt: skip
    return "\n".join(notes)


def _receive(dataset: Dataset, notes: str) -> None:
    """Open a fetched study in the session that requested it, with a message, and redraw the page."""
    del st.session_state[BEGUN][dataset.name]
    st.session_state["outcome"] = ("good", f"{dataset.name} is fetched.", notes)
    if dataset.kind == "study":
        session.choose(study=dataset.name)
    st.rerun()
