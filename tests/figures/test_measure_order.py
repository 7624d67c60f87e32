import numpy as np
import pytest

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.comparison.finding import orders
from fairviz.evaluation.scores import summarise
from fairviz.figures import measure_order
from fairviz.figures.style import system_styles
from tests.comparison.test_finding import AWRF, CWEX, GAP, ordered, table


def drawn(*made, **options):
    info = measure_order.info(made)
    return info, measure_order.draw(info, system_styles(info.systems), **options)


def test_the_fairer_end_is_at_the_right_and_references_stand_below_and_set_no_end():
    name = "<img src=x>"
    info, figure = drawn(ordered(table(AWRF, **{name: 0.4}, low=0.1, perfect=0.01), AWRF))
    (strip,) = info.strips
    x = {mark.system: mark.x for mark in strip.marks}
    assert x == {"low": 1.0, name: 0.0, "perfect": 1.0}
    assert (strip.left, strip.right, strip.direction) == ("0.400", "0.100", "fairer →")
    y = {mark.system: mark.y for mark in strip.marks}
    assert y["perfect"] > y["low"] == y[name]
    assert "<img" not in figure.to_json()
    info, figure = drawn(ordered(table(GAP, below=-0.3, above=0.1), GAP))
    assert info.strips[0].zero == pytest.approx(0.75), "the measure is fairest at 0: a tick stands there"
    assert sum(shape.x0 == shape.x1 for shape in figure.layout.shapes) == 1


def test_rings_and_pale_markers_are_those_of_the_tests_and_close_ones_stand_above_one_another():
    info, figure = drawn(ordered(table(high=0.4, near=0.395, low=0.1)))
    looks = {mark.system: mark.look for mark in info.strips[0].marks}
    assert looks == {"high": "ringed", "near": "ringed", "low": "pale"}
    rings, *markers = figure.data
    assert len(rings.x) == 2
    shown = {trace.name: trace.opacity for trace in markers if trace.x[0] == trace.x[0]}
    assert shown == {"high": 1, "near": 1, "low": 0.35}
    info, _ = drawn(ordered(table(high=0.4, near=0.399, nearer=0.3995, low=0.1)))
    y = {mark.system: mark.y for mark in info.strips[0].marks}
    assert y["high"] > y["nearer"] > y["near"]
    assert y["low"] == y["high"]


def test_groups_are_bars_only_where_asked_for():
    order = ordered(table(high=0.4, near=0.395, low=0.1))
    plain, grouped = (drawn(order, groups=groups)[1] for groups in (False, True))
    assert len(grouped.layout.shapes) == len(plain.layout.shapes) + 1
    assert grouped.layout.height > plain.layout.height


def test_whiskers_span_the_places_of_the_ranks_that_the_tests_leave():
    """high and near may be first or second, low is third; a reference has no rank."""
    made = [ordered(table(high=0.4, near=0.3999, low=0.1, perfect=0.5)), ordered(table(low=0.1, high=0.4))]
    plain = measure_order.info(made)
    info = measure_order.info(made, ranks=True)
    marks = {mark.system: mark for mark in info.strips[0].marks}
    assert marks["high"].ranks[:2] == marks["near"].ranks[:2] == (marks["near"].x, 1.0)
    assert marks["low"].ranks[:2] == (0.0, 0.0)
    assert np.isnan(marks["perfect"].ranks).all()
    assert [marks[name].note.split("<br>")[-1] for name in ("high", "low")] == ["rank 1 to 2", "rank 3"]
    lowest = max(mark.ranks[2] for mark in marks.values() if mark.system != "perfect")
    assert lowest < info.pitch + info.heading  # above the heading of the next strip
    assert np.isnan(plain.strips[0].marks[0].ranks).all()
    drawn_with = measure_order.draw(info, system_styles(info.systems))
    assert drawn_with.layout.height > measure_order.draw(plain, system_styles(plain.systems)).layout.height


def test_the_name_of_a_measure_has_its_definition_as_tooltip_and_a_link_where_one_is_given():
    order = ordered(table(high=0.4, low=0.1))
    plain, linked = (drawn(order, links=links)[1] for links in (None, {"CWEx": "methods?methods_measure=CWEx"}))
    heads = [figure.layout.annotations[0] for figure in (plain, linked)]
    definition = "Neutral exposure rewarded, the gap between the genders' exposures punished"
    assert [head.hovertext for head in heads] == [definition] * 2
    assert heads[0].text.startswith("<b>CWEx</b>")
    assert heads[1].text.startswith('<b><a href="methods?methods_measure=CWEx">CWEx</a></b>')


def test_one_call_in_a_notebook():
    scores = table(high=0.4, near=0.395, low=0.1)
    figure = fairviz.plot.order(scores)
    same = drawn(orders(summarise(scores), [CWEX], comparison(scores))[0])[1]
    assert {trace.name for trace in figure.data} == {trace.name for trace in same.data}
    with pytest.raises(fairviz.FairvizError, match="GSR"):
        fairviz.plot.order(scores, ["GSR"])
