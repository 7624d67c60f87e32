"""Genderedness of queries by two sets of word vectors (figure 11 of the GSR paper)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import dotted_line, figure, query_points
from fairviz.figures.gender_colour import gender_marks
from fairviz.figures.style import LIGHT, Theme, shortened

TITLE = "Genderedness of queries by two sets of vectors"
AXIS_TITLE = "g(q) by {}"
NAME_CHARACTERS = 28
NOTHING = "No query has a genderedness by both."


@dataclass(frozen=True)
class Agreement:
    """Data of the figure: name and vocabulary's mean of each set; query, g by the first, g by the second; Pearson's
    r."""

    names: tuple[str, str]
    centres: tuple[float, float]
    points: tuple[tuple[str, float, float], ...]
    r: float

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        r_text = "undefined" if math.isnan(self.r) else f"{self.r:.2f}"
        first, second = self.names
        return f"{TITLE}: {len(self.points)} queries, {first} across, {second} up. Pearson's r: {r_text}."


def info(queries: pd.DataFrame, r: float, names: tuple[str, str], centres: tuple[float, float]) -> Agreement:
    """Return the points of a table (query_id, first, second), without queries that have no g by one of the sets."""
    defined = queries.dropna(subset=["first", "second"])
    columns = zip(defined["query_id"], defined["first"], defined["second"], strict=True)
    return Agreement(names, centres, tuple((str(query), float(x), float(y)) for query, x, y in columns), r)


@figure(TITLE, empty=lambda data: "" if data.points else NOTHING, height=340)
def draw(
    figure: go.Figure, agreement: Agreement, texts: Mapping[str, str], theme: Theme = LIGHT, *, query: str = ""
) -> None:
    """Draw a marker a query, coloured by the first set, the selected one ringed; dotted: the mean of each
    vocabulary."""
    reach = max(abs(x - agreement.centres[0]) for _, x, _ in agreement.points)
    look = gender_marks([x for _, x, _ in agreement.points], agreement.centres[0], reach, theme)
    points = [(x, y, name) for name, x, y in agreement.points]
    hover = "<b>%{text}</b><br>%{x:.3f}, %{y:.3f}"
    figure.add_trace(query_points(points, texts, query, theme, hover, marker=look, size=9, outline=1))
    figure.add_vline(agreement.centres[0], line=dotted_line(theme))
    figure.add_hline(agreement.centres[1], line=dotted_line(theme))
    across, up = (AXIS_TITLE.format(shortened(name, NAME_CHARACTERS)) for name in agreement.names)
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title_text=f"{across}, male ← → female", zeroline=False)
    figure.update_yaxes(title_text=up, zeroline=False)
