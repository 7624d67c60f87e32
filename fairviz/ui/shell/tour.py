"""The tour of the Overview: offered there until it is taken or declined, once a person, and always under Help.

That the offer was answered is a cookie of this app, with a mark of the login on a server: nothing is stored there.
"""

import hashlib
import json
from functools import partial
from typing import NamedTuple

import streamlit as st

from fairviz.home.access import visitor
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import fragment, guarded
from fairviz.ui.shell import chips
from fairviz.ui.state import going, session
from fairviz.ui.state.streamlit_internals import page_name

STEP, ANSWERED = "tour_step", "tour_answered"
TO_STORE = "tour_to_store"  # whether the browser is to store that the offer is answered
COOKIE, ANYONE = "fairviz_tour", "answered"  # the cookie: marks of logins, or ANYONE without logins
MOST_LOGINS = 8  # of one browser
_YEAR = 365 * 24 * 3600
OVERVIEW, METHODS = "pages/overview.py", "pages/methods.py"


class Step(NamedTuple):
    """One step of the tour: its title and text, and the selector of what it outlines."""

    title: str
    text: str
    selector: str


CHANGED = "Changed choices"  # the step that is left out while there is none
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
    Step(CHANGED, "Every changed choice is shown in this row. A click resets it.", ".st-key-chips"),
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
        st.button(
            "Definitions and formulas",
            key="help_methods",
            on_click=guarded(partial(going.to_page, METHODS)),
            width="stretch",
        )


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
    """Record that the offer is answered: for this session, and in this browser. For callbacks."""
    st.session_state[ANSWERED] = st.session_state[TO_STORE] = True


def is_answered() -> bool:
    """Return whether this person has answered the offer, in this session or in this browser before."""
    return bool(st.session_state.get(ANSWERED)) or _own_mark() in _marks()


def _marks() -> list[str]:
    """Return the marks in the cookie, the latest last."""
    return dict(st.context.cookies.items()).get(COOKIE, "").split(".")


def _own_mark() -> str:
    """Return a hash of the visitor's login; ANYONE without logins."""
    person = visitor()
    return hashlib.sha256(person.name.encode()).hexdigest()[:16] if person is not None and person.name else ANYONE


def _store() -> None:
    """Set the browser's cookie, once the offer is answered."""
    if st.session_state.pop(TO_STORE, False):
        marks = [*(mark for mark in _marks() if mark.isalnum()), _own_mark()][-MOST_LOGINS:]
        cookie = f"{COOKIE}={'.'.join(dict.fromkeys(marks))}; path=/; max-age={_YEAR}; SameSite=Strict"
        st.html(f"<script>document.cookie = {json.dumps(cookie)};</script>", unsafe_allow_javascript=True)


def steps() -> list[Step]:
    """Return the steps whose subject is on the page."""
    changed = (*chips.of_settings(session.read(st.session_state)), *chips.of_page())
    return [step for step in STEPS if step.title != CHANGED or changed]


@fragment
def card() -> None:
    """Draw the present step over the page; nothing outside the tour."""
    _store()
    number = st.session_state.get(STEP)
    if number is None:
        return
    if not _on_overview():
        del st.session_state[STEP]
        return
    present = steps()
    last = len(present) - 1
    number = min(number, last)
    step = present[number]
    with st.container(key="tour", border=True, gap="small"):
        outline = f"<style>:is({step.selector}) {{ outline: 3px solid #1b6ca8; outline-offset: 3px; }}</style>"
        st.html(f'{outline}<b>{html.escape(step.title)}</b><div role="status">{html.escape(step.text)}</div>')
        with st.container(horizontal=True, gap="small", vertical_alignment="center", wrap=False):
            if number < last:
                st.button("Next", key="tour_next", type="primary", on_click=guarded(_move))
            st.button("Done" if number == last else "Skip", key="tour_end", on_click=guarded(_end))
            html.quiet(f"{number + 1} of {len(present)}")


def _move() -> None:
    st.session_state[STEP] += 1


def _end() -> None:
    del st.session_state[STEP]


def _on_overview() -> bool:
    return page_name() in ("", "overview")
