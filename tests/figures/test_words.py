"""The figures of words: of the page Words, and of GSR with what debiasing reorders and how far it can be trusted."""

import numpy as np
import pandas as pd
import pytest

from fairviz.evaluation.gsr import gsr, leave_out
from fairviz.figures import (
    direct_gap,
    explained_variance,
    gendered_axis,
    gsr_scatter,
    parity_cloud,
    reliability,
    reordering,
    word_plane,
)
from fairviz.figures.style import DARK, LIGHT, group_colour, system_styles

SYSTEMS = ("one", "two", "perfect")
STYLES = system_styles(SYSTEMS)
NAN = float("nan")


# --- Words: the axis, the plane, the explained variance

AXIS = np.array([1.0, 0.0, 0.0])
ROWS = [
    (0, "jobs_f", "nurse", 0.2, 0.1, 0.3),
    (0, "jobs_f", "maid", 0.4, 0.3, 0.5),
    (0, "jobs_m", "welder", -0.2, -0.4, 0.0),
    (1, "arts", "poetry", 0.1, NAN, NAN),
    (1, "arts", "xyzzy", NAN, NAN, NAN),
]


def words(*rows):
    return pd.DataFrame(rows, columns=["pair", "list", "word", "g", "ci_low", "ci_high"])


def test_the_axis_has_a_panel_a_pair_of_lists_and_a_row_a_word_from_female_to_male():
    drawn = gendered_axis.info(words(*ROWS), -0.1)
    (first, second), (third,) = drawn.panels
    assert first.words[0] == gendered_axis.Word("maid", 0.4, (0.3, 0.5))
    assert first.mean == pytest.approx(0.3)
    assert (second.name, third.name, len(third.words)) == ("jobs_m", "arts", 1)  # xyzzy has no vector
    assert drawn.alt.endswith("jobs_f 0.30, jobs_m -0.20, arts 0.10.")
    figure = gendered_axis.draw(drawn)
    first, mean = figure.data[:2]
    assert (list(first.x), list(first.y)) == ([0.4, 0.2], [-1, -2])
    assert np.allclose([first.error_x.array, first.error_x.arrayminus], 0.1)
    assert list(mean.x) == pytest.approx([0.3, 0.3])
    assert list(figure.layout.yaxis.ticktext) == ["<b>jobs_f</b>", "maid", "nurse", "<b>jobs_m</b>", "welder"]
    assert list(figure.layout.yaxis.tickvals) == [0, -1, -2, -4, -5]
    poetry = figure.data[4]
    assert (list(poetry.error_x.array), list(poetry.customdata)) == ([0], [""])
    assert figure.layout.annotations[-1].text == gendered_axis.X_TITLE
    many = gendered_axis.info(words(*((0, "a", f"w{place}", place / 100, 0, 0) for place in range(40))), 0)
    assert many.height == 42 * gendered_axis.ROW_HEIGHT + 110
    assert drawn.height == gendered_axis.LEAST_HEIGHT


def test_shape_follows_the_side_of_the_centre_and_words_are_escaped_and_shortened():
    figure = gendered_axis.draw(gendered_axis.info(words((0, "<i>", "<b>" + "x" * 40, -0.05, 0, 0.2), ROWS[2]), -0.1))
    assert [list(figure.data[place].marker.symbol) for place in (0, 2)] == [["square"], ["triangle-up"]]
    name, word = figure.layout.yaxis.ticktext[:2]
    assert name == "<b>&lt;i&gt;</b>"
    assert word.startswith("&lt;b&gt;xxx")
    assert word.endswith("…")
    assert figure.data[0].text[0] == "&lt;b&gt;" + "x" * 40


def test_no_known_word_gives_an_empty_figure():
    unknown = words(ROWS[4])
    for figure in (
        gendered_axis.draw(gendered_axis.info(unknown, 0)),
        word_plane.draw(word_plane.info(unknown, np.zeros((1, 3)), AXIS, 0)),
    ):
        assert not figure.data
        assert figure.layout.annotations[0].text == "None of these words has a vector."


