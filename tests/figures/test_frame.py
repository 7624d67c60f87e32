"""What drawings share: frame, panels, intervals and matrices; ends of axes; looks of systems, groups and genders."""

import inspect
import re
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go
import pytest

from fairviz.figures import axes, frame, gender_colour, style
from fairviz.figures.style import DARK, LIGHT, Theme
from fairviz.measures import parse

NAN, INFINITE = float("nan"), float("inf")


@dataclass(frozen=True)
class Values:
    """Data of a figure of this test."""

    title: str
    values: tuple[float, ...]


@frame.figure(lambda data: data.title, empty=lambda data: "" if data.values else "There is no <value>.", height=180)
def draw(figure: go.Figure, data: Values, theme: Theme = LIGHT, height: int = 0, *, name: str = "") -> None:
    """Draw the values."""
    figure.add_trace(go.Scatter(y=data.values, name=name))


def test_a_figure_has_its_title_theme_and_height_and_an_empty_one_the_reason() -> None:
    drawn = draw(Values("Of data", (1.0, 2.0)), DARK, 240, name="a")
    assert (drawn.layout.title.text, drawn.layout.font.color, drawn.layout.height) == ("Of data", DARK.text, 240)
    assert [(trace.y, trace.name) for trace in drawn.data] == [((1.0, 2.0), "a")]
    assert draw(Values("", (1.0,))).layout.height == 180
    empty = draw(Values("No <data>", ()), theme=DARK)
    assert not empty.data
    assert (empty.layout.title.text, empty.layout.height, empty.layout.font.color) == ("No <data>", 180, DARK.text)
    assert empty.layout.annotations[0].text == "There is no &lt;value&gt;."
    assert list(inspect.signature(draw).parameters) == ["data", "theme", "height", "name"]
    assert inspect.signature(draw).return_annotation is go.Figure
    assert (draw.__name__, draw.__doc__) == ("draw", "Draw the values.")
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        draw(Values("", ()), colour="red")  # type: ignore[call-arg]


def test_panels_share_one_legend() -> None:
    figure = go.Figure()
    positions = frame.panels(figure, 3, 2, DARK)
    assert positions == [{"row": 1, "col": 1}, {"row": 1, "col": 2}, {"row": 2, "col": 1}]
    assert figure.layout.yaxis3.gridcolor == DARK.grid
    names: set[str] = set()
    for position in positions:
        behind, before, again = (go.Scatter(name=name) for name in ("a", "a", "b"))
        behind.showlegend = False  # an area behind the line takes no entry
        frame.add_panel(figure, [behind, before, again], position, names)
    assert [trace.showlegend for trace in figure.data] == [False, True, True, *[False] * 6]
    assert figure.data[8].xaxis == "x3"


def test_a_value_has_its_interval_and_intervals_and_areas_lack_what_is_not_finite() -> None:
    bars = frame.error_bars([1.0, 2.0, NAN], [0.5, NAN, 0.0], [1.25, INFINITE, 1.0], "red", 1.5)
    assert (bars["array"], bars["arrayminus"]) == ([0.25, 0.0, 0.0], [0.5, 0.0, 0.0])
    assert frame.error_bars(1.0, 0.5, 2.0, "red", 1)["array"] == [1.0]
    trace = frame.area([1, 2, 3], [0.1, NAN, 0.3], [0.5, 0.6, 0.7], "red")
    assert (trace.x.tolist(), trace.y.tolist()) == ([1, 3, 3, 1], [0.5, 0.7, 0.3, 0.1])
    for numbers, text in (
        ((0.7121, 0.65, 0.774), "0.712 (0.650 to 0.774)"),
        ((0.7121, NAN, NAN), "0.712 (no interval)"),
        ((NAN, NAN, NAN), "undefined (no interval)"),
        ((0.5,), "0.500"),
    ):
        assert frame.value_text(*numbers) == text


def test_a_matrix_has_the_extent_above_its_diagonal_and_texts_for_few_names_only() -> None:
    assert frame.matrix_extent([[1, 0.2, NAN], [0.9, 1, -0.4], [NAN, -0.9, 1]]) == (2, -0.4, 0.2)
    count, least, greatest = frame.matrix_extent([])
    assert count == 0
    assert np.isnan([least, greatest]).all()
    for size, template in ((frame.MOST_TEXTS, "%{z:.2f}"), (frame.MOST_TEXTS + 1, "")):
        figure = go.Figure()
        values = [[NAN] * size for _ in range(size)]
        frame.matrix(figure, ["a"] * size, values, "tau", LIGHT, lambda row, column: f"{row} {column}")
        assert figure.data[0].texttemplate == template
        assert figure.data[0].customdata[1][0] == "1 0"


# --- axes


def test_the_ends_of_a_measure_are_those_of_its_record_and_a_span_cuts_no_value_off():
    for measure, least, greatest in (
        ("nDCG@10", 0, 1),
        ("NFaiRR@10", 0, 1),
        ("CWEx(alpha=0.25)@10", -0.75, 0.25),
        ("TExFAIR@10", 0, 1),
        ("ExposureGap@10", 0, 1),
    ):
        low, high = axes.possible(parse(measure))
        assert (low <= least, high) == (True, greatest), measure
    assert axes.possible(parse("TExFAIR@10"), (0.2, 0.3, 0.5))[1] == pytest.approx(1.6), "wished shares move the ends"
    assert axes.span([0.2, 0.7]) == pytest.approx((0.17, 0.73))
    assert axes.span([0.01, 1.0, NAN], (0.0, 1.0)) == (0.0, 1.0)
    assert axes.span([0.5]) == pytest.approx((0.49, 0.51))
    assert axes.span([]) == (0.0, 1.0)
    assert axes.span([-0.2, 1.3], (0.0, 1.0)) == (-0.2, 1.3)
    assert axes.setters(["perfect", "bm25", "random-seed=3"]) == {"bm25"}, "references set none where there is another"
    assert axes.setters(["perfect"]) == {"perfect"}


