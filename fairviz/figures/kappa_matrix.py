"""Cohen's kappa of every pair of annotators with enough documents in common."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure, matrix, matrix_extent
from fairviz.figures.style import LIGHT, Theme, shortened
from fairviz.words.sentences import counted

TITLE = "Cohen's kappa of every pair"
MOST_ANNOTATORS = 30
NAME_CHARACTERS = 16
NOTHING = "No pair of annotators has {} documents in common."


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
        count, least, greatest = matrix_extent(self.kappa)
        if not count:
            return NOTHING.format(self.common)
        return f"Kappa of {counted(count, 'pair')} of annotators, from {least:.2f} to {greatest:.2f}."

    @property
    def note(self) -> str:
        """Sentence on the annotators that are not drawn; empty without any."""
        return f"{self.left_out:,} more annotators are in the table." if self.left_out else ""


def info(pairs: pd.DataFrame, common: int) -> KappaMatrix:
    """Return the matrix from pairs (first, second, documents, kappa), of the 30 annotators in the most pairs."""
    counts = pd.concat([pairs["first"], pairs["second"]]).value_counts(sort=False)
    chosen = set(counts.nlargest(MOST_ANNOTATORS, keep="first").index)
    annotators = [name for name in counts.index if name in chosen]
    size = len(annotators)
    kappa, documents = np.full((size, size), np.nan), np.zeros((size, size), dtype=int)
    places = {name: number for number, name in enumerate(annotators)}
    drawn_pairs = pairs[pairs["first"].isin(annotators) & pairs["second"].isin(annotators)]
    rows, columns = (drawn_pairs[name].map(places).to_numpy(dtype=int) for name in ("first", "second"))
    for first, second in ((rows, columns), (columns, rows)):
        kappa[first, second], documents[first, second] = drawn_pairs["kappa"], drawn_pairs["documents"]
    kappas, counts_in_common = (tuple(map(tuple, table.tolist())) for table in (kappa, documents))
    return KappaMatrix(tuple(annotators), kappas, counts_in_common, common, len(counts) - size)


@figure(TITLE, empty=lambda data: "" if data.annotators else NOTHING.format(data.common))
def draw(figure: go.Figure, kappas: KappaMatrix, theme: Theme = LIGHT, height: int = 300) -> None:
    """Draw the matrix, with the values in the cells of up to MOST_TEXTS annotators."""
    names = [shortened(name, NAME_CHARACTERS) for name in kappas.annotators]

    def hover(row: int, column: int) -> str:
        kappa, documents = kappas.kappa[row][column], kappas.documents[row][column]
        return f"{names[row]} and {names[column]}<br>kappa {kappa:.3f}, {documents:,} documents"

    matrix(figure, names, kappas.kappa, "kappa", theme, hover)
