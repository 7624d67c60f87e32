"""Words between male and female with their intervals: a panel for each pair of lists, a row for each word."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import dotted_line, error_bars, figure, interval_text, panels, trace
from fairviz.figures.gender_colour import MALE_TO_FEMALE, REACH, axis_range, gender_marks, side
from fairviz.figures.style import LIGHT, Theme, safe, shortened

TITLE = "Words between male and female"
NOTHING = "None of these words has a vector."
X_TITLE = f"genderedness g(w)   {MALE_TO_FEMALE}"
ROW_HEIGHT, LEAST_HEIGHT = 15, 260
MOST_COLUMNS = 2
GAP = 1  # rows between two lists
SYMBOLS = {"female": "square", "male": "triangle-up", "": "circle"}


@dataclass(frozen=True)
class Word:
    """One word with its g and interval, NaN without one."""

    word: str
    g: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class WordList:
    """The words of a list with a vector, from female to male, and their mean g."""

    name: str
    words: tuple[Word, ...]
    mean: float


@dataclass(frozen=True)
class GenderedAxis:
    """Data of the figure: panels of one or two lists, the first on top, and the g without colour."""

    panels: tuple[tuple[WordList, ...], ...]
    centre: float

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        means = ", ".join(f"{word_list.name} {word_list.mean:.2f}" for panel in self.panels for word_list in panel)
        return f"Genderedness of words, male left and female right. Means of the lists: {means or 'none'}."

    @property
    def rows(self) -> int:
        """Number of rows of panels."""
        return math.ceil(len(self.panels) / self.columns)

    @property
    def columns(self) -> int:
        """Number of panels in a row."""
        return max(1, min(MOST_COLUMNS, len(self.panels)))

    @property
    def height(self) -> int:
        """Height of the figure in pixels."""
        # rows of a panel: a heading, the words of each list, and gaps
        depth = max((sum(len(each.words) + 1 + GAP for each in panel) for panel in self.panels), default=0)
        return max(LEAST_HEIGHT, self.rows * depth * ROW_HEIGHT + 110)


def info(words: pd.DataFrame, centre: float) -> GenderedAxis:
    """Return the panels of a table (pair, list, word, g, ci_low, ci_high) in its order, without words without g."""
    panels = []
    for _, pair_rows in words.dropna(subset=["g"]).groupby("pair", sort=False):
        lists = []
        for name, part in pair_rows.groupby("list", sort=False):
            rows = part.sort_values("g", ascending=False)
            columns = zip(rows["word"], rows["g"], rows["ci_low"], rows["ci_high"], strict=True)
            list_words = tuple(Word(str(word), float(g), (float(low), float(high))) for word, g, low, high in columns)
            lists.append(WordList(str(name), list_words, float(rows["g"].mean())))
        panels.append(tuple(lists))
    return GenderedAxis(tuple(panels), centre)


@figure(TITLE, empty=lambda data: "" if data.panels else NOTHING, height=LEAST_HEIGHT)
def draw(figure: go.Figure, axis_data: GenderedAxis, theme: Theme = LIGHT) -> None:
    """Draw a marker and whisker a word, squares on the female side of the centre, triangles on the male side, and a bar
    at each list's mean."""
    spacing = {"horizontal_spacing": 0.2, "vertical_spacing": 0.16 / axis_data.rows}
    positions = panels(figure, len(axis_data.panels), axis_data.columns, theme, shared_xaxes="all", **spacing)
    figure.update_layout(height=axis_data.height, showlegend=False, margin={"l": 8, "r": 8, "t": 40, "b": 44})
    figure.update_layout(title={"y": 1, "pad": {"t": 14}})
    words = [word for panel in axis_data.panels for group in panel for word in group.words]
    ends = axis_range(value for word in words for value in (word.g, *word.interval))
    figure.update_xaxes(nticks=5, tickangle=0, range=ends)
    for panel, position in zip(axis_data.panels, positions, strict=True):
        _draw_lists(figure, panel, axis_data.centre, theme, position)
    figure.add_vline(x=axis_data.centre, line=dotted_line(theme))
    figure.add_annotation(text=X_TITLE, x=0.5, y=0, xref="paper", yref="paper", showarrow=False, yshift=-40)


def _draw_lists(
    figure: go.Figure, word_lists: Sequence[WordList], centre: float, theme: Theme, position: Mapping[str, int]
) -> None:
    """Draw the lists of a panel below one another, each with its name above its words."""
    top = 0
    ticks: dict[int, str] = {}
    for word_list in word_lists:
        rows = [top - 1 - place for place in range(len(word_list.words))]
        ticks |= {top: f"<b>{shortened(word_list.name, 22)}</b>"}
        ticks |= dict(zip(rows, (shortened(word.word, 18) for word in word_list.words), strict=True))
        figure.add_trace(_words(word_list, rows, centre, theme), **position)
        across, hover = [word_list.mean] * 2, f"mean of {safe(word_list.name)}: {word_list.mean:.3f}"
        look = {"colour": theme.text, "width": 2.5}
        figure.add_trace(trace(across, [top - 0.5, rows[-1] - 0.5], "lines", hover, **look), **position)
        top = rows[-1] - 1 - GAP
    tick_options = {"tickmode": "array", "tickvals": list(ticks), "ticktext": list(ticks.values())}
    font = {"size": 11, "color": theme.text}
    figure.update_yaxes(tick_options | {"tickfont": font, "zeroline": False}, range=[top + 0.4, 0.7], **position)


def _words(word_list: WordList, rows: Sequence[int], centre: float, theme: Theme) -> go.Scatter:
    values, whiskers = [word.g for word in word_list.words], [word.interval for word in word_list.words]
    low, high = zip(*whiskers, strict=True)
    marks = gender_marks(values, centre, REACH, theme) | {"line": {"width": 1, "color": theme.muted}}
    marks |= {"symbol": [SYMBOLS[side(value, centre)] for value in values], "size": 9}
    return trace(
        values, rows, hover="<b>%{text}</b> %{x:.3f}%{customdata}", marker=marks,
        error_x=error_bars(values, low, high, theme.muted, 1, 2.5), text=[safe(word.word) for word in word_list.words],
        customdata=[interval_text(*whisker) for whisker in whiskers],
    )  # fmt: skip
