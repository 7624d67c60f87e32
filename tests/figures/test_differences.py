import functools

import numpy as np
import pandas as pd
import pytest

from fairviz.comparison.compare import Comparison, comparison, starred
from fairviz.figures import differences
from fairviz.figures.style import LIGHT, system_styles
from tests.made import scores_of

CWEX, RAB = "CWEx(alpha=0.5)@10", "RaB@10"


def scores(**systems):
    """Per system its values of CWEx; RaB is the same, times −10."""
    cwex = scores_of(CWEX, systems)
    return pd.concat([cwex, cwex.assign(measure=RAB, value=-10 * cwex["value"])])


WAVE = np.sin(np.arange(12)) / 50


@functools.cache
def compared() -> Comparison:
    return comparison(
        scores(low=0.1 + WAVE, high=0.5 + WAVE[::-1], near=0.49 - WAVE, random=-3 + WAVE, none=[np.nan] * 12)
    )


STYLES = system_styles(["low", "high", "near", "random", "none"])
STYLES_OF_TWO = system_styles(["a", "b"])


def test_what_is_drawn():
    drawn = differences.info(compared(), starred(compared()), selected="near")
    assert drawn.title == "Differences to the best of each measure, intervals 95 % simultaneous"
    assert drawn.systems == ("high", "near", "low", "none", "random")
    cwex, rab = drawn.panels
    assert (cwex.measure, cwex.baseline, cwex.x_title) == (CWEX, "high", "difference → fairer")
    assert (rab.baseline, rab.x_title) == ("low", "difference in distance from 0 ← fairer")
    assert [row.significant for row in cwex.rows] == [False, False, True, False, False]
    assert [row.starred for row in cwex.rows] == [True, True, False, False, False]
    assert [row.baseline for row in cwex.rows] == [True, False, False, False, False]
    assert [row.reference for row in cwex.rows] == [False, False, False, False, True]
    found = compared().table.set_index(["measure", "system"]).loc[(CWEX, "low")]
    assert (cwex.rows[2].difference, cwex.rows[2].low, cwex.rows[2].high) == tuple(
        found[["difference", "ci_low", "ci_high"]]
    )
    assert cwex.rows[2].text.endswith("fairer on 0, equal on 0, less fair on 12; 12 queries: behind")
    assert cwex.rows[3].text == "undefined: too few queries"
    assert "significantly different from high: low;" in drawn.alt


def test_filled_marks_are_significantly_different_and_references_and_other_measures_set_no_axis():
    drawn = differences.info(compared(), starred(compared()))
    cwex, rab = drawn.panels
    low, high = cwex.reach
    assert -1 < low < cwex.rows[2].low
    assert 0 < high < 1
    assert rab.reach[1] > 4  # in RaB's own units
    figure = differences.draw(drawn, STYLES)
    assert figure.layout.xaxis.range == (low, high)
    arrows = [trace for trace in figure.data if trace.marker.symbol == ("triangle-left",)]
    assert [(trace.customdata[0][0], trace.x) for trace in arrows] == [("random", (low,))]
    marks = figure.data[0]
    assert [row[0] for row in marks.customdata] == ["high", "near", "low"]
    assert marks.marker.color == (STYLES["high"].colour, LIGHT.surface, STYLES["low"].colour)
    assert marks.marker.symbol == ("line-ns", STYLES["near"].symbol, STYLES["low"].symbol)
    assert marks.error_x.array[0] is None
    stars, undefined = figure.data[2], figure.data[3]
    assert (list(stars.text), [row[0] for row in stars.customdata]) == (["★", "★"], ["high", "near"])
    assert [row[0] for row in undefined.customdata] == ["none"]
    assert figure.layout.yaxis.ticktext[-1] == "<i>random (reference)</i>"


def test_sixty_systems_are_drawn_and_more_are_counted():
    values = {f"s{n}": n / 100 + np.roll(WAVE, n) for n in range(70)}
    drawn = differences.info(comparison(scores(**values)), selected="s65")
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


@pytest.mark.parametrize("alone", [{"a": [0.1, 0.2]}, {"a": [np.nan], "b": [np.nan]}])
def test_one_query_has_marks_without_intervals_and_one_system_none(alone):
    figure = differences.draw(differences.info(comparison(scores(a=[0.1], b=[0.3]))), STYLES_OF_TWO)
    assert figure.data[0].marker.color[1] == LIGHT.surface
    assert set(figure.data[0].error_x.array) == {None}
    drawn = differences.info(comparison(scores(**alone)))
    assert not differences.draw(drawn, STYLES_OF_TWO).data
    assert drawn.alt.endswith("Nothing is compared.")


def test_a_draft_is_grey_and_called_not_tested_and_moves_no_other_mark():
    values = {"high": 0.5 + WAVE[::-1], "low": 0.1 + WAVE, "near": 0.49 - WAVE}
    without = comparison(scores(**values))
    found = comparison(scores(**values, mine=0.6 + WAVE), outside=["mine"])
    drawn, before = (differences.info(each, starred(each)) for each in (found, without))
    assert [panel.rows[:3] for panel in drawn.panels] == [panel.rows for panel in before.panels]
    row = drawn.panels[0].rows[3]
    assert (row.system, row.reference, row.significant, row.starred) == ("mine", True, False, False)
    assert row.text.endswith(": not in the family")
    assert ", uncorrected), p " in row.text
    assert differences.row_names(drawn)[3] == "<i>mine (not tested)</i>"


def test_with_a_baseline_named_beforehand_other_pairs_are_hollow_and_common_queries_are_counted():
    values = {"high": 0.5 + WAVE[::-1], "low": 0.1 + WAVE, "near": 0.49 - WAVE}
    found = comparison(scores(**values), tests="maxT(baseline='near')")
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
