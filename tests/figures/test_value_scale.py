"""Each measure from its worst to its best order: places of marks and bands, ends that are bounds, and the words."""

import numpy as np
import pandas as pd
import pytest

from fairviz.figures import value_scale
from fairviz.figures.measure_order import LINE
from fairviz.figures.style import LIGHT, system_styles
from fairviz.measures import parse

CWEX, LOWER, TWO_SIDED = parse("CWEx@10"), parse("AWRF@10"), parse("ExposureGap@10")


def scales(*rows: tuple) -> pd.DataFrame:
    """A table: system, measure, value, worst, best, chance_low, chance_high, outside."""
    names = ("system", "measure", "value", "worst", "best", "chance_low", "chance_high", "outside")
    table = pd.DataFrame(rows, columns=list(names)).assign(queries=40, worst_is="exact", best_is="exact")
    return table.astype({"outside": "Int64"})


TABLE = scales(
    ("<a>", CWEX.text, -0.2, -0.5, 0.5, -0.3, -0.1, 4),
    ("b", CWEX.text, 0.1, -0.5, 0.4, -0.4, 0.0, 10),
    ("random", CWEX.text, -0.25, -0.4, 0.3, -0.3, -0.2, 1),
    ("<a>", LOWER.text, 0.2, 1.0, 0.0, 0.3, 0.5, 0),
    ("b", TWO_SIDED.text, 0.2, 1.0, 0.0, 0.3, 0.5, 0),
)


def test_values_are_between_the_ends_of_all_systems() -> None:
    scale = value_scale.info(TABLE, [CWEX, LOWER, TWO_SIDED])
    first, second = scale.strips.strips  # a measure that is fairest at 0 has no worst value
    assert (first.left, first.right, second.left, second.right) == ("−0.500", "0.500", "1.000", "0.000")
    assert [mark.x for mark in first.marks] == pytest.approx([0.3, 0.6, 0.25])
    assert second.marks[0].x == pytest.approx(0.8)
    assert first.marks[2].y > LINE > first.marks[0].y - 1e-9  # references are below the axis


def test_the_band_is_of_the_selected_system_or_the_first_and_lists_outside_are_counted_without_references() -> None:
    scale = value_scale.info(TABLE, [CWEX, LOWER])
    assert scale.bands == (pytest.approx((0.2, 0.4)), pytest.approx((0.5, 0.7)))
    assert value_scale.info(TABLE, [CWEX], "b").bands == (pytest.approx((0.1, 0.5)),)
    strip = scale.strips.strips[0]
    assert (strip.lead, strip.marks[0].note) == (
        "14 of 80 lists outside chance", "<br>4 of 40 queries outside chance",
    )  # fmt: skip
    assert value_scale.info(TABLE, [CWEX]).alt == (
        "CWEx from −0.500 to 0.500: <a> −0.200, b 0.100 and random −0.250. 14 of 80 lists outside chance."
    )
    figure = value_scale.draw(scale, system_styles(["<a>", "b", "random"]), LIGHT)
    bands = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert [(shape.x0, shape.x1) for shape in bands] == list(scale.bands)
    assert [(shape.y0 + shape.y1) / 2 for shape in bands] == pytest.approx([LINE, 1 + LINE])  # behind their marks
    assert (figure.data[0].name, figure.data[0].x) == ("95 % of random orders", (None,))
    assert "&lt;a&gt;" in str(figure.data)
    without = value_scale.info(TABLE.assign(chance_low=np.nan, chance_high=np.nan, outside=pd.NA), [CWEX])
    assert (without.bands, without.strips.strips[0].lead) == ((None,), "")


@pytest.mark.parametrize(
    ("question", "worst_is", "best_is", "left", "right"),
    [
        (CWEX, "exact", "bound", "−0.500", "≤ 0.500"),
        (CWEX, "searched", "searched", "≤ −0.500", "≥ 0.500"),
        (CWEX, "bound", "exact", "≥ −0.500", "0.500"),
        (LOWER, "bound", "searched", "≤ 1.000", "≤ 0.000"),
    ],
)
def test_an_end_that_is_not_exact_has_a_sign(question, worst_is, best_is, left, right) -> None:
    scale = value_scale.info(TABLE.assign(worst_is=worst_is, best_is=best_is), [question])
    assert (scale.strips.strips[0].left, scale.strips.strips[0].right) == (left, right)
