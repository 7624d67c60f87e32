"""Numbers, p-values, counts and lists of names as text."""

import ast
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairviz.analyses.sensitivity.levels import level_text
from fairviz.annotation.annotators import parse as parse_annotators
from fairviz.annotation.annotators.annotating import describe
from fairviz.comparison import system_table
from fairviz.evaluation.exports import lines, origin
from fairviz.evaluation.questions import MAIN, split_by_data
from fairviz.evaluation.settings import Settings, from_query
from fairviz.evaluation.slider_settings import at_stops, stops
from fairviz.figures import frame
from fairviz.measures import parse
from fairviz.measures.position_bias import parse_position_bias, position_bias
from fairviz.output import html as page
from fairviz.output.comparison_tables import LATEX, PLAIN
from fairviz.output.comparison_tables import _latex_cell as in_latex
from fairviz.output.comparison_tables import _number as in_a_comparison
from fairviz.parameters import format_call
from fairviz.rankers import parse_rankers
from fairviz.study.record import Study
from fairviz.ui.gsr import cards as debiasing
from fairviz.ui.kit import coloured_words
from fairviz.ui.query import values
from fairviz.ui.shell.chips import value_text
from fairviz.words import sentences
from fairviz.words.sentences import (
    agreeing,
    counted,
    decimal,
    first_listed,
    listed,
    naming,
    number,
    out_of,
    p_cell,
    p_value,
    plain,
    seconds_text,
    shortest,
    signed,
    with_article,
    with_interval,
)


def test_chances_and_values_as_text() -> None:
    """A chance is never written on the wrong side, and a difference is never 0 where it is not."""
    chances = (0.0021, 0.0009, 0.0499, 0.05, 1.0)
    assert [p_value(p) for p in chances] == ["p = .002", "p < .001", "p < .05", "p = .050", "p = 1.000"]
    # rounded up, so that it stays true
    assert [p_value(p, several=True) for p in (0.0183, 0.0496)] == ["p ≤ .019", "p < .05"]
    assert [p_cell(p, "–") for p in (0.0021, 0.0004, 0.0499, np.nan)] == [".002", "< .001", "< .05", "–"]
    assert [signed(value) for value in (0.0751, -0.0751, 0.00004, 0.0)] == ["+0.075", "−0.075", "+0.00004", "0.000"]
    assert [number(value) for value in (-0.0001, -12.345, 0.5, np.nan)] == ["0.000", "−12.3", "0.500", "undefined"]
    assert [decimal(value, 2) for value in (-0.001, -1.234, np.nan)] == ["0.00", "−1.23", "undefined"]
    assert [decimal(value, sign="+") for value in (0.1, -0.1)] == ["+0.100", "−0.100"]
    for value, said in (
        ((0.25, 0.2, 0.3, "★"), "0.250 ★ [.20, .30]"),
        ((-1.052, -1.188, -0.926), "−1.052 [−1.19, −.93]"),
        ((0.999, 0.996, 1.0), "0.999 [1.00, 1.00]"),
        ((12.345, -0.001, 123.4), "12.3 [.00, 123]"),
        ((0.5, np.nan, np.nan, "★"), "0.500 ★"),
        ((np.nan, np.nan, np.nan), "undefined"),
    ):
        assert with_interval(*value) == said


def test_names_counts_and_seconds_in_words() -> None:
    assert plain(naming(("a", "b", "c"), ())) == "a, b and c"
    assert plain(naming(("a", "b", "c", "d"), ())) == "4 systems"
    assert plain(naming(("a", "b", "c", "d"), ("d", "x"))) == "d and 3 more"
    assert listed(["a"]) == "a"
    assert [first_listed("abcd", most) for most in (2, 3, 4)] == ["a, b and 2 more", "a, b, c and 1 more", "a, b, c, d"]
    assert [counted(count, "query") for count in (0, 1, 1200)] == ["0 queries", "1 query", "1,200 queries"]
    assert counted(2, "person", "people") == "2 people"
    assert [agreeing(count, "is", "are") for count in (1, 2)] == ["is", "are"]
    assert [agreeing(2, noun) for noun in ("common query", "system", "day", "decision")] == [
        "common queries", "systems", "days", "decisions",
    ]  # fmt: skip
    assert [out_of(1, total, "query") for total in (0, 1, 2)] == ["1 of 0 queries", "1 of 1 query", "1 of 2 queries"]
    articles = {"annotator": "an", "run": "a", "unit": "a", "undecided": "an", "one-sided": "a", "'index'": "an"}
    assert {noun: with_article(noun) for noun in articles} == {noun: f"{one} {noun}" for noun, one in articles.items()}
    assert [seconds_text(each) for each in (0.2, 1.2, 12, 240, 9000)] == [
        "a second or less", "about 1 second", "about 12 seconds", "about 4 minutes", "about 2.5 hours",
    ]  # fmt: skip


