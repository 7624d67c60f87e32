"""Words coloured by genderedness with their values underneath (figure 7 of the GSR paper), as HTML."""

import re
from collections.abc import Sequence

import numpy as np

from fairviz.figures.gender_colour import background, side
from fairviz.figures.style import Theme
from fairviz.ui.kit.html import escape
from fairviz.words.genderedness import GenderDirection
from fairviz.words.gsr_words import text_words
from fairviz.words.sentences import decimal

_TOKEN = re.compile(r"[^\W_]+")
FAINT = "opacity:.55;padding:.05rem .1rem"
LINES = {"female": "solid", "male": "dotted", "": "none"}


def coloured_words(text: str, direction: GenderDirection, centre: float, theme: Theme, stop_words: str = "") -> str:
    """Return the text's words side by side as escaped HTML, with g below each counted word, or a note if it has no
    vector; stop words are faint. stop_words: the stop list for `text_words`."""
    tokens = _TOKEN.findall(text)
    counted_words = [text_words(token, stop_words) for token in tokens]
    values = direction.of([words[0] if words else "" for words in counted_words])
    cells = (
        _cell(token, float(g), centre, theme) if words else _column(escape(token), "", FAINT)
        for token, words, g in zip(tokens, counted_words, values, strict=True)
    )
    return f'<div style="display:flex;flex-wrap:wrap;gap:.35rem .3rem;font-size:1.05rem">{"".join(cells)}</div>'


def _cell(token: str, g: float, centre: float, theme: Theme) -> str:
    line = LINES[side(g, centre)]
    look = f"background:{background(g, centre, theme)};border-bottom:2px {line} currentColor"
    if np.isnan(g):
        look = "border:1px dashed currentColor"
    return _column(escape(token), signed(g), f"{look};padding:.05rem .35rem;border-radius:4px")


def _column(word: str, value: str, look: str) -> str:
    value_html = f'<span style="font-size:.78rem;opacity:.8">{value}&nbsp;</span>'
    return (
        '<span style="display:inline-flex;flex-direction:column;align-items:center">'
        f'<span style="{look}">{word}</span>{value_html}</span>'
    )


def signed(g: float) -> str:
    """Return `+0.12`, `−0.12` or `0.00`; `no vector` for NaN."""
    if np.isnan(g):
        return "no vector"
    return decimal(g, 2, "+")


def chip(g: float, centre: float, theme: Theme) -> str:
    """Return a value of g on its colour as HTML."""
    look = f"background:{background(g, centre, theme)};padding:0 .35rem;border-radius:4px;white-space:nowrap"
    return f'<span style="{look};font-variant-numeric:tabular-nums">{signed(g)}</span>'


def table_html(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an HTML table from cells that are HTML and heads that are text."""
    head = "".join(f'<th style="text-align:left;padding:.1rem .6rem .1rem 0">{escape(name)}</th>' for name in heads)
    cell = '<td style="padding:.15rem .6rem .15rem 0;vertical-align:top">{}</td>'
    body = "".join(f"<tr>{''.join(cell.format(value) for value in row)}</tr>" for row in rows)
    return f'<table style="border-collapse:collapse;font-size:.9rem"><thead><tr>{head}</tr></thead>{body}</table>'
