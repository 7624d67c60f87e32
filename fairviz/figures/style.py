"""Shared parts of the figures: themes, styles of groups and systems, titles of axes with the fairer direction.

A system's colour, marker and dash depend on its place in the study, so that it looks the same on every page, whichever
systems are hidden. The references, `perfect`, `random` and `oracle`, are hollow and grey, and come last. Colour is
never the only cue.
"""

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import plotly.graph_objects as go

from fairviz.study.record import is_reference

T = TypeVar("T")
WEBGL_ABOVE = 500  # markers; more of them are too slow in SVG
LEGEND_CHARACTERS = 18
FRONT = "Pareto front"
BEST = "Best achievable"
FONT = "Source Sans, Segoe UI, Helvetica, Arial, sans-serif"


@dataclass(frozen=True)
class Theme:
    """Colours of text and lines on a light or dark page; backgrounds are transparent."""

    dark: bool
    text: str
    muted: str
    grid: str
    surface: str


LIGHT = Theme(False, "#1f2733", "#5d6673", "#e3e7ed", "#ffffff")
DARK = Theme(True, "#e6e9ee", "#a4adba", "#2f3744", "#1b212b")

_LIGHT_SYSTEMS = ("#0067a5", "#c0392b", "#1f8a4c", "#a3498b", "#3a9ad9", "#8a6d00")
_LIGHT_MORE = ("#5b3a8c", "#00857c", "#d1577a", "#555d66", "#6b8e23", "#7a4a2b")
_DARK_SYSTEMS = ("#5aa9e6", "#f2786b", "#57c785", "#d98cc4", "#9bd3ff", "#d9b93b")
_DARK_MORE = ("#a98be0", "#4ecdc4", "#f7a1b9", "#b4bcc6", "#b5d45f", "#cf9b73")
SYMBOLS = (
    "circle", "square", "diamond", "triangle-up", "cross", "star", "x", "pentagon", "triangle-down", "hexagram",
    "hourglass", "bowtie",
)  # fmt: skip
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")

# Plotly's marker symbols as SVG paths, for legends, strips, and figures while a slider is dragged: of size 20, centred
# at (0, 0).
SMALL = 0.55  # the scale of a marker of size 11
PATHS: dict[str, str] = {
    "circle": "M10,0A10,10 0 1,1 0,-10A10,10 0 0,1 10,0Z",
    "square": "M10,10H-10V-10H10Z",
    "diamond": "M13,0L0,13L-13,0L0,-13Z",
    "triangle-up": "M-11.55,5H11.55L0,-10Z",
    "triangle-down": "M-11.55,-5H11.55L0,10Z",
    "cross": "M12,4H4V12H-4V4H-12V-4H-4V-12H4V-4H12Z",
    "pentagon": "M9.51,-3.09L5.88,8.09H-5.88L-9.51,-3.09L0,-10Z",
    "hexagram": "M-7.6,0l-3.8,-6.6h7.6l3.8,-6.6l3.8,6.6h7.6l-3.8,6.6l3.8,6.6h-7.6l-3.8,6.6l-3.8,-6.6h-7.6Z",
    "hourglass": "M10,10H-10L10,-10H-10Z",
    "bowtie": "M10,10V-10L-10,10V-10Z",
    "triangle-left": "M5,-11.55V11.55L-10,0Z",
    "triangle-right": "M-5,-11.55V11.55L10,0Z",
    "triangle-ne": "M-12,-6H6V12Z",
    "triangle-se": "M6,-12V6H-12Z",
    "triangle-nw": "M-6,12V-6H12Z",
    "triangle-sw": "M12,6H-6V-12Z",
    "line-ns": "M0,14V-14",
    "star": ("M3.15,-4.33H13.31L5.08,1.65L8.23,11.33L0,5.35L-8.23,11.33L-5.08,1.65L-13.31,-4.33H-3.15L0,-14Z"),
    "x": (
        "M0,5.66l5.66,5.66l5.66,-5.66l-5.66,-5.66l5.66,-5.66"
        "l-5.66,-5.66l-5.66,5.66l-5.66,-5.66l-5.66,5.66l5.66,5.66l-5.66,5.66l5.66,5.66Z"
    ),
}
SVG_DASHES = {
    "solid": "",
    "dash": "7,4",
    "dot": "2,3",
    "dashdot": "7,3,2,3",
    "longdash": "10,4",
    "longdashdot": "10,3,2,3",
}

_GROUPS = {"neutral": ("#7c848f", "#a9b1bc"), "female": ("#7b3fa0", "#b98be0"), "male": ("#d97f26", "#f0a152")}
_MORE_GROUPS = (("#00857c", "#4ecdc4"), ("#8a6d00", "#d9b93b"), ("#b03060", "#f28cab"), ("#2f6fb0", "#7db8f0"))
_GROUP_PATTERNS = {"neutral": "", "female": "/", "male": "."}
_MORE_PATTERNS = ("x", "-", "+", "|")
_CROSSED_PATTERNS = ("", "/", "x", "-", ".", "|", "+", "\\")
_PALEST = 0.65  # share of the background in the palest shade of a gender
_GROUP_MARKERS = {"neutral": "circle", "female": "square", "male": "triangle-up"}
_MORE_MARKERS = ("diamond", "cross", "star", "pentagon")


