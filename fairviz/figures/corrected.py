"""Means by a machine's labels, by people's alone, and corrected: a row a system, a panel a measure."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import (
    Line,
    add_panel,
    apart,
    error_bars,
    figure,
    floats,
    legend_above,
    name_rows,
    panels,
    trace,
    value_text,
)
from fairviz.figures.style import LIGHT, Theme, first_texts, hollow, references_last, safe, shortened

TITLE = "Corrected means, 95 % intervals"
NOTHING = "Nothing was corrected."
ROW, AROUND, LEGEND_TOP = 30, 112, 78  # pixels
MOST_TOLD = 4
NAME_CHARACTERS = 24
SYMBOLS = ("circle", "diamond", "square")


@dataclass(frozen=True)
class Corrected:
    """systems: the rows, from the top. panels: by measure, a line for each of kinds, with a value for each system."""

    title: str
    kinds: tuple[str, str, str]
    systems: tuple[str, ...]
    panels: dict[str, tuple[Line, Line, Line]]

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        texts = [
            f"{measure} of {system} {value_text(machine.values[place])} by the machine, "
            f"{value_text(both.values[place], both.low[place], both.high[place])} corrected"
            for measure, (machine, _, both) in self.panels.items()
            for place, system in enumerate(self.systems)
        ]
        return f"{self.title}. {first_texts(texts, MOST_TOLD)}."


def info(table: pd.DataFrame, machine: str = "machine", people: str = "people", against: str = "") -> Corrected:
    """Return the rows of `fairviz.corrected`. machine, people: names of annotators. against: the system from which they
    are differences."""
    systems = tuple(references_last(str(name) for name in table["system"]))
    by_measure = {}
    for measure in dict.fromkeys(table["measure"]):
        rows = table[table["measure"] == measure].set_index("system").reindex(list(systems))
        none = (np.nan,) * len(systems)
        by_measure[str(measure)] = (
            Line(floats(rows, "machine")[0], none, none),
            Line(*floats(rows, "people", "people_low", "people_high")),
            Line(*floats(rows, "value", "ci_low", "ci_high")),
        )
    title = f"Corrected differences from {shortened(against)}, 95 % intervals" if against else TITLE
    kinds = (f"{shortened(machine)} alone", f"{shortened(people)} alone", "corrected")
    return Corrected(title, kinds, systems, by_measure)


def height_of(data: Corrected) -> int:
    """Return the height that the rows need, in pixels."""
    return AROUND + ROW * max(len(data.systems), 2)


@figure(lambda data: data.title, lambda data: "" if data.panels and data.systems else NOTHING)
def draw(figure: go.Figure, data: Corrected, theme: Theme = LIGHT, height: int = 320) -> None:
    """Draw the three marks of each system below one another, with 95 % intervals."""
    places = panels(figure, len(data.panels), len(data.panels), theme, shared_yaxes=True, horizontal_spacing=0.03)
    legend_names: set[str] = set()
    for (measure, lines), place in zip(data.panels.items(), places, strict=True):
        traces = []
        for number, (kind, one, symbol) in enumerate(zip(data.kinds, lines, SYMBOLS, strict=True)):
            is_machine, colour = number == 0, theme.text if number == 2 else theme.muted
            numbers = zip(one.values, one.low, one.high, strict=True)
            texts = [value_text(*row[:1]) if is_machine else value_text(*row) for row in numbers]
            names = zip(map(safe, data.systems), texts, one.values, strict=True)
            traces.append(
                trace(
                    np.array(one.values), np.arange(len(texts)) + apart(number, 3, 0.22),
                    hover=f"<b>%{{customdata[0]}}</b><br>{safe(kind)}: %{{customdata[1]}}", name=safe(kind),
                    colour=colour, symbol=hollow(symbol) if is_machine else symbol, size=8,
                    error_x=None if is_machine else error_bars(*one, colour, 2 if number == 2 else 1.2, 3),
                    customdata=list(map(list, names)),
                )
            )  # fmt: skip
        add_panel(figure, traces, place, legend_names)
        # `CWEx@10` of `CWEx(alpha=0.5)@10`, unless another panel would have the same title
        brief, *others = (re.sub(r"\(.*\)", "", name) for name in (measure, *data.panels))
        title = measure if others.count(brief) > 1 else brief
        figure.update_xaxes({"title_text": shortened(title, 22), "nticks": 5}, **place)
        figure.update_yaxes(name_rows([shortened(name, NAME_CHARACTERS) for name in data.systems], 0.6, 0.6), **place)
    if data.title != TITLE:
        figure.add_vline(0, line={"width": 1, "color": theme.muted})
    figure.update_layout(showlegend=True)
    legend_above(figure, LEGEND_TOP)
