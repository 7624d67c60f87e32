"""GSR over the queries left out, and what debiasing reorders."""

import numpy as np
import pandas as pd

from fairviz.figures import leave_out_curve, reordering
from fairviz.figures.style import system_styles

STYLES = system_styles(("one", "two"))
UNKNOWN = pd.DataFrame({"ranker": [], "r": [], "centred_r": []})


def test_a_line_a_system_over_the_queries_left_out():
    rows = [("one", 0, 0.3), ("two", 0, 0.2), ("one", 1, 0.1), ("two", 1, np.nan)]
    table = pd.DataFrame(rows, columns=["system", "left_out", "slope"])
    table = table.assign(ci_low=table["slope"] - 0.05, ci_high=table["slope"] + 0.1)
    curve = leave_out_curve.info(table, 1, "two")
    assert (curve.numbers, curve.current) == ((0, 1), 1)
    assert curve.slopes["one"] == (0.3, 0.1)
    figure = leave_out_curve.draw(curve, STYLES)
    bands, lines = figure.data[::2], figure.data[1::2]
    assert [trace.name for trace in lines] == ["one", "<b>two</b>"]
    assert lines[0].line.dash == STYLES["one"].dash
    assert np.allclose(bands[0].y, [0.4, 0.2, 0.05, 0.25])
    assert list(bands[1].x) == [0, 0]  # no band where there is no slope
    assert lines[0].customdata[0][1] == " (0.250 to 0.400)"
    assert curve.up[1] > 0.4
    assert figure.layout.shapes[0].x0 == 1


def test_no_slope_gives_a_titled_empty_figure():
    table = pd.DataFrame({"system": ["one"], "left_out": [0], "slope": [np.nan], "ci_low": [np.nan], "ci_high": np.nan})
    figure = leave_out_curve.draw(leave_out_curve.info(table, 0), STYLES)
    assert not figure.data
    assert figure.layout.title.text == leave_out_curve.TITLE


def test_a_reference_does_not_set_the_axis_of_slopes():
    rows = [("random", 0, -5.0), ("one", 0, 0.3)]
    table = pd.DataFrame(rows, columns=["system", "left_out", "slope"]).assign(ci_low=np.nan, ci_high=np.nan)
    curve = leave_out_curve.info(table, 0)
    assert list(curve.slopes) == ["one", "random"]
    assert curve.up[0] > 0.2
    figure = leave_out_curve.draw(curve, system_styles(("random", "one")))
    assert "▼ random −5.00" in [note.text for note in figure.layout.annotations]


def distances(rows):
    return pd.DataFrame(rows, columns=["query_id", "query", "ranker", "distance"])


def test_distance_stands_over_the_absolute_genderedness():
    table = distances([("q1", -0.2, "one", 0.1), ("q2", 0.3, "one", 0.4), ("q3", np.nan, "one", 0.2)])
    found = reordering.info(table, pd.DataFrame({"ranker": ["one"], "r": [1.0], "centred_r": [-0.5]}), -0.25)
    assert found.correlations == {"one": (-0.5, 1.0)}
    rounded = [(round(g, 9), distance, query) for g, distance, query in found.points["one"]]
    assert rounded == [(0.05, 0.1, "q1"), (0.55, 0.4, "q2")]  # from the vocabulary's mean, not from 0
    figure = reordering.draw(found, STYLES, {"q1": "<i>who</i>"}, query="q2")
    assert list(figure.data[0].marker.line.width) == [0, 2.5]
    assert list(figure.data[0].marker.size) == [8, 14]
    assert figure.data[0].name == "one<br>r = −0.50<br>of |g|: 1.00"
    assert list(figure.data[0].text) == ["&lt;i&gt;who&lt;/i&gt;", "q2"]


def test_an_undefined_correlation_is_not_written():
    found = reordering.info(distances([("q1", -0.2, "one", 0.1)]), UNKNOWN, 0.0)
    assert reordering.draw(found, STYLES, {}).data[0].name == "one"
    nothing = reordering.info(distances([]), UNKNOWN, 0.0)
    assert reordering.draw(nothing, STYLES, {}).layout.annotations[0].text == reordering.NOTHING
