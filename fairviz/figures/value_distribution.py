"""The values of two systems over queries: the share of queries up to each value, a line a system, with quantiles."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure, legend_above, trace
from fairviz.figures.scatter import goal
from fairviz.figures.style import LIGHT, Styles, Theme, legend_name, line, marker, safe
from fairviz.measures import Question
from fairviz.words.sentences import decimal

TITLE = "Values over queries"
NOTHING = "No query has a value for both systems."
SIZE = 11  # pixels of the mark of a quantile


@dataclass(frozen=True)
class Distribution:
    """One system: its values in order (N,), and the quantiles as (share, value)."""

    system: str
    values: tuple[float, ...]
    quantiles: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class ValueDistribution:
    """The distributions of a measure, and the name of its better end."""

    measure: str
    better: str
    lines: tuple[Distribution, ...]

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        texts = []
        for one in self.lines:
            ends = ", ".join(f"{100 * share:.0f} % at most {decimal(value)}" for share, value in one.quantiles)
            texts.append(f"{one.system}: {ends}")
        return f"{self.measure} over queries. {'; '.join(texts)}." if texts else NOTHING


def info(by_query: pd.DataFrame, quantiles: pd.DataFrame, measure: Question, pair: Sequence[str]) -> ValueDistribution:
    """Return both distributions. by_query: value and baseline_value of each query. quantiles: of `tails`, of the
    measure. pair: the system and the baseline."""
    lines = []
    for name, column in zip(pair, ("value", "baseline_value"), strict=True):
        values = np.sort(by_query[column].dropna().to_numpy(dtype=np.float64))
        marks = zip(quantiles["quantile"].tolist(), quantiles[column].tolist(), strict=True)
        if len(values):
            lines.append(Distribution(name, tuple(values.tolist()), tuple(marks)))
    better = {"zero": "0 is fairest", "one": "1 is fairest", "lower": f"← {goal(measure)}", "none": ""}
    return ValueDistribution(measure.text, better.get(measure.direction, f"{goal(measure)} →"), tuple(lines))


@figure(TITLE, lambda data: "" if data.lines else NOTHING, height=340)
def draw(figure: go.Figure, data: ValueDistribution, styles: Styles, theme: Theme = LIGHT) -> None:
    """Draw a step line a system, and a mark at each quantile."""
    for one in data.lines:
        look = line(styles[one.system])
        shares = np.arange(len(one.values) + 1) / len(one.values)
        hover = f"<b>{safe(one.system)}</b><br>%{{y:.0%}} of queries are at most %{{x:.3f}}"
        figure.add_trace(
            trace([one.values[0], *one.values], shares, "lines", hover, name=legend_name(one.system),
                  legendgroup=one.system, line={**look, "shape": "hv"})
        )  # fmt: skip
        hover = f"<b>{safe(one.system)}</b><br>%{{y:.0%}} quantile %{{x:.3f}}"
        figure.add_trace(
            trace([value for _, value in one.quantiles], [share for share, _ in one.quantiles], "markers", hover,
                  marker=marker(styles[one.system], theme, SIZE), legendgroup=one.system, showlegend=False)
        )  # fmt: skip
    figure.update_xaxes(title_text=f"{safe(data.measure)} of a query   {data.better}".rstrip())
    figure.update_yaxes(title_text="share of queries", range=[-0.01, 1.02], tickformat=".0%")
    figure.update_layout(title_text=f"{TITLE}: {safe(data.measure)}")
    legend_above(figure, 64)
