"""The gender sensitivity of each sense of a Backpack: bars with intervals, those with the weight marked."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from fairviz.extensions.backpack.figures.weight_curves import COLOUR
from fairviz.figures.frame import error_bars, figure, floats, legend_above
from fairviz.figures.style import LIGHT, Theme

TITLE = "Sensitivity of each sense (low carries gender)"
NOTHING = "The model has no sense."
SCALED, OTHER = "gets the weight", "stays at 1"


@dataclass(frozen=True)
class SenseBars:
    """The score of each sense with its interval over resamples of word pairs, and whether the weight applies to it."""

    senses: tuple[int, ...]
    values: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    scaled: tuple[bool, ...]
    pairs: int

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        if not self.senses:
            return "A model without senses."
        rows = list(zip(self.senses, self.values, self.scaled, strict=True))
        texts = ", ".join(f"sense {sense} {value:.3f}" for sense, value, _ in rows)
        scaled = " and ".join(str(sense) for sense, _, is_scaled in rows if is_scaled)
        text = f"Mean cosine of each sense over {self.pairs} pairs of gender words: {texts}."
        return f"{text} The weight goes to {scaled}."


def info(table: pd.DataFrame, scaled: Sequence[int]) -> SenseBars:
    """Return the bars from a table (sense, sensitivity, ci_low, ci_high, pairs). scaled: the senses with the weight."""
    values, low, high = floats(table, "sensitivity", "ci_low", "ci_high")
    senses = tuple(int(sense) for sense in table["sense"])
    pairs = int(table["pairs"].iloc[0]) if len(table) else 0
    return SenseBars(senses, values, low, high, tuple(sense in scaled for sense in senses), pairs)


@figure(TITLE, empty=lambda data: "" if data.senses else NOTHING, height=280)
def draw(figure: go.Figure, bars: SenseBars, theme: Theme = LIGHT) -> None:
    """Draw a bar a sense with its interval, in two series: with the weight and without."""
    for name, is_scaled in ((SCALED, True), (OTHER, False)):
        places = [place for place, sense_is_scaled in enumerate(bars.scaled) if sense_is_scaled == is_scaled]
        value, low, high = ([numbers[place] for place in places] for numbers in (bars.values, bars.low, bars.high))
        pattern = {"shape": "/" if is_scaled else "", "fillmode": "overlay", "solidity": 0.25}
        figure.add_trace(
            go.Bar(
                x=[f"sense {bars.senses[place]}" for place in places], y=value, name=name,
                error_y=error_bars(value, low, high, theme.text, 1.2),
                marker={"color": COLOUR[theme.dark] if is_scaled else theme.muted, "pattern": pattern},
                customdata=list(map(list, zip(low, high, strict=True))),
                hovertemplate="%{x}: %{y:.3f} (%{customdata[0]:.3f} to %{customdata[1]:.3f})<extra></extra>",
            )
        )  # fmt: skip
    names = [f"sense {sense}" for sense in bars.senses]
    figure.update_xaxes(categoryorder="array", categoryarray=names, showgrid=False)
    figure.update_yaxes(title_text="mean cosine over pairs")
    legend_above(figure, 66, 1.0)
