"""Values as HTML: the calculation, the bars beside the lists, the query among all; everything from data is escaped."""

import base64
import re
from html import unescape

import numpy as np
import pandas as pd

from fairviz.evaluation.contributions import Anatomy
from fairviz.figures import strip
from fairviz.figures.style import LIGHT, system_styles
from fairviz.figures.waterfall import MOST_BARS
from fairviz.measures import parse
from fairviz.ui.query.cards import deepest
from fairviz.ui.query.values import Step, margin, steps, steps_html, strip_html

CWEX, RATIO = parse("CWEx@2"), parse("GroupExposureRatio@2")
STYLES = system_styles(("<i>", "other"))


def scored(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"])


def anatomy(table: pd.DataFrame, query: str | None = "q", column: str = "value", systems: tuple = ("a",)) -> Anatomy:
    return Anatomy(table, column, "CWEx@2", systems, query, "Σ p · c", {"A": 2.0, "B": np.nan})


def ranked(values: list[float]) -> pd.DataFrame:
    places = range(1, len(values) + 1)
    ranks, names = pd.array(places, dtype="Int64"), [f"<d{place}>" for place in places]
    return pd.DataFrame({"rank": ranks, "doc_id": names, "value": values, "formula": [f"1 · {one}" for one in values]})


def test_bars_follow_one_another_and_sum_to_the_value() -> None:
    found = steps_html(anatomy(ranked([1.0, -0.25, 0.0])), LIGHT)
    assert re.findall(r'data-value="([^"]+)"', found) == ["1.0", "-0.25", "0.0", "0.75"]
    bars = re.findall(r'<b class="fv-(\w+)" style="left:([\d.]+)%;width:([\d.]+)%"', found)
    assert bars == [("up", "0.00", "100.00"), ("down", "75.00", "25.00"), ("none", "75.00", "0.00"),
                    ("up", "0.00", "75.00")]  # fmt: skip
    assert "<td>1 &lt;d1&gt;</td><td>1 · 1.0</td>" in found
    assert "Σ p · c<br>A = 2</div>" in found
    assert "<d1>" not in found
    without = steps_html(anatomy(ranked([np.nan]).assign(formula="undefined: <b>no label")), LIGHT)
    assert "undefined: &lt;b&gt;no label" in without
    assert "data-value" not in without
    table = ranked([0.5]).drop(columns="formula").assign(doc_id_against="x", value_against=0.25, difference=0.25)
    of_two = anatomy(table, "q", "difference", ("a", "b"))
    assert steps(of_two) == [Step("1 <d1>", "0.5 minus 0.25 of x", 0.25)]
    assert "the difference" in steps_html(of_two, LIGHT)


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
    rows = [
        (None, None, None, 0.5, "mean"), (1, "d", "he", -0.4, "f he"), (1, "d", "<she>", 0.3, "f she"),
        (1, "d", "it", 0.1, "f it"), (1, "d", "tree", 0.2, "f tree"), (2, "e", None, 0.0, "0 (no word)"),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["rank", "doc_id", "word", "value", "formula"]).astype({"rank": "Int64"})
    made = steps(anatomy(table))
    assert [round(step.value, 12) for step in made] == [0.5, 0.2, 0.0]
    assert made[1].text == "“he” f he\n“<she>” f she\n“tree” f tree\nand 1 more word"
    assert "“&lt;she&gt;” f she" in steps_html(anatomy(table), LIGHT)


def test_every_bar_begins_at_the_same_zero_and_parts_without_one_are_named_below() -> None:
    made = margin(anatomy(ranked([1.0, -0.25, 0.0]), column="value", systems=("<a>", "b")), "CWEx", 3, LIGHT)
    bars = {rank: re.findall(r"left:([\d.]+)%;width:([\d.]+)%", cell) for rank, cell in made.cells.items()}
    assert bars == {1: [("20.00", "80.00")], 2: [("0.00", "20.00")], 3: [("20.00", "0.00")]}
    assert [re.findall(r"<span>(.+?)</span>", cell) for cell in made.cells.values()] == [["+1.000"], ["−0.250"], ["0"]]
    assert made.foot == "<b>sum +0.750</b>"
    assert ">CWEx: &lt;a&gt; minus b</span>" in made.head
    assert made.place == 2
    table = ranked([0.5, 0.25, 0.125])
    table.loc[3] = {"rank": None, "doc_id": None, "value": 1.0, "formula": "max(TED)"}
    made = margin(anatomy(table), "TExFAIR", 1, LIGHT)
    assert list(made.cells) == [1]
    assert made.foot == "<div>constant +1.000</div><div>ranks from 2 +0.375</div><b>sum +1.875</b>"
    made = margin(anatomy(ranked([np.nan])), "CWEx", 1, LIGHT)
    assert (made.cells, made.foot) == ({}, "<b>undefined</b>")


def test_the_querys_own_values_stand_between_the_ends_over_faint_marks_of_every_query() -> None:
    scores = scored(("<i>", "q1", CWEX.text, -0.5), ("<i>", "q2", CWEX.text, 0.5), ("other", "q1", CWEX.text, 0.0),
                    ("<i>", "q1", RATIO.text, np.nan), ("other", "q1", RATIO.text, 1.0))  # fmt: skip
    first, second = (
        strip_html(strip.info(scores, (CWEX, RATIO), ("<i>", "other"), query), STYLES, LIGHT) for query in ("q1", "q2")
    )
    assert "<i>" not in first
    assert 'title="&lt;i&gt; −0.500" src="data:image' in first
    assert re.search(r'title="&lt;i&gt; −0.500"[^>]*left:0.00%', first)
    assert re.search(r'title="other 0.000"[^>]*left:50.00%', first)
    assert "<span>−0.500</span>" in first
    assert "undefined in &lt;i&gt;" in first
    image = re.compile(r'<div><img alt="" src="data:image/svg\+xml;base64,([^"]+)"')
    faint = [base64.b64decode(image.findall(found)[0]).decode() for found in (first, second)]
    assert 'd="M0.0 0V10M500.0 0V10M1000.0 0V10"' in faint[0]
    assert faint[0] == faint[1], "they do not move with the query"
    assert strip_html(strip.Strip((), "q"), STYLES, LIGHT) == "<i>No measure has a value for this query.</i>"


def test_a_long_measure_is_shortened_and_the_band_of_random_orders_has_its_ends_as_a_tooltip() -> None:
    texts = [f"Exposure(group='{group}')@2" for group in ("abcd", "abcde")]
    assert [len(text) for text in texts] == [24, 25]
    scores = scored(*(("other", "q1", text, 0.5) for text in texts))
    found = strip_html(strip.info(scores, tuple(map(parse, texts)), ("other",), "q1"), STYLES, LIGHT)
    assert re.findall(r">([^<]+)<small>", unescape(found)) == [texts[0], f"{texts[1][:23]}…"]
    rows = scored(("other", "q1", CWEX.text, -0.5), ("other", "q2", CWEX.text, 0.5))
    all_queries = strip.info(rows, (CWEX,), ("other",), "q1")
    bands = pd.DataFrame({"measure": [CWEX.text], "low": [-0.25], "high": [0.25]})
    found = strip_html(strip.of_query(all_queries, rows, "q1", bands), STYLES, LIGHT)
    assert '<i title="95 % of random orders: −0.250 to 0.250" style="left:25.00%;width:50.00%"></i>' in found
    assert "<i title" not in strip_html(all_queries, STYLES, LIGHT)


def test_many_long_lists_show_fewer_ranks() -> None:
    assert [deepest(*given) for given in ((10, 60), (1000, 2), (1000, 60), (5, 1))] == [10, 300, 10, 5]
