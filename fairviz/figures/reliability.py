"""Genderedness of queries by two sets of word vectors (figure 11 of the GSR paper)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.gender_colour import colourscale
from fairviz.figures.style import LIGHT, Theme, empty_figure, layout, marker_class, ringed, shortened

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


def draw(
    agreement: Agreement, texts: Mapping[str, str], theme: Theme = LIGHT, height: int = 340, *, query: str = ""
) -> go.Figure:
    """Draw a marker a query, coloured by the first set, the selected one ringed; dotted: the mean of each
    vocabulary."""
    if not agreement.points:
        return empty_figure(TITLE, NOTHING, theme, height)
    figure = go.Figure(layout=layout(TITLE, theme, height))
    reach = max(abs(x - agreement.centres[0]) for _, x, _ in agreement.points)
    figure.add_trace(
        marker_class(len(agreement.points))(
            x=[x for _, x, _ in agreement.points],
            y=[y for _, _, y in agreement.points],
            mode="markers",
            text=[shortened(texts.get(query, query), 60) for query, _, _ in agreement.points],
            marker={
                "color": [x for _, x, _ in agreement.points],
                "colorscale": colourscale(theme),
                "cmin": agreement.centres[0] - reach,
                "cmax": agreement.centres[0] + reach,
                **ringed([each for each, _, _ in agreement.points], query, theme, 9, 1),
            },
            hovertemplate="<b>%{text}</b><br>%{x:.3f}, %{y:.3f}<extra></extra>",
        )
    )
    line = {"dash": "dot", "width": 1.2, "color": theme.muted}
    figure.add_vline(agreement.centres[0], line=line)
    figure.add_hline(agreement.centres[1], line=line)
    across, up = (AXIS_TITLE.format(shortened(name, NAME_CHARACTERS)) for name in agreement.names)
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title_text=f"{across}, male ← → female", zeroline=False)
    figure.update_yaxes(title_text=up, zeroline=False)
    return figure
