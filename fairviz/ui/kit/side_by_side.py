"""Lists side by side as HTML, with everything from data escaped: any number of lists with the moves between them drawn
as lines, or two lists as a compact table."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from fairviz.figures.style import SystemStyle, Theme
from fairviz.figures.waterfall import FALLING, RISING
from fairviz.ui.kit import highlight, html

WIDTH = 46  # pixels between two lists
EDGE = 5  # of them before a line begins
NEW_COLOUR = {False: "#1f8a4c", True: "#57c785"}


WIDE, NARROW = 300, 216  # minimum width of a list in pixels
LINE = 30  # height of a document's row without excerpts, in pixels
PAGES = {False: "#ffffff", True: "#12161d"}  # background of the cells that stay in place while scrolling
STYLE = Path(__file__).with_name("side_by_side.css")
NOTHING = '<div class="fv-quiet">Neither list holds a document for this query.</div>'
_TABLE = "width:100%;table-layout:fixed;border-collapse:collapse;font-size:.84rem"
_CELL = "padding:.12rem .35rem;vertical-align:top;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;border:0"


def picture(rows: pd.DataFrame, row_height: int, ranks: int, theme: Theme) -> str:
    """Return the moves into one system's list as an HTML image, `ranks` rows high.

    rows: of this system, from `side_by_side`. Up: thick; down: dashed; unmoved: thin. A document from below the shown
    ranks has an arrow, a new one a plus; a lost one has a cross, one that sank below the shown ranks an arrow.
    """
    height = row_height * ranks
    marks = "".join(
        _mark(row.rank, row.before_rank, row.whole_rank, row_height, ranks, theme) for row in rows.itertuples()
    )
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}">{marks}</svg>'
    svg_base64 = base64.b64encode(svg.encode()).decode()
    return f'<img alt="" width="{WIDTH}" height="{height}" src="data:image/svg+xml;base64,{svg_base64}">'


def _mark(rank, before_rank, whole_rank, row_height: int, ranks: int, theme: Theme) -> str:
    """Return one document's line or symbol."""

    def middle(place) -> float:
        return (int(place) - 0.5) * row_height

    symbol = '<path d="{}" fill="none" stroke="{}" stroke-width="2.2"/>'
    if pd.isna(rank):  # lost, or below the shown ranks
        x, y = EDGE + 6, middle(before_rank)
        cross, down = f"M{x - 4} {y - 4}l8 8m0 -8l-8 8", f"M{x - 5} {y}Q{x + 6} {y} {x + 8} {y + 12}m-5 -4l5 4l3 -6"
        return symbol.format(cross if pd.isna(whole_rank) else down, FALLING[theme.dark])
    end = middle(rank)
    if pd.isna(before_rank) or before_rank > ranks:  # new, or from below the shown ranks
        x = WIDTH - EDGE - 6
        plus = f"M{x - 5} {end}H{x + 5}M{x} {end - 5}V{end + 5}"
        up = f"M{x - 12} {end + 12}Q{x - 8} {end} {x + 5} {end}m-5 -4l5 4l-5 4"
        return symbol.format(plus if pd.isna(before_rank) else up, NEW_COLOUR[theme.dark])
    start = middle(before_rank)
    if rank == before_rank:
        colour, look = theme.muted, 'stroke-width="1.2"'
    elif rank < before_rank:
        colour, look = RISING[theme.dark], 'stroke-width="2.4"'
    else:
        colour, look = FALLING[theme.dark], 'stroke-width="1.6" stroke-dasharray="5 3"'
    bend = WIDTH / 2
    path = f"M{EDGE} {start}C{bend} {start} {bend} {end} {WIDTH - EDGE} {end}"
    dots = f'<circle cx="{EDGE}" cy="{start}" r="2.4"/><circle cx="{WIDTH - EDGE}" cy="{end}" r="2.4"/>'
    return f'<path d="{path}" fill="none" stroke="{colour}" {look}/><g fill="{colour}">{dots}</g>'


@cache
def style_sheet() -> str:
    """Return the style sheet of `lists_html`."""
    return f"<style>{STYLE.read_text(encoding='utf-8')}</style>"


