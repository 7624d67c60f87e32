"""The table of systems by measures: numbers, intervals and changes in columns, and its texts with stars."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from fairviz.comparison.how import How
from fairviz.measures import Question
from fairviz.words.sentences import number, signed

ARROWS = {"higher": "↑", "lower": "↓", "zero": "→ 0", "one": "→ 1"}
STAR = "★"
LEAST_CHANGE = 0.0005  # that three decimals show
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


def change_text(value: object) -> str:
    """Return a change as text: signed with three decimals, `0` for none, `undefined` for NaN."""
    change = float(str(value))
    if np.isnan(change) or not round(change, 12):
        return "undefined" if np.isnan(change) else "0"
    return signed(change) if abs(change) >= LEAST_CHANGE else f"{'+' if change > 0 else '−'}< .001"


def _interval(low: float, high: float) -> str:
    return f"{number(low)} to {number(high)}" if np.isfinite(low) and np.isfinite(high) else ""


def value_text(value: object) -> str:
    """Return a value as text: three decimals, `undefined` for NaN."""
    return number(float(str(value)))


def starred_text(value: object) -> str:
    """Return a value as text with its star."""
    return f"{value_text(value)} {STAR}"


def cells(table: pd.DataFrame, questions: Sequence[Question], starred: Mapping[str, Sequence[bool]]) -> list[list[str]]:
    """Return the texts of the table, row by row.

    starred: for each column of values, whether each row has a star.
    """
    values = {header(question) for question in questions}
    changes = {change_header(question) for question in questions}
    columns = []
    for name in table.columns:
        if name in values:
            stars = starred.get(name, [False] * len(table))
            texts = [
                starred_text(value) if star else value_text(value)
                for value, star in zip(table[name], stars, strict=True)
            ]
        else:
            texts = [change_text(value) if name in changes else str(value) for value in table[name]]
        columns.append(texts)
    return [list(row) for row in zip(*columns, strict=True)]


def stars_by_column(
    stars: Mapping[str, frozenset[str]], questions: Sequence[Question], systems: Sequence[str]
) -> dict[str, list[bool]]:
    """Return for each column of values whether each system has a star. stars: the starred systems by measure."""
    return {header(question): [name in stars.get(question.text, ()) for name in systems] for question in questions}
