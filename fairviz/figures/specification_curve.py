"""The specification curve of two systems: their fairness under every combination of choices, sorted, with the choices
as dots below."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure, floats, legend_above, name_rows, panels, trace
from fairviz.figures.style import LIGHT, Styles, Theme, safe, shortened
from fairviz.words.sentences import agreeing, counted, decimal

MOST_DRAWN = 2_000  # combinations; of more, an evenly spaced sample is drawn
GAP = 0.02  # margin at both ends, as a share of the width
TOP, ROW, REST, NAMES = 250, 17, 114, 70  # pixels: the curve, a row of dots, titles, names below
MARKERS = ("circle", "diamond", "x")
FEW = 300  # combinations with larger marks
MOST_NAMED = 45  # names that fit below the figure


@dataclass(frozen=True)
class SpecificationCurve:
    """Combinations sorted by how much fairer A is than B.

    pair: A and B. combinations, values, lows and highs (N,), sorted by value; fairer (N,): 0 A, 1 B, 2 neither; tested
    (N,): whether a corrected test supports it. without: combinations without a value, drawn after the others. rows:
    choice and level of each row of dots, from the top; dots (rows,): the places of the combinations with this level.
    marked: places of the present choices. many, many_without: the numbers of combinations with and without a value, of
    which a part is drawn. noun: what a combination is; names: of the drawn ones, if they have any.
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
    noun: str = "combination"
    names: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Title of the figure."""
        first, second = (shortened(name, 30) for name in self.pair)
        part = "" if len(self.values) == self.many else f", {len(self.values):,} of {self.many:,} drawn"
        under = "under" if self.noun == "combination" else "for"
        return f"How much fairer {first} is than {second}, {under} every {self.noun}{part}"

    @property
    def whole(self) -> str:
        """What a combination is, with its attribute."""
        return "combination of choices" if self.noun == "combination" else self.noun

    @property
    def counted(self) -> str:
        """The number of combinations with a value, and what they are."""
        return f"{self.many:,} combinations of choices" if self.noun == "combination" else counted(self.many, self.noun)

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.values:
            return f"No {self.whole} has a value for both systems."
        ours, theirs = self.fairer.count(0), self.fairer.count(1)
        none = f", {self.many_without:,} without a value" if self.many_without else ""
        return (
            f"How much fairer {self.pair[0]} is than {self.pair[1]} under {self.counted}{none}, "
            f"{self.unit}: from {self.values[0]:.3f} to {self.values[-1]:.3f}; of {len(self.values):,} drawn "
            f"{self.pair[0]} is fairer under {ours:,}, {self.pair[1]} under {theirs:,}."
        )


def info(
    table: pd.DataFrame,
    pair: tuple[str, str],
    varied: Mapping[str, Sequence[str]],
    unit: str = "in the measure's unit",
    present: Sequence[int] = (),
    noun: str = "combination",
) -> SpecificationCurve:
    """Return the curve from a table (combination, value, low, high, chance, fairer, tested, a column for each choice,
    and name if combinations have one).

    varied: the levels of each choice in order. present: combinations of the present choices.
    """
    valued = table[table["value"].notna()].sort_values("value", kind="stable", ignore_index=True)
    unvalued = table[table["value"].isna()]
    drawn_valued, drawn_unvalued = _thin(valued, present), _thin(unvalued, ())
    drawn_rows = pd.concat([drawn_valued, drawn_unvalued], ignore_index=True) if len(drawn_unvalued) else drawn_valued
    order = {pair[0]: 0, pair[1]: 1}
    rows = tuple((name, level) for name, levels in varied.items() for level in levels)
    levels_by_choice = {name: drawn_rows[name].to_numpy(dtype=object) for name in varied}
    dots = tuple(tuple(np.flatnonzero(levels_by_choice[name] == level).tolist()) for name, level in rows)
    present_numbers = set(present)
    values, lows, highs, chances = floats(drawn_valued, "value", "low", "high", "chance")
    return SpecificationCurve(
        pair,
        unit,
        tuple(drawn_valued["combination"].tolist()),
        values,
        lows,
        highs,
        chances,
        tuple(order.get(name, 2) for name in drawn_valued["fairer"]),
        tuple(name in pair for name in drawn_valued["tested"]),
        tuple(drawn_unvalued["combination"].tolist()),
        rows,
        dots,
        tuple(place for place, number in enumerate(drawn_valued["combination"]) if number in present_numbers),
        len(valued),
        len(unvalued),
        noun,
        tuple(drawn_rows["name"]) if "name" in drawn_rows else (),
    )


def _thin(table: pd.DataFrame, present: Sequence[int]) -> pd.DataFrame:
    if len(table) <= MOST_DRAWN:
        return table
    places = set(np.linspace(0, len(table) - 1, MOST_DRAWN).round().astype(int).tolist())
    places |= set(np.flatnonzero(table["combination"].isin(list(present))).tolist())
    return table.iloc[sorted(places)].reset_index(drop=True)


def height(curve: SpecificationCurve) -> int:
    """Return the height of the figure in pixels."""
    return TOP + REST + ROW * len(curve.rows) + (NAMES if curve.names else 0)


@figure(lambda data: data.title, lambda data: "" if data.values else data.alt)
def draw(figure: go.Figure, curve: SpecificationCurve, styles: Styles, theme: Theme = LIGHT) -> None:
    """Draw a marker a combination with its interval, filled if a corrected test supports it, and below it a dot in the
    row of each of its levels. A marker's customdata is the number of its combination."""
    total_height = height(curve)
    share = ROW * len(curve.rows) / (total_height - REST) if curve.rows else 0.02
    panels(figure, 2, 1, theme, shared_xaxes=True, vertical_spacing=0.02, row_heights=[1 - share, share])
    legend_above(figure, 88, 1.0)
    title = {"y": 1, "yanchor": "top", "pad": {"t": 12}}
    figure.update_layout(height=total_height, title=title, margin={"b": 30})
    colours = [*(styles[name].colour if name in styles else theme.muted for name in curve.pair), theme.muted]
    figure.add_trace(_intervals(curve, theme), row=1, col=1)
    levels = _levels(curve)
    for side, tested in ((0, True), (0, False), (1, True), (1, False), (2, False)):
        places = [at for at, fairer in enumerate(curve.fairer) if fairer == side and curve.tested[at] == tested]
        if places:
            figure.add_trace(_marks(curve, places, levels, colours[side], theme), row=1, col=1)
    if curve.without:
        figure.add_trace(_without_value(curve, levels, theme), row=1, col=1)
    for side, colour in enumerate(colours):
        figure.add_trace(_dots(curve, side, colour), row=2, col=1)
    _axes(figure, curve, theme)


