"""Cohen's kappa of every pair of annotators with enough documents in common."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import LIGHT, Theme, empty_figure, layout, shortened
from fairviz.words.sentences import counted

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
    """kappa[i][j] and documents[i][j] of annotators i and j; NaN and 0 with too few documents in common.

    left_out: the number of annotators with a kappa who are not drawn. common: the documents that a pair needs.
    """

    annotators: tuple[str, ...]
    kappa: tuple[tuple[float, ...], ...]
    documents: tuple[tuple[int, ...], ...]
    common: int
    left_out: int = 0

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        above = np.array(self.kappa)[np.triu_indices(len(self.annotators), k=1)] if self.annotators else np.array([])
        values = above[~np.isnan(above)]
        if not len(values):
            return f"No pair of annotators has {self.common} documents in common."
        size = counted(len(values), "pair")
        return f"Kappa of {size} of annotators, from {values.min():.2f} to {values.max():.2f}."

    @property
    def note(self) -> str:
        """Sentence on the annotators that are not drawn; empty without any."""
        return f"{self.left_out:,} more annotators are in the table." if self.left_out else ""


def info(pairs: pd.DataFrame, common: int) -> KappaMatrix:
    """Return the matrix from pairs (first, second, documents, kappa), of the 30 annotators in the most pairs."""
    both = pd.concat([pairs["first"], pairs["second"]])
    counts = both.value_counts(sort=False)
    names = list(dict.fromkeys(both))
    annotators = names if len(names) <= MOST_ANNOTATORS else list(counts.nlargest(MOST_ANNOTATORS, keep="first").index)
    annotators = [name for name in names if name in set(annotators)]
    size = len(annotators)
    kappa, documents = np.full((size, size), np.nan), np.zeros((size, size), dtype=int)
    places = {name: number for number, name in enumerate(annotators)}
    drawn_pairs = pairs[pairs["first"].isin(annotators) & pairs["second"].isin(annotators)]
    rows, columns = (
        drawn_pairs["first"].map(places).to_numpy(dtype=int),
        drawn_pairs["second"].map(places).to_numpy(dtype=int),
    )
    for first, second in ((rows, columns), (columns, rows)):
        kappa[first, second], documents[first, second] = drawn_pairs["kappa"], drawn_pairs["documents"]
    return KappaMatrix(
        tuple(annotators),
        tuple(map(tuple, kappa.tolist())),
        tuple(map(tuple, documents.tolist())),
        common,
        len(names) - size,
    )


def draw(matrix: KappaMatrix, theme: Theme = LIGHT, height: int = 300) -> go.Figure:
    """Draw the matrix, with the values in the cells of up to MOST_TEXTS annotators."""
    if not matrix.annotators:
        reason = f"No pair of annotators has {matrix.common} documents in common."
        return empty_figure(TITLE, reason, theme, height)
    figure = go.Figure(layout=layout(TITLE, theme, height))
    names = [shortened(name, NAME_CHARACTERS) for name in matrix.annotators]
    places = list(range(len(names)))
    hovers = [
        [_hover(names[row], names[column], matrix, row, column) for column in places] for row in places
    ]  # fmt: skip
    text_template = "%{z:.2f}" if len(names) <= MOST_TEXTS else ""
    figure.add_trace(
        go.Heatmap(
            z=[[None if np.isnan(value) else value for value in row] for row in matrix.kappa],
            x=places,
            y=places,
            zmin=-1,
            zmax=1,
            colorscale=SCALES[theme.dark],
            texttemplate=text_template,
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


def _hover(first: str, second: str, matrix: KappaMatrix, row: int, column: int) -> str:
    return f"{first} and {second}<br>kappa {matrix.kappa[row][column]:.3f}, {matrix.documents[row][column]:,} documents"
