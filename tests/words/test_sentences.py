"""Numbers, p-values, counts and lists of names as text."""

import numpy as np
import pytest

from fairviz.words.sentences import (
    agreeing,
    counted,
    decimal,
    first_listed,
    listed,
    naming,
    number,
    p_cell,
    p_value,
    plain,
    seconds_text,
    signed,
    with_interval,
)


@pytest.mark.parametrize(
    ("p", "several", "text"),
    [
        (0.0021, False, "p = .002"),
        (0.0009, False, "p < .001"),
        (0.0183, True, "p ≤ .019"),  # rounded up, so that it stays true
        (0.0499, False, "p < .05"),
        (0.0496, True, "p < .05"),
        (0.05, False, "p = .050"),
        (1.0, False, "p = 1.000"),
    ],
)
def test_a_chance_is_never_written_on_the_wrong_side(p: float, several: bool, text: str) -> None:
    assert p_value(p, several=several) == text


def test_a_difference_has_a_true_sign_and_is_never_0_where_it_is_not() -> None:
    assert [signed(value) for value in (0.0751, -0.0751, 0.00004, 0.0)] == ["+0.075", "−0.075", "+0.00004", "0.000"]


def test_few_names_are_named_and_many_counted() -> None:
    assert plain(naming(("a", "b", "c"), ())) == "a, b and c"
    assert plain(naming(("a", "b", "c", "d"), ())) == "4 systems"
    assert plain(naming(("a", "b", "c", "d"), ("d", "x"))) == "d and 3 more"
    assert listed(["a"]) == "a"


@pytest.mark.parametrize(
    ("values", "mark", "said"),
    [
        ((0.25, 0.2, 0.3), "★", "0.250 ★ [.20, .30]"),
        ((-1.052, -1.188, -0.926), "", "−1.052 [−1.19, −.93]"),
        ((0.999, 0.996, 1.0), "", "0.999 [1.00, 1.00]"),
        ((12.345, -0.001, 123.4), "", "12.3 [.00, 123]"),
        ((0.5, np.nan, np.nan), "★", "0.500 ★"),
        ((np.nan, np.nan, np.nan), "", "undefined"),
    ],
)
def test_a_value_with_its_interval_is_short(values, mark, said):
    assert with_interval(*values, mark) == said
    assert ";" not in said


def test_p_in_a_cell_has_no_letter_before_it() -> None:
    assert [p_cell(p, "–") for p in (0.0021, 0.0004, 0.0499, np.nan)] == [".002", "< .001", "< .05", "–"]


def test_a_noun_and_a_verb_agree_with_their_count() -> None:
    assert [counted(count, "query") for count in (0, 1, 1200)] == ["0 queries", "1 query", "1,200 queries"]
    assert counted(2, "person", "people") == "2 people"
    assert [agreeing(count, "is", "are") for count in (1, 2)] == ["is", "are"]
    assert [agreeing(2, noun) for noun in ("common query", "system", "day", "decision")] == [
        "common queries", "systems", "days", "decisions",
    ]  # fmt: skip


def test_a_number_has_a_true_minus_and_zero_has_no_sign() -> None:
    assert [number(value) for value in (-0.0001, -12.345, 0.5, np.nan)] == ["0.000", "−12.3", "0.500", "undefined"]
    assert [decimal(value, 2) for value in (-0.001, -1.234, np.nan)] == ["0.00", "−1.23", "undefined"]
    assert [decimal(value, sign="+") for value in (0.1, -0.1)] == ["+0.100", "−0.100"]


def test_the_first_names_and_how_many_more() -> None:
    assert [first_listed("abcd", most) for most in (2, 3, 4)] == ["a, b and 2 more", "a, b, c and 1 more", "a, b, c, d"]


def test_seconds_in_words() -> None:
    assert [seconds_text(each) for each in (0.2, 1.2, 12, 240, 9000)] == [
        "a second or less", "about 1 second", "about 12 seconds", "about 4 minutes", "about 2.5 hours",
    ]  # fmt: skip
