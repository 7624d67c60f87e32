"""The trade-off of CWEx as alpha sweeps from 0 to 1 inside the browser: Plotly frames and a slider, no server."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.axes import EFFECTIVENESS, Ends, edge, setters, span
from fairviz.figures.scatter import at_edge, goal
from fairviz.figures.style import (
    LIGHT,
    SystemStyle,
    Theme,
    axis_title,
    empty_figure,
    layout,
    legend_name,
    marker,
    references_last,
    safe,
)
from fairviz.measures import Question

STEPS = 51
CWEX: Ends = (-1.0, 1.0)  # over all of alpha
TITLE = "Sweep α: drag the slider below the figure"


@dataclass(frozen=True)
class Sweep:
    """Each system's effectiveness, and its CWEx at each alpha with its interval; `start` is the step shown first.
    References come last and do not set the axes."""

    x_title: str
    y_title: str
    alphas: tuple[float, ...]
    effectiveness: Mapping[str, float]
    values: Mapping[str, tuple[float, ...]]
    intervals: Mapping[str, tuple[tuple[float, float], ...]]
    start: int
    selected: str = ""

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        return f"{self.y_title} against {self.x_title} of {len(self.values)} systems, with a slider for α."


def info(
    curves: pd.DataFrame,
    summary: pd.DataFrame,
    effectiveness: Question,
    alpha: float,
    cutoff: int,
    selected: str = "",
) -> Sweep:
    """A sweep of 51 steps from a table (system, alpha, value, ci_low, ci_high) of at least as many alphas."""
    every = np.unique(curves["alpha"])
    alphas = every[np.unique(np.linspace(0, len(every) - 1, STEPS).round().astype(int))] if len(every) else every
    across = summary[summary["measure"] == effectiveness.text].set_index("system")["value"].dropna()
    rows = curves[curves["alpha"].isin(alphas) & curves["system"].isin(across.index)].dropna(subset="value")
    parts = {str(name): part.sort_values("alpha") for name, part in rows.groupby("system", sort=False, observed=True)}
    systems = {name: parts[name] for name in references_last(parts)}
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
        selected,
    )


def draw(sweep: Sweep, styles: Mapping[str, SystemStyle], theme: Theme = LIGHT, height: int = 300) -> go.Figure:
    """The figure of `sweep`: a frame a step. The vertical axis holds still, so that the points are seen to move."""
    if not sweep.values:
        return empty_figure(TITLE, "No system has a value of CWEx and of effectiveness.", theme, height)
    across, up = _axes(sweep)
    frames = [
        go.Frame(
            name=f"{alpha:g}",
            data=[_trace(sweep, name, step, styles[name], theme, across, up) for name in sweep.values],
        )
        for step, alpha in enumerate(sweep.alphas)
    ]
    figure = go.Figure(data=frames[sweep.start].data, frames=frames, layout=layout(TITLE, theme, height))
    figure.update_xaxes(title_text=sweep.x_title, range=across)
    figure.update_yaxes(title_text=sweep.y_title, range=up)
    figure.update_layout(sliders=[_slider(sweep, theme)], margin={"b": 4})
    return figure


def _axes(sweep: Sweep) -> tuple[Ends, Ends]:
    """The ends of both axes: they hold every frame, and stay within what is possible."""
    setting = setters(sweep.values)
    across = span((value for name, value in sweep.effectiveness.items() if name in setting), EFFECTIVENESS)
    ends = (end for name in sweep.intervals if name in setting for pair in sweep.intervals[name] for end in pair)
    values = (value for name in sweep.values if name in setting for value in sweep.values[name])
    return across, span([*ends, *values], CWEX)


def _trace(
    sweep: Sweep, system: str, step: int, style: SystemStyle, theme: Theme, across: Ends, up: Ends
) -> go.Scatter:
    x, value, (low, high) = sweep.effectiveness[system], sweep.values[system][step], sweep.intervals[system][step]
    beyond = edge(system, x, value, across, up)
    trace = go.Scatter(
        x=[x],
        y=[value],
        error_y={
            "type": "data",
            "symmetric": False,
            "array": [high - value if np.isfinite(high) and not beyond else 0],
            "arrayminus": [value - low if np.isfinite(low) and not beyond else 0],
            "color": style.colour,
            "thickness": 1.2,
            "width": 4,
        },
        mode="markers",
        name=legend_name(system, sweep.selected),
        text=[safe(system)],
        customdata=[system],
        marker=marker(style, theme, chosen=system == sweep.selected),
        cliponaxis=bool(style.reference and not beyond),
        hovertemplate=f"<b>{safe(system)}</b><br>{x:.4f}, {value:.4f}<extra></extra>",
    )
    return trace.update(at_edge(beyond)) if beyond else trace


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
