"""The menus of every page: Share with the link, the report, the capsule and the Python of the panels on screen, and
Help with the tour of the Overview, which is offered there until it is taken or declined, once a person.

That the offer was answered is a cookie of this app, with a mark of the login on a server: nothing is stored there.
"""

import hashlib
import json
from functools import partial
from typing import NamedTuple

import streamlit as st

from fairviz.datasets import BUILTIN, resolve
from fairviz.evaluation import questions
from fairviz.evaluation.exports import file_name, origin
from fairviz.evaluation.settings import Settings
from fairviz.home.permissions import visitor
from fairviz.output.capsule import capsule
from fairviz.output.report import report
from fairviz.output.sensitivity_report import is_of, section
from fairviz.study.record import Study
from fairviz.ui.kept.runs import LATEST
from fairviz.ui.kept.tables import stored_study
from fairviz.ui.kit import charts, html
from fairviz.ui.kit.boundary import fragment, guarded
from fairviz.ui.kit.components import component
from fairviz.ui.kit.glossary import term
from fairviz.ui.shell import chips
from fairviz.ui.state import going, library, session
from fairviz.ui.state.streamlit_internals import page_name
from fairviz.words.sentences import agreeing

LEFT = "copy_link_left"  # number of clicks on the button to save
CARRIED = "The link has the study's name and every choice of this page."
NEEDED = "Its reader needs the study {} too."
PARTS = ("queries", "documents", "qrels", "labels")
LABEL, COPIED = "Copy link", "Copied"
HTML = (
    f'<button type="button">{LABEL}</button><div role="status"></div>'
    '<input type="text" readonly hidden aria-label="Address of this page">'
)
# Browsers allow the clipboard on this machine's pages and over https only; elsewhere a field shows the address.
JAVASCRIPT = f"""
export default function ({{ data, parentElement }}) {{
  const button = parentElement.querySelector("button")
  const field = parentElement.querySelector("input")
  const show = () => {{
    field.hidden = false
    field.value = window.location.href
    field.focus()
    field.select()
  }}
  field.onblur = () => {{ field.hidden = true }}
  button.onclick = async () => {{
    try {{
      await navigator.clipboard.writeText(window.location.href)
      button.textContent = "{COPIED}"
      parentElement.querySelector("[role=status]").textContent = data.missing
      window.setTimeout(() => {{ button.textContent = "{LABEL}" }}, 2000)
    }} catch (refused) {{
      show()
    }}
  }}
}}
"""
CSS = """
:host { display: block; }
button { font: inherit; font-size: .86rem; white-space: nowrap; padding: .1rem .6rem; min-height: 1.9rem;
  cursor: pointer; color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: .5rem; }
button:hover, button:focus-visible { border-color: var(--st-primary-color); color: var(--st-primary-color); }
input { position: fixed; top: .5rem; right: 1rem; width: min(60rem, 80vw); z-index: 1000000; font: inherit;
  color: var(--st-text-color); background: var(--st-background-color); border: 2px solid var(--st-primary-color);
  padding: .4rem .6rem; border-radius: .5rem; }
input[hidden] { display: none; }
[role=status] { font-size: .86rem; color: var(--st-text-color); }
"""
REPORT_HELP = "One page of HTML: measures, intervals and figures, and Sensitivity if it ran. About 6 MB."
STEP, ANSWERED = "tour_step", "tour_answered"
TO_STORE = "tour_to_store"  # whether the browser is to store that the offer is answered
COOKIE, ANYONE = "fairviz_tour", "answered"  # the cookie: marks of logins, or ANYONE without logins
MOST_LOGINS = 8  # of one browser
_YEAR = 365 * 24 * 3600
OVERVIEW, METHODS = "pages/overview.py", "pages/methods.py"


def share_menu(study: Study, settings: Settings) -> None:
    """Draw the menu Share. Called at the end of a run, when the panels of the page are known."""
    with st.popover("Share", key=f"share_{st.session_state.get(LEFT, 0)}"):  # a new key closes it
        copy_link(study)
        files(study, settings, "share")
        if programs := charts.programs():
            with st.expander("Python of this page", key="share_python"):
                st.code(programs, language="python", height=320)


def copy_link(study: Study) -> None:
    """Draw the button, and the parts of the study that the link lacks; these are repeated once the link is copied.

    If the browser refuses its clipboard, a field shows the address to copy.
    """
    missing = lacking(study) if library.is_own(study) else ""
    if missing:
        html.message("warning", missing, "Save the study, and copy the link of the saved one.")
        st.button("Save it", key="copy_link_save", type="primary", on_click=guarded(_save))
    told = f"Copied. {missing}" if missing else ""
    component("copy_link", JAVASCRIPT, HTML, CSS)(key="copy_link", data={"missing": told})
    if not missing:
        html.quiet(CARRIED if study.name in BUILTIN else f"{CARRIED} {NEEDED.format(study.name)}")