def test_an_arrow_points_to_what_lies_beyond():
    def edge(x, y):
        return axes.edge("random", x, y, (0, 1), (0, 1))

    assert edge(0.5, 0.5) is edge(NAN, 0.5) is None
    assert edge(-1.0, 2.0) == axes.Edge(0.0, 1.0, "triangle-nw-open", "bottom right", "random −1.00, 2.00")
    towards = {(-1, 2): "nw", (2, 2): "ne", (2, -1): "se", (-1, -1): "sw",
               (-1, 0.5): "left", (2, 0.5): "right", (0.5, 2): "up", (0.5, -1): "down"}  # fmt: skip
    assert {point: edge(*point).symbol for point in towards} == {
        point: f"triangle-{side}-open" for point, side in towards.items()
    }


def test_an_axis_says_which_direction_is_fairer_and_one_of_genderedness_never_magnifies_rounding():
    directions = ("higher", "lower", "zero", "one", "none")
    assert [style.axis_title("CWEx@10", direction) for direction in directions] == [
        "CWEx@10 → fairer", "CWEx@10 ← fairer", "CWEx@10 (0 is fairest)", "CWEx@10 (1 is fairest)", "CWEx@10"
    ]  # fmt: skip
    assert gender_colour.axis_range([1e-9, NAN]) == (-0.3 - 0.024, 0.3 + 0.024)
    assert gender_colour.axis_range([-0.5, 0.1]) == pytest.approx((-0.532, 0.332))


# --- looks


def test_a_system_keeps_its_look_when_another_is_hidden_and_no_two_of_twenty_four_share_one():
    whole = style.system_styles(["a", "b", "c"])
    assert whole["c"] == style.system_styles(["x", "y", "c"])["c"]
    assert whole["a"] != whole["b"]
    looks = style.system_styles([f"s{place}" for place in range(24)]).values()
    assert len({(look.colour, look.symbol) for look in looks}) == 24


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("theme", "page"), [(LIGHT, "#ffffff"), (DARK, "#12161d")])
def test_every_colour_can_be_told_from_its_page(theme, page):
    looks = style.system_styles([str(place) for place in range(12)], theme).values()
    groups = ("female", "male", "other", "fourth", "fifth", "sixth")
    of_groups = [style.group_colour(group, groups, theme) for group in ("neutral", *groups)]
    for colour in (*(look.colour for look in looks), *of_groups):
        darker, lighter = sorted((luminance(colour), luminance(page)))
        assert (lighter + 0.05) / (darker + 0.05) >= 2.9, colour


def test_text_from_data_cannot_become_markup_and_groups_have_the_colours_of_the_papers():
    assert style.safe("<a href='x'>&") == "&lt;a href='x'&gt;&amp;"
    assert style.shortened("<b>" + "x" * 40) == "&lt;b&gt;" + "x" * 14 + "…"
    colours = [style.group_colour(group, ("female", "male")) for group in ("female", "male", "neutral")]
    assert colours == ["#7b3fa0", "#d97f26", "#7c848f"]


def test_every_symbol_of_a_system_has_a_closed_path_of_its_own_that_fits_the_legend() -> None:
    paths = {symbol: style.path_of(symbol) for symbol in style.SYMBOLS}
    assert len(set(paths.values())) == len(style.SYMBOLS)
    for symbol, path in paths.items():
        assert style.path_of(f"{symbol}-open") == path
        assert (path[0], path[-1]) == ("M", "Z")
        numbers = [float(number) for number in re.findall(r"-?\d+\.?\d*", path)]
        assert 0 < max(map(abs, numbers)) * style.SMALL <= 8.5  # the picture reaches from −9 to 9
    assert set(style.SVG_DASHES) == set(style.DASHES)


def test_side_and_colour_are_those_of_the_distance_from_the_centre_up_to_the_reach_from_male_to_female():
    for g in (-0.1, NAN):
        assert gender_colour.background(g, -0.1) == "rgba(217, 127, 38, 0.00)"
    assert [gender_colour.side(g, -0.1) for g in (-0.1, NAN, -0.05, -0.2)] == ["", "", "female", "male"]
    assert gender_colour.background(0.05, -0.1) == "rgba(123, 63, 160, 0.30)"  # halfway: 0.15 of 0.3
    assert gender_colour.background(-0.25, -0.1, DARK) == "rgba(240, 161, 82, 0.30)"
    assert gender_colour.background(0.9, 0) == gender_colour.background(0.3, 0) == "rgba(123, 63, 160, 0.60)"
    assert gender_colour.background(-0.9, 0) == "rgba(217, 127, 38, 0.60)"
    for theme, male, female in ((LIGHT, "#d97f26", "#7b3fa0"), (DARK, "#f0a152", "#b98be0")):
        first, (middle, _), last = gender_colour.colourscale(theme)
        assert (first, middle, last) == ((0, male), 0.5, (1, female))
