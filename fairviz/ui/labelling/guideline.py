"""A guideline as HTML: headings, items and paragraphs, every other sign as it is written."""

from fairviz.ui.kit import html


def guideline_html(text: str) -> str:
    """Lines that begin with `# ` are headings, with `- ` items of a list, others paragraphs; all of it escaped."""
    parts: list[str] = []
    listed = False
    for line in (line.strip() for line in text.splitlines()):
        item = line.startswith("- ")
        if item != listed:
            parts.append("<ul>" if item else "</ul>")
            listed = item
        if item:
            parts.append(f"<li>{html.escape(line[2:])}</li>")
        elif line.startswith("# "):
            parts.append(f"<h4>{html.escape(line[2:])}</h4>")
        elif line:
            parts.append(f"<p>{html.escape(line)}</p>")
    return f'<div class="fv-guideline" dir="auto">{"".join(parts)}{"</ul>" if listed else ""}</div>'
