"""The pages that leave the program as one file: for offline reading and print, in light and dark.

Templates escape every text; their policy forbids the browser to load anything.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from fairviz.evaluation.formats import one_line
from fairviz.words.sentences import Sentence, decimal


def number(value: object) -> object:
    """Return a number with three decimals and a minus sign, an en dash for NaN; other values unchanged."""
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else value
    return "–" if value != value else decimal(value)


def decimals(value: float, sign: str = "") -> str:
    """Return the number with four decimals and a minus sign, an en dash for NaN."""
    return "–" if value != value else decimal(value, 4, sign)


_ENVIRONMENT = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, undefined=StrictUndefined,
    finalize=lambda value: one_line(value) if isinstance(value, str) and not isinstance(value, Markup) else value,
    trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
)  # fmt: skip
_ENVIRONMENT.filters |= {
    "number": number,
    "decimals": decimals,
    "rank": lambda value: "–" if pd.isna(value) else f"{value:,}",
}


def rendered(template: str, **values: Any) -> str:
    """Return the page of a template. values: plain texts and numbers; only Markup is HTML."""
    return _ENVIRONMENT.get_template(template).render(**values)


def part(macro: str, *values: Any) -> str:
    """Return the HTML of a macro of `parts.html`. values: plain texts and numbers; only Markup is HTML."""
    return str(getattr(_ENVIRONMENT.get_template("parts.html").module, macro)(*values))


@dataclass(frozen=True)
class Drawing:
    """A figure of a section. name: letters and dashes. draw: from whether the page is dark to the figure."""

    name: str
    caption: str
    draw: Callable[[bool], go.Figure]

    @property
    def html(self) -> str:
        """The figure in light and dark, drawn by the page's script, with its caption."""
        looks = {"light": self.draw(False), "dark": self.draw(True)}
        json_parts = ", ".join(f'"{look}": {figure.to_json()}' for look, figure in looks.items())  # < and > are escaped
        height = max(figure.layout.height or 0 for figure in looks.values())
        return part("drawn", self.name, self.caption, Markup(f"{{{json_parts}}}"), round(height))


@dataclass(frozen=True)
class Section:
    """A section of a report. body: HTML with escaped texts, as returned by `paragraph` and `table`; or a list of such
    texts and of drawings."""

    title: str
    body: str | Sequence[str | Drawing]

    @property
    def parts(self) -> Sequence[str | Drawing]:
        """The texts and the drawings in their order."""
        return [self.body] if isinstance(self.body, str) else self.body

    @property
    def html(self) -> str:
        """The whole body as HTML."""
        return "".join(each.html if isinstance(each, Drawing) else each for each in self.parts)


def page(title: str, lead: str, sections: Sequence[Section]) -> str:
    """Return the whole page. The script is included if there are figures. title: escaped here. lead: HTML below it."""
    bodies = [(section.title, Markup(section.html)) for section in sections]
    plotly = Markup(get_plotlyjs()) if any("data-figure=" in body for _, body in bodies) else ""
    return rendered("report.html", title=title, lead=Markup(lead), sections=bodies, plotly=plotly)


def paragraph(value: object, kind: str = "") -> str:
    """Return a paragraph of plain text; "" for an empty value. kind: its CSS class."""
    return part("paragraph", value, kind)


def sentence(spans: Sentence) -> str:
    """Return a finding with strong spans in bold; "" without spans."""
    return part("sentence", spans)


def definitions(pairs: Iterable[tuple[str, object]], title: str = "") -> str:
    """Return a list of names and their values, without empty values; below a title, if there is one."""
    return part("headed", title, pairs) if title else part("definitions", pairs)


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], marked: Sequence[int] = ()) -> str:
    """Return a table with columns of numbers aligned right. marked: indices of bold rows.

    The second part of a cell that is a pair is in small print below the first.
    """
    matrix = [list(row) for row in rows]
    numeric = [bool(matrix) and all(isinstance(row[at], float | int) for row in matrix) for at in range(len(headers))]
    return part("table", headers, matrix, numeric, marked)
