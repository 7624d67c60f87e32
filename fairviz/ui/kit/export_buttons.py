"""Downloads of a panel: its figure as SVG and PNG, made in the browser, and the Python that computes its numbers.

The figure is the one in the same card as the button. Plotly writes both files through the button of its own bar; the
page's colour is set as their background, as figures have none.
"""

import streamlit as st

from fairviz.output.recipes import joined
from fairviz.ui.kit.components import component

PROGRAMS = "panel_programs"  # the Python of each panel of this run, by its key
HTML = (
    '<button type="button" data-format="svg">Download SVG</button>'
    '<button type="button" data-format="png">Download PNG</button>'
)
JAVASCRIPT = """
export default function ({ data, parentElement }) {
  const find = () => {
    let place = document.querySelector(`.st-key-${CSS.escape(data.panel)}_popover`)
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
    const button = figure && figure.querySelector(".modebar-btn")
    if (!button) return
    const before = [figure._context.toImageButtonOptions, figure.layout.paper_bgcolor, figure.layout.showlegend]
    const legend = document.querySelector(".st-key-legend") && before[2] === false
    const [width, height] = [figure.clientWidth + (legend ? 140 : 0), figure.clientHeight]
    figure._context.toImageButtonOptions = { format, filename: data.panel, width, height,
      scale: format === "png" ? 2 : 1 }
    figure.layout.paper_bgcolor = getComputedStyle(document.querySelector("[data-testid=stApp]")).backgroundColor
    if (legend) figure.layout.showlegend = true  // the page has one legend for all figures, a file needs its own
    window.addEventListener("click", unheard, true)
    button.dispatchEvent(new MouseEvent("click"))
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


def figure_files(panel: str) -> None:
    """Draw buttons that download the figure of this panel; they are hidden if there is none."""
    component("take", JAVASCRIPT, HTML, CSS)(key=f"{panel}_figure", data={"panel": panel}, width="content")


def program(code: str, panel: str) -> None:
    """Draw a closed expander with the Python that computes the numbers and a copy button; nothing without code."""
    if code:
        st.session_state.setdefault(PROGRAMS, {})[panel] = code
        with st.expander("The Python that makes these numbers", key=f"{panel}_python"):
            st.code(code, language="python")


def forget_programs() -> None:
    """Forget the programs of the last run. Once at the start of a run of the whole page."""
    st.session_state[PROGRAMS] = {}


def programs() -> str:
    """Return one program for all panels that this run has drawn so far; empty without any."""
    return joined(st.session_state.get(PROGRAMS, {}))
