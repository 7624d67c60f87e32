"""Lorenz curves of exposure over documents, a panel a system, a line a group."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import add_panel, diagonal, figure, floats, legend_above, panels, trace, value_text
from fairviz.figures.style import LIGHT, Theme, first_texts, group_colour, safe, shortened

TITLE = "Lorenz curves of exposure within the cutoff"
NOTHING = "No list shows a labelled document within the cutoff."
MOST_COLUMNS = 3
MOST_TOLD = 4  # systems in the alt text
ROW, ABOVE, BELOW = 260, 96, 50  # pixels
DASHES = ("solid", "dash", "dashdot", "longdash", "dot")


@dataclass(frozen=True)
class Curve:
    """The curve of a group in a system's lists: cumulative shares of documents and of exposure, from 0 to 1, and the
    Gini coefficient."""

    system: str
    group: str
    documents: tuple[float, ...]
    exposure: tuple[float, ...]
    gini: float


@dataclass(frozen=True)
class LorenzCurves:
    """Curves by system and group; groups: all of them, in the order of the legend."""

    curves: tuple[Curve, ...]
    groups: tuple[str, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order of the panels."""
        return tuple(dict.fromkeys(curve.system for curve in self.curves))

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        texts = []
        for system in self.systems:
            of_system = [curve for curve in self.curves if curve.system == system]
            texts.append(f"{system}: {', '.join(f'{curve.group} {value_text(curve.gini)}' for curve in of_system)}")
        return f"{TITLE}. Gini coefficients, {first_texts(texts, MOST_TOLD)}."


def info(points: pd.DataFrame, ginis: Mapping[tuple[str, str], float]) -> LorenzCurves:
    """Return the curves. points: system, group, documents, exposure (cumulative shares). ginis: by system and group."""
    curves = []
    for (system, group), rows in points.groupby(["system", "group"], sort=False):
        gini = ginis.get((str(system), str(group)), np.nan)
        documents, exposure = floats(rows, "documents", "exposure")
        curves.append(Curve(str(system), str(group), documents, exposure, gini))
    return LorenzCurves(tuple(curves), tuple(dict.fromkeys(curve.group for curve in curves)))


@figure(TITLE, lambda data: "" if data.curves else NOTHING, height=ROW + ABOVE)
def draw(figure: go.Figure, data: LorenzCurves, theme: Theme = LIGHT) -> None:
    """Draw a panel a system, with a line a group and the diagonal of equal exposure."""
    count = len(data.systems)
    columns = min(MOST_COLUMNS, count)
    rows = -(-count // columns)
    places = panels(
        figure, count, columns, theme, subplot_titles=[shortened(system, 28) for system in data.systems],
        shared_yaxes=True, horizontal_spacing=0.03, vertical_spacing=0.3 / rows,
    )  # fmt: skip
    figure.update_layout(height=ROW * rows + ABOVE, margin={"b": BELOW})
    legend_names: set[str] = set()
    for system, place in zip(data.systems, places, strict=True):
        lines = [_line(curve, data.groups, theme) for curve in data.curves if curve.system == system]
        add_panel(figure, [diagonal(theme, name="equal exposure"), *lines], place, legend_names)
    figure.update_xaxes(range=[0, 1.01], tickformat=".0%")
    figure.update_yaxes(range=[0, 1.01], tickformat=".0%")
    for number, place in enumerate(places):
        if number + columns >= count:  # the last of its column
            figure.update_xaxes(title_text="share of documents", **place)
        if place["col"] == 1:
            figure.update_yaxes(title_text="share of exposure", **place)
    figure.update_annotations(font={"size": 12, "color": theme.text})
    legend_above(figure, ABOVE, 1 + 0.1 / rows)


def _line(curve: Curve, groups: tuple[str, ...], theme: Theme) -> go.Scatter:
    dash = DASHES[groups.index(curve.group) % len(DASHES)]
    colour = group_colour(curve.group, groups, theme)
    hover = (
        f"<b>{safe(curve.system)}</b>, {safe(curve.group)}, Gini {value_text(curve.gini)}"
        "<br>%{x:.1%} of documents: %{y:.1%} of exposure"
    )
    points = np.array(curve.documents), np.array(curve.exposure)
    return trace(*points, "lines", hover, name=safe(curve.group), colour=colour, dash=dash, width=2)
