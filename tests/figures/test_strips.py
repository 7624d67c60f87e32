"""Strips, a row a measure: systems from less to more fair, between the worst and the best order, and a query among
all."""

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.comparison.finding import orders
from fairviz.evaluation.scores import summarise
from fairviz.figures import measure_order, strip, value_scale
from fairviz.figures.measure_order import LINE
from fairviz.figures.style import LIGHT, system_styles
from fairviz.measures import parse
from tests.comparison.test_finding import AWRF, CWEX, GAP, ordered, table

NAME = "<img src=x>"


# --- systems from less to more fair


def drawn(*made, **options):
    info = measure_order.info(made)
    return info, measure_order.draw(info, system_styles(info.systems), **options)


THREE = {"high": 0.4, "near": 0.395, "low": 0.1}


def test_the_fairer_end_is_at_the_right_and_references_stand_below_and_set_no_end():
    info, figure = drawn(ordered(table(AWRF, **{NAME: 0.4}, low=0.1, perfect=0.01), AWRF))
    (strip,) = info.strips
    assert {mark.system: mark.x for mark in strip.marks} == {"low": 1.0, NAME: 0.0, "perfect": 1.0}
    assert (strip.left, strip.right, strip.direction) == ("0.400", "0.100", "fairer →")
    y = {mark.system: mark.y for mark in strip.marks}
    assert y["perfect"] > y["low"] == y[NAME]
    assert "<img" not in figure.to_json()
    info, figure = drawn(ordered(table(GAP, below=-0.3, above=0.1), GAP))
    assert info.strips[0].zero == pytest.approx(0.75), "the measure is fairest at 0: a tick stands there"
    assert sum(shape.x0 == shape.x1 for shape in figure.layout.shapes) == 1


def test_rings_and_pale_markers_are_those_of_the_tests_and_close_ones_stand_above_one_another():
    order = ordered(table(**THREE))
    info, figure = drawn(order)
    assert {mark.system: mark.look for mark in info.strips[0].marks} == {
        "high": "ringed", "near": "ringed", "low": "pale"
    }  # fmt: skip
    rings, *markers = figure.data
    assert len(rings.x) == 2
    shown = {trace.name: trace.opacity for trace in markers if trace.x[0] == trace.x[0]}
    assert shown == {"high": 1, "near": 1, "low": 0.35}
    grouped = drawn(order, groups=True)[1]
    assert len(grouped.layout.shapes) == len(figure.layout.shapes) + 1, "bars of groups only where asked for"
    assert grouped.layout.height > figure.layout.height
    info, _ = drawn(ordered(table(high=0.4, near=0.399, nearer=0.3995, low=0.1)))
    y = {mark.system: mark.y for mark in info.strips[0].marks}
    assert y["low"] == y["high"] > y["nearer"] > y["near"]


def test_whiskers_span_the_places_of_the_ranks_that_the_tests_leave():
    """high and near may be first or second, low is third; a reference has no rank."""
    made = [ordered(table(high=0.4, near=0.3999, low=0.1, perfect=0.5)), ordered(table(low=0.1, high=0.4))]
    plain, info = (measure_order.info(made, ranks=ranks) for ranks in (False, True))
    marks = {mark.system: mark for mark in info.strips[0].marks}
    assert marks["high"].ranks[:2] == marks["near"].ranks[:2] == (marks["near"].x, 1.0)
    assert marks["low"].ranks[:2] == (0.0, 0.0)
    assert np.isnan(marks["perfect"].ranks).all()
    assert [marks[name].note.split("<br>")[-1] for name in ("high", "low")] == ["rank 1 to 2", "rank 3"]
    lowest = max(mark.ranks[2] for mark in marks.values() if mark.system != "perfect")
    assert lowest < info.pitch + info.heading  # above the heading of the next strip
    assert np.isnan(plain.strips[0].marks[0].ranks).all()
    heights = [measure_order.draw(one, system_styles(one.systems)).layout.height for one in (plain, info)]
    assert heights[0] < heights[1]


