"""A click on a document of the lists opens it on Inspect, one on a query of a sum opens that query, and the pointer
outlines a document in every list."""

from functools import cache, partial

import streamlit as st

from fairviz.ui.kit.boundary import guarded
from fairviz.ui.query import state
from fairviz.ui.query.state import OVER, OVERS, Desk
from fairviz.ui.state import going

KEY, BODY = "query_picking", "query_body"
# Lists and sums are HTML of the page, in one container: the script listens there, and reads nothing but places from it.
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


@cache
def _component():
    """Registered once in a server's life."""
    return st.components.v2.component("fairviz_lists", html="<span></span>", js=JAVASCRIPT)


def listen(desk: Desk, documents: tuple[str, ...]) -> None:
    """Hears of clicks on documents and queries; drawn within the container of lists and sums.

    documents: as `lists_card` gives them.
    """
    _component()(
        key=KEY,
        on_document_change=guarded(partial(_open, documents)),
        on_query_change=guarded(partial(_go, tuple(desk.order["query_id"]))),
        width="content",
    )


def _open(documents: tuple[str, ...]) -> None:
    if name := _named(st.session_state[KEY].document, documents):
        going.to_document(name)


def _go(queries: tuple[str, ...]) -> None:
    if name := _named(st.session_state[KEY].query, queries):
        st.session_state[OVER] = OVERS[0]
        state.go(name)


def _named(asked: object, names: tuple[str, ...]) -> str:
    """The name at the place that was clicked; empty for none."""
    return names[int(asked)] if isinstance(asked, str) and asked.isdecimal() and int(asked) < len(names) else ""