def _intervals(curve: SpecificationCurve, theme: Theme) -> Any:
    """Return all intervals as one line with gaps."""
    count = len(curve.values)
    x = [x for place in range(count) for x in (place, place, None)]
    y = [y for low, high in zip(curve.lows, curve.highs, strict=True) for y in (low, high, None)]
    opacity = 0.4 if count <= FEW else 0.2
    return trace(x, y, "lines", many=count * 3, colour=theme.muted, width=1, opacity=opacity, showlegend=False)


def _levels(curve: SpecificationCurve) -> list[list[str]]:
    """Return the choices and levels of each place, from its dots."""
    levels: list[list[str]] = [[] for _ in range(len(curve.values) + len(curve.without))]
    for (name, level), dots in zip(curve.rows, curve.dots, strict=True):
        for place in dots:
            levels[place].append(f"{safe(name)}: {safe(level)}")
    return levels


def _marks(
    curve: SpecificationCurve, places: Sequence[int], levels: Sequence[Sequence[str]], colour: str, theme: Theme
) -> Any:
    """Return the markers of these combinations, in which the same system is fairer: filled if tested, else hollow."""
    side, tested, marked_places = curve.fairer[places[0]], curve.tested[places[0]], set(curve.marked)
    name = "neither is fairer" if side == 2 else f"{shortened(curve.pair[side])} fairer"
    suffix = "" if side == 2 else ", tested" if tested else ", by the mean only"
    size = 7 if len(curve.values) <= FEW else 5
    is_marked = [place in marked_places for place in places]
    return trace(
        places, [curve.values[place] for place in places], hover="%{text}", many=len(curve.values) * 3, colour=colour,
        symbol=MARKERS[side] if tested else f"{MARKERS[side]}-open",
        size=[size + 8 if marked else size for marked in is_marked],
        outline={"width": [2.5 if marked else 1 for marked in is_marked],
                 "color": [theme.text if marked else colour for marked in is_marked]},
        name=f"{name}{suffix}: {len(places):,}",
        text=[_hover(curve, at, levels[at], marked=at in marked_places) for at in places],
        customdata=[[curve.combinations[place]] for place in places],
    )  # fmt: skip