def test_the_upright_axis_is_what_sets_the_words_apart_off_gender():
    generator = np.random.default_rng(1)
    vectors, axis = generator.normal(size=(12, 6)), generator.normal(size=6)
    axis /= np.linalg.norm(axis)
    rest = vectors - (vectors @ axis)[:, None] * axis
    values, columns = np.linalg.eigh(np.cov(rest.T))
    up, share = word_plane.orthogonal_direction(vectors, axis)
    assert up @ axis == pytest.approx(0)
    assert abs(up @ columns[:, -1]) == pytest.approx(1)
    assert share == pytest.approx(values[-1] / values.sum())
    assert (rest @ up).sum() >= 0
    up, share = word_plane.orthogonal_direction(AXIS[None, :], AXIS)
    assert share == 0
    assert not up.any(), "a word on the axis itself has no height"
    table = pd.DataFrame({"list": ["mine"], "word": ["beauty"], "g": [0.6]})
    (point,) = word_plane.info(table, np.array([[0.6, 0.0, 0.8]]), AXIS, 0.0).points
    assert (point.g, point.written, point.up) == (0.6, True, pytest.approx(0.8)), "as in figure 1 of the paper"


def test_labels_that_would_touch_or_cover_a_point_are_left_to_the_hover_and_each_list_has_its_marker():
    for second, written in (
        ((0.001, 0.001), [False, True, True]),  # touching
        ((0.0, (word_plane.LINE + 2) / 440), [False, True, True]),  # its label in the other
        ((0.0, 110 / 440), [True, True, True]),  # above
    ):
        across, up = np.array([0.0, second[0], 0.3]), np.array([0.0, second[1] * 2, 1.0])
        assert word_plane.with_room(across, up, ["first", "second", "far"], 360) == written
    points = [("a", "x", 0, 0, True), ("a", "y", 0, 0.1, False), ("b", "z", 1, 1, True)]
    plane = word_plane.WordPlane(tuple(word_plane.Point(*point) for point in points), 0.0, 0.5)
    first, second = word_plane.draw(plane, LIGHT).data
    assert (list(first.text), list(first.hovertext)) == (["x", ""], ["x", "y"])
    assert (first.name, second.name) == ("a", "b")
    assert first.marker.symbol != second.marker.symbol


def test_the_first_share_is_the_gender_directions():
    drawn = explained_variance.info(np.array([0.6, 0.3, *[0.1 / 9] * 9]))
    assert len(drawn.shares) == 10
    (bars,) = explained_variance.draw(drawn).data
    assert (list(bars.y)[:2], list(bars.text)[:2]) == ([0.6, 0.3], ["60%", "30%"])
    assert drawn.alt.endswith("the first, gender, explains 60.0%.")


# --- GSR


def made_points(queries=6, systems=SYSTEMS):
    rows = [
        (system, f"q{place}", g, slope * g - 0.1 + 0.01 * (place % 2), 3)
        for system, slope in zip(systems, (0.5, 0.1, 0.2), strict=False)
        for place, g in enumerate(np.linspace(-0.3, 0.2, queries))
    ]
    return pd.DataFrame(rows, columns=["system", "query_id", "query", "list", "documents"])


def scatter_of(points, centre=0.0, **choices):
    return gsr_scatter.info(points, gsr(points), centre, **choices)


def markers(figure):
    return [trace for trace in figure.data if trace.mode == "markers"]


def test_a_panel_a_system_with_its_points_line_and_interval():
    points = made_points(3, ("one",))
    lines = gsr(points)
    (panel,) = scatter_of(points, -0.1).panels
    assert (panel.system, panel.queries) == ("one", ("q0", "q1", "q2"))
    assert np.allclose([panel.x, panel.y], [(-0.3, -0.05, 0.2), (-0.25, -0.115, 0.0)])
    assert panel.in_fit == (True, True, True)
    assert np.isclose(panel.slope, 0.5)  # the middle list lies above the line at both ends alike
    assert (panel.slope, panel.interval) == (lines["slope"][0], (lines["ci_low"][0], lines["ci_high"][0]))
    faint = points.assign(query=[0.001, 0.002, 0.003])
    assert scatter_of(faint).reach == 0.05, "colours are not full for what is hardly gendered"
    flat = scatter_of(points.assign(query=0.1))
    assert flat.panels[0].band == ()
    assert "one undefined" in flat.alt
    figure = gsr_scatter.draw(flat, STYLES)
    assert [trace.mode for trace in figure.data] == ["markers"]
    assert figure.layout.annotations[0].text == "<b>one</b><br>slope undefined"


