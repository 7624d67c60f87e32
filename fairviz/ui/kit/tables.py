"""The table of systems × measures, starred by paired tests, and the counts of a study."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from fairviz.comparison.how import How
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.charts import open_row
from fairviz.ui.kit.html import literal
from fairviz.ui.state import choices
from fairviz.words.sentences import number, signed

ARROWS = {"higher": "↑", "lower": "↓", "zero": "→ 0", "one": "→ 1"}
DIRECTIONS = {"higher": "the higher", "lower": "the lower", "zero": "the nearer to 0", "one": "the nearer to 1"}
STAR = "★"
STARRED = "font-weight: 700; background-color: rgba(31, 138, 76, .18)"
APART = "color: #727d8a"  # of the numbers of systems that are not tested, in light and dark
ROW_HEIGHT, MOST_ROWS = 35, 14
COLUMN_WIDTH, INTERVAL_WIDTH, CHANGE_WIDTH = 96, 118, 104
LEAST_CHANGE = 0.0005  # that three decimals show
NAME_ROOM, CHARACTER, WIDEST_NAME = 20, 6, 260  # pixels of the column of systems
ROOM = 4  # measures that have room for their intervals on a page 1,400 pixels wide
INTERVALS_HELP = "Beside each mean its 95 % interval over queries (Student's t), of this system alone."


def header(question: Question) -> str:
    """Return the measure's name and its better direction: `CWEx ↑`."""
    return f"{question.name} {ARROWS.get(question.direction, '')}".strip()


