"""The figures of single queries: two systems on each, the parts of a value, and CRBO."""

import numpy as np
import pandas as pd
import pytest

from fairviz.figures import crbo, crbo_queries, query_differences, waterfall
from fairviz.figures.query_differences import MOST_BARS
from fairviz.figures.style import DARK, group_colour, system_styles
from fairviz.measures import Question, parse

STYLES = system_styles(("a", "b"))
CWEX, TED, NDCG, RAB = (parse(text) for text in ("CWEx@5", "TED@5", "nDCG@5", "RaB@5"))


def pair(ours: list[float], theirs: list[float]) -> pd.DataFrame:
    rows = pd.DataFrame({"value": ours, "baseline_value": theirs})
    return rows.assign(query_id=[f"q{n}" for n in range(len(ours))], difference=rows["value"] - rows["baseline_value"])


def test_queries_are_sorted_by_the_difference_of_two_systems() -> None:
    texts = {"q0": "<i>x"}
    drawn = query_differences.info(pair([0.5, 0.1, 0.3], [0.2, 0.4, 0.3]), CWEX, ("a", "b"), texts, "q0")
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
    points = query_differences.draw(query_differences.info(many, CWEX, ("a", "b"), {}), STYLES).data
    assert all(trace.type.startswith("scatter") for trace in points)
    assert sum(len(trace.x) for trace in points) == MOST_BARS + 1


def test_who_is_fairer_goes_by_the_direction_of_the_measure() -> None:
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


def test_each_rank_of_a_value_is_a_bar_and_the_sum_the_last() -> None:
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


def test_of_many_queries_the_largest_are_drawn_and_the_rest_are_one() -> None:
    values = np.concatenate([np.full(40, 0.01), [-2.0, np.nan]])
    table = pd.DataFrame({"query_id": [f"q{n}" for n in range(42)], "value": values, "contribution": values})
    drawn = waterfall.info(table, "contribution", "mean")
    assert (len(drawn.values), drawn.merged) == (waterfall.MOST_BARS, 12)
    assert drawn.names[-2:] == ("q40", "12 others")
    assert sum(drawn.values) == pytest.approx(drawn.total) == pytest.approx(-1.6)
    assert waterfall.draw(drawn).data[0].text is None


def test_the_words_of_a_document_are_one_bar_and_a_difference_names_both_documents() -> None:
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


def test_crbo_stands_beside_its_placebo_ranker_by_ranker() -> None:
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


def test_wordings_have_the_colours_and_markers_of_their_groups_whoever_stands_beside() -> None:
    def drawn(*groups: str):
        table = OVERLAPS.assign(measure="female")
        return crbo.draw(crbo.info(table, "Words", "share", list(groups), COLUMNS, genders=True)).data

    (alone,), beside = drawn("female"), drawn("neutral", "female", "x")
    assert alone.marker.color == group_colour("female", ["female"])
    assert beside[1].marker.symbol == alone.marker.symbol
    assert len({trace.marker.symbol for trace in beside}) == 3


def test_queries_lie_on_either_side_of_crbo() -> None:
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
