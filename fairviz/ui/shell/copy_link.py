"""A button that copies the page's address, which holds the study and every choice."""

from functools import cache

import streamlit as st

LABEL, COPIED = "Copy link", "Copied"
HTML = f'<button type="button">{LABEL}</button><input type="text" readonly hidden aria-label="Address of this page">'
# The browser lends its clipboard to pages of this machine and of https only; elsewhere the address is shown to copy.
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


@cache
def _component():
    """Registered once in a server's life."""
    return st.components.v2.component("fairviz_copy_link", html=HTML, css=CSS, js=JAVASCRIPT)


def copy_link() -> None:
    """The button; where the browser refuses its clipboard, a field with the address to copy."""
    _component()(key="copy_link", width="content")
