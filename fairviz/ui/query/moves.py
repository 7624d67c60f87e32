"""What moved from one list to the next, drawn between their columns: a line for each document that stands in both."""

import base64

import pandas as pd

from fairviz.figures.style import Theme
from fairviz.figures.waterfall import FALLING, RISING

WIDTH = 46  # pixels between two lists
EDGE = 5  # of them before a line begins
FOUND = {False: "#1f8a4c", True: "#57c785"}


def picture(rows: pd.DataFrame, row_height: int, ranks: int, theme: Theme) -> str:
    """The moves into one system's list as an inert image of HTML, `ranks` rows high.

    rows: of this system, as `side_by_side` gives them. Up: thick; down: dashed; not moved: thin. A document from below
    what is shown rises from an arrow, one that was not there at all from a plus; one that is gone ends in a cross, one
    that sank below in an arrow.
    """
    height = row_height * ranks
    marks = "".join(
        _mark(row.rank, row.before_rank, row.whole_rank, row_height, ranks, theme) for row in rows.itertuples()
    )
    drawn = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}">{marks}</svg>'
    coded = base64.b64encode(drawn.encode()).decode()
    return f'<img alt="" width="{WIDTH}" height="{height}" src="data:image/svg+xml;base64,{coded}">'


def _mark(rank, before, whole, row_height: int, ranks: int, theme: Theme) -> str:
    """One document's line or sign."""
    if pd.isna(rank):
        return _gone(_middle(before, row_height), pd.isna(whole), theme)
    here = _middle(rank, row_height)
    if pd.isna(before) or before > ranks:
        return _come(here, pd.isna(before), theme)
    then = _middle(before, row_height)
    if rank == before:
        look = f'stroke="{theme.muted}" stroke-width="1.2"'
    elif rank < before:
        look = f'stroke="{RISING[theme.dark]}" stroke-width="2.4"'
    else:
        look = f'stroke="{FALLING[theme.dark]}" stroke-width="1.6" stroke-dasharray="5 3"'
    bend = WIDTH / 2
    path = f"M{EDGE} {then}C{bend} {then} {bend} {here} {WIDTH - EDGE} {here}"
    dots = f'<circle cx="{EDGE}" cy="{then}" r="2.4"/><circle cx="{WIDTH - EDGE}" cy="{here}" r="2.4"/>'
    colour = look.split('"')[1]
    return f'<path d="{path}" fill="none" {look}/><g fill="{colour}">{dots}</g>'


def _middle(rank, row_height: int) -> float:
    return (int(rank) - 0.5) * row_height


def _come(y: float, unknown: bool, theme: Theme) -> str:
    """A document that the list before does not show: a plus, or an arrow from below."""
    x, colour = WIDTH - EDGE - 6, FOUND[theme.dark]
    path = (
        f"M{x - 5} {y}H{x + 5}M{x} {y - 5}V{y + 5}"
        if unknown
        else f"M{x - 12} {y + 12}Q{x - 8} {y} {x + 5} {y}m-5 -4l5 4l-5 4"
    )
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2.2"/>'


def _gone(y: float, wholly: bool, theme: Theme) -> str:
    """A document that this list does not show any more: a cross, or an arrow down."""
    x, colour = EDGE + 6, FALLING[theme.dark]
    path = f"M{x - 4} {y - 4}l8 8m0 -8l-8 8" if wholly else f"M{x - 5} {y}Q{x + 6} {y} {x + 8} {y + 12}m-5 -4l5 4l3 -6"
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2.2"/>'
