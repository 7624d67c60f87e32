"""Components of the browser: scripts of this project, registered once per server."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

QUOTED = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|(?<=[(,])/(?:\\.|[^/\\])+/)""")
SPACED = re.compile(r" *([=<>?:,;{}()|&*%]) *")


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