@dataclass(frozen=True)
class Look:
    """The look of the lists: labels in order, styles of the systems, whether there is room for long texts, and whether
    a document has several lines of excerpts or one line.
    """

    labels: Sequence[str]
    styles: Mapping[str, SystemStyle]
    theme: Theme
    roomy: bool
    excerpts: bool = True

    @property
    def row_height(self) -> int:
        """Height of every row in pixels, so that lines meet their documents."""
        return LINE if not self.excerpts else 92 if self.roomy else 76


@dataclass(frozen=True)
class Margin:
    """A column of HTML next to the lists: its head, a cell for each rank from 1, its foot, and the number of lists at
    its left.
    """

    head: str
    cells: Mapping[int, str]
    foot: str
    place: int


def lists_html(
    table: pd.DataFrame,
    systems: Sequence[str],
    texts: Mapping[str, str],
    look: Look,
    notes: Mapping[str, str] = MappingProxyType({}),
    margin: Margin | None = None,
) -> str:
    """Return the lists as one HTML table with escaped data; `texts`, `notes` (next to the systems' names) and the
    margin are HTML already."""
    ranks = int(table["rank"].max()) if table["rank"].notna().any() else 0
    rows_by_system = {str(name): rows for name, rows in table.groupby("system", sort=False)}
    rows_by_system |= {name: table.iloc[:0] for name in systems if name not in rows_by_system}
    ranked_rows = table[table["rank"].notna()]
    keys = zip(ranked_rows["system"].tolist(), ranked_rows["rank"].tolist(), strict=True)
    cells = dict(zip(keys, ranked_rows.itertuples(), strict=True))
    places = {name: place for place, name in enumerate(dict.fromkeys(table["doc_id"]))}
    rows = []
    for rank in range(1, ranks + 1):
        row = [f"<td>{rank}</td>"]
        for place, name in enumerate(systems):
            if place and rank == 1:
                image = picture(rows_by_system[name], look.row_height, ranks, look.theme)
                row.append(f'<td class="fv-gap" rowspan="{ranks}">{image}</td>')
            row.append(_cell(cells.get((name, rank)), places, place > 0, texts, look))
            if margin and margin.place == place + 1:
                row.append(f'<td class="fv-margin">{margin.cells.get(rank, "")}</td>')
        rows.append(f"<tr>{''.join(row)}</tr>")
    foot = ""
    if margin or len(systems) > 1:  # the documents that each list lost against the one before
        parts = ["<td></td><td></td>"]
        for place, name in enumerate(systems):
            if place:
                lost_texts = []
                for hit in rows_by_system[name].to_dict("records"):
                    later = "" if pd.isna(hit["whole_rank"]) else f" to {hit['whole_rank']}"
                    if pd.isna(hit["rank"]):
                        lost_texts.append(f"{hit['doc_id']} (from rank {hit['before_rank']}{later})")
                lost = f"<i>lost:</i> {html.escape(', '.join(lost_texts))}" if lost_texts else "<i>nothing lost</i>"
                parts.append(f'<td class="fv-gap"></td><td>{lost}</td>')
            if margin and margin.place == place + 1:
                parts.append(f'<td class="fv-margin">{margin.foot}</td>')
        foot = f"<tr>{''.join(parts)}</tr>"
    head = _head(systems, rows_by_system, look, notes, margin)
    kind = "fv-lists" if look.excerpts else "fv-lists fv-lines"
    table_html = f'<table class="{kind}" style="--lists:{len(systems)}">{head}{"".join(rows)}{foot}</table>'
    theme = look.theme
    values = {
        "wide": f"{WIDE if look.roomy else NARROW}px", "high": f"{look.row_height}px", "gap": f"{WIDTH}px",
        "grid": theme.grid, "muted": theme.muted, "ink": theme.text, "page": PAGES[theme.dark],
        "found": NEW_COLOUR[theme.dark], "lines": "4" if look.roomy else "3",
    }  # fmt: skip
    style = ";".join(f"--{name}:{value}" for name, value in values.items())
    return f'<div class="fv-scroll" style="{style}">{table_html}</div>'


def _head(
    systems: Sequence[str],
    rows_by_system: Mapping[str, pd.DataFrame],
    look: Look,
    notes: Mapping[str, str],
    margin: Margin | None,
) -> str:
    """Return the row of the systems' names in their colours, with their notes, and a note for a system without a
    list."""
    parts = []
    for place, name in enumerate(systems):
        gap = '<th class="fv-gap"></th>' if place else ""
        colour = look.styles[name].colour if name in look.styles else look.theme.muted
        has_list = rows_by_system[name]["rank"].notna().any()
        note = notes.get(name, "") if has_list else " <i>no list for this query</i>"
        parts.append(f'{gap}<th style="border-top:3px solid {colour}">{html.escape(name)}{note}</th>')
        if margin and margin.place == place + 1:
            parts.append(f'<th class="fv-margin">{margin.head}</th>')
    return f"<tr><th>rank</th>{''.join(parts)}</tr>"


