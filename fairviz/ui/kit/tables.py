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
from fairviz.ui.kit.charts import select_row
from fairviz.ui.kit.html import literal

ARROWS = {"higher": "↑", "lower": "↓", "zero": "→ 0", "one": "→ 1"}
DIRECTIONS = {
    "higher": "the higher",
    "lower": "the lower",
    "zero": "the nearer to 0",
    "one": "the nearer to 1",
}
BEST = "font-weight: 700; background-color: rgba(31, 138, 76, .18)"
ROW_HEIGHT = 62  # text wraps in rows above four times the font size only
FIXED = "\u00a0"  # a space where a cell does not break: it breaks between value and interval
COLUMN_WIDTH = 118  # the value on one line, its interval on the next


def header(question: Question) -> str:
    """`CWEx ↑`: the measure and where its better end lies."""
    return f"{question.name} {ARROWS.get(question.direction, '')}".strip()


def grid(summary: pd.DataFrame, questions: Sequence[Question]) -> pd.DataFrame:
    """A row a system, a column a measure; a cell holds the value, ★ where best, and its interval."""
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
    if np.isnan(value):
        return "undefined"
    interval = f"; {_number(low)}{FIXED}to{FIXED}{_number(high)}" if np.isfinite(low) and np.isfinite(high) else ""
    return f"{_number(value)}{FIXED + '★' if best else ''}{interval}"


def _number(value: float) -> str:
    """Three decimals below ten, three digits above, a true minus sign."""
    text = f"{value:.3f}" if abs(value) < 10 else f"{value:.3g}"
    return text.replace("-", "−") if float(text) else text.replace("-", "")


def marked(table: pd.DataFrame) -> Styler:
    """The grid with its best cells coloured, which are starred too."""
    return table.style.map(lambda cell: BEST if "★" in str(cell) else "")


def overview_table(summary: pd.DataFrame, questions: Sequence[Question], key: str) -> None:
    """The grid on the page; selecting a row names the system for other pages."""
    table = grid(summary, questions)
    systems = tuple(table["system"])
    config: dict = {"system": st.column_config.TextColumn("system", pinned=True)}
    for question in questions:
        better = DIRECTIONS.get(question.direction)
        goal = "more effective" if question.family == "effectiveness" else "fairer"
        note = f"{question.text}: {better} the {goal}" if better else f"{question.text}: describes, has no better end"
        config[header(question)] = st.column_config.TextColumn(header(question), help=literal(note), width=COLUMN_WIDTH)
    st.dataframe(
        marked(table),
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
