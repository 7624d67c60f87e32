"""The curves over alpha, over the cutoff, over ranks and over the queries left out, and those of Lorenz; differences
with their intervals, and the map of choices, as every combination sorted and as a map over two choices."""

import functools

import numpy as np
import pandas as pd
import pytest

from fairviz.comparison.compare import Comparison, comparison, starred
from fairviz.comparison.curves import without_cutoff
from fairviz.figures import (
    alpha_curve,
    bias_curve,
    choice_map,
    cutoff_curve,
    differences,
    leave_out_curve,
    lorenz,
    specification_curve,
)
from fairviz.figures.choice_map import Cell
from fairviz.figures.style import DARK, LIGHT, group_colour, system_styles
from fairviz.measures import parse
from fairviz.measures.position_bias import position_bias
from tests.made import scores_of

STYLES = system_styles(["a", "b"])
CWEX, NFAIRR, TEXFAIR = (parse(text) for text in ("CWEx@10", "NFaiRR@10", "TExFAIR@10"))


def alpha_table(steps=101):
    """CWEx of a is alpha, of b 0.3 whatever alpha: they cross at 0.3."""
    rows = [(name, alpha, value) for alpha in np.linspace(0, 1, steps) for name, value in (("a", alpha), ("b", 0.3))]
    table = pd.DataFrame(rows, columns=["system", "alpha", "value"])
    return table.assign(ci_low=table["value"] - 0.1, ci_high=table["value"] + 0.1)


def cutoff_table(depth, question=CWEX, system="a", values=None):
    cutoffs = np.arange(1, depth + 1)
    values = cutoffs / depth / 2 if values is None else np.asarray(values)
    table = {"system": system, "measure": without_cutoff(question), "cutoff": cutoffs, "value": values}
    return pd.DataFrame(table).assign(ci_low=values - 0.1, ci_high=values + 0.1)


def notes(figure):
    return [note.text for note in figure.layout.annotations]


def test_alpha_differences_are_from_the_mean_or_a_baseline_and_references_set_no_changes():
    curve = alpha_curve.info(alpha_table(3), alpha=0.5, cutoff=10)
    assert curve.alphas == (0.0, 0.5, 1.0)
    assert np.allclose(curve.differences["a"], [-0.15, 0.1, 0.35])
    assert np.allclose(curve.differences["b"], [0.15, -0.1, -0.35])
    from_b = alpha_curve.info(alpha_table(3), alpha=0.5, cutoff=10, baseline="b").differences
    assert np.allclose([from_b["a"], from_b["b"]], [[-0.3, 0.2, 0.7], [0, 0, 0]])
    curve = alpha_curve.info(alpha_table(), alpha=0.25, cutoff=10)
    assert curve.changes == (0.305,)
    assert curve.alt == "CWEx@10 minus that of the mean, for α from 0 to 1: the fairest system changes at α = 0.30."
    figure = alpha_curve.draw(curve, STYLES)
    assert [shape.x0 for shape in figure.layout.shapes] == [0.25]
    assert [(trace.name, trace.line.dash, trace.mode) for trace in figure.data] == [
        (name, STYLES[name].dash, "lines") for name in "ab"
    ]
    ahead = alpha_table()
    ahead.loc[ahead["system"] == "b", "value"] = -1.0
    assert alpha_curve.info(ahead, 0.5, 10).changes == ()
    undefined = ahead.replace({"value": {-1.0: np.nan}})
    assert list(alpha_curve.info(undefined, 0.5, 10).differences) == ["a"]
    assert not alpha_curve.draw(alpha_curve.info(undefined[undefined["system"] == "b"], 0.5, 10), STYLES).data
    table = alpha_table(3)
    perfect = table[table["system"] == "a"].assign(system="perfect", value=5.0)
    curve = alpha_curve.info(pd.concat([perfect, table]), 0.5, 10, selected="b")
    alone = alpha_curve.info(table, 0.5, 10)
    assert list(curve.differences) == ["a", "b", "perfect"]
    assert (curve.differences["a"], curve.changes, curve.up) == (alone.differences["a"], alone.changes, alone.up)
    figure = alpha_curve.draw(curve, system_styles(["perfect", "a", "b"]))
    assert "▲ perfect 4.60" in notes(figure)
    assert [trace.name for trace in figure.data] == ["a", "<b>b</b>", "perfect"]


