"""Systems by two or more measures: the scatter with its best achievable front, the plane of mitigations, a list's
front, shares of three groups, ranks by measure, and measures against measures."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from fairviz.figures import best_achievable, bump, list_front, measure_matrix, mitigation_plane, scatter, style, ternary
from fairviz.figures.axes import ROOM
from fairviz.figures.scatter import Point
from fairviz.figures.style import DARK, LIGHT, system_styles, under_one_legend
from fairviz.measures import parse

NDCG, CWEX, TED, GAP = (parse(text) for text in ("nDCG@10", "CWEx@10", "TED@10", "ExposureGap@10"))
COUNT = parse("Exposure(group='female')@10")
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
    nfairr = parse("NFaiRR@10")
    table = means(("a", NDCG.text, 0.98, 0.9, 1.0), ("a", nfairr.text, 0.99, 0.02, 1.0))
    drawn = scatter.info(table, NDCG, nfairr)
    assert (drawn.across[1], drawn.up) == (1, (0, 1)), "axes stay within what is possible"


def test_the_front_holds_what_no_other_system_beats_in_the_direction_of_each_measure():
    table = both({"a": 0.9, "b": 0.5, "c": 0.4, "d": 0.5}, {"a": 0.1, "b": 0.3, "c": 0.2, "d": 0.3})
    assert scatter.info(table, NDCG, CWEX).front == ("b", "d", "a")
    two = {"a": 0.9, "b": 0.5}
    assert scatter.info(both(two, {"a": 0.1, "b": 0.3}, TED), NDCG, TED).front == ("a",)
    assert scatter.info(both(two, {"a": -0.4, "b": 0.1}, GAP), NDCG, GAP).front == ("b", "a")


def test_a_trace_a_system_with_its_look_and_both_intervals_and_hundreds_by_webgl(monkeypatch):
    drawn = scatter.info(both({"a<b>": 0.9, "c": 0.5}, {"a<b>": 0.1, "c": 0.3}), NDCG, CWEX, selected="c")
    styles = system_styles(["hidden", "a<b>", "c"])
    figure = scatter.draw(drawn, styles)
    front, first, second = figure.data
    assert (figure.layout.xaxis.range, figure.layout.yaxis.range) == (drawn.across, drawn.up)
    assert (front.name, list(front.x)) == ("Pareto front", [0.5, 0.9])
    assert (first.name, first.customdata[0]) == ("a&lt;b&gt;", "a<b>")
    assert (first.marker.color, first.marker.symbol) == (styles["a<b>"].colour, styles["a<b>"].symbol)
    for error in (first.error_x, first.error_y):
        assert np.allclose([error.array[0], error.arrayminus[0]], [0.2, 0.1])
    assert (first.marker.line.width, second.marker.line.width) == (0, 2)
    assert [style.marker_class(count) for count in (500, 501)] == [go.Scatter, go.Scattergl]
    for most, kind in ((2, go.Scatter), (1, go.Scattergl)):
        for file in (style, scatter):
            monkeypatch.setattr(file, "WEBGL_ABOVE", most)
        assert {type(trace) for trace in scatter.draw(drawn, styles).data[1:]} == {kind}


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


def shares(**systems):
    rows = [(name, *values) for name, values in systems.items()]
    return pd.DataFrame(rows, columns=["system", "neutral", "female", "male"])


NEAR = {"a": (0.5, 0.3, 0.2), "b": (0.4, 0.25, 0.35)}


def test_a_point_of_shares_a_system_neutral_on_top_and_axes_are_zoomed_which_references_do_not_set():
    drawn = ternary.info(shares(**NEAR, c=(np.nan, np.nan, np.nan)))
    assert [point.shares for point in drawn.points] == [*NEAR.values()], "c has no labels"
    figure = ternary.draw(drawn, STYLES)
    first, second = figure.data
    assert (first.a[0], first.b[0], first.c[0], first.marker.symbol) == (0.5, 0.3, 0.2, STYLES["a"].symbol)
    assert second.customdata[0][0] == "b"
    axes = figure.layout.ternary
    assert axes.aaxis.title.text == "neutral 65 %"
    assert (axes.aaxis.min, axes.baxis.min, axes.caxis.min) == (0.35, 0.2, 0.15)
    figure = ternary.draw(
        ternary.info(shares(random=(0.02, 0.18, 0.8), **NEAR), "a"), system_styles(["random", "a", "b"])
    )
    beside = figure.layout.ternary
    assert (beside.aaxis.min, beside.baxis.min, beside.caxis.min) == (0.35, 0.2, 0.15)
    assert [trace.name for trace in figure.data] == ["<b>a</b>", "b", "random"]
    last = figure.data[-1]
    assert (last.a[0], last.b[0], last.c[0]) == pytest.approx((0.35, 0.2, 0.45))  # at the corner next to it
    assert last.text[0] == "random 0.02 / 0.18 / 0.80"
    assert "male 0.800" in last.hovertext[0]
    corner = ternary.draw(ternary.info(shares(a=(1.0, 0.0, 0.0))), STYLES).layout.ternary
    assert corner.baxis.min == corner.caxis.min == 0
    assert corner.aaxis.min < 1
    assert corner.aaxis.title.text == "neutral"


def test_shares_of_queries_are_gathered_until_they_are_few_enough_and_none_is_lost():
    generator = np.random.default_rng(0)
    table = pd.DataFrame(generator.dirichlet([1, 1, 1], 24_000), columns=["neutral", "female", "male"])
    places = range(24_000)
    table = table.assign(system=[f"s{n // 2000}" for n in places], query_id=[str(n % 2000) for n in places])
    drawn = ternary.info(table[["system", "query_id", "neutral", "female", "male"]])
    assert len(drawn.points) <= ternary.MOST_POINTS
    assert sum(point.queries for point in drawn.points) == 24_000
    assert drawn.cell > 0
    assert drawn.note == f"Queries gathered in cells of {drawn.cell:g}, larger where more."
    table = shares(a=(0.5, 0.3, 0.2))
    table = pd.concat([table, table, shares(a=(0.1, 0.1, 0.8))]).assign(query_id=["1", "2", "3"])
    drawn = ternary.info(table[["system", "query_id", "neutral", "female", "male"]], query="3")
    assert [(point.queries, point.shares) for point in drawn.points] == [(2, (0.5, 0.3, 0.2)), (1, (0.1, 0.1, 0.8))]
    assert drawn.note.endswith(" Ringed: the selected query.")
    points, *_, ring = ternary.draw(drawn, STYLES).data
    assert points.marker.size[0] > points.marker.size[1]
    assert (ring.name, ring.marker.line.width, list(ring.c)) == ("selected query", 2.5, [0.8])


def test_other_numbers_of_groups_are_drawn_as_bars_with_patterns():
    table = pd.DataFrame({"system": ["a"], "neutral": [0.4], "female": [0.2], "male": [0.3], "diverse": [0.1]})
    bars = ternary.draw(ternary.info(table), STYLES, LIGHT).data
    assert [(bar.type, bar.y[0]) for bar in bars] == [("bar", 0.4), ("bar", 0.2), ("bar", 0.3), ("bar", 0.1)]
    assert len({bar.marker.pattern.shape for bar in bars}) == 4


def ranked(**measures):
    """Values of a, b and c by measure."""
    of = {"cwex": CWEX, "ted": TED, "count": COUNT, "ndcg": NDCG}
    return pd.concat([summary(of[key], **dict(zip("abc", values, strict=True))) for key, values in measures.items()])


def test_ranks_follow_each_measures_own_direction_and_ties_share_one():
    drawn = bump.info(ranked(cwex=(0.1, 0.3, 0.2), ted=(0.1, 0.3, 0.2), count=(0.3, 0.3, 0.2)), [CWEX, TED, COUNT])
    assert drawn == bump.Bump(("CWEx", "TED"), {"a": (3, 1), "b": (1, 3), "c": (2, 2)}), "one measure only describes"
    drawn = bump.info(ranked(cwex=(0.3, 0.3, 0.2), ted=(0.1, np.nan, 0.2)), [CWEX, TED])
    assert drawn.ranks == {"a": (1, 1), "b": (1, None), "c": (3, 2)}
    assert drawn.alt == "Ranks of 3 systems; first by CWEx: a, b; by TED: a."
    styles = system_styles("abc")
    figure = bump.draw(bump.info(ranked(cwex=(0.1, 0.3, 0.2), ndcg=(1, 2, 3)), [CWEX, NDCG]), styles)
    low, high = figure.layout.yaxis.range
    assert low > high, "rank 1 is at the top"
    assert [trace.marker.symbol for trace in figure.data] == [styles[name].symbol for name in "abc"]
    assert list(figure.data[0].x) == ["CWEx", "nDCG<br>(effectiveness)"]


def test_references_take_no_rank_and_stand_between_those_who_do():
    table = summary(CWEX, perfect=0.9, a=0.3, random=0.2, b=0.1)
    drawn = bump.info(table, [CWEX], "b")
    assert drawn.ranks == {"a": (1,), "b": (2,)}
    assert drawn.references == {"perfect": (0.5,), "random": (1.5,)}
    figure = bump.draw(drawn, system_styles(["perfect", "a", "random", "b"]))
    assert [trace.name for trace in figure.data] == ["a", "<b>b</b>", "perfect", "random"]
    assert figure.layout.yaxis.range[1] < 0.5
    assert bump.info(table[table["system"] == "perfect"], [CWEX]).ranks == {"perfect": (1,)}


def test_measures_against_measures_are_means_over_systems_with_the_least_and_the_greatest() -> None:
    rows = [("queries", "a", 0.5, 0.4), ("queries", "b", 0.1, 0.2), ("systems", "", np.nan, 0.7)]
    table = pd.DataFrame(
        [*(("<b>x", "TED", *row) for row in rows), ("<b>x", "RaB", "queries", "a", np.nan, np.nan)],
        columns=["first", "second", "over", "system", "pearson", "kendall"],
    )
    measures = ("<b>x", "TED", "RaB")
    found = measure_matrix.info(table, measures)
    assert found.value[0] == pytest.approx((1, 0.3, np.nan), nan_ok=True)
    assert found.value[1][0] == found.value[0][1]
    assert found.alt == "Pearson's r of two measures over queries, mean over 2 systems: 1 pair, from 0.30 to 0.30."
    (heat,) = measure_matrix.draw(found, DARK).data
    assert heat.z[0] == [1.0, pytest.approx(0.3), None]
    assert heat.customdata[0][1] == "&lt;b&gt;x and TED<br>0.300, from 0.100 to 0.500 by system"
    assert heat.customdata[1][1] == "TED and TED<br>1.000"
    for about, value, scope in ((("kendall", "b"), 0.2, "of b"), (("order",), 0.7, "of the systems")):
        found = measure_matrix.info(table, measures, *about)
        assert (found.value[0][1], found.scope) == (value, scope)