def test_queries_without_g_are_not_drawn_and_those_left_out_stay_as_open_markers():
    points = made_points(4, ("one",))
    points.loc[1, "query"] = NAN
    points.loc[2, "list"] = NAN
    assert scatter_of(points).panels[0].queries == ("q0", "q3")
    points = made_points()
    left = leave_out(points, 2)
    drawn = gsr_scatter.info(points, gsr(left), 0.0, queries=frozenset(left["query_id"]))
    assert drawn.panels[0].in_fit == (False, True, True, True, True, False)
    kept, open_ones = markers(gsr_scatter.draw(drawn, STYLES))[:2]
    assert len(kept.x) == 4
    assert (list(open_ones.x), open_ones.marker.color) == ([-0.3, 0.2], "rgba(0,0,0,0)")
    assert "(left out)" in open_ones.hovertemplate


def test_the_perfect_line_is_dashed_in_every_other_panel_and_axes_are_linked():
    points = made_points()
    figure = gsr_scatter.draw(scatter_of(points, -0.1), STYLES, DARK)
    dashed = [trace for trace in figure.data if trace.mode == "lines" and trace.line.dash == "dash"]
    assert [trace.xaxis for trace in dashed] == ["x", "x2"]
    slope = (dashed[0].y[1] - dashed[0].y[0]) / (dashed[0].x[1] - dashed[0].x[0])
    assert np.isclose(slope, gsr(points).set_index("system")["slope"]["perfect"])
    layout = figure.layout
    assert {axis.matches for axis in (layout.xaxis2, layout.xaxis3)} == {"x"}
    assert {axis.matches for axis in (layout.yaxis2, layout.yaxis3)} == {"y"}
    assert [(shape.x0, shape.xref) for shape in layout.shapes] == [(-0.1, "x"), (-0.1, "x2"), (-0.1, "x3")]
    hidden = scatter_of(points, panel_systems=("two",))
    assert [panel.system for panel in hidden.panels] == ["two"]
    assert hidden.baseline is not None, "drawn where the system is hidden, too"


def test_points_of_a_reference_beyond_the_axis_are_arrows_at_its_edge():
    points = made_points(6, ("one", "perfect"))
    points.loc[points["system"] == "perfect", "list"] = [9.0, 0.0, 0.0, 0.0, 0.0, -9.0]
    drawn = scatter_of(points)
    one, perfect = markers(gsr_scatter.draw(drawn, STYLES))
    assert one.marker.symbol == STYLES["one"].symbol
    inside = STYLES["perfect"].symbol
    assert list(perfect.marker.symbol) == ["triangle-up-open", *[inside] * 4, "triangle-down-open"]
    assert (perfect.y[0], perfect.y[-1]) == (drawn.up[1], drawn.up[0])


@pytest.mark.parametrize("panels", [1, 4, 5, 6, 9, 15])
def test_panels_do_not_overlap_and_no_more_than_twelve_are_drawn(panels):
    systems = tuple(f"s{place}" for place in range(panels))
    drawn = scatter_of(pd.concat([made_points(4, ("one",)).assign(system=name) for name in systems]))
    assert (len(drawn.panels), drawn.hidden) == (min(panels, 12), max(panels - 12, 0))
    figure = gsr_scatter.draw(drawn, system_styles(systems))
    boxes = []
    for place in range(len(drawn.panels)):
        number = place + 1 if place else ""
        x, y = figure.layout[f"xaxis{number}"].domain, figure.layout[f"yaxis{number}"].domain
        assert 0 <= x[0] < x[1] <= 1
        assert 0 <= y[0] < y[1] <= 1
        assert not any(x[0] < b[1] and b[0] < x[1] and y[0] < c[1] and c[0] < y[1] for b, c in boxes)
        boxes.append((x, y))
    assert min(y[0] for _, y in boxes) < 1e-9


