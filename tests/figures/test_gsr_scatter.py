import numpy as np
import pandas as pd
import pytest

from fairviz.evaluation.gsr import gsr, leave_out
from fairviz.figures import gsr_scatter
from fairviz.figures.style import DARK, LIGHT, system_styles

SYSTEMS = ("one", "two", "perfect")


def made_points(queries=6, systems=SYSTEMS):
    x = np.linspace(-0.3, 0.2, queries)
    rows = [
        (system, f"q{place}", g, slope * g - 0.1 + 0.01 * (place % 2), 3)
        for system, slope in zip(systems, (0.5, 0.1, 0.2), strict=False)
        for place, g in enumerate(x)
    ]
    return pd.DataFrame(rows, columns=["system", "query_id", "query", "list", "documents"])


def test_a_panel_a_system_with_its_points_line_and_interval():
    points = made_points(3, ("one",))
    lines = gsr(points)
    (panel,) = gsr_scatter.info(points, lines, -0.1).panels
    assert (panel.system, panel.queries) == ("one", ("q0", "q1", "q2"))
    assert np.allclose(panel.x, (-0.3, -0.05, 0.2))
    assert np.allclose(panel.y, [-0.25, -0.115, 0.0])
    assert panel.in_fit == (True, True, True)
    assert np.isclose(panel.slope, 0.5)  # the middle list lies above the line at both ends alike
    assert panel.slope == lines["slope"][0]
    assert panel.interval == (lines["ci_low"][0], lines["ci_high"][0])


def test_queries_without_g_are_not_drawn():
    points = made_points(4, ("one",))
    points.loc[1, "query"] = np.nan
    points.loc[2, "list"] = np.nan
    (panel,) = gsr_scatter.info(points, gsr(points), 0.0).panels
    assert panel.queries == ("q0", "q3")


def test_queries_left_out_stay_as_open_markers():
    points = made_points()
    left = leave_out(points, 2)
    drawn = gsr_scatter.info(points, gsr(left), 0.0, queries=frozenset(left["query_id"]))
    assert drawn.panels[0].in_fit == (False, True, True, True, True, False)
    figure = gsr_scatter.draw(drawn, system_styles(SYSTEMS))
    kept, open_ones = [trace for trace in figure.data if trace.mode == "markers"][:2]
    assert len(kept.x) == 4
    assert list(open_ones.x) == [-0.3, 0.2]
    assert open_ones.marker.color == "rgba(0,0,0,0)"
    assert "(left out)" in open_ones.hovertemplate


def test_the_perfect_line_is_dashed_in_every_other_panel():
    points = made_points()
    drawn = gsr_scatter.info(points, gsr(points), 0.0)
    figure = gsr_scatter.draw(drawn, system_styles(SYSTEMS))
    dashed = [trace for trace in figure.data if trace.mode == "lines" and trace.line.dash == "dash"]
    assert [trace.xaxis for trace in dashed] == ["x", "x2"]
    slope = (dashed[0].y[1] - dashed[0].y[0]) / (dashed[0].x[1] - dashed[0].x[0])
    assert np.isclose(slope, gsr(points).set_index("system")["slope"]["perfect"])


def test_the_perfect_line_is_drawn_where_the_system_is_hidden():
    points = made_points()
    drawn = gsr_scatter.info(points, gsr(points), 0.0, panel_systems=("two",))
    assert [panel.system for panel in drawn.panels] == ["two"]
    assert drawn.baseline is not None


def test_axes_are_linked_and_the_centre_is_marked():
    points = made_points()
    figure = gsr_scatter.draw(gsr_scatter.info(points, gsr(points), -0.1), system_styles(SYSTEMS), DARK)
    assert figure.layout.xaxis2.matches == figure.layout.xaxis3.matches == "x"
    assert figure.layout.yaxis2.matches == figure.layout.yaxis3.matches == "y"
    assert [shape.x0 for shape in figure.layout.shapes] == [-0.1] * 3
    assert [shape.xref for shape in figure.layout.shapes] == ["x", "x2", "x3"]


def test_a_reference_beyond_the_axis_stands_at_its_edge_as_an_arrow():
    points = made_points(6, ("one", "perfect"))
    points.loc[points["system"] == "perfect", "list"] = [9.0, 0.0, 0.0, 0.0, 0.0, -9.0]
    drawn = gsr_scatter.info(points, gsr(points), 0.0)
    styles = system_styles(SYSTEMS)
    one, perfect = (trace for trace in gsr_scatter.draw(drawn, styles).data if trace.mode == "markers")
    assert one.marker.symbol == styles["one"].symbol
    inside = styles["perfect"].symbol
    assert list(perfect.marker.symbol) == ["triangle-up-open", *[inside] * 4, "triangle-down-open"]
    assert (perfect.y[0], perfect.y[-1]) == (drawn.up[1], drawn.up[0])


