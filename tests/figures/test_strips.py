"""Strips with a row a measure, systems from less to more fair, between the worst and the best order, and a query among
all; and the figures of single queries: two systems on each, the parts of a value, and CRBO."""

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.comparison.finding import orders
from fairviz.evaluation.scores import summarise
from fairviz.figures import crbo, crbo_queries, measure_order, query_differences, strip, value_scale, waterfall
from fairviz.figures.measure_order import LINE
from fairviz.figures.query_differences import MOST_BARS
from fairviz.figures.style import DARK, LIGHT, group_colour, system_styles
from fairviz.measures import Question, parse
from tests.comparison.test_finding import AWRF, CWEX, GAP, ordered, table

NAME = "<img src=x>"


# --- systems from less to more fair


def drawn(*made, **options):
    info = measure_order.info(made)
    return info, measure_order.draw(info, system_styles(info.systems), **options)


THREE = {"high": 0.4, "near": 0.395, "low": 0.1}


def test_the_fairer_end_is_at_the_right_and_rings_and_pale_markers_are_those_of_the_tests():
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


def test_names_have_tooltips_and_links_and_one_call_draws_them_in_a_notebook():
    order = ordered(table(high=0.4, low=0.1))
    links = {"CWEx": "methods?methods_measure=CWEx"}
    plain, linked = (drawn(order, links=given)[1].layout.annotations[0] for given in (None, links))
    definition = "Neutral exposure rewarded, the gap between the genders' exposures punished"
    assert plain.hovertext == linked.hovertext == definition
    assert plain.text.startswith("<b>CWEx</b>")
    assert linked.text.startswith('<b><a href="methods?methods_measure=CWEx">CWEx</a></b>')
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


def test_values_are_between_the_ends_of_all_systems_and_lists_outside_the_band_are_counted() -> None:
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
FIVE, TED, NDCG, RAB = (parse(text) for text in ("CWEx@5", "TED@5", "nDCG@5", "RaB@5"))
SCORES = pd.DataFrame(
    [
        ("a", "q1", FIVE.text, -0.5), ("a", "q2", FIVE.text, 0.5), ("b", "q1", FIVE.text, 0.0),
        ("b", "q2", FIVE.text, np.nan), ("c", "q1", FIVE.text, 9.0), ("a", "q1", NDCG.text, 1.0),
        ("a", "q2", NDCG.text, 1.0), ("a", "q1", TED.text, np.nan),
    ],
    columns=["system", "query_id", "measure", "value"],
)  # fmt: skip


def test_a_query_among_all_has_a_row_a_measure_and_a_band_behind_its_marks() -> None:
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
    rows = strip.info(SCORES, [FIVE, NDCG], ("a", "b"), "q1")
    assert [row.band for row in rows.rows] == [None, None]
    bands = pd.DataFrame({"measure": [FIVE.text, NDCG.text], "low": [-0.9, np.nan], "high": [0.25, np.nan]})
    with_band = strip.of_query(rows, SCORES, "q1", bands)
    assert [row.band for row in with_band.rows] == [(0.0, 0.75), None]
    (shape,) = strip.draw(with_band, STYLES).layout.shapes
    assert (shape.x0, shape.x1, shape.y0, shape.y1, shape.layer) == (0.0, 0.75, -0.3, 0.3, "below")
    assert strip.of_query(rows, SCORES, "q1", bands.assign(low=0.6, high=0.9)).rows[0].band is None


def pair(ours: list[float], theirs: list[float]) -> pd.DataFrame:
    rows = pd.DataFrame({"value": ours, "baseline_value": theirs})
    return rows.assign(query_id=[f"q{n}" for n in range(len(ours))], difference=rows["value"] - rows["baseline_value"])


