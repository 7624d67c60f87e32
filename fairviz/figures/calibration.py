"""Accuracy over confidence, with the diagonal of a calibrated machine: a reliability diagram."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import Line, dotted_line, error_bars, figure, value_text
from fairviz.figures.style import LIGHT, Theme, shortened

TITLE = "Accuracy by confidence, 95 % intervals"
NOTHING = "No document has a confidence and a label of the reference."
SMALLEST, LARGEST = 6, 18  # pixels of a marker: its area is the number of documents


@dataclass(frozen=True)
class Calibration:
    """confidence: of each bin; accuracy: with its interval; documents: their numbers. error: of calibration."""

    annotator: str
    confidence: tuple[float, ...]
    accuracy: Line
    documents: tuple[int, ...]
    error: float

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        count = sum(self.documents)
        return f"{TITLE} of {self.annotator} over {count:,} documents: calibration error {value_text(self.error)}."


def info(bins: pd.DataFrame, error: float, annotator: str) -> Calibration:
    """Return the points of the bins of `fairviz.analyses.annotator_accuracy.labellers`."""
    names = ("accuracy", "accuracy_low", "accuracy_high")
    values, low, high = (tuple(bins[name].astype(float)) for name in names)
    documents = tuple(bins["documents"].astype(int))
    return Calibration(annotator, tuple(bins["confidence"].astype(float)), Line(values, low, high), documents, error)


@figure(TITLE, lambda data: "" if data.documents else NOTHING)
def draw(figure: go.Figure, data: Calibration, theme: Theme = LIGHT, height: int = 300) -> None:
    """Draw a point a bin, larger for more documents, and the diagonal."""
    figure.add_trace(
        go.Scatter(x=[0, 1], y=[0, 1], mode="lines", line=dotted_line(theme), hoverinfo="skip", showlegend=False)
    )
    share = np.sqrt(np.array(data.documents) / max(data.documents))
    figure.add_trace(
        go.Scatter(
            x=np.array(data.confidence),
            y=np.array(data.accuracy.values),
            error_y=error_bars(*data.accuracy, theme.muted, 1.2, 3),
            mode="markers+lines",
            line={"width": 1, "color": theme.muted},
            marker={"size": SMALLEST + (LARGEST - SMALLEST) * share, "color": theme.text},
            customdata=np.array(data.documents),
            hovertemplate="confidence %{x:.2f}: right %{y:.0%} of %{customdata:,}<extra></extra>",
            showlegend=False,
        )
    )
    figure.update_xaxes(title_text=f"confidence of {shortened(data.annotator)}", range=[-0.02, 1.05])
    figure.update_yaxes(title_text="accuracy", range=[-0.02, 1.05], tickformat=".0%")
