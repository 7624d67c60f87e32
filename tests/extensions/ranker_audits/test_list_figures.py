"""Ranks of the protected group, one list before and after, and pairs against lists."""

import math

import numpy as np
import pandas as pd

from fairviz.extensions.ranker_audits.figures import list_moves, pairs_and_lists, protected_ranks
from fairviz.extensions.ranker_audits.figures.pairs_and_lists import AGREE, APART, COLUMNS, OPEN, PART
from fairviz.figures.style import LIGHT, group_colour

RANKS = pd.DataFrame(
    [("<a>", "neutral", rank) for rank in (1, 2, 3, 4, 5)] + [("<a>", "female", rank) for rank in (1, 1, 2)]
    + [("b", "neutral", 4)],
    columns=["system", "attribute", "after"],
)  # fmt: skip
LIST = pd.DataFrame(
    [("<i>1", "female", True, 2, 1, False, False), ("d2", "male", False, 1, 3, False, False),
     ("d3", "female", False, 3, 2, False, True)],
    columns=["doc_id", "group", "relevant", "before", "after", "unranked", "tied"],
)  # fmt: skip


def test_spreads_are_the_quantiles() -> None:
    found = protected_ranks.info(RANKS, "female", 3.0)
    assert (found.systems, found.attributes) == (("<a>", "b"), ("neutral", "female"))
    first = found.spreads[0]
    assert (first.count, first.mean) == (5, 3.0)
    assert first.ranks == tuple(np.quantile([1, 2, 3, 4, 5], [0.05, 0.25, 0.5, 0.75, 0.95]))
    assert found.alt == (
        "Ranks of female documents: <a>, neutral queries, mean 3.0; <a>, female queries, mean 1.3; b, neutral "
        "queries, mean 4.0. The middle of the lists is 3.0."
    )

    figure = protected_ranks.draw(found)
    boxes, marks = figure.data[::2], figure.data[1::2]
    assert [box.median.tolist() for box in boxes] == [[3.0, 4.0], [1.0]]
    assert [tuple(box.y) for box in boxes] == [tuple(mark.y) for mark in marks]
    assert figure.layout.shapes[0].x0 == 3.0
    assert "<a>" not in str(figure)


def test_a_line_a_document() -> None:
    drawn = list_moves.info(LIST, "female", {"<i>1": "<script>alert()</script>", "d2": "two"})
    assert [(one.name, one.before, one.after, one.unplaced) for one in drawn.moves] == [
        ("d2", 1, 3, False), ("<i>1", 2, 1, False), ("d3", 3, 2, True),
    ]  # fmt: skip
    assert drawn.alt == "The list before and after: 3 documents; female ones move from rank 2 to 1, 3 to 2."
    figure = list_moves.draw(drawn)
    assert [trace.name for trace in figure.data[:3]] == [
        "female, relevant", "female, not relevant", "male, not relevant",
    ]  # fmt: skip
    assert list(figure.data[0].y) == [2, 1, None]
    assert figure.data[0].line.color == group_colour("female", ("female", "male"), LIGHT)
    assert (figure.data[0].line.dash, figure.data[1].line.dash) == ("solid", "dot")
    assert figure.data[1].customdata[0][1] == "d3, rank 3 to 2: 1 higher; unranked or tied"
    assert figure.layout.yaxis.ticktext[0] == "1. two"
    assert figure.layout.yaxis2.ticktext[2] == "3. two"
    assert "<script>" not in str(figure)
    assert "<i>" not in str(figure)


def test_pairs_against_lists_agree_contradict_or_stay_open() -> None:
    rows = [
        ("same", 0.7, 0.6, 0.8, 0.6, 0.55, 0.65),
        ("<b>contrary</b>", 0.3, 0.2, 0.4, 0.6, 0.55, 0.65),
        ("even", 0.5, 0.4, 0.6, 0.6, 0.55, 0.65),
        ("few queries", 0.7, math.nan, math.nan, 0.6, math.nan, math.nan),
        ("unread", math.nan, math.nan, math.nan, 0.5, 0.45, 0.55),
    ]
    shown = pairs_and_lists.info(pd.DataFrame(rows, columns=list(COLUMNS)), "female", "male")
    assert shown.systems == ("same", "<b>contrary</b>", "even", "few queries")
    assert shown.verdicts == (AGREE, PART, APART, OPEN)
    assert shown.values[0] == rows[0][1:]
    assert "same: 0.700 in pairs, 0.600 in lists (both favour the same group)" in shown.alt
    figure = pairs_and_lists.draw(shown)
    assert [(trace.name, trace.marker.symbol) for trace in figure.data] == [
        (AGREE, "circle"), (PART, "x"), (APART, "diamond"), (OPEN, "circle-open"),
    ]  # fmt: skip
    assert figure.data[1].text == ("&lt;b&gt;contrary&lt;/b&gt;",)