def test_the_name_of_a_measure_has_its_definition_as_tooltip_and_a_link_where_one_is_given():
    order = ordered(table(high=0.4, low=0.1))
    links = {"CWEx": "methods?methods_measure=CWEx"}
    plain, linked = (drawn(order, links=given)[1].layout.annotations[0] for given in (None, links))
    definition = "Neutral exposure rewarded, the gap between the genders' exposures punished"
    assert plain.hovertext == linked.hovertext == definition
    assert plain.text.startswith("<b>CWEx</b>")
    assert linked.text.startswith('<b><a href="methods?methods_measure=CWEx">CWEx</a></b>')


def test_one_call_in_a_notebook():
    scores = table(**THREE)
    figure = fairviz.plot.order(scores)
    same = drawn(orders(summarise(scores), [CWEX], comparison(scores))[0])[1]
    assert {trace.name for trace in figure.data} == {trace.name for trace in same.data}
    with pytest.raises(fairviz.FairvizError, match="GSR"):
        fairviz.plot.order(scores, ["GSR"])


# --- between the worst and the best order

TEN, LOWER, TWO_SIDED = parse("CWEx@10"), parse("AWRF@10"), parse("ExposureGap@10")
SCALES = pd.DataFrame(
    [
        ("<a>", TEN.text, -0.2, -0.5, 0.5, -0.3, -0.1, 4),
        ("b", TEN.text, 0.1, -0.5, 0.4, -0.4, 0.0, 10),
        ("random", TEN.text, -0.25, -0.4, 0.3, -0.3, -0.2, 1),
        ("<a>", LOWER.text, 0.2, 1.0, 0.0, 0.3, 0.5, 0),
        ("b", TWO_SIDED.text, 0.2, 1.0, 0.0, 0.3, 0.5, 0),
    ],
    columns=["system", "measure", "value", "worst", "best", "chance_low", "chance_high", "outside"],
).assign(queries=40, worst_is="exact", best_is="exact")
SCALES = SCALES.astype({"outside": "Int64"})


def test_values_are_between_the_ends_of_all_systems() -> None:
    scale = value_scale.info(SCALES, [TEN, LOWER, TWO_SIDED])
    first, second = scale.strips.strips  # a measure that is fairest at 0 has no worst value
    assert (first.left, first.right, second.left, second.right) == ("−0.500", "0.500", "1.000", "0.000")
    assert [mark.x for mark in (*first.marks, second.marks[0])] == pytest.approx([0.3, 0.6, 0.25, 0.8])
    assert first.marks[2].y > LINE > first.marks[0].y - 1e-9  # references are below the axis
    for question, worst_is, best_is, left, right in (
        (TEN, "exact", "bound", "−0.500", "≤ 0.500"),
        (TEN, "searched", "searched", "≤ −0.500", "≥ 0.500"),
        (TEN, "bound", "exact", "≥ −0.500", "0.500"),
        (LOWER, "bound", "searched", "≤ 1.000", "≤ 0.000"),
    ):
        (made,) = value_scale.info(SCALES.assign(worst_is=worst_is, best_is=best_is), [question]).strips.strips
        assert (made.left, made.right) == (left, right), "an end that is not exact has a sign"


