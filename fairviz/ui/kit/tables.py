"""Tables as the pages show them: systems × measures with intervals, best values marked; and plain ones."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from fairviz.measures import Question, unfairness
from fairviz.study.study import Study
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.charts import select_row, tick_row
from fairviz.ui.kit.html import literal
from fairviz.ui.kit.numbers import shown, with_interval

ARROWS = {"higher": "↑", "lower": "↓", "zero": "→ 0", "one": "→ 1"}
DIRECTIONS = {
    "higher": "the higher",
    "lower": "the lower",
    "zero": "the nearer to 0",
    "one": "the nearer to 1",
}
BEST = "font-weight: 700; background-color: rgba(31, 138, 76, .18)"
ROW_HEIGHT = 36
COLUMN_WIDTH = 150  # the value, its star and its interval


def header(question: Question) -> str:
    """`CWEx ↑`: the measure and where its better end lies."""
    return f"{question.name} {ARROWS.get(question.direction, '')}".strip()


def grid(summary: pd.DataFrame, questions: Sequence[Question]) -> pd.DataFrame:
    """A row a system, a column a measure; a cell says the value, ★ where best, and its interval."""
    systems = [str(name) for name in dict.fromkeys(summary["system"])]
    table = pd.DataFrame({"system": systems})
    for question in questions:
        rows = summary[summary["measure"] == question.text].set_index("system").reindex(systems)
        best = best_rows(question, rows["value"].to_numpy(dtype=float))
        columns = (rows["value"], rows["ci_low"], rows["ci_high"], best)
        table[header(question)] = [_cell(*values) for values in zip(*columns, strict=True)]
    return table


def best_rows(question: Question, values: np.ndarray) -> np.ndarray:
    """Which values are best by the measure's own direction; none where all are equal or there is no better end."""
    nothing = np.zeros(len(values), dtype=bool)
    known = ~np.isnan(values)
    if question.direction == "none" or known.sum() < 2:
        return nothing
    costs = np.where(known, unfairness(question, values), np.inf)
    best = np.isclose(costs, costs.min(), rtol=0, atol=1e-12)
    return nothing if best[known].all() else best


def _cell(value: float, low: float, high: float, best: bool) -> str:
    return with_interval(value, low, high, "★" if best else "")


def values(summary: pd.DataFrame, questions: Sequence[Question]) -> pd.DataFrame:
    """The numbers behind `grid`, in the same rows and columns: the table sorts by them."""
    systems = [str(name) for name in dict.fromkeys(summary["system"])]
    table = pd.DataFrame({"system": systems})
    for question in questions:
        rows = summary[summary["measure"] == question.text].set_index("system")["value"].reindex(systems)
        table[header(question)] = rows.to_numpy(dtype=float)
    return table


def marked(numbers: pd.DataFrame, table: pd.DataFrame) -> Styler:
    """The grid's texts over its numbers, its best cells coloured, which are starred too."""
    colours = table.map(lambda cell: BEST if "★" in str(cell) else "")
    texts = {str(name): table[name].tolist() for name in table.columns if name != "system"}
    return shown(numbers, texts).apply(lambda _: colours, axis=None)


def overview_table(summary: pd.DataFrame, questions: Sequence[Question], key: str) -> None:
    """The grid on the page; selecting a row names the system for other pages."""
    table, numbers = grid(summary, questions), values(summary, questions)
    systems = tuple(table["system"])
    config: dict = {"system": st.column_config.TextColumn("system", pinned=True)}
    for question in questions:
        better = DIRECTIONS.get(question.direction)
        goal = "more effective" if question.family == "effectiveness" else "fairer"
        note = f"{question.text}: {better} the {goal}" if better else f"{question.text}: describes, has no better end"
        config[header(question)] = st.column_config.NumberColumn(
            header(question), help=literal(note), width=COLUMN_WIDTH, alignment="left"
        )
    tick_row(key, systems)
    st.dataframe(
        marked(numbers, table),
        hide_index=True,
        column_config=config,
        row_height=ROW_HEIGHT,
        height=ROW_HEIGHT * min(len(table), 12) + 40,
        key=key,
        on_select=guarded(partial(select_row, key, systems)),
        selection_mode="single-row",
        alt="Systems and measures: value, star where best, and 95 % interval.",
    )


def study_counts(study: Study) -> list[tuple[str, str]]:
    """How many queries, documents, systems, judged pairs and labelled documents a study holds."""
    held = (
        ("system", "systems", len(study.systems)),
        ("query", "queries", len(study.queries) or len(study.runs["query_id"].cat.categories)),
        ("document", "documents", len(study.documents)),
        ("ranked place", "ranked places", len(study.runs)),
        ("judged pair", "judged pairs", len(study.qrels)),
        ("labelled document", "labelled documents", study.labels["doc_id"].nunique()),
    )
    return [(one if count == 1 else many, f"{count:,}") for one, many, count in held]
