"""Cohen's kappa of every pair of annotators who saw enough of the same documents."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import LIGHT, Theme, empty_figure, layout, shortened

TITLE = "Cohen's kappa of every pair"
MOST_ANNOTATORS = 30
MOST_TEXTS = 14
NAME_CHARACTERS = 16
SCALES = {
    False: [[0, "#d97f26"], [0.5, "#ffffff"], [1, "#1b6ca8"]],
    True: [[0, "#a8601a"], [0.5, "#1b212b"], [1, "#2f76b0"]],
}


@dataclass(frozen=True)
class KappaMatrix:
    """kappa[i][j] and documents[i][j] of annotators i and j; NaN and 0 where they saw too few of the same documents.

    left_out: annotators with a kappa who are not drawn. common: the documents a pair needs.
    """

    annotators: tuple[str, ...]
    kappa: tuple[tuple[float, ...], ...]
    documents: tuple[tuple[int, ...], ...]
    common: int
    left_out: int = 0

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        above = np.array(self.kappa)[np.triu_indices(len(self.annotators), k=1)] if self.annotators else np.array([])
        known = above[~np.isnan(above)]
        if not len(known):
            return f"No pair of annotators has {self.common} documents in common."
        size = "1 pair" if len(known) == 1 else f"{len(known):,} pairs"
        return f"Kappa of {size} of annotators, from {known.min():.2f} to {known.max():.2f}."

    @property
    def note(self) -> str:
        """What is not drawn, in a sentence; empty where all is."""
        return f"{self.left_out:,} more annotators are in the table." if self.left_out else ""


def info(pairs: pd.DataFrame, common: int) -> KappaMatrix:
    """From pairs (first, second, documents, kappa); of more than 30 annotators those in the most pairs are drawn."""
    both = pd.concat([pairs["first"], pairs["second"]])
    counts = both.value_counts(sort=False)
    names = list(dict.fromkeys(both))
    kept = names if len(names) <= MOST_ANNOTATORS else list(counts.nlargest(MOST_ANNOTATORS, keep="first").index)
    kept = [name for name in names if name in set(kept)]
    size = len(kept)
    kappa, documents = np.full((size, size), np.nan), np.zeros((size, size), dtype=int)
    place = {name: number for number, name in enumerate(kept)}
    shown = pairs[pairs["first"].isin(kept) & pairs["second"].isin(kept)]
    rows, columns = shown["first"].map(place).to_numpy(dtype=int), shown["second"].map(place).to_numpy(dtype=int)
    for one, other in ((rows, columns), (columns, rows)):
        kappa[one, other], documents[one, other] = shown["kappa"], shown["documents"]
    return KappaMatrix(
        tuple(kept), tuple(map(tuple, kappa.tolist())), tuple(map(tuple, documents.tolist())), common, len(names) - size
    )


def draw(matrix: KappaMatrix, theme: Theme = LIGHT, height: int = 300) -> go.Figure:
    """The figure of `matrix`, the value written in each cell where there is room."""
    if not matrix.annotators:
        reason = f"No pair of annotators has {matrix.common} documents in common."
        return empty_figure(TITLE, reason, theme, height)
    figure = go.Figure(layout=layout(TITLE, theme, height))
    names = [shortened(name, NAME_CHARACTERS) for name in matrix.annotators]
    places = list(range(len(names)))
    hovers = [
        [_hover(names[row], names[column], matrix, row, column) for column in places] for row in places
    ]  # fmt: skip
    written = "%{z:.2f}" if len(names) <= MOST_TEXTS else ""
    figure.add_trace(
        go.Heatmap(
            z=[[None if np.isnan(value) else value for value in row] for row in matrix.kappa],
            x=places,
            y=places,
            zmin=-1,
            zmax=1,
            colorscale=SCALES[theme.dark],
            texttemplate=written,
            customdata=hovers,
            xgap=1,
            ygap=1,
            colorbar={"title": {"text": "kappa", "side": "right"}, "thickness": 10},
            hovertemplate="%{customdata}<extra></extra>",
            hoverongaps=False,
        )
    )
    figure.update_xaxes(tickvals=places, ticktext=names, showgrid=False, zeroline=False)
    figure.update_yaxes(tickvals=places, ticktext=names, showgrid=False, zeroline=False, autorange="reversed")
    return figure


def _hover(one: str, other: str, matrix: KappaMatrix, row: int, column: int) -> str:
    return f"{one} and {other}<br>kappa {matrix.kappa[row][column]:.3f}, {matrix.documents[row][column]:,} documents"
