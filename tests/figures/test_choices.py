"""The figures of the map of choices: every combination sorted, and a map over two choices."""

import numpy as np
import pandas as pd
import pytest

from fairviz.figures import choice_map, specification_curve
from fairviz.figures.choice_map import Cell
from fairviz.figures.style import LIGHT, system_styles

PAIR = ("<b>a</b>", "b")
STYLES = system_styles(PAIR)
VARIED = {"tau": ("0", "1"), "word_list": ("own<img>", "gsr")}


def table() -> pd.DataFrame:
    """Five combinations, the last without a value: tau 0, 0, 1, 1, 1 and word lists in turn."""
    return pd.DataFrame(
        {
            "combination": [0, 1, 2, 3, 4],
            "tau": ["0", "0", "1", "1", "1"],
            "word_list": ["own<img>", "gsr", "own<img>", "gsr", "gsr"],
            "value": [0.2, -0.1, 0.0, 0.4, np.nan],
            "low": [0.1, -0.3, -0.1, 0.2, np.nan],
            "high": [0.3, 0.1, 0.1, 0.6, np.nan],
            "chance": [0.9, 0.2, 0.5, 1.0, np.nan],
            "fairer": [PAIR[0], PAIR[1], "neither", PAIR[0], ""],
            "tested": [PAIR[0], "neither", "neither", PAIR[0], ""],
        }
    )


def test_the_curve_is_sorted_and_every_dot_stands_at_its_combination() -> None:
    curve = specification_curve.info(table(), PAIR, VARIED, present=[3])
    assert curve.combinations == (1, 2, 0, 3)
    assert curve.values == (-0.1, 0.0, 0.2, 0.4)
    assert (curve.fairer, curve.tested) == ((1, 2, 0, 0), (False, False, True, True))
    assert (curve.without, curve.marked, curve.many, curve.many_without) == ((4,), (3,), 4, 1)
    assert curve.dots == ((0, 2), (1, 3, 4), (1, 2), (0, 3, 4))
    assert curve.alt == (
        "How much fairer <b>a</b> is than b under 4 combinations of choices, 1 without a value, in the measure's unit: "
        "from -0.100 to 0.400; of 4 drawn <b>a</b> is fairer under 2, b under 1."
    )
    figure = specification_curve.draw(curve, STYLES)
    by = {trace.name: trace for trace in figure.data if trace.name}
    assert list(by) == [
        "&lt;b&gt;a&lt;/b&gt; fairer, tested: 2",
        "b fairer, by the mean only: 1",
        "neither is fairer: 1",
        "no value: 1",
    ]
    ours = by["&lt;b&gt;a&lt;/b&gt; fairer, tested: 2"]
    assert [*map(list, ours.customdata)] == [[0], [3]]
    assert ours.marker.symbol == "circle"
    assert by["b fairer, by the mean only: 1"].marker.symbol == "diamond-open"
    assert ours.marker.size[1] > ours.marker.size[0]
    assert ours.text[1].endswith("tau: 1<br>word_list: gsr<br>as it is set now")
    assert figure.layout.yaxis2.ticktext == ("tau: 0", "1", "word list: own&lt;img&gt;", "gsr")
    assert "<img" not in figure.to_json()


def test_of_very_many_combinations_a_part_is_drawn_with_the_present_one_and_that_is_said() -> None:
    count = 10_001
    many = pd.DataFrame(
        {"combination": range(count), "tau": "0", "value": np.linspace(-1, 1, count), "low": -1.0, "high": 1.0,
         "chance": 0.5, "fairer": "b", "tested": "neither"}
    )  # fmt: skip
    curve = specification_curve.info(many, PAIR, {"tau": ("0",)}, present=[77])
    assert len(curve.values) in (2000, 2001)
    assert (curve.combinations[0], curve.combinations[-1], curve.many) == (0, count - 1, count)
    assert [curve.combinations[place] for place in curve.marked] == [77]
    assert f"{len(curve.values):,} of 10,001 drawn" in curve.title
    assert {trace.type for trace in specification_curve.draw(curve, STYLES).data} == {"scattergl"}


def test_the_cells_of_a_map() -> None:
    drawn = choice_map.info(table(), PAIR, ("tau", "word_list"), VARIED, ("1", "gsr"))
    assert drawn.cells == (
        Cell(("0", "own<img>"), 1, 0, (1, 0), (1, 0), 0.9),
        Cell(("0", "gsr"), 1, 0, (0, 1), (0, 0), 0.2),
        Cell(("1", "own<img>"), 1, 0, (0, 0), (0, 0), 0.5),
        Cell(("1", "gsr"), 1, 1, (1, 0), (1, 0), 1.0),
    )
    assert drawn.alt == (
        "Of 4 pairs of levels of tau and word_list, <b>a</b> is more likely the fairer one in 2 and b in 1."
    )
    figure = choice_map.draw(drawn, STYLES, LIGHT)
    heat, marks = figure.data
    assert np.array(heat.z).tolist() == [[0.9, 0.2], [0.5, 1.0]]
    assert marks.text == ("&lt;b&gt;a&lt;/b&gt;<br>90 %", "b<br>80 %", "50 %", "&lt;b&gt;a&lt;/b&gt;<br>100 %")
    assert [*map(list, marks.customdata)] == [["0,0"], ["0,1"], ["1,0"], ["1,1"]]
    assert "1 combination with a value, 1 without" in marks.hovertext[3]
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].y0) == pytest.approx((0.52, 0.52))
    assert "<img" not in figure.to_json()
    rows = table()
    rows.loc[rows["tau"] == "0", ["value", "chance"]] = np.nan
    rows.loc[rows["tau"] == "0", ["fairer", "tested"]] = ""
    heat, marks = choice_map.draw(choice_map.info(rows, PAIR, ("tau", "word_list"), VARIED), STYLES).data
    assert [*heat.z[0]] == [None, None]
    assert marks.text[:2] == ("no value", "no value")
