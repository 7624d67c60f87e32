"""The group preferred in pairs against the group favoured in lists, which may differ (Wang et al. 2024)."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import dotted_line, error_bars, figure, legend_above, trace
from fairviz.figures.style import LIGHT, Theme, safe, shortened

TITLE = "Pairs against lists"
HEIGHT = 400
NOTHING = "No ranker has a preference both in pairs and in lists."
COLUMNS = ("system", "pairs", "pairs_low", "pairs_high", "lists", "lists_low", "lists_high")
COLOURS = (("#0067a5", "#5aa9e6"), ("#c0392b", "#f2786b"), ("#7c848f", "#a9b1bc"), ("#7c848f", "#a9b1bc"))
AGREE, PART, APART = "both favour the same group", "pairs and lists contradict", "not significantly different from even"
OPEN = "not tested"
SYMBOLS = {AGREE: "circle", PART: "x", APART: "diamond", OPEN: "circle-open"}


@dataclass(frozen=True)
class PairsAndLists:
    """A point a system: the share of queries that prefer the protected group in pairs and in lists, with intervals,
    (S, 6)."""

    protected: str
    other: str
    systems: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """For each system, whether pairs and lists agree, contradict, or one of them is not significantly different
        from even: its interval contains one half; or whether one has no interval."""
        return tuple(verdict(row) for row in self.values)

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        rows = zip(self.systems, self.values, self.verdicts, strict=True)
        texts = [f"{name}: {row[0]:.3f} in pairs, {row[3]:.3f} in lists ({told})" for name, row, told in rows]
        return f"{TITLE}, {self.protected} over {self.other}. {'; '.join(texts[:8]) or NOTHING}"


def verdict(row: tuple[float, ...]) -> str:
    """Return AGREE, PART, APART or OPEN from value, low and high in pairs, then in lists."""
    _, low, high, _, least, most = row
    if np.isnan([low, high, least, most]).any():
        return OPEN
    if low <= 0.5 <= high or least <= 0.5 <= most:
        return APART
    return AGREE if (low > 0.5) == (least > 0.5) else PART


def info(table: pd.DataFrame, protected: str, other: str) -> PairsAndLists:
    """Return the points from a table with COLUMNS, without systems that lack one of the values."""
    rows = table[np.isfinite(table["pairs"]) & np.isfinite(table["lists"])]
    values = tuple(tuple(float(value) for value in row) for row in rows[list(COLUMNS[1:])].to_numpy())
    return PairsAndLists(protected, other, tuple(rows["system"].astype("str")), values)


@figure(TITLE, empty=lambda data: "" if data.systems else NOTHING, height=240)
def draw(figure: go.Figure, preferences: PairsAndLists, theme: Theme = LIGHT) -> None:
    """Draw a named marker a system with both intervals; its shape shows the verdict."""
    figure.update_layout(height=HEIGHT)
    for place, kind in enumerate(SYMBOLS):
        rows = [row for row, system_verdict in enumerate(preferences.verdicts) if system_verdict == kind]
        if not rows:
            continue
        colour, names = COLOURS[place][theme.dark], [preferences.systems[row] for row in rows]
        x, low, high, y, least, most = np.array([preferences.values[row] for row in rows]).T
        figure.add_trace(
            trace(
                x, y, "markers+text", "<b>%{customdata}</b><br>pairs %{x:.3f}, lists %{y:.3f}", colour=colour,
                symbol=SYMBOLS[kind], size=11, name=kind, text=[shortened(name, 24) for name in names],
                textposition="top center", customdata=[safe(name) for name in names],
                error_x=error_bars(x, low, high, colour, 1.4), error_y=error_bars(y, least, most, colour, 1.4),
            )
        )  # fmt: skip
    figure.add_vline(0.5, line=dotted_line(theme))
    figure.add_hline(0.5, line=dotted_line(theme))
    protected, other = safe(preferences.protected), safe(preferences.other)
    figure.update_xaxes(title_text=f"in pairs: share of queries that prefer {protected} to {other}", zeroline=False)
    figure.update_yaxes(title_text=f"in lists: share of queries with {protected} higher", zeroline=False)
    legend_above(figure, 74)
