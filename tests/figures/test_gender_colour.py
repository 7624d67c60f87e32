import math

from fairviz.figures import gender_colour
from fairviz.figures.style import DARK, LIGHT


def test_the_side_and_the_colour_are_those_of_the_distance_from_the_centre_up_to_the_reach():
    for g in (-0.1, math.nan):
        assert gender_colour.background(g, -0.1) == "rgba(217, 127, 38, 0.00)"
        assert gender_colour.side(g, -0.1) == ""
    assert gender_colour.side(-0.05, -0.1) == "female"
    assert gender_colour.side(-0.2, -0.1) == "male"
    assert gender_colour.background(0.05, -0.1) == "rgba(123, 63, 160, 0.30)"  # halfway: 0.15 of 0.3
    assert gender_colour.background(-0.25, -0.1, DARK) == "rgba(240, 161, 82, 0.30)"
    assert gender_colour.background(0.9, 0) == gender_colour.background(0.3, 0) == "rgba(123, 63, 160, 0.60)"
    assert gender_colour.background(-0.9, 0) == "rgba(217, 127, 38, 0.60)"


def test_the_scale_runs_from_male_to_female():
    for theme, male, female in ((LIGHT, "#d97f26", "#7b3fa0"), (DARK, "#f0a152", "#b98be0")):
        scale = gender_colour.colourscale(theme)
        assert [place for place, _ in scale] == [0, 0.5, 1]
        assert (scale[0][1], scale[2][1]) == (male, female)


def test_an_axis_never_magnifies_rounding():
    assert gender_colour.axis_range([1e-9, math.nan]) == (-0.3 - 0.024, 0.3 + 0.024)
    low, high = gender_colour.axis_range([-0.5, 0.1])
    assert math.isclose(low, -0.532)
    assert math.isclose(high, 0.332)
