"""The figures on the validity of GSR: what is drawn, in which colours, and what is said where there is nothing."""

import numpy as np
import pandas as pd
import pytest

from fairviz.figures import direct_gap, parity_cloud, reliability
from fairviz.figures.style import DARK, LIGHT, group_colour

NAMES = ("glove", "<b>mine</b>")


def queries(rows):
    return pd.DataFrame(rows, columns=["query_id", "first", "second"])


def test_queries_stand_by_both_vectors_around_both_means():
    table = queries([("q1", 0.1, 0.2), ("q2", np.nan, 0.1), ("q3", -0.4, 0.0), ("q4", 0.1, np.nan)])
    drawn = reliability.info(table, 0.5, NAMES, (-0.1, 0.05))
    assert drawn.points == (("q1", 0.1, 0.2), ("q3", -0.4, 0.0))
    assert drawn.alt == (
        "Genderedness of queries by two sets of vectors: 2 queries, glove across, <b>mine</b> up. Pearson's r: 0.50."
    )
    figure = reliability.draw(drawn, {"q1": "<i>who</i>"})
    (marks,) = figure.data
    assert (list(marks.x), list(marks.y)) == ([0.1, -0.4], [0.2, 0.0])
    assert list(marks.text) == ["&lt;i&gt;who&lt;/i&gt;", "q3"]
    assert (marks.marker.cmin + marks.marker.cmax) / 2 == pytest.approx(
        -0.1
    )  # colours are centred on the first vocabulary's mean
    assert [(line.x0, line.y0) for line in figure.layout.shapes] == [(-0.1, 0), (0, 0.05)]
    assert figure.layout.xaxis.title.text == "g(q) by glove, male ← → female"
    assert figure.layout.yaxis.title.text == "g(q) by &lt;b&gt;mine&lt;/b&gt;"


def test_no_common_query_gives_a_titled_empty_figure():
    drawn = reliability.info(queries([("q1", np.nan, 0.2)]), np.nan, NAMES, (0.0, 0.0))
    figure = reliability.draw(drawn, {})
    assert not figure.data
    assert figure.layout.title.text == reliability.TITLE
    assert figure.layout.annotations[0].text == reliability.NOTHING
    assert drawn.alt.endswith("Pearson's r: undefined.")


def test_a_point_an_answer_and_a_line_at_equal_shares():
    sample = pd.DataFrame({"gsr": [0.1, -0.2], "stereotypical": [0.6, 0.5]})
    drawn = parity_cloud.info(sample, 0.849, 3**20)
    assert drawn.points == ((0.6, 0.1), (0.5, -0.2))
    assert drawn.alt.endswith("2 of 3,486,784,401. Pearson's r over all of them: 0.85.")
    figure = parity_cloud.draw(drawn)
    assert (list(figure.data[0].x), list(figure.data[0].y)) == ([0.6, 0.5], [0.1, -0.2])
    assert figure.layout.shapes[0].x0 == 0.5
    nothing = parity_cloud.draw(parity_cloud.info(sample[:0], np.nan, 1))
    assert nothing.layout.annotations[0].text == parity_cloud.NOTHING


GAPS = pd.DataFrame(
    [
        ("one", "q1", 0.2, -1.0, "female"),
        ("one", "q2", -0.3, 2.0, "male"),
        ("one", "q3", 0.1, 0.0, "neither"),
        ("one", "q4", np.nan, 1.0, "male"),
        ("one", "q5", 0.1, np.inf, "male"),
        ("one", "q6", 0.1, np.nan, "undefined"),
        ("two", "q1", 0.2, 3.0, "male"),
    ],
    columns=["system", "query_id", "query", "delta", "over"],
)
BINS = pd.DataFrame(
    [
        ("one", -np.inf, -0.1, 4, 1, 2, 0, 1),
        ("one", -0.1, 0.05, 0, 0, 0, 0, 0),
        ("one", 0.05, np.inf, 2, 1, 0, 1, 0),
        ("two", -np.inf, -0.1, 9, 9, 0, 0, 0),
    ],
    columns=["system", "low", "high", "queries", "female", "male", "neither", "undefined"],
)


def test_each_query_has_the_colour_and_the_shape_of_its_gender():
    drawn = direct_gap.info(GAPS, BINS, "one", -0.09)
    assert drawn.points == {
        "male": ((-0.3, 2.0, "q2"),),
        "neither": ((0.1, 0.0, "q3"),),
        "female": ((0.2, -1.0, "q1"),),
    }
    figure = direct_gap.draw(drawn, {"q2": "<i>x</i>"}, DARK)
    assert [trace.name for trace in figure.data] == ["male over: 1", "neither: 1", "female over: 1"]
    assert [trace.marker.color for trace in figure.data] == [
        group_colour(group, (), DARK) for group in ("male", "neutral", "female")
    ]
    assert len({trace.marker.symbol for trace in figure.data}) == 3
    assert list(figure.data[0].text) == ["&lt;i&gt;x&lt;/i&gt;"]
    assert figure.layout.shapes[0].x0 == -0.09


def test_shares_are_of_the_queries_that_have_an_answer():
    drawn = direct_gap.info(GAPS, BINS, "one", 0.0)
    assert drawn.bins == ("≤ −0.1<br>(4)", "−0.1 to 0.05<br>(0)", "> 0.05<br>(2)")
    np.testing.assert_allclose(drawn.shares["male"], [2 / 3, np.nan, 0])
    np.testing.assert_allclose(drawn.shares["female"], [1 / 3, np.nan, 0.5])
    np.testing.assert_allclose(drawn.shares["neither"], [0, np.nan, 0.5])
    figure = direct_gap.draw_shares(drawn)
    assert [bar.name for bar in figure.data] == ["male over", "neither", "female over"]
    assert [bar.marker.color for bar in figure.data] == [
        group_colour(group, (), LIGHT) for group in ("male", "neutral", "female")
    ]
    assert len({bar.marker.pattern.shape for bar in figure.data}) == 3
    assert {bar.marker.pattern.fillmode for bar in figure.data} == {"overlay"}  # else the pattern replaces the colour


def test_a_system_without_queries_gives_titled_empty_figures():
    drawn = direct_gap.info(GAPS, BINS, "three", 0.0)
    assert direct_gap.draw(drawn, {}).layout.annotations[0].text == direct_gap.NOTHING
    assert direct_gap.draw_shares(drawn).layout.title.text == direct_gap.SHARES_TITLE
    assert drawn.alt.endswith("Queries: none.")
