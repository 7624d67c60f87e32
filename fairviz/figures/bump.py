"""The rank of each system by each measure: lines cross where measures disagree."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures.frame import figure
from fairviz.figures.style import LIGHT, Styles, Theme, legend_name, line, marker, safe
from fairviz.measures import Question, unfairness
from fairviz.study.record import is_reference
from fairviz.words.sentences import counted

TITLE = "Which system is fairest depends on the measure"
NOTHING = "No measure can rank the systems."


@dataclass(frozen=True)
class Bump:
    """Names of the measures, and each system's rank by each (1 is fairest; ties share a rank; None without a value).

    references: the ranks of `perfect`, `random` and untested systems among the others, such as 2.5 between the second
    and the third; they take no rank from the others.
    """

    measures: tuple[str, ...]
    ranks: Mapping[str, tuple[int | None, ...]]
    references: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    selected: str = ""

    @property
    def table(self) -> pd.DataFrame:
        """Return the ranks, a row a system and a column a measure; references have no rank."""
        ranks = {**self.ranks, **dict.fromkeys(self.references, (None,) * len(self.measures))}
        columns = {name: [held[place] for held in ranks.values()] for place, name in enumerate(self.measures)}
        return pd.DataFrame({"system": list(ranks), **columns}).astype(dict.fromkeys(columns, "Int64"))

    @property
    def alt(self) -> str:
        """Alt text of the figure, in one sentence."""
        firsts = (
            f"{measure}: {', '.join(name for name, ranks in self.ranks.items() if ranks[place] == 1)}"
            for place, measure in enumerate(self.measures)
        )
        return f"Ranks of {counted(len(self.ranks), 'system')}; first by {'; by '.join(firsts)}."


def info(
    summary: pd.DataFrame, questions: Sequence[Question], selected: str = "", outside: Collection[str] = ()
) -> Bump:
    """Return the ranks from a summary (system, measure, value), without measures of direction `none`.

    The references `perfect` and `random`, and the systems outside, are ranked only without other systems.
    """
    questions = [question for question in questions if question.direction != "none"]
    names = [str(name) for name in dict.fromkeys(summary["system"].tolist())]
    columns = (summary[name].tolist() for name in ("measure", "system", "value"))
    values = {(measure, system): float(value) for measure, system, value in zip(*columns, strict=True)}
    systems = [name for name in names if not is_reference(name) and name not in outside] or names
    others = [name for name in names if name not in systems]
    rank_columns, reference_columns = [], []
    for question in questions:
        measure_values = np.array([values.get((question.text, name), np.nan) for name in (*systems, *others)])
        costs = np.round(unfairness(question, measure_values), 12)
        system_costs, reference_costs = costs[: len(systems)], costs[len(systems) :]
        rank_columns.append([None if np.isnan(cost) else 1 + int((system_costs < cost).sum()) for cost in system_costs])
        reference_columns.append([None if np.isnan(cost) else _between(system_costs, cost) for cost in reference_costs])
    measure_names = tuple(
        question.name if question.family != "effectiveness" else f"{question.name} (effectiveness)"
        for question in questions
    )
    ranks = {name: tuple(column[place] for column in rank_columns) for place, name in enumerate(systems)}
    references = {name: tuple(column[place] for column in reference_columns) for place, name in enumerate(others)}
    return Bump(measure_names, ranks, references, selected)


def _between(ranked: np.ndarray, cost: float) -> float:
    """Return the rank for this cost among the ranked costs: that of an equal cost, else halfway between two."""
    return float((ranked < cost).sum()) + (1.0 if cost in ranked else 0.5)


@figure(TITLE, empty=lambda bump: "" if bump.measures and bump.ranks else NOTHING)
def draw(figure: go.Figure, bump: Bump, styles: Styles, theme: Theme = LIGHT, height: int = 300) -> None:
    """Draw a line a system, with rank 1 at the top."""
    across = [name.replace(" (", "<br>(") for name in bump.measures]
    for system, ranks in [*bump.ranks.items(), *bump.references.items()]:
        style, is_selected = styles[system], system == bump.selected
        rank_text = "not ranked" if system in bump.references else "rank %{y}"
        figure.add_trace(
            go.Scatter(
                x=across,
                y=list(ranks),
                mode="lines+markers",
                name=legend_name(system, bump.selected),
                text=[safe(system)] * len(ranks),
                customdata=[system] * len(ranks),
                line=line(style, chosen=is_selected),
                marker=marker(style, theme, 10, chosen=is_selected),
                connectgaps=False,
                cliponaxis=False,
                hovertemplate=f"<b>%{{text}}</b><br>%{{x}}: {rank_text}<extra></extra>",
            )
        )
    lowest = len(bump.ranks)
    outer = 0.75 if bump.references else 0.5
    figure.update_yaxes(
        title_text="rank (1 is best)",
        range=[lowest + outer, 1 - outer],
        dtick=1 if lowest < 13 else 5,
        tick0=1,
        zeroline=False,
    )
    figure.update_xaxes(range=[-0.3, len(bump.measures) - 0.7], tickangle=0)
