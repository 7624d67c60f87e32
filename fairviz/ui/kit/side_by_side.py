"""Lists and texts side by side as HTML, with everything from data escaped: any number of lists with the moves between
them drawn as lines, two lists as a compact table, and two versions of a text with the words marked that differ.
"""

import base64
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pandas as pd
import streamlit as st

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
_MARK = "background:rgba(123,63,160,.22);border-bottom:2px solid;border-radius:2px;padding:0 .1em;font-weight:600"
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
Marks = Iterable[tuple[int, int, str, str]]  # of a text: start, end, what is shown there, tooltip or ""


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


def _moves_image(rows: pd.DataFrame, row_height: int, ranks: int, theme: Theme) -> str:
    """Return the moves into one system's list as an HTML image, `ranks` rows high.

    rows: of this system, from `side_by_side`. Up: thick; down: dashed; unmoved: thin. A document from below the shown
    ranks has an arrow, a new one a plus; a lost one has a cross, one that sank below the shown ranks an arrow.
    """
    height, marks = row_height * ranks, []
    symbol = '<path d="{}" fill="none" stroke="{}" stroke-width="2.2"/>'
    for row in rows.to_dict("records"):
        rank, before = row["rank"], row["before_rank"]
        start, end = (math.nan if pd.isna(each) else (int(each) - 0.5) * row_height for each in (before, rank))
        if math.isnan(end):  # lost, or below the shown ranks
            x, y = EDGE + 6, start
            cross, down = f"M{x - 4} {y - 4}l8 8m0 -8l-8 8", f"M{x - 5} {y}Q{x + 6} {y} {x + 8} {y + 12}m-5 -4l5 4l3 -6"
            marks.append(symbol.format(cross if pd.isna(row["whole_rank"]) else down, FALLING[theme.dark]))
            continue
        if math.isnan(start) or before > ranks:  # new, or from below the shown ranks
            x = WIDTH - EDGE - 6
            plus = f"M{x - 5} {end}H{x + 5}M{x} {end - 5}V{end + 5}"
            up = f"M{x - 12} {end + 12}Q{x - 8} {end} {x + 5} {end}m-5 -4l5 4l-5 4"
            marks.append(symbol.format(plus if math.isnan(start) else up, NEW_COLOUR[theme.dark]))
            continue
        if rank == before:
            colour, look = theme.muted, 'stroke-width="1.2"'
        elif rank < before:
            colour, look = RISING[theme.dark], 'stroke-width="2.4"'
        else:
            colour, look = FALLING[theme.dark], 'stroke-width="1.6" stroke-dasharray="5 3"'
        bend = WIDTH / 2
        path = f"M{EDGE} {start}C{bend} {start} {bend} {end} {WIDTH - EDGE} {end}"
        dots = f'<circle cx="{EDGE}" cy="{start}" r="2.4"/><circle cx="{WIDTH - EDGE}" cy="{end}" r="2.4"/>'
        marks.append(f'<path d="{path}" fill="none" stroke="{colour}" {look}/><g fill="{colour}">{dots}</g>')
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}">{"".join(marks)}</svg>'
    svg_base64 = base64.b64encode(svg.encode()).decode()
    return f'<img alt="" width="{WIDTH}" height="{height}" src="data:image/svg+xml;base64,{svg_base64}">'


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
    hits = dict(zip(keys, ranked_rows.itertuples(), strict=True))
    places = {name: place for place, name in enumerate(dict.fromkeys(table["doc_id"]))}
    count = len(systems)

    def line(tag: str, first: str, cells: Sequence[str], gaps: Sequence[str], beside: str) -> str:
        parts = [f"<{tag}>{first}</{tag}>"]
        for place, cell in enumerate(cells):
            parts += [gaps[place] if place else "", cell]
            if margin and margin.place == place + 1:
                parts.append(f'<{tag} class="fv-margin">{beside}</{tag}>')
        return f"<tr>{''.join(parts)}</tr>"

    heads = [_head_html(name, rows_by_system[name], look, notes.get(name, "")) for name in systems]
    lines = [line("th", "rank", heads, ['<th class="fv-gap"></th>'] * count, margin.head if margin else "")]
    gaps = [""] * count
    if ranks:
        images = [_moves_image(rows_by_system[name], look.row_height, ranks, look.theme) for name in systems[1:]]
        gaps[1:] = [f'<td class="fv-gap" rowspan="{ranks}">{image}</td>' for image in images]
    for rank in range(1, ranks + 1):
        found = [hits.get((name, rank)) for name in systems]
        cells = [_hit_html(hit, places, place > 0, texts, look) for place, hit in enumerate(found)]
        beside = margin.cells.get(rank, "") if margin else ""
        lines.append(line("td", str(rank), cells, gaps if rank == 1 else [""] * count, beside))
    if margin or count > 1:
        losses = ["<td></td>", *(f"<td>{_lost_html(rows_by_system[name])}</td>" for name in systems[1:])]
        lines.append(line("td", "", losses, ['<td class="fv-gap"></td>'] * count, margin.foot if margin else ""))
    kind = "fv-lists" if look.excerpts else "fv-lists fv-lines"
    table_html = f'<table class="{kind}" style="--lists:{count}">{"".join(lines)}</table>'
    return f'<div class="fv-scroll" style="{_variables(look)}">{table_html}</div>'


def _head_html(system: str, rows: pd.DataFrame, look: Look, note: str) -> str:
    """Return the name of a system in its colour, with its note, or another where the system has no list."""
    colour = look.styles[system].colour if system in look.styles else look.theme.muted
    has_list = rows["rank"].notna().any()
    beside = note if has_list else " <i>no list for this query</i>"
    return f'<th style="border-top:3px solid {colour}">{html.escape(system)}{beside}</th>'


