"""The score of each of a few documents for one query over the weight of the gender senses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from fairviz.figures.style import (
    DASHES,
    LIGHT,
    SYMBOLS,
    Theme,
    empty_figure,
    group_colour,
    layout,
    mark,
    safe,
    shortened,
)

TITLE = "Each document's score over the sense weight"
NAME_CHARACTERS = 26


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
        """The figure in a sentence, for those who do not see it."""
        if not self.weights:
            return "Scores at no weight."
        here = int(np.argmin(np.abs(np.array(self.weights) - self.weight)))
        said = ", ".join(
            f"{name} {row[here]:.3f}" for name, row in zip(self.documents[:6], self.scores[:6], strict=True)
        )
        return f"Scores of {len(self.documents)} documents over the sense weight; at {self.weights[here]:g}: {said}."


def info(
    scores: Mapping[str, Sequence[float]],
    labels: Mapping[str, str],
    groups: Sequence[str],
    weights: Sequence[float],
    weight: float,
) -> WeightScores:
    """scores: of each document at each weight; labels: of those that have one."""
    names = tuple(scores)
    held = tuple(tuple(map(float, scores[name])) for name in names)
    told = tuple(labels.get(name, "") for name in names)
    return WeightScores(names, told, tuple(groups), tuple(weights), held, weight)


def draw(drawn: WeightScores, theme: Theme = LIGHT, height: int = 340) -> go.Figure:
    """A line a document, in the colour of its label's gender, with a marker of its own."""
    if not drawn.documents:
        return empty_figure(TITLE, "The query has no list.", theme, height)
    figure = go.Figure(layout=layout(TITLE, theme, height))
    for place, (name, label, row) in enumerate(zip(drawn.documents, drawn.labels, drawn.scores, strict=True)):
        colour = group_colour(label, drawn.groups, theme) if label else theme.muted
        figure.add_trace(
            go.Scatter(
                x=drawn.weights, y=row, mode="lines+markers",
                name=shortened(f"{name} ({label})" if label else name, NAME_CHARACTERS),
                line={"color": colour, "dash": DASHES[place % len(DASHES)], "width": 2},
                marker={"color": colour, "symbol": SYMBOLS[place % len(SYMBOLS)], "size": 6},
                text=[safe(name)] * len(row), hovertemplate="<b>%{text}</b><br>weight %{x:g}: %{y:.4f}<extra></extra>",
            )
        )  # fmt: skip
    mark(figure, drawn.weight, f"weight {drawn.weight:g}", theme)
    figure.update_xaxes(title_text="sense weight")
    figure.update_yaxes(title_text="cosine with the query", zeroline=False)
    return figure
