"""The winning rate of the Alternative Annotator Test over ε, a line a rule or model; dotted by exact tests."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import dotted_line, figure, legend_above, trace
from fairviz.figures.style import LIGHT, Theme, first_texts, mark, safe, shortened, system_styles

TITLE = "Winning rate against people, over ε"
NOTHING = "No rule or model shares enough documents with three people."
PASSES = 0.5
MOST_TOLD = 4  # models in the alt text


@dataclass(frozen=True)
class WinningRates:
    """lines: by model, ε and ω by the paper's and by exact tests. epsilon: the present one."""

    lines: dict[str, tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]]
    epsilon: float

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        texts = []
        for model, (epsilons, rates, exact) in self.lines.items():
            at = int(np.argmin(np.abs(np.array(epsilons) - self.epsilon)))
            texts.append(f"{model} {rates[at]:.2f}, exact {exact[at]:.2f}")
        return f"{TITLE}. At ε {self.epsilon:g}: {first_texts(texts, MOST_TOLD)}."


def info(curve: pd.DataFrame, epsilon: float) -> WinningRates:
    """Return the lines of a table (model, epsilon, winning_rate, exact_rate), without models that are not tested."""
    defined, columns = curve.dropna(subset=["winning_rate"]), ("epsilon", "winning_rate", "exact_rate")
    lines = {
        str(model): tuple(tuple(map(float, rows[name])) for name in columns)
        for model, rows in defined.groupby("model", sort=False)
    }
    return WinningRates(lines, epsilon)  # type: ignore[arg-type]


@figure(TITLE, empty=lambda data: "" if data.lines else NOTHING, height=300)
def draw(figure: go.Figure, data: WinningRates, theme: Theme = LIGHT) -> None:
    """Draw a line a model by the paper's tests, a dotted one by exact tests, and where a model passes."""
    styles = system_styles(list(data.lines), theme)
    for model, (epsilons, rates, exact) in data.lines.items():
        for values, tests, dash in ((rates, "the paper's tests", "solid"), (exact, "exact tests", "dot")):
            hover = f"<b>{safe(model)}</b>, {tests}<br>ε %{{x:.2f}}: ω %{{y:.2f}}"
            name = f"{shortened(model)}{', exact' if dash == 'dot' else ''}"
            look = {"color": styles[model].colour, "dash": dash, "width": 2, "shape": "hv"}
            figure.add_trace(trace(np.array(epsilons), np.array(values), "lines", hover, line=look, name=name))
    figure.add_hline(PASSES, line=dotted_line(theme))
    mark(figure, data.epsilon, f"ε = {data.epsilon:g}", theme)
    figure.update_xaxes(title_text="ε, how much closer people may be", range=[0, 0.5])
    figure.update_yaxes(title_text="winning rate ω, passes at 0.5", range=[-0.02, 1.02])
    figure.update_layout(showlegend=True)
    legend_above(figure, 92, 1.1)