@dataclass(frozen=True)
class SystemStyle:
    """The look of one system on every page; a reference is hollow and grey."""

    colour: str
    symbol: str
    dash: str
    reference: bool = False


Styles = Mapping[str, SystemStyle]  # by system


def system_styles(systems: Sequence[str], theme: Theme = LIGHT) -> dict[str, SystemStyle]:
    """Return each system's style, by its place among all systems of the study."""
    colours = _DARK_SYSTEMS + _DARK_MORE if theme.dark else _LIGHT_SYSTEMS + _LIGHT_MORE
    styles = {}
    for place, system in enumerate(systems):
        shifted = place + place // len(colours)  # the thirteenth has a used colour, but with another marker
        symbol, dash = SYMBOLS[shifted % len(SYMBOLS)], DASHES[place % len(DASHES)]
        if is_reference(system):
            styles[system] = SystemStyle(theme.muted, f"{symbol}-open", dash, reference=True)
        else:
            styles[system] = SystemStyle(colours[place % len(colours)], symbol, dash)
    return styles


def references_last(systems: Iterable[str]) -> list[str]:
    """Return the systems, each once, in their order, the references last."""
    return sorted(dict.fromkeys(systems), key=is_reference)


def marker(style: SystemStyle, theme: Theme = LIGHT, size: float = 11, *, chosen: bool = False) -> dict:
    """Return a system's marker, larger and ringed if it is chosen."""
    ring = {"width": 2 if chosen else 1.5 if style.reference else 0, "color": theme.text}
    colour = theme.text if chosen and style.reference else style.colour
    return {"color": colour, "symbol": style.symbol, "size": size + 4 if chosen else size, "line": ring}


def line(style: SystemStyle, *, chosen: bool = False) -> dict:
    """Return a system's line, thick if it is chosen, thin for a reference."""
    return {"color": style.colour, "dash": style.dash, "width": 4.5 if chosen else 1.3 if style.reference else 2}


def legend_name(system: str, chosen: str = "") -> str:
    """Return the system's name for a legend, in bold if it is chosen."""
    return f"<b>{shortened(system)}</b>" if system == chosen else shortened(system)


def hollow(symbol: str) -> str:
    """Return the open form of a marker's symbol."""
    return f"{symbol.removesuffix('-open')}-open"


def ring(names: Sequence[str], chosen: str, theme: Theme, size: float, width: float = 0) -> dict:
    """Return size and outline of markers, one a name: larger and ringed for the chosen name."""
    is_chosen = [name == chosen and bool(chosen) for name in names]
    return {
        "size": [size + 6 if each else size for each in is_chosen],
        "line": {
            "color": [theme.text if each else theme.muted for each in is_chosen],
            "width": [2.5 if each else width for each in is_chosen],
        },
    }


def path_of(symbol: str) -> str:
    """Return the path of a symbol, open or not. Raises: KeyError for an unknown symbol."""
    return PATHS[symbol.removesuffix("-open")]


def group_colour(group: str, groups: Sequence[str], theme: Theme = LIGHT) -> str:
    """Return purple for female, orange for male, grey for neutral; for other groups a colour by their place in the
    study. Groups of a gender crossed with a column, such as `female, arts`, have shades of the gender's colour."""
    gender, place, count = _crossed(group, groups)
    if not gender:
        return _look_of(group, groups, _GROUPS, _MORE_GROUPS)[theme.dark]
    colour, background, share = _GROUPS[gender][theme.dark], theme.surface, _PALEST * place / max(count - 1, 1)
    pairs = zip(channels(colour), channels(background), strict=True)
    return "#" + "".join(f"{round(own + share * (other - own)):02x}" for own, other in pairs)


def channels(colour: str) -> list[int]:
    """Return red, green and blue of a colour #rrggbb, from 0 to 255."""
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def group_pattern(group: str, groups: Sequence[str]) -> str:
    """Return the pattern of a group's bars, a second cue beside colour. Crossed groups differ in it within a gender."""
    gender, place, _ = _crossed(group, groups)
    if gender:
        return _CROSSED_PATTERNS[place % len(_CROSSED_PATTERNS)]
    return _look_of(group, groups, _GROUP_PATTERNS, _MORE_PATTERNS)


def group_marker(group: str, groups: Sequence[str]) -> str:
    """Return the marker of a group's points; those of neutral, female and male do not depend on the other groups."""
    return _look_of(group, groups, _GROUP_MARKERS, _MORE_MARKERS)


def _crossed(group: str, groups: Sequence[str]) -> tuple[str, int, int]:
    """Return the gender of a crossed group, its place among the groups of this gender, and their number; an empty
    gender for any other group."""
    gender, comma, _ = group.partition(", ")
    if not comma or gender not in _GROUPS or group not in groups:
        return "", 0, 0
    same_gender = [name for name in groups if name.partition(", ")[0] == gender]
    return gender, same_gender.index(group), len(same_gender)


