"""The curves over alpha and over the cutoff, and the shape of the position bias."""

import numpy as np
import pandas as pd

from fairviz.comparison.curves import without_cutoff
from fairviz.figures import alpha_curve, bias_curve, cutoff_curve
from fairviz.figures.style import system_styles
from fairviz.measures import parse
from fairviz.measures.position_bias import position_bias

STYLES = system_styles(["a", "b"])


def alpha_table(steps=101):
    """CWEx of a is alpha, of b 0.3 whatever alpha: they cross at 0.3."""
    alphas = np.linspace(0, 1, steps)
    frames = [
        pd.DataFrame(
            {"system": name, "alpha": alphas, "value": values, "ci_low": values - 0.1, "ci_high": values + 0.1}
        )
        for name, values in (("a", alphas), ("b", np.full(steps, 0.3)))
    ]
    return pd.concat(frames).sort_values(["alpha", "system"]).reset_index(drop=True)


CWEX, NFAIRR, TEXFAIR = (parse(text) for text in ("CWEx@10", "NFaiRR@10", "TExFAIR@10"))


def cutoff_table(depth, question=CWEX, system="a", values=None):
    cutoffs = np.arange(1, depth + 1)
    values = cutoffs / depth / 2 if values is None else np.asarray(values)
    table = {"system": system, "measure": without_cutoff(question), "cutoff": cutoffs, "value": values}
    return pd.DataFrame(table).assign(ci_low=values - 0.1, ci_high=values + 0.1)


def test_alpha_differences_are_from_the_mean_of_the_systems():
    curve = alpha_curve.info(alpha_table(3), alpha=0.5, cutoff=10)
    assert curve.alphas == (0.0, 0.5, 1.0)
    assert np.allclose(curve.differences["a"], [-0.15, 0.1, 0.35])
    assert np.allclose(curve.differences["b"], [0.15, -0.1, -0.35])


def test_alpha_differences_from_a_baseline():
    curve = alpha_curve.info(alpha_table(3), alpha=0.5, cutoff=10, baseline="b")
    assert np.allclose(curve.differences["a"], [-0.3, 0.2, 0.7])
    assert np.allclose(curve.differences["b"], 0)


def test_where_the_fairest_system_changes_is_said():
    curve = alpha_curve.info(alpha_table(), alpha=0.5, cutoff=10)
    assert curve.changes == (0.305,)
    assert curve.alt == ("CWEx@10 minus that of the mean, for α from 0 to 1: the fairest system changes at α = 0.30.")


def test_one_system_that_leads_everywhere_changes_nothing():
    table = alpha_table()
    table.loc[table["system"] == "b", "value"] = -1.0
    assert alpha_curve.info(table, 0.5, 10).changes == ()


def test_the_current_alpha_is_marked():
    figure = alpha_curve.draw(alpha_curve.info(alpha_table(), 0.25, 10), STYLES)
    assert [shape.x0 for shape in figure.layout.shapes] == [0.25]
    assert [trace.name for trace in figure.data] == ["a", "b"]
    assert [trace.line.dash for trace in figure.data] == [STYLES["a"].dash, STYLES["b"].dash]
    assert all(trace.mode == "lines" for trace in figure.data)


def test_a_system_without_values_is_left_out_of_the_alpha_curve():
    table = alpha_table()
    table.loc[table["system"] == "b", "value"] = np.nan
    assert list(alpha_curve.info(table, 0.5, 10).differences) == ["a"]
    nothing = alpha_curve.draw(alpha_curve.info(table[table["system"] == "b"], 0.5, 10), STYLES)
    assert nothing.layout.title.text == alpha_curve.TITLE
    assert not nothing.data


def test_the_cutoff_is_marked_on_a_logarithmic_axis():
    figure = cutoff_curve.draw(cutoff_curve.info(cutoff_table(100), [CWEX], 10), STYLES)
    assert figure.layout.xaxis.type == "log"
    (line,) = figure.layout.shapes
    assert (line.x0, line.x1) == (10, 10)  # a shape stands by value,
    assert figure.layout.annotations[0].x == 1  # a note by the value's logarithm
    assert figure.layout.xaxis.ticktext == ("1", "2", "5", "10", "20", "50", "100")
    assert figure.layout.title.text == f"{without_cutoff(CWEX)} at every cutoff"


def test_deep_lists_are_thinned_out_with_both_ends_kept():
    curve = cutoff_curve.info(cutoff_table(5000), [CWEX], 10)
    assert len(curve.cutoffs) <= cutoff_curve.MOST_CUTOFFS
    assert (curve.cutoffs[0], curve.cutoffs[-1]) == (1, 5000)
    assert curve.panels[0].lines["a"].values[-1] == 0.5


