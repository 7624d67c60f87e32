"""The frame of a page: settings from the address, the sidebar, the study's notices; and the page's access to them."""

import ast
import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple, NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.evaluation import study_facts
from fairviz.evaluation.questions import packages_note
from fairviz.evaluation.settings import Settings
from fairviz.home import application_folder
from fairviz.home.permissions import permissions
from fairviz.installed import absent
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kept import checked, tables
from fairviz.ui.kit import boundary, charts, html
from fairviz.ui.shell import chips, controls, declaration, menus
from fairviz.ui.shell.gate import manual_address, paths
from fairviz.ui.state import address, choices, going, library, session, streamlit_internals
from fairviz.ui.state.registry import PAGES
from fairviz.ui.state.streamlit_internals import option, page_name

WARNING = "unknown_page"  # the warning, and the page that shows it
STYLE = Path(__file__).with_name("style.css")
FOLDER = application_folder() / "pages"
CURRENT = "current"
PLACES = "frame_places"
OF_TEXTS = "The text"  # the beginning of a notice on the texts themselves
SKELETON_SEEN = "coming_seen"
SKELETON = (
    '<div class="fv-coming" role="status" aria-label="The page is being made."><i class="fv-bone fv-bone-line"></i>'
    '<i class="fv-bone fv-bone-box"></i><i class="fv-bone fv-bone-card"></i><i class="fv-bone fv-bone-card"></i></div>'
)


class Current(NamedTuple):
    """The study on screen and the settings of this run."""

    study: Study
    settings: Settings


class Places(NamedTuple):
    """Containers that the end of a run fills: messages, with `message_count` lines so far, the chips, and the menus to
    their right."""

    messages: DeltaGenerator
    chips: DeltaGenerator
    menus: DeltaGenerator
    message_count: int


class Stopped(BaseException):  # which passes through the code of others
    """The early end of a page that has nothing more to show."""


def leave(reason: str, remedy: str = "") -> NoReturn:
    """End the page here with the reason why it has nothing to show, and what to do about it."""
    html.message("info", reason, remedy)
    stop()


def stop() -> NoReturn:
    """End the page here. `st.stop` would end its frame too: after it, Streamlit draws nothing more in this run."""
    raise Stopped


@contextmanager
def around(title: str = "", question: str = "") -> Iterator[None]:
    """Draw the frame around a page, with its title, or the study's, and its question."""
    begin(title, question)
    try:
        yield
    except Stopped:
        pass
    finally:
        end()


def begin(title: str = "", question: str = "") -> None:
    """Draw the heading, whose title is the study's without another, with its link to the manual, then the sidebar;
    store this run's study and settings. The heading comes first, as the browser draws elements in the order in which
    they arrive."""
    boundary.show_problem()
    address.follow()
    session.start()
    charts.forget_programs()
    going.depart()
    study = tables.study_named(controls.study_name())
    messages, row, menus_column = _containers()
    manual = manual_address(page_name(), option("server.baseUrlPath") or "")
    html.heading(title or study.title or study.name, question, manual)
    settings = _sidebar(study)
    session.look(settings)
    checked.mark_figures(study, settings)
    st.session_state[CURRENT] = Current(study, settings)
    _messages(messages, study, settings)
    st.session_state[PLACES] = Places(messages, row, menus_column, _ignored(messages, 0))