def _look_of(group: str, groups: Sequence[str], looks: Mapping[str, T], more: Sequence[T]) -> T:
    """Return the known look of a group, or else one of `more` by its place among the groups without a known look."""
    if group in looks:
        return looks[group]
    others = [name for name in groups if name not in looks]
    place = others.index(group) if group in others else len(others)
    return more[place % len(more)]


def safe(text: object) -> str:
    """Return escaped text from data, as Plotly reads some HTML in names, titles and hovers."""
    return html.escape(str(text), quote=False)


def shortened(text: object, characters: int = LEGEND_CHARACTERS) -> str:
    """Return escaped text, cut to fit a legend; the hover has the whole text."""
    text = str(text)
    return safe(text if len(text) <= characters else text[: characters - 1] + "…")


def first_texts(texts: Sequence[str], most: int, separator: str = "; ") -> str:
    """Return the first texts, for an alt text, with ` …` if there are more."""
    return separator.join(texts[:most]) + (" …" if len(texts) > most else "")


_POINTERS = {"higher": "{} → {}", "lower": "{} ← {}", "zero": "{} (0 is fairest)", "one": "{} (1 is fairest)"}


def axis_title(label: str, direction: str, goal: str = "fairer") -> str:
    """Return the label with its better direction: `CWEx@10 → fairer`, `TED@10 ← fairer`, `ExposureGap@10 (0 is
    fairest)`."""
    return _POINTERS.get(direction, "{}").format(safe(label), goal)


def marker_class(points: int) -> type[go.Scatter] | type[go.Scattergl]:
    """Return the scatter class in SVG, or in WebGL for many markers."""
    return go.Scattergl if points > WEBGL_ABOVE else go.Scatter


def layout(title: str, theme: Theme = LIGHT, height: int = 300) -> dict[str, Any]:
    """Return the layout of all figures: a title at the left, a legend at the right, transparent backgrounds."""
    return {
        "title": {"text": title, "x": 0.01, "xanchor": "left", "y": 0.97, "yanchor": "top", "font": {"size": 15}},
        "font": {"family": FONT, "size": 13, "color": theme.text},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 8, "r": 8, "t": 44, "b": 8},
        "height": height,
        "legend": {"font": {"size": 11}, "itemsizing": "constant", "tracegroupgap": 0, "y": 1, "yanchor": "top"},
        "hoverlabel": {"bgcolor": theme.surface, "font": {"color": theme.text, "family": FONT}, "align": "left"},
        "xaxis": axis(theme),
        "yaxis": axis(theme),
        "showlegend": True,
        "hovermode": "closest",
        "dragmode": False,
    }


def under_one_legend(figure: go.Figure, theme: Theme, hidden: int = 0) -> None:
    """Remove the figure's own legend, for a page with one legend for all figures. The entry of the Pareto front becomes
    a note above the axes, and the title shows the number of hidden systems."""
    names = {trace.name for trace in figure.data}
    lines = [f"{sign} {name}" for name, sign in ((BEST, "—"), (FRONT, "┄")) if name in names]
    if lines:
        figure.add_annotation(
            text="   ".join(lines), x=1, y=1, xref="paper", yref="paper", xanchor="right", yanchor="bottom",
            showarrow=False, font={"size": 11, "color": theme.muted},
        )  # fmt: skip
    if hidden:
        figure.update_layout(title_text=f"{figure.layout.title.text} · {hidden:,} hidden")
    figure.update_layout(showlegend=False)


def axis(theme: Theme) -> dict:
    """Return the options of a plain axis."""
    return {
        "gridcolor": theme.grid,
        "linecolor": theme.grid,
        "zerolinecolor": theme.muted,
        "zerolinewidth": 1,
        "automargin": True,
        "ticklabeloverflow": "allow",  # labels fit the margins; the check takes a fifth of the time
        "title": {"standoff": 6, "font": {"size": 13}},
        "tickfont": {"size": 12, "color": theme.muted},
    }


def mark(figure: go.Figure, x: float, label: str, theme: Theme, *, logarithmic: bool = False) -> None:
    """Draw a dashed vertical line at the current value of a control.

    On a logarithmic axis Plotly places shapes by value and notes by the value's logarithm.
    """
    figure.add_shape(
        type="line", x0=x, x1=x, y0=0, y1=1, yref="paper", line={"dash": "dash", "color": theme.muted, "width": 1.5}
    )
    figure.add_annotation(
        x=math.log10(x) if logarithmic else x,
        y=1,
        yref="paper",
        yanchor="bottom",
        text=label,
        showarrow=False,
        font={"size": 12, "color": theme.muted},
    )


def empty_figure(title: str, reason: str, theme: Theme = LIGHT, height: int = 300) -> go.Figure:
    """Return a figure with its title and the reason why it is empty."""
    figure = go.Figure(layout=layout(title, theme, height))
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    figure.add_annotation(
        text=safe(reason), x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False, font={"color": theme.muted}
    )
    return figure
