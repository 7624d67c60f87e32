"""Pairs against lists: who agrees, who contradicts, and who is not significantly different from even."""

import math

import pandas as pd

from fairviz.extensions.ranker_audits.figures.pairs_and_lists import (
    AGREE,
    APART,
    COLUMNS,
    OPEN,
    PART,
    PairsAndLists,
    draw,
    info,
)

ROWS = [
    ("same", 0.7, 0.6, 0.8, 0.6, 0.55, 0.65),
    ("<b>contrary</b>", 0.3, 0.2, 0.4, 0.6, 0.55, 0.65),
    ("even", 0.5, 0.4, 0.6, 0.6, 0.55, 0.65),
    ("few queries", 0.7, math.nan, math.nan, 0.6, math.nan, math.nan),
    ("unread", math.nan, math.nan, math.nan, 0.5, 0.45, 0.55),
]


def drawn() -> PairsAndLists:
    return info(pd.DataFrame(ROWS, columns=list(COLUMNS)), "female", "male")


def test_what_is_drawn() -> None:
    shown = drawn()
    assert shown.systems == ("same", "<b>contrary</b>", "even", "few queries")
    assert shown.verdicts == (AGREE, PART, APART, OPEN)
    assert shown.values[0] == ROWS[0][1:]
    assert "same: 0.700 in pairs, 0.600 in lists (both favour the same group)" in shown.alt


def test_marks_by_shape_and_nothing_to_draw() -> None:
    figure = draw(drawn())
    assert [(trace.name, trace.marker.symbol) for trace in figure.data] == [
        (AGREE, "circle"), (PART, "x"), (APART, "diamond"), (OPEN, "circle-open"),
    ]  # fmt: skip
    assert figure.data[1].text == ("&lt;b&gt;contrary&lt;/b&gt;",)
    assert not draw(info(pd.DataFrame([ROWS[-1]], columns=list(COLUMNS)), "female", "male")).data