def _cell(row, places: Mapping[str, int], has_move: bool, texts: Mapping[str, str], look: Look) -> str:
    """Return one document at one rank, identified by its position, as browsers drop attributes that look like
    scripts."""
    if row is None:
        return "<td></td>"
    judged = not pd.isna(row.relevance)
    relevant = judged and row.relevance > 0
    sign = "★ " if relevant else "☆ " if judged else ""
    omega = "no text" if pd.isna(row.omega) else f"ω {row.omega:.2f}"
    move = f" <b>{_move(row)}</b>" if has_move else ""
    name = html.escape(row.doc_id)
    facts = f'{sign}<button type="button">{name}</button> {highlight.chip(row.label, look.labels, look.theme)} {omega}'
    classes = "fv-hit fv-relevant" if relevant else "fv-hit"
    text = texts.get(str(row.doc_id), "<i>no text</i>")
    body = f'<div>{facts}{move}</div><div class="fv-words">{text}</div>'
    return f'<td><div class="{classes}" data-document="{places[row.doc_id]}">{body}</div></td>'


def _move(row) -> str:
    """Return the move of a document against the list before."""
    if pd.isna(row.before_rank):
        return "+ new"
    rise = int(row.before_rank) - int(row.rank)
    return "=" if rise == 0 else f"{'▲' if rise > 0 else '▼'} {abs(rise)}"


@dataclass(frozen=True)
class Side:
    """One of two lists of a compact table.

    documents: by rank, from 1. texts: the text beside each document. other_ranks: the ranks in the other list, from
    which a column of moves is made; None for no such column. labels: symbol and name of each document's label.
    """

    head: str
    documents: Mapping[int, str]
    texts: Mapping[str, str]
    other_ranks: Mapping[str, int] | None = None
    labels: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def compact_html(sides: Sequence[Side]) -> str:
    """Return two lists as an HTML table, a row a rank, with escaped data; a sentence if both are empty."""
    ranks = range(1, max((rank for side in sides for rank in side.documents), default=0) + 1)
    if not ranks:
        return NOTHING
    widths, head = '<col style="width:2rem">', f'<th style="{_CELL}"></th>'
    for side in sides:
        has_moves = side.other_ranks is not None
        widths += '<col style="width:2.6rem"><col>' if has_moves else "<col>"
        head += f'<th colspan="{1 + has_moves}" style="{_CELL};text-align:left">{html.escape(side.head)}</th>'
    rows = [
        f'<tr><td style="{_CELL};opacity:.7">{rank}</td>{"".join(_compact_cells(side, rank) for side in sides)}</tr>'
        for rank in ranks
    ]
    table = f'<table style="{_TABLE}" aria-label="The two lists"><colgroup>{widths}</colgroup>'
    return f"{table}<tr>{head}</tr>{''.join(rows)}</table>"


def _compact_cells(side: Side, rank: int) -> str:
    """Return the move of the document at this rank, and the document with its label and text."""
    name = side.documents.get(rank)
    move = ""
    if side.other_ranks is not None:
        arrow = "" if name is None else _arrow(side.other_ranks.get(name), rank)
        move = f'<td style="{_CELL}">{arrow}</td>'
    if name is None:
        return f'{move}<td style="{_CELL};opacity:.6">no document</td>'
    symbol, label = side.labels.get(name, ("", ""))
    text = side.texts.get(name, "")
    tooltip = html.escape(f"{name}{', ' if label else ''}{label}: {text}")
    words = f"<span data-document>{html.escape(text)}</span>" if text else ""
    body = f"{html.escape(symbol)} <b>{html.escape(name)}</b> {words}"
    return f'{move}<td style="{_CELL}" title="{tooltip}">{body.strip()}</td>'


def _arrow(other_rank: int | None, rank: int) -> str:
    if other_rank is None:
        return "✳"
    return f"↑{other_rank - rank}" if other_rank > rank else f"↓{rank - other_rank}" if other_rank < rank else "="
