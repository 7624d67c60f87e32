"""The table of systems × measures, starred by paired tests, as a page draws it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from fairviz.comparison.family import How
from fairviz.comparison.system_table import (
    ROOM,
    STAR,
    Marks,
    change_header,
    change_text,
    grid,
    header,
    interval_header,
    marked_text,
    ordered,
)
from fairviz.measures import Question
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.charts import open_row
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.grids import ROW_HEIGHT, height
from fairviz.ui.kit.html import literal
from fairviz.ui.state import choices

DIRECTIONS = {"higher": "the higher", "lower": "the lower", "zero": "the nearer to 0", "one": "the nearer to 1"}
STARRED = "font-weight: 700; background-color: rgba(31, 138, 76, .18)"
APART = "color: #727d8a"  # of the numbers of systems that are not tested, in light and dark
MOST_ROWS = 14
COLUMN_WIDTH, INTERVAL_WIDTH, CHANGE_WIDTH = 96, 118, 104
NAME_ROOM, CHARACTER, WIDEST_NAME = 20, 6, 260  # pixels of the column of systems
INTERVALS_HELP = f"{term('interval')} Here Student's t over queries, of each system alone."


def with_texts(numbers: pd.DataFrame, texts: Mapping[str, Sequence[str]]) -> Styler:
    """Return the table for Streamlit: cells of the columns of `texts` contain their number and show the text
    instead."""
    styler = numbers.style
    for row, cells in zip(numbers.index, zip(*texts.values(), strict=True), strict=True):
        shown: dict[Any, str | Callable[[object], str] | None] = {
            column: partial(_text, text) for column, text in zip(texts, cells, strict=True)
        }
        styler = styler.format(shown, subset=pd.IndexSlice[[row], list(shown)])
    return styler


def _text(text: str, _: object) -> str:
    return text


def marked(
    table: pd.DataFrame,
    systems: Sequence[str],
    questions: Sequence[Question],
    marks: Marks,
    how: How,
) -> Styler:
    """Return the grid with formatted numbers and their marks: coloured for the starred systems of each measure, grey
    for systems that are not tested. The cells stay numbers, by which the columns sort."""
    # A call of the styler costs as much as ten rows: each is of as many cells as it can be.
    texts: dict[Any, Any] = {change_header(question): change_text for question in questions}
    texts |= {header(question): partial(marked_text, mark="") for question in questions}
    styler = table.style.format({name: text for name, text in texts.items() if name in table})
    styles = np.full(table.shape, "", dtype=object)
    styles[[row for row, name in enumerate(systems) if not how.is_tested(name)], 1:] = APART
    for question in questions:
        row_marks = [marks.get(question.text, {}).get(name, "") for name in systems]
        for mark in filter(None, dict.fromkeys(row_marks)):
            rows = [row for row, other in enumerate(row_marks) if other == mark]
            styler = styler.format(partial(marked_text, mark=mark), subset=(rows, [header(question)]))
            if mark == STAR:
                styles[rows, table.columns.get_loc(header(question))] = STARRED
    return styler.apply(lambda _: styles, axis=None)


def overview_table(
    summary: pd.DataFrame,
    questions: Sequence[Question],
    marks: Marks,
    how: How,
    selected: str,
    key: str,
    export: Callable[[], None],
    pinned: pd.DataFrame | None = None,
) -> None:
    """Draw the grid; a tick opens the row's system on Query, and its row stays ticked.

    Intervals are shown by default for up to ROOM measures without differences. export: draws the button of the table.
    pinned: see `grid`.
    """
    choices.among(f"{key}_intervals", (False, True), len(questions) <= ROOM and pinned is None)
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}_head"):
        intervals = st.toggle("95 % intervals", key=f"{key}_intervals", help=INTERVALS_HELP, width="stretch")
        export()
    table = grid(summary, questions, how, intervals=intervals, pinned=pinned)
    systems = tuple(ordered(summary["system"], how))
    ticked_rows = [systems.index(selected)] if selected in systems else []
    st.dataframe(
        marked(table, systems, questions, marks, how),
        hide_index=True,
        column_config=_columns(questions, longest=max(map(len, table["system"]), default=0)),
        row_height=ROW_HEIGHT,
        height=height(len(table), MOST_ROWS),
        key=key,
        on_select=guarded(partial(open_row, key, systems)),
        selection_mode="single-row",
        selection_default={"selection": {"rows": ticked_rows}},
        placeholder="undefined",
        alt="Values by system and measure. ★: the best, and all not significantly different from it. n.t.: not tested.",
    )


def definition(question: Question) -> str:
    """Return the definition of a measure, its better direction, and its parameters: for a tooltip."""
    direction = DIRECTIONS.get(question.direction)
    goal = "more effective" if question.family == "effectiveness" else "fairer"
    meaning = f"{direction} the {goal}" if direction else "no better direction"
    return f"{question.name}: {question.summary}. {meaning[:1].upper()}{meaning[1:]}. Here {question.text}."


def _columns(questions: Sequence[Question], longest: int) -> dict:
    """Return the settings of the columns. longest: the length of the longest name of a system, in characters."""
    width = min(NAME_ROOM + CHARACTER * longest, WIDEST_NAME)
    config: dict = {"system": st.column_config.TextColumn("system", pinned=True, width=width)}
    for question in questions:
        config[header(question)] = st.column_config.Column(
            header(question), help=literal(definition(question)), width=COLUMN_WIDTH
        )
        change_help = f"{question.name} now minus its kept value"
        config[change_header(question)] = st.column_config.Column(help=literal(change_help), width=CHANGE_WIDTH)
        interval_help = f"{question.text}: Student's t over queries, of one system alone"
        name = interval_header(question)
        config[name] = st.column_config.TextColumn(name, help=literal(interval_help), width=INTERVAL_WIDTH)
    return config
