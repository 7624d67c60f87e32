"""CWEx over alpha from 0 to 1, as the difference from the mean of the systems or from one of them."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.axes import Ends, note_beyond, setters, span
from fairviz.figures.frame import figure, trace
from fairviz.figures.style import LIGHT, Styles, Theme, legend_name, line, mark, references_last, safe

TITLE = "All of α: lines cross where the order changes"
NO_VALUE = "No system has a value of CWEx."


@dataclass(frozen=True)
class AlphaCurve:
    """Alphas (ascending), each system's difference from the baseline at each, and alphas where the fairest system
    changes.

    References come last; they set neither the mean nor the axis `up`, and are never the fairest.
    """

    alphas: tuple[float, ...]
    differences: Mapping[str, tuple[float, ...]]
    baseline: str
    alpha: float
    cutoff: int
    changes: tuple[float, ...]
    up: Ends
    selected: str = ""

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        changes = " and ".join(f"{alpha:.2f}" for alpha in self.changes)
        change = f"the fairest system changes at α = {changes}" if changes else "one system is fairest at every α"
        return f"CWEx@{self.cutoff} minus that of {self.baseline or 'the mean'}, for α from 0 to 1: {change}."


def info(
    curves: pd.DataFrame,
    alpha: float,
    cutoff: int,
    baseline: str = "",
    selected: str = "",
    outside: Collection[str] = (),
) -> AlphaCurve:
    """Return the differences from a table (system, alpha, value); the mean of the systems replaces an unknown
    baseline.

    outside: systems that, like references, are in no mean and never the fairest.
    """
    wide = curves.pivot(index="alpha", columns="system", values="value").sort_index()
    lines = {name: wide[name].to_numpy(dtype=float) for name in dict.fromkeys(map(str, curves["system"]))}
    return of_lines(wide.index.to_numpy(dtype=float), lines, alpha, cutoff, baseline, selected, outside)


def of_lines(
    alphas: np.ndarray,
    lines: Mapping[str, np.ndarray],
    alpha: float,
    cutoff: int,
    baseline: str = "",
    selected: str = "",
    outside: Collection[str] = (),
) -> AlphaCurve:
    """Return the differences from ascending alphas (A,) and each system's values (A,); lines with NaN are left out."""
    complete = {name: lines[name] for name in references_last(lines) if not np.isnan(lines[name]).any()}
    baseline = baseline if baseline in complete else ""
    setter_names = setters(name for name in complete if name not in outside) or set(complete)
    contender_values = np.array([values for name, values in complete.items() if name in setter_names])  # (S, A)
    level = complete[baseline] if baseline else contender_values.mean(axis=0) if len(contender_values) else 0.0
    return AlphaCurve(
        tuple(alphas.tolist()),
        {name: tuple((values - level).tolist()) for name, values in complete.items()},
        baseline,
        alpha,
        cutoff,
        _changes(alphas, contender_values),
        span((contender_values - level).ravel().tolist()),
        selected,
    )


@figure(TITLE, empty=lambda curve: "" if curve.differences else NO_VALUE)
def draw(figure: go.Figure, curve: AlphaCurve, styles: Styles, theme: Theme = LIGHT, height: int = 300) -> None:
    """Draw a line a system, with a mark at the current alpha."""
    for system, values in curve.differences.items():
        look = line(styles[system], chosen=system == curve.selected)
        hover = "<b>%{text}</b><br>α %{x:.2f}<br>difference %{y:+.4f}"
        texts = {"name": legend_name(system, curve.selected), "text": [safe(system)] * len(values)}
        figure.add_trace(trace(curve.alphas, values, "lines", hover, line=look, **texts))
    figure.update_xaxes(title_text="α (0: only the gap, 1: only neutrality)", range=[0, 1])
    figure.update_yaxes(title_text=y_title(curve), tickformat="~g", range=curve.up)
    current_place = int(np.argmin(np.abs(np.array(curve.alphas) - curve.alpha)))
    note_beyond(figure, {name: values[current_place] for name, values in curve.differences.items()}, curve.up, theme)
    mark(figure, curve.alpha, f"α = {curve.alpha:g}", theme)


def y_title(curve: AlphaCurve) -> str:
    """Return the title of the y axis: `CWEx@10 − mean → fairer`."""
    return f"CWEx@{curve.cutoff} − {safe(curve.baseline or 'mean')} → fairer"


def _changes(alphas: np.ndarray, contenders: np.ndarray) -> tuple[float, ...]:
    """Return the alphas at which another system becomes the fairest, halfway between two of `alphas` (A,).

    contenders: values (S, A).
    """
    if len(contenders) < 2:
        return ()
    leads = (contenders >= contenders.max(axis=0) - 1e-12).T  # (A, S)
    change_alphas, current_leads = [], leads[0]
    for place in range(1, len(alphas)):
        if (current_leads & leads[place]).any():
            current_leads = current_leads & leads[place]
        else:
            change_alphas.append(float(np.round((alphas[place - 1] + alphas[place]) / 2, 3)))
            current_leads = leads[place]
    return tuple(change_alphas)