def grid(
    summary: pd.DataFrame,
    questions: Sequence[Question],
    how: How,
    *,
    intervals: bool = False,
    pinned: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Return a row a system, those that are not tested last; a column of numbers a measure, and one of its intervals as
    text if `intervals`.

    how: which systems are tested. pinned: the values of a pinned picture (system, measure, value); each measure in it
    has a column of differences, the current minus the pinned value.
    """
    systems = ordered(summary["system"], how)
    columns: dict[str, object] = {"system": [how.labelled(name) for name in systems]}
    for question in questions:
        rows = summary[summary["measure"] == question.text].set_index("system").reindex(systems)
        columns[header(question)] = rows["value"].to_numpy(dtype=float)
        pinned_rows = pinned[pinned["measure"] == question.text] if pinned is not None else pd.DataFrame()
        if len(pinned_rows):
            pinned_values = pinned_rows.set_index("system")["value"].reindex(systems).to_numpy(dtype=float)
            columns[change_header(question)] = rows["value"].to_numpy(dtype=float) - pinned_values
        if intervals:
            bounds = zip(rows["ci_low"].astype(float), rows["ci_high"].astype(float), strict=True)
            columns[interval_header(question)] = [_interval(low, high) for low, high in bounds]
    return pd.DataFrame(columns)


def ordered(systems: Iterable[str], how: How) -> list[str]:
    """Return the systems, each once, those that are not tested last."""
    return sorted(map(str, dict.fromkeys(systems)), key=lambda name: not how.is_tested(name))


def interval_header(question: Question) -> str:
    """Return `CWEx 95 %`."""
    return f"{question.name} 95 %"


def change_header(question: Question) -> str:
    """Return `Δ CWEx`."""
    return f"Δ {question.name}"


def _change(value: object) -> str:
    change = float(str(value))
    if np.isnan(change) or not round(change, 12):
        return "undefined" if np.isnan(change) else "0"
    return signed(change) if abs(change) >= LEAST_CHANGE else f"{'+' if change > 0 else '−'}< .001"


def with_texts(numbers: pd.DataFrame, texts: Mapping[str, Sequence[str]]) -> Styler:
    """Return the table for Streamlit: cells of the columns of `texts` contain their number and show the text
    instead."""
    styler = numbers.style
    for column, cells in texts.items():
        for row, text in zip(numbers.index, cells, strict=True):
            styler = styler.format(partial(_text, text), subset=pd.IndexSlice[[row], [column]])
    return styler


def _text(text: str, _: object) -> str:
    return text


def _interval(low: float, high: float) -> str:
    return f"{number(low)} to {number(high)}" if np.isfinite(low) and np.isfinite(high) else ""


def _value(value: object) -> str:
    return number(float(str(value)))


def _starred_value(value: object) -> str:
    return f"{_value(value)} {STAR}"


def marked(
    table: pd.DataFrame,
    systems: Sequence[str],
    questions: Sequence[Question],
    stars: Mapping[str, frozenset[str]],
    how: How,
) -> Styler:
    """Return the grid with formatted numbers: starred and coloured for the starred systems of each measure, grey for
    systems that are not tested. The cells stay numbers, by which the columns sort."""
    styler = table.style
    for question in questions:
        starred_rows = [row for row, name in enumerate(systems) if name in stars.get(question.text, ())]
        name = header(question)
        styler = styler.format(_value, subset=[name])
        if change_header(question) in table:
            styler = styler.format(_change, subset=[change_header(question)])
        if starred_rows:
            starred_cells = (starred_rows, [name])
            styler = styler.format(_starred_value, subset=starred_cells)
            styler = styler.map(lambda _: STARRED, subset=starred_cells)
    untested_rows = [row for row, name in enumerate(systems) if not how.is_tested(name)]
    return styler.map(lambda _: APART, subset=(untested_rows, list(table.columns[1:]))) if untested_rows else styler


def cells(table: pd.DataFrame, questions: Sequence[Question], starred: Mapping[str, Sequence[bool]]) -> list[list[str]]:
    """Return the texts that `marked` shows, row by row.

    starred: for each column of values, whether each row has a star.
    """
    values = {header(question) for question in questions}
    changes = {change_header(question) for question in questions}
    columns = []
    for name in table.columns:
        if name in values:
            stars = starred.get(name, [False] * len(table))
            texts = [
                _starred_value(value) if star else _value(value) for value, star in zip(table[name], stars, strict=True)
            ]
        else:
            texts = [_change(value) if name in changes else str(value) for value in table[name]]
        columns.append(texts)
    return [list(row) for row in zip(*columns, strict=True)]


def overview_table(
    summary: pd.DataFrame,
    questions: Sequence[Question],
    stars: Mapping[str, frozenset[str]],
    how: How,
    selected: str,
    key: str,
    pinned: pd.DataFrame | None = None,
) -> None:
    """Draw the grid; a tick opens the row's system on Query, and its row stays ticked.

    Intervals are shown by default for up to ROOM measures without differences. stars: the starred systems by measure.
    pinned: see `grid`.
    """
    choices.among(f"{key}_intervals", (False, True), len(questions) <= ROOM and pinned is None)
    intervals = st.toggle("95 % intervals", key=f"{key}_intervals", help=INTERVALS_HELP)
    table = grid(summary, questions, how, intervals=intervals, pinned=pinned)
    systems = tuple(ordered(summary["system"], how))
    ticked_rows = [systems.index(selected)] if selected in systems else []
    st.dataframe(
        marked(table, systems, questions, stars, how),
        hide_index=True,
        column_config=_columns(questions, longest=max(map(len, table["system"]), default=0)),
        row_height=ROW_HEIGHT,
        height=ROW_HEIGHT * (min(len(table), MOST_ROWS) + 1) + 3,
        key=key,
        on_select=guarded(partial(open_row, key, systems)),
        selection_mode="single-row",
        selection_default={"selection": {"rows": ticked_rows}},
        placeholder="undefined",
        alt="Values by system and measure. Star: the best, and all not significantly different from it.",
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


def study_counts(study: Study) -> list[tuple[str, str]]:
    """Return the counts of a study as (noun, number): systems, queries, documents, ranks, judged pairs, labelled
    documents."""
    counts = (
        ("system", "systems", len(study.systems)),
        ("query", "queries", len(study.queries) or len(study.runs["query_id"].cat.categories)),
        ("document", "documents", study.word_counts.documents if study.word_counts else len(study.documents)),
        ("ranked document", "ranked documents", len(study.runs)),
        ("judged pair", "judged pairs", len(study.qrels)),
        ("labelled document", "labelled documents", study.labels["doc_id"].nunique()),
    )
    return [(singular if count == 1 else plural, f"{count:,}") for singular, plural, count in counts]
