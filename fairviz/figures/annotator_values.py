"""One measure of every system under the labels of each annotator, a row an annotator."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.axes import FREE, Ends, span
from fairviz.figures.frame import apart, error_bars, figure, interval_text, trace
from fairviz.figures.style import LIGHT, Styles, Theme, axis_title, first_texts, references_last, ring, safe, shortened

NAME_CHARACTERS = 26
LEGEND_BELOW = 58  # pixels from the axis to the legend
NOTHING = "No list has a value under both annotators' labels."
PEOPLE, CHANGE = "95 % of draws of people's labels", "95 % interval of the change, over queries"


@dataclass(frozen=True)
class AnnotatorValues:
    """Data of the figure. annotators: of the rows from the top, the replaced one first. table: annotator, system,
    value, low and high (NaN without an interval)."""

    title: str
    label: str
    direction: str
    annotators: tuple[str, ...]
    table: pd.DataFrame
    across: Ends
    selected: str = ""

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        row_texts = []
        for name in self.annotators:
            rows = self.table[self.table["annotator"] == name]
            pairs = zip(rows["system"], rows["value"], strict=True)
            row_texts.append(f"{name}: {', '.join(f'{system} {value:.3f}' for system, value in pairs)}")
        return f"{self.title}. {first_texts(row_texts, 4)}."


def info(
    table: pd.DataFrame,
    other: str,
    label: str,
    direction: str,
    noise: pd.DataFrame | None = None,
    *,
    selected: str = "",
    limits: Ends = FREE,
) -> AnnotatorValues:
    """Return the values from a table of replacements by fairviz.analyses.label_effects.replacing.

    noise: system, low, high over draws of people's labels, the intervals of the values under `other`. The interval of
    another annotator is that of the change, shifted to its own value. limits: the range of the measure.
    """
    widest_rows = table.sort_values("queries", ascending=False, kind="stable").drop_duplicates("system").sort_index()
    bounds = noise.set_index("system") if noise is not None else pd.DataFrame(columns=["low", "high"], dtype=float)
    low, high = (widest_rows["system"].map(bounds[end]).astype(float) for end in ("low", "high"))
    first_rows = widest_rows.assign(annotator=other, value=widest_rows["before"], low=low, high=high)
    replaced_rows = table.assign(value=table["after"], low=table["before"] + table["ci_low"],
                        high=table["before"] + table["ci_high"])  # fmt: skip
    columns = ["annotator", "system", "value", "low", "high"]
    rows = pd.concat([first_rows[columns], replaced_rows[columns]], ignore_index=True)
    across = span(rows[["low", "value", "high"]].to_numpy(dtype=float).ravel(), limits)
    names = tuple(dict.fromkeys(rows["annotator"]))
    return AnnotatorValues(f"{label} under each annotator's labels", label, direction, names, rows, across, selected)


@figure(lambda data: data.title, lambda data: "" if np.isfinite(data.table["value"].astype(float)).any() else NOTHING)
def draw(figure: go.Figure, values: AnnotatorValues, styles: Styles, theme: Theme = LIGHT, height: int = 300) -> None:
    """Draw a row an annotator, with each system's value as its own marker, with its interval."""
    systems = references_last(dict.fromkeys(values.table["system"]))
    place = {name: -at for at, name in enumerate(values.annotators)}
    for at, system in enumerate(systems):
        shift = apart(at, len(systems), min(0.14, 0.76 / max(len(systems), 1)))
        rows, style = values.table[values.table["system"] == system], styles[system]
        value, low, high = (rows[name].to_numpy(dtype=float) for name in ("value", "low", "high"))
        look = {"color": style.colour, "symbol": style.symbol, **ring([system] * len(rows), values.selected, theme, 8)}
        bars = error_bars(value, np.minimum(low, value), np.maximum(high, value), style.colour, 1.2, 3)
        up, name = [place[annotator] - shift for annotator in rows["annotator"]], safe(shortened(system))
        texts = []
        for annotator, number, start, end in zip(rows["annotator"], value, low, high, strict=True):
            meaning = PEOPLE if annotator == values.annotators[0] else CHANGE
            told = f"{number:.4f}" if np.isfinite(number) else "undefined"
            bounds = interval_text(start, end, 4, f"<br>{{}}: {meaning}")
            texts.append(f"<b>{safe(system)}</b>, labels by {safe(annotator)}: {told}{bounds}")
        figure.add_trace(trace(value, up, name=name, marker=look, error_x=bars, text=texts, hoverinfo="text"))
    figure.update_xaxes(title_text=axis_title(values.label, values.direction), zeroline=False, range=values.across)
    ticks = {"tickvals": list(place.values()), "ticktext": [shortened(name, NAME_CHARACTERS) for name in place]}
    figure.update_yaxes(ticks, range=[-len(place) + 0.45, 0.55], showgrid=False, zeroline=False)
    legend = {"orientation": "h", "x": 0, "y": -LEGEND_BELOW / max(height - 130, 100), "yanchor": "top"}
    figure.update_layout(legend=legend)
    for line in range(len(place) - 1):
        figure.add_hline(y=-line - 0.5, line={"color": theme.grid, "width": 1})