def test_queries_are_sorted_by_the_difference_in_the_direction_of_the_measure() -> None:
    texts = {"q0": "<i>x"}
    drawn = query_differences.info(pair([0.5, 0.1, 0.3], [0.2, 0.4, 0.3]), FIVE, ("a", "b"), texts, "q0")
    assert drawn.queries == ("q1", "q2", "q0")
    assert drawn.differences == pytest.approx((-0.3, 0, 0.3))
    assert drawn.counts == (1, 1, 1)
    assert drawn.title == "CWEx(alpha=0.5)@5: a minus b"
    assert drawn.alt == (
        f"CWEx(alpha=0.5)@5 of a minus b on 3 queries, from -0.300 to 0.300, mean {drawn.mean:.3f}: a is fairer on 1, "
        "b on 1, neither on 1."
    )
    assert drawn.mean == pytest.approx(0)
    bars = query_differences.draw(drawn, STYLES, DARK).data
    assert [(bar.type, bar.name, [*bar.marker.line.width]) for bar in bars] == [
        ("bar", "a fairer: 1", [2.5]), ("bar", "b fairer: 1", [0]), ("bar", "neither: 1", [0])
    ]  # fmt: skip
    assert list(bars[0].customdata[0]) == ["q0"]  # the selected one
    assert "&lt;i&gt;x" in bars[0].text[0]
    assert len({bar.marker.pattern.shape for bar in bars}) == 3  # never colour alone
    many = pair(*np.random.default_rng(1).normal(size=(2, MOST_BARS + 1)).tolist())
    points = query_differences.draw(query_differences.info(many, FIVE, ("a", "b"), {}), STYLES).data
    assert all(trace.type.startswith("scatter") for trace in points)
    assert sum(len(trace.x) for trace in points) == MOST_BARS + 1

    def of(measure: Question, ours: tuple = (0.5, 0.1), theirs: tuple = (0.2, 0.4)):
        return query_differences.info(pair([*ours], [*theirs]), measure, ("a", "b"), {})

    assert of(TED).fairer == (0, 1)  # less is fairer
    assert of(RAB, (-2.0, 0.5), (1.0, 0.8)).fairer == (1, 0)  # nearer to 0 is
    assert of(parse("Exposure(group='female')@5")).counts == (0, 0, 2)
    assert of(NDCG).better == "more effective"


def ranks(values: list[float], formula: str = "p · c") -> pd.DataFrame:
    places = range(1, len(values))
    table = {"rank": pd.array([None, *places], dtype="Int64"), "doc_id": [None, *(f"d{rank}" for rank in places)]}
    return pd.DataFrame({**table, "value": values, "formula": formula})


def test_each_part_of_a_value_is_a_bar_and_of_many_the_largest_are_drawn() -> None:
    drawn = waterfall.info(ranks([1.0, -0.5, 0.25]), "value", "TExFAIR@2 of a for q")
    assert drawn.names == ("constant", "1 d1", "2 d2")
    assert drawn.alt == "TExFAIR@2 of a for q: 3 parts sum to 0.750; the largest is constant, +1.000."
    (trace,) = waterfall.draw(drawn, DARK).data
    assert list(trace.measure) == ["relative"] * 3 + ["total"]
    assert list(trace.y) == [1.0, -0.5, 0.25, 0.75]
    assert list(trace.text) == ["+1.000", "−0.500", "+0.250", "0.750"]
    assert list(trace.customdata[1]) == ["1 d1", "1 d1<br>p · c<br><b>−0.500</b>"]
    undefined = waterfall.info(ranks([np.nan, np.nan], "undefined: no text"), "value", "TED@1 of a for q")
    assert undefined.alt == "TED@1 of a for q: undefined: no text."
    figure = waterfall.draw(undefined)
    assert not figure.data
    assert figure.layout.annotations[0].text == "undefined: no text"
    values = np.concatenate([np.full(40, 0.01), [-2.0, np.nan]])
    table = pd.DataFrame({"query_id": [f"q{n}" for n in range(42)], "value": values, "contribution": values})
    drawn = waterfall.info(table, "contribution", "mean")
    assert (len(drawn.values), drawn.merged) == (waterfall.MOST_BARS, 12)
    assert drawn.names[-2:] == ("q40", "12 others")
    assert sum(drawn.values) == pytest.approx(drawn.total) == pytest.approx(-1.6)
    assert waterfall.draw(drawn).data[0].text is None
    rows = [
        (None, None, None, 0.5, "mean"), (1, "a", "she", 0.3, "x"), (1, "a", "<b>", -0.2, "x"),
        (1, "a", "tree", 0.01, "x"), (1, "a", "he", 0.1, "x"), (2, "b", None, 0.0, "0 (no word that has a vector)"),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["rank", "doc_id", "word", "value", "formula"]).astype({"rank": "Int64"})
    drawn = waterfall.info(table, "value", "GSR@2")
    assert drawn.names == ("constant", "1 a", "2 b")
    assert np.allclose(drawn.values, [0.5, 0.21, 0])
    assert drawn.hovers == ("mean", "she +0.300, <b> −0.200, he +0.100", "0 (no word that has a vector)")
    assert "&lt;b&gt; −0.200" in waterfall.draw(drawn).data[0].customdata[1][1]
    table = pd.DataFrame(
        {"rank": pd.array([1, 2], dtype="Int64"), "doc_id": ["a", "b"], "doc_id_against": ["c", None],
         "value": [0.5, 0.25], "value_against": [0.75, 0.0], "difference": [-0.25, 0.25]}
    )  # fmt: skip
    drawn = waterfall.info(table, "difference", "a less b")
    assert drawn.hovers == ("0.5000 against 0.7500 of c", "0.2500 against 0.0000 of no document")
    assert drawn.total == 0