@pytest.mark.parametrize("panels", [1, 4, 5, 6, 9, 12])
def test_panels_do_not_overlap(panels):
    systems = tuple(f"s{place}" for place in range(panels))
    points = pd.concat([made_points(4, ("one",)).assign(system=name) for name in systems])
    figure = gsr_scatter.draw(gsr_scatter.info(points, gsr(points), 0.0), system_styles(systems))
    boxes = []
    for place in range(panels):
        number = place + 1 if place else ""
        x, y = figure.layout[f"xaxis{number}"].domain, figure.layout[f"yaxis{number}"].domain
        assert 0 <= x[0] < x[1] <= 1
        assert 0 <= y[0] < y[1] <= 1
        assert not any(x[0] < b[1] and b[0] < x[1] and y[0] < c[1] and c[0] < y[1] for b, c in boxes)
        boxes.append((x, y))
    assert min(y[0] for _, y in boxes) < 1e-9


def test_points_carry_query_and_system_and_the_selected_one_is_larger():
    points = made_points()
    drawn = gsr_scatter.info(points, gsr(points), 0.0, texts={"q1": "<b>who</b>", "other": "x"}, selected="q1")
    assert dict(drawn.texts) == {"q1": "<b>who</b>"}
    figure = gsr_scatter.draw(drawn, system_styles(SYSTEMS))
    marks = next(trace for trace in figure.data if trace.mode == "markers")
    assert list(marks.customdata[1]) == ["q1", "one"]
    assert marks.text[1] == "&lt;b&gt;who&lt;/b&gt;"
    assert list(marks.marker.size) == [8, 14, 8, 8, 8, 8]
    assert (marks.marker.cmin, marks.marker.cmax) == (-0.3, 0.3)  # q0 has g = -0.3, the farthest from 0


def test_points_of_a_reference_beyond_the_axis_are_arrows_at_its_edge():
    points = made_points(3, ("one", "random"))
    points.loc[points["system"] == "random", "list"] = [9.0, -9.0, points["list"].iloc[1]]
    styles = system_styles(("one", "random"))
    drawn = gsr_scatter.info(points, gsr(points), 0.0)
    figure = gsr_scatter.draw(drawn, styles)
    own, reference = [trace for trace in figure.data if trace.mode == "markers"]
    assert own.marker.symbol == styles["one"].symbol
    assert list(reference.marker.symbol) == ["triangle-up-open", "triangle-down-open", styles["random"].symbol]
    assert list(reference.y)[:2] == [drawn.up[1], drawn.up[0]]


def test_colours_are_not_full_for_what_is_hardly_gendered():
    points = made_points(3, ("one",)).assign(query=[0.001, 0.002, 0.003])
    assert gsr_scatter.info(points, gsr(points), 0.0).reach == 0.05


def test_a_system_without_a_slope_keeps_its_panel_without_a_line():
    points = made_points(2, ("one",)).assign(query=0.1)
    drawn = gsr_scatter.info(points, gsr(points), 0.0)
    assert drawn.panels[0].band == ()
    figure = gsr_scatter.draw(drawn, system_styles(SYSTEMS))
    assert [trace.mode for trace in figure.data] == ["markers"]
    assert figure.layout.annotations[0].text == "<b>one</b><br>slope undefined"
    assert "one undefined" in drawn.alt


def test_nothing_to_draw_gives_a_titled_empty_figure():
    points = made_points(3, ("one",)).assign(query=np.nan)
    figure = gsr_scatter.draw(gsr_scatter.info(points, gsr(points), 0.0), {})
    assert not figure.data
    assert figure.layout.title.text == gsr_scatter.TITLE
    assert figure.layout.annotations[0].text == gsr_scatter.NOTHING


def test_no_more_than_twelve_panels_and_the_rest_counted():
    systems = [f"s{place}" for place in range(15)]
    points = pd.concat([made_points(4, ("one",)).assign(system=name) for name in systems])
    drawn = gsr_scatter.info(points, gsr(points), 0.0)
    assert (len(drawn.panels), drawn.hidden) == (12, 3)


def test_the_band_is_that_of_lines_fitted_to_resampled_queries():
    generator = np.random.default_rng(3)
    x = generator.normal(size=9)
    y = 0.4 * x + generator.normal(size=9) / 5
    found = gsr_scatter.band(x, y)
    weights = gsr_scatter.resampling_weights(9)
    at = np.linspace(x.min(), x.max(), 25)
    lines = []
    for counts in weights:
        rows = np.repeat(np.arange(9), counts.astype(int))
        if len(set(rows)) > 1:
            lines.append(np.polyval(np.polyfit(x[rows], y[rows], 1), at))
    low, high = np.quantile(lines, [0.025, 0.975], axis=0)
    assert np.allclose(found, np.column_stack([at, low, high]), atol=1e-9)


def test_two_queries_have_no_band():
    assert gsr_scatter.band(np.array([0.1, 0.2]), np.array([0.1, 0.3])) == ()


def test_thousands_of_points_are_drawn_by_webgl():
    points = made_points(300, ("one", "two"))
    figure = gsr_scatter.draw(gsr_scatter.info(points, gsr(points), 0.0), system_styles(SYSTEMS), LIGHT)
    assert {trace.type for trace in figure.data if trace.mode == "markers"} == {"scattergl"}
