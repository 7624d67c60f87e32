"""Systems against systems: differences with their intervals, and the map of choices, as every combination sorted and as
a map over two choices."""

import functools

import numpy as np
import pandas as pd
import pytest

from fairviz.comparison.compare import Comparison, comparison, starred
from fairviz.figures import choice_map, differences, specification_curve
from fairviz.figures.choice_map import Cell
from fairviz.figures.style import LIGHT, system_styles
from tests.made import scores_of

CWEX, RAB = "CWEx(alpha=0.5)@10", "RaB@10"
WAVE = np.sin(np.arange(12)) / 50
NEARLY = {"high": 0.5 + WAVE[::-1], "low": 0.1 + WAVE, "near": 0.49 - WAVE}


def scores(**systems):
    """Per system its values of CWEx; RaB is the same, times −10."""
    cwex = scores_of(CWEX, systems)
    return pd.concat([cwex, cwex.assign(measure=RAB, value=-10 * cwex["value"])])


@functools.cache
def compared() -> Comparison:
    low, high, near = (NEARLY[name] for name in ("low", "high", "near"))
    return comparison(scores(low=low, high=high, near=near, random=-3 + WAVE, none=[np.nan] * 12))


def test_what_is_drawn():
    drawn = differences.info(compared(), starred(compared()), selected="near")
    assert drawn.title == "Differences to the best of each measure, intervals 95 % simultaneous"
    assert drawn.systems == ("high", "near", "low", "none", "random")
    cwex, rab = drawn.panels
    assert (cwex.measure, cwex.baseline, cwex.x_title) == (CWEX, "high", "difference → fairer")
    assert (rab.baseline, rab.x_title) == ("low", "difference in distance from 0 ← fairer")
    assert [(row.significant, row.starred, row.baseline, row.reference) for row in cwex.rows] == [
        (False, True, True, False),
        (False, True, False, False),
        (True, False, False, False),
        (False, False, False, False),
        (False, False, False, True),
    ]
    low, none = cwex.rows[2:4]
    found = compared().table.set_index(["measure", "system"]).loc[(CWEX, "low")]
    assert (low.difference, low.low, low.high) == tuple(found[["difference", "ci_low", "ci_high"]])
    assert low.text.endswith("fairer on 0, equal on 0, less fair on 12; 12 queries: behind")
    assert none.text == "undefined: too few queries"
    assert "significantly different from high: low;" in drawn.alt


def test_filled_marks_are_significantly_different_and_references_and_other_measures_set_no_axis():
    drawn = differences.info(compared(), starred(compared()))
    styles = system_styles(["low", "high", "near", "random", "none"])
    cwex, rab = drawn.panels
    low, high = cwex.reach
    assert -1 < low < cwex.rows[2].low
    assert 0 < high < 1
    assert rab.reach[1] > 4  # in RaB's own units
    figure = differences.draw(drawn, styles)
    assert figure.layout.xaxis.range == (low, high)
    arrows = [trace for trace in figure.data if trace.marker.symbol == ("triangle-left",)]
    assert [(trace.customdata[0][0], trace.x) for trace in arrows] == [("random", (low,))]
    marks, _, stars, undefined = figure.data[:4]
    assert [row[0] for row in marks.customdata] == ["high", "near", "low"]
    assert marks.marker.color == (styles["high"].colour, LIGHT.surface, styles["low"].colour)
    assert marks.marker.symbol == ("line-ns", styles["near"].symbol, styles["low"].symbol)
    assert marks.error_x.array[0] is None
    assert (list(stars.text), [row[0] for row in stars.customdata]) == (["★", "★"], ["high", "near"])
    assert [row[0] for row in undefined.customdata] == ["none"]
    assert figure.layout.yaxis.ticktext[-1] == "<i>random (reference)</i>"


def test_sixty_systems_are_drawn_and_more_are_counted():
    values = {f"s{n}": n / 100 + np.roll(WAVE, n) for n in range(70)}
    drawn = differences.info(comparison(scores_of(CWEX, values)), selected="s65")
    assert (len(drawn.systems), drawn.hidden) == (60, 10)
    assert drawn.systems[:2] == ("s69", "s68")
    figure = differences.draw(drawn, system_styles(list(values)))
    assert figure.layout.height == 60 * differences.ROW_HEIGHT + differences.FRAME
    assert "<b>s65</b>" in figure.layout.yaxis.ticktext


def test_a_named_baseline_is_the_same_in_all_panels_and_its_name_is_escaped():
    values = {"<b>": 0.1 + WAVE, "c": 0.2 + WAVE[::-1]}
    drawn = differences.info(comparison(scores(**values), "<b>"))
    assert [panel.baseline for panel in drawn.panels] == ["<b>", "<b>"]
    figure = differences.draw(drawn, system_styles(list(values)))
    assert figure.layout.title.text == "Differences to &lt;b&gt;, intervals 95 % simultaneous"
    assert "<b>" not in (*figure.layout.yaxis.ticktext, figure.layout.annotations[0].text.split(" − ")[1])


