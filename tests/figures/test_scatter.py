"""Systems by two measures: the scatter, its best achievable front, the plane of mitigations and a list's front."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from fairviz.figures import best_achievable, list_front, mitigation_plane, scatter
from fairviz.figures.axes import ROOM
from fairviz.figures.scatter import Point
from fairviz.figures.style import LIGHT, system_styles, under_one_legend
from fairviz.measures import parse

NDCG, CWEX, TED, GAP = (parse(text) for text in ("nDCG@10", "CWEx@10", "TED@10", "ExposureGap@10"))
STYLES = system_styles(["a", "b"])
NASTY = "neutral<script>alert(1)</script>"


def means(*rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["system", "measure", "value", "ci_low", "ci_high"])


def summary(question, **values) -> pd.DataFrame:
    return means(*((name, question.text, value, value - 0.1, value + 0.2) for name, value in values.items()))


def both(across: dict[str, float], up: dict[str, float], question=CWEX) -> pd.DataFrame:
    """nDCG across, another measure up."""
    return pd.concat([summary(NDCG, **across), summary(question, **up)])


def test_points_carry_both_means_and_intervals_where_both_have_a_value():
    drawn = scatter.info(both({"a": 0.5, "b": 0.9}, {"a": 0.25, "b": np.nan}), NDCG, CWEX, selected="a")
    assert drawn == scatter.Scatter(
        "Fairness against effectiveness, 95 % intervals",
        "nDCG@10 → more effective",
        f"{CWEX.text} → fairer",
        (Point("a", 0.5, 0.25, (0.4, 0.7), (0.15, 0.45)),),
        ("a",),
        (0.4 - 0.06 * (0.7 - 0.4), 0.7 + 0.06 * (0.7 - 0.4)),
        drawn.up,
        "a",
    )


def test_the_front_holds_what_no_other_system_beats_in_the_direction_of_each_measure():
    table = both({"a": 0.9, "b": 0.5, "c": 0.4, "d": 0.5}, {"a": 0.1, "b": 0.3, "c": 0.2, "d": 0.3})
    assert scatter.info(table, NDCG, CWEX).front == ("b", "d", "a")
    two = {"a": 0.9, "b": 0.5}
    assert scatter.info(both(two, {"a": 0.1, "b": 0.3}, TED), NDCG, TED).front == ("a",)
    assert scatter.info(both(two, {"a": -0.4, "b": 0.1}, GAP), NDCG, GAP).front == ("b", "a")


def test_a_trace_a_system_with_its_look_and_both_intervals():
    drawn = scatter.info(both({"a<b>": 0.9, "c": 0.5}, {"a<b>": 0.1, "c": 0.3}), NDCG, CWEX, selected="c")
    styles = system_styles(["hidden", "a<b>", "c"])
    front, first, second = scatter.draw(drawn, styles).data
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
    table = means(("a", NDCG.text, 0.98, 0.9, 1.0), ("a", nfairr.text, 0.99, 0.02, 1.0))
    layout = scatter.draw(scatter.info(table, NDCG, nfairr), STYLES).layout
    assert layout.xaxis.range[1] == 1
    assert layout.yaxis.range == (0, 1)


def test_references_are_hollow_and_last_and_do_not_squeeze_the_rest():
    values = {"perfect": 1.0, "random": 0.01, "a": 0.5, "b": 0.6}
    table = both(values, {"perfect": 0.1, "random": 0.1, "a": 0.1, "b": 0.2})
    drawn = scatter.info(table, NDCG, CWEX)
    alone = scatter.info(table[table["system"].isin(["a", "b"])], NDCG, CWEX)
    assert [point.system for point in drawn.points] == ["a", "b", "perfect", "random"]
    assert (drawn.across, drawn.up, drawn.front) == (alone.across, alone.up, ("b",))
    styles = system_styles(["perfect", "random", "a", "b"])
    assert (styles["perfect"].symbol, styles["perfect"].reference) == ("circle-open", True)
    perfect, random = scatter.draw(drawn, styles).data[-2:]
    assert (perfect.x[0], perfect.marker.symbol) == (drawn.across[1], "triangle-right-open")
    assert (random.x[0], random.marker.symbol) == (drawn.across[0], "triangle-left-open")
    assert (perfect.text[0], random.text[0]) == ("perfect 1.00", "random 0.01")
    assert perfect.error_x.array is None
    alone = scatter.info(both({"perfect": 1.0}, {"perfect": 0.1}), NDCG, CWEX)
    assert alone.across[1] >= 1, "references alone set the axes"
    assert scatter.draw(alone, styles).data[0].mode == "markers"


def test_hundreds_of_systems_are_drawn_by_webgl():
    for count, kind in ((500, go.Scatter), (501, go.Scattergl)):
        names = {f"s{place}": place / 1000 for place in range(count)}
        figure = scatter.draw(scatter.info(both(names, names), NDCG, CWEX), system_styles(list(names)), LIGHT)
        assert {type(trace) for trace in figure.data if trace.mode == "markers"} == {kind}


def test_under_one_legend_a_figure_has_none_and_says_the_rest_itself():
    drawn = scatter.info(both({"a": 0.5, "b": 0.6}, {"a": 0.2, "b": 0.1}), NDCG, CWEX)
    figure = scatter.draw(drawn, STYLES)
    assert figure.layout.showlegend
    under_one_legend(figure, LIGHT, 3)
    assert figure.layout.showlegend is False
    assert figure.layout.title.text == "Fairness against effectiveness, 95 % intervals · 3 hidden"
    assert [note.text for note in figure.layout.annotations] == ["┄ Pareto front"]
    alone = scatter.draw(scatter.info(both({"a": 0.5}, {"a": 0.2}), NDCG, CWEX), STYLES)
    under_one_legend(alone, LIGHT)
    assert (alone.layout.title.text, alone.layout.annotations) == (drawn.title, ())


BEST = best_achievable.info(
    "DPFR", [(0.9, 0.1), (0.2, 0.5)], (0.55, 0.3), {"a": (0.25, 0.2, 0.3), "b": (np.nan,) * 3}, exact=True
)


def test_the_best_achievable_front_is_beneath_the_points_with_its_distances_in_every_text() -> None:
    table = both({"a": 0.5, "b": 0.6}, {"a": 0.1, "b": 0}).assign(ci_low=np.nan, ci_high=np.nan)
    plain = scatter.info(table, NDCG, CWEX)
    data = best_achievable.with_front(plain, BEST)
    # nDCG from 0.2 to 0.9, and half the usual room beyond
    np.testing.assert_allclose(data.across, (0.2 - ROOM / 2 * 0.7, 0.9 + ROOM / 2 * 0.7))
    assert data.up[0] == plain.up[0]  # already below the front
    assert data.up[1] > 0.5
    first, second = data.points
    assert first.hover("x", "y").endswith("<br>Distance to ◇: 0.2500 (0.2000 to 0.3000)")
    assert second.note == ""
    assert best_achievable.alt(data, BEST).endswith("; a is the nearest to its middle (0.250).")
    rows = best_achievable.with_distances(table, BEST)
    assert rows.iloc[-1].tolist() == ["a", "DPFR", 0.25, 0.2, 0.3]
    assert len(rows) == 5
    assert best_achievable.with_front(plain, None) == plain
    assert best_achievable.alt(data, None) == data.alt
    assert best_achievable.with_distances(table, None).equals(table)
    figure = scatter.draw(data, STYLES)
    count = len(figure.data)
    best_achievable.add(figure, BEST, data.x_title, data.y_title, LIGHT)
    line, reference = figure.data[:2]
    assert len(figure.data) == count + 2
    assert (line.name, line.line.dash) == ("Best achievable", "solid")
    assert (list(line.x), list(line.y)) == ([0.9, 0.2], [0.1, 0.5])
    assert (list(reference.x), list(reference.y), reference.marker.symbol) == ([0.55], [0.3], "diamond-open")
    assert line.customdata is None  # no click opens a list of the front
    under_one_legend(figure, LIGHT)
    assert figure.layout.annotations[-1].text == "— Best achievable   ┄ Pareto front"


def test_a_searched_front_is_dashed_and_named_so() -> None:
    searched = best_achievable.info("DPFR", BEST.points, BEST.reference, BEST.distances, exact=False)
    figure = go.Figure()
    best_achievable.add(figure, searched, "x", "y", LIGHT)
    assert figure.data[0].line.dash == "dash"
    assert "Best achievable (searched): from (0.900, 0.100) to (0.200, 0.500)" in searched.alt


def test_an_arrow_leads_from_the_base_to_each_mitigation_with_both_values():
    table = means(
        ("bm25", NDCG.text, 0.6, 0.5, 0.7), ("bm25", CWEX.text, 0.2, 0.1, 0.3), (NASTY, NDCG.text, 0.5, np.nan, np.nan),
        (NASTY, CWEX.text, 0.4, 0.3, 0.5), ("half", NDCG.text, 0.5, 0.4, 0.6),
    )  # fmt: skip
    plane = mitigation_plane.info(table, [("bm25", NASTY), ("bm25", "half")], NDCG, CWEX)
    base, mended = plane.points
    assert base == Point("bm25", 0.6, 0.2, (0.5, 0.7), (0.1, 0.3))
    assert (mended.system, mended.base, mended.x, mended.y) == (NASTY, "bm25", 0.5, 0.4)
    assert (plane.systems, plane.absent) == (("bm25", NASTY, "half"), ("half",))
    assert plane.x_title == "nDCG@10 → more effective"
    assert "bm25 (0.600, 0.200) to neutral" in plane.alt
    assert plane.across[0] <= 0.5
    assert plane.up[1] >= 0.5
    figure = mitigation_plane.draw(plane)
    assert [trace.marker.symbol for trace in figure.data] == ["circle-open", "square"]
    assert len({trace.marker.color for trace in figure.data}) == 2
    (arrow,) = figure.layout.annotations
    assert (arrow.ax, arrow.ay, arrow.x, arrow.y) == (0.6, 0.2, 0.5, 0.4)
    assert figure.data[0].error_x.array[0] > 0
    assert figure.data[1].error_x.array[0] == 0
    assert "<script>" not in figure.to_json().replace("\\u003c", "<")


def test_a_list_stands_beside_its_best_reorderings() -> None:
    scores = both({"a": 0.5, "b": 0.6}, {"a": -0.5, "b": 0.1})[["system", "measure", "value"]]
    info = list_front.info(scores, NDCG, CWEX, "a", [(1.0, -0.2, 3), (0.2, 0.4, 1)], (0.5, -0.4), exact=True)
    assert info.alt == (
        "This list now, and its best reorderings: 2 systems; 2 reorderings that no other beats (exact), from "
        "(0.200, 0.400) to (1.000, −0.200); the list is at (0.500, −0.400)."
    )
    figure = list_front.draw(info, STYLES)
    first, second, line, now = figure.data
    assert [trace.text[0] for trace in (first, second)] == ["a", "b"]
    assert (line.x, line.y, line.customdata) == ((0.2, 1.0), (0.4, -0.2), (1, 3))
    assert line.line.dash == "solid"
    assert (line.text, line.textposition) == (("", "best reorderings"), "bottom left")
    assert (now.text, now.x, now.y, now.marker.symbol) == ("now", (0.5,), (-0.4,), "circle-open")
    for (low, high), (least, greatest) in (
        (figure.layout.xaxis.range, (0.2, 1.0)), (figure.layout.yaxis.range, (-0.5, 0.4)),
    ):  # fmt: skip
        assert low < least < greatest < high
    info = list_front.info(scores, NDCG, CWEX, "<b>", now=(0.5, np.nan))
    assert "0 reorderings that no other beats (greedy, so that better ones may exist)" in info.alt
    assert info.alt.endswith("the list has no value.")
    assert len(list_front.draw(info, STYLES).data) == 2
    info = list_front.info(scores, NDCG, CWEX, "<b>", [(0.5, 0.2, 1)], (0.5, 0.2))
    line, now = list_front.draw(info, STYLES).data[2:]
    assert line.line.dash == "dot"
    assert line.text == ("best reorderings (greedy)",)
    assert "&lt;b&gt;" in now.hovertemplate
