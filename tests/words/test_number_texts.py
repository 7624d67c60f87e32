"""Numbers as text: whatever is written into a name, a measure or a recipe is read back as the same number."""

import ast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fairviz.analyses.finetuning.pairs import Plan
from fairviz.analyses.sensitivity.levels import level_text
from fairviz.annotation.annotators import parse as parse_annotators
from fairviz.annotation.annotators.annotating import describe
from fairviz.evaluation.exports import lines, origin
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.questions import MAIN, ask, split_by_data
from fairviz.evaluation.settings import Settings, from_query, to_query
from fairviz.evaluation.slider_settings import at_stops, follows, stops
from fairviz.measures import parse
from fairviz.measures.position_bias import parse_position_bias, position_bias
from fairviz.models.adapters import is_adapter_name
from fairviz.parameters import format_call
from fairviz.rankers import parse_rankers
from fairviz.ui.backpack.lists import lists_recipe
from fairviz.ui.shell.chips import value_text
from fairviz.words.sentences import shortest

SHARES = st.floats(0, 1)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_read_back_as_itself(number: float) -> None:
    assert float(shortest(number)) == number
    assert ast.literal_eval(shortest(number)) == number


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.7, "0.7"), (1.0, "1"), (1, "1"), (-0.0, "0"), (20.0, "20"), (0.1234567, "0.1234567"), (1e-5, "1e-05"),
     (-2.5, "-2.5"), (1_000_000.0, "1000000"), (float("inf"), "inf")],
)  # fmt: skip
def test_short_numbers_stay_short(number: float, text: str) -> None:
    assert shortest(number) == text


@given(SHARES)
@example(0.1234567)
def test_the_pages_ask_for_cwex_with_the_very_alpha_of_the_settings(alpha: float) -> None:
    settings = Settings(alpha=alpha)
    question = ask("CWEx", settings)
    assert question.parameters["alpha"] == alpha
    assert follows(question, settings, "alpha")
    assert parse(question.text) == question
    assert from_query(to_query(settings)) == (settings, [])


def test_the_page_and_the_command_line_name_the_same_measure() -> None:
    settings, _ = from_query({"alpha": ["0.1234567"]})
    found = split_by_data(open_study("football"), settings, MAIN)
    assert found.texts[0] == parse("CWEx(alpha=0.1234567)@10").text == "CWEx(alpha=0.1234567)@10"
    assert value_text(settings, ("alpha",)) == "0.1234567"


def test_cwex_follows_a_slider_that_stands_between_two_of_its_steps() -> None:
    study, settings = open_study("football"), Settings(alpha=0.1234567)
    found = stops(study, settings, "alpha")
    texts = [question.text for question in at_stops("CWEx", settings, "alpha", found)]
    assert texts == [f"CWEx(alpha={shortest(stop.alpha)})@10" for stop in found]
    assert "CWEx(alpha=0.1234567)@10" in texts


@given(st.floats(0.01, 0.99))
@example(0.12345678901234567)
def test_the_chance_of_reading_on_is_the_one_that_was_given(p: float) -> None:
    canonical = position_bias(f"rbp(p={p!r})", 3).name
    assert parse_position_bias(canonical) == ("rbp", p)


def test_every_stop_of_the_chance_of_reading_on_is_read_back() -> None:
    found = stops(open_study("football"), Settings(position_bias="rbp(p=0.1234567)"), "p")
    chances = [parse_position_bias(stop.position_bias)[1] for stop in found]
    assert chances == sorted([*(step / 100 for step in range(1, 100)), 0.1234567])


@given(st.floats(0, 3))
@example(0.1234567)
def test_a_run_is_named_by_the_very_parameter(k1: float) -> None:
    (choice,) = parse_rankers(f"bm25(k1={k1!r})")
    assert float(choice.system.partition("k1=")[2] or 0.9) == k1


@given(st.floats(1e-4, 1e4))
@example(0.1234567)
def test_an_annotator_is_named_and_written_by_the_very_parameter(given_c: float) -> None:
    (choice,) = parse_annotators(f"classifier(C={given_c!r})")
    assert float(choice.name.partition("C=")[2] or 1) == given_c
    assert parse_annotators(format_call("classifier", {"C": given_c})) == (choice,)
    assert f"C={shortest(given_c)}," in describe(choice)


@given(st.floats(0, 1000))
@example(1.2345678901234567e-05)
def test_an_adapter_is_named_by_the_very_strength(strength: float) -> None:
    name = Plan(strength=strength, rank=64, steps=10_000, seed=2**31 - 1).named("a study of a long name " * 5).name
    assert is_adapter_name(name)
    assert float(name.partition("-strength")[2].partition("-steps")[0]) == strength


def test_recipes_files_and_tables_hold_every_digit() -> None:
    study = open_study("football")
    assert "backpack(weight=0.1234567)" in lists_recipe(study, "q", "", [0.1234567], 10).python
    assert level_text(study, Settings(), "alpha", 0.1234567) == "0.1234567"
    custom = Settings(position_bias="custom", custom_bias=(1.0, 0.1234567))
    assert "position bias: custom(1, 0.1234567)" in lines(origin(study, custom, ("CWEx(alpha=0.5)@10",)))