COLUMNS = ["system", "measure", "value", "low", "high"]
OVERLAPS = pd.DataFrame(
    [("<a>", "CRBO", 0.9, 0.85, 0.95), ("<a>", "placebo", 0.8, np.nan, np.nan), ("b", "placebo", 1.0, 1.0, 1.0)],
    columns=COLUMNS,
)


def test_crbo_stands_beside_its_placebo_and_wordings_have_the_looks_of_their_groups() -> None:
    found = crbo.info(OVERLAPS, "Lists", "RBO", ["CRBO", "placebo"], COLUMNS, even=0.5)
    assert found.alt == "Lists. <a>: CRBO 0.900, placebo 0.800; b: CRBO undefined, placebo 1.000."
    figure = crbo.draw(found, DARK)
    assert [trace.name for trace in figure.data] == ["CRBO", "placebo"]
    assert len({trace.marker.symbol for trace in figure.data}) == 2
    assert figure.data[0].error_x.array[0] == pytest.approx(0.05)
    assert figure.data[0].customdata[0][1] == "0.900 (0.850 to 0.950)"
    assert figure.data[1].customdata[0][1] == "0.800 (no interval)"
    assert figure.layout.shapes[0].x0 == 0.5
    assert figure.layout.xaxis.range is None
    assert "<a>" not in str(figure)
    alike = OVERLAPS.assign(value=0.5, low=0.5, high=0.5)
    figure = crbo.draw(crbo.info(alike, "Words", "share", ["CRBO", "placebo"], COLUMNS, even=0.5))
    assert figure.layout.xaxis.range == (0, 1), "shares that are all alike have the axis of shares"

    def drawn(*groups: str):
        table = OVERLAPS.assign(measure="female")
        return crbo.draw(crbo.info(table, "Words", "share", list(groups), COLUMNS, genders=True)).data

    (alone,), beside = drawn("female"), drawn("neutral", "female", "x")
    assert alone.marker.color == group_colour("female", ["female"])
    assert beside[1].marker.symbol == alone.marker.symbol
    assert len({trace.marker.symbol for trace in beside}) == 3
    rows = [("a", "q1", "<i>one", 0.9, 0.95), ("a", "q2", "two", 1.0, 0.8), ("a", "q3", "", 0.7, 0.7),
            ("a", "q4", "", np.nan, 1), ("b", "q1", "", 0.5, 0.5)]  # fmt: skip
    queries = pd.DataFrame(rows, columns=["system", "query_id", "text", "crbo", "placebo"])
    found = crbo_queries.info(queries, "a", "placebo", "placebo", "q2")
    assert found.alt == (
        "CRBO of a against the placebo, 3 queries: gender moves it more on 1, the placebo moves it more on 1, "
        "alike on 1."
    )
    traces = crbo_queries.draw(found).data
    assert [trace.name for trace in traces] == ["gender moves it more: 1", "the placebo moves it more: 1", "alike: 1"]
    assert [trace.customdata[0][0] for trace in traces] == ["q1", "q2", "q3"]
    assert traces[1].marker.size[0] > traces[0].marker.size[0]
    assert "<i>" not in traces[0].text[0]
    assert len({trace.marker.symbol for trace in traces}) == 3
