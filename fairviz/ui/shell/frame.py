"""What surrounds a page: settings from the address, the sidebar, the study's notices; and the page's way to them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.evaluation.settings import Settings
from fairviz.home import application_folder
from fairviz.study.study import Study
from fairviz.ui.kept import tables as cache
from fairviz.ui.kit import boundary, html
from fairviz.ui.shell import chips, controls
from fairviz.ui.shell.copy_link import copy_link
from fairviz.ui.shell.unknown_page import unknown_page
from fairviz.ui.state import address, going, library, session

STYLE = Path(__file__).with_name("style.css")
PAGES = application_folder() / "pages"
CURRENT = "current"
PLACES = "frame_places"


class Current(NamedTuple):
    """The study on screen and the settings of this run."""

    study: Study
    settings: Settings


class Places(NamedTuple):
    """Where the end of a run still writes: messages, of which `told` lines stand there, and the row of chips."""

    messages: DeltaGenerator
    chips: DeltaGenerator
    told: int


def begin() -> None:
    """Draws the sidebar, and settles this run's study and settings."""
    boundary.tell()
    address.follow()
    session.start()
    going.depart()
    with st.sidebar:
        study = cache.study_named(controls.study_picker())
        dropped = session.fit(study)
        if address.fresh():
            st.session_state["ignored"] = [*st.session_state["ignored"], *dropped]
        settings = controls.controls(study)
    st.session_state[CURRENT] = Current(study, settings)
    if trouble := library.trouble():
        html.message("error", trouble.message, trouble.remedy)
    messages = st.container()
    if line := unknown_page():
        with messages:
            html.message("warning", line)
    with st.container(key="choices", horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        row = st.container(key="chips", horizontal=True, vertical_alignment="center", gap="xsmall", wrap=False)
        copy_link(study)
    st.session_state[PLACES] = Places(messages, row, _ignored(messages, 0))


def end() -> None:
    """What is known once the page has looked at its choices: what the address asked in vain, the chips, the address.

    Called where the page stopped early too; not where it never began.
    """
    places: Places | None = st.session_state.pop(PLACES, None)
    if places is None:
        return
    _ignored(places.messages, places.told)
    study, settings = st.session_state[CURRENT]
    with places.chips:
        chips.chips(study, settings)
    address.publish()


class Stopped(Exception):  # noqa: N818 (no error)
    """A page has nothing more to show."""


def stop() -> NoReturn:
    """Ends the page here. `st.stop` would end its frame too: after it, Streamlit takes nothing more in this run."""
    raise Stopped


@contextmanager
def around() -> Iterator[None]:
    """The frame around a page."""
    begin()
    try:
        yield
    except Stopped:
        pass
    finally:
        end()


def _ignored(place: DeltaGenerator, told: int) -> int:
    """Says what of the address was ignored beyond the first lines, which were told; gives how many are told now."""
    lines = st.session_state["ignored"]
    if lines[told:]:
        with place:
            html.message("warning", "\n".join(lines[told:]), "Reset, in the sidebar, clears this.")
    return len(lines)


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
