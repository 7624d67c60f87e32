"""Half the width of a corrected interval over the number of labelled documents, a line a design."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure, floats, legend_above, trace
from fairviz.figures.style import LIGHT, Theme, mark, shortened

TITLE = "How far more labels narrow the interval"
NOTHING = "No interval: fewer than two queries or documents were drawn."
DASHES = {"queries": "solid", "documents": "dash"}


@dataclass(frozen=True)
class WidthCurve:
    """lines: by design, the numbers of labels and half the interval's width. now: the labels of the sample."""

    lines: dict[str, tuple[tuple[float, ...], tuple[float, ...]]]
    now: int
    measure: str

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        texts = [
            f"drawn {design}: ±{widths[0]:.3f} with {labels[0]:,.0f} labels, ±{widths[-1]:.3f} with {labels[-1]:,.0f}"
            for design, (labels, widths) in self.lines.items()
        ]
        return f"{TITLE}, {self.measure}. {'; '.join(texts)}."


def info(curves: pd.DataFrame, measure: str, now: int) -> WidthCurve:
    """Return the lines of `fairviz.analyses.label_effects.correction.width_curves`."""
    defined = curves[np.isfinite(curves["half_width"].astype(float))]
    lines = {str(design): tuple(floats(rows, "labels", "half_width"))
             for design, rows in defined.groupby("design", sort=False)}  # fmt: skip
    return WidthCurve(lines, now, measure)


@figure(TITLE, lambda data: "" if data.lines else NOTHING)
def draw(figure: go.Figure, data: WidthCurve, theme: Theme = LIGHT, height: int = 260) -> None:
    """Draw a line a design, and a mark at the present number."""
    for design, (labels, widths) in data.lines.items():
        hover, look = "%{x:,.0f} labels: ±%{y:.3f}", {"dash": DASHES.get(design, "solid"), "size": 5}
        points = np.array(labels), np.array(widths)
        figure.add_trace(trace(*points, "lines+markers", hover, colour=theme.text, name=f"drawn {design}", **look))
    mark(figure, data.now, f"{data.now:,} now", theme)
    figure.update_xaxes(title_text="labelled documents", rangemode="tozero")
    figure.update_yaxes(title_text=f"± {shortened(data.measure, 28)}", rangemode="tozero")
    figure.update_layout(showlegend=True)
    legend_above(figure, 64)
