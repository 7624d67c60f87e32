"""What surrounds a page: settings from the address, the sidebar, the study's notices; and the page's way to them."""

from pathlib import Path
from typing import NamedTuple

import streamlit as st

from fairviz.evaluation.settings import Settings
from fairviz.home import application_folder
from fairviz.study.study import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import boundary, html
from fairviz.ui.shell import controls
from fairviz.ui.state import library, session

STYLE = Path(__file__).with_name("style.css")
PAGES = application_folder() / "pages"
CURRENT = "current"


class Current(NamedTuple):
    """The study on screen and the settings of this run."""

    study: Study
    settings: Settings


def begin() -> None:
    """Draws the sidebar, settles this run's study and settings, and writes them to the address."""
    boundary.tell()
    session.start()
    with st.sidebar:
        study = cache.study_named(controls.study_picker())
        dropped = session.fit(study)
        if st.session_state.get("fitted") is None:
            st.session_state["ignored"] = [*st.session_state["ignored"], *dropped]
        st.session_state["fitted"] = study.name
        settings = controls.controls(study)
    session.publish(settings)
    st.session_state[CURRENT] = Current(study, settings)
    if trouble := library.trouble():
        html.message("error", trouble.message, trouble.remedy)
    if st.session_state["ignored"]:
        html.message("warning", "\n".join(st.session_state["ignored"]), "Reset, in the sidebar, clears this.")


def current() -> Current:
    """The study and the settings of this run, for a page."""
    if CURRENT not in st.session_state:
        _hand_over()
    return st.session_state[CURRENT]


def _hand_over() -> None:
    """Starts the run again at app.py.

    Until a server has seen `st.navigation` once, Streamlit takes a folder named pages for its older layout, and runs
    the page that the first visitor's address names without app.py around it.
    """
    st.navigation([st.Page(path) for path in sorted(PAGES.glob("*.py"))], position="hidden")
    st.rerun()


def notices(study: Study) -> None:
    """The sentences that a study always shows."""
    html.note("\n".join(study.notices))


def nothing_ranked(study: Study) -> None:
    """What a page says of a study without runs."""
    html.message(
        "info",
        f"{study.title or study.name} holds no ranked runs, so there is nothing to measure yet.",
        f"Upload a TREC run on the Data page, or rank its documents: fairviz rank {study.name} --with bm25",
    )


def missing(parts: tuple[tuple[str, str], ...]) -> None:
    """For each measure that the study cannot feed, what is missing and how to add it; measures that share a reason
    share a line."""
    reasons: dict[str, list[str]] = {}
    for name, reason in parts:
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        html.message("info", f"{', '.join(names)}: {reason}")