def test_no_cutoff_curve_gives_a_titled_empty_figure():
    figure = cutoff_curve.draw(cutoff_curve.info(cutoff_table(3), [NFAIRR], 1), STYLES)
    assert figure.layout.title.text == "NFaiRR(tau=1) at every cutoff"
    assert not figure.data


def test_several_measures_stand_above_one_another_over_the_same_cutoffs():
    table = pd.concat(
        [
            cutoff_table(4, CWEX, "a", [0.3, 0.1, 0.1, 0.1]),
            cutoff_table(4, CWEX, "b", [0.2, 0.2, 0.2, 0.2]),
            cutoff_table(4, TEXFAIR, "a", [0.9, 0.9, 0.9, 0.9]),
            cutoff_table(4, TEXFAIR, "b", [0.5, 0.5, 0.5, 0.95]),
        ]
    )
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


def test_panels_of_one_measure_with_different_parameters_have_different_titles():
    """TExFAIR with and without RBDF: both axes were titled `TExFAIR → fairer`."""
    without_rbdf = parse("TExFAIR(rbdf=False)@2")
    questions = [TEXFAIR, without_rbdf, CWEX]
    table = pd.concat([cutoff_table(4, question, "a", [0.3, 0.1, 0.1, 0.1]) for question in questions])
    figure = cutoff_curve.draw(cutoff_curve.info(table, questions, 2), STYLES)
    titles = [axis.title.text for axis in figure.select_yaxes()]
    assert titles == ["TExFAIR<br> → fairer", "TExFAIR(rbdf=False)<br> → fairer", "CWEx → fairer"]


def test_a_point_without_an_interval_has_no_band():
    table = cutoff_table(3).assign(ci_low=np.nan, ci_high=np.nan)
    figure = cutoff_curve.draw(cutoff_curve.info(table, [CWEX], 1), STYLES)
    assert [trace.fill for trace in figure.data] == [None]


def test_a_reference_far_away_leaves_the_axis_alone_and_says_its_value():
    table = pd.concat([cutoff_table(3, TEXFAIR, "a", [0.5] * 3), cutoff_table(3, TEXFAIR, "random", [0.05] * 3)])
    curve = cutoff_curve.info(table, [TEXFAIR], 2)
    low, high = curve.panels[0].up
    assert 0.35 < low < 0.4
    assert 0.6 < high < 0.65
    styles = system_styles(["random", "a"])
    figure = cutoff_curve.draw(curve, styles)
    assert "▼ random 0.05" in [note.text for note in figure.layout.annotations]
    assert [trace.name for trace in figure.data if trace.showlegend] == ["a", "random"]  # references last


def test_the_position_bias_is_drawn_down_to_the_cutoff():
    curve = bias_curve.info(position_bias("reciprocal", 20), 4)
    assert curve == bias_curve.BiasCurve("reciprocal", (1.0, 0.5, 1 / 3, 0.25))
    figure = bias_curve.draw(curve)
    assert list(figure.data[0].x) == [1, 2, 3, 4]
    assert list(figure.data[0].y) == [1.0, 0.5, 1 / 3, 0.25]
    assert curve.alt == "Position bias reciprocal: rank 4 weighs 0.25."


def test_a_system_without_any_value_has_no_line_along_the_cutoffs():
    unlabelled = cutoff_table(4).assign(system="b", value=np.nan)
    late = cutoff_table(4).assign(system="c", value=[np.nan, 0.5, 0.5, 0.5])
    curve = cutoff_curve.info(pd.concat([cutoff_table(4), unlabelled, late]), [CWEX], 2)
    assert list(curve.panels[0].lines) == ["a", "c"]
    assert np.isnan(curve.panels[0].lines["c"].values[0])


def test_references_set_neither_the_mean_nor_the_changes_along_alpha():
    table = alpha_table(3)
    perfect = table[table["system"] == "a"].assign(system="perfect", value=5.0)
    curve = alpha_curve.info(pd.concat([perfect, table]), 0.5, 10, selected="b")
    alone = alpha_curve.info(table, 0.5, 10)
    assert list(curve.differences) == ["a", "b", "perfect"]
    assert (curve.differences["a"], curve.changes, curve.up) == (alone.differences["a"], alone.changes, alone.up)
    figure = alpha_curve.draw(curve, system_styles(["perfect", "a", "b"]))
    assert "▲ perfect 4.60" in [note.text for note in figure.layout.annotations]
    assert [trace.name for trace in figure.data] == ["a", "<b>b</b>", "perfect"]


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
