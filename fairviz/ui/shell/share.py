"""The menu Share of every page: the link, the report, the capsule, and the Python of the panels on screen."""

from functools import partial

import streamlit as st

from fairviz.datasets import BUILTIN, resolve
from fairviz.evaluation import questions
from fairviz.evaluation.exports import file_name, origin
from fairviz.evaluation.settings import Settings
from fairviz.output.capsule import capsule
from fairviz.output.report import report
from fairviz.output.sensitivity_report import is_of, section
from fairviz.study.record import Study
from fairviz.ui.kept.runs import LATEST
from fairviz.ui.kept.tables import stored_study
from fairviz.ui.kit import charts, html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.components import component
from fairviz.ui.kit.glossary import term
from fairviz.ui.state import going, library
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


def copy_link(study: Study) -> None:
    """Draw the button, and the parts of the study that the link lacks; these are repeated once the link is copied.

    If the browser refuses its clipboard, a field shows the address to copy.
    """
    missing = lacking(study) if library.is_own(study) else ""
    if missing:
        html.message("warning", missing, "Save the study, and copy the link of the saved one.")
        st.button("Save it", key="copy_link_save", type="primary", on_click=guarded(_save))
    component("copy_link", JAVASCRIPT, HTML, CSS)(
        key="copy_link", data={"missing": f"Copied. {missing}" if missing else ""}
    )
    if not missing:
        html.quiet(CARRIED if study.name in BUILTIN else f"{CARRIED} {NEEDED.format(study.name)}")


def _save() -> None:
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


def menu(study: Study, settings: Settings) -> None:
    """Draw the menu. Called at the end of a run, when the panels of the page are known."""
    with st.popover("Share", key=f"share_{st.session_state.get(LEFT, 0)}"):  # a new key closes it
        copy_link(study)
        files(study, settings, "share")
        programs = charts.programs()
        if programs:
            with st.expander("Python of this page", key="share_python"):
                st.code(programs, language="python", height=320)


def files(study: Study, settings: Settings, key: str) -> None:
    """Draw buttons for a report and a capsule under these settings, each computed on request.

    key: the start of their keys.
    """
    if not study.systems or not questions.overview(study, settings).questions:
        return
    about = origin(study, settings)
    with st.container(horizontal=True, gap="small"):
        st.download_button(
            "Report", partial(_report, study, settings), file_name(about, "report", "html"), "text/html",
            on_click="ignore", key=f"{key}_report", help=REPORT_HELP,
        )  # fmt: skip
        st.download_button(
            "Capsule", partial(capsule, study, (), settings), file_name(about, "capsule", "zip"), "application/zip",
            on_click="ignore", key=f"{key}_capsule", help=term("capsule"),
        )  # fmt: skip


def _report(study: Study, settings: Settings) -> str:
    analysis = st.session_state.get(LATEST)
    sections = [section(analysis)] if analysis is not None and is_of(analysis, study, settings) else []
    return report(study, (), settings, sections=sections)
