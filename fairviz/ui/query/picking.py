"""A click on a document of the lists opens it on Inspect, and the pointer outlines it in every list."""

from functools import cache, partial

import streamlit as st

from fairviz.ui.kit.boundary import guarded
from fairviz.ui.state import going

KEY, CARD = "query_picking", "query_card_lists"
# The lists are HTML of the page, in the same card: the script listens there, and reads nothing but names from it.
JAVASCRIPT = """
export default function ({ parentElement, setTriggerValue }) {
  const card = (parentElement.host || parentElement).closest(".st-key-CARD")
  if (!card) return
  const of = (event) => event.target.closest && event.target.closest("[data-document]")
  const outline = (name) => {
    for (const one of card.querySelectorAll("[data-document]")) {
      one.classList.toggle("fv-same", name !== null && one.dataset.document === name)
    }
  }
  card.onclick = (event) => { const one = of(event); if (one) setTriggerValue("document", one.dataset.document) }
  card.onmouseover = card.onfocusin = (event) => { const one = of(event); outline(one ? one.dataset.document : null) }
  card.onmouseleave = () => outline(null)
}
""".replace("CARD", CARD)


@cache
def _component():
    """Registered once in a server's life."""
    return st.components.v2.component("fairviz_lists", html="<span></span>", js=JAVASCRIPT)


def listen(names: tuple[str, ...]) -> None:
    """Hears of clicks on the documents of these names; drawn within the card of the lists."""
    _component()(key=KEY, on_document_change=guarded(partial(_open, names)), width="content")


def _open(names: tuple[str, ...]) -> None:
    asked = st.session_state[KEY].document
    if asked in names:
        going.to_document(asked)
