"""A guideline for labels as escaped HTML."""

import re

from fairviz.ui.kit.html import escape

_STRONG = re.compile(r"\*\*(.+?)\*\*|`(.+?)`")


def guideline_html(text: str) -> str:
    """Return a guideline as escaped HTML: lines that begin with `# ` or more of these signs as headings, with `- ` as
    items of a list, others as paragraphs; words between two asterisks or backticks in bold."""
    parts: list[str] = []
    listed = False
    for line in (line.strip() for line in text.splitlines()):
        item, heading = line.startswith("- "), re.match("#+ ", line)
        if item != listed:
            parts.append("<ul>" if item else "</ul>")
            listed = item
        if item:
            parts.append(f"<li>{_inline(line[2:])}</li>")
        elif heading:
            parts.append(f"<h4>{_inline(line[heading.end() :])}</h4>")
        elif line:
            parts.append(f"<p>{_inline(line)}</p>")
    return f'<div class="fv-guideline" dir="auto">{"".join(parts)}{"</ul>" if listed else ""}</div>'


def _inline(text: str) -> str:
    return _STRONG.sub(r"<b>\1\2</b>", escape(text))
