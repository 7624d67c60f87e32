"""Two systems on every query: their sorted differences, and the fairer system on each query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure, legend_above, trace
from fairviz.figures.scatter import goal
from fairviz.figures.style import LIGHT, Styles, Theme, safe, shortened
from fairviz.measures import Question, unfairness
from fairviz.statistics.contrasts import is_equal
from fairviz.words.sentences import counted, decimal

MOST_BARS = 400  # queries drawn as bars; more are drawn as points, which is faster
LONGEST = 90  # characters of a query in a hover
NOTHING = "No query has a value for both systems."
PATTERNS, SYMBOLS = ("", "/", "."), ("circle", "diamond", "x")


@dataclass(frozen=True)
class QueryDifferences:
    """From the greatest fall to the greatest rise: queries (N,) with texts, values, baseline_values and differences.

    fairer: for each query the fairer of the two, 0 the system, 1 the baseline, 2 neither. selected: a query.
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
        """Numbers of queries on which the system, the baseline and neither is fairer."""
        return self.fairer.count(0), self.fairer.count(1), self.fairer.count(2)

    @property
    def mean(self) -> float:
        """Mean of the differences, NaN without a query."""
        return float(np.mean(self.differences)) if self.differences else np.nan

    @property
    def title(self) -> str:
        """Title of the figure."""
        return f"{shortened(self.measure, 40)}: {shortened(self.system)} minus {shortened(self.baseline)}"

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.queries:
            return f"No query has a value of {self.measure} for both systems."
        ours, theirs, neither = self.counts
        return (
            f"{self.measure} of {self.system} minus {self.baseline} on {len(self.queries):,} queries, from "
            f"{self.differences[0]:.3f} to {self.differences[-1]:.3f}, mean {self.mean:.3f}: {self.system} is "
            f"{self.better} on {ours:,}, {self.baseline} on {theirs:,}, neither on {neither:,}."
        )


def info(
    table: pd.DataFrame, question: Question, pair: tuple[str, str], texts: Mapping[str, str], selected: str = ""
) -> QueryDifferences:
    """Return the differences from a table (query_id, value, baseline_value, difference). pair: system and baseline."""
    rows = table.sort_values("difference", kind="stable")
    values, baseline_values = (rows[name].to_numpy(dtype=float) for name in ("value", "baseline_value"))
    if question.direction == "none":
        fairer = np.full(len(rows), 2)
    else:
        with np.errstate(invalid="ignore"):  # two infinite distances
            unfairness_gaps = np.nan_to_num(unfairness(question, values) - unfairness(question, baseline_values))
        fairer = np.where(is_equal(unfairness_gaps), 2, np.where(unfairness_gaps < 0, 0, 1))
    queries = tuple(rows["query_id"].astype("str"))
    return QueryDifferences(
        question.text,
        *pair,
        queries,
        tuple(texts.get(name, "") for name in queries),
        tuple(values.tolist()),
        tuple(baseline_values.tolist()),
        tuple(rows["difference"].astype(float)),
        tuple(fairer.tolist()),
        goal(question),
        selected,
    )


@figure(lambda data: data.title, lambda data: "" if data.queries else NOTHING)
def draw(
    figure: go.Figure, differences: QueryDifferences, styles: Styles, theme: Theme = LIGHT, height: int = 300
) -> None:
    """Draw a bar a query, coloured by the fairer system, a line at the mean, and the selected query ringed."""
    looks = [
        (f"{shortened(name)} {differences.better}", styles[name].colour if name in styles else theme.muted)
        for name in (differences.system, differences.baseline)
    ]
    for fairer, (name, colour) in enumerate([*looks, ("neither", theme.muted)]):
        places = [place for place, query_fairer in enumerate(differences.fairer) if query_fairer == fairer]
        if places:
            figure.add_trace(_trace(differences, places, f"{name}: {len(places):,}", colour, theme))
    mean = differences.mean
    figure.add_hline(
        y=mean, line={"dash": "dash", "width": 1.5, "color": theme.text},
        annotation={"text": f"mean {decimal(mean, sign='+')}", "font": {"color": theme.text, "size": 12}},
        annotation_position="top left" if mean >= 0 else "bottom right",
    )  # fmt: skip
    legend_above(figure, 72)
    figure.update_layout(bargap=0.15)
    title = f"{counted(len(differences.queries), 'query', 'queries')}, sorted"
    figure.update_xaxes(title_text=title, showticklabels=False, showgrid=False, zeroline=False)
    figure.update_yaxes(title_text="difference", zeroline=True)


def _trace(
    differences: QueryDifferences, places: Sequence[int], name: str, colour: str, theme: Theme
) -> go.Bar | go.Scatter:
    """Return the bars of these queries, in which the same system is fairer; points if there are many queries."""
    queries, fairer = differences.queries, differences.fairer[places[0]]
    is_selected = [queries[place] == differences.selected for place in places]
    outline: dict[str, Any] = {"color": theme.text, "width": [2.5 if selected else 0 for selected in is_selected]}
    options: dict[str, Any] = {
        "x": places,
        "y": [differences.differences[place] for place in places],
        "name": name,
        "customdata": [[queries[place]] for place in places],
        "text": [_hover(differences, place) for place in places],
        "hovertemplate": "%{text}<extra></extra>",
    }
    if len(queries) <= MOST_BARS:
        pattern = {"shape": PATTERNS[fairer], "size": 5, "solidity": 0.25}
        return go.Bar(**options, marker={"color": colour, "line": outline, "pattern": pattern}, textposition="none")
    size = [11 if selected else 5 for selected in is_selected]
    points = {"color": colour, "symbol": SYMBOLS[fairer], "size": size, "line": outline}
    return trace(**options, marker=points, many=len(queries))


def _hover(differences: QueryDifferences, place: int) -> str:
    query = f"<b>{safe(differences.queries[place])}</b> {shortened(differences.texts[place], LONGEST)}".strip()
    values = (
        f"{safe(differences.system)} {differences.values[place]:.3f}, "
        f"{safe(differences.baseline)} {differences.baseline_values[place]:.3f}, "
        f"difference {differences.differences[place]:+.3f}"
    )
    return f"{query}<br>{values}".replace("-0.", "−0.")
