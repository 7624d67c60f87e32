import re

import pytest

from fairviz.figures import style


def test_a_system_keeps_its_look_when_another_is_hidden_and_no_two_of_twenty_four_share_one():
    whole = style.system_styles(["a", "b", "c"])
    assert whole["c"] == style.system_styles(["x", "y", "c"])["c"]
    assert whole["a"] != whole["b"]
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


def test_text_from_data_cannot_become_markup_and_groups_have_the_colours_of_the_papers():
    assert style.safe("<a href='x'>&") == "&lt;a href='x'&gt;&amp;"
    assert style.shortened("<b>" + "x" * 40) == "&lt;b&gt;" + "x" * 14 + "…"
    colours = [style.group_colour(group, ("female", "male")) for group in ("female", "male", "neutral")]
    assert colours == ["#7b3fa0", "#d97f26", "#7c848f"]


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


def test_every_symbol_of_a_system_has_a_closed_path_of_its_own_that_fits_the_legend() -> None:
    paths = {symbol: style.path_of(symbol) for symbol in style.SYMBOLS}
    assert len(set(paths.values())) == len(style.SYMBOLS)
    for symbol, path in paths.items():
        assert style.path_of(f"{symbol}-open") == path
        assert path.startswith("M")
        assert path.endswith("Z")
        numbers = [float(number) for number in re.findall(r"-?\d+\.?\d*", path)]
        assert 0 < max(map(abs, numbers)) * style.SMALL <= 8.5  # the picture reaches from −9 to 9
    assert set(style.SVG_DASHES) == set(style.DASHES)
