"""Moves from one list to the next, drawn between their columns: a line for each document in both."""

import base64

import pandas as pd

from fairviz.figures.style import Theme
from fairviz.figures.waterfall import FALLING, RISING

WIDTH = 46  # pixels between two lists
EDGE = 5  # of them before a line begins
NEW_COLOUR = {False: "#1f8a4c", True: "#57c785"}


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
    if pd.isna(rank):
        return _lost_symbol(_middle(before_rank, row_height), pd.isna(whole_rank), theme)
    end = _middle(rank, row_height)
    if pd.isna(before_rank) or before_rank > ranks:
        return _new_symbol(end, pd.isna(before_rank), theme)
    start = _middle(before_rank, row_height)
    if rank == before_rank:
        look = f'stroke="{theme.muted}" stroke-width="1.2"'
    elif rank < before_rank:
        look = f'stroke="{RISING[theme.dark]}" stroke-width="2.4"'
    else:
        look = f'stroke="{FALLING[theme.dark]}" stroke-width="1.6" stroke-dasharray="5 3"'
    bend = WIDTH / 2
    path = f"M{EDGE} {start}C{bend} {start} {bend} {end} {WIDTH - EDGE} {end}"
    dots = f'<circle cx="{EDGE}" cy="{start}" r="2.4"/><circle cx="{WIDTH - EDGE}" cy="{end}" r="2.4"/>'
    colour = look.split('"')[1]
    return f'<path d="{path}" fill="none" {look}/><g fill="{colour}">{dots}</g>'


def _middle(rank, row_height: int) -> float:
    return (int(rank) - 0.5) * row_height


def _new_symbol(y: float, is_new: bool, theme: Theme) -> str:
    """Return the symbol of a document that the list before does not show: a plus, or an arrow from below."""
    x, colour = WIDTH - EDGE - 6, NEW_COLOUR[theme.dark]
    path = (
        f"M{x - 5} {y}H{x + 5}M{x} {y - 5}V{y + 5}"
        if is_new
        else f"M{x - 12} {y + 12}Q{x - 8} {y} {x + 5} {y}m-5 -4l5 4l-5 4"
    )
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2.2"/>'


def _lost_symbol(y: float, is_lost: bool, theme: Theme) -> str:
    """Return the symbol of a document that this list no longer shows: a cross, or an arrow down."""
    x, colour = EDGE + 6, FALLING[theme.dark]
    path = f"M{x - 4} {y - 4}l8 8m0 -8l-8 8" if is_lost else f"M{x - 5} {y}Q{x + 6} {y} {x + 8} {y + 12}m-5 -4l5 4l3 -6"
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2.2"/>'
