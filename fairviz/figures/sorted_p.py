"""The p of all pairs of systems, the smallest first, a curve a measure: Sakai's curves of discriminative power."""

from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import dotted_line, figure, floats
from fairviz.figures.style import LIGHT, Theme, line, marker, safe, system_styles
from fairviz.words.sentences import counted

TITLE = "p of all pairs of systems, the smallest first"
NOTHING = "No pair of systems was tested."
ALPHA = 0.05


@dataclass(frozen=True)
class Curve:
    """One measure: share of pairs and p, each in the order of p; pairs: the systems of each."""

    measure: str
    share: tuple[float, ...]
    p: tuple[float, ...]
    pairs: tuple[str, ...]

    @property
    def below(self) -> float:
        """The share of pairs with p of at most ALPHA."""
        return sum(value <= ALPHA for value in self.p) / len(self.p)


@dataclass(frozen=True)
class SortedP:
    """A curve a measure."""

    curves: tuple[Curve, ...]

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.curves:
            return f"{TITLE}: {NOTHING}"
        shares = ", ".join(f"{curve.measure} {curve.below:.0%}" for curve in self.curves)
        return f"{TITLE}, {counted(len(self.curves), 'measure')}; up to {ALPHA:g}: {shares}."


def info(table: pd.DataFrame) -> SortedP:
    """Return the curves from a table with a row for each measure and pair: measure, share, p, system, other."""
    curves = []
    for measure, rows in table.groupby("measure", sort=False):
        share, p = floats(rows, "share", "p")
        pairs = tuple(f"{system} and {other}" for system, other in zip(rows["system"], rows["other"], strict=True))
        curves.append(Curve(str(measure), share, p, pairs))
    return SortedP(tuple(curves))


@figure(TITLE, lambda data: "" if data.curves else NOTHING, height=380)
def draw(figure: go.Figure, data: SortedP, theme: Theme = LIGHT) -> None:
    """Draw a line with a mark for each pair; the lower, the more pairs are told apart."""
    styles = system_styles([curve.measure for curve in data.curves], theme)
    for curve in data.curves:
        style = styles[curve.measure]
        figure.add_scatter(
            x=list(curve.share), y=list(curve.p), mode="lines+markers", name=safe(curve.measure),
            line=line(style), marker=marker(style, theme, 7),
            customdata=[safe(pair) for pair in curve.pairs],
            hovertemplate=f"<b>{safe(curve.measure)}</b>, %{{customdata}}<br>p = %{{y:.4f}}, %{{x:.0%}} of pairs"
            "<extra></extra>",
        )  # fmt: skip
    figure.add_hline(ALPHA, line=dotted_line(theme), annotation_text="p = .05", annotation_position="top left")
    figure.update_xaxes(title_text="share of pairs of systems", tickformat=".0%", range=[0, 1.02])
    figure.update_yaxes(title_text="p of each pair alone", rangemode="tozero")
