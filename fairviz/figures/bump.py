"""The rank of each system by each measure: lines cross where measures disagree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.style import LIGHT, SystemStyle, Theme, empty_figure, layout, safe, shortened
from fairviz.measures import Question, unfairness

TITLE = "Which system is fairest depends on the measure"


@dataclass(frozen=True)
class Bump:
    """Names of the measures, and each system's rank by each (1 is fairest; ties share a rank; None without a value)."""

    measures: tuple[str, ...]
    ranks: Mapping[str, tuple[int | None, ...]]

    @property
    def alt(self) -> str:
        """The figure in a sentence, for those who do not see it."""
        firsts = (
            f"{measure}: {', '.join(name for name, ranks in self.ranks.items() if ranks[place] == 1)}"
            for place, measure in enumerate(self.measures)
        )
        return f"Ranks of {len(self.ranks)} systems; first by {'; by '.join(firsts)}."


def info(summary: pd.DataFrame, questions: Sequence[Question]) -> Bump:
    """Ranks from a summary (system, measure, value); measures without a better end are left out."""
    questions = [question for question in questions if question.direction != "none"]
    systems = [str(name) for name in dict.fromkeys(summary["system"])]
    columns = []
    for question in questions:
        rows = summary[summary["measure"] == question.text].set_index("system")["value"].reindex(systems)
        costs = pd.Series(unfairness(question, rows.to_numpy(dtype=float)))
        ranks = costs.round(12).rank(method="min")
        columns.append([None if pd.isna(rank) else int(rank) for rank in ranks])
    names = tuple(
        question.name if question.family != "effectiveness" else f"{question.name} (effectiveness)"
        for question in questions
    )
    return Bump(names, {name: tuple(column[place] for column in columns) for place, name in enumerate(systems)})


def draw(bump: Bump, styles: Mapping[str, SystemStyle], theme: Theme = LIGHT, height: int = 300) -> go.Figure:
    """The figure of `bump`: a line a system, rank 1 at the top."""
    if not bump.measures or not bump.ranks:
        return empty_figure(TITLE, "No measure can rank the systems.", theme, height)
    figure = go.Figure(layout=layout(TITLE, theme, height))
    for system, ranks in bump.ranks.items():
        style = styles[system]
        figure.add_trace(
            go.Scatter(
                x=[name.replace(" (", "<br>(") for name in bump.measures],
                y=list(ranks),
                mode="lines+markers",
                name=shortened(system),
                text=[safe(system)] * len(ranks),
                customdata=[system] * len(ranks),
                line={"color": style.colour, "dash": style.dash, "width": 2},
                marker={"color": style.colour, "symbol": style.symbol, "size": 10, "line": {"width": 0}},
                connectgaps=False,
                hovertemplate="<b>%{text}</b><br>%{x}: rank %{y}<extra></extra>",
            )
        )
    lowest = len(bump.ranks)
    figure.update_yaxes(
        title_text="rank (1 is best)", range=[lowest + 0.5, 0.5], dtick=1 if lowest < 13 else 5, tick0=1, zeroline=False
    )
    figure.update_xaxes(range=[-0.3, len(bump.measures) - 0.7], tickangle=0)
    return figure
