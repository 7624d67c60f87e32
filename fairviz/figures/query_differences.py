"""Two systems on every query: their differences, sorted, and on which queries each of them is fairer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import LIGHT, SystemStyle, Theme, empty_figure, layout, marker_class, safe, shortened
from fairviz.measures import Question, unfairness

EQUAL = 1e-12
MOST_BARS = 400  # queries that are drawn as bars; more are points, which a browser draws at once
LONGEST = 90  # characters of a query in a hover
PATTERNS = ("", "/", ".")


@dataclass(frozen=True)
class QueryDifferences:
    """From the greatest fall to the greatest rise: queries (N,) with texts, values, baseline_values and differences.

    fairer: for each query which of the two is fairer, 0 the system, 1 the baseline, 2 neither. mean: of the
    differences, NaN without a query. selected: a query.
    """

    measure: str
    system: str
    baseline: str
    queries: tuple[str, ...]
    texts: tuple[str, ...]
    values: tuple[float, ...]
    baseline_values: tuple[float, ...]
    differences: tuple[float, ...]
    fairer: tuple[int, ...]
    better: str = "fairer"
    selected: str = ""

    @property
    def counts(self) -> tuple[int, int, int]:
        """On how many queries the system, the baseline and neither is fairer."""
        return self.fairer.count(0), self.fairer.count(1), self.fairer.count(2)

    @property
    def mean(self) -> float:
        """The mean of the differences."""
        return float(np.mean(self.differences)) if self.differences else np.nan

    @property
    def title(self) -> str:
        """What is seen."""
        return (
            f"{shortened(self.measure, 40)} of {shortened(self.system)} less {shortened(self.baseline)}, query by query"
        )

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        if not self.queries:
            return f"No query has a value of {self.measure} for both systems."
        ours, theirs, neither = self.counts
        return (
            f"{self.measure} of {self.system} less {self.baseline} on {len(self.queries):,} queries, from "
            f"{self.differences[0]:.3f} to {self.differences[-1]:.3f}, mean {self.mean:.3f}: {self.system} is "
            f"{self.better} on {ours:,}, {self.baseline} on {theirs:,}, neither on {neither:,}."
        )


def info(
    table: pd.DataFrame, question: Question, pair: tuple[str, str], texts: Mapping[str, str], selected: str = ""
) -> QueryDifferences:
    """From query_id, value, baseline_value and difference of one measure; pair: system and baseline."""
    rows = table.sort_values("difference", kind="stable")
    ours, theirs = (rows[name].to_numpy(dtype=float) for name in ("value", "baseline_value"))
    if question.direction == "none":
        fairer = np.full(len(rows), 2)
    else:
        with np.errstate(invalid="ignore"):  # two infinite distances
            apart = np.nan_to_num(unfairness(question, ours) - unfairness(question, theirs))
        fairer = np.where(np.abs(apart) <= EQUAL, 2, np.where(apart < 0, 0, 1))
    queries = tuple(rows["query_id"].astype("str"))
    return QueryDifferences(
        question.text,
        *pair,
        queries,
        tuple(texts.get(name, "") for name in queries),
        tuple(ours.tolist()),
        tuple(theirs.tolist()),
        tuple(rows["difference"].astype(float)),
        tuple(int(one) for one in fairer),
        "more effective" if question.family == "effectiveness" else "fairer",
        selected,
    )


def draw(
    drawn: QueryDifferences, styles: Mapping[str, SystemStyle], theme: Theme = LIGHT, height: int = 300
) -> go.Figure:
    """The figure of `drawn`: a bar a query, by who is fairer, a line at the mean, the selected query ringed."""
    if not drawn.queries:
        return empty_figure(drawn.title, "No query has a value for both systems.", theme, height)
    figure = go.Figure(layout=layout(drawn.title, theme, height))
    colours = [styles[name].colour if name in styles else theme.muted for name in (drawn.system, drawn.baseline)]
    names = [f"{shortened(name)} {drawn.better}" for name in (drawn.system, drawn.baseline)]
    for who, (name, colour) in enumerate(zip([*names, "neither"], [*colours, theme.muted], strict=True)):
        places = [place for place, one in enumerate(drawn.fairer) if one == who]
        if places:
            figure.add_trace(_trace(drawn, places, f"{name}: {len(places):,}", colour, who, theme))
    figure.add_hline(
        y=drawn.mean, line={"dash": "dash", "width": 1.5, "color": theme.text},
        annotation={"text": f"mean {drawn.mean:+.3f}".replace("-", "−"), "font": {"color": theme.text, "size": 12}},
        annotation_position="top left" if drawn.mean >= 0 else "bottom right",
    )  # fmt: skip
    figure.update_layout(
        bargap=0.15,
        margin={"t": 72},
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"},
    )
    figure.update_xaxes(title_text=f"{len(drawn.queries):,} queries, sorted", showticklabels=False, showgrid=False,
                        zeroline=False)  # fmt: skip
    figure.update_yaxes(title_text="difference", zeroline=True)
    return figure


def _trace(
    drawn: QueryDifferences, places: list[int], name: str, colour: str, who: int, theme: Theme
) -> go.Bar | go.Scatter | go.Scattergl:
    ringed = [drawn.queries[place] == drawn.selected for place in places]
    outline: dict[str, Any] = {"color": theme.text, "width": [2.5 if one else 0 for one in ringed]}
    told: dict[str, Any] = {
        "x": places,
        "y": [drawn.differences[place] for place in places],
        "name": name,
        "customdata": [[drawn.queries[place]] for place in places],
        "text": [_hover(drawn, place) for place in places],
        "hovertemplate": "%{text}<extra></extra>",
    }
    if len(drawn.queries) <= MOST_BARS:
        marker: dict[str, Any] = {
            "color": colour,
            "line": outline,
            "pattern": {"shape": PATTERNS[who], "size": 5, "solidity": 0.25},
        }
        return go.Bar(**told, marker=marker, textposition="none")
    size = [11 if one else 5 for one in ringed]
    marker = {"color": colour, "symbol": ("circle", "diamond", "x")[who], "size": size, "line": outline}
    return marker_class(len(drawn.queries))(**told, mode="markers", marker=marker)


def _hover(drawn: QueryDifferences, place: int) -> str:
    text = drawn.texts[place]
    asked = f"<b>{safe(drawn.queries[place])}</b> {shortened(text, LONGEST)}".strip()
    values = (
        f"{safe(drawn.system)} {drawn.values[place]:.3f}, {safe(drawn.baseline)} {drawn.baseline_values[place]:.3f}, "
        f"difference {drawn.differences[place]:+.3f}"
    )
    return f"{asked}<br>{values}".replace("-0.", "−0.")
