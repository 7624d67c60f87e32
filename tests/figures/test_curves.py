"""The curves over alpha and over the cutoff, the sweep, and the shape of the position bias."""

import numpy as np
import pandas as pd

from fairviz.figures import alpha_curve, bias_curve, cutoff_curve, sweep
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


def cutoff_table(depth):
    cutoffs = np.arange(1, depth + 1)
    table = {"system": "a", "measure": "CWEx", "cutoff": cutoffs, "value": cutoffs / depth}
    return pd.DataFrame(table)


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


def test_the_cutoff_is_marked_and_the_axis_is_logarithmic_only_when_deep():
    shallow = cutoff_curve.draw(cutoff_curve.info(cutoff_table(100), "CWEx", "higher", 10), STYLES)
    assert shallow.layout.xaxis.type == "linear"
    assert shallow.layout.annotations[0].x == 10
    deep = cutoff_curve.draw(cutoff_curve.info(cutoff_table(101), "CWEx", "higher", 10), STYLES)
    assert deep.layout.xaxis.type == "log"
    assert deep.layout.annotations[0].x == 1


def test_deep_lists_are_thinned_out_with_both_ends_kept():
    curve = cutoff_curve.info(cutoff_table(5000), "CWEx", "higher", 10)
    assert len(curve.cutoffs) <= cutoff_curve.MOST_CUTOFFS
    assert (curve.cutoffs[0], curve.cutoffs[-1]) == (1, 5000)
    assert curve.values["a"][-1] == 1


def test_no_cutoff_curve_gives_a_titled_empty_figure():
    figure = cutoff_curve.draw(cutoff_curve.info(cutoff_table(3), "NFaiRR", "higher", 1), STYLES)
    assert figure.layout.title.text == "NFaiRR at every cutoff"
    assert not figure.data


def sweep_info(alpha=0.5):
    summary = pd.DataFrame({"system": ["a", "b"], "measure": "nDCG@10", "value": [0.4, 0.6]})
    return sweep.info(alpha_table(), summary, parse("nDCG@10"), alpha, 10)


def test_the_sweep_has_fifty_one_frames_that_move_the_points():
    figure = sweep.draw(sweep_info(), STYLES)
    assert len(figure.frames) == 51
    assert [step.label for step in figure.layout.sliders[0].steps][:3] == ["0", "0.02", "0.04"]
    assert [trace.y[0] for trace in figure.frames[50].data] == [1.0, 0.3]
    assert [trace.x[0] for trace in figure.frames[50].data] == [0.4, 0.6]
    assert all(not step.args[1]["frame"]["redraw"] for step in figure.layout.sliders[0].steps)


def test_the_sweep_starts_at_the_current_alpha():
    drawn = sweep_info(0.3)
    assert drawn.alphas[drawn.start] == 0.3
    figure = sweep.draw(drawn, STYLES)
    assert figure.layout.sliders[0].active == drawn.start
    assert [trace.y[0] for trace in figure.data] == [0.3, 0.3]


def test_the_axes_of_the_sweep_hold_every_frame():
    figure = sweep.draw(sweep_info(), STYLES)
    low, high = figure.layout.yaxis.range
    assert low < -0.1
    assert high > 1.1


def test_a_sweep_of_nothing_is_a_titled_empty_figure():
    summary = pd.DataFrame({"system": ["a"], "measure": "nDCG@10", "value": [np.nan]})
    figure = sweep.draw(sweep.info(alpha_table(), summary, parse("nDCG@10"), 0.5, 10), STYLES)
    assert figure.layout.title.text == sweep.TITLE
    assert not figure.data


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
    curve = cutoff_curve.info(pd.concat([cutoff_table(4), unlabelled, late]), "CWEx", "higher", 2)
    assert list(curve.values) == ["a", "c"]
    assert np.isnan(curve.values["c"][0])


def test_a_system_without_a_value_is_no_point_of_the_sweep():
    table, summary = alpha_table(), pd.DataFrame({"system": ["a", "b"], "measure": "nDCG@10", "value": [0.4, 0.6]})
    table.loc[table["system"] == "b", "value"] = np.nan
    assert list(sweep.info(table, summary, parse("nDCG@10"), 0.5, 10).values) == ["a"]
    unjudged = summary.assign(value=[np.nan, 0.6])
    assert list(sweep.info(alpha_table(), unjudged, parse("nDCG@10"), 0.5, 10).values) == ["b"]