SHORT = {0.7: "0.7", 1.0: "1", -0.0: "0", 20.0: "20", 0.1234567: "0.1234567", 1e-5: "1e-05", 1e6: "1000000"}


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_read_back_as_itself_and_short_ones_stay_short(number: float) -> None:
    assert float(shortest(number)) == ast.literal_eval(shortest(number)) == number
    assert {value: shortest(value) for value in SHORT} == SHORT
    assert (shortest(1), shortest(float("inf"))) == ("1", "inf")


def test_pages_sliders_and_files_name_the_measure_by_the_very_parameter(football: Study) -> None:
    settings, _ = from_query({"alpha": ["0.1234567"]})
    found = split_by_data(football, settings, MAIN)
    assert found.texts[0] == parse("CWEx(alpha=0.1234567)@10").text == "CWEx(alpha=0.1234567)@10"
    assert value_text(settings, ("alpha",)) == level_text(football, Settings(), "alpha", 0.1234567) == "0.1234567"
    # a slider that stands between two of its steps
    found = stops(football, settings, "alpha")
    texts = [question.text for question in at_stops("CWEx", settings, "alpha", found)]
    assert texts == [f"CWEx(alpha={shortest(stop.alpha)})@10" for stop in found]
    assert "CWEx(alpha=0.1234567)@10" in texts
    found = stops(football, Settings(position_bias="rbp(p=0.1234567)"), "p")
    chances = [parse_position_bias(stop.position_bias)[1] for stop in found]
    assert chances == sorted([*(step / 100 for step in range(1, 100)), 0.1234567])
    custom = Settings(position_bias="custom", custom_bias=(1.0, 0.1234567))
    assert "position bias: custom(1, 0.1234567)" in lines(origin(football, custom, ("CWEx(alpha=0.5)@10",)))


@given(st.floats(0.01, 0.99))
@example(0.12345678901234567)
def test_runs_annotators_and_biases_are_named_by_the_very_parameter(given_value: float) -> None:
    assert parse_position_bias(position_bias(f"rbp(p={given_value!r})", 3).name) == ("rbp", given_value)
    (choice,) = parse_rankers(f"bm25(k1={given_value!r})")
    assert float(choice.system.partition("k1=")[2] or 0.9) == given_value
    for c in (given_value, 1e4 * given_value):
        (choice,) = parse_annotators(f"classifier(C={c!r})")
        assert float(choice.name.partition("C=")[2] or 1) == c
        assert parse_annotators(format_call("classifier", {"C": c})) == (choice,)
        assert f"C={shortest(c)}," in describe(choice)


NUMBERS = st.floats(-2000, 2000) | st.sampled_from((0.0, -0.0)) | st.floats(-1e-3, 1e-3) | st.floats(-1e-8, 1e-8)
FORMATTERS = {
    "number": sentences.number,
    "decimal": sentences.decimal,
    "decimal +": lambda value: sentences.decimal(value, 2, "+"),
    "signed": sentences.signed,
    "percent": lambda value: sentences.percent(value, sign="+"),
    "with_interval": lambda value: sentences.with_interval(value, value - abs(value) / 3, value + 1e-5, "★"),
    "value of a table": system_table.value_text,
    "marked value of a table": lambda value: system_table.marked_text(value, system_table.NOT_TESTED),
    "change of a table": system_table.change_text,
    "interval of a figure": lambda value: frame.interval_text(value, value + 1e-6),
    "value of a figure": lambda value: frame.value_text(value, value, value),
    "waterfall": lambda value: sentences.decimal(value, sign="+"),
    "report": page.number,
    "report +": lambda value: page.decimals(value, "+"),
    "wide": lambda value: PLAIN.number(in_a_comparison(value, "+")),
    "wide LaTeX": lambda value: LATEX.number(in_a_comparison(value, "+")).replace("$", ""),
    "LaTeX": lambda value: in_latex(value, "").replace("$", ""),
    "steps": values.signed,
    "words": coloured_words.signed,
    "debiasing": debiasing.change_text,
}
NEVER_MISSING = ("debiasing", "words", "wide", "wide LaTeX")  # formatters that get no number that is missing
BROKEN = re.compile(r"[−-]\s*<|[−+-]0?\.?0+(?![\d.])|[−+-]0?\.0+\b|\de[−+-]?\d|[−-]{2}|nan|inf\b")


@pytest.mark.parametrize("name", FORMATTERS)
@given(value=NUMBERS)
def test_no_number_is_written_in_a_broken_way(name: str, value: float) -> None:
    text = FORMATTERS[name](value)
    assert not BROKEN.search(text), text
    assert name in NEVER_MISSING or "nan" not in FORMATTERS[name](np.nan)
    assert ("−" in text or "-" in text) <= (value < 0 or "[" in text)


@given(p=st.floats(0, 1), several=st.booleans())
def test_p_is_on_its_side_of_05_and_has_no_zero_before_the_point(p: float, several: bool) -> None:
    text = sentences.p_value(p, several=several)
    assert re.fullmatch(r"p (= |≤ |< )(\.\d{2,3}|1\.000)", text), text
    if text.endswith(".050") or re.search(r"[=≤] \.0(5[1-9]|[6-9])|[=≤] (\.[1-9]|1)", text):
        assert p >= 0.05 or several * (p > 0.049)
