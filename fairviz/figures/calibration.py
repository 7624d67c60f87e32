"""Accuracy over confidence, with the diagonal of a calibrated machine: a reliability diagram."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import Line, diagonal, error_bars, figure, floats, trace, value_text
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
    confidence, *accuracy = floats(bins, "confidence", "accuracy", "accuracy_low", "accuracy_high")
    return Calibration(annotator, confidence, Line(*accuracy), tuple(bins["documents"].astype(int)), error)


@figure(TITLE, lambda data: "" if data.documents else NOTHING)
def draw(figure: go.Figure, data: Calibration, theme: Theme = LIGHT, height: int = 300) -> None:
    """Draw a point a bin, larger for more documents, and the diagonal."""
    figure.add_trace(diagonal(theme, showlegend=False))
    size = SMALLEST + (LARGEST - SMALLEST) * np.sqrt(np.array(data.documents) / max(data.documents))
    figure.add_trace(
        trace(
            np.array(data.confidence), np.array(data.accuracy.values), "markers+lines",
            "confidence %{x:.2f}: right %{y:.0%} of %{customdata:,}", customdata=np.array(data.documents),
            error_y=error_bars(*data.accuracy, theme.muted, 1.2, 3), line={"width": 1, "color": theme.muted},
            marker={"size": size, "color": theme.text}, showlegend=False,
        )
    )  # fmt: skip
    figure.update_xaxes(title_text=f"confidence of {shortened(data.annotator)}", range=[-0.02, 1.05])
    figure.update_yaxes(title_text="accuracy", range=[-0.02, 1.05], tickformat=".0%")