def test_cutoffs_are_on_a_logarithmic_axis_thinned_out_and_a_missing_value_has_no_line():
    figure = cutoff_curve.draw(cutoff_curve.info(cutoff_table(100), [CWEX], 10), STYLES)
    assert figure.layout.xaxis.type == "log"
    (line,) = figure.layout.shapes
    assert (line.x0, line.x1) == (10, 10)  # a shape stands by value,
    assert figure.layout.annotations[0].x == 1  # a note by the value's logarithm
    assert figure.layout.xaxis.ticktext == ("1", "2", "5", "10", "20", "50", "100")
    assert figure.layout.title.text == f"{without_cutoff(CWEX)} at every cutoff"
    curve = cutoff_curve.info(cutoff_table(5000), [CWEX], 10)
    assert len(curve.cutoffs) <= cutoff_curve.MOST_CUTOFFS
    assert (curve.cutoffs[0], curve.cutoffs[-1]) == (1, 5000)
    assert curve.panels[0].lines["a"].values[-1] == 0.5
    assert not cutoff_curve.draw(cutoff_curve.info(cutoff_table(3), [NFAIRR], 1), STYLES).data
    table = cutoff_table(3).assign(ci_low=np.nan, ci_high=np.nan)
    unlabelled, late = table.assign(system="b", value=np.nan), table.assign(system="c", value=[np.nan, 0.5, 0.5])
    curve = cutoff_curve.info(pd.concat([table, unlabelled, late]), [CWEX], 2)
    assert list(curve.panels[0].lines) == ["a", "c"]
    assert np.isnan(curve.panels[0].lines["c"].values[0])
    assert [trace.fill for trace in cutoff_curve.draw(curve, system_styles("abc")).data] == [None, None]


def test_panels_of_measures_stand_above_one_another_and_a_far_reference_has_no_say():
    rows = (CWEX, "a", [0.3, 0.1, 0.1, 0.1]), (CWEX, "b", [0.2] * 4), (TEXFAIR, "a", [0.9] * 4)
    table = pd.concat([cutoff_table(4, *row) for row in (*rows, (TEXFAIR, "b", [0.5, 0.5, 0.5, 0.95]))])
    curve = cutoff_curve.info(table, [CWEX, TEXFAIR], 2, "b")
    assert [panel.measure for panel in curve.panels] == [without_cutoff(CWEX), "TExFAIR"]
    assert curve.disagreements == ((2, 3),)  # at 1 both name a, at 4 both b
    assert curve.alt.endswith("CWEx and TExFAIR disagree at k = 2 and 3.")
    figure = cutoff_curve.draw(curve, STYLES)
    assert figure.layout.xaxis.matches == "x2"
    shaded = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert [(shape.x0, shape.x1, shape.yref) for shape in shaded] == [(2**0.5, 12**0.5, "paper")]
    assert figure.layout.height == cutoff_curve.height_of(2)
    named = [trace for trace in figure.data if trace.showlegend]
    assert [trace.name for trace in named] == ["a", "<b>b</b>"]  # each system once, the selected one in bold
    bands = [trace for trace in figure.data if trace.fill == "toself"]
    assert len(bands) == 4
    assert list(bands[0].y[:4]) == [0.4, 0.2, 0.2, 0.2]
    assert named[1].line.width > named[0].line.width
    questions = [TEXFAIR, parse("TExFAIR(rbdf=False)@2"), CWEX]
    table = pd.concat([cutoff_table(4, question, "a", [0.3, 0.1, 0.1, 0.1]) for question in questions])
    figure = cutoff_curve.draw(cutoff_curve.info(table, questions, 2), STYLES)
    titles = [axis.title.text for axis in figure.select_yaxes()]
    assert titles == ["TExFAIR<br> → fairer", "TExFAIR(rbdf=False)<br> → fairer", "CWEx → fairer"]
    table = pd.concat([cutoff_table(3, TEXFAIR, "a", [0.5] * 3), cutoff_table(3, TEXFAIR, "random", [0.05] * 3)])
    curve = cutoff_curve.info(table, [TEXFAIR], 2)
    low, high = curve.panels[0].up
    assert 0.35 < low < 0.4
    assert 0.6 < high < 0.65
    figure = cutoff_curve.draw(curve, system_styles(["random", "a"]))
    assert "▼ random 0.05" in notes(figure)
    assert [trace.name for trace in figure.data if trace.showlegend] == ["a", "random"]  # references last


