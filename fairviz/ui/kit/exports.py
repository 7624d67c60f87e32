"""Exports of a page: the files of a panel, its Python and its command, and a finding as a sentence.

SVG and PNG are of the figure in the same card as the button, and are made in the browser. Plotly writes both through
the button of its own bar; the page's colour is set as their background, as figures have none.
"""

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from fairviz.evaluation.formats import FORMATS
from fairviz.output.commands import place_of
from fairviz.output.recipes import Recipe, joined
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.components import component
from fairviz.ui.state import going, library

PROGRAMS = "panel_programs"  # the Python of each panel of this run, by its key
FILES = {
    "csv": ("CSV", "csv", "text/csv"), "excel": ("CSV for spreadsheets", "csv", "text/csv"),
    "latex": ("LaTeX", "tex", "application/x-tex"), "markdown": ("Markdown", "md", "text/markdown"),
}  # fmt: skip
HTML = '<button type="button" data-format="svg">SVG</button><button type="button" data-format="png">PNG</button>'
UNSAVED = "These numbers need what was uploaded in this session."
SAVE_FIRST = "Save the study: a command opens the saved one."
ABOUT = "Gives these numbers in a shell; with --format csv every digit."
ABOUT_FILE = "Writes these numbers to combinations.csv."
JAVASCRIPT = """
const [LEAST, SHEET, HEAD] = [120, .54, 60]  // pixels of a card, the sheet's top as a share, pixels of the page's head
export default function ({ data, parentElement }) {
  const button = document.querySelector(`.st-key-${CSS.escape(data.panel)}_export`)
  const find = () => {
    if (!data.figure) return null
    let place = button
    while (place && place.dataset.testid !== "stMain" && !place.querySelector(".js-plotly-plot")) {
      place = place.parentElement
    }
    return place && place.dataset.testid !== "stMain" ? place.querySelector(".js-plotly-plot") : null
  }
  // Plotly clicks a link of its own to save the file, and a click outside the drawer would close it.
  const unheard = (event) => {
    if (!event.target.matches("a[download]")) return
    event.stopImmediatePropagation()
    window.removeEventListener("click", unheard, true)
  }
  const take = (format) => {
    const figure = find()
    const saving = figure && figure.querySelector(".modebar-btn")
    if (!saving) return
    const before = [figure._context.toImageButtonOptions, figure.layout.paper_bgcolor, figure.layout.showlegend]
    const legend = document.querySelector(".st-key-legend") && before[2] === false
    const [width, height] = [figure.clientWidth + (legend ? 140 : 0), figure.clientHeight]
    figure._context.toImageButtonOptions = { format, filename: data.panel, width, height,
      scale: format === "png" ? 2 : 1 }
    figure.layout.paper_bgcolor = getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor
    if (legend) figure.layout.showlegend = true  // the page has one legend for all figures, a file needs its own
    window.addEventListener("click", unheard, true)
    saving.dispatchEvent(new MouseEvent("click"))
    figure._context.toImageButtonOptions = before[0]
    figure.layout.paper_bgcolor = before[1]
    if (legend) figure.layout.showlegend = before[2]
  }
  const buttons = [...parentElement.querySelectorAll("button")]
  let frames = 300  // a figure that is drawn after its buttons
  const look = () => {
    const found = find()
    for (const one of buttons) one.hidden = !found
    if (!found && frames-- > 0 && buttons[0].isConnected) requestAnimationFrame(look)
  }
  for (const one of buttons) one.onclick = () => take(one.dataset.format)
  look()
  // The sheet is at the foot of the window: the page moves up until the figure or table is above it.
  let card = button
  while (card && card.clientHeight < LEAST && card.parentElement) card = card.parentElement
  const shown = (find() || card).getBoundingClientRect()
  const covered = shown.bottom - SHEET * window.innerHeight
  const most = shown.top - HEAD
  if (covered > 0) document.querySelector("[data-testid=stMain]").scrollBy(0, Math.min(covered, Math.max(most, 0)))
}
"""
CSS = """
:host { display: block; }
button { font: inherit; font-size: .86rem; white-space: nowrap; padding: .1rem .6rem; min-height: 2rem;
  margin: 0 .4rem 0 0; cursor: pointer; color: var(--st-text-color); background: var(--st-background-color);
  border: 1px solid var(--st-border-color); border-radius: .5rem; }
button:hover, button:focus-visible { border-color: var(--st-primary-color); color: var(--st-primary-color); }
button[hidden] { display: none; }
"""


COPY_SENTENCE = """
export default function () {
  const copy = async (event) => {
    const button = event.target.closest?.(".fv-copy")
    if (!button) return
    const sentence = button.parentElement
    try {
      await navigator.clipboard.writeText(sentence.textContent.trim())
    } catch (refused) {  // outside this machine and https a browser copies only what is selected
      window.getSelection().selectAllChildren(sentence)
      document.execCommand("copy")
    }
    button.dataset.copied = ""
    button.setAttribute("aria-label", "Copied")
    window.setTimeout(() => {
      delete button.dataset.copied
      button.setAttribute("aria-label", "Copy sentence")
    }, 2000)
  }
  document.addEventListener("click", copy)
  return () => document.removeEventListener("click", copy)
}
"""


def sheet(
    frame: pd.DataFrame, key: str, recipe: Recipe, *, figure: bool, printed: Callable[[str], str] | None
) -> DeltaGenerator:
    """Draw the files of a panel, and return a place for its numbers, with its command and its Python beside them.

    figure: whether the panel has one. printed: the table in a form of FILES that is no CSV, where it is not the frame.
    """
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        for form, (label, suffix, kind) in FILES.items():
            text = partial(FORMATS[form], frame)
            if printed is not None and suffix != "csv":
                text = partial(printed, form)
            st.download_button(label, text, f"{key}.{suffix}", kind, key=f"{key}_{form}", on_click="ignore")
        component("take", JAVASCRIPT, HTML, CSS)(
            key=f"{key}_figure", data={"panel": key, "figure": figure}, width="content"
        )
    needs_saving = recipe.study is not None and (library.is_own(recipe.study) or place_of(recipe.study) is None)
    names = ["Numbers", *(["Command"] if recipe.command else []), *(["Python"] if recipe.python else [])]
    numbers, *others = st.tabs(names)
    places = dict(zip(names[1:], others, strict=True))
    if recipe.command:
        with places["Command"]:
            if needs_saving:
                html.message("info", UNSAVED, SAVE_FIRST)
                st.button("Save it", key=f"{key}_save", on_click=guarded(going.to_saving))
            else:
                st.code(recipe.command, language="bash", wrap_lines=True)
                html.quiet(ABOUT_FILE if " --output " in recipe.command else ABOUT)
    if recipe.python:
        st.session_state.setdefault(PROGRAMS, {})[key] = recipe.python
        with places["Python"]:
            st.code(recipe.python, language="python", height=190)
    return numbers


def copy_sentences() -> None:
    """Draw the script behind *Copy sentence*. Once a page."""
    component("copy_sentences", COPY_SENTENCE)(key="copy_sentences", width="content")


def forget_programs() -> None:
    """Forget the programs of the last run. Once at the start of a run of the whole page."""
    st.session_state[PROGRAMS] = {}


def programs() -> str:
    """Return one program for all panels that this run has drawn so far; empty without any."""
    return joined(st.session_state.get(PROGRAMS, {}))
