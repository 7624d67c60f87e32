import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures import scatter
from fairviz.figures.style import LIGHT, system_styles, under_one_legend
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
        (0.4 - 0.06 * (0.7 - 0.4), 0.7 + 0.06 * (0.7 - 0.4)),
        drawn.up,
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


def test_axes_stay_within_what_is_possible():
    nfairr = parse("NFaiRR@10")
    rows = [("a", NDCG.text, 0.98, 0.9, 1.0), ("a", nfairr.text, 0.99, 0.02, 1.0)]
    table = pd.DataFrame(rows, columns=["system", "measure", "value", "ci_low", "ci_high"])
    figure = scatter.draw(scatter.info(table, NDCG, nfairr), system_styles("a"))
    assert figure.layout.xaxis.range[1] == 1
    assert figure.layout.yaxis.range == (0, 1)


def test_references_are_hollow_and_last_and_do_not_squeeze_the_rest():
    values = {"perfect": 1.0, "random": 0.01, "a": 0.5, "b": 0.6}
    table = pd.concat([summary(NDCG, **values), summary(CWEX, perfect=0.1, random=0.1, a=0.1, b=0.2)])
    drawn = scatter.info(table, NDCG, CWEX)
    alone = scatter.info(table[table["system"].isin(["a", "b"])], NDCG, CWEX)
    assert [point.system for point in drawn.points] == ["a", "b", "perfect", "random"]
    assert (drawn.across, drawn.up, drawn.front) == (alone.across, alone.up, ("b",))
    styles = system_styles(["perfect", "random", "a", "b"])
    assert styles["perfect"].symbol == "circle-open"
    assert styles["perfect"].reference
    figure = scatter.draw(drawn, styles)
    perfect, random = figure.data[-2:]
    assert (perfect.x[0], perfect.marker.symbol) == (drawn.across[1], "triangle-right-open")
    assert (random.x[0], random.marker.symbol) == (drawn.across[0], "triangle-left-open")
    assert (perfect.text[0], random.text[0]) == ("perfect 1.00", "random 0.01")
    assert perfect.error_x.array is None


def test_references_alone_set_the_axes():
    drawn = scatter.info(pd.concat([summary(NDCG, perfect=1.0), summary(CWEX, perfect=0.1)]), NDCG, CWEX)
    assert drawn.across[1] >= 1
    assert scatter.draw(drawn, system_styles(["perfect"])).data[0].mode == "markers"


def test_hundreds_of_systems_are_drawn_by_webgl():
    names = {f"s{place}": place / 1000 for place in range(501)}
    table = pd.concat([summary(NDCG, **names), summary(CWEX, **names)])
    figure = scatter.draw(scatter.info(table, NDCG, CWEX), system_styles(list(names)), LIGHT)
    assert all(isinstance(trace, go.Scattergl) for trace in figure.data if trace.mode == "markers")


def test_under_one_legend_a_figure_has_none_and_says_the_rest_itself():
    styles = system_styles(["a", "b"])
    drawn = scatter.info(pd.concat([summary(NDCG, a=0.5, b=0.6), summary(CWEX, a=0.2, b=0.1)]), NDCG, CWEX)
    figure = scatter.draw(drawn, styles)
    assert figure.layout.showlegend
    under_one_legend(figure, LIGHT, 3)
    assert figure.layout.showlegend is False
    assert figure.layout.title.text == "Fairness against effectiveness, 95 % intervals · 3 hidden"
    assert [note.text for note in figure.layout.annotations] == ["┄ Pareto front"]
    alone = scatter.draw(scatter.info(pd.concat([summary(NDCG, a=0.5), summary(CWEX, a=0.2)]), NDCG, CWEX), styles)
    under_one_legend(alone, LIGHT)
    assert (alone.layout.title.text, alone.layout.annotations) == (drawn.title, ())
