"""One query among all: a row a measure, with faint marks at all queries' values, and the query's value in each
system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import add_at_once, figure, trace
from fairviz.figures.gender_colour import faded
from fairviz.figures.style import LIGHT, Styles, SystemStyle, Theme, safe, shortened
from fairviz.measures import Question
from fairviz.words.sentences import decimal

TITLE = "This query among all queries"
NOTHING = "No measure has a value for this query."
POINTERS = {"higher": "→ fairer", "lower": "← fairer", "zero": "0 is fairest", "one": "1 is fairest", "none": ""}
FINEST = 400  # places of a mark along its row
NO_BAND = (np.nan, np.nan)
NAME_CHARACTERS = 22
BAND, BAND_HALF = 0.22, 0.3  # opacity and half the height, in rows, of the band of random orders
ROW, LABELS = 34, 196  # pixels: the height of a row, and the room for its name


@dataclass(frozen=True)
class Row:
    """One measure. low, high: the ends of its row; others: the values of all queries in these systems; own: the query's
    value by system, NaN where undefined. chance: the band of 95 % of random orders, NaN without one."""

    measure: str
    pointer: str
    low: float
    high: float
    others: tuple[float, ...]
    own: Mapping[str, float]
    chance: tuple[float, float] = NO_BAND

    @property
    def band(self) -> tuple[float, float] | None:
        """Ends of the band of random orders between the ends of the row, from 0 to 1; None outside, or without one."""
        if np.isnan(self.chance).any() or self.chance[0] > self.high or self.chance[1] < self.low:
            return None
        return max(self.across(self.chance[0]), 0.0), min(self.across(self.chance[1]), 1.0)

    def across(self, value: float) -> float:
        """Return the position of a value between the ends, from 0 to 1."""
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5


@dataclass(frozen=True)
class Strip:
    """The rows, first at the top, and the query's name."""

    rows: tuple[Row, ...]
    query: str

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.rows:
            return NOTHING
        row_texts = (
            f"{row.measure} " + ", ".join(f"{decimal(value)} in {name}" for name, value in row.own.items())
            for row in self.rows
        )
        return f"{self.query} among all queries: {'; '.join(row_texts)}."


def info(scores: pd.DataFrame, questions: Sequence[Question], systems: Sequence[str], query: str) -> Strip:
    """Return the rows from scores (system, query_id, measure, value), of measures defined for any query and system."""
    system_scores = scores[scores["system"].isin(list(systems))]
    rows = []
    for question in questions:
        measure_scores = system_scores[system_scores["measure"] == question.text]
        values = measure_scores["value"].dropna().to_numpy(dtype=np.float64)
        if not len(values):
            continue
        own = dict.fromkeys(systems, np.nan)
        pointer = POINTERS[question.direction].replace("fairer", "better" if question.measure is None else "fairer")
        rows.append(Row(question.text, pointer, values.min(), values.max(), tuple(values.tolist()), own))
    return of_query(Strip(tuple(rows), query), scores, query)


def of_query(strip: Strip, scores: pd.DataFrame, query: str, chance: pd.DataFrame | None = None) -> Strip:
    """Return the same rows with the values of another query, and its bands of random orders.

    scores: see `info`; chance: measure, low, high.
    """
    query_scores = scores[scores["query_id"] == query]
    keys = zip(query_scores["measure"].astype("str"), query_scores["system"].astype("str"), strict=True)
    values = dict(zip(keys, query_scores["value"].tolist(), strict=True))
    columns = () if chance is None else (chance["measure"], chance["low"], chance["high"])
    bands = {str(measure): (float(low), float(high)) for measure, low, high in zip(*columns, strict=True)}
    rows = []
    for row in strip.rows:
        own = {name: float(values.get((row.measure, name), np.nan)) for name in row.own}
        rows.append(replace(row, own=own, chance=bands.get(row.measure, NO_BAND)))
    return Strip(tuple(rows), query)


@figure(TITLE, empty=lambda data: "" if data.rows else NOTHING, height=160)
def draw(figure: go.Figure, strip: Strip, styles: Styles, theme: Theme = LIGHT, height: int = 0) -> None:
    """Draw the strip; every row has its own ends, with their values beside them."""
    figure.update_layout(
        height=height or 110 + ROW * len(strip.rows),
        margin={"l": LABELS, "r": 12, "t": 66},
        legend={"orientation": "h", "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom"},
    )
    _add_ends(figure, strip, theme)
    figure.add_trace(_all_queries(strip, theme))
    for name in strip.rows[0].own:
        figure.add_trace(_own_values(strip, name, styles[name], theme))
    names = [
        f"{shortened(row.measure, NAME_CHARACTERS)} <span style='opacity:.7'>{row.pointer}</span>" for row in strip.rows
    ]
    plain = {"showgrid": False, "zeroline": False, "showline": False, "automargin": False, "tickfont": {"size": 11}}
    figure.update_yaxes(plain, tickvals=list(range(len(names))), ticktext=names, autorange="reversed")
    figure.update_xaxes(range=[-0.28, 1.26], visible=False)


def _add_ends(figure: go.Figure, strip: Strip, theme: Theme) -> None:
    """Add the band of each row, and the values at its ends."""
    look: dict[str, Any] = {"fillcolor": faded(theme.muted, BAND), "line": {"width": 0}, "layer": "below"}
    bands = [(*row.band, place) for place, row in enumerate(strip.rows) if row.band is not None]
    shapes = [
        {"type": "rect", "x0": x0, "x1": x1, "y0": place - BAND_HALF, "y1": place + BAND_HALF, **look}
        for x0, x1, place in bands
    ]
    font = {"size": 11, "color": theme.muted}
    annotations = [
        {"x": x, "y": place, "text": decimal(value), "xanchor": anchor, "xshift": shift, "showarrow": False,
         "font": font}
        for place, row in enumerate(strip.rows)
        for x, anchor, shift, value in ((0, "right", -9, row.low), (1, "left", 9, row.high))
    ]  # fmt: skip
    add_at_once(figure, shapes, annotations)


def _all_queries(strip: Strip, theme: Theme) -> go.Scattergl:
    """Return the faint marks of all rows."""
    pairs = [(x, place) for place, row in enumerate(strip.rows) for x in marks(row.others, row.low, row.high)]
    faint = {"symbol": "line-ns", "size": 14, "line": {"width": 1.2, "color": theme.muted}, "opacity": 0.45}
    points = {"x": [x for x, _ in pairs], "y": [y for _, y in pairs], "mode": "markers", "marker": faint}
    return go.Scattergl(points, name="all queries", hoverinfo="skip")


def _own_values(strip: Strip, name: str, style: SystemStyle, theme: Theme) -> go.Scatter:
    """Return the markers of the query's defined values in one system."""
    rows = [(row, place) for place, row in enumerate(strip.rows) if not np.isnan(row.own[name])]
    texts = [f"{safe(name)}<br>{safe(row.measure)} <b>{decimal(row.own[name])}</b>" for row, _ in rows]
    return trace(
        [row.across(row.own[name]) for row, _ in rows], [place for _, place in rows], hover="%{customdata}",
        symbol=style.symbol, size=13, colour=style.colour, name=shortened(name),
        outline={"width": 1.5, "color": theme.text}, customdata=texts,
    )  # fmt: skip


def marks(others: Sequence[float], low: float, high: float) -> list[float]:
    """Return the positions of the faint marks of a row, from 0 to 1, equal ones once."""
    span = high - low
    across = (np.array(others) - low) / span if span > 0 else np.array([0.5])
    return (np.unique(np.round(across * FINEST)) / FINEST).tolist()