def test_the_band_of_random_orders_is_outlined_behind_the_lines_of_its_measure() -> None:
    table = pd.concat([cutoff_table(3, CWEX, "a", [0.1, 0.1, 0.1]), cutoff_table(3, TEXFAIR, "a", [0.9, 0.9, 0.9])])
    chance = pd.DataFrame(
        {"measure": without_cutoff(CWEX), "cutoff": [1, 2, 3], "chance": 0.0, "low": [-0.4, -0.3, -0.2], "high": 0.2}
    )
    curve = cutoff_curve.info(table, [CWEX, TEXFAIR], 2, chance=chance)
    figure = cutoff_curve.draw(curve, STYLES)
    band = figure.data[0]
    assert (band.name, list(band.y), band.line.width) == (cutoff_curve.CHANCE, [0.2, 0.2, 0.2, -0.2, -0.3, -0.4], 1.2)
    assert sum(trace.name == cutoff_curve.CHANCE and trace.showlegend for trace in figure.data) == 1
    assert figure.layout.yaxis.range[0] < -0.4  # the axis has room for it
    assert curve.note == f"{curve.sentence} Outlined: 95 % of random orders.".strip()
    assert cutoff_curve.info(table, [CWEX], 2).panels[0].chance is None


def test_the_position_bias_is_drawn_down_to_the_cutoff():
    curve = bias_curve.info(position_bias("reciprocal", 20), 4)
    assert curve.alt == "Position bias reciprocal: rank 4 weighs 0.25."
    (line,) = bias_curve.draw(curve).data
    assert list(line.x) == [1, 2, 3, 4]
    assert list(line.y) == [1.0, 0.5, 1 / 3, 0.25]


def test_slopes_have_a_line_a_system_over_the_queries_left_out():
    rows = [("a", 0, 0.3), ("b", 0, 0.2), ("random", 0, -5.0), ("a", 1, 0.1), ("b", 1, np.nan), ("random", 1, -5.0)]
    table = pd.DataFrame(rows, columns=["system", "left_out", "slope"])
    table = table.assign(ci_low=table["slope"] - 0.05, ci_high=table["slope"] + 0.1)
    curve = leave_out_curve.info(table, 1, "b")
    assert (curve.numbers, curve.current) == ((0, 1), 1)
    assert curve.slopes["a"] == (0.3, 0.1)
    assert curve.up[0] > -0.5, "the reference does not set the axis"
    assert curve.up[1] > 0.4
    figure = leave_out_curve.draw(curve, system_styles(("random", "a", "b")))
    bands, lines = figure.data[::2], figure.data[1::2]
    assert [trace.name for trace in lines] == ["a", "<b>b</b>", "random"]
    assert "▼ random −5.00" in notes(figure)
    assert np.allclose(bands[0].y, [0.4, 0.2, 0.05, 0.25])
    assert list(bands[1].x) == [0, 0]  # no band where there is no slope
    assert lines[0].customdata[0][1] == " (0.250 to 0.400)"
    assert figure.layout.shapes[0].x0 == 1


