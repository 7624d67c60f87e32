"""Words in a plane: the gender direction as x, the strongest direction orthogonal to it as y."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import dotted_line, figure, trace
from fairviz.figures.gender_colour import MALE_TO_FEMALE, REACH, axis_range, gender_marks
from fairviz.figures.style import LIGHT, SYMBOLS, Theme, safe, shortened

TITLE = "Gender, and what else sets them apart"
X_TITLE = f"genderedness g(w)   {MALE_TO_FEMALE}"
Y_TITLE = "strongest other direction"
NOTHING = "None of these words has a vector."
LEAST_HEIGHT, MOST_HEIGHT = 320, 560
WIDTH = 360  # assumed width of the plane in pixels
CHARACTER, LINE = 6.4, 15  # pixels of a letter and a line of a label
Box = tuple[float, float, float, float]  # left, bottom, right, top


@dataclass(frozen=True)
class Point:
    """A word of a list at (g, up), and whether its label is written."""

    group: str
    word: str
    g: float
    up: float
    written: bool


@dataclass(frozen=True)
class WordPlane:
    """Data of the figure; share: the share of the y axis in the words' spread orthogonal to the gender direction."""

    points: tuple[Point, ...]
    centre: float
    share: float

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        return (
            f"{len(self.points)} words by genderedness (across) and the {Y_TITLE} (up, {self.share:.0%} of the rest)."
        )


def info(words: pd.DataFrame, vectors: np.ndarray, axis: np.ndarray, centre: float, height: int = 360) -> WordPlane:
    """Return the words of a table (list, word, g) with unit vectors (N, n), without words without g. axis: (n,), of
    unit length.

    The y axis is the first principal component of the vectors' part orthogonal to the gender direction, about their
    mean for two different words or more; for one word, its own orthogonal part, as in figure 1 of the GSR paper.
    """
    is_defined = words["g"].notna().to_numpy(dtype=bool)
    defined_vectors = vectors[is_defined].astype(np.float64)
    if not len(defined_vectors):
        return WordPlane((), centre, 0.0)
    up, share = orthogonal_direction(defined_vectors, axis)
    rows, heights = words[is_defined], defined_vectors @ up
    names = [str(word) for word in rows["word"]]
    has_label = with_room(rows["g"].to_numpy(dtype=float), heights, names, height)
    columns = zip(map(str, rows["list"]), names, map(float, rows["g"]), heights.tolist(), has_label, strict=True)
    return WordPlane(tuple(Point(*cells) for cells in columns), centre, share)


def orthogonal_direction(vectors: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the strongest direction (n,) of vectors (N, n) orthogonal to the axis, and its share of their spread
    there.

    Zero, with share 0, for vectors parallel to the axis. Its sign makes the vectors' sum positive.
    """
    rest = vectors - np.outer(vectors @ axis, axis)
    spread = rest - rest.mean(axis=0)
    spread = spread if np.linalg.norm(spread) > 1e-6 else rest
    _, singular, rows = np.linalg.svd(spread, full_matrices=False)
    total = float((singular**2).sum())
    if total <= 1e-12:
        return np.zeros_like(axis), 0.0
    up = rows[0] if (rest @ rows[0]).sum() >= 0 else -rows[0]
    return up, float(singular[0] ** 2 / total)


def with_room(across: np.ndarray, up: np.ndarray, labels: list[str], height: int) -> list[bool]:
    """Return whether each label (N,), above its point, can be written without touching another label or point.

    Words far from the mean have priority.
    """
    low, high = axis_range(across.tolist())
    x = (across - low) / (high - low) * WIDTH
    y = (up - up.min()) / (float(np.ptp(up)) or 1.0) * (height - 140)
    has_label = [False] * len(labels)
    boxes: list[Box] = []  # of the labels that are written
    for place in np.argsort(-np.hypot(x - x.mean(), y - y.mean()), kind="stable"):
        half = len(labels[place]) * CHARACTER / 2
        box = (x[place] - half, y[place] + 4, x[place] + half, y[place] + 4 + LINE)
        left, bottom, right, top = box
        others = np.arange(len(x)) != place
        is_covered = (x > left - 5) & (x < right + 5) & (y > bottom - 4) & (y < top + 4) & others
        if not is_covered.any() and not any(_touch(box, other) for other in boxes):
            has_label[place] = True
            boxes.append(box)
    return has_label


def _touch(first: Box, second: Box) -> bool:
    """Return whether two boxes overlap."""
    left, bottom, right, top = first
    return left < second[2] and second[0] < right and bottom < second[3] and second[1] < top


@figure(TITLE, empty=lambda data: "" if data.points else NOTHING)
def draw(figure: go.Figure, plane: WordPlane, theme: Theme = LIGHT, height: int = 360) -> None:
    """Draw a trace a list, each with a marker of its own; every word is in the hover."""
    for place, name in enumerate(dict.fromkeys(point.group for point in plane.points)):
        rows = [point for point in plane.points if point.group == name]
        across = [point.g for point in rows]
        look = {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 10, "line": {"width": 1, "color": theme.muted}}
        figure.add_trace(
            trace(
                across, [point.up for point in rows], "markers+text", "<b>%{hovertext}</b><br>g %{x:.3f}, up %{y:.3f}",
                many=len(plane.points), name=shortened(name, 24), textposition="top center", textfont={"size": 11},
                text=[safe(point.word) if point.written else "" for point in rows], cliponaxis=False,
                hovertext=[safe(point.word) for point in rows],
                marker={**look, **gender_marks(across, plane.centre, REACH, theme)},
            )
        )  # fmt: skip
    figure.add_vline(x=plane.centre, line=dotted_line(theme))
    legend = {"orientation": "h", "yref": "container", "y": 0.01, "yanchor": "bottom", "x": 0}
    figure.update_layout(legend=legend, margin={"b": 76})
    figure.update_xaxes(title_text=X_TITLE, range=axis_range(point.g for point in plane.points))
    figure.update_yaxes(title_text=f"{Y_TITLE} ({plane.share:.0%})")
