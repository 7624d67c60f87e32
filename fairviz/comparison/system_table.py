"""The table of systems by measures: numbers, intervals and changes in columns, and its texts with stars."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from fairviz.comparison.compare import Comparison, starred, untested
from fairviz.comparison.family import How
from fairviz.measures import Question
from fairviz.words.sentences import number, signed

ARROWS = {"higher": "↑", "lower": "↓", "zero": "→ 0", "one": "→ 1"}
STAR, NOT_TESTED = "★", "n.t."  # behind a value
Marks = Mapping[str, Mapping[str, str]]  # STAR or NOT_TESTED of systems, by the measure's text
ROOM = 4  # measures that have room for their intervals on a page 1,400 pixels wide


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
            columns[interval_header(question)] = [_interval_text(low, high) for low, high in bounds]
    return pd.DataFrame(columns)


def _interval_text(low: float, high: float) -> str:
    """`0.1 to 0.3`; empty for an interval without an end."""
    return f"{number(low)} to {number(high)}" if np.isfinite(low) and np.isfinite(high) else ""


def ordered(systems: Iterable[str], how: How) -> list[str]:
    """Return the systems, each once, those that are not tested last."""
    return sorted(map(str, dict.fromkeys(systems)), key=lambda name: not how.is_tested(name))


def interval_header(question: Question) -> str:
    """Return `CWEx 95 %`."""
    return f"{question.name} 95 %"


def change_header(question: Question) -> str:
    """Return `Δ CWEx`."""
    return f"Δ {question.name}"


def change_text(value: object) -> str:
    """Return a change as text: signed with three decimals, `0` for none, `undefined` for NaN."""
    change = float(str(value))
    if np.isnan(change) or not round(change, 12):
        return "undefined" if np.isnan(change) else "0"
    return signed(change)


def value_text(value: object) -> str:
    """Return a value as text: three decimals, `undefined` for NaN."""
    return number(float(str(value)))


def marked_text(value: object, mark: str) -> str:
    """Return a value as text with its mark; alone without one, and where it is undefined."""
    return f"{value_text(value)} {mark}" if mark and not np.isnan(float(str(value))) else value_text(value)


def marks(comparison: Comparison) -> dict[str, dict[str, str]]:
    """Return the marks of the values of each measure: a star, or that the system's pair with the best was not
    tested."""
    by_measure: dict[str, dict[str, str]] = {}
    for found, mark in ((untested(comparison), NOT_TESTED), (starred(comparison), STAR)):
        for text, systems in found.items():
            by_measure.setdefault(text, {}).update(dict.fromkeys(systems, mark))
    return by_measure


def cells(
    table: pd.DataFrame, questions: Sequence[Question], marks_by_column: Mapping[str, Sequence[str]]
) -> list[list[str]]:
    """Return the texts of the table, row by row.

    marks_by_column: for each column of values, the mark of each row, empty for none.
    """
    values = {header(question) for question in questions}
    changes = {change_header(question) for question in questions}
    columns = []
    for name in table.columns:
        if name in values:
            column_marks = marks_by_column.get(name, [""] * len(table))
            texts = [marked_text(value, mark) for value, mark in zip(table[name], column_marks, strict=True)]
        else:
            texts = [change_text(value) if name in changes else str(value) for value in table[name]]
        columns.append(texts)
    return [list(row) for row in zip(*columns, strict=True)]


def marks_by_column(marks: Marks, questions: Sequence[Question], systems: Sequence[str]) -> dict[str, list[str]]:
    """Return for each column of values the mark of each system."""
    return {
        header(question): [marks.get(question.text, {}).get(name, "") for name in systems] for question in questions
    }