def test_lorenz_curves_have_a_panel_a_system_with_the_diagonal() -> None:
    rows = [(system, group, x, y) for system in ("<a>", *"bcde") for group in ("female", "male")
            for x, y in ((0, 0), (0.5, 0.25), (1, 1))]  # fmt: skip
    ginis = {(system, group): 0.25 for system in "bcde" for group in ("female", "male")}
    points = pd.DataFrame(rows, columns=["system", "group", "documents", "exposure"])
    curves = lorenz.info(points, {**ginis, ("<a>", "female"): 0.125})
    assert curves.curves[0].exposure == (0.0, 0.25, 1.0)
    assert curves.alt == (
        "Lorenz curves of exposure within the cutoff. Gini coefficients, <a>: female 0.125, male undefined; "
        "b: female 0.250, male 0.250; c: female 0.250, male 0.250; d: female 0.250, male 0.250 …."
    )
    figure = lorenz.draw(curves, DARK)
    assert len(figure.data) == 5 * 3
    assert [trace.name for trace in figure.data if trace.showlegend] == ["equal exposure", "female", "male"]
    diagonal, female, male = figure.data[:3]
    assert (diagonal.x, diagonal.y) == ((0, 1), (0, 1))
    assert female.line.color == group_colour("female", (), DARK)
    assert female.line.dash != male.line.dash
    titles = [figure.layout[f"xaxis{number or ''}"].title.text for number in ("", 2, 3, 4, 5)]
    assert titles == [None, None, *["share of documents"] * 3]
    assert "<a>" not in str(figure.data)


CWEX_TEXT, RAB = "CWEx(alpha=0.5)@10", "RaB@10"
WAVE = np.sin(np.arange(12)) / 50
NEARLY = {"high": 0.5 + WAVE[::-1], "low": 0.1 + WAVE, "near": 0.49 - WAVE}


def scores(**systems):
    """Per system its values of CWEx; RaB is the same, times −10."""
    cwex = scores_of(CWEX_TEXT, systems)
    return pd.concat([cwex, cwex.assign(measure=RAB, value=-10 * cwex["value"])])


@functools.cache
def compared() -> Comparison:
    low, high, near = (NEARLY[name] for name in ("low", "high", "near"))
    return comparison(scores(low=low, high=high, near=near, random=-3 + WAVE, none=[np.nan] * 12))


def test_what_is_drawn_and_that_references_and_other_measures_set_no_axis():
    drawn = differences.info(compared(), starred(compared()), selected="near")
    assert drawn.title == "Differences to the best of each measure, intervals 95 % simultaneous"
    assert drawn.systems == ("high", "near", "low", "none", "random")
    cwex, rab = drawn.panels
    assert (cwex.measure, cwex.baseline, cwex.x_title) == (CWEX_TEXT, "high", "difference → fairer")
    assert (rab.baseline, rab.x_title) == ("low", "difference in distance from 0 ← fairer")
    assert [(row.significant, row.starred, row.baseline, row.reference) for row in cwex.rows] == [
        (False, True, True, False),
        (False, True, False, False),
        (True, False, False, False),
        (False, False, False, False),
        (False, False, False, True),
    ]
    low, none = cwex.rows[2:4]
    found = compared().table.set_index(["measure", "system"]).loc[(CWEX_TEXT, "low")]
    assert (low.difference, low.low, low.high) == tuple(found[["difference", "ci_low", "ci_high"]])
    assert low.text.endswith("fairer on 0, equal on 0, less fair on 12; 12 queries: behind")
    assert none.text == "undefined: too few queries"
    assert "significantly different from high: low;" in drawn.alt
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


