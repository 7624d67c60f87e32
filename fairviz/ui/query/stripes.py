"""One query among all as HTML: a row a measure, with faint marks at all queries' values, and the query's own values.

The faint marks are images, equal for every query, which a browser caches.
"""

import base64
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from fairviz.figures.cutoff_curve import CHANCE
from fairviz.figures.strip import Row, Strip, marks
from fairviz.figures.style import SMALL, SystemStyle, Theme, path_of
from fairviz.ui.kit.html import escape
from fairviz.words.sentences import decimal

NAME_CHARACTERS = 24


def strip_html(strip: Strip, styles: Mapping[str, SystemStyle], theme: Theme) -> str:
    """Return the rows as HTML with escaped data, and a note for a measure that is undefined for the query."""
    if not strip.rows:
        return "<i>No measure has a value for this query.</i>"
    names = list(strip.rows[0].own)
    images = {name: _symbol_image(styles[name], theme) for name in names}
    legend = "".join(f'<span><img alt="" src="{images[name]}">{escape(name)}</span>' for name in names)
    rows = "".join(_row(row, images, theme) for row in strip.rows)
    legend_html = f'<div class="fv-own">{legend}</div>'
    return f'<div style="--muted:{theme.muted}">{legend_html}<div class="fv-strip">{rows}</div></div>'


def _row(row: Row, images: Mapping[str, str], theme: Theme) -> str:
    """Return name and direction, the lower end, the marks, the upper end."""
    own_marks = "".join(
        f'<img alt="{label}" title="{label}" src="{images[name]}" style="left:{100 * row.across(row.own[name]):.2f}%">'
        for name, label in _labels(row).items()
    )
    undefined_systems = [name for name, value in row.own.items() if np.isnan(value)]
    note = f"<small>undefined in {escape(', '.join(undefined_systems))}</small>" if undefined_systems else ""
    short_name = row.measure if len(row.measure) <= NAME_CHARACTERS else row.measure[: NAME_CHARACTERS - 1] + "…"
    heading = f"{escape(short_name)}<small>{row.pointer}</small>{note}"
    name = f'<div class="fv-named" title="{escape(row.measure)}">{heading}</div>'
    all_marks = f'<img alt="" src="{_marks_image(row.others, row.low, row.high, theme.muted)}">'
    low, high = (f"<span>{decimal(end)}</span>" for end in (row.low, row.high))
    return f"{name}{low}<div>{all_marks}{own_marks}{_band(row)}</div>{high}"


def _band(row: Row) -> str:
    """Return the band of random orders, or an empty text."""
    if row.band is None:
        return ""
    low, high = row.band
    title = f"{CHANCE}: {decimal(row.chance[0])} to {decimal(row.chance[1])}"
    return f'<i title="{title}" style="left:{100 * low:.2f}%;width:{max(100 * (high - low), 0.3):.2f}%"></i>'


def _labels(row: Row) -> dict[str, str]:
    """Return the escaped label of each system's mark, without systems whose value is undefined."""
    values = {name: value for name, value in row.own.items() if not np.isnan(value)}
    return {name: escape(f"{name} {decimal(value)}") for name, value in values.items()}


@lru_cache(maxsize=256)
def _marks_image(others: tuple[float, ...], low: float, high: float, colour: str) -> str:
    """Return the image of the faint marks of all queries, stretched over the row."""
    lines = "".join(f"M{1000 * x:.1f} 0V10" for x in marks(others, low, high))
    return _image(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 10" preserveAspectRatio="none" width="1000" '
        f'height="10"><path d="{lines}" stroke="{colour}" stroke-opacity=".5" stroke-width="1.2" '
        'vector-effect="non-scaling-stroke"/>'
        "</svg>"
    )


def _symbol_image(style: SystemStyle, theme: Theme) -> str:
    """Return the image of a system's symbol, ringed."""
    fill = "none" if style.reference else style.colour
    return _image(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="-9 -9 18 18" width="18" height="18">'
        f'<path d="{path_of(style.symbol)}" transform="scale({SMALL})" vector-effect="non-scaling-stroke" '
        f'fill="{fill}" stroke="{theme.text}" stroke-width="1.4"/></svg>'
    )


def _image(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
