"""The tour of the Overview: offered there until it is taken or declined, and always under Help."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from fairviz.errors import FairvizError
from fairviz.home import data_home, write_whole
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import fragment, guarded
from fairviz.ui.shell.public_access import is_owners_own
from fairviz.ui.state import going
from fairviz.ui.state.streamlit_internals import page_name

STEP, ANSWERED = "tour_step", "tour_answered"
FILE = "tour-answered"  # in the data folder, once the offer is answered
OVERVIEW, METHODS = "pages/overview.py", "pages/methods.py"


class Step(NamedTuple):
    """One step of the tour: its title and text, and the selector of what it outlines."""

    title: str
    text: str
    selector: str


STEPS = (
    Step(
        "Which system is fairest?",
        "Each line is a measure. Ringed systems are not significantly different from the best.",
        ".st-key-overview_answer",
    ),
    Step("Four next questions", "Each door opens a page that answers one of them.", ".st-key-doors"),
    Step(
        "Controls",
        "Drag a slider, and the figures follow; ▶ plays it. The groups below show their present value.",
        ".st-key-slider_cutoff, .st-key-slider_alpha, [data-testid='stSidebar'] [data-testid='stExpander']",
    ),
    Step("Changed choices", "Every changed choice is shown in this row. A click resets it.", ".st-key-choices"),
    Step("All pages", "The menus open comparisons, sensitivity, labels, stereotypes and rankers.", ".stAppHeader"),
    Step(
        "Your own data, and sharing",
        "Data takes your runs. Share has the link, a report and the Python.",
        ".st-key-menus, [data-testid='stTopNav'] > div:has([href$='/data'])",
    ),
)


def menu() -> None:
    """Draw the menu Help."""
    with st.popover("Help", key=f"help_{st.session_state.get(STEP) is None}"):  # a new key closes it
        st.button("Take the tour", key="help_tour", on_click=guarded(start), width="stretch")
        st.button("Definitions and formulas", key="help_methods", on_click=guarded(_open_methods), width="stretch")


def offer() -> None:
    """Draw the offer on Overview, if it is not answered."""
    if not _on_overview() or STEP in st.session_state or is_answered():
        return
    st.button("Take the tour", key="tour_take", on_click=guarded(start))
    st.button("No, thanks", key="tour_decline", on_click=guarded(answer))


def start() -> None:
    """Begin the tour on Overview. For callbacks."""
    answer()
    st.session_state[STEP] = 0
    if not _on_overview():
        going.to_page(OVERVIEW)


def answer() -> None:
    """Record that the offer is answered: for this session, and in the owner's data folder. For callbacks."""
    st.session_state[ANSWERED] = True
    if is_owners_own():
        with suppress(OSError, FairvizError):  # then it is offered again
            data_home().mkdir(parents=True, exist_ok=True)
            write_whole(_file(), "")


def is_answered() -> bool:
    """Return whether the offer was answered in this session, or by the owner of this machine before."""
    if st.session_state.get(ANSWERED):
        return True
    with suppress(OSError, FairvizError):
        return is_owners_own() and _file().exists()
    return False


@fragment
def card() -> None:
    """Draw the present step over the page; nothing outside the tour."""
    number = st.session_state.get(STEP)
    if number is None:
        return
    if not _on_overview():
        del st.session_state[STEP]
        return
    step, last = STEPS[number], len(STEPS) - 1
    with st.container(key="tour", border=True, gap="small"):
        outline = f"<style>:is({step.selector}) {{ outline: 3px solid #1b6ca8; outline-offset: 3px; }}</style>"
        st.html(f'{outline}<b>{html.escape(step.title)}</b><div role="status">{html.escape(step.text)}</div>')
        with st.container(horizontal=True, gap="small", vertical_alignment="center", wrap=False):
            if number < last:
                st.button("Next", key="tour_next", type="primary", on_click=guarded(_move))
            st.button("Done" if number == last else "Skip", key="tour_end", on_click=guarded(_end))
            html.quiet(f"{number + 1} of {len(STEPS)}")


def _move() -> None:
    st.session_state[STEP] += 1


def _end() -> None:
    del st.session_state[STEP]


def _open_methods() -> None:
    going.to_page(METHODS)


def _on_overview() -> bool:
    return page_name() in ("", "overview")


def _file() -> Path:
    return data_home() / FILE
