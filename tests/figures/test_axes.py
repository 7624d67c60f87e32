"""The ends of axes, and the arrows of points beyond them."""

import math

import pytest

from fairviz.figures import axes
from fairviz.measures import parse


@pytest.mark.parametrize(
    ("measure", "least", "greatest"),
    [
        ("nDCG@10", 0, 1),
        ("NFaiRR@10", 0, 1),
        ("CWEx(alpha=0.25)@10", -0.75, 0.25),
        ("TExFAIR@10", 0, 1),
        ("ExposureGap@10", 0, 1),
    ],
)
def test_the_ends_of_a_measure_are_those_of_its_record(measure, least, greatest):
    assert axes.possible(parse(measure))[1] == greatest
    assert axes.possible(parse(measure))[0] <= least


def test_a_span_has_room_within_the_limits_and_cuts_no_value_off():
    assert axes.possible(parse("TExFAIR@10"), (0.2, 0.3, 0.5))[1] == pytest.approx(1.6), "wished shares move the ends"
    assert axes.span([0.2, 0.7]) == pytest.approx((0.17, 0.73))
    assert axes.span([0.01, 1.0, math.nan], (0.0, 1.0)) == (0.0, 1.0)
    assert axes.span([0.5]) == pytest.approx((0.49, 0.51))
    assert axes.span([]) == (0.0, 1.0)
    assert axes.span([-0.2, 1.3], (0.0, 1.0)) == (-0.2, 1.3)
    assert axes.setters(["perfect", "bm25", "random-seed=3"]) == {"bm25"}, "references set none where there is another"
    assert axes.setters(["perfect"]) == {"perfect"}


def test_an_arrow_points_to_what_lies_beyond():
    assert axes.edge("random", 0.5, 0.5, (0, 1), (0, 1)) is None
    both = axes.edge("random", -1.0, 2.0, (0, 1), (0, 1))
    assert both == axes.Edge(0.0, 1.0, "triangle-nw-open", "bottom right", "random −1.00, 2.00")
    towards = {(-1, 2): "nw", (2, 2): "ne", (2, -1): "se", (-1, -1): "sw",
               (-1, 0.5): "left", (2, 0.5): "right", (0.5, 2): "up", (0.5, -1): "down"}  # fmt: skip
    for (x, y), side in towards.items():
        assert axes.edge("random", x, y, (0, 1), (0, 1)).symbol == f"triangle-{side}-open"
    assert axes.edge("random", math.nan, 0.5, (0, 1), (0, 1)) is None
