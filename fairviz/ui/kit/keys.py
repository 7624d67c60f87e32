"""Shortcuts of one key: they work wherever no text is typed, and a hint shows that they do not while text is."""

from pathlib import Path

import streamlit as st

from fairviz.ui.kit.html import escape

SCRIPT = Path(__file__).with_suffix(".js")
HINT = "Keys are text in this field. Enter or Esc leaves it."


def hand_over(keys: str) -> None:
    """Draw the script and its hint, which the style sheet shows while a text field has the focus.

    keys: the letters and digits of the page's shortcuts, in lower case.
    """
    hint = f'<div class="fv-keyhint" data-keys="{escape(keys)}" role="status">{HINT}</div>'
    st.html(f"{hint}<script>{SCRIPT.read_text(encoding='utf-8')}</script>", unsafe_allow_javascript=True)
