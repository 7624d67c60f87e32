"""One query among all."""

import numpy as np
import pandas as pd

from fairviz.figures import strip
from fairviz.figures.style import system_styles
from fairviz.measures import parse

CWEX, TED, NDCG = parse("CWEx@5"), parse("TED@5"), parse("nDCG@5")
ROWS = [
    ("a", "q1", CWEX.text, -0.5), ("a", "q2", CWEX.text, 0.5), ("b", "q1", CWEX.text, 0.0),
    ("b", "q2", CWEX.text, np.nan), ("c", "q1", CWEX.text, 9.0), ("a", "q1", NDCG.text, 1.0),
    ("a", "q2", NDCG.text, 1.0), ("a", "q1", TED.text, np.nan),
]  # fmt: skip
SCORES = pd.DataFrame(ROWS, columns=["system", "query_id", "measure", "value"])


def test_a_row_a_measure_with_ends_of_its_own() -> None:
    drawn = strip.info(SCORES, [CWEX, TED, NDCG], ("a", "b"), "q1")
    assert [row.measure for row in drawn.rows] == [CWEX.text, NDCG.text]  # TED is defined nowhere
    first, second = drawn.rows
    assert (first.low, first.high, first.others, first.own) == (-0.5, 0.5, (-0.5, 0.5, 0.0), {"a": -0.5, "b": 0.0})
    assert (first.pointer, second.pointer) == ("→ fairer", "→ better")
    assert [first.across(value) for value in (-0.5, 0.0, 0.5)] == [0, 0.5, 1]
    assert second.across(1.0) == 0.5  # all alike
    assert drawn.alt == (
        "q1 among all queries: CWEx(alpha=0.5)@5 −0.500 in a, 0.000 in b; nDCG@5 1.000 in a, undefined in b."
    )


def test_the_marks_of_the_query() -> None:
    styles = system_styles(("a", "b"))
    figure = strip.draw(strip.info(SCORES, [CWEX, NDCG], ("a", "b"), "q1"), styles)
    everyone, a, b = figure.data
    assert list(everyone.x) == [0, 0.5, 1, 0.5]
    assert list(everyone.y) == [0, 0, 0, 1]
    assert (list(a.x), list(a.y), a.marker.symbol) == ([0, 0.5], [0, 1], styles["a"].symbol)
    assert (list(b.x), list(b.y)) == ([0.5], [0])
    assert [note.text for note in figure.layout.annotations] == ["−0.500", "0.500", "1.000", "1.000"]


def test_the_band_of_random_orders_is_behind_the_marks_and_within_the_row() -> None:
    rows = strip.info(SCORES, [CWEX, NDCG], ("a", "b"), "q1")
    bands = pd.DataFrame({"measure": [CWEX.text, NDCG.text], "low": [-0.9, np.nan], "high": [0.25, np.nan]})
    with_band = strip.of_query(rows, SCORES, "q1", bands)
    assert [row.band for row in with_band.rows] == [(0.0, 0.75), None]
    (shape,) = strip.draw(with_band, system_styles(("a", "b"))).layout.shapes
    assert (shape.x0, shape.x1, shape.y0, shape.y1, shape.layer) == (0.0, 0.75, -0.3, 0.3, "below")
    assert [row.band for row in rows.rows] == [None, None]
    beyond = strip.of_query(rows, SCORES, "q1", bands.assign(low=0.6, high=0.9))
    assert beyond.rows[0].band is None