def test_points_carry_query_and_system_and_the_selected_one_is_larger():
    drawn = scatter_of(made_points(), texts={"q1": "<b>who</b>", "other": "x"}, selected="q1")
    assert dict(drawn.texts) == {"q1": "<b>who</b>"}
    marks = markers(gsr_scatter.draw(drawn, STYLES))[0]
    assert (list(marks.customdata[1]), marks.text[1]) == (["q1", "one"], "&lt;b&gt;who&lt;/b&gt;")
    assert list(marks.marker.size) == [8, 14, 8, 8, 8, 8]
    assert (marks.marker.cmin, marks.marker.cmax) == (-0.3, 0.3)  # q0 has g = -0.3, the farthest from 0
    many = gsr_scatter.draw(scatter_of(made_points(300, ("one", "two"))), STYLES, LIGHT)
    assert {trace.type for trace in markers(many)} == {"scattergl"}


def test_the_band_is_that_of_lines_fitted_to_resampled_queries():
    generator = np.random.default_rng(3)
    x = generator.normal(size=9)
    y = 0.4 * x + generator.normal(size=9) / 5
    at = np.linspace(x.min(), x.max(), 25)
    lines = []
    for counts in gsr_scatter.resampling_weights(9):
        rows = np.repeat(np.arange(9), counts.astype(int))
        if len(set(rows)) > 1:
            lines.append(np.polyval(np.polyfit(x[rows], y[rows], 1), at))
    low, high = np.quantile(lines, [0.025, 0.975], axis=0)
    assert np.allclose(gsr_scatter.band(x, y), np.column_stack([at, low, high]), atol=1e-9)
    assert gsr_scatter.band(np.array([0.1, 0.2]), np.array([0.1, 0.3])) == (), "two queries have none"


# --- GSR: what debiasing reorders, and how far it can be trusted


def test_the_reordering_of_a_query_stands_over_its_absolute_genderedness():
    rows = [("q1", -0.2, "one", 0.1), ("q2", 0.3, "one", 0.4), ("q3", NAN, "one", 0.2)]
    table = pd.DataFrame(rows, columns=["query_id", "query", "ranker", "distance"])
    found = reordering.info(table, pd.DataFrame({"ranker": ["one"], "r": [1.0], "centred_r": [-0.5]}), -0.25)
    rounded = [(round(g, 9), distance, query) for g, distance, query in found.points["one"]]
    assert rounded == [(0.05, 0.1, "q1"), (0.55, 0.4, "q2")]  # from the vocabulary's mean, not from 0
    (trace,) = reordering.draw(found, STYLES, {"q1": "<i>who</i>"}, query="q2").data
    assert (list(trace.marker.line.width), list(trace.marker.size)) == ([0, 2.5], [8, 14])
    assert trace.name == "one<br>r = −0.50<br>of |g|: 1.00"
    assert list(trace.text) == ["&lt;i&gt;who&lt;/i&gt;", "q2"]
    unknown = reordering.info(table[:1], pd.DataFrame({"ranker": [], "r": [], "centred_r": []}), 0.0)
    assert reordering.draw(unknown, STYLES, {}).data[0].name == "one"


def test_queries_stand_by_both_vectors_around_both_means():
    rows = [("q1", 0.1, 0.2), ("q2", NAN, 0.1), ("q3", -0.4, 0.0), ("q4", 0.1, NAN)]
    table, names = pd.DataFrame(rows, columns=["query_id", "first", "second"]), ("glove", "<b>mine</b>")
    drawn = reliability.info(table, 0.5, names, (-0.1, 0.05))
    assert drawn.alt == (
        "Genderedness of queries by two sets of vectors: 2 queries, glove across, <b>mine</b> up. Pearson's r: 0.50."
    )
    figure = reliability.draw(drawn, {"q1": "<i>who</i>"})
    (marks,) = figure.data
    assert (list(marks.x), list(marks.y)) == ([0.1, -0.4], [0.2, 0.0])
    assert list(marks.text) == ["&lt;i&gt;who&lt;/i&gt;", "q3"]
    assert (marks.marker.cmin + marks.marker.cmax) / 2 == pytest.approx(-0.1)  # the first vocabulary's mean
    assert [(line.x0, line.y0) for line in figure.layout.shapes] == [(-0.1, 0), (0, 0.05)]
    assert figure.layout.xaxis.title.text == "g(q) by glove, male ← → female"
    assert figure.layout.yaxis.title.text == "g(q) by &lt;b&gt;mine&lt;/b&gt;"
    assert reliability.info(table[1:2], NAN, names, (0.0, 0.0)).alt.endswith("Pearson's r: undefined.")


