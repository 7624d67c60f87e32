"""The curves over alpha, over the cutoff, over ranks and over the queries left out, and those of Lorenz."""

import numpy as np
import pandas as pd

from fairviz.comparison.curves import without_cutoff
from fairviz.figures import alpha_curve, bias_curve, cutoff_curve, leave_out_curve, lorenz
from fairviz.figures.style import DARK, group_colour, system_styles
from fairviz.measures import parse
from fairviz.measures.position_bias import position_bias

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


def test_alpha_differences_are_from_the_mean_or_a_baseline_and_changes_of_the_fairest_are_said():
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


def test_references_set_neither_the_mean_nor_the_changes_along_alpha():
    table = alpha_table(3)
    perfect = table[table["system"] == "a"].assign(system="perfect", value=5.0)
    curve = alpha_curve.info(pd.concat([perfect, table]), 0.5, 10, selected="b")
    alone = alpha_curve.info(table, 0.5, 10)
    assert list(curve.differences) == ["a", "b", "perfect"]
    assert (curve.differences["a"], curve.changes, curve.up) == (alone.differences["a"], alone.changes, alone.up)
    figure = alpha_curve.draw(curve, system_styles(["perfect", "a", "b"]))
    assert "▲ perfect 4.60" in notes(figure)
    assert [trace.name for trace in figure.data] == ["a", "<b>b</b>", "perfect"]


def test_the_cutoff_is_marked_on_a_logarithmic_axis_and_deep_lists_are_thinned_out():
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


def test_several_measures_stand_above_one_another_over_the_same_cutoffs():
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


def test_panels_of_one_measure_with_different_parameters_have_different_titles_and_a_far_reference_no_say():
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


def test_a_system_without_values_has_no_line_and_a_point_without_an_interval_no_band():
    table = cutoff_table(3).assign(ci_low=np.nan, ci_high=np.nan)
    unlabelled, late = table.assign(system="b", value=np.nan), table.assign(system="c", value=[np.nan, 0.5, 0.5])
    curve = cutoff_curve.info(pd.concat([table, unlabelled, late]), [CWEX], 2)
    assert list(curve.panels[0].lines) == ["a", "c"]
    assert np.isnan(curve.panels[0].lines["c"].values[0])
    assert [trace.fill for trace in cutoff_curve.draw(curve, system_styles("abc")).data] == [None, None]


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