def _lost_html(rows: pd.DataFrame) -> str:
    """Return the documents that only the list before shows, with their ranks there and, if any, here."""
    texts = []
    for row in rows[rows["rank"].isna()].to_dict("records"):
        rank_now = "" if pd.isna(row["whole_rank"]) else f" to {row['whole_rank']}"
        texts.append(f"{row['doc_id']} (from rank {row['before_rank']}{rank_now})")
    return f"<i>lost:</i> {html.escape(', '.join(texts))}" if texts else "<i>nothing lost</i>"


def _variables(look: Look) -> str:
    """Return the CSS variables that depend on the theme and the available room."""
    theme = look.theme
    values = {
        "wide": f"{WIDE if look.roomy else NARROW}px",
        "high": f"{look.row_height}px",
        "gap": f"{WIDTH}px",
        "grid": theme.grid,
        "muted": theme.muted,
        "ink": theme.text,
        "page": PAGES[theme.dark],
        "found": NEW_COLOUR[theme.dark],
        "lines": "4" if look.roomy else "3",
    }
    return ";".join(f"--{name}:{value}" for name, value in values.items())


def _hit_html(row, places: Mapping[str, int], has_move: bool, texts: Mapping[str, str], look: Look) -> str:
    """Return one document at one rank with its move against the list before, identified by its position, as browsers
    drop attributes that look like scripts."""
    if row is None:
        return "<td></td>"
    is_judged = not pd.isna(row.relevance)
    is_relevant = is_judged and row.relevance > 0
    sign = "★ " if is_relevant else "☆ " if is_judged else ""
    omega = "no text" if pd.isna(row.omega) else f"ω {row.omega:.2f}"
    move = f" <b>{_move(row)}</b>" if has_move else ""
    name = html.escape(row.doc_id)
    facts = f'{sign}<button type="button">{name}</button> {highlight.chip(row.label, look.labels, look.theme)} {omega}'
    classes = "fv-hit fv-relevant" if is_relevant else "fv-hit"
    text = texts.get(str(row.doc_id), "<i>no text</i>")
    body = f'<div>{facts}{move}</div><div class="fv-words">{text}</div>'
    return f'<td><div class="{classes}" data-document="{places[row.doc_id]}">{body}</div></td>'


def _move(row) -> str:
    """Return the move of a document against the list before."""
    if pd.isna(row.before_rank):
        return "+ new"
    rise = int(row.before_rank) - int(row.rank)
    if rise == 0:
        return "="
    return f"▲ {rise}" if rise > 0 else f"▼ {-rise}"


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
    # The style sheet tells by the class which tables a phone folds. Asked of their cells by `:has`, it made the browser
    # look at the whole page anew for each text that a figure measures: a hundred times as long.
    folds = ' class="fv-two-moves"' if all(side.other_ranks is not None for side in sides) else ""
    table = f'<table{folds} style="{_TABLE}" aria-label="The two lists"><colgroup>{widths}</colgroup>'
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
    """Return the move of a document from its rank in the other list, where it may be missing."""
    if other_rank is None:
        return "✳"
    if other_rank == rank:
        return "="
    return f"↑{other_rank - rank}" if other_rank > rank else f"↓{rank - other_rank}"


def draw_texts(heads: Sequence[str], texts: Sequence[Sequence[tuple[str, Marks]]]) -> None:
    """Draw versions of a document side by side below their heads, each as title and text with their marks."""
    for place, head, parts in zip(st.columns(len(heads), gap="small"), heads, texts, strict=True):
        with place:
            html.strong(head)
            title, text = (marked_text(part, marks) for part, marks in parts)
            title_html = f'<div class="fv-doctitle">{title}</div>' if title else ""
            st.html(f'{title_html}<div class="fv-text" tabindex="0">{text}</div>')


def marked_text(text: str, marks: Marks) -> str:
    """Return the beginning of a text as escaped HTML, with its marked places.

    >>> marked_text("Her car", [(0, 3, "His", "Her")]).replace(_MARK, "")
    '<mark style="color:inherit;" title="Her">His</mark> car'
    """
    beginning, pieces, position = highlight.cut(text), [], 0
    for start, end, shown, about in marks:
        if end > len(beginning):
            break
        tooltip = f' title="{html.escape(about)}"' if about else ""
        pieces.append(html.escape(text[position:start]))
        pieces.append(f'<mark style="color:inherit;{_MARK}"{tooltip}>{html.escape(shown)}</mark>')
        position = end
    return "".join([*pieces, html.escape(beginning[position:]), " …" if len(beginning) < len(text) else ""])


def differences(first: str, second: str) -> tuple[list[tuple[int, int, str, str]], list[tuple[int, int, str, str]]]:
    """Return the words by which the beginnings of two texts differ, as marks of either.

    >>> differences("Her car", "His car")
    ([(0, 3, 'Her', '')], [(0, 3, 'His', '')])
    """
    words: list[list[str]] = [_WORD.findall(highlight.cut(text)) for text in (first, second)]
    marks: tuple[list, list] = [], []
    positions = [0, 0]
    for kind, *ends in SequenceMatcher(None, words[0], words[1], autojunk=False).get_opcodes():
        for side in (0, 1):
            part = "".join(words[side][ends[2 * side] : ends[2 * side + 1]])
            start, positions[side] = positions[side], positions[side] + len(part)
            if kind != "equal" and part:
                marks[side].append((start, positions[side], part, ""))
    return marks
