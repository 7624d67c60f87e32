import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures import scatter
from fairviz.figures.style import LIGHT, system_styles
from fairviz.measures import parse

NDCG, CWEX, TED, GAP = (parse(text) for text in ("nDCG@10", "CWEx@10", "TED@10", "ExposureGap@10"))


def summary(question, **values):
    rows = [(name, question.text, value, value - 0.1, value + 0.2) for name, value in values.items()]
    return pd.DataFrame(rows, columns=["system", "measure", "value", "ci_low", "ci_high"])


def test_points_carry_both_means_and_intervals():
    table = pd.concat([summary(NDCG, a=0.5), summary(CWEX, a=0.25)])
    drawn = scatter.info(table, NDCG, CWEX, selected="a")
    assert drawn == scatter.Scatter(
        "Fairness against effectiveness, 95 % intervals",
        "nDCG@10 → more effective",
        f"{CWEX.text} → fairer",
        (scatter.Point("a", 0.5, 0.25, (0.4, 0.7), (0.15, 0.45)),),
        ("a",),
        "a",
    )


def test_the_front_holds_what_no_other_system_beats():
    table = pd.concat([summary(NDCG, a=0.9, b=0.5, c=0.4, d=0.5), summary(CWEX, a=0.1, b=0.3, c=0.2, d=0.3)])
    assert scatter.info(table, NDCG, CWEX).front == ("b", "d", "a")


def test_the_front_follows_the_direction_of_each_measure():
    table = pd.concat([summary(NDCG, a=0.9, b=0.5), summary(TED, a=0.1, b=0.3)])
    assert scatter.info(table, NDCG, TED).front == ("a",)
    table = pd.concat([summary(NDCG, a=0.9, b=0.5), summary(GAP, a=-0.4, b=0.1)])
    assert scatter.info(table, NDCG, GAP).front == ("b", "a")


def test_systems_without_a_value_are_left_out():
    table = pd.concat([summary(NDCG, a=0.9, b=0.5), summary(CWEX, a=np.nan, b=0.3)])
    assert [point.system for point in scatter.info(table, NDCG, CWEX).points] == ["b"]


def test_a_trace_a_system_with_its_look_and_both_intervals():
    table = pd.concat([summary(NDCG, **{"a<b>": 0.9, "c": 0.5}), summary(CWEX, **{"a<b>": 0.1, "c": 0.3})])
    drawn = scatter.info(table, NDCG, CWEX, selected="c")
    styles = system_styles(["hidden", "a<b>", "c"])
    figure = scatter.draw(drawn, styles)
    front, first, second = figure.data
    assert (front.name, list(front.x)) == ("Pareto front", [0.5, 0.9])
    assert first.name == "a&lt;b&gt;"
    assert first.customdata[0] == "a<b>"
    assert (first.marker.color, first.marker.symbol) == (styles["a<b>"].colour, styles["a<b>"].symbol)
    assert np.allclose([first.error_x.array[0], first.error_x.arrayminus[0]], [0.2, 0.1])
    assert np.allclose([first.error_y.array[0], first.error_y.arrayminus[0]], [0.2, 0.1])
    assert second.marker.line.width == 2
    assert first.marker.line.width == 0


def test_no_point_gives_a_titled_empty_figure():
    drawn = scatter.info(summary(NDCG), NDCG, CWEX)
    figure = scatter.draw(drawn, {})
    assert figure.layout.title.text == "Fairness against effectiveness, 95 % intervals"
    assert not figure.data


def test_hundreds_of_systems_are_drawn_by_webgl():
    names = {f"s{place}": place / 1000 for place in range(501)}
    table = pd.concat([summary(NDCG, **names), summary(CWEX, **names)])
    figure = scatter.draw(scatter.info(table, NDCG, CWEX), system_styles(list(names)), LIGHT)
    assert all(isinstance(trace, go.Scattergl) for trace in figure.data if trace.mode == "markers")
