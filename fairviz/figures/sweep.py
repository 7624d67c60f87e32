"""The trade-off of CWEx as alpha sweeps from 0 to 1 inside the browser: Plotly frames and a slider, no server."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.scatter import goal
from fairviz.figures.style import LIGHT, SystemStyle, Theme, axis_title, empty_figure, layout, safe, shortened
from fairviz.measures import Question

STEPS = 51
TITLE = "Sweep α: drag the slider below the figure"


@dataclass(frozen=True)
class Sweep:
    """Each system's effectiveness, and its CWEx at each alpha with its interval; `start` is the step shown first."""

    x_title: str
    y_title: str
    alphas: tuple[float, ...]
    effectiveness: Mapping[str, float]
    values: Mapping[str, tuple[float, ...]]
    intervals: Mapping[str, tuple[tuple[float, float], ...]]
    start: int

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        return f"{self.y_title} against {self.x_title} of {len(self.values)} systems, with a slider for α."


def info(curves: pd.DataFrame, summary: pd.DataFrame, effectiveness: Question, alpha: float, cutoff: int) -> Sweep:
    """A sweep of 51 steps from a table (system, alpha, value, ci_low, ci_high) of at least as many alphas."""
    every = np.unique(curves["alpha"])
    alphas = every[np.unique(np.linspace(0, len(every) - 1, STEPS).round().astype(int))] if len(every) else every
    across = summary[summary["measure"] == effectiveness.text].set_index("system")["value"].dropna()
    rows = curves[curves["alpha"].isin(alphas) & curves["system"].isin(across.index)].dropna(subset="value")
    systems = {str(name): part.sort_values("alpha") for name, part in rows.groupby("system", sort=False, observed=True)}
    return Sweep(
        axis_title(effectiveness.text, effectiveness.direction, goal(effectiveness)),
        axis_title(f"CWEx@{cutoff}", "higher"),
        tuple(float(value) for value in alphas),
        {name: float(across[name]) for name in systems},
        {name: tuple(map(float, part["value"])) for name, part in systems.items()},
        {
            name: tuple(zip(map(float, part["ci_low"]), map(float, part["ci_high"]), strict=True))
            for name, part in systems.items()
        },
        int(np.argmin(np.abs(alphas - alpha))) if len(alphas) else 0,
    )


def draw(sweep: Sweep, styles: Mapping[str, SystemStyle], theme: Theme = LIGHT, height: int = 300) -> go.Figure:
    """The figure of `sweep`: a frame a step. The vertical axis holds still, so that the points are seen to move."""
    if not sweep.values:
        return empty_figure(TITLE, "No system has a value of CWEx and of effectiveness.", theme, height)
    frames = [
        go.Frame(name=f"{alpha:g}", data=[_trace(sweep, name, step, styles[name]) for name in sweep.values])
        for step, alpha in enumerate(sweep.alphas)
    ]
    figure = go.Figure(data=frames[sweep.start].data, frames=frames, layout=layout(TITLE, theme, height))
    figure.update_xaxes(title_text=sweep.x_title, range=_range(list(sweep.effectiveness.values())))
    ends = [end for intervals in sweep.intervals.values() for pair in intervals for end in pair]
    figure.update_yaxes(title_text=sweep.y_title, range=_range(ends))
    figure.update_layout(sliders=[_slider(sweep, theme)], margin={"b": 4})
    return figure


def _trace(sweep: Sweep, system: str, step: int, style: SystemStyle) -> go.Scatter:
    value, (low, high) = sweep.values[system][step], sweep.intervals[system][step]
    return go.Scatter(
        x=[sweep.effectiveness[system]],
        y=[value],
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [high - value if np.isfinite(high) else 0],
            "arrayminus": [value - low if np.isfinite(low) else 0],
            "color": style.colour,
            "thickness": 1.2,
            "width": 4,
        },
        mode="markers",
        name=shortened(system),
        text=[safe(system)],
        customdata=[system],
        marker={"color": style.colour, "symbol": style.symbol, "size": 11, "line": {"width": 0}},
        hovertemplate="<b>%{text}</b><br>%{x:.4f}, %{y:.4f}<extra></extra>",
    )


def _slider(sweep: Sweep, theme: Theme) -> dict:
    still = {"mode": "immediate", "frame": {"duration": 0, "redraw": False}, "transition": {"duration": 0}}
    return {
        "active": sweep.start,
        "steps": [
            {"method": "animate", "args": [[f"{alpha:g}"], still], "label": f"{alpha:g}", "value": f"{alpha:g}"}
            for alpha in sweep.alphas
        ],
        "currentvalue": {"prefix": "α = ", "font": {"size": 13, "color": theme.text}, "xanchor": "left"},
        "pad": {"t": 40, "b": 0},
        "len": 0.9,
        "x": 0.05,
        "ticklen": 0,
        "minorticklen": 0,
        "font": {"size": 1, "color": "rgba(0,0,0,0)"},
        "bordercolor": theme.muted,
        "bgcolor": theme.grid,
        "activebgcolor": theme.muted,
    }


def _range(values: list[float]) -> list[float]:
    known = np.array([value for value in values if np.isfinite(value)])
    if not len(known):
        return [0, 1]
    room = max(float(np.ptp(known)) * 0.08, 0.02)
    return [float(known.min()) - room, float(known.max()) + room]
