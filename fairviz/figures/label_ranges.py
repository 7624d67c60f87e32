"""Ranges of a measure of each system: over queries, over doubtful labels, over missing labels."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.axes import FREE, Ends, edge, setters, span
from fairviz.figures.frame import apart, figure, trace
from fairviz.figures.style import LIGHT, Styles, Theme, axis_title, legend_name, references_last, ring, safe

KINDS = ("over queries", "over labels", "any labels")
WIDTHS = {"over queries": 2, "over labels": 7, "any labels": 2}
DASHES = {"over queries": "solid", "over labels": "solid", "any labels": "dot"}
MEANINGS = {
    "over queries": "95 % interval over queries",
    "over labels": "95 % of the draws of doubtful labels",
    "any labels": "any labels for what is unlabelled",
}
NOTHING = "No interval can be computed."
SPACING = 0.26  # between the lines of one system


@dataclass(frozen=True)
class Ranges:
    """Lines of the figure: system, kind (of KINDS), low, value, high; and the axis, whose ends references do not
    set."""

    table: pd.DataFrame
    label: str
    direction: str
    title: str
    across: Ends
    selected: str = ""

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        columns = (self.table[name] for name in ("system", "kind", "low", "high"))
        texts = [f"{name} {kind} {low:.3f} to {high:.3f}" for name, kind, low, high in zip(*columns, strict=True)]
        return f"{self.title}: {'; '.join(texts)}."


def info(
    summary: pd.DataFrame,
    label: str,
    direction: str,
    noise: pd.DataFrame | None = None,
    bounds: pd.DataFrame | None = None,
    *,
    selected: str = "",
    limits: Ends = FREE,
) -> Ranges:
    """Return the ranges of one measure: from a summary (system, value, ci_low, ci_high) the interval over queries, from
    noise (system, draw, value) 2.5 to 97.5 % of the draws, from bounds (system, low, high) the extremes. limits: the
    range of the measure."""
    queries = summary.rename(columns={"ci_low": "low", "ci_high": "high"}).assign(kind=KINDS[0])
    parts = [queries[["system", "kind", "low", "value", "high"]]]
    if noise is not None:
        draws = noise.groupby("system", sort=False, observed=True)["value"]
        quantiles = draws.quantile(np.array([0.025, 0.5, 0.975])).unstack()
        quantiles.columns = pd.Index(["low", "value", "high"])
        parts.append(quantiles.reset_index().assign(kind=KINDS[1])[parts[0].columns])
    if bounds is not None:
        values = bounds["system"].map(summary.set_index("system")["value"])
        parts.append(bounds.assign(kind=KINDS[2], value=values)[parts[0].columns])
    title = "How far labels carry, beside queries" if noise is not None else "What missing labels could hide"
    table = pd.concat(parts, ignore_index=True)
    setter_rows = table[table["system"].isin(setters(table["system"].astype(str)))]
    across = span(setter_rows[["low", "value", "high"]].to_numpy(dtype=float).ravel(), limits)
    return Ranges(table, label, direction, title, across, selected)


@figure(lambda data: data.title, lambda data: NOTHING if data.table.dropna(subset=["low", "high"]).empty else "")
def draw(figure: go.Figure, ranges: Ranges, styles: Styles, theme: Theme = LIGHT, height: int = 300) -> None:
    """Draw a row a system, and in it a line a kind with its value as the system's marker."""
    table = ranges.table.dropna(subset=["low", "high"])
    systems = references_last(str(name) for name in ranges.table["system"])
    kinds = [kind for kind in KINDS if (ranges.table["kind"] == kind).any()]
    for place, kind in enumerate(kinds):
        rows = table[table["kind"] == kind]
        numbers = list(zip(rows["system"], rows["low"], rows["value"], rows["high"], strict=True))
        height_of = {name: -row - apart(place, len(kinds), SPACING) for row, name in enumerate(systems)}
        heights = [height_of[system] for system, *_ in numbers]
        # all lines of one kind are one trace with gaps
        look = {"colour": theme.text if kind == KINDS[1] else theme.muted, "width": WIDTHS[kind], "dash": DASHES[kind]}
        across = [x for _, low, _, high in numbers for x in (low, high, np.nan)]
        up = [y for height in heights for y in (height, height, np.nan)]
        figure.add_trace(trace(across, up, "lines", name=MEANINGS[kind], connectgaps=False, **look))
        # a marker a system, an arrow at the edge for a reference beyond it
        names = [system for system, *_ in numbers]
        texts = [f"{safe(name)}, {kind}: {value:.4f}, {low:.4f} to {high:.4f}" for name, low, value, high in numbers]
        edges = [edge(system, value, 0, ranges.across, FREE) for system, _, value, _ in numbers]
        symbols = [arrow.symbol if arrow else styles[name].symbol for arrow, name in zip(edges, names, strict=True)]
        marks = {"color": [styles[name].colour for name in names], "symbol": symbols}
        figure.add_trace(
            trace(
                [arrow.x if arrow else value for arrow, (_, _, value, _) in zip(edges, numbers, strict=True)], heights,
                marker={**marks, **ring(names, ranges.selected, theme, 9)}, cliponaxis=False, showlegend=False,
                text=texts, hoverinfo="text",
            )
        )  # fmt: skip
    names = [legend_name(name, ranges.selected) for name in systems]
    figure.update_yaxes(tickvals=[-row for row in range(len(systems))], ticktext=names, showgrid=False, zeroline=False)
    figure.update_xaxes(title_text=axis_title(ranges.label, ranges.direction), zeroline=False, range=ranges.across)
    legend = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0.0, "itemsizing": "trace"}
    figure.update_layout(legend=legend, margin={"t": 64})