def _hover(curve: SpecificationCurve, place: int, levels: Sequence[str], *, marked: bool) -> str:
    numbers = (curve.values[place], curve.lows[place], curve.highs[place])
    value, low, high = (decimal(number, sign="+") for number in numbers)
    chance = f"{safe(curve.pair[0])} fairer in {100 * curve.chances[place]:.0f} % of resamples"
    lines = [
        f"<b>{value}, 95 % interval {low} to {high}</b>",
        chance if np.isfinite(curve.chances[place]) else "",
        *levels,
        "as it is set now" if marked else "",
    ]
    return "<br>".join(filter(None, [*([f"<b>{safe(curve.names[place])}</b>"] if curve.names else []), *lines]))


def _without_value(curve: SpecificationCurve, levels: Sequence[Sequence[str]], theme: Theme) -> Any:
    """Return the combinations without a value, at 0."""
    count = len(curve.values)
    places = list(range(count, count + len(curve.without)))
    return trace(
        places, [0.0] * len(places), hover="no value for one of the two systems<br>%{text}", many=count * 3,
        symbol="x-thin", size=6, colour=theme.muted, outline={"width": 1, "color": theme.muted},
        name=f"no value: {curve.many_without:,}", text=["<br>".join(levels[place]) for place in places],
        customdata=[[number] for number in curve.without],
    )  # fmt: skip


def _dots(curve: SpecificationCurve, side: int, colour: str) -> Any:
    """Return the dots of the combinations in which one system is fairer, or neither is."""
    fairer = [*curve.fairer, *[2] * len(curve.without)]
    points = [(place, row) for row, places in enumerate(curve.dots) for place in places if fairer[place] == side]
    return trace(
        [place for place, _ in points], [row for _, row in points], many=sum(map(len, curve.dots)), colour=colour,
        size=5 if len(fairer) <= FEW else 4, symbol=MARKERS[side], showlegend=False,
    )  # fmt: skip


def _axes(figure: go.Figure, curve: SpecificationCurve, theme: Theme) -> None:
    """Add a line at 0, the names of the rows, and lines between choices."""
    names = [f"{safe(name).replace('_', ' ')}: {shortened(level, 24)}" if place == 0 or curve.rows[place - 1][0] != name
             else shortened(level, 24) for place, (name, level) in enumerate(curve.rows)]  # fmt: skip
    width = len(curve.values) + len(curve.without)
    pad = max(GAP * width, 0.6)
    figure.update_xaxes(showticklabels=False, showgrid=False, zeroline=False, range=[-pad, width - 1 + pad])
    figure.update_yaxes(title_text=f"{shortened(curve.pair[0])} fairer →, with 95 % intervals", row=1, col=1)
    figure.add_hline(y=0, line={"color": theme.text, "width": 1}, row=1, col=1)
    figure.update_yaxes(name_rows(names, 0.6, 0.6), showgrid=False, row=2, col=1)
    for place in range(1, len(curve.rows)):
        if curve.rows[place][0] != curve.rows[place - 1][0]:
            figure.add_hline(y=place - 0.5, line={"color": theme.grid, "width": 1}, row=2, col=1)
    what = f"{curve.many:,} {agreeing(curve.many, curve.noun)}"
    figure.update_xaxes(title_text=f"{what}, sorted; a dot shows the level of each", row=2, col=1)
    if curve.names and len(curve.names) <= MOST_NAMED:
        texts = [shortened(name, 14) for name in curve.names]
        figure.update_xaxes(
            showticklabels=True, tickvals=list(range(width)), ticktext=texts, tickangle=-60, row=2, col=1
        )
