"""One measure over all cutoffs, a line a system."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import LIGHT, SystemStyle, Theme, axis_title, empty_figure, layout, mark, safe, shortened

LOGARITHMIC_ABOVE = 100
MOST_CUTOFFS = 200


@dataclass(frozen=True)
class CutoffCurve:
    """Cutoffs (ascending) and each system's mean at each; NaN where no query has a value."""

    measure: str
    direction: str
    cutoffs: tuple[int, ...]
    values: Mapping[str, tuple[float, ...]]
    cutoff: int

    @property
    def logarithmic(self) -> bool:
        """Whether the axis of cutoffs is logarithmic."""
        return bool(self.cutoffs) and self.cutoffs[-1] > LOGARITHMIC_ABOVE

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        deepest = self.cutoffs[-1] if self.cutoffs else 0
        return f"{self.measure} of {len(self.values)} systems for cutoffs from 1 to {deepest:,}."


def info(curves: pd.DataFrame, measure: str, direction: str, cutoff: int) -> CutoffCurve:
    """Lines of one measure from a table (system, measure, cutoff, value), thinned out where the lists are deep."""
    rows = curves[curves["measure"] == measure]
    wide = rows.pivot(index="cutoff", columns="system", values="value").sort_index().dropna(axis=1, how="all")
    wide = wide[[name for name in dict.fromkeys(rows["system"]) if name in wide.columns]]
    if len(wide) > MOST_CUTOFFS:
        kept = np.unique(np.geomspace(1, len(wide), MOST_CUTOFFS).round().astype(int)) - 1
        wide = wide.iloc[kept]
    return CutoffCurve(
        measure,
        direction,
        tuple(int(value) for value in wide.index),
        {str(name): tuple(float(value) for value in wide[name]) for name in wide.columns},
        cutoff,
    )


def draw(curve: CutoffCurve, styles: Mapping[str, SystemStyle], theme: Theme = LIGHT, height: int = 300) -> go.Figure:
    """The figure of `curve`: a line a system, the current cutoff marked."""
    title = f"{safe(curve.measure)} at every cutoff"
    if not curve.values:
        return empty_figure(title, "No system has a value of this measure.", theme, height)
    figure = go.Figure(layout=layout(title, theme, height))
    for system, values in curve.values.items():
        style = styles[system]
        figure.add_trace(
            go.Scatter(
                x=curve.cutoffs,
                y=values,
                mode="lines" if len(curve.cutoffs) > 1 else "markers",
                name=shortened(system),
                text=[safe(system)] * len(values),
                line={"color": style.colour, "dash": style.dash, "width": 2},
                marker={"color": style.colour, "symbol": style.symbol},
                hovertemplate="<b>%{text}</b><br>k %{x}<br>%{y:.4f}<extra></extra>",
            )
        )
    figure.update_xaxes(title_text="cutoff k", type="log" if curve.logarithmic else "linear", tickformat="d")
    if curve.logarithmic:
        figure.update_xaxes(dtick="D2")
    figure.update_yaxes(title_text=axis_title(curve.measure, curve.direction))
    if curve.cutoff <= curve.cutoffs[-1]:
        mark(figure, curve.cutoff, f"k = {curve.cutoff}", theme, logarithmic=curve.logarithmic)
    return figure
