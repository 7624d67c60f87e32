"""The page of a report: one file for offline reading, print, and dark mode."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from fairviz.evaluation.formats import one_line
from fairviz.words.rich_text import Sentence

_STYLE = """
:root { color-scheme: light dark; --text: #1f2733; --quiet: #5d6673; --line: #d7dce3; --ground: #ffffff;
  --soft: #f4f6f9; --strong: #0067a5; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ee; --quiet: #a4adba; --line: #38414e; --ground: #12161d;
  --soft: #1b212b; --strong: #5aa9e6; } }
body { margin: 2rem auto; max-width: 76rem; padding: 0 1.2rem; background: var(--ground); color: var(--text);
  font: 15px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; padding-top: .5rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.2rem 0 .2rem; }
p { margin: .4rem 0; overflow-wrap: anywhere; } .quiet { color: var(--quiet); font-size: .88rem; }
.finding { background: var(--soft); border-left: 4px solid var(--strong); padding: .7rem 1rem; border-radius: .3rem; }
nav a { color: var(--strong); margin-right: 1rem; white-space: nowrap; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
  overflow-wrap: break-word; max-width: 32rem; }
th { color: var(--quiet); font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.changed td { font-weight: 600; }
td small { display: block; color: var(--quiet); font-weight: 400; white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .3rem 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 1rem 0; break-inside: avoid; } figcaption { color: var(--quiet); font-size: .88rem; }
.drawn { height: 420px; width: 100%; }
@media print { body { margin: 0; max-width: none; font-size: 11px; } nav { display: none; } .wide { overflow: visible; }
  h2, h3 { break-after: avoid; } tr { break-inside: avoid; }
  table { font-size: 8px; } th, td { padding-right: .4rem; }
  :root { --text: #1f2733; --quiet: #5d6673; --line: #d7dce3; --ground: #ffffff; --soft: #f4f6f9; } }
"""
_SCRIPT = """
const dark = window.matchMedia("(prefers-color-scheme: dark)")
const draw = (paper) => {
  for (const held of document.querySelectorAll("script[data-figure]")) {
    const figure = JSON.parse(held.textContent)[dark.matches && !paper ? "dark" : "light"]
    Plotly.react(held.dataset.figure, figure.data, figure.layout, { displaylogo: false, responsive: true })
  }
}
draw(false)
dark.addEventListener("change", () => draw(false))
window.addEventListener("beforeprint", () => draw(true))
window.addEventListener("afterprint", () => draw(false))
"""
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; font-src data:"
)


@dataclass(frozen=True)
class Section:
    """A section of a report. body: HTML with escaped texts, as returned by `paragraph`, `table` and `drawn`."""

    title: str
    body: str


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """Return the whole page; its policy forbids the browser to load anything. The script is included if there are
    figures.

    title: escaped here. lead: HTML below it.
    """
    body = "".join(
        f'<section>\n<h2 id="part-{place}">{text(section.title)}</h2>\n{section.body}</section>\n'
        for place, section in enumerate(sections)
    )
    links = "".join(f'<a href="#part-{place}">{text(each.title)}</a>' for place, each in enumerate(sections))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<title>{text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{text(title)}</h1>\n{lead}"
        f"<nav>{links}</nav>\n{body}{_scripts(body)}</body>\n</html>\n"
    )


def _scripts(body: str) -> str:
    if "data-figure=" not in body:
        return ""
    return f"<script>{get_plotlyjs()}</script>\n<script>{_SCRIPT}</script>\n"


def text(value: object) -> str:
    """Return text escaped as HTML."""
    return escape(one_line(str(value)), quote=True)


def paragraph(value: object, kind: str = "") -> str:
    """Return a paragraph of plain text; "" for an empty value. kind: its CSS class."""
    tag = f'<p class="{kind}">' if kind else "<p>"
    return f"{tag}{text(value)}</p>\n" if value else ""


def sentence(spans: Sentence) -> str:
    """Return a finding with strong spans in bold."""
    content = "".join(f"<b>{text(span.text)}</b>" if span.strong else text(span.text) for span in spans)
    return f'<p class="finding">{content}</p>\n' if content else ""


def definitions(pairs: Iterable[tuple[str, object]]) -> str:
    """Return a list of names and their values, without empty values."""
    items = "".join(f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in pairs if value)
    return f"<dl>{items}</dl>\n"


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], marked: Sequence[int] = ()) -> str:
    """Return a table with columns of numbers aligned right. marked: indices of bold rows."""
    matrix = [list(row) for row in rows]
    numeric = [bool(matrix) and all(isinstance(row[at], float | int) for row in matrix) for at in range(len(headers))]
    kinds = [' class="number"' if number else "" for number in numeric]
    bold_class = ' class="changed"'
    head = "".join(f"<th{kind}>{text(name)}</th>" for kind, name in zip(kinds, headers, strict=True))
    body = "".join(
        f"<tr{bold_class if place in marked else ''}>"
        + "".join(f"<td{kind}>{_cell(cell)}</td>" for kind, cell in zip(kinds, row, strict=True))
        + "</tr>\n"
        for place, row in enumerate(matrix)
    )
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n'


def _cell(value: object) -> str:
    """Return a text or number as HTML; the second part of a pair in small print below the first."""
    if isinstance(value, tuple):
        return f"{text(value[0])}<small>{text(value[1])}</small>"
    return text(number(value))


def number(value: object) -> object:
    """Return a number with three decimals and a minus sign, an en dash for NaN; other values unchanged."""
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else value
    return "–" if value != value else f"{value:.3f}".replace("-", "−")


def drawn(name: str, caption: str, looks: Mapping[str, go.Figure]) -> str:
    """Return a figure drawn by the script, with its caption. name: letters and dashes. looks: by `light` and `dark`."""
    json_parts = ", ".join(f'"{look}": {figure.to_json()}' for look, figure in looks.items())  # to_json escapes < and >
    height = max((figure.layout.height or 0 for figure in looks.values()), default=0)
    tall = f' style="height: {height:.0f}px"' if height else ""
    return (
        f'<figure><div class="drawn"{tall} id="figure-{name}" role="img" aria-label="{text(caption)}"></div>'
        f'<script type="application/json" data-figure="figure-{name}">{{{json_parts}}}</script>'
        f"<figcaption>{text(caption)}</figcaption></figure>\n"
    )