def test_a_point_an_answer_and_a_line_at_equal_shares():
    drawn = parity_cloud.info(pd.DataFrame({"gsr": [0.1, -0.2], "stereotypical": [0.6, 0.5]}), 0.849, 3**20)
    assert drawn.alt.endswith("2 of 3,486,784,401. Pearson's r over all of them: 0.85.")
    figure = parity_cloud.draw(drawn)
    assert (list(figure.data[0].x), list(figure.data[0].y)) == ([0.6, 0.5], [0.1, -0.2])
    assert figure.layout.shapes[0].x0 == 0.5


GAPS = pd.DataFrame(
    [
        ("one", "q1", 0.2, -1.0, "female"), ("one", "q2", -0.3, 2.0, "male"), ("one", "q3", 0.1, 0.0, "neither"),
        ("one", "q4", NAN, 1.0, "male"), ("one", "q5", 0.1, np.inf, "male"), ("one", "q6", 0.1, NAN, "undefined"),
        ("two", "q1", 0.2, 3.0, "male"),
    ],
    columns=["system", "query_id", "query", "delta", "over"],
)  # fmt: skip
BINS = pd.DataFrame(
    [
        ("one", -np.inf, -0.1, 4, 1, 2, 0, 1), ("one", -0.1, 0.05, 0, 0, 0, 0, 0), ("one", 0.05, np.inf, 2, 1, 0, 1, 0),
        ("two", -np.inf, -0.1, 9, 9, 0, 0, 0),
    ],
    columns=["system", "low", "high", "queries", "female", "male", "neither", "undefined"],
)  # fmt: skip


def test_queries_have_the_colour_and_shape_of_their_gender_and_shares_are_of_those_with_an_answer():
    drawn = direct_gap.info(GAPS, BINS, "one", -0.09)
    assert drawn.points == {
        "male": ((-0.3, 2.0, "q2"),), "neither": ((0.1, 0.0, "q3"),), "female": ((0.2, -1.0, "q1"),)
    }  # fmt: skip
    colours = [group_colour(group, (), DARK) for group in ("male", "neutral", "female")]
    figure = direct_gap.draw(drawn, {"q2": "<i>x</i>"}, DARK)
    assert [trace.name for trace in figure.data] == ["male over: 1", "neither: 1", "female over: 1"]
    assert [trace.marker.color for trace in figure.data] == colours
    assert len({trace.marker.symbol for trace in figure.data}) == 3
    assert list(figure.data[0].text) == ["&lt;i&gt;x&lt;/i&gt;"]
    assert figure.layout.shapes[0].x0 == -0.09
    assert drawn.bins == ("≤ −0.1<br>(4)", "−0.1 to 0.05<br>(0)", "> 0.05<br>(2)")
    shares = [drawn.shares[group] for group in ("male", "female", "neither")]
    np.testing.assert_allclose(shares, [[2 / 3, NAN, 0], [1 / 3, NAN, 0.5], [0, NAN, 0.5]])
    bars = direct_gap.draw_shares(drawn, DARK).data
    assert [bar.name for bar in bars] == ["male over", "neither", "female over"]
    assert [bar.marker.color for bar in bars] == colours
    assert len({bar.marker.pattern.shape for bar in bars}) == 3
    assert {bar.marker.pattern.fillmode for bar in bars} == {"overlay"}  # else the pattern replaces the colour
    nobody = direct_gap.info(GAPS, BINS, "three", 0.0)
    assert nobody.alt.endswith("Queries: none.")
    assert direct_gap.draw_shares(nobody).layout.title.text == direct_gap.SHARES_TITLE
