"""A button that copies the page's address, which contains the study and every choice, but no upload."""

import streamlit as st

from fairviz.datasets import resolve
from fairviz.study.record import Study
from fairviz.ui.kept.tables import stored_study
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.components import component
from fairviz.ui.state import going, library
from fairviz.words.sentences import agreeing

LEFT = "copy_link_left"  # number of clicks on the button to save
PARTS = ("queries", "documents", "qrels", "labels")
LABEL, COPIED = "Copy link", "Copied"
HTML = f'<button type="button">{LABEL}</button><input type="text" readonly hidden aria-label="Address of this page">'
# Browsers allow the clipboard on this machine's pages and over https only; elsewhere a field shows the address.
JAVASCRIPT = f"""
export default function ({{ parentElement }}) {{
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
"""


def copy_link(study: Study) -> None:
    """Draw the button; if the browser refuses its clipboard, a field with the address to copy.

    If the study has unsaved uploads, a warning names the parts that the link lacks.
    """
    if not library.is_own(study):
        _copy_button()
        return
    with st.popover(LABEL, key=f"copy_link_unsaved_{st.session_state.get(LEFT, 0)}"):  # a new key closes it
        html.message("warning", lacking(study), "Save the study, and copy the link of the saved one.")
        st.button("Save it", key="copy_link_save", type="primary", on_click=guarded(_save))
        _copy_button()


def _copy_button() -> None:
    component("copy_link", JAVASCRIPT, HTML, CSS)(key="copy_link", width="content")


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
