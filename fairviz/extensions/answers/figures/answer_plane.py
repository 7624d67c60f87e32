"""The gender gap of what a system was shown against that of what it cites, or of the words of its answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import dotted_line, error_bars, figure, points_of, trace, value_text
from fairviz.figures.style import LIGHT, Theme, first_texts, safe, shortened, system_styles
from fairviz.words.sentences import decimal

Side = Literal["cited", "words"]
TITLES = {"cited": "Citations against context", "words": "Words of the answer against context"}
UP = {"cited": "gap of the citations", "words": "gap of the answer's words"}
LEFT_OUT = "No answer has a gap of both."
PALE = 0.35  # opacity of the points of queries
MOST_TOLD = 4


@dataclass(frozen=True)
class Answers:
    """The answers of a system: a point (gap of the context, gap of the side, query) each, the means with the intervals
    of both, and the slope with its intercept and interval; NaN where there is none."""

    system: str
    points: tuple[tuple[float, float, str], ...]
    across: tuple[float, float, float]
    up: tuple[float, float, float]
    slope: tuple[float, float, float]
    intercept: float


@dataclass(frozen=True)
class AnswerPlane:
    """Data of the figure."""

    side: Side
    protected: str
    systems: tuple[Answers, ...]

    @property
    def title(self) -> str:
        return f"{TITLES[self.side]}, a point an answer, 95 % intervals"

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        texts = [
            f"{one.system} {decimal(one.across[0], 2)} to {decimal(one.up[0], 2)}, slope {decimal(one.slope[0], 2)}"
            for one in self.systems
        ]
        return f"{self.title}: mean gap of {self.protected} in the context and here: {first_texts(texts, MOST_TOLD)}."


def info(
    queries: pd.DataFrame, gaps: pd.DataFrame, slopes: pd.DataFrame, protected: str, side: Side = "cited"
) -> AnswerPlane:
    """Return the plane from the tables of `fairviz.answers`, without systems that have no answer with both gaps."""

    def numbers(row: Mapping[Any, Any], name: str) -> tuple[float, float, float]:
        return float(row[name]), float(row["ci_low"]), float(row["ci_high"])

    means = {(row["system"], row["of"]): numbers(row, "gap") for row in gaps.to_dict("records")}
    lines = {(row["system"], row["of"]): row for row in slopes.to_dict("records")}
    systems = []
    for name, table in queries.groupby("system", sort=False):
        both, system = table.dropna(subset=["gap_context", f"gap_{side}"]), str(name)
        if len(both):
            points, line = points_of(both, "gap_context", f"gap_{side}"), lines[system, side]
            ends = means[system, "context"], means[system, side], numbers(line, "slope")
            systems.append(Answers(system, points, *ends, float(line["intercept"])))
    return AnswerPlane(side, protected, tuple(systems))


@figure(lambda data: data.title, empty=lambda data: "" if data.systems else LEFT_OUT, height=400)
def draw(figure: go.Figure, plane: AnswerPlane, theme: Theme = LIGHT) -> None:
    """Draw a pale mark an answer, a large one a system's mean, and its line; dotted: the same gap as the context."""
    styles = system_styles([one.system for one in plane.systems], theme)
    figure.add_trace(trace([-1, 1], [-1, 1], "lines", line=dotted_line(theme), showlegend=False))
    for one in plane.systems:
        style, name = styles[one.system], safe(shortened(one.system))
        x, y, queries = zip(*one.points, strict=True)
        look = {"colour": style.colour, "symbol": style.symbol, "legendgroup": one.system, "showlegend": False}
        hover = "<b>%{text}</b><br>context %{x:.2f}, here %{y:.2f}"
        figure.add_trace(trace(x, y, hover=hover, text=[*map(safe, queries)], size=7, opacity=PALE, **look))
        ends = [min(x), max(x)]
        if one.slope[0] == one.slope[0]:
            heights = [one.intercept + one.slope[0] * end for end in ends]
            text = f"{safe(one.system)}: slope {value_text(*one.slope)}"
            figure.add_trace(trace(ends, heights, "lines", text, colour=style.colour, width=2, legendgroup=one.system,
                                   showlegend=False))  # fmt: skip
        look |= {"showlegend": True, "name": name}
        figure.add_trace(
            trace(
                [one.across[0]], [one.up[0]], hover=f"<b>{name}</b><br>mean %{{x:.2f}}, %{{y:.2f}}", size=13,
                outline={"width": 1.5, "color": theme.surface}, error_x=error_bars(*one.across, style.colour, 1.6),
                error_y=error_bars(*one.up, style.colour, 1.6), **look,
            )
        )  # fmt: skip
    figure.update_xaxes(
        title_text=f"gap of the context: share of {plane.protected} − share of the others", range=[-1.05, 1.05]
    )
    figure.update_yaxes(title_text=UP[plane.side], range=[-1.05, 1.05])
