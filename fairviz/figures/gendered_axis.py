"""Words between male and female with their intervals: a panel for each pair of lists, a row for each word."""

import math
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from fairviz.figures.gender_colour import MALE_TO_FEMALE, REACH, axis_range, colourscale, side
from fairviz.figures.style import LIGHT, Theme, axis, empty_figure, layout, safe, shortened

TITLE = "Words between male and female"
X_TITLE = f"genderedness g(w)   {MALE_TO_FEMALE}"
ROW_HEIGHT, LEAST_HEIGHT = 15, 260
MOST_COLUMNS = 2
GAP = 1  # rows between two lists
SYMBOLS = {"female": "square", "male": "triangle-up", "": "circle"}


@dataclass(frozen=True)
class Word:
    """One word with its g and interval, NaN where there is none."""

    word: str
    g: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class WordList:
    """The words of a list that have a vector, from female to male; `mean` is their mean g."""

    name: str
    words: tuple[Word, ...]
    mean: float


@dataclass(frozen=True)
class GenderedAxis:
    """What is drawn: panels of one or two lists, the first on top; `centre` is the g that has no colour."""

    panels: tuple[tuple[WordList, ...], ...]
    centre: float

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        means = ", ".join(f"{held.name} {held.mean:.2f}" for panel in self.panels for held in panel)
        return f"Genderedness of words, male left and female right. Means of the lists: {means or 'none'}."

    @property
    def rows(self) -> int:
        """Rows of panels."""
        return math.ceil(len(self.panels) / self.columns)

    @property
    def columns(self) -> int:
        """Panels side by side."""
        return max(1, min(MOST_COLUMNS, len(self.panels)))

    @property
    def height(self) -> int:
        """Pixels that the words need."""
        deepest = max((_depth(panel) for panel in self.panels), default=0)
        return max(LEAST_HEIGHT, self.rows * deepest * ROW_HEIGHT + 110)


def info(words: pd.DataFrame, centre: float) -> GenderedAxis:
    """Panels of a table (pair, list, word, g, ci_low, ci_high), words without g left out, in order of appearance."""
    known = words.dropna(subset=["g"])
    panels = [
        tuple(_word_list(str(name), part) for name, part in rows.groupby("list", sort=False))
        for _, rows in known.groupby("pair", sort=False)
    ]
    return GenderedAxis(tuple(panels), centre)


def _word_list(name: str, rows: pd.DataFrame) -> WordList:
    rows = rows.sort_values("g", ascending=False)
    columns = zip(rows["word"], rows["g"], rows["ci_low"], rows["ci_high"], strict=True)
    words = tuple(Word(str(word), float(g), (float(low), float(high))) for word, g, low, high in columns)
    return WordList(name, words, float(rows["g"].mean()))


def _depth(panel: tuple[WordList, ...]) -> int:
    """Rows that a panel takes: a heading and the words of each list, and what lies between."""
    return sum(len(held.words) + 1 + GAP for held in panel)


def draw(drawn: GenderedAxis, theme: Theme = LIGHT) -> go.Figure:
    """A marker and whisker a word; squares on the female side of the centre, triangles on the male one; a bar at each
    list's mean."""
    if not drawn.panels:
        return empty_figure(TITLE, "None of these words has a vector.", theme, LEAST_HEIGHT)
    figure = make_subplots(
        drawn.rows, drawn.columns, shared_xaxes="all", horizontal_spacing=0.2, vertical_spacing=0.16 / drawn.rows
    )
    figure.update_layout(layout(TITLE, theme, drawn.height))
    figure.update_layout(showlegend=False, margin={"l": 8, "r": 8, "t": 40, "b": 44}, title={"y": 1, "pad": {"t": 14}})
    held = [word for panel in drawn.panels for group in panel for word in group.words]
    ends = axis_range(value for word in held for value in (word.g, *word.interval))
    figure.update_xaxes(axis(theme) | {"nticks": 6, "range": ends})
    for place, panel in enumerate(drawn.panels):
        at = {"row": place // drawn.columns + 1, "col": place % drawn.columns + 1}
        _panel(figure, panel, drawn.centre, theme, at)
    figure.add_vline(x=drawn.centre, line={"dash": "dot", "width": 1.2, "color": theme.muted})
    figure.add_annotation(text=X_TITLE, x=0.5, y=0, xref="paper", yref="paper", showarrow=False, yshift=-40)
    return figure


def _panel(figure: go.Figure, panel: tuple[WordList, ...], centre: float, theme: Theme, at: dict) -> None:
    top = 0
    ticks: dict[int, str] = {}
    for held in panel:
        rows = [top - 1 - place for place in range(len(held.words))]
        ticks |= {top: f"<b>{shortened(held.name, 22)}</b>"}
        ticks |= dict(zip(rows, (shortened(word.word, 18) for word in held.words), strict=True))
        figure.add_trace(_words(held, rows, centre, theme), **at)
        mean = {"x": [held.mean] * 2, "y": [top - 0.5, rows[-1] - 0.5], "line": {"color": theme.text, "width": 2.5}}
        hover = f"mean of {safe(held.name)}: {held.mean:.3f}<extra></extra>"
        figure.add_trace(go.Scatter(**mean, mode="lines", hovertemplate=hover), **at)
        top = rows[-1] - 1 - GAP
    ticked = {"tickmode": "array", "tickvals": list(ticks), "ticktext": list(ticks.values())}
    font = {"size": 11, "color": theme.text}
    figure.update_yaxes(axis(theme) | ticked | {"tickfont": font, "zeroline": False}, range=[top + 0.4, 0.7], **at)


def _words(held: WordList, rows: list[int], centre: float, theme: Theme) -> go.Scatter:
    values = [word.g for word in held.words]
    whiskers = [word.interval for word in held.words]
    return go.Scatter(
        x=values,
        y=rows,
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [high - g if high == high else 0 for g, (_, high) in zip(values, whiskers, strict=True)],
            "arrayminus": [g - low if low == low else 0 for g, (low, _) in zip(values, whiskers, strict=True)],
            "color": theme.muted,
            "thickness": 1,
            "width": 2.5,
        },
        mode="markers",
        text=[safe(word.word) for word in held.words],
        marker={
            "symbol": [SYMBOLS[side(value, centre)] for value in values],
            "size": 9,
            "color": values,
            "colorscale": colourscale(theme),
            "cmin": centre - REACH,
            "cmax": centre + REACH,
            "line": {"width": 1, "color": theme.muted},
        },
        customdata=[_interval(whisker) for whisker in whiskers],
        hovertemplate="<b>%{text}</b> %{x:.3f}%{customdata}<extra></extra>",
    )


def _interval(whisker: tuple[float, float]) -> str:
    low, high = whisker
    return f" ({low:.3f} to {high:.3f})" if low == low and high == high else ""
