import re

import plotly.graph_objects as go
import pytest

from fairviz.figures import style


def test_a_system_keeps_its_look_when_another_is_hidden():
    whole = style.system_styles(["a", "b", "c"])
    assert whole["c"] == style.system_styles(["x", "y", "c"])["c"]
    assert whole["a"] != whole["b"]


def test_no_two_of_twenty_four_systems_share_colour_and_marker():
    looks = style.system_styles([f"s{place}" for place in range(24)]).values()
    assert len({(look.colour, look.symbol) for look in looks}) == 24


@pytest.mark.parametrize("theme", [style.LIGHT, style.DARK])
def test_every_colour_can_be_told_from_its_page(theme):
    page = "#12161d" if theme.dark else "#ffffff"
    looks = style.system_styles([str(place) for place in range(12)], theme).values()
    groups = ("female", "male", "other", "fourth", "fifth", "sixth")
    colours = [look.colour for look in looks]
    colours += [style.group_colour(group, groups, theme) for group in ("neutral", *groups)]
    for colour in colours:
        assert contrast(colour, page) >= 2.9, colour


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_groups_have_the_colours_of_the_papers():
    assert style.group_colour("female", ("female", "male")) == "#7b3fa0"
    assert style.group_colour("male", ("female", "male")) == "#d97f26"
    assert style.group_colour("neutral", ("female", "male")) == "#7c848f"


def test_text_from_data_cannot_become_markup():
    assert style.safe("<a href='x'>&") == "&lt;a href='x'&gt;&amp;"
    assert style.shortened("<b>" + "x" * 40) == "&lt;b&gt;" + "x" * 14 + "…"


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        ("higher", "CWEx@10 → fairer"),
        ("lower", "CWEx@10 ← fairer"),
        ("zero", "CWEx@10 (0 is fairest)"),
        ("one", "CWEx@10 (1 is fairest)"),
        ("none", "CWEx@10"),
    ],
)
def test_axes_say_which_direction_is_fairer(direction, expected):
    assert style.axis_title("CWEx@10", direction) == expected


def test_many_markers_are_drawn_by_webgl():
    assert style.marker_class(500) is go.Scatter
    assert style.marker_class(501) is go.Scattergl


def test_the_empty_figure_has_its_title_and_its_reason():
    figure = style.empty_figure("Exposure", "No <labels>.")
    assert figure.layout.title.text == "Exposure"
    assert [note.text for note in figure.layout.annotations] == ["No &lt;labels&gt;."]
    assert not figure.data


def test_the_mark_stands_at_the_logarithm_on_a_logarithmic_axis():
    figure = go.Figure()
    style.mark(figure, 100, "k = 100", style.LIGHT, logarithmic=True)
    assert figure.layout.shapes[0].x0 == 100
    assert figure.layout.annotations[0].x == 2


@pytest.mark.parametrize("symbol", style.SYMBOLS)
def test_every_symbol_of_a_system_has_a_closed_path_that_fits_the_legend(symbol: str) -> None:
    path = style.path_of(symbol)
    assert style.path_of(f"{symbol}-open") == path
    assert path.startswith("M")
    assert path.endswith("Z")
    numbers = [float(number) for number in re.findall(r"-?\d+\.?\d*", path)]
    assert 0 < max(map(abs, numbers)) * style.SMALL <= 8.5  # the picture reaches from −9 to 9


def test_no_two_symbols_look_alike() -> None:
    assert len({style.path_of(symbol) for symbol in style.SYMBOLS}) == len(style.SYMBOLS)


def test_every_dash_of_a_system_is_known() -> None:
    assert set(style.SVG_DASHES) == set(style.DASHES)