def test_a_named_baseline_has_its_name_escaped_and_one_query_no_intervals_and_sixty_systems_are_drawn():
    values = {"<b>": 0.1 + WAVE, "c": 0.2 + WAVE[::-1]}
    drawn = differences.info(comparison(scores(**values), "<b>"))
    assert [panel.baseline for panel in drawn.panels] == ["<b>", "<b>"]
    figure = differences.draw(drawn, system_styles(list(values)))
    assert figure.layout.title.text == "Differences to &lt;b&gt;, intervals 95 % simultaneous"
    assert "<b>" not in (*figure.layout.yaxis.ticktext, figure.layout.annotations[0].text.split(" − ")[1])
    styles = system_styles(["a", "b"])
    marks = differences.draw(differences.info(comparison(scores(a=[0.1], b=[0.3]))), styles).data[0]
    assert marks.marker.color[1] == LIGHT.surface
    assert set(marks.error_x.array) == {None}
    for alone in ({"a": [0.1, 0.2]}, {"a": [np.nan], "b": [np.nan]}):
        drawn = differences.info(comparison(scores(**alone)))
        assert not differences.draw(drawn, styles).data
        assert drawn.alt.endswith("Nothing is compared.")
    values = {f"s{n}": n / 100 + np.roll(WAVE, n) for n in range(70)}
    drawn = differences.info(comparison(scores_of(CWEX_TEXT, values)), selected="s65")
    assert (len(drawn.systems), drawn.hidden) == (60, 10)
    assert drawn.systems[:2] == ("s69", "s68")
    figure = differences.draw(drawn, system_styles(list(values)))
    assert figure.layout.height == 60 * differences.ROW_HEIGHT + differences.FRAME
    assert "<b>s65</b>" in figure.layout.yaxis.ticktext


def test_what_is_not_tested_is_hollow_and_moves_no_other_mark():
    without = comparison(scores(**NEARLY))
    found = comparison(scores(**NEARLY, mine=0.6 + WAVE), outside=["mine"])
    drawn, before = (differences.info(each, starred(each)) for each in (found, without))
    assert [panel.rows[:3] for panel in drawn.panels] == [panel.rows for panel in before.panels]
    row = drawn.panels[0].rows[3]
    assert (row.system, row.reference, row.significant, row.starred) == ("mine", True, False, False)
    assert row.text.endswith(": not in the family")
    assert ", uncorrected), p " in row.text
    assert differences.row_names(drawn)[3] == "<i>mine (not tested)</i>"
    found = comparison(scores(**NEARLY), tests="maxT(baseline='near')")
    drawn = differences.info(found)
    assert [row.text.rpartition(": ")[2] for row in drawn.panels[0].rows] == [
        "the baseline", "not significantly different", "not in the family",
    ]  # fmt: skip
    assert not drawn.references
    assert starred(found)[CWEX_TEXT] == frozenset()
    few = np.where(np.arange(20) < 15, 0.1, np.nan)
    found = comparison(scores(a=few, b=np.linspace(0.2, 0.4, 20)))
    assert "; 15 of 20 queries in common (undefined: 5 for a): " in differences.info(found).panels[0].rows[1].text
    alone = differences.info(comparison(scores(a=0.5 + WAVE, random=0.1 + WAVE[::-1])))
    low, high = alone.panels[0].reach
    assert low < -0.4 < 0 < high, "a reference is the only other system: it sets the axis"


# --- the map of choices

PAIR = ("<b>a</b>", "b")
OF_PAIR = system_styles(PAIR)
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
    figure = specification_curve.draw(curve, OF_PAIR)
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
    assert {trace.type for trace in specification_curve.draw(curve, OF_PAIR).data} == {"scattergl"}


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
    figure = choice_map.draw(drawn, OF_PAIR, LIGHT)
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
    heat, marks = choice_map.draw(choice_map.info(rows, PAIR, ("tau", "word_list"), VARIED), OF_PAIR).data
    assert [*heat.z[0]] == [None, None]
    assert marks.text[:2] == ("no value", "no value")