def _save() -> None:
    """Close the menu, and open the form that saves the study."""
    st.session_state[LEFT] = st.session_state.get(LEFT, 0) + 1
    going.to_saving()


def lacking(study: Study) -> str:
    """Return the sentence about the parts of this session's study that a link lacks."""
    if resolve(study.name) is None:
        return f"A link cannot open {study.name}: it was uploaded in this session and is not saved."
    stored = stored_study(study.name)
    runs = [name for name in study.systems if name not in stored.systems]
    parts = [part for part in PARTS if len(getattr(study, part)) != len(getattr(stored, part))]
    run_texts = [f"the {agreeing(len(runs), 'run')} {', '.join(runs)}"] if runs else []
    missing = " and ".join([*run_texts, *(f"uploaded {part}" for part in parts)]) or "what was uploaded"
    return f"A link to {study.name} lacks {missing}: not saved yet."


def files(study: Study, settings: Settings, key: str) -> None:
    """Draw buttons for a report and a capsule under these settings, each computed on request.

    key: the start of their keys.
    """
    if not study.systems or not questions.overview(study, settings).questions:
        return
    about = origin(study, settings)
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Report",
            partial(_report, study, settings),
            file_name(about, "report", "html"),
            "text/html",
            on_click="ignore",
            key=f"{key}_report",
            help=REPORT_HELP,
        )
        st.download_button(
            "Capsule",
            partial(capsule, study, (), settings),
            file_name(about, "capsule", "zip"),
            "application/zip",
            on_click="ignore",
            key=f"{key}_capsule",
            help=term("capsule"),
        )


def _report(study: Study, settings: Settings) -> str:
    """Return the report, with a section on Sensitivity if it ran for this study and these settings."""
    analysis = st.session_state.get(LATEST)
    sections = [section(analysis)] if analysis is not None and is_of(analysis, study, settings) else []
    return report(study, (), settings, sections=sections)


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


def help_menu() -> None:
    """Draw the menu Help."""
    with st.popover("Help", key=f"help_{st.session_state.get(STEP) is None}"):  # a new key closes it
        st.button("Take the tour", key="help_tour", on_click=guarded(start), width="stretch")
        to_methods = guarded(partial(going.to_page, METHODS))
        st.button("Definitions and formulas", key="help_methods", on_click=to_methods, width="stretch")


def offer_tour() -> None:
    """Draw the offer of the tour on Overview, if it is not answered."""
    if not on_overview() or STEP in st.session_state or is_answered():
        return
    st.button("Take the tour", key="tour_take", on_click=guarded(start))
    st.button("No, thanks", key="tour_decline", on_click=guarded(answer))


def on_overview() -> bool:
    """Return whether this run draws the Overview."""
    return page_name() in ("", "overview")


def start() -> None:
    """Begin the tour on Overview. For callbacks."""
    answer()
    st.session_state[STEP] = 0
    if not on_overview():
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
    if person is None or not person.name:
        return ANYONE
    return hashlib.sha256(person.name.encode()).hexdigest()[:16]


@fragment
def tour_card() -> None:
    """Draw the present step of the tour over the page; nothing outside the tour. Set the browser's cookie, once the
    offer is answered."""
    if st.session_state.pop(TO_STORE, False):
        _store_answer()
    number = st.session_state.get(STEP)
    if number is None:
        return
    if not on_overview():
        _end()
        return
    present = _present_steps()
    last = len(present) - 1
    number = min(number, last)
    step = present[number]
    with st.container(key="tour", border=True, gap="small"):
        outline = f"<style>:is({step.selector}) {{ outline: 3px solid #1b6ca8; outline-offset: 3px; }}</style>"
        place, told = f"{number + 1} of {len(present)}", f'<div role="status">{html.escape(step.text)}</div>'
        st.html(f"{outline}<b>{html.escape(step.title)}</b> <span>{place}</span>{told}")
        with st.container(horizontal=True, gap="small", vertical_alignment="center", wrap=False):
            if number < last:
                st.button("Next", key="tour_next", type="primary", on_click=guarded(_move))
            st.button("Done" if number == last else "Skip", key="tour_end", on_click=guarded(_end))


def _store_answer() -> None:
    """Add this person's mark to the browser's cookie."""
    marks = [*(mark for mark in _marks() if mark.isalnum()), _own_mark()][-MOST_LOGINS:]
    cookie = f"{COOKIE}={'.'.join(dict.fromkeys(marks))}; path=/; max-age={_YEAR}; SameSite=Strict"
    st.html(f"<script>document.cookie = {json.dumps(cookie)};</script>", unsafe_allow_javascript=True)


def _present_steps() -> list[Step]:
    """Return the steps whose subject is on the page."""
    changed = (*chips.of_settings(session.read(st.session_state)), *chips.of_page())
    return [step for step in STEPS if step.title != CHANGED or changed]


def _move() -> None:
    st.session_state[STEP] += 1


def _end() -> None:
    del st.session_state[STEP]
