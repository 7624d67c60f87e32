"""Scripts of this project in the browser: components, registered once per server, and shortcuts of one key."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from fairviz.ui.kit.html import escape

QUOTED = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|(?<=[(,])/(?:\\.|[^/\\])+/)""")
SPACED = re.compile(r" *([=<>?:,;{}()|&*%]) *")
KEYS_SCRIPT = Path(__file__).with_name("keys.js")
KEYS_HINT = "Keys are text in this field. Enter or Esc leaves it."


@cache
def component(
    name: str, script: str | Path, html: str = "<span></span>", style: str | Path = "", *, isolate_styles: bool = True
) -> Any:
    """Return the function that draws the component. script, style: the text or its file."""
    script, style = (part if isinstance(part, str) else part.read_text(encoding="utf-8") for part in (script, style))
    return st.components.v2.component(
        f"fairviz_{name}", html=html or None, css=style or None, js=compact(script), isolate_styles=isolate_styles
    )


def compact(script: str) -> str:
    """Return a script without comments, indentation and spaces around operators; quoted parts stay unchanged."""
    lines = (line.strip().partition(" // ")[0] for line in script.splitlines())
    code = (line for line in lines if line and not line.startswith(("//", "/**")))
    return "\n".join(
        "".join(part if QUOTED.fullmatch(part) else SPACED.sub(r"\1", part) for part in QUOTED.split(line))
        for line in code
    )


def hand_over_keys(keys: str) -> None:
    """Draw the script by which shortcuts of one key work wherever no text is typed, and its hint, which the style sheet
    shows while a text field has the focus.

    keys: the letters and digits of the page's shortcuts, in lower case.
    """
    hint = f'<div class="fv-keyhint" data-keys="{escape(keys)}" role="status">{KEYS_HINT}</div>'
    st.html(f"{hint}<script>{KEYS_SCRIPT.read_text(encoding='utf-8')}</script>", unsafe_allow_javascript=True)
