"""One query among all on the page: a row a measure, faint marks where queries stand, and the query's own values.

HTML and inert images, as the faint marks are the same for every query, and a browser keeps them.
"""

import base64
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from fairviz.figures.strip import Row, Strip, marks, number_text
from fairviz.figures.style import SystemStyle, Theme
from fairviz.figures.symbols import path_of
from fairviz.ui.kit.html import escape

NAME_CHARACTERS = 24


def strip_html(strip: Strip, styles: Mapping[str, SystemStyle], theme: Theme) -> str:
    """The rows as HTML, everything from data escaped; a measure that is undefined for the query says so."""
    if not strip.rows:
        return "<i>No measure has a value for this query.</i>"
    names = list(strip.rows[0].own)
    signs = {name: _sign(styles[name], theme) for name in names}
    legend = "".join(f'<span><img alt="" src="{signs[name]}">{escape(name)}</span>' for name in names)
    rows = "".join(_row(row, signs, theme) for row in strip.rows)
    own = f'<div class="fv-own">{legend}</div>'
    return f'<div style="--muted:{theme.muted}">{own}<div class="fv-strip">{rows}</div></div>'


def _row(row: Row, signs: Mapping[str, str], theme: Theme) -> str:
    """Name and pointer, the lower end, the marks, the upper end."""
    own = "".join(
        f'<img alt="{label}" title="{label}" src="{signs[name]}" style="left:{100 * row.across(row.own[name]):.2f}%">'
        for name, label in _labels(row).items()
    )
    lacking = [name for name, value in row.own.items() if np.isnan(value)]
    none = f"<small>undefined in {escape(', '.join(lacking))}</small>" if lacking else ""
    short = row.measure if len(row.measure) <= NAME_CHARACTERS else row.measure[: NAME_CHARACTERS - 1] + "…"
    name = (
        f'<div class="fv-named" title="{escape(row.measure)}">{escape(short)}<small>{row.pointer}</small>{none}</div>'
    )
    everyone = f'<img alt="" src="{_everyone(row.others, row.low, row.high, theme.muted)}">'
    return f"{name}<span>{number_text(row.low)}</span><div>{everyone}{own}</div><span>{number_text(row.high)}</span>"


def _labels(row: Row) -> dict[str, str]:
    """Return the escaped label of each system's mark, without systems whose value is undefined."""
    values = {name: value for name, value in row.own.items() if not np.isnan(value)}
    return {name: escape(f"{name} {number_text(value)}") for name, value in values.items()}


@lru_cache(maxsize=256)
def _everyone(others: tuple[float, ...], low: float, high: float, colour: str) -> str:
    """The faint marks of all queries, stretched over the row."""
    lines = "".join(f"M{1000 * x:.1f} 0V10" for x in marks(others, low, high))
    return _image(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 10" preserveAspectRatio="none" width="1000" '
        f'height="10"><path d="{lines}" stroke="{colour}" stroke-opacity=".5" stroke-width="1.2" '
        'vector-effect="non-scaling-stroke"/>'
        "</svg>"
    )


def _sign(style: SystemStyle, theme: Theme) -> str:
    """A system's symbol, ringed."""
    fill = "none" if style.reference else style.colour
    return _image(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-9 -9 18 18" width="18" height="18">'
        f'<path d="{path_of(style.symbol)}" fill="{fill}" stroke="{theme.text}" stroke-width="1.4"/></svg>'
    )


def _image(drawn: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(drawn.encode()).decode()}"
