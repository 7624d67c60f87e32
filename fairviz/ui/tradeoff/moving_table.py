"""Moving parts of the Overview's table while a slider is dragged: values, stars, intervals, changes since the pin."""

from collections.abc import Sequence

import pandas as pd

from fairviz.comparison import system_table
from fairviz.measures import Question
from fairviz.ui.kit import tables
from fairviz.ui.shell.live.frames import Frame, Moving
from fairviz.ui.tradeoff import pinned
from fairviz.ui.tradeoff.moving import SliderScores

SYSTEM_WIDTH = 168  # with the box that selects a row


def moving_table(
    scores: SliderScores,
    key: str,
    selected: str,
    *,
    intervals: bool,
    then: tuple[pd.DataFrame, Sequence[Question]] | None,
) -> Moving:
    """Return the cells of the table `key`. then: the pinned summary and its measures."""
    systems = system_table.ordered(scores.cube.systems, scores.cube.how)
    first = _grid(scores, scores.cube.present, then, intervals=intervals)
    still = {
        "heads": list(first.columns),
        "rows": systems,
        "widths": [SYSTEM_WIDTH, *(_width(name) for name in first.columns[1:])],
        "grey": [row for row, name in enumerate(systems) if not scores.cube.how.is_tested(name)],
        "chosen": systems.index(selected) if selected in systems else -1,
    }

    def frame(stop: int) -> Frame:
        questions = scores.questions(stop)
        marks = system_table.marks_by_column(system_table.marks(scores.comparison(stop)), questions, systems)
        table = _grid(scores, stop, then, intervals=intervals)
        cells = [text for row in system_table.cells(table, questions, marks) for text in row]
        values = table[[system_table.header(question) for question in questions]].to_numpy(dtype=float)
        stars = [
            [name in marks and marks[name][row] == system_table.STAR for name in table.columns]
            for row in range(len(table))
        ]
        return Frame({"values": values, "stars": stars}, {"cells": cells})

    return Moving(key, "table", still, frame)


def _grid(
    scores: SliderScores, stop: int, then: tuple[pd.DataFrame, Sequence[Question]] | None, *, intervals: bool
) -> pd.DataFrame:
    questions = scores.questions(stop)
    before = pinned.as_now(then[0], then[1], questions) if then else None
    return system_table.grid(scores.summary(stop), questions, scores.cube.how, intervals=intervals, pinned=before)


def _width(head: str) -> int:
    if head.startswith("Δ"):
        return tables.CHANGE_WIDTH
    return tables.INTERVAL_WIDTH if head.endswith("95 %") else tables.COLUMN_WIDTH
