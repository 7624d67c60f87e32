"""The parts of a value, as bars."""

import numpy as np
import pandas as pd

from fairviz.figures import waterfall
from fairviz.figures.style import DARK


def ranks(values: list[float], formula: str = "p · c") -> pd.DataFrame:
    return pd.DataFrame(
        {
            "rank": pd.array([None, *range(1, len(values))], dtype="Int64"),
            "doc_id": [None, *(f"d{rank}" for rank in range(1, len(values)))],
            "value": values,
            "formula": formula,
        }
    )


def test_each_rank_is_a_bar_and_the_sum_the_last() -> None:
    drawn = waterfall.info(ranks([1.0, -0.5, 0.25]), "value", "TExFAIR@2 of a for q")
    assert drawn == waterfall.Waterfall(
        "TExFAIR@2 of a for q", ("constant", "1 d1", "2 d2"), (1.0, -0.5, 0.25), ("p · c",) * 3, 0.75
    )
    assert drawn.alt == "TExFAIR@2 of a for q: 3 parts sum to 0.750; the largest is constant, +1.000."
    (trace,) = waterfall.draw(drawn, DARK).data
    assert list(trace.measure) == ["relative"] * 3 + ["total"]
    assert list(trace.y) == [1.0, -0.5, 0.25, 0.75]
    assert list(trace.text) == ["+1.000", "−0.500", "+0.250", "0.750"]
    assert list(trace.customdata[1]) == ["1 d1", "1 d1<br>p · c<br><b>−0.500</b>"]


def test_of_many_queries_the_largest_are_drawn_and_the_rest_are_one() -> None:
    values = np.concatenate([np.full(40, 0.01), [-2.0, np.nan]])
    table = pd.DataFrame({"query_id": [f"q{n}" for n in range(42)], "value": values, "contribution": values})
    drawn = waterfall.info(table, "contribution", "mean")
    assert len(drawn.values) == waterfall.MOST_BARS
    assert drawn.merged == 12
    assert drawn.names[-2:] == ("q40", "12 others")
    assert np.isclose(sum(drawn.values), drawn.total)
    assert np.isclose(drawn.total, -1.6)
    assert waterfall.draw(drawn).data[0].text is None


def test_the_words_of_a_document_are_one_bar() -> None:
    table = pd.DataFrame(
        {
            "rank": pd.array([None, 1, 1, 1, 1, 2], dtype="Int64"),
            "doc_id": [None, "a", "a", "a", "a", "b"],
            "word": [None, "she", "<b>", "tree", "he", None],
            "value": [0.5, 0.3, -0.2, 0.01, 0.1, 0.0],
            "formula": ["mean", *["x"] * 4, "0 (no word that has a vector)"],
        }
    )
    drawn = waterfall.info(table, "value", "GSR@2")
    assert drawn.names == ("constant", "1 a", "2 b")
    assert np.allclose(drawn.values, [0.5, 0.21, 0])
    assert drawn.hovers == ("mean", "she +0.300, <b> −0.200, he +0.100", "0 (no word that has a vector)")
    assert "&lt;b&gt; −0.200" in waterfall.draw(drawn).data[0].customdata[1][1]


def test_a_difference_names_both_documents() -> None:
    table = pd.DataFrame(
        {"rank": pd.array([1, 2], dtype="Int64"), "doc_id": ["a", "b"], "doc_id_against": ["c", None],
         "value": [0.5, 0.25], "value_against": [0.75, 0.0], "difference": [-0.25, 0.25]}
    )  # fmt: skip
    drawn = waterfall.info(table, "difference", "a less b")
    assert drawn.hovers == ("0.5000 against 0.7500 of c", "0.2500 against 0.0000 of no document")
    assert drawn.total == 0


def test_what_is_undefined_says_why() -> None:
    drawn = waterfall.info(ranks([np.nan, np.nan], "undefined: no text"), "value", "TED@1 of a for q")
    assert drawn.values == ()
    assert drawn.alt == "TED@1 of a for q: undefined: no text."
    figure = waterfall.draw(drawn)
    assert not figure.data
    assert figure.layout.annotations[0].text == "undefined: no text"
