"""The confusion matrix of two annotators."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure
from fairviz.figures.style import LIGHT, Theme, safe, shortened
from fairviz.words.sentences import out_of

TITLE = "Labels by {} against {}"
ESTIMATED = "Labels by {} against the truth, as estimated"
NOTHING = "They labelled no document in common."
NAME_CHARACTERS = 22
SCALES = {False: ("#ffffff", "#1b6ca8"), True: ("#1b212b", "#2f76b0")}


@dataclass(frozen=True)
class Confusion:
    """documents[i][j]: the number with labels[i] by the reference and labels[j] by the annotator.

    estimated: the entries are estimated probabilities of labels[j] given the true label labels[i].
    """

    reference: str
    annotator: str
    labels: tuple[str, ...]
    documents: tuple[tuple[float, ...], ...]
    estimated: bool = False

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if self.estimated:
            rows = enumerate(zip(self.labels, self.documents, strict=True))
            right = (f"{label} {100 * row[place]:.0f} %" for place, (label, row) in rows)
            return f"Dawid and Skene's model: share of right labels by {self.annotator}: {', '.join(right)}."
        total = int(sum(map(sum, self.documents)))
        same = int(sum(row[place] for place, row in enumerate(self.documents)))
        return f"{self.annotator} and {self.reference} give the same label to {out_of(same, total, 'document')}."

    @property
    def names(self) -> list[str]:
        """Names of the annotator and of the reference, short enough for an axis."""
        return [shortened(name, NAME_CHARACTERS) for name in (self.annotator, self.reference)]

    @property
    def title(self) -> str:
        """Title of the figure."""
        return (ESTIMATED if self.estimated else TITLE).format(*self.names)


def info_estimated(cells: pd.DataFrame, annotator: str) -> Confusion:
    """Return the matrix of this annotator from cells (annotator, true, said, probability)."""
    annotator_cells = cells[cells["annotator"] == annotator]
    labels = tuple(dict.fromkeys(annotator_cells["true"]))
    probabilities = annotator_cells.set_index(["true", "said"])["probability"]
    rows = tuple(tuple(float(probabilities.loc[(true_label, label)]) for label in labels) for true_label in labels)
    return Confusion("the truth", annotator, labels, rows, estimated=True)


def info(cells: pd.DataFrame, reference: str, annotator: str) -> Confusion:
    """Return the matrix of this annotator from cells (annotator, reference, said, documents), summed over other
    columns."""
    annotator_cells = cells[cells["annotator"] == annotator]
    labels = tuple(dict.fromkeys(annotator_cells["reference"]))
    counts = annotator_cells.groupby(["reference", "said"], sort=False)["documents"].sum()
    rows = tuple(tuple(int(counts.get((true_label, label), 0)) for label in labels) for true_label in labels)
    return Confusion(reference, annotator, labels, rows)


@figure(lambda data: data.title, lambda data: "" if sum(map(sum, data.documents)) else NOTHING)
def draw(figure: go.Figure, confusion: Confusion, theme: Theme = LIGHT, height: int = 300) -> None:
    """Draw a row a label of the reference, with each cell's share of its row as colour and text."""
    names = confusion.names
    labels = [safe(label) for label in confusion.labels]
    shares = [[count / (sum(row) or 1) for count in row] for row in confusion.documents]
    low, high = SCALES[theme.dark]
    figure.add_trace(
        go.Heatmap(
            z=shares,
            x=labels,
            y=labels,
            zmin=0,
            zmax=1,
            colorscale=[[0, low], [1, high]],
            text=_cell_texts(confusion, shares),
            texttemplate="%{text}",
            textfont={"size": 13},
            xgap=2,
            ygap=2,
            showscale=False,
            hovertemplate=f"{names[1]}: %{{y}}<br>{names[0]}: %{{x}}<br>%{{text}}<extra></extra>",
        )
    )
    names_of_labels = {"showgrid": False, "type": "category"}
    figure.update_xaxes(names_of_labels, title_text=names[0], side="bottom")
    figure.update_yaxes(names_of_labels, title_text=f"{names[1]} (a row is 100 %)", autorange="reversed")


def _cell_texts(confusion: Confusion, shares: Sequence[Sequence[float]]) -> list[list[str]]:
    """Return the text of each cell: `12 (80 %)`; without the number of documents where it is only estimated."""
    texts = []
    for counts, row_shares in zip(confusion.documents, shares, strict=True):
        percents = [f"{100 * share:.0f} %" for share in row_shares]
        if not confusion.estimated:
            percents = [f"{count:,} ({percent})" for count, percent in zip(counts, percents, strict=True)]
        texts.append(percents)
    return texts
