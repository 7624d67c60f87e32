"""Two systems under every combination of choices, sorted by who is fairer, with the choices as dots underneath."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from fairviz.figures.style import LIGHT, SystemStyle, Theme, axis, empty_figure, layout, marker_class, safe, shortened

MOST_DRAWN = 2_000  # combinations; of more every so many is drawn, in their order
GAP = 0.02  # of the width, between the combinations that have a value and those that have none
TOP, ROW, REST = 250, 17, 114  # pixels: the curve, a row of dots, titles
MARKERS = ("circle", "diamond", "x")


@dataclass(frozen=True)
class SpecificationCurve:
    """From the combination in which A is least fair beside B to that in which it is fairest.

    pair: A and B. combinations, values, lows and highs (N,), sorted by value; fairer (N,): 0 A, 1 B, 2 neither; tested
    (N,): whether a corrected test supports it. without: combinations without a value, drawn behind them. rows: choice
    and level of each row of dots, from above; dots (rows,): the places of the combinations that have it. marked: places
    of the present choices. many: how many combinations have a value, of which those drawn are a part.
    """

    pair: tuple[str, str]
    unit: str
    combinations: tuple[int, ...]
    values: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    chances: tuple[float, ...]
    fairer: tuple[int, ...]
    tested: tuple[bool, ...]
    without: tuple[int, ...]
    rows: tuple[tuple[str, str], ...]
    dots: tuple[tuple[int, ...], ...]
    marked: tuple[int, ...]
    many: int
    many_without: int

    @property
    def title(self) -> str:
        """What is seen."""
        first, second = (shortened(name, 30) for name in self.pair)
        part = "" if len(self.values) == self.many else f", {len(self.values):,} of {self.many:,} drawn"
        return f"How much fairer {first} is than {second}, under every combination{part}"

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        if not self.values:
            return "No combination of choices has a value for both systems."
        ours, theirs = self.fairer.count(0), self.fairer.count(1)
        none = f", {self.many_without:,} without a value" if self.many_without else ""
        return (
            f"How much fairer {self.pair[0]} is than {self.pair[1]} under {self.many:,} combinations of choices{none}, "
            f"{self.unit}: from {self.values[0]:.3f} to {self.values[-1]:.3f}; of {len(self.values):,} drawn "
            f"{self.pair[0]} is fairer under {ours:,}, {self.pair[1]} under {theirs:,}."
        )


def info(
    table: pd.DataFrame,
    pair: tuple[str, str],
    varied: Mapping[str, Sequence[str]],
    unit: str = "in the measure's unit",
    present: Sequence[int] = (),
) -> SpecificationCurve:
    """From combination, value, low, high, chance, fairer, tested and a column for each of `varied`, which names the
    levels of a choice in order. present: combinations of the present choices."""
    known = table[table["value"].notna()].sort_values("value", kind="stable", ignore_index=True)
    lacking = table[table["value"].isna()]
    shown, behind = _thinned(known, present), _thinned(lacking, ())
    both = pd.concat([shown, behind], ignore_index=True) if len(behind) else shown
    order = {pair[0]: 0, pair[1]: 1}
    rows = tuple((name, level) for name, levels in varied.items() for level in levels)
    places = {name: both[name].to_numpy(dtype=object) for name in varied}
    dots = tuple(tuple(np.flatnonzero(places[name] == level).tolist()) for name, level in rows)
    marked = set(present)
    return SpecificationCurve(
        pair,
        unit,
        tuple(shown["combination"].tolist()),
        _numbers(shown, "value"),
        _numbers(shown, "low"),
        _numbers(shown, "high"),
        _numbers(shown, "chance"),
        tuple(order.get(name, 2) for name in shown["fairer"]),
        tuple(name in pair for name in shown["tested"]),
        tuple(behind["combination"].tolist()),
        rows,
        dots,
        tuple(place for place, one in enumerate(shown["combination"]) if one in marked),
        len(known),
        len(lacking),
    )


def _numbers(table: pd.DataFrame, name: str) -> tuple[float, ...]:
    return tuple(table[name].astype(float).tolist())


def _thinned(table: pd.DataFrame, kept: Sequence[int]) -> pd.DataFrame:
    if len(table) <= MOST_DRAWN:
        return table
    places = set(np.linspace(0, len(table) - 1, MOST_DRAWN).round().astype(int).tolist())
    places |= set(np.flatnonzero(table["combination"].isin(list(kept))).tolist())
    return table.iloc[sorted(places)].reset_index(drop=True)


def height(curve: SpecificationCurve) -> int:
    """Pixels that the figure takes, by its rows of dots."""
    return TOP + REST + ROW * len(curve.rows)


def draw(curve: SpecificationCurve, styles: Mapping[str, SystemStyle], theme: Theme = LIGHT) -> go.Figure:
    """The figure of `curve`: above, a mark a combination with its interval, filled where a corrected test supports it;
    below, a dot where the combination has the row's level. A mark carries the number of its combination."""
    if not curve.values:
        return empty_figure(curve.title, curve.alt, theme)
    tall = height(curve)
    share = ROW * len(curve.rows) / (tall - REST) if curve.rows else 0.02
    figure = make_subplots(2, 1, shared_xaxes=True, vertical_spacing=0.02, row_heights=[1 - share, share])
    figure.update_layout(layout(curve.title, theme, tall), margin={"l": 8, "r": 8, "t": 88, "b": 30})
    figure.update_layout(title={"y": 1, "yanchor": "top", "pad": {"t": 12}})
    figure.update_layout(legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom"})
    drawn = marker_class(len(curve.values) * 3)
    figure.add_trace(_intervals(curve, drawn, theme), row=1, col=1)
    levels = _levels(curve)
    for who, tested in ((0, True), (0, False), (1, True), (1, False), (2, False)):
        trace = _marks(curve, _colour(curve, styles, theme, who), levels, theme, who, tested)
        if trace is not None:
            figure.add_trace(trace, row=1, col=1)
    if curve.without:
        figure.add_trace(_behind(curve, levels, theme, drawn), row=1, col=1)
    for who in range(3):
        figure.add_trace(_dots(curve, styles, theme, who), row=2, col=1)
    _axes(figure, curve, theme)
    return figure


def _colour(curve: SpecificationCurve, styles: Mapping[str, SystemStyle], theme: Theme, who: int) -> str:
    if who > 1 or curve.pair[who] not in styles:
        return theme.muted
    return styles[curve.pair[who]].colour


def _marks(
    curve: SpecificationCurve, colour: str, levels: list[list[str]], theme: Theme, who: int, tested: bool
) -> Any:
    """The marks of one system's combinations, filled or hollow."""
    places = [place for place, one in enumerate(curve.fairer) if one == who and curve.tested[place] == tested]
    if not places:
        return None
    name = "neither is fairer" if who == 2 else f"{shortened(curve.pair[who])} fairer"
    ending = "" if who == 2 else ", tested" if tested else ", by the mean only"
    size = 7 if len(curve.values) <= 300 else 5
    marked = set(curve.marked)
    return marker_class(len(curve.values) * 3)(
        x=places,
        y=[curve.values[place] for place in places],
        mode="markers",
        name=f"{name}{ending}: {len(places):,}",
        customdata=[[curve.combinations[place]] for place in places],
        text=[_hover(curve, place, levels[place]) for place in places],
        hovertemplate="%{text}<extra></extra>",
        marker={
            "color": colour,
            "symbol": MARKERS[who] if tested else f"{MARKERS[who]}-open",
            "size": [size + 8 if place in marked else size for place in places],
            "line": {"width": [2.5 if place in marked else 1 for place in places],
                     "color": [theme.text if place in marked else colour for place in places]},
        },
    )  # fmt: skip


def _levels(curve: SpecificationCurve) -> list[list[str]]:
    """Choice and level of each place, by the rows in which it has a dot."""
    found: list[list[str]] = [[] for _ in range(len(curve.values) + len(curve.without))]
    for (name, level), dots in zip(curve.rows, curve.dots, strict=True):
        for place in dots:
            found[place].append(f"{safe(name)}: {safe(level)}")
    return found


def _hover(curve: SpecificationCurve, place: int, levels: Sequence[str]) -> str:
    value, low, high = (f"{each:+.3f}" for each in (curve.values[place], curve.lows[place], curve.highs[place]))
    said = f"{value}, 95 % interval {low} to {high}".replace("-", "−")
    chance = f"{safe(curve.pair[0])} fairer in {100 * curve.chances[place]:.0f} % of resamples"
    now = "<br>as it is set now" if place in curve.marked else ""
    return f"<b>{said}</b><br>{chance}<br>{'<br>'.join(levels)}{now}"


def _intervals(curve: SpecificationCurve, drawn: Any, theme: Theme) -> Any:
    """All intervals as one line with gaps."""
    x = [x for place in range(len(curve.values)) for x in (place, place, None)]
    y = [y for low, high in zip(curve.lows, curve.highs, strict=True) for y in (low, high, None)]
    return drawn(x=x, y=y, mode="lines", showlegend=False, hoverinfo="skip",
                 opacity=0.4 if len(curve.values) <= 300 else 0.2,
                 line={"color": theme.muted, "width": 1})  # fmt: skip


def _behind(curve: SpecificationCurve, levels: list[list[str]], theme: Theme, drawn: Any) -> Any:
    """The combinations without a value, on the line of 0."""
    first = len(curve.values)
    return drawn(
        x=[first + place for place in range(len(curve.without))],
        y=[0.0] * len(curve.without),
        mode="markers",
        name=f"no value: {curve.many_without:,}",
        customdata=[[number] for number in curve.without],
        text=["<br>".join(levels[first + place]) for place in range(len(curve.without))],
        hovertemplate="no value for one of the two systems<br>%{text}<extra></extra>",
        marker={"color": theme.muted, "symbol": "x-thin", "size": 6, "line": {"width": 1, "color": theme.muted}},
    )


def _dots(curve: SpecificationCurve, styles: Mapping[str, SystemStyle], theme: Theme, who: int) -> Any:
    """The dots of the combinations in which one system is fairer, or none is."""
    fairer = [*curve.fairer, *[2] * len(curve.without)]
    points = [(place, row) for row, places in enumerate(curve.dots) for place in places if fairer[place] == who]
    total = sum(map(len, curve.dots))
    return marker_class(total)(
        x=[place for place, _ in points],
        y=[row for _, row in points],
        mode="markers",
        hoverinfo="skip",
        showlegend=False,
        marker={"color": _colour(curve, styles, theme, who), "size": 5 if len(fairer) <= 300 else 4,
                "symbol": MARKERS[who]},
    )  # fmt: skip


def _axes(figure: go.Figure, curve: SpecificationCurve, theme: Theme) -> None:
    """0 as a line, the rows' names, and lines between choices."""
    names = [f"{safe(name).replace('_', ' ')}: {shortened(level, 24)}" if place == 0 or curve.rows[place - 1][0] != name
             else shortened(level, 24) for place, (name, level) in enumerate(curve.rows)]  # fmt: skip
    width = len(curve.values) + len(curve.without)
    pad = max(GAP * width, 0.6)
    figure.update_xaxes(axis(theme) | {"showticklabels": False, "showgrid": False, "zeroline": False,
                                       "range": [-pad, width - 1 + pad]})  # fmt: skip
    figure.update_yaxes(axis(theme))
    figure.update_yaxes(title_text=f"{shortened(curve.pair[0])} fairer →, with 95 % intervals", row=1, col=1)
    figure.add_hline(y=0, line={"color": theme.text, "width": 1}, row=1, col=1)
    figure.update_yaxes(tickvals=list(range(len(names))), ticktext=names, range=[len(names) - 0.4, -0.6],
                        showgrid=False, zeroline=False, row=2, col=1)  # fmt: skip
    for place in range(1, len(curve.rows)):
        if curve.rows[place][0] != curve.rows[place - 1][0]:
            figure.add_hline(y=place - 0.5, line={"color": theme.grid, "width": 1}, row=2, col=1)
    figure.update_xaxes(title_text=f"{curve.many:,} combinations, sorted; a dot shows the level of each", row=2, col=1)
