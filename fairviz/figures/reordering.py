"""The reordering of a query's list by debiasing, over the query's genderedness (figure 10 of the GSR paper)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure, points_of, query_points
from fairviz.figures.style import LIGHT, Styles, Theme, legend_name

TITLE = "How much debiasing reorders each query's list"
X_TITLE = "genderedness of the query, |g − the vocabulary's mean|"
Y_TITLE = "Kendall τ distance, before and after"
NOTHING = "No query has a genderedness and lists before and after."


@dataclass(frozen=True)
class Reordering:
    """Data of the figure: for each ranker, its queries' |g - centre|, distance and name.

    correlations: Pearson's r over these, and over |g| as in the paper; NaN if undefined.
    """

    points: Mapping[str, tuple[tuple[float, float, str], ...]]
    correlations: Mapping[str, tuple[float, float]]

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        texts = ", ".join(f"{name} {r:.2f}, of |g| {raw:.2f}" for name, (r, raw) in self.correlations.items())
        return f"{TITLE}, over the query's genderedness less the vocabulary's mean. Pearson's r: {texts or 'none'}."


def info(distances: pd.DataFrame, correlations: pd.DataFrame, centre: float) -> Reordering:
    """Return the points of a table (query_id, query, ranker, distance), without undefined ones, and the correlations of
    a table (ranker, r, centred_r). centre: the vocabulary's mean g."""
    defined = distances.dropna(subset=["query", "distance"]).assign(g=(distances["query"] - centre).abs())
    by_ranker = defined.groupby("ranker", sort=False)
    points = {str(name): points_of(rows, "g", "distance") for name, rows in by_ranker}
    columns_of_r = (correlations[name] for name in ("ranker", "centred_r", "r"))
    r_by_ranker = {str(name): (float(centred), float(raw)) for name, centred, raw in zip(*columns_of_r, strict=True)}
    return Reordering(points, {name: r_by_ranker.get(name, (float("nan"), float("nan"))) for name in points})


@figure(TITLE, empty=lambda data: "" if data.points else NOTHING, height=280)
def draw(
    figure: go.Figure, reordering: Reordering, styles: Styles, texts: Mapping[str, str], theme: Theme = LIGHT, *,
    selected: str = "", query: str = "",
) -> None:  # fmt: skip
    """Draw a marker a query and ranker, the selected query ringed; the legend shows r, and below it r of |g|."""
    many = sum(map(len, reordering.points.values()))
    for name, points in reordering.points.items():
        look = {"color": styles[name].colour, "symbol": styles[name].symbol}
        entry = f"{legend_name(name, selected)}{_correlation_lines(*reordering.correlations[name])}"
        hover = "<b>%{text}</b><br>|g − mean| %{x:.3f}, distance %{y:.3f}"
        figure.add_trace(query_points(points, texts, query, theme, hover, marker=look, many=many, name=entry))
    figure.update_xaxes(title_text=X_TITLE, rangemode="tozero")
    figure.update_yaxes(title_text=Y_TITLE, rangemode="tozero")


def _correlation_lines(r: float, raw: float) -> str:
    """Return the lines of a legend entry: `<br>r = 0.41<br>of |g|: 0.12`, each only where it is defined."""
    lines = ""
    if not np.isnan(r):
        lines += f"<br>r = {r:.2f}"
    if not np.isnan(raw):
        lines += f"<br>of |g|: {raw:.2f}"
    return lines.replace("-", "−")
