"""Clicks on the lists and sums: on a document, which opens it on Read, or on a query, which opens it. The pointer
outlines a document in every list."""

from functools import partial

import streamlit as st

from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.components import component
from fairviz.ui.query import state
from fairviz.ui.query.state import OVER, OVERS, Desk
from fairviz.ui.state import going

KEY, BODY = "query_picking", "query_body"
# Lists and sums are HTML in one container, whose clicks the script handles; it reads only positions from them.
JAVASCRIPT = """
export default function ({ parentElement, setTriggerValue }) {
  const body = (parentElement.host || parentElement).closest(".st-key-BODY")
  if (!body) return
  const of = (event, kind) => event.target.closest?.(`[data-${kind}]`)?.dataset[kind]
  const outline = (name) => {
    for (const one of body.querySelectorAll("[data-document]")) {
      one.classList.toggle("fv-same", name !== undefined && one.dataset.document === name)
    }
  }
  body.onclick = (event) => {
    for (const kind of ["document", "query"]) {
      const name = of(event, kind)
      if (name !== undefined) setTriggerValue(kind, name)
    }
  }
  body.onmouseover = body.onfocusin = (event) => outline(of(event, "document"))
  body.onmouseleave = () => outline(undefined)
  body.dataset.listens = ""
}
""".replace("BODY", BODY)


def handle_clicks(desk: Desk, documents: tuple[str, ...]) -> None:
    """Handle clicks on documents and queries; called within the container of lists and sums.

    documents: from `lists_card`.
    """
    component("lists", JAVASCRIPT)(
        key=KEY,
        on_document_change=guarded(partial(_open_document, documents)),
        on_query_change=guarded(partial(_open_query, tuple(desk.order["query_id"]))),
        width="content",
    )


def _open_document(documents: tuple[str, ...]) -> None:
    if name := _name_at(st.session_state[KEY].document, documents):
        going.to_document(name)


def _open_query(queries: tuple[str, ...]) -> None:
    if name := _name_at(st.session_state[KEY].query, queries):
        st.session_state[OVER] = OVERS[0]
        state.go(name)


def _name_at(place: object, names: tuple[str, ...]) -> str:
    """Return the name at the clicked position; empty for none."""
    return names[int(place)] if isinstance(place, str) and place.isdecimal() and int(place) < len(names) else ""