def test_one_query_has_marks_without_intervals_and_one_system_none():
    styles = system_styles(["a", "b"])
    marks = differences.draw(differences.info(comparison(scores(a=[0.1], b=[0.3]))), styles).data[0]
    assert marks.marker.color[1] == LIGHT.surface
    assert set(marks.error_x.array) == {None}
    for alone in ({"a": [0.1, 0.2]}, {"a": [np.nan], "b": [np.nan]}):
        drawn = differences.info(comparison(scores(**alone)))
        assert not differences.draw(drawn, styles).data
        assert drawn.alt.endswith("Nothing is compared.")


def test_a_draft_is_grey_and_called_not_tested_and_moves_no_other_mark():
    without = comparison(scores(**NEARLY))
    found = comparison(scores(**NEARLY, mine=0.6 + WAVE), outside=["mine"])
    drawn, before = (differences.info(each, starred(each)) for each in (found, without))
    assert [panel.rows[:3] for panel in drawn.panels] == [panel.rows for panel in before.panels]
    row = drawn.panels[0].rows[3]
    assert (row.system, row.reference, row.significant, row.starred) == ("mine", True, False, False)
    assert row.text.endswith(": not in the family")
    assert ", uncorrected), p " in row.text
    assert differences.row_names(drawn)[3] == "<i>mine (not tested)</i>"


def test_with_a_baseline_named_beforehand_other_pairs_are_hollow_and_common_queries_are_counted():
    found = comparison(scores(**NEARLY), tests="maxT(baseline='near')")
    drawn = differences.info(found)
    assert [row.text.rpartition(": ")[2] for row in drawn.panels[0].rows] == [
        "the baseline", "not significantly different", "not in the family",
    ]  # fmt: skip
    assert not drawn.references
    assert starred(found)[CWEX] == frozenset()
    few = np.where(np.arange(20) < 15, 0.1, np.nan)
    found = comparison(scores(a=few, b=np.linspace(0.2, 0.4, 20)))
    assert "; 15 of 20 queries in common (undefined: 5 for a): " in differences.info(found).panels[0].rows[1].text
    alone = differences.info(comparison(scores(a=0.5 + WAVE, random=0.1 + WAVE[::-1])))
    low, high = alone.panels[0].reach
    assert low < -0.4 < 0 < high, "a reference is the only other system: it sets the axis"


# --- the map of choices

PAIR = ("<b>a</b>", "b")
STYLES = system_styles(PAIR)
VARIED = {"tau": ("0", "1"), "word_list": ("own<img>", "gsr")}
CHOICES = pd.DataFrame(  # five combinations, the last without a value
    [
        (0, "0", "own<img>", 0.2, 0.1, 0.3, 0.9, PAIR[0], PAIR[0]),
        (1, "0", "gsr", -0.1, -0.3, 0.1, 0.2, PAIR[1], "neither"),
        (2, "1", "own<img>", 0.0, -0.1, 0.1, 0.5, "neither", "neither"),
        (3, "1", "gsr", 0.4, 0.2, 0.6, 1.0, PAIR[0], PAIR[0]),
        (4, "1", "gsr", *[np.nan] * 4, "", ""),
    ],
    columns=["combination", "tau", "word_list", "value", "low", "high", "chance", "fairer", "tested"],
)


def test_the_curve_is_sorted_and_every_dot_stands_at_its_combination() -> None:
    curve = specification_curve.info(CHOICES, PAIR, VARIED, present=[3])
    assert (curve.combinations, curve.values) == ((1, 2, 0, 3), (-0.1, 0.0, 0.2, 0.4))
    assert (curve.fairer, curve.tested) == ((1, 2, 0, 0), (False, False, True, True))
    assert (curve.without, curve.marked, curve.many, curve.many_without) == ((4,), (3,), 4, 1)
    assert curve.dots == ((0, 2), (1, 3, 4), (1, 2), (0, 3, 4))
    assert curve.alt == (
        "How much fairer <b>a</b> is than b under 4 combinations of choices, 1 without a value, in the measure's unit: "
        "from -0.100 to 0.400; of 4 drawn <b>a</b> is fairer under 2, b under 1."
    )
    figure = specification_curve.draw(curve, STYLES)
    by = {trace.name: trace for trace in figure.data if trace.name}
    safe = "&lt;b&gt;a&lt;/b&gt;"
    assert list(by) == [
        f"{safe} fairer, tested: 2", "b fairer, by the mean only: 1", "neither is fairer: 1", "no value: 1"
    ]  # fmt: skip
    ours, theirs = list(by.values())[:2]
    assert [*map(list, ours.customdata)] == [[0], [3]]
    assert (ours.marker.symbol, theirs.marker.symbol) == ("circle", "diamond-open")
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
    drawn = choice_map.info(CHOICES, PAIR, ("tau", "word_list"), VARIED, ("1", "gsr"))
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
    rows = CHOICES.copy()
    rows.loc[rows["tau"] == "0", ["value", "chance"]] = np.nan
    rows.loc[rows["tau"] == "0", ["fairer", "tested"]] = ""
    heat, marks = choice_map.draw(choice_map.info(rows, PAIR, ("tau", "word_list"), VARIED), STYLES).data
    assert [*heat.z[0]] == [None, None]
    assert marks.text[:2] == ("no value", "no value")
