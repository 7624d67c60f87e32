"""The scores of a few documents for one query over the weight of the gender senses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.figures.frame import figure, trace
from fairviz.figures.style import DASHES, LIGHT, SYMBOLS, Theme, group_colour, mark, safe, shortened
from fairviz.words.sentences import counted

TITLE = "Each document's score over the sense weight"
NAME_CHARACTERS = 26
NOTHING = "The query has no list."


@dataclass(frozen=True)
class WeightScores:
    """Documents with their scores at each weight, (documents, weights), and the label of each, empty without one."""

    documents: tuple[str, ...]
    labels: tuple[str, ...]
    groups: tuple[str, ...]
    weights: tuple[float, ...]
    scores: tuple[tuple[float, ...], ...]
    weight: float

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.weights:
            return "Scores at no weight."
        current_place = int(np.argmin(np.abs(np.array(self.weights) - self.weight)))
        rows = zip(self.documents[:6], self.scores[:6], strict=True)
        score_texts = ", ".join(f"{name} {row[current_place]:.3f}" for name, row in rows)
        text = f"Scores of {counted(len(self.documents), 'document')} over the sense weight"
        return f"{text}; at {self.weights[current_place]:g}: {score_texts}."


def info(
    scores: Mapping[str, Sequence[float]],
    labels: Mapping[str, str],
    groups: Sequence[str],
    weights: Sequence[float],
    weight: float,
) -> WeightScores:
    """Return the data of the figure. scores: of each document at each weight; labels: by document, where there is
    one."""
    names = tuple(scores)
    score_rows = tuple(tuple(map(float, scores[name])) for name in names)
    document_labels = tuple(labels.get(name, "") for name in names)
    return WeightScores(names, document_labels, tuple(groups), tuple(weights), score_rows, weight)


@figure(TITLE, empty=lambda data: "" if data.documents else NOTHING, height=340)
def draw(figure: go.Figure, weight_scores: WeightScores, theme: Theme = LIGHT) -> None:
    """Draw a line a document, in the colour of its label's gender, with a marker of its own."""
    documents = zip(weight_scores.documents, weight_scores.labels, weight_scores.scores, strict=True)
    for place, (name, label, row) in enumerate(documents):
        colour = group_colour(label, weight_scores.groups, theme) if label else theme.muted
        look = {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 6, "dash": DASHES[place % len(DASHES)], "width": 2}
        look |= {"name": shortened(f"{name} ({label})" if label else name, NAME_CHARACTERS)}
        look |= {"colour": colour, "text": [safe(name)] * len(row)}
        hover = "<b>%{text}</b><br>weight %{x:g}: %{y:.4f}"
        figure.add_trace(trace(weight_scores.weights, row, "lines+markers", hover, **look))
    mark(figure, weight_scores.weight, f"weight {weight_scores.weight:g}", theme)
    figure.update_xaxes(title_text="sense weight")
    figure.update_yaxes(title_text="cosine with the query", zeroline=False)