def test_the_band_is_of_the_selected_system_or_the_first_and_lists_outside_are_counted_without_references() -> None:
    scale = value_scale.info(SCALES, [TEN, LOWER])
    assert scale.bands == (pytest.approx((0.2, 0.4)), pytest.approx((0.5, 0.7)))
    assert value_scale.info(SCALES, [TEN], "b").bands == (pytest.approx((0.1, 0.5)),)
    first = scale.strips.strips[0]
    outside = "14 of 80 lists outside chance"
    assert (first.lead, first.marks[0].note) == (outside, "<br>4 of 40 queries outside chance")
    assert value_scale.info(SCALES, [TEN]).alt == (
        f"CWEx from −0.500 to 0.500: <a> −0.200, b 0.100 and random −0.250. {outside}."
    )
    figure = value_scale.draw(scale, system_styles(["<a>", "b", "random"]), LIGHT)
    bands = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert [(shape.x0, shape.x1) for shape in bands] == list(scale.bands)
    assert [(shape.y0 + shape.y1) / 2 for shape in bands] == pytest.approx([LINE, 1 + LINE])  # behind their marks
    assert (figure.data[0].name, figure.data[0].x) == ("95 % of random orders", (None,))
    assert "&lt;a&gt;" in str(figure.data)
    without = value_scale.info(SCALES.assign(chance_low=np.nan, chance_high=np.nan, outside=pd.NA), [TEN])
    assert (without.bands, without.strips.strips[0].lead) == ((None,), "")


# --- a query among all

STYLES = system_styles(("a", "b"))
FIVE, TED, NDCG = (parse(text) for text in ("CWEx@5", "TED@5", "nDCG@5"))
SCORES = pd.DataFrame(
    [
        ("a", "q1", FIVE.text, -0.5), ("a", "q2", FIVE.text, 0.5), ("b", "q1", FIVE.text, 0.0),
        ("b", "q2", FIVE.text, np.nan), ("c", "q1", FIVE.text, 9.0), ("a", "q1", NDCG.text, 1.0),
        ("a", "q2", NDCG.text, 1.0), ("a", "q1", TED.text, np.nan),
    ],
    columns=["system", "query_id", "measure", "value"],
)  # fmt: skip


def test_a_query_among_all_has_a_row_a_measure_with_ends_of_its_own() -> None:
    drawn = strip.info(SCORES, [FIVE, TED, NDCG], ("a", "b"), "q1")
    first, second = drawn.rows
    assert (first.measure, second.measure) == (FIVE.text, NDCG.text)  # TED is defined nowhere
    assert (first.low, first.high, first.others, first.own) == (-0.5, 0.5, (-0.5, 0.5, 0.0), {"a": -0.5, "b": 0.0})
    assert (first.pointer, second.pointer) == ("→ fairer", "→ better")
    assert drawn.alt == (
        "q1 among all queries: CWEx(alpha=0.5)@5 −0.500 in a, 0.000 in b; nDCG@5 1.000 in a, undefined in b."
    )
    figure = strip.draw(drawn, STYLES)
    everyone, a, b = figure.data
    assert (list(everyone.x), list(everyone.y)) == ([0, 0.5, 1, 0.5], [0, 0, 0, 1])  # the last two are alike
    assert (list(a.x), list(a.y), a.marker.symbol) == ([0, 0.5], [0, 1], STYLES["a"].symbol)
    assert (list(b.x), list(b.y)) == ([0.5], [0])
    assert [(note.text, note.x, note.y) for note in figure.layout.annotations] == [
        ("−0.500", 0, 0), ("0.500", 1, 0), ("1.000", 0, 1), ("1.000", 1, 1)
    ]  # fmt: skip


def test_the_band_of_random_orders_is_behind_the_marks_and_within_the_row() -> None:
    rows = strip.info(SCORES, [FIVE, NDCG], ("a", "b"), "q1")
    assert [row.band for row in rows.rows] == [None, None]
    bands = pd.DataFrame({"measure": [FIVE.text, NDCG.text], "low": [-0.9, np.nan], "high": [0.25, np.nan]})
    with_band = strip.of_query(rows, SCORES, "q1", bands)
    assert [row.band for row in with_band.rows] == [(0.0, 0.75), None]
    (shape,) = strip.draw(with_band, STYLES).layout.shapes
    assert (shape.x0, shape.x1, shape.y0, shape.y1, shape.layer) == (0.0, 0.75, -0.3, 0.3, "below")
    assert strip.of_query(rows, SCORES, "q1", bands.assign(low=0.6, high=0.9)).rows[0].band is None