def _containers() -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Return the empty containers of the messages, the chips and the menus."""
    messages = st.container()
    with st.container(key="choices", horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        row = st.container(key="chips", horizontal=True, vertical_alignment="center", gap="xsmall", wrap=False)
        column = st.container(key="menus", horizontal=True, width="content", gap="xsmall", wrap=False)
    return messages, row, column


def _sidebar(study: Study) -> Settings:
    """Draw the sidebar; return the settings chosen in it."""
    with st.sidebar:
        controls.study_picker()
        warnings = session.fit(study)
        if address.fresh():
            choices.report(*warnings)
        controls.note_joined(study)
        settings = controls.controls(study)
        permissions().signature(study.name)
    return settings


def _messages(container: DeltaGenerator, study: Study, settings: Settings) -> None:
    with container:
        html.problem(library.trouble())
        if line := unknown_page():
            html.message("warning", line)
        controls.joined_notice(study, settings)


def end() -> None:
    """Finish a run, once the page has read its choices: show invalid parts of the address and the chips, and write the
    address. Called also after a page that stopped early; without effect if `begin` failed.
    """
    places: Places | None = st.session_state.pop(PLACES, None)
    if places is None:
        return
    _ignored(places.messages, places.message_count)
    study, settings = st.session_state[CURRENT]
    with places.chips:
        chips.chips(study, settings)
        menus.offer_tour()
    with places.menus:
        menus.help_menu()
        menus.share_menu(study, settings)
        charts.copy_sentences()
    menus.tour_card()
    address.publish()


def _ignored(container: DeltaGenerator, shown_count: int) -> int:
    """Show the ignored parts of the address after the lines already shown; return the new number of lines."""
    lines = st.session_state["ignored"]
    if lines[shown_count:]:
        with container:
            html.message("warning", "\n".join(lines[shown_count:]), "Reset, in the sidebar, clears this.")
    return len(lines)


def current() -> Current:
    """Return the study and the settings of this run.

    Before the first call of `st.navigation` in a server, Streamlit takes a folder named pages for its older layout, and
    runs the page in the first visitor's address without app.py around it: the run is then restarted at app.py.
    """
    if CURRENT not in st.session_state:
        st.navigation([st.Page(path) for path in sorted(FOLDER.glob("*.py"))], position="hidden")
        st.rerun()
    return st.session_state[CURRENT]


@contextmanager
def skeleton(page: str) -> Iterator[None]:
    """Show a skeleton below the finished part of a page until the page is complete.

    Only on a session's first visit to each page: later runs are fast, and update the page. The container is kept either
    way, so that Streamlit does not redraw the elements below it.
    """
    container = st.empty()
    visited_pages = st.session_state.setdefault(SKELETON_SEEN, set())
    if page in visited_pages:
        yield
        return
    container.html(SKELETON)
    try:
        yield
    finally:
        visited_pages.add(page)
        container.empty()


@cache
def question(path: str) -> str:
    """Return the question that the page of this path in the address answers: the docstring of its file, or the question
    of an analysis that has no file; Overview has no path."""
    file = FOLDER / f"{path or 'overview'}.py"
    if file.exists():
        return ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    page = PAGES[path]
    return page.analysis.question if page.analysis else page.question


def unknown_page() -> str:
    """Return the warning about a page in the address that does not exist; empty once another page was opened."""
    pages, state = streamlit_internals.pages(), st.session_state
    if pages is None:
        return ""
    current_page = pages.current_page_script_hash
    if not pages.intended_page_script_hash and pages.intended_page_name not in page_names():
        state[WARNING] = (warning_of(str(pages.intended_page_name)), current_page)
    line, page = state.get(WARNING, ("", ""))
    if page == current_page:
        return line
    state.pop(WARNING, None)
    return ""


def page_names() -> set[str | None]:
    """Return the names of pages that are valid in an address, None included: those of the menus once these are known,
    as some pages are on servers only."""
    manager = streamlit_internals.pages()
    infos = manager.get_pages().values() if manager is not None else ()
    in_menus = {str(info.get("url_pathname") or "") for info in infos}
    names = {path.strip("/") for path in paths()}
    return {None, *(names & {*in_menus, "", "overview"} if len(in_menus) > 1 else names)}


def warning_of(name: str) -> str:
    """Return the warning for this name, with the page of the most similar name as the menus have it.

    >>> warning_of("tradeof")
    "There is no page 'tradeof'; Overview is shown. The nearest name is Trade-off."
    """
    if error := absent("fairviz.pages", name, f"The page {name!r} is"):
        return f"{error.message}; Overview is shown. {error.remedy}"
    titles = {path: PAGES[path].title for path in filter(None, page_names())}
    names = {title.lower(): title for title in titles.values()} | titles
    nearest = difflib.get_close_matches(name.lower(), sorted(names), n=1)
    remedy = f"The nearest name is {names[nearest[0]]}." if nearest else "The menus have every page."
    return f"There is no page {name[:80]!r}; Overview is shown. {remedy}"


def notices(study: Study, *, of_texts: bool = False) -> None:
    """Draw the study's notices. of_texts: only those on its texts, such as offensive ones, where texts are shown."""
    if texts := [text for text in study.notices if text.startswith(OF_TEXTS) or not of_texts]:
        html.message("warning" if of_texts else "info", "\n".join(texts))


def exploratory(study: Study) -> None:
    """Mark the page, among its chips, as exploratory where the study declares a claim."""
    places: Places | None = st.session_state.get(PLACES)
    if places is not None:
        with places.chips:
            declaration.exploratory_chip(study)


def unlabelled(study: Study, settings: Settings, questions: Sequence[Question]) -> None:
    """Show among the page's chips which share of the ranks has a label, where not all have one."""
    of_labels = [question.text for question in questions if question.family == "labels" and question.per_query]
    places: Places | None = st.session_state.get(PLACES)
    if of_labels and places is not None:
        told = study_facts.coverage(tables.scores(study, (of_labels[0],), settings), settings.cutoff)
        if not told.endswith(study_facts.FULLY_LABELLED):
            with places.chips:
                html.badges([(told, "caution")])


def nothing_ranked(study: Study) -> NoReturn:
    """End a page about a study without runs."""
    leave(*study_facts.nothing_ranked(study))


def missing(parts: tuple[tuple[str, str], ...]) -> None:
    """Draw the reason why each of these measures cannot be computed, and its remedy; measures with the same reason
    share a line. Then the packages of measures that are not the program's own."""
    for line in study_facts.missing_lines(parts):
        html.message("info", line)
    html.quiet(packages_note())
