"""A value written out as HTML: each bar begins where the one above it ends, and everything from data is escaped."""

import re

import numpy as np
import pandas as pd

from fairviz.evaluation.contributions import Anatomy
from fairviz.figures.style import LIGHT
from fairviz.figures.waterfall import MOST_BARS
from fairviz.ui.query.steps import Step, steps, steps_html


def anatomy(table: pd.DataFrame, query: str | None = "q", column: str = "value", systems: tuple = ("a",)) -> Anatomy:
    return Anatomy(table, column, "CWEx@2", systems, query, "Σ p · c", {"A": 2.0, "B": np.nan})


def ranked(values: list[float]) -> pd.DataFrame:
    places = range(1, len(values) + 1)
    names = [f"<d{place}>" for place in places]
    said = [f"1 · {value}" for value in values]
    ranks = pd.array(places, dtype="Int64")
    return pd.DataFrame({"rank": ranks, "doc_id": names, "value": values, "formula": said})


def test_bars_follow_one_another_and_sum_to_the_value() -> None:
    found = steps_html(anatomy(ranked([1.0, -0.25, 0.0])), LIGHT)
    assert re.findall(r'data-value="([^"]+)"', found) == ["1.0", "-0.25", "0.0", "0.75"]
    bars = re.findall(r'<b class="fv-(\w+)" style="left:([\d.]+)%;width:([\d.]+)%"', found)
    assert bars == [("up", "0.00", "100.00"), ("down", "75.00", "25.00"), ("none", "75.00", "0.00"),
                    ("up", "0.00", "75.00")]  # fmt: skip
    assert "<td>1 &lt;d1&gt;</td><td>1 · 1.0</td>" in found
    assert "Σ p · c<br>A = 2</div>" in found
    assert "<d1>" not in found


def test_a_list_without_a_value_says_why() -> None:
    table = ranked([np.nan]).assign(formula="undefined: <b>no label")
    found = steps_html(anatomy(table), LIGHT)
    assert "undefined: &lt;b&gt;no label" in found
    assert "data-value" not in found


def test_a_query_of_a_sum_can_be_opened_and_the_small_ones_are_gathered() -> None:
    count = MOST_BARS + 5
    values = [float(place) for place in range(count, 0, -1)]
    table = pd.DataFrame({"query_id": [f"q{n}" for n in range(count)], "value": values, "contribution": values})
    made = steps(anatomy(table, None, "contribution"))
    assert len(made) == MOST_BARS
    assert made[0] == Step("q0", "35", 35.0, "q0")
    assert made[-1] == Step("6 others", "the rest, together", 21.0)
    found = steps_html(anatomy(table.head(1).assign(query_id="<q>"), None, "contribution"), LIGHT, ("a", "<q>"))
    assert 'data-query="1"><td><button type="button">&lt;q&gt;</button>' in found


def test_the_words_of_a_document_stand_together() -> None:
    table = pd.DataFrame(
        {
            "rank": pd.array([None, 1, 1, 1, 1, 2], dtype="Int64"),
            "doc_id": [None, "d", "d", "d", "d", "e"],
            "word": [None, "he", "<she>", "it", "tree", None],
            "value": [0.5, -0.4, 0.3, 0.1, 0.2, 0.0],
            "formula": ["mean", "f he", "f she", "f it", "f tree", "0 (no word)"],
        }
    )
    made = steps(anatomy(table))
    assert [round(step.value, 12) for step in made] == [0.5, 0.2, 0.0]
    assert made[1].text == "“he” f he\n“<she>” f she\n“tree” f tree\nand 1 more word"
    assert "“&lt;she&gt;” f she" in steps_html(anatomy(table), LIGHT)


def test_the_difference_of_two_lists_names_both_documents() -> None:
    table = ranked([0.5]).drop(columns="formula").assign(doc_id_against="x", value_against=0.25, difference=0.25)
    (step,) = steps(anatomy(table, "q", "difference", ("a", "b")))
    assert step == Step("1 <d1>", "0.5 minus 0.25 of x", 0.25)
    assert "the difference" in steps_html(anatomy(table, "q", "difference", ("a", "b")), LIGHT)
